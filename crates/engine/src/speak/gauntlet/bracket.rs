//! Judging one bracketed group: a citation, a false one, or just brackets.

use super::Dropped;

pub(super) enum Judgement {
    Citation(u32),
    Text,
    Dropped(Dropped),
    /// Ordinary brackets, but with something inside that must be judged by itself.
    Nested,
}

/// Brackets of other scripts and shapes that models use, or are made to use, for markers.
const FOREIGN: [(char, char); 6] = [('【', '】'), ('［', '］'), ('〔', '〕'), ('〚', '〛'), ('⟦', '⟧'), ('⁅', '⁆')];

/// Words that name the machinery's own things: no model sees any of them, so none can be meant.
const INTERNAL_WORDS: [&str; 13] = [
    "sourceid",
    "source",
    "source_id",
    "doc",
    "document",
    "document_id",
    "chunk",
    "card",
    "action",
    "tool",
    "cite",
    "citation",
    "passage",
];

pub(super) fn opens(character: char) -> bool {
    character == '[' || FOREIGN.iter().any(|(open, _)| *open == character)
}

pub(super) fn closes(character: char) -> bool {
    character == ']' || FOREIGN.iter().any(|(_, close)| *close == character)
}

/// Judges a group that is whole: from an opening bracket to the one that closes it.
pub(super) fn judge(group: &str, minted: u32, in_code: bool) -> Judgement {
    let mut characters = group.chars();
    let opening = characters.next();
    let closing = characters.next_back();
    let inner = characters.as_str();
    let is_plain = opening == Some('[') && closing == Some(']');

    if is_plain && let Some(number) = inner.strip_prefix('^').and_then(marker_number) {
        return match number {
            Some(number) if (1..=minted).contains(&number) => Judgement::Citation(number),
            _ => Judgement::Dropped(Dropped::NotMinted),
        };
    }
    if is_internal(inner) {
        return Judgement::Dropped(Dropped::Internal);
    }
    if inner.chars().any(|character| opens(character) || closes(character)) {
        return Judgement::Nested;
    }
    if !is_plain || looks_like_marker(inner) {
        return Judgement::Dropped(Dropped::Malformed);
    }
    if !in_code && is_only_numbers(inner) {
        return Judgement::Dropped(Dropped::Malformed);
    }
    Judgement::Text
}

/// A number as a marker has it: digits alone. The inner option is none when it is too large to be any note's.
fn marker_number(digits: &str) -> Option<Option<u32>> {
    let all_digits = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
    // `[^01]` is nobody's note: a number has one spelling.
    (all_digits && !digits.starts_with('0')).then(|| digits.parse().ok())
}

fn looks_like_marker(inner: &str) -> bool {
    inner.trim_start().starts_with(['^', '＾', 'ˆ', '†'])
}

/// `[1]`, `[1, 2]`, `[3-5]`: citations of another style, whose numbers mean nothing here.
fn is_only_numbers(inner: &str) -> bool {
    let has_digit = inner.chars().any(char::is_numeric);
    has_digit && inner.chars().all(|c| c.is_numeric() || c.is_whitespace() || ",;-–—^†".contains(c))
}

/// `SourceId: doc:3`, `card#7`, or anything with a document's id in it.
fn is_internal(inner: &str) -> bool {
    let inner = inner.trim_matches(|c: char| c.is_whitespace() || c == '^' || opens(c) || closes(c));
    let word_end = inner.find(|c: char| !(c.is_alphanumeric() || c == '_')).unwrap_or(inner.len());
    let (word, rest) = inner.split_at(word_end);
    let names_something = rest.trim_start().starts_with([':', '#', '=', '/']);
    let is_known_word = INTERNAL_WORDS.iter().any(|known| word.eq_ignore_ascii_case(known));
    (is_known_word && names_something) || holds_document_id(inner)
}

/// Eight hexadecimal digits, a dash, four, a dash: as ids are written.
fn holds_document_id(inner: &str) -> bool {
    let bytes = inner.as_bytes();
    bytes.windows(14).any(|window| {
        window.iter().enumerate().all(|(place, byte)| match place {
            8 | 13 => *byte == b'-',
            _ => byte.is_ascii_hexdigit(),
        })
    })
}

/// Judges an opening bracket that nothing closes: what of the beginning may be said, and what is read again.
pub(super) fn judge_unclosed(held: &str, may_keep_bracket: bool) -> (&str, &str) {
    let mut characters = held.chars();
    let opening = characters.next();
    let rest = characters.as_str();
    let next = characters.next();
    // An opening bracket goes out only with an ordinary character behind it, so that no marker can form.
    let is_ordinary = next.is_some_and(|c| c.is_alphanumeric() || c == ' ' || c == '(' || c == '-' || c == '"');
    if may_keep_bracket && opening == Some('[') && is_ordinary {
        let kept = held.len() - characters.as_str().len();
        return held.split_at(kept);
    }
    // Half a marker goes with its number or name, or that would stand in the text as if it meant something.
    let after = rest
        .strip_prefix(['^', '＾', 'ˆ', '†'])
        .map_or(rest, |name| name.trim_start_matches(|c: char| c.is_alphanumeric() || ":_.-".contains(c)));
    ("", after)
}
