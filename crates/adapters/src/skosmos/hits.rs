//! The rows of a search, and what can be believed of them.

use ibidem_ports::vocabulary::{Concept, Definition, LabelKind, folded};
use serde::Deserialize;
use serde_json::Value;

use super::SkosmosSettings;

/// A search without `results` is no answer.
#[derive(Deserialize)]
pub(super) struct SearchReply {
    results: Vec<Row>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Row {
    uri: String,
    pref_label: Option<String>,
    /// At most one of these three says what matched; none of them, that the preferred label did.
    matched_pref_label: Option<String>,
    alt_label: Option<String>,
    hidden_label: Option<String>,
    /// Of the label that matched.
    lang: Option<String>,
    vocab: Option<String>,
    #[serde(default)]
    definition: Value,
}

/// A concept with a label that is the term.
pub(super) struct Hit {
    /// With its definition, if the search brought it whole.
    pub(super) concept: Concept,
    /// Of the label that matched.
    pub(super) language: Option<String>,
}

impl Row {
    fn matched(&self) -> Option<(LabelKind, &str)> {
        let preferred = self.matched_pref_label.as_deref().map(|label| (LabelKind::Preferred, label));
        let alternative = || self.alt_label.as_deref().map(|label| (LabelKind::Alternative, label));
        let hidden = || self.hidden_label.as_deref().map(|label| (LabelKind::Hidden, label));
        let own = || self.pref_label.as_deref().map(|label| (LabelKind::Preferred, label));
        preferred.or_else(alternative).or_else(hidden).or_else(own)
    }

    /// The definition, if there can be no doubt that it is whole. A definition of several lines comes in pieces, of
    /// which any may look like a text of its own; so one text alone is whole, and nothing else is.
    fn whole_definition(&self, language: &str) -> Option<Definition> {
        let [Value::String(text)] = self.definition.as_array()?.as_slice() else { return None };
        let whole = !text.trim().is_empty();
        whole.then(|| Definition { text: text.clone(), language: Some(language.to_owned()) })
    }
}

/// The rows of which a label is the term. Servers match by rules of their own, so each is looked at again.
pub(super) fn verified(reply: SearchReply, term: &str, settings: &SkosmosSettings) -> Vec<Hit> {
    let rows = reply.results.into_iter().filter_map(|row| {
        let (matched, label) = row.matched().filter(|(_, label)| folded(label) == term)?;
        let only = match settings.vocabularies.as_slice() {
            [only] => only.as_str(),
            _ => "",
        };
        let concept = Concept {
            uri: row.uri.clone(),
            vocabulary: row.vocab.clone().unwrap_or_else(|| only.to_owned()),
            label: row.pref_label.clone().unwrap_or_else(|| label.to_owned()),
            matched,
            definition: row.whole_definition(&settings.language),
        };
        Some(Hit { concept, language: row.lang.filter(|tag| !tag.is_empty()) })
    });
    let mut hits: Vec<Hit> = rows.collect();
    // A concept with regional labels has a row for each: the one that is called as it was asked for comes first.
    hits.sort_by_key(|hit| folded(&hit.concept.label) != term);
    hits
}

/// The labels to show of these rows: those that matched, or the concept's name where a hidden one did.
pub(super) fn labels(reply: SearchReply) -> Vec<String> {
    let shown = reply.results.into_iter().filter_map(|row| match row.matched()? {
        (LabelKind::Hidden, _) => row.pref_label.clone(),
        (_, label) => Some(label.to_owned()),
    });
    shown.collect()
}
