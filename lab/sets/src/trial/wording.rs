//! Whether a text says something, without regard to case and to how white space is laid out.

/// Whether the words are in the text as words: "27" is not in "127", and "EUR 2" is not in "EUR 2.50".
pub fn says(text: &str, words: &str) -> bool {
    let (text, words) = (plain(text), plain(words));
    !words.is_empty() && text.match_indices(&words).any(|(at, _)| stands_alone(&text, at, at + words.len()))
}

fn plain(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ").to_lowercase()
}

/// Neither a word nor a number goes on beyond its ends.
fn stands_alone(text: &str, start: usize, end: usize) -> bool {
    let found = &text[start..end];
    let before = goes_on(found.chars().next(), text[..start].chars().rev());
    let after = goes_on(found.chars().next_back(), text[end..].chars());
    !before && !after
}

/// Whether what stands beyond an edge belongs to the same word or number.
fn goes_on(edge: Option<char>, mut beyond: impl Iterator<Item = char>) -> bool {
    let (Some(edge), Some(first)) = (edge, beyond.next()) else { return false };
    let same_word = edge.is_alphanumeric() && first.is_alphanumeric();
    let is_point = edge.is_ascii_digit() && matches!(first, '.' | ',');
    same_word || (is_point && beyond.next().is_some_and(|sign| sign.is_ascii_digit()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_and_numbers_are_found_whole() {
        for (text, words, is_found) in [
            ("Staff have 27 working days.", "27", true),
            ("Staff have 127 working days.", "27", false),
            ("It costs EUR 2.50.", "EUR 2", false),
            ("It costs EUR 2.", "EUR 2", true),
            ("The rate is EUR 0.34.", "0.34", true),
            ("The rate is 10.34.", "0.34", false),
            ("The rate is 1,000.34.", "000", false),
            ("Use\nTLS  1.3 [1].", "tls 1.3", true),
            ("Dial *86 to listen.", "*86", true),
            ("Dial *867.", "*86", false),
            ("Für Störungen gibt es eine Nummer.", "störungen", true),
            ("Größe", "öße", false),
            ("Anything", "", false),
            ("availability of 99.8 % in a year", "99.8", true),
        ] {
            assert_eq!(says(text, words), is_found, "{text:?} {words:?}");
        }
    }
}
