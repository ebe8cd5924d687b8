//! A policy as it is written: settings with their values, whatever they are. What is new in a policy needs nothing here.

use std::collections::BTreeMap;

use anyhow::Context as _;
use ibidem_engine::policy::Policy;
use serde_json::Value;

use crate::compose;

/// Settings by their path, `section.key`. What is null or absent is off, and not among them.
pub(super) type Settings = BTreeMap<String, Value>;

/// A policy that was read and checked.
pub(super) struct Written {
    pub(super) policy: Policy,
    pub(super) settings: Settings,
    /// The names of the gates, in the order in which they look.
    pub(super) gates: Vec<String>,
}

impl Written {
    /// A shipped policy by its name, or one from a file.
    pub(super) fn load(named: &str) -> anyhow::Result<Self> {
        Self::parse(&compose::policy_text(named)?).with_context(|| named.to_owned())
    }

    pub(super) fn parse(text: &str) -> anyhow::Result<Self> {
        let policy = Policy::parse(text)?;
        // With what it inherits.
        let tree: Value = serde_saphyr::from_str(&policy.texts.policy)?;
        let gates = gates(&tree);
        let mut settings = Settings::new();
        spread("", tree, &mut settings);
        let settings = settings.into_iter().map(|(path, value)| (by_its_gate(&path), value)).collect();
        Ok(Self { policy, settings, gates })
    }

    pub(super) fn number(&self, path: &str) -> Option<f64> {
        self.settings.get(path).and_then(Value::as_f64)
    }

    pub(super) fn text(&self, path: &str) -> Option<&str> {
        self.settings.get(path).and_then(Value::as_str)
    }

    /// Whether anything of a section is set.
    pub(super) fn has(&self, section: &str) -> bool {
        self.settings.keys().any(|path| is_in(path, section))
    }
}

/// Whether a path is this setting, or one of this section.
pub(super) fn is_in(path: &str, section: &str) -> bool {
    path.strip_prefix(section).is_some_and(|rest| rest.is_empty() || rest.starts_with(['.', '[']))
}

pub(super) fn spread(path: &str, value: Value, settings: &mut Settings) {
    match value {
        Value::Null => {}
        Value::Object(section) => {
            for (key, value) in section {
                let path = if path.is_empty() { plain(&key) } else { format!("{path}.{}", plain(&key)) };
                spread(&path, value, settings);
            }
        }
        Value::Array(items) if items.iter().any(Value::is_object) => {
            for (place, item) in items.into_iter().enumerate() {
                spread(&format!("{path}[{}]", label(place, &item)), item, settings);
            }
        }
        value => {
            settings.insert(path.to_owned(), value);
        }
    }
}

fn gates(tree: &Value) -> Vec<String> {
    let gates = tree["sift"]["gates"].as_array().into_iter().flatten();
    gates.filter_map(|gate| gate.as_object()?.keys().next().cloned()).collect()
}

/// A gate is called by its name, wherever it stands in the order: `sift.gates[2].duplicates` is `sift.duplicates`.
fn by_its_gate(path: &str) -> String {
    let gate = path.strip_prefix("sift.gates[").and_then(|rest| rest.split_once("]."));
    gate.map_or_else(|| path.to_owned(), |(_, gate)| format!("sift.{gate}"))
}

/// A key that could be taken for several is written in quotes.
fn plain(key: &str) -> String {
    let is_plain = !key.is_empty() && key.chars().all(|sign| sign.is_alphanumeric() || matches!(sign, '_' | '-'));
    if is_plain { key.to_owned() } else { format!("{key:?}") }
}

/// What has a name is called by it, so that something put before it does not change what it is called.
fn label(place: usize, item: &Value) -> String {
    match item.get("name").and_then(Value::as_str) {
        Some(name) => plain(name),
        None => (place + 1).to_string(),
    }
}

/// A value on one line.
pub(super) fn render(value: &Value) -> String {
    match value {
        Value::Array(items) => format!("[{}]", items.iter().map(render).collect::<Vec<_>>().join(", ")),
        value => value.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn settings_are_called_by_their_path_and_lists_by_name_or_place() {
        let tree = serde_json::json!({
            "sift": { "off": null, "on": 0.5 },
            "topics": [{ "name": "pay", "about": "Money" }, { "about": "Rest" }],
            "words": ["a", "b"],
            "aliases": { "1. Sam": "1 Samuel" },
        });
        let mut settings = Settings::new();
        spread("", tree, &mut settings);
        let lines: Vec<_> = settings.iter().map(|(path, value)| format!("{path}: {}", render(value))).collect();
        assert_eq!(
            lines,
            [
                r#"aliases."1. Sam": "1 Samuel""#,
                "sift.on: 0.5",
                r#"topics[2].about: "Rest""#,
                r#"topics[pay].about: "Money""#,
                r#"topics[pay].name: "pay""#,
                r#"words: ["a", "b"]"#,
            ]
        );
        assert!(is_in("sift.on", "sift") && is_in("topics[2].about", "topics") && !is_in("sifted.on", "sift"));
    }
}
