//! `ibidem policy explain`: a policy in plain words, in the order in which it happens to a question.

mod gathering;
mod sifting;
mod speaking;

use std::collections::BTreeSet;

use serde_json::Value;

use super::written::{Written, is_in, render};
use crate::console;

#[derive(clap::Args)]
pub(crate) struct Explain {
    /// A policy file: the name of a built-in one, or a path.
    policy: String,
}

impl Explain {
    pub(super) fn run(self) -> anyhow::Result<()> {
        console::say(explanation(&Written::load(&self.policy)?).trim_end());
        Ok(())
    }
}

/// The whole policy. What has no words of its own is shown at the end as it is written: nothing is kept quiet about.
fn explanation(written: &Written) -> String {
    let rules = &written.policy.rules;
    let mut teller = Teller { written, explained_keys: BTreeSet::new(), text: String::new() };
    teller.text = format!("{}: {}\nhash {}\n", rules.name, rules.about.trim(), written.policy.hash);
    teller.explained_keys.extend(["name".to_owned(), "about".to_owned()]);
    gathering::tell(&mut teller);
    sifting::tell(&mut teller);
    speaking::tell(&mut teller);
    teller.rest();
    teller.text
}

/// Tells a policy setting by setting, and knows what it has told.
struct Teller<'a> {
    written: &'a Written,
    explained_keys: BTreeSet<String>,
    text: String,
}

impl Teller<'_> {
    fn heading(&mut self, heading: &str) {
        self.text.push_str(&format!("\n{heading}\n"));
    }

    fn line(&mut self, line: &str) {
        self.text.push_str(&format!("  - {line}\n"));
    }

    /// A setting's value as people read it; none when it is off.
    fn value(&mut self, setting: &str) -> Option<String> {
        let value = self.written.settings.get(setting)?;
        self.explained_keys.insert(setting.to_owned());
        Some(match value {
            Value::String(text) => format!("“{}”", text.trim()),
            Value::Array(items) => items.iter().map(listed).collect::<Vec<_>>().join(", "),
            value => render(value),
        })
    }

    /// The same for what a policy always has, and for sentences that read well without it.
    fn always(&mut self, setting: &str) -> String {
        self.value(setting).unwrap_or_else(|| "none".to_owned())
    }

    fn has(&self, section: &str) -> bool {
        self.written.has(section)
    }

    /// A line about a section, if anything of it is on. `{most}` stands for the setting `most` of the section, and `{}` for
    /// what is a setting itself.
    fn say(&mut self, section: &str, line: &str) {
        if !self.has(section) {
            return;
        }
        let mut parts = line.split('{');
        let mut told = parts.next().unwrap_or_default().to_owned();
        for part in parts {
            let (setting, rest) = part.split_once('}').unwrap_or((part, ""));
            let setting = if setting.is_empty() { section.to_owned() } else { format!("{section}.{setting}") };
            told.push_str(&self.always(&setting));
            told.push_str(rest);
        }
        self.line(&told);
    }

    /// A line about one setting, if it is on.
    fn tell(&mut self, setting: &str, line: impl FnOnce(&str) -> String) {
        if let Some(value) = self.value(setting) {
            self.line(&line(&value));
        }
    }

    /// Every setting of a section that nothing was said about yet, as it is written.
    fn as_written(&mut self, section: &str) {
        let written = self.written;
        for (setting, value) in written.settings.iter().filter(|(setting, _)| is_in(setting, section)) {
            if self.explained_keys.insert(setting.clone()) {
                self.line(&format!("{setting}: {}", render(value)));
            }
        }
    }

    fn rest(&mut self) {
        let written = self.written;
        let rest: Vec<_> =
            written.settings.iter().filter(|(setting, _)| !self.explained_keys.contains(*setting)).collect();
        if !rest.is_empty() {
            self.heading("Also set");
        }
        for (setting, value) in rest {
            self.line(&format!("{setting}: {}", render(value)));
        }
    }
}

/// Sentences in quotes, names without.
fn listed(item: &Value) -> String {
    match item {
        Value::String(text) if text.contains(' ') => format!("“{}”", text.trim()),
        Value::String(name) => name.clone(),
        item => render(item),
    }
}

#[cfg(test)]
mod tests;
