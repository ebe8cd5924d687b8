//! The stretches of passages that a claim is held against.

use ibidem_language::sentences::sentences_of;

/// So many neighbouring sentences are read as one: a claim may say at once what a passage says in two or three.
const MOST_NEIGHBOURS: usize = 3;
/// Wider windows go first when there are more: each sentence by itself says most about what it supports.
const MOST_WINDOWS: usize = 240;

/// Returns what a claim is held against: each sentence alone, neighbours in twos and threes, each whole passage, and
/// all of them together, because a sentence that cites several passages may need them all. They come in this order, a
/// sentence on each line, and never more than 240.
pub fn windows_of(passages: &[&str]) -> Vec<String> {
    let each: Vec<Vec<&str>> = passages.iter().map(|passage| sentences_of(passage)).collect();
    let neighbours = (1..=MOST_NEIGHBOURS)
        .flat_map(|width| each.iter().flat_map(move |sentences| sentences.windows(width)))
        .map(|sentences| sentences.join("\n"));
    let whole = each.iter().filter(|sentences| sentences.len() > MOST_NEIGHBOURS).map(|sentences| sentences.join("\n"));
    let with_text: Vec<&Vec<&str>> = each.iter().filter(|sentences| !sentences.is_empty()).collect();
    let together =
        (with_text.len() > 1).then(|| with_text.iter().map(|sentences| sentences.join("\n")).collect::<Vec<_>>());
    let together = together.map(|passages| passages.join("\n"));
    // What is most of all kept: the sentences, and all of them together.
    let room = MOST_WINDOWS - usize::from(together.is_some());
    neighbours.chain(whole).take(room).chain(together).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_claim_is_held_against_sentences_their_neighbours_passages_and_all_of_them() {
        let found = windows_of(&["One is. Two is. Three is. Four is.", "Five is."]);
        let expected = [
            "One is.",
            "Two is.",
            "Three is.",
            "Four is.",
            "Five is.",
            "One is.\nTwo is.",
            "Two is.\nThree is.",
            "Three is.\nFour is.",
            "One is.\nTwo is.\nThree is.",
            "Two is.\nThree is.\nFour is.",
            "One is.\nTwo is.\nThree is.\nFour is.",
            "One is.\nTwo is.\nThree is.\nFour is.\nFive is.",
        ];
        assert_eq!(found, expected);
    }

    #[test]
    fn neighbours_are_of_one_passage() {
        assert_eq!(windows_of(&["One is.", "Two is."]), ["One is.", "Two is.", "One is.\nTwo is."]);
        assert_eq!(windows_of(&["One is."]), ["One is."]);
        assert!(windows_of(&["", " --- "]).is_empty());
        assert!(windows_of(&[]).is_empty());
    }

    #[test]
    fn windows_are_bounded_and_sentences_come_before_stretches_of_them() {
        let long: String = (0..200).map(|number| format!("Sentence {number} is. ")).collect();
        let found = windows_of(&[&long, "Last is."]);
        assert_eq!(found.len(), MOST_WINDOWS);
        assert_eq!(found[200], "Last is.");
        assert!(found.last().is_some_and(|all| all.ends_with("Sentence 199 is.\nLast is.")));
        assert_eq!(windows_of(&["One is. Two is."; 500]).len(), MOST_WINDOWS);
    }
}
