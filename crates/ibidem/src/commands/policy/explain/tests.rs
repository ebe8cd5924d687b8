use super::*;

const BOOK: &str = include_str!("../../../../../../policies/book.yaml");
const DEFAULT: &str = include_str!("../../../../../../policies/default.yaml");

fn explained(text: &str) -> String {
    explanation(&Written::parse(text).unwrap())
}

/// Where a text stands in another.
fn place(text: &str, part: &str) -> usize {
    text.find(part).unwrap_or_else(|| panic!("{part:?} is not in\n{text}"))
}

#[test]
fn a_policy_is_told_in_the_order_in_which_it_happens() {
    let text = explained(DEFAULT);
    let order = [
        "names a document by its address",
        "A command to list documents",
        "a question about a term of at most 5 words",
        "The 12 best by meaning",
        "from a similarity of 0.85 on",
        "reads the best 16",
        "dropped below a similarity of 0.3, unless",
        "more alike than 0.9",
        "at most the best 3",
        "similarity below 0.33: refused, `low_similarity`",
        "probability below 0.75 that it answers",
        "A share of 0.5 or more",
        "these are left out, and it decides: min_similarity, top1_similarity.",
        "at temperature 0.1, in at most 512 tokens",
        "“I found no passage that answers this.”",
        "Ask in other words, or about something narrower.",
    ];
    let places: Vec<usize> = order.iter().map(|part| place(&text, part)).collect();
    assert!(places.is_sorted(), "{places:?}\n{text}");
}

#[test]
fn what_is_off_is_said_to_be_off() {
    let text = explained(BOOK);
    place(&text, "Off here: the noise floor, the least similarity, the limit for one document, thresholds of");
    for off in ["address", "curator's note", "vocabulary"] {
        assert!(!text.contains(off), "{off} is off\n{text}");
    }
}

#[test]
fn nothing_that_is_set_is_kept_quiet_about() {
    for (name, text) in crate::compose::SHIPPED_POLICIES {
        let written = Written::parse(text).unwrap();
        let explained_text = explanation(&written);
        for (setting, value) in &written.settings {
            let values = match value {
                Value::Array(items) => items.iter().collect(),
                value => vec![value],
            };
            for value in values {
                let shown = value.as_str().map_or_else(|| render(value), |text| text.trim().to_owned());
                let first = shown.lines().next().unwrap_or_default();
                let quoted = serde_json::to_string(first).unwrap();
                let is_explained = explained_text.contains(first)
                    || explained_text.contains(&quoted)
                    || setting == "speak.mode"
                    || setting == "sift.keep_best"
                    || setting == "speak.confidence.show_draft";
                assert!(is_explained, "{name}: {setting} is {shown}, which is not in\n{explained_text}");
            }
        }
    }
}

#[test]
fn a_setting_without_words_of_its_own_is_shown_as_it_is_written() {
    let mut written = Written::parse(BOOK).unwrap();
    written.settings.insert("sift.new_gate".to_owned(), serde_json::json!(0.42));
    written.settings.insert("speak.new_choice".to_owned(), serde_json::json!("loud"));
    let text = explanation(&written);
    assert!(place(&text, "Further gates\n  - sift.new_gate: 0.42") < place(&text, "What is said"));
    place(&text, "Also set\n  - speak.new_choice: \"loud\"");
}

#[test]
fn an_extractive_policy_asks_no_model() {
    let text = explained(&BOOK.replace("mode: model", "mode: extractive"));
    place(&text, "The sources' own sentences, at most 3, each cited. No model writes.");
    assert!(!text.contains("A model writes"));
}
