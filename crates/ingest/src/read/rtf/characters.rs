//! Which characters the bytes of an RTF file are: each font has a code page of its own.

use encoding_rs::{
    BIG5, EUC_KR, Encoding, GBK, MACINTOSH, SHIFT_JIS, UTF_8, WINDOWS_874, WINDOWS_1250, WINDOWS_1251, WINDOWS_1252,
    WINDOWS_1253, WINDOWS_1254, WINDOWS_1255, WINDOWS_1256, WINDOWS_1257, WINDOWS_1258,
};

/// How the bytes of a font are to be understood.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) enum Characters {
    Encoded(&'static Encoding),
    /// The font "Symbol": Greek letters and signs of mathematics in the places of Latin letters.
    Symbols,
    /// A font of small pictures (Wingdings): used for the bullets of lists.
    Pictures,
}

/// The letters of the font "Symbol" from `A` and from `a` on.
const GREEK_CAPITALS: &str = "ΑΒΧΔΕΦΓΗΙϑΚΛΜΝΟΠΘΡΣΤΥςΩΞΨΖ";
const GREEK_LETTERS: &str = "αβχδεφγηιϕκλμνοπθρστυϖωξψζ";

impl Characters {
    /// By the number that `\ansicpg` and `\cpg` give.
    pub(super) fn of_code_page(number: i32) -> Option<Self> {
        let encoding = match number {
            1250 => WINDOWS_1250,
            1251 => WINDOWS_1251,
            1252 => WINDOWS_1252,
            1253 => WINDOWS_1253,
            1254 => WINDOWS_1254,
            1255 => WINDOWS_1255,
            1256 => WINDOWS_1256,
            1257 => WINDOWS_1257,
            1258 => WINDOWS_1258,
            874 => WINDOWS_874,
            932 => SHIFT_JIS,
            936 => GBK,
            949 => EUC_KR,
            950 => BIG5,
            10_000 => MACINTOSH,
            65_001 => UTF_8,
            _ => return None,
        };
        Some(Self::Encoded(encoding))
    }

    /// By the number that `\fcharset` gives. 0 and 1 are the document's own.
    pub(super) fn of_character_set(number: i32) -> Option<Self> {
        match number {
            2 => Some(Self::Pictures),
            77 => Self::of_code_page(10_000),
            128 => Self::of_code_page(932),
            129 => Self::of_code_page(949),
            134 => Self::of_code_page(936),
            136 => Self::of_code_page(950),
            161 => Self::of_code_page(1253),
            162 => Self::of_code_page(1254),
            163 => Self::of_code_page(1258),
            177 => Self::of_code_page(1255),
            178 => Self::of_code_page(1256),
            186 => Self::of_code_page(1257),
            204 => Self::of_code_page(1251),
            222 => Self::of_code_page(874),
            238 => Self::of_code_page(1250),
            _ => None,
        }
    }

    pub(super) fn decoded(self, bytes: &[u8]) -> String {
        match self {
            Self::Encoded(encoding) => encoding.decode_without_bom_handling(bytes).0.into_owned(),
            Self::Symbols => bytes.iter().filter_map(|byte| symbol(*byte)).collect(),
            Self::Pictures => bytes.iter().filter_map(|byte| picture(*byte)).collect(),
        }
    }

    /// The character of `\u…`. Symbols are written in the private area, by their byte.
    pub(super) fn of_number(self, number: u32) -> Option<char> {
        let byte = number.checked_sub(0xf000).and_then(|byte| u8::try_from(byte).ok());
        match (byte, self) {
            (Some(byte), Self::Symbols) => symbol(byte),
            (Some(byte), _) => picture(byte),
            (None, _) => char::from_u32(number),
        }
    }
}

fn symbol(byte: u8) -> Option<char> {
    let letter = |first: u8, letters: &str| letters.chars().nth(usize::from(byte - first));
    match byte {
        b'A'..=b'Z' => letter(b'A', GREEK_CAPITALS),
        b'a'..=b'z' => letter(b'a', GREEK_LETTERS),
        0xa3 => Some('≤'),
        0xa5 => Some('∞'),
        0xae => Some('→'),
        0xb0 => Some('°'),
        0xb1 => Some('±'),
        0xb3 => Some('≥'),
        0xb4 => Some('×'),
        0xb8 => Some('÷'),
        0xb9 => Some('≠'),
        0xbb => Some('≈'),
        0xd6 => Some('√'),
        0xe5 => Some('∑'),
        b' '..=b'~' => Some(char::from(byte)),
        _ => picture(byte),
    }
}

/// Of the small pictures only bullets and arrows say something that a character says too.
fn picture(byte: u8) -> Option<char> {
    match byte {
        b' ' => Some(' '),
        b'l' | b'n' | b'q' | b'v' | 0xa7 | 0xa8 | 0xb7 | 0xd8 => Some('•'),
        0xe0 | 0xe8 => Some('→'),
        0xfc => Some('✓'),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_are_characters_of_their_code_page() {
        let of = |page: i32, bytes: &[u8]| Characters::of_code_page(page).unwrap().decoded(bytes);
        assert_eq!(of(1252, b"Gr\xfc\xdfe \x80"), "Grüße €");
        assert_eq!(of(1251, b"\xcf\xf0\xe8\xe2\xe5\xf2"), "Привет");
        assert_eq!(of(932, b"\x93\xfa\x96{"), "日本");
        assert_eq!(Characters::of_character_set(238), Characters::of_code_page(1250));
        assert_eq!(Characters::of_code_page(4), None);
    }

    #[test]
    fn symbols_and_pictures_are_characters_where_there_are_such() {
        assert_eq!(Characters::Symbols.decoded(b"a \xb3 5 W\xb7"), "α ≥ 5 Ω•");
        assert_eq!(Characters::Pictures.decoded(b"\xa7 J"), "• ");
        assert_eq!(Characters::Pictures.of_number(0xf0b7), Some('•'));
        assert_eq!(Characters::Symbols.of_number(0xf061), Some('α'));
        assert_eq!(Characters::Symbols.of_number(0x20ac), Some('€'));
        assert_eq!(Characters::Pictures.of_number(0xd800), None);
    }
}
