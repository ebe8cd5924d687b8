//! A cited passage: whether it was there, and whether it still is.

use chrono::{DateTime, Utc};
use ibidem_language::alphabet::plain;
use ibidem_language::sentences::sentences_of;
use ibidem_language::significant_terms;
use ibidem_ports::corpus::{Corpus, KeptVersion};
use ibidem_words::{CharSpan, ReceiptSource, Sha256Hash, SourceId};

use super::report::Outcome;
use crate::speak::note_line::NoteLine;

/// How many sentences in a row are read where a passage was reworded: as many as it had, and one more.
const MORE_SENTENCES: usize = 1;

/// What is known of a source now.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct SourceState {
    pub(super) outcome: Outcome,
    pub(super) why: String,
    pub(super) current_version: Option<u32>,
    /// What it says now, to check against; empty when nothing can be.
    pub(super) text: String,
    /// What the document is called, and by what address.
    pub(super) title: String,
    pub(super) address: Option<String>,
    pub(super) updated_at: Option<DateTime<Utc>>,
    /// The headings above it.
    pub(super) headings: String,
    /// What the receipt's version said there.
    pub(super) was: String,
    /// The whole text of the version that is checked against; empty where there is none.
    pub(super) whole: String,
    /// Holds the name and the definition of a concept, as answers quote them.
    pub(super) definition: Option<String>,
}

impl SourceState {
    /// What stood above it where it was read.
    pub(super) fn line(&self) -> NoteLine<'_> {
        let section = (!self.headings.is_empty()).then_some(self.headings.as_str());
        NoteLine { title: &self.title, section, address: self.address.as_deref(), updated_at: self.updated_at }
    }

    pub(super) fn only(outcome: Outcome, why: impl Into<String>) -> Self {
        Self {
            outcome,
            why: why.into(),
            current_version: None,
            text: String::new(),
            title: String::new(),
            address: None,
            updated_at: None,
            headings: String::new(),
            was: String::new(),
            whole: String::new(),
            definition: None,
        }
    }
}

pub(super) fn look_up(id: SourceId, source: &ReceiptSource, corpus: &Corpus) -> SourceState {
    let Some(document) = corpus.get(&id.document) else {
        return SourceState::only(Outcome::NotVisible, format!("document {} is not here, or not for you", id.document));
    };
    let version = source.version;
    let tampered = |why: String| SourceState {
        current_version: Some(document.current_version),
        ..SourceState::only(Outcome::Tampered, why)
    };
    // Texts of versions are never thrown away: one that is not there never was.
    let Some(cited) = document.versions.get(&version) else {
        return tampered(format!("the document never had a version {version}"));
    };
    let digest = Sha256Hash::of(cited.text.as_bytes());
    if digest != source.document_sha256 {
        let (found, expected) = (digest.short(12), source.document_sha256.short(12));
        return tampered(format!("the text of version {version} has the digest {found}, not {expected}"));
    }
    let Some(passage) = at(source.span, &cited.text) else {
        let CharSpan { start, end } = source.span;
        return tampered(format!("version {version} has no characters {start} to {end}"));
    };
    if Sha256Hash::of(passage.as_bytes()) != source.passage_sha256 {
        return tampered(format!("what stands at that span of version {version} has another digest"));
    }
    if !passage.chars().any(char::is_alphanumeric) {
        return tampered(format!("there are no words at that span of version {version}"));
    }
    let found = SourceState {
        outcome: Outcome::Holds,
        why: format!("version {version} is the current one"),
        current_version: Some(document.current_version),
        text: passage.to_owned(),
        title: cited.title.clone(),
        address: document.address.clone(),
        updated_at: Some(cited.updated_at),
        headings: headings_above(source.span, &cited.text),
        was: passage.to_owned(),
        whole: cited.text.clone(),
        definition: None,
    };
    let current = document.current_version;
    if document.is_removed {
        return SourceState { outcome: Outcome::Withdrawn, why: "the document was withdrawn".to_owned(), ..found };
    }
    if current == version {
        return found;
    }
    match document.versions.get(&current) {
        Some(newer) => in_newer_version(found, version, current, newer),
        None => SourceState { outcome: Outcome::NotChecked, why: format!("version {current} cannot be read"), ..found },
    }
}

