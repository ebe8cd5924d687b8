//! `ibidem policy table`: every number of the shipped policies side by side; `docs/policies.md` is its output.

use std::collections::BTreeSet;

use ibidem_engine::policy::{OutOfCorpus, Rules};
use serde_json::{Value, json};

use super::written::{Settings, Written, spread};
use crate::compose::SHIPPED_POLICIES;

const HEADING: &str = "\
# The built-in policy files

A policy file sets how passages are retrieved, which gates drop passages or refuse a question, and how an answer is written. This page shows all numbers and choices of the built-in ones side by side. If a policy file leaves a setting out, its default is shown. `off` means that the setting has no default, or that the policy file sets it to null. `ibidem policy explain NAME` explains one in words, and `ibidem policy diff A B` also compares the texts.

`just policies` writes this page.
";

pub(super) fn shipped() -> anyhow::Result<String> {
    let policies: Vec<(&str, Written)> = SHIPPED_POLICIES
        .iter()
        .map(|(name, text)| Ok((*name, Written::parse(text)?)))
        .collect::<anyhow::Result<_>>()?;
    Ok(page(&policies))
}

fn page(policies: &[(&str, Written)]) -> String {
    let mut page = HEADING.to_owned();
    page.push('\n');
    for (name, written) in policies {
        page.push_str(&format!("- **{name}**: {}\n", written.policy.rules.about.trim()));
    }
    page.push('\n');
    let names = policies.iter().map(|(name, _)| (*name).to_owned());
    page.push_str(&row(std::iter::once("setting".to_owned()).chain(names)));
    page.push_str(&row((0..=policies.len()).map(|_| "---".to_owned())));
    let policies: Vec<Settings> = policies.iter().map(|(_, written)| in_force(written)).collect();
    let numbers = policies.iter().flatten().filter(|(_, value)| is_shown(value));
    let settings: BTreeSet<&String> = numbers.map(|(setting, _)| setting).collect();
    for setting in settings.into_iter().filter(|setting| *setting != "name") {
        let values = policies.iter().map(|settings| cell(settings.get(setting)));
        page.push_str(&row(std::iter::once(format!("`{setting}`")).chain(values)));
    }
    page
}

/// What the file says, and the defaults of what it leaves out: all choices that a policy makes by saying nothing.
fn in_force(written: &Written) -> Settings {
    let Rules { gather, speak, out_of_corpus, .. } = &written.policy.rules;
    let out_of_corpus = match out_of_corpus {
        OutOfCorpus::Refuse => "refuse",
        OutOfCorpus::Disclaimed(_) => "disclaimed",
    };
    let defaults = json!({
        "gather": { "order": gather.order },
        "out_of_corpus": out_of_corpus,
        "speak": { "budget": speak.budget, "verification": speak.verification, "confidence": speak.confidence },
    });
    let mut settings = Settings::new();
    spread("", defaults, &mut settings);
    settings.extend(written.settings.clone());
    settings
}

/// A number, a switch, or a choice, which is one word. Texts are wording, and lists are what the numbers are about.
fn is_shown(value: &Value) -> bool {
    match value {
        Value::Number(_) | Value::Bool(_) => true,
        Value::String(word) => {
            !word.is_empty() && word.chars().all(|sign| sign.is_ascii_lowercase() || matches!(sign, '_' | ':'))
        }
        Value::Null | Value::Array(_) | Value::Object(_) => false,
    }
}

fn cell(value: Option<&Value>) -> String {
    match value {
        None => "off".to_owned(),
        Some(Value::String(word)) => word.clone(),
        Some(value) => value.to_string(),
    }
}

fn row(cells: impl Iterator<Item = String>) -> String {
    format!("|{}\n", cells.map(|cell| format!(" {cell} |")).collect::<String>())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_page_in_the_documentation_is_what_the_policies_say() {
        let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/policies.md");
        let kept = std::fs::read_to_string(path).unwrap();
        assert_eq!(kept, shipped().unwrap(), "docs/policies.md has drifted; `just policies` writes it anew");
    }

    #[test]
    fn what_a_policy_leaves_out_is_shown_as_it_is_in_force() {
        let book = include_str!("../../../../../policies/book.yaml");
        assert!(!book.contains("verification:") && !book.contains("budget:") && !book.contains("out_of_corpus:"));
        let page = page(&[("book", Written::parse(book).unwrap())]);
        assert!(page.contains("| `speak.verification.mode` | strict |\n"), "{page}");
        assert!(page.contains("| `speak.budget.context` | 3000 |\n"), "{page}");
        assert!(page.contains("| `out_of_corpus` | refuse |\n"), "{page}");
        assert!(page.contains("| `gather.order` | cosine |\n"), "{page}");
    }

    #[test]
    fn every_number_is_there_and_what_is_left_out_is_off() {
        let book = include_str!("../../../../../policies/book.yaml");
        let strict =
            Written::parse(&book.replace("- duplicates: 0.9", "- duplicates: 0.9\n    - min_similarity: 0.25"))
                .unwrap();
        let page = page(&[("book", Written::parse(book).unwrap()), ("strict", strict)]);
        assert!(page.contains("| setting | book | strict |\n| --- | --- | --- |\n"), "{page}");
        assert!(page.contains("| `sift.min_similarity` | off | 0.25 |\n"), "{page}");
        assert!(page.contains("| `speak.mode` | model | model |\n"), "{page}");
        assert!(!page.contains("| `name` |") && !page.contains("wording.refusal"), "{page}");
    }
}
