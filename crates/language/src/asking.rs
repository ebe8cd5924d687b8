//! Questions that ask for a document itself, or for parts of it that every such document has: what it decided, and why.

pub use crate::tables::SUCCESSOR;
use crate::tables::{Aspect, WITH_SPACES};

/// What is left of a question without the addresses in it, if it asks for the documents themselves: the headings of the
/// parts it asks for, in lower case; none where it asks for the whole. None at all if it asks for anything else.
pub fn asked_parts(rest: &str) -> Option<Vec<&'static str>> {
    let lower = rest.to_lowercase();
    let words = lower.split(|sign: char| !sign.is_alphanumeric()).filter(|word| !word.is_empty());
    let mut headings: Vec<&'static str> = Vec::new();
    for word in words {
        match WITH_SPACES.iter().flat_map(|language| language.aspects).find(|aspect| aspect.words.contains(&word)) {
            Some(Aspect { headings: asked, .. }) => headings.extend(*asked),
            None if WITH_SPACES.iter().any(|language| language.around_address.contains(&word)) => {}
            None => return None,
        }
    }
    headings.dedup();
    Some(headings)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_question_for_a_document_is_told_from_one_about_something() {
        for (rest, parts) in [
            ("", Some("")),
            ("Please show me and .", Some("")),
            ("What does say?", Some("")),
            ("What did decide, and why?", Some("decision")),
            ("Warum wurde abgelehnt?", Some("reasons")),
            ("Which record replaced , and why?", Some(SUCCESSOR)),
            ("What are the consequences of ?", Some("consequences")),
            ("What does decide about backups?", None),
            ("Which TLS version does require?", None),
        ] {
            let found = asked_parts(rest);
            assert_eq!(found.is_some(), parts.is_some(), "{rest}: {found:?}");
            if let (Some(found), Some(part)) = (found, parts) {
                assert!(if part.is_empty() { found.is_empty() } else { found.contains(&part) }, "{rest}: {found:?}");
            }
        }
    }
}
