//! What single characters mean for where a sentence ends.

/// Ends a sentence if the rest agrees: what follows, and what stands before.
pub(super) fn stops(sign: char) -> bool {
    matches!(sign, '.' | '!' | '?' | '…' | '‽' | '\u{37e}' | '։') || stops_alone(sign)
}

/// Ends a sentence whatever follows, white space or not: scripts that have such a sign use it for nothing else.
pub(super) fn stops_alone(sign: char) -> bool {
    matches!(sign, '。' | '！' | '？' | '｡' | '．' | '؟' | '۔' | '।' | '॥' | '።' | '፧' | '။' | '។')
}

/// Closes what a sentence may end inside of.
pub(super) fn closes(sign: char) -> bool {
    matches!(
        sign,
        '"' | '\'' | ')' | ']' | '}' | '”' | '’' | '»' | '›' | '」' | '』' | '）' | '】' | '》' | '〉' | '］'
    )
}

/// Marks words as important, and belongs to no sentence in particular.
pub(super) fn emphasises(sign: char) -> bool {
    matches!(sign, '*' | '_' | '~')
}

/// At the beginning of a line: an item, a heading, a row, code.
pub(super) fn begins_structure(sign: char) -> bool {
    is_bullet(sign) || matches!(sign, '#' | '|' | '>' | '`' | '~')
}

pub(super) fn is_bullet(sign: char) -> bool {
    matches!(sign, '-' | '*' | '+' | '•' | '◦' | '▪' | '·' | '–')
}

/// A letter of a script that has no small and large ones, and mostly no spaces either.
pub(super) fn is_caseless(sign: char) -> bool {
    sign.is_alphabetic() && !sign.is_lowercase() && !sign.is_uppercase()
}
