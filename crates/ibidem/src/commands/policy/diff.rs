//! `ibidem policy diff`: in which settings two policies differ.

use std::collections::BTreeSet;
use std::process::ExitCode;

use serde::Serialize;
use serde_json::Value;

use super::written::{Settings, Written, render};
use crate::console;

/// One of the policies is wrong, so there is nothing to compare.
const TROUBLE: u8 = 2;

#[derive(clap::Args)]
pub(crate) struct Diff {
    /// A policy file: the name of a built-in one, or a path.
    old: String,
    /// The policy file to compare it with.
    new: String,
    /// Prints JSON.
    #[arg(long)]
    json: bool,
}

/// A setting that is different. What is off has no value.
#[derive(Clone, PartialEq, Debug, Serialize)]
struct Difference {
    setting: String,
    old: Option<Value>,
    new: Option<Value>,
}

impl Diff {
    pub(super) fn run(self) -> ExitCode {
        match self.compare() {
            Ok(differs) => ExitCode::from(u8::from(differs)),
            Err(error) => {
                console::complain(&format!("{error:#}"));
                ExitCode::from(TROUBLE)
            }
        }
    }

    fn compare(self) -> anyhow::Result<bool> {
        let (old, new) = (Written::load(&self.old)?, Written::load(&self.new)?);
        let differences = differences(&old, &new);
        if self.json {
            console::say_json(&differences)?;
        } else {
            for difference in &differences {
                console::say(&difference.render());
            }
            if differences.is_empty() && old.policy.hash != new.policy.hash {
                console::note("The settings are the same; comments or layout differ, and with them the hash.");
            }
        }
        Ok(!differences.is_empty())
    }
}

fn differences(old: &Written, new: &Written) -> Vec<Difference> {
    let mut differences = of_settings(&old.settings, &new.settings);
    differences.extend(of_order(&old.gates, &new.gates));
    differences.sort_by(|one, other| one.setting.cmp(&other.setting));
    differences
}

/// The same gates in another order decide otherwise. Gates that only one of them has were named as settings.
fn of_order(old: &[String], new: &[String]) -> Option<Difference> {
    let common = |gates: &[String], others: &[String]| -> Vec<String> {
        gates.iter().filter(|gate| others.contains(gate)).cloned().collect()
    };
    let in_order = |gates: &[String]| Some(gates.iter().map(String::as_str).collect());
    let is_same = common(old, new) == common(new, old);
    (!is_same).then(|| Difference { setting: "sift.gates".to_owned(), old: in_order(old), new: in_order(new) })
}

fn of_settings(old: &Settings, new: &Settings) -> Vec<Difference> {
    let settings: BTreeSet<&String> = old.keys().chain(new.keys()).collect();
    let differences = settings.into_iter().filter_map(|setting| {
        let (old, new) = (old.get(setting).cloned(), new.get(setting).cloned());
        (!same(old.as_ref(), new.as_ref())).then(|| Difference { setting: setting.clone(), old, new })
    });
    differences.collect()
}

/// `1` and `1.0` are one number.
fn same(old: Option<&Value>, new: Option<&Value>) -> bool {
    match (old.and_then(Value::as_f64), new.and_then(Value::as_f64)) {
        (Some(old), Some(new)) => old.to_bits() == new.to_bits() || (old == 0.0 && new == 0.0),
        _ => old == new,
    }
}

impl Difference {
    fn render(&self) -> String {
        if let (Some(Value::String(old)), Some(Value::String(new))) = (&self.old, &self.new)
            && (old.contains('\n') || new.contains('\n'))
            && !old.lines().eq(new.lines())
        {
            return format!("{}:\n{}", self.setting, line_by_line(old, new));
        }
        let value = |value: &Option<Value>| value.as_ref().map_or_else(|| "off".to_owned(), render);
        format!("{}: {} -> {}", self.setting, value(&self.old), value(&self.new))
    }
}

/// The lines between the first and the last that differ.
fn line_by_line(old: &str, new: &str) -> String {
    let (old, new): (Vec<&str>, Vec<&str>) = (old.lines().collect(), new.lines().collect());
    let alike = old.iter().zip(&new).take_while(|(old, new)| old == new).count();
    let (old, new) = (&old[alike..], &new[alike..]);
    let alike = old.iter().rev().zip(new.iter().rev()).take_while(|(old, new)| old == new).count();
    let (old, new) = (&old[..old.len() - alike], &new[..new.len() - alike]);
    let lines = old.iter().map(|line| format!("  - {line}")).chain(new.iter().map(|line| format!("  + {line}")));
    lines.collect::<Vec<_>>().join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    const BOOK: &str = include_str!("../../../../../policies/book.yaml");

    fn lines(old: &str, new: &str) -> Vec<String> {
        let (old, new) = (Written::parse(old).unwrap(), Written::parse(new).unwrap());
        differences(&old, &new).iter().map(Difference::render).collect()
    }

    #[test]
    fn every_changed_setting_is_named_with_both_values_wording_included() {
        let new = BOOK
            .replace("top1_similarity: 0.7", "top1_similarity: 0.75")
            .replace("- duplicates: 0.9", "- min_similarity: 0.2")
            .replace("refusal: This information cannot", "refusal: This cannot")
            .replace("After every statement put", "After every sentence put");
        assert_eq!(
            lines(BOOK, &new),
            [
                "sift.duplicates: 0.9 -> off",
                "sift.min_similarity: off -> 0.2",
                "sift.top1_similarity: 0.7 -> 0.75",
                "speak.system_prompt:\n  \
                 - After every statement put the number of the note it comes from, like this: [^1]\n  \
                 + After every sentence put the number of the note it comes from, like this: [^1]",
                "wording.refusal: \"This information cannot be verified from the book content.\" -> \
                 \"This cannot be verified from the book content.\"",
            ]
        );
    }

    #[test]
    fn comments_layout_and_other_ways_to_write_a_number_are_no_difference() {
        let new = format!("# Another comment.\n{BOOK}").replace("0.7\n", "0.70\n");
        assert_eq!(lines(BOOK, &new), Vec::<String>::new());
        let new = BOOK.replace("max_answer_tokens: 512", "max_answer_tokens: 513");
        assert_eq!(lines(BOOK, &new), ["speak.max_answer_tokens: 512 -> 513"]);
    }

    #[test]
    fn the_same_gates_in_another_order_are_a_difference() {
        let gates = BOOK.replace("    - duplicates: 0.9\n", "");
        let (before, after) = gates.split_once("    - top1_similarity: 0.7\n").unwrap();
        let new = format!("{before}    - top1_similarity: 0.7\n    - duplicates: 0.9\n{after}");
        let lines = lines(BOOK, &new);
        assert_eq!(lines.len(), 1, "{lines:?}");
        assert!(lines[0].starts_with("sift.gates: [\"duplicates\", "), "{lines:?}");
        assert!(lines[0].contains("\"top1_similarity\", \"duplicates\""), "{lines:?}");
    }

    #[test]
    fn a_line_that_goes_at_the_end_of_a_text_is_seen() {
        assert_eq!(line_by_line("a\nb\n", "a\n"), "  - b");
        assert_eq!(line_by_line("a\na\n", "a\na\na\n"), "  + a");
    }
}
