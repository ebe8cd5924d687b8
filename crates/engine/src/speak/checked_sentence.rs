//! Sentences that may be shown, each with how it was checked.

use ibidem_language::quotations::is_quoted_with;
use ibidem_language::sentences::{Kind, Sentence};
use ibidem_words::{
    CitedSource, Receipt, ReceiptSource, SentenceCheck, SentenceVerdict, Sha256Hash, Stretch, StretchKind,
};

use super::footnotes::Footnotes;
use super::markup::sanitize;
use super::structure::Origin;
use crate::draft::CheckedSentence;

impl CheckedSentence {
    /// Makes a sentence of a source's own words.
    pub fn verbatim(sentence: Sentence) -> Self {
        Self { sentence, check: SentenceCheck::verbatim() }
    }

    /// Structure, under the note that has its words: `structure`, or `question` where they are the question's.
    pub(super) fn structure(sentence: Sentence, origin: &Origin) -> Self {
        let (by, citations) = match origin {
            Origin::Note(number) => ("structure", vec![*number]),
            Origin::Bare => ("structure", Vec::new()),
            Origin::Question => ("question", Vec::new()),
        };
        let sentence = Sentence { citations, kind: Kind::Structure, ..sentence };
        Self { sentence, check: SentenceCheck { by: by.to_owned(), ..SentenceCheck::verbatim() } }
    }

    /// A fixed phrase of the policy.
    pub(crate) fn policy(text: String) -> Self {
        let sentence = Sentence { text, citations: Vec::new(), kind: Kind::Policy };
        Self { sentence, check: SentenceCheck::policy() }
    }
}

/// Who finds the words of a sentence in its sources, and has no opinion.
pub(crate) const BY_THE_LETTER: [&str; 3] = ["verbatim", "catalogue", "computed"];

/// How surely the passages support what was said, 0 to 100: the mean over its sentences. None where all of it are the
/// sources' own words: no verifier was asked.
pub(super) fn support<'a>(sentences: impl IntoIterator<Item = &'a CheckedSentence>) -> Option<f64> {
    let claims: Vec<&CheckedSentence> =
        sentences.into_iter().filter(|checked| checked.sentence.kind == Kind::Claim).collect();
    let of = |checked: &&CheckedSentence| {
        if checked.check.verdict == SentenceVerdict::Supported { checked.check.support } else { 0.0 }
    };
    let is_judged = claims.iter().any(|checked| !BY_THE_LETTER.contains(&checked.check.by.as_str()));
    is_judged.then(|| 100.0 * claims.iter().map(of).sum::<f64>() / claims.len() as f64)
}

/// What was said, stretch by stretch, and who judged it: together the text as it is shown, without the white space at its
/// ends. The receipt is sealed when the answer is whole.
pub(super) fn receipt(footnotes: &Footnotes<'_>, sentences: &[CheckedSentence]) -> Receipt {
    let stretch = |CheckedSentence { sentence, check }: &CheckedSentence| Stretch {
        text: sentence.text.clone(),
        kind: stretch_kind(sentence.kind),
        check: check.clone(),
        sources: sources(footnotes, sentence, check),
    };
    let mut stretches: Vec<Stretch> = sentences.iter().map(stretch).collect();
    let is_blank = |stretch: &Stretch| stretch.text.trim().is_empty();
    while stretches.last().is_some_and(is_blank) {
        stretches.pop();
    }
    let blank = stretches.iter().take_while(|stretch| is_blank(stretch)).count();
    stretches.drain(..blank);
    if let Some(first) = stretches.first_mut() {
        first.text = first.text.trim_start().to_owned();
    }
    if let Some(last) = stretches.last_mut() {
        last.text.truncate(last.text.trim_end().len());
    }
    let is_model = |by: &&str| {
        !["verbatim", "catalogue", "computed", "figures", "structure", "question", "policy", "none"].contains(by)
    };
    let claims = sentences.iter().filter(|checked| checked.sentence.kind == Kind::Claim);
    let verifier = claims.map(|checked| checked.check.by.as_str()).find(is_model);
    Receipt::unsealed(verifier.map(str::to_owned), stretches)
}

/// What a sentence cites. Of a quotation also the lines above a passage that were quoted with it.
fn sources(footnotes: &Footnotes<'_>, sentence: &Sentence, check: &SentenceCheck) -> Vec<ReceiptSource> {
    let mut sources: Vec<ReceiptSource> = footnotes.citations(sentence).iter().map(ReceiptSource::from).collect();
    if check.by != SentenceCheck::verbatim().by {
        return sources;
    }
    for passage in sentence.citations.iter().filter_map(|number| footnotes.passage(*number)) {
        let quoted = passage.above.all().filter(|line| is_quoted_with(&sanitize(&line.text, &[]), &sentence.text));
        sources.extend(quoted.map(|line| ReceiptSource {
            source_id: CitedSource::Passage(passage.passage.source_id()),
            version: passage.passage.version,
            span: line.span,
            document_sha256: passage.document_sha256,
            passage_sha256: Sha256Hash::of(line.text.as_bytes()),
        }));
    }
    sources
}

fn stretch_kind(kind: Kind) -> StretchKind {
    match kind {
        Kind::Claim => StretchKind::Claim,
        Kind::Structure => StretchKind::Structure,
        Kind::Policy => StretchKind::Policy,
    }
}