/// The last lines above a span that end as headings do. A section's name is made of them.
fn headings_above(span: CharSpan, text: &str) -> String {
    const MOST: usize = 6;
    let above: String = text.chars().take(usize::try_from(span.start).unwrap_or(0)).collect();
    let inside = at(span, text).and_then(|passage| passage.lines().next()).unwrap_or_default();
    let is_heading = |line: &&str| {
        let line = line.trim();
        line.contains(char::is_alphabetic) && !line.ends_with(['.', '!', '?', ':', ';', ','])
    };
    let mut headings: Vec<&str> = above.lines().chain([inside]).filter(is_heading).collect();
    headings.drain(..headings.len().saturating_sub(MOST));
    headings.join(" > ")
}

/// Characters, not bytes.
fn at(span: CharSpan, text: &str) -> Option<&str> {
    let (start, end) = (usize::try_from(span.start).ok()?, usize::try_from(span.end).ok()?);
    let place = |characters: usize| {
        let mut places = text.char_indices().map(|(place, _)| place).chain([text.len()]);
        places.nth(characters)
    };
    text.get(place(start)?..place(end)?)
}

fn in_newer_version(found: SourceState, version: u32, current: u32, newer: &KeptVersion) -> SourceState {
    let replaced = format!("version {version} was replaced by version {current}");
    if spaced_alike(&newer.text).contains(&spaced_alike(&found.text)) {
        let why = format!("{replaced}, which has the same passage");
        return SourceState { outcome: Outcome::StillSays, why, whole: newer.text.clone(), ..found };
    }
    // Whether the new words still say so, the verifier decides.
    let text = closest_stretch(&found.text, &newer.text);
    if text.is_empty() {
        return SourceState {
            outcome: Outcome::Changed,
            why: format!("{replaced}, which has no such passage"),
            ..found
        };
    }
    let why = format!("{replaced}, which says it in other words");
    SourceState {
        outcome: Outcome::Reworded,
        why,
        text,
        title: newer.title.clone(),
        whole: newer.text.clone(),
        ..found
    }
}

impl SourceState {
    /// Whether the sentence of the cited passage that shares most with a claim stands in the newer version as it was.
    pub(super) fn still_has_sentence_of(&self, claim: &str) -> bool {
        let wanted = significant_terms(claim);
        let scored = sentences_of(&self.was).into_iter().map(|one| {
            let shared = significant_terms(one).intersection(&wanted).count();
            (shared, one)
        });
        let best = scored.fold((0, ""), |best, next| if next.0 > best.0 { next } else { best }).1;
        let now = sentences_of(&self.whole);
        !best.is_empty() && now.into_iter().any(|sentence| spaced_alike(sentence) == spaced_alike(best))
    }
}

/// Writes a text with single spaces, and in the form in which sentences are checked and shown.
pub(crate) fn spaced_alike(text: &str) -> String {
    plain(text).split_whitespace().collect::<Vec<_>>().join(" ")
}

/// The sentences in a row that share most with a passage that is not there any more; nothing if none shares anything.
fn closest_stretch(passage: &str, text: &str) -> String {
    let wanted = significant_terms(passage);
    let sentences = sentences_of(text);
    let length = (sentences_of(passage).len() + MORE_SENTENCES).min(sentences.len());
    let stretches = sentences.windows(length.max(1)).map(|stretch| stretch.join(" "));
    let scored = stretches.map(|stretch| (significant_terms(&stretch).intersection(&wanted).count(), stretch));
    // The first of the best.
    let best = scored.fold((0, String::new()), |best, next| if next.0 > best.0 { next } else { best });
    best.1
}
