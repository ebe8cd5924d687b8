//! A vocabulary in memory that can be late, or down.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

use async_trait::async_trait;

use ibidem_ports::vocabulary::{
    Concept, Connected, Definition, Description, LabelKind, Lookup, Vocabulary, VocabularyError, checked,
    closest_labels, folded, in_language,
};

/// A concept as the fake is told about it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct FakeConcept {
    pub uri: String,
    pub vocabulary: String,
    /// The first is the preferred one.
    pub labels: Vec<(LabelKind, String, Option<String>)>,
    pub definitions: Vec<Definition>,
    /// The addresses of broader concepts.
    pub broader: Vec<String>,
}

impl FakeConcept {
    pub fn new(uri: &str, vocabulary: &str) -> Self {
        let (labels, definitions, broader) = Default::default();
        Self { uri: uri.to_owned(), vocabulary: vocabulary.to_owned(), labels, definitions, broader }
    }

    /// A label; an empty language means none.
    #[must_use]
    pub fn label(mut self, kind: LabelKind, text: &str, language: &str) -> Self {
        self.labels.push((kind, text.to_owned(), tag(language)));
        self
    }

    /// A definition; an empty language means none.
    #[must_use]
    pub fn definition(mut self, text: &str, language: &str) -> Self {
        self.definitions.push(Definition { text: text.to_owned(), language: tag(language) });
        self
    }

    /// A broader concept, by its address.
    #[must_use]
    pub fn broader(mut self, uri: &str) -> Self {
        self.broader.push(uri.to_owned());
        self
    }

    fn name(&self) -> String {
        self.labels.first().map(|(_, text, _)| text.clone()).unwrap_or_default()
    }
}

fn tag(language: &str) -> Option<String> {
    Some(language.to_owned()).filter(|language| !language.is_empty())
}

/// Looks terms up in English.
#[derive(Default)]
pub struct FakeVocabulary {
    concepts: Vec<FakeConcept>,
    failure: Mutex<Option<VocabularyError>>,
    calls: AtomicUsize,
}

impl FakeVocabulary {
    pub fn of(concepts: Vec<FakeConcept>) -> Self {
        Self { concepts, ..Self::default() }
    }

    /// From now on every call ends in this error: `VocabularyError::Timeout` for one that is late.
    pub fn fail(&self, error: VocabularyError) {
        *self.failure.lock().unwrap_or_else(PoisonError::into_inner) = Some(error);
    }

    /// From now on calls succeed again.
    pub fn recover(&self) {
        *self.failure.lock().unwrap_or_else(PoisonError::into_inner) = None;
    }

    /// How many terms it was asked to look up.
    pub fn calls(&self) -> usize {
        self.calls.load(Ordering::Relaxed)
    }

    fn available(&self) -> Result<(), VocabularyError> {
        self.failure.lock().unwrap_or_else(PoisonError::into_inner).clone().map_or(Ok(()), Err)
    }

    fn matches(&self, term: &str, counts: impl Fn(Option<&str>) -> bool) -> Vec<Concept> {
        let matched = self.concepts.iter().flat_map(|concept| concept.labels.iter().map(move |label| (concept, label)));
        let matched = matched.filter(|(_, (_, text, tag))| counts(tag.as_deref()) && folded(text) == folded(term));
        matched.map(|(concept, (kind, _, tag))| found(concept, *kind, tag.as_deref())).collect()
    }
}

fn found(concept: &FakeConcept, matched: LabelKind, language: Option<&str>) -> Concept {
    let languages: Vec<&str> = ["en"].into_iter().chain(language).collect();
    Concept {
        uri: concept.uri.clone(),
        vocabulary: concept.vocabulary.clone(),
        label: concept.name(),
        matched,
        definition: Definition::best(&concept.definitions, &languages),
    }
}

#[async_trait]
impl Vocabulary for FakeVocabulary {
    async fn lookup(&self, term: &str) -> Result<Lookup, VocabularyError> {
        let term = checked(term)?;
        self.calls.fetch_add(1, Ordering::Relaxed);
        self.available()?;
        let english = self.matches(&term, |tag| tag.is_some_and(|tag| in_language(tag, "en")));
        let matches = if english.is_empty() { self.matches(&term, |_| true) } else { english };
        Ok(Lookup::among(matches))
    }

    async fn closest(&self, term: &str, limit: usize) -> Result<Vec<String>, VocabularyError> {
        self.available()?;
        let labels = self.concepts.iter().flat_map(|concept| &concept.labels);
        let shown = labels.filter(|(kind, _, tag)| {
            *kind != LabelKind::Hidden && tag.as_deref().is_none_or(|tag| in_language(tag, "en"))
        });
        Ok(closest_labels(term, shown.map(|(_, text, _)| text.as_str()), limit))
    }

    async fn describe(&self, uri: &str, _language: &str) -> Result<Option<Description>, VocabularyError> {
        self.available()?;
        let Some(concept) = self.concepts.iter().find(|concept| concept.uri == uri) else { return Ok(None) };
        let named = |other: &FakeConcept| Connected { uri: other.uri.clone(), label: other.name() };
        let broader = self.concepts.iter().filter(|other| concept.broader.contains(&other.uri)).map(named);
        let narrower = self.concepts.iter().filter(|other| other.broader.contains(&concept.uri)).map(named);
        let others = concept.labels.iter().skip(1).filter(|(kind, ..)| *kind != LabelKind::Hidden);
        Ok(Some(Description {
            uri: concept.uri.clone(),
            vocabulary: concept.vocabulary.clone(),
            label: concept.name(),
            other_labels: others.map(|(_, text, language)| (text.clone(), language.clone())).collect(),
            definitions: concept.definitions.clone(),
            broader: Connected::in_order(broader.collect()),
            narrower: Connected::in_order(narrower.collect()),
            related: Vec::new(),
            deprecated: false,
        }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::suites::vocabulary::{check, gridterms};

    #[tokio::test]
    async fn the_fake_behaves_as_a_vocabulary() {
        check(&FakeVocabulary::of(gridterms())).await;
    }

    #[tokio::test]
    async fn the_fake_is_late_or_down_when_told_to_and_counts_its_calls() {
        let fake = FakeVocabulary::of(gridterms());
        fake.fail(VocabularyError::Timeout(300));
        assert_eq!(fake.lookup("tap").await, Err(VocabularyError::Timeout(300)));
        fake.recover();
        assert!(fake.lookup("tap").await.is_ok());
        assert_eq!(fake.calls(), 2);
    }
}
