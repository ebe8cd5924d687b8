//! When two spellings are the same term, and two tags the same language.

use unicode_normalization::UnicodeNormalization as _;

/// A term as it is looked up and remembered: lower case, trimmed, white space and control characters collapsed,
/// composed, and without `*`, which searches take for a wildcard.
pub fn normalised(term: &str) -> String {
    let lower = term.to_lowercase();
    let spaced = lower.chars().filter(|character| *character != '*');
    let spaced: String = spaced.map(|character| if character.is_control() { ' ' } else { character }).collect();
    spaced.split_whitespace().collect::<Vec<_>>().join(" ").nfc().collect()
}

/// A label or term in the form in which they are compared.
///
/// Lower case is not enough: `STRASSE` and `Straße`, or the two small sigmas, are the same word. This is Unicode's
/// full case folding over canonical forms, which is the same in every language.
pub fn folded(text: &str) -> String {
    let decomposed: String = normalised(text).nfd().collect();
    caseless::default_case_fold_str(&decomposed).nfc().collect()
}

/// Whether something tagged `tag` is in `language`: `en-GB` is in `en`, but `en` is not in `en-GB`.
pub fn in_language(tag: &str, language: &str) -> bool {
    let Some(head) = tag.get(..language.len()) else { return false };
    let rest = &tag[language.len()..];
    !language.is_empty() && head.eq_ignore_ascii_case(language) && (rest.is_empty() || rest.starts_with('-'))
}

/// Chooses, of several names with their tags, the one for somebody who reads this language: in it, in English, or the
/// first.
pub fn name_in<'n>(language: &str, names: &[(&'n str, Option<&'n str>)]) -> Option<&'n str> {
    let tagged = |wanted: &str| names.iter().find(|(_, tag)| tag.is_some_and(|tag| in_language(tag, wanted)));
    tagged(language).or_else(|| tagged("en")).or_else(|| names.first()).map(|(name, _)| *name)
}
