//! Footnotes: numbers minted for one turn, the only names a model sees for its sources.

use crate::candidate::Candidate;
use crate::no_look_alike;
use chrono::NaiveDate;
use ibidem_language::sentences::Sentence;
use ibidem_ports::catalogue::CataloguePassage;
use ibidem_words::{Citation, CitedSource, Status};

/// The notes of one turn: note `n` is the `n`-th piece of evidence.
#[derive(Clone, Debug)]
pub struct Footnotes<'a> {
    evidence: &'a [Candidate],
    /// The day of the question; none where only what documents say of themselves counts.
    day: Option<NaiveDate>,
}

impl<'a> Footnotes<'a> {
    pub fn mint(evidence: &'a [Candidate]) -> Self {
        Self { evidence, day: None }
    }

    /// Sets the day on which the question is asked, which decides what is in force.
    #[must_use]
    pub fn on(self, day: NaiveDate) -> Self {
        Self { day: Some(day), ..self }
    }

    pub fn evidence(&self) -> &'a [Candidate] {
        self.evidence
    }

    pub fn minted(&self) -> u32 {
        u32::try_from(self.evidence.len()).unwrap_or(u32::MAX)
    }

    /// Returns each note with its number, in order.
    pub fn notes(&self) -> impl Iterator<Item = (u32, &'a Candidate)> + use<'a> {
        (1..).zip(self.evidence)
    }

    /// What a sentence cites, in its order.
    pub fn citations(&self, sentence: &Sentence) -> Vec<Citation> {
        sentence.citations.iter().filter_map(|number| self.citation(*number)).collect()
    }

    /// What a minted number's passage says.
    pub fn text(&self, marker: u32) -> Option<&'a str> {
        self.candidate(marker).map(|candidate| candidate.passage.text.as_str())
    }

    /// Returns the passage of a minted number.
    pub fn passage(&self, marker: u32) -> Option<&'a CataloguePassage> {
        self.candidate(marker).map(|candidate| &candidate.passage)
    }

    /// Returns the similarity that a curator's choice lends a minted number's passage.
    pub fn curated(&self, marker: u32) -> Option<f64> {
        self.candidate(marker)?.curated
    }

    fn candidate(&self, marker: u32) -> Option<&'a Candidate> {
        self.evidence.get(usize::try_from(marker).ok()?.checked_sub(1)?)
    }

    fn status(&self, passage: &CataloguePassage) -> Status {
        let validity = &passage.validity;
        validity.on(self.day.or(validity.valid_from).unwrap_or(NaiveDate::MIN))
    }

    /// The citation a minted number stands for.
    pub fn citation(&self, marker: u32) -> Option<Citation> {
        let candidate = self.candidate(marker)?;
        let passage = &candidate.passage;
        let citation = Citation {
            marker,
            source_id: CitedSource::Passage(passage.passage.source_id()),
            document_id: passage.passage.document.0,
            document_name: passage.title.clone(),
            version: passage.passage.version,
            updated_at: passage.updated_at,
            chunk_index: passage.passage.chunk_index,
            page_number: passage.page,
            section: passage.section.clone(),
            cells: passage.above.rows.as_ref().and_then(ibidem_words::SheetRows::cells),
            relevance_score: candidate.similarity().clamp(0.0, 1.0),
            snippet: no_look_alike::snippet_of(&passage.text),
            snippet_full: passage.text.clone(),
            span: passage.span,
            document_sha256: passage.document_sha256,
            address: passage.address.clone(),
            collection: Some(passage.collection.as_str().to_owned()),
            file: Some(passage.source_location.clone()),
            link: Some(passage.passage.source_id().link()),
            status: Some(self.status(passage).as_str().to_owned()),
            replaced_by: passage.validity.replaced_by.clone(),
            tool: None,
        };
        Some(no_look_alike::citation(citation))
    }
}
