//! What a policy says about tools: which may be called, for whom and with what, and how their results are told.

use std::collections::{BTreeMap, BTreeSet};

use ibidem_words::{Sha256Hash, Tag};
use serde::Deserialize;

use super::QuestionPattern;

/// A tool that may be called.
#[derive(Clone, PartialEq, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ToolRules {
    /// What topics name it by.
    pub name: String,
    /// The server, as the settings name it.
    pub server: String,
    /// The tool, as its server names it.
    pub tool: String,
    /// Pins the tool by the digest of its description, as `ibidem tools` prints it. A tool that is described otherwise
    /// is not called.
    pub pinned: Sha256Hash,
    /// It is called for askers with one of these tags. For others it does not exist.
    pub tags: Vec<Tag>,
    /// It changes something. It is called when the asker has confirmed the call, and never where `wording.confirm` is not
    /// there.
    #[serde(default)]
    pub writes: bool,
    /// How long the asker can confirm, in seconds.
    #[serde(default = "confirm_within_s")]
    pub confirm_within_s: u32,
    /// What it is given, each read from the asker's own words.
    pub arguments: Vec<ArgumentRules>,
    /// The fields by which a result says that there is no such thing, with their values.
    #[serde(default)]
    pub absent: BTreeMap<String, String>,
    /// A larger result is not used.
    #[serde(default = "most_bytes")]
    pub most_bytes: usize,
    pub wording: ToolWording,
}

fn confirm_within_s() -> u32 {
    300
}

fn most_bytes() -> usize {
    16 * 1024
}

/// An argument, and how it is read from the question.
#[derive(Clone, PartialEq, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ArgumentRules {
    /// Names the argument as the tool does.
    pub name: String,
    /// What is taken for it: the group `value`, or all that matches.
    pub pattern: QuestionPattern,
    /// How the tool wants it written.
    #[serde(default)]
    pub letters: Letters,
    /// What the asker is asked for where the question lacks it.
    pub ask: String,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Letters {
    #[default]
    AsWritten,
    Upper,
    Lower,
}

#[derive(Clone, PartialEq, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ToolWording {
    /// Words the reply, with fields of the result in place of `{field}`; `{field:2}` writes a number with two decimals.
    pub answer: Template,
    /// Said where there is no such thing, with arguments in place of `{argument}`.
    pub absent: Template,
    /// Said above what is missing.
    pub missing: String,
    /// Says what will happen when a tool changes something, with arguments in place of `{argument}`. The asker confirms
    /// that, or nothing is called.
    #[serde(default)]
    pub confirm: Option<Template>,
    /// Said where the call was sent and nobody knows whether it was done.
    #[serde(default)]
    pub unsure: Option<String>,
}

/// A template has fixed words and holes, which values of a result fill.
#[derive(Clone, PartialEq, Eq, Debug, Deserialize)]
#[serde(try_from = "String")]
pub struct Template {
    pub(crate) pieces: Vec<Piece>,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Piece {
    Words(String),
    Hole { name: String, decimals: Option<usize> },
}

impl Template {
    /// What its holes are called, in order.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.pieces.iter().filter_map(|piece| match piece {
            Piece::Hole { name, .. } => Some(name.as_str()),
            Piece::Words(_) => None,
        })
    }
}

impl TryFrom<String> for Template {
    type Error = String;

    fn try_from(written: String) -> Result<Self, Self::Error> {
        const MOST_DECIMALS: usize = 6;
        let mut pieces = Vec::new();
        let mut rest = written.trim();
        while let Some((words, after)) = rest.split_once('{') {
            let (hole, behind) = after.split_once('}').ok_or_else(|| format!("{written:?}: a {{ is not closed"))?;
            let (name, decimals) = match hole.split_once(':') {
                Some((name, decimals)) => {
                    let decimals = decimals.parse().ok().filter(|decimals| *decimals <= MOST_DECIMALS);
                    (name, Some(decimals.ok_or_else(|| format!("{{{hole}}}: write 0 to {MOST_DECIMALS} decimals"))?))
                }
                None => (hole, None),
            };
            if name.is_empty() || !name.chars().all(|sign| sign.is_ascii_alphanumeric() || "_.".contains(sign)) {
                return Err(format!("{{{hole}}} names no field"));
            }
            pieces.push(Piece::Words(words.to_owned()));
            pieces.push(Piece::Hole { name: name.to_owned(), decimals });
            rest = behind;
        }
        pieces.push(Piece::Words(rest.to_owned()));
        if pieces.iter().any(|piece| matches!(piece, Piece::Words(words) if words.contains(['}', '[', ']']))) {
            return Err(format!("{written:?} has a bracket of its own: it would be taken for a citation or a field"));
        }
        Ok(Self { pieces })
    }
}

impl ToolRules {
    /// The fields of the result that are used: no other is kept, shown or recorded.
    pub fn fields(&self) -> Vec<&str> {
        let mut known = BTreeSet::new();
        let named = self.absent.keys().map(String::as_str).chain(self.wording.answer.names());
        named.filter(|name| known.insert(*name)).collect()
    }

    pub(super) fn contradictions(&self, found: &mut Vec<String>) {
        let name = &self.name;
        if self.tags.is_empty() {
            found.push(format!("gather.tools: {name} has no tags: nobody could ever have it called"));
        }
        if self.wording.answer.names().next().is_none() {
            found.push(format!("gather.tools: the answer of {name} has no field: it would always say the same"));
        }
        if self.wording.missing.trim().is_empty() || self.arguments.iter().any(|one| one.ask.trim().is_empty()) {
            found.push(format!("gather.tools: {name} has an argument without words to ask for it"));
        }
        let names: BTreeSet<&str> = self.arguments.iter().map(|argument| argument.name.as_str()).collect();
        if names.len() < self.arguments.len() {
            found.push(format!("gather.tools: {name} has two arguments of the same name"));
        }
        if let Some(other) = self.wording.absent.names().find(|hole| !names.contains(hole)) {
            found.push(format!(
                "gather.tools: the words of {name} for what is absent name {other}, which is no argument"
            ));
        }
        match (&self.wording.confirm, &self.wording.unsure) {
            (Some(_), _) if !self.writes => {
                found.push(format!("gather.tools: {name} has words to confirm it, and does not say `writes: true`"));
            }
            (Some(confirm), unsure) => {
                if let Some(other) = confirm.names().find(|hole| !names.contains(hole)) {
                    found.push(format!("gather.tools: wording.confirm of {name} names {other}, which is no argument"));
                }
                if unsure.as_ref().is_none_or(|words| words.trim().is_empty()) {
                    found.push(format!("gather.tools: {name} lacks wording.unsure: say what the asker is to do"));
                }
            }
            (None, _) => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_template_is_words_and_holes_and_odd_ones_are_refused() {
        let template = Template::try_from(" It costs PLN {price:2} a month, {name}. ".to_owned()).unwrap();
        assert_eq!(template.names().collect::<Vec<_>>(), ["price", "name"]);
        assert_eq!(template.pieces[1], Piece::Hole { name: "price".to_owned(), decimals: Some(2) });
        for odd in ["{", "{a", "{}", "{a b}", "{a:x}", "{a:9}", "a}", "see [1] {a}"] {
            assert!(Template::try_from(odd.to_owned()).is_err(), "{odd}");
        }
    }
}
