//! One form for what is written in several: letters and digits that are the same in another shape.

use std::borrow::Cow;

use unicode_normalization::UnicodeNormalization as _;

use crate::tables::alphabet::{SHAPES, ZEROS};

/// The Greek question mark and a Greek accent, which composing turns into `;` and a backtick. They stay as they are.
const BECOMES_PUNCTUATION: [char; 2] = ['\u{37e}', '\u{1fef}'];

/// The text with one form of each letter and digit: `１８`, `𝟏𝟖` and `١٨` are 18, `ﬁ` is two letters, and a letter with
/// its mark is one sign. What says something by its shape (`m²`, `½`, `③`, `Ⅷ`) stays as it is.
///
/// Doing it again changes nothing, and no punctuation comes of it.
pub fn plain(text: &str) -> Cow<'_, str> {
    if text.is_ascii() {
        return Cow::Borrowed(text);
    }
    let mut spelled = String::with_capacity(text.len());
    for sign in text.chars() {
        match sign {
            _ if sign.is_ascii() => spelled.push(sign),
            'ʼ' => spelled.push('’'),
            _ if let Some(digit) = digit(sign) => spelled.push(digit),
            _ if SHAPES.iter().any(|(first, last)| (*first..=*last).contains(&sign)) => {
                spelled.extend(std::iter::once(sign).nfkc());
            }
            _ => spelled.push(sign),
        }
    }
    let mut composed = String::with_capacity(spelled.len());
    for piece in spelled.split_inclusive(BECOMES_PUNCTUATION) {
        let (piece, kept) = match piece.char_indices().next_back() {
            Some((last, sign)) if BECOMES_PUNCTUATION.contains(&sign) => piece.split_at(last),
            _ => (piece, ""),
        };
        composed.extend(piece.nfc());
        composed.push_str(kept);
    }
    if composed == text { Cow::Borrowed(text) } else { Cow::Owned(composed) }
}

/// The digit that a sign of any script stands for.
fn digit(sign: char) -> Option<char> {
    let zero = ZEROS[..ZEROS.partition_point(|zero| *zero <= sign)].last()?;
    char::from_digit(u32::from(sign) - u32::from(*zero), 10)
}
