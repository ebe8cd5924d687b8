//! Citations in a text, as they are shown: `[3]`; and what only looks like one, because a document wrote it.
//!
//! A citation of ours is a number in square brackets. A document may write `[2]`, `[^3]` or `【4】` itself, and a reader or
//! a program would take that for ours. So in what is quoted such brackets are round: `(2)`. Everything that quotes, and
//! everything that checks a quotation again, uses [`quoted`].

use std::borrow::Cow;

/// The text without them. Other brackets stay.
pub fn without_markers(text: &str) -> String {
    let mut bare = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, bracket)) = rest.split_once('[') {
        bare.push_str(before);
        let digits = bracket.chars().take_while(char::is_ascii_digit).count();
        match bracket[digits..].strip_prefix(']') {
            Some(after) if digits > 0 => rest = after,
            _ => {
                bare.push('[');
                rest = bracket;
            }
        }
    }
    bare + rest
}

/// The text with a citation at its end, before the white space after it. `![1]` would be an image.
pub fn with_marker(text: &str, number: u32) -> String {
    let space = if text.trim_end().ends_with('!') { " " } else { "" };
    behind(text, &format!("{space}[{number}]"))
}

/// The text with something at its end, before the white space after it.
pub fn behind(text: &str, what: &str) -> String {
    let trimmed = text.trim_end();
    format!("{trimmed}{what}{}", &text[trimmed.len()..])
}

/// Square brackets of all shapes that are read as such, or become such where a text is normalised.
const SQUARE: [(char, char); 15] = [
    ('[', ']'),
    ('［', '］'),
    ('【', '】'),
    ('〔', '〕'),
    ('〖', '〗'),
    ('〘', '〙'),
    ('〚', '〛'),
    ('⟦', '⟧'),
    ('⁅', '⁆'),
    ('❲', '❳'),
    ('⦋', '⦌'),
    ('⦍', '⦎'),
    ('⦏', '⦐'),
    ('﹇', '﹈'),
    ('︻', '︼'),
];

/// Longer brackets hold no numbers that anybody takes for a citation.
const LONGEST_LOOK_ALIKE: usize = 400;

/// Marks of a footnote that may stand before its number.
const FOOTNOTE_SIGNS: [char; 4] = ['^', '＾', 'ˆ', 'ꞈ'];

/// The text with every look-alike of a citation in round brackets: `as said in [2]` becomes `as said in (2)`. Doing it
/// again changes nothing.
pub fn quoted(text: &str) -> Cow<'_, str> {
    quoted_beside(text, &[])
}

/// The same, beside citations of ours with these numbers: they stay as they are.
pub fn quoted_beside<'a>(text: &'a str, ours: &[u32]) -> Cow<'a, str> {
    let mut kept = Cow::Borrowed(text);
    // A bracket inside another hides the outer one until it is round.
    while kept.contains(opens) {
        let once = quoted_once(&kept, ours);
        if once == kept {
            break;
        }
        kept = Cow::Owned(once);
    }
    kept
}

fn quoted_once(text: &str, ours: &[u32]) -> String {
    let mut kept = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(place) = rest.find(opens) {
        kept.push_str(&rest[..place]);
        rest = &rest[place..];
        let group = group(rest);
        let number = group.and_then(look_alike).filter(|_| !group.is_some_and(|group| is_one_of(group, ours)));
        match (group, number) {
            (Some(group), Some(number)) => {
                // `\[2\]` is shown as `[2]` by whoever renders it.
                kept.truncate(kept.trim_end_matches('\\').len());
                kept.push('(');
                kept.push_str(&number);
                kept.push(')');
                rest = &rest[group.len()..];
            }
            _ => {
                let bracket = rest.chars().next().map_or(0, char::len_utf8);
                kept.push_str(&rest[..bracket]);
                rest = &rest[bracket..];
            }
        }
    }
    kept.push_str(rest);
    kept
}

/// The numbers of the citations that stand in a text, in its order.
pub fn numbers(text: &str) -> Vec<u32> {
    let brackets = text.match_indices('[').filter_map(|(place, _)| group(&text[place..]));
    brackets.filter_map(number_of).collect()
}

fn opens(sign: char) -> bool {
    SQUARE.iter().any(|(open, _)| *open == sign)
}

fn closes(sign: char) -> bool {
    SQUARE.iter().any(|(_, close)| *close == sign)
}

/// From the bracket that a text begins with to the one that closes it; none where it opens another one before, or is
/// long.
fn group(text: &str) -> Option<&str> {
    let mut signs = text.char_indices().skip(1).take(LONGEST_LOOK_ALIKE);
    let (end, sign) = signs.find(|(_, sign)| opens(*sign) || closes(*sign))?;
    closes(sign).then(|| &text[..end + sign.len_utf8()])
}

fn inside(group: &str) -> &str {
    let mut signs = group.chars();
    signs.next();
    signs.next_back();
    signs.as_str()
}

/// The number of a citation as we write it.
fn number_of(group: &str) -> Option<u32> {
    let digits = group.strip_prefix('[')?.strip_suffix(']')?;
    let is_number = !digits.starts_with('0') && digits.bytes().all(|byte| byte.is_ascii_digit());
    is_number.then(|| digits.parse().ok())?
}

fn is_one_of(group: &str, ours: &[u32]) -> bool {
    number_of(group).is_some_and(|number| ours.contains(&number))
}

/// What stands in brackets that look like a citation: numbers and what parts them, perhaps behind the sign of a footnote,
/// in bold or escaped; or a number with a dagger and a name behind it. None of other brackets.
fn look_alike(group: &str) -> Option<String> {
    let dressing = |sign: char| sign.is_whitespace() || "*_~`\\".contains(sign);
    let bare = inside(group).trim_matches(dressing);
    let numbers = bare.trim_start_matches(|sign: char| dressing(sign) || FOOTNOTE_SIGNS.contains(&sign));
    let (before_dagger, _) = numbers.split_once('†').unwrap_or((numbers, ""));
    let parts = |sign: char| sign.is_whitespace() || ",;:.-‐‑‒–—−&+#/،、，；·".contains(sign) || dressing(sign);
    let may_stand_there = |sign: char| sign.is_numeric() || parts(sign) || FOOTNOTE_SIGNS.contains(&sign);
    let is_it = before_dagger.contains(char::is_numeric) && before_dagger.chars().all(may_stand_there);
    is_it.then(|| numbers.chars().filter(|sign| !FOOTNOTE_SIGNS.contains(sign)).collect())
}

#[cfg(test)]
mod tests;
