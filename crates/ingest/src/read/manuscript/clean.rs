//! What is not text, taken out of text: what cannot be seen, and embedded data.

use ibidem_words::{is_unseen, seen};

/// A data URI with a payload at least this long is a picture or a font, not something anybody reads.
const SHORTEST_EMBEDDED_DATA: usize = 64;

/// The text with line ends as `\n`, plain spaces for fixed ones, and nothing in it that cannot be seen. `removed` grows
/// by the number of characters that were taken out for that.
pub(super) fn cleaned(text: &str, removed: &mut usize) -> String {
    *removed += text.chars().filter(|c| is_unseen(*c) && !parts_lines(*c)).count();
    let kept = seen(text).replace(['\u{a0}', '\u{2007}', '\u{202f}'], " ");
    without_embedded_data(kept)
}

/// What [`seen`] makes a line break of, which is nothing lost.
fn parts_lines(c: char) -> bool {
    matches!(c, '\r' | '\u{b}' | '\u{c}' | '\u{85}' | '\u{2028}' | '\u{2029}')
}

fn without_embedded_data(text: String) -> String {
    const BASE64: &str = ";base64,";
    if !text.contains(BASE64) {
        return text;
    }
    let mut kept = String::with_capacity(text.len());
    let mut rest = text.as_str();
    while let Some(found) = rest.find(BASE64) {
        let payload = &rest[found + BASE64.len()..];
        let end = payload.find(|c: char| !is_base64(c)).unwrap_or(payload.len());
        let uri = rest[..found].rfind("data:").filter(|&start| is_media_type(&rest[start + "data:".len()..found]));
        match uri {
            Some(start) if end >= SHORTEST_EMBEDDED_DATA => kept.push_str(&rest[..start]),
            _ => kept.push_str(&rest[..found + BASE64.len() + end]),
        }
        rest = &payload[end..];
    }
    kept.push_str(rest);
    kept
}

fn is_base64(c: char) -> bool {
    c.is_ascii_alphanumeric() || matches!(c, '+' | '/' | '=' | '-' | '_' | '%')
}

fn is_media_type(between: &str) -> bool {
    between.len() < 100 && !between.contains(|c: char| c.is_whitespace() || matches!(c, '"' | '<' | '>' | '('))
}

/// The words with single spaces between them.
pub(in crate::read) fn collapsed(text: &str) -> String {
    let mut collapsed = String::with_capacity(text.len());
    for word in text.split_whitespace() {
        if !collapsed.is_empty() {
            collapsed.push(' ');
        }
        collapsed.push_str(word);
    }
    collapsed
}

/// The letters and digits alone, in lower case.
pub(in crate::read) fn folded(text: &str) -> String {
    text.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).collect()
}

/// Whether two lines say the same, whatever their case, spacing and punctuation.
pub(in crate::read) fn same_words(one: &str, other: &str) -> bool {
    folded(one) == folded(other)
}

pub(super) fn words_within(part: &str, whole: &str) -> bool {
    let part = folded(part);
    !part.is_empty() && folded(whole).contains(&part)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_cannot_be_seen_is_not_text() {
        let cases = [
            ("a\r\nb\rc\n\td", "a\nb\nc\n\td", 0),
            ("a\0b\u{7}c\u{1b}[0m", "abc[0m", 3),
            ("co\u{ad}operate\u{feff}", "cooperate", 2),
            ("10\u{a0}km\u{202f}h", "10 km h", 0),
            ("safe\u{e0049}\u{e0067}\u{e006e}", "safe", 3),
            ("pay\u{202e}lla\u{202c} \u{200b}now\u{fe0f}\u{3164}", "paylla now", 5),
        ];
        for (written, expected, expected_removed) in cases {
            let mut removed = 0;
            assert_eq!(cleaned(written, &mut removed), expected, "{written:?}");
            assert_eq!(removed, expected_removed, "{written:?}");
        }
    }

    #[test]
    fn embedded_data_is_not_text() {
        let payload = "iVBORw0KGgo".repeat(10);
        let cases = [
            (format!("before data:image/png;base64,{payload}== after"), "before  after".to_owned()),
            (format!("(data:image/svg+xml;charset=utf-8;base64,{payload})"), "()".to_owned()),
            (format!("data:a;base64,{payload} data:b;base64,{payload}"), " ".to_owned()),
            (
                "write data:text/plain;base64,SGk= for Hi".to_owned(),
                "write data:text/plain;base64,SGk= for Hi".to_owned(),
            ),
            (format!("the word ;base64,{payload}"), format!("the word ;base64,{payload}")),
        ];
        for (written, expected) in cases {
            assert_eq!(cleaned(&written, &mut 0), expected, "{written:?}");
        }
    }
}
