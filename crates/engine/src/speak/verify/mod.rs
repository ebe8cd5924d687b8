//! Verification: whether the passages that a sentence cites say what it says.
//!
//! Figures first, because they are certain; then an entailment model reads the sentence against windows of the
//! passages; then each clause must find its words there. A sentence that cites nothing, or whose passages do not support
//! it, is given the passage that does, if there is one.

mod additions;
pub mod lexical;
pub mod windows;

use ibidem_language::markers::{with_marker, without_markers};
use ibidem_language::sentences::{Sentence, sentences_of};
use ibidem_words::degrade::{Deadline, Part};
use ibidem_words::ports::entailment::{Classification, Entailment, EntailmentError, Pair, Support};
use ibidem_words::{SentenceCheck, SentenceVerdict, unsteered};

use super::footnotes::Footnotes;
use super::markup::shown;
use crate::draft::Said;
use crate::policy::{VerificationMode, VerificationRules};
use additions::Clauses;
use ibidem_language::denials::is_denial;
use lexical::LexicalEntailment;
use windows::windows_of;

pub struct Verifier<'a> {
    pub rules: VerificationRules,
    pub entailment: &'a Part<dyn Entailment>,
    pub deadline: Deadline,
}

/// Who found that a sentence says what the documents do not say.
pub const DENIAL: &str = "denial";

/// A passage with its number, as a verifier reads it.
type Note = (u32, String);

impl Verifier<'_> {
    /// The sentence, with the citation it may have been given, and how it was found; and what went wrong with the
    /// entailment model, if anything.
    pub async fn check(&self, sentence: Sentence, footnotes: &Footnotes<'_>) -> (Said, Option<EntailmentError>) {
        let claim = readable(without_markers(&sentence.text).trim());
        let notes = footnotes.notes().map(|(number, candidate)| (number, as_read(&candidate.passage.text)));
        let (cited, others): (Vec<Note>, Vec<Note>) =
            notes.partition(|(number, _)| sentence.citations.contains(number));
        let is_cited = !cited.is_empty();
        let own = if is_cited { &cited } else { &others };
        if is_denial(&claim) && !own.iter().any(|(_, text)| is_verbatim(&claim, text)) {
            let why = Some("what the documents do not say is not for a model to say".to_owned());
            let check = SentenceCheck { by: DENIAL.to_owned(), why, ..SentenceCheck::unchecked() };
            return (Said { sentence, check }, None);
        }
        if self.rules.mode == VerificationMode::Off {
            return (Said { sentence, check: SentenceCheck::unchecked() }, None);
        }
        if !is_cited {
            let (found, failure) = self.attributed(&claim, &others).await;
            return (said(sentence, found), failure);
        }
        let texts: Vec<&str> = cited.iter().map(|(_, text)| text.as_str()).collect();
        let (check, failure) = self.against(&claim, &texts).await;
        // What its own passages say otherwise is not looked for in others.
        if check.verdict != SentenceVerdict::Unsupported || others.is_empty() {
            return (Said { sentence, check }, failure);
        }
        let (found, later) = self.attributed(&claim, &others).await;
        (said(sentence, found.map_err(|_| check)), failure.or(later))
    }

    /// A claim against all that it cites.
    pub async fn cited(&self, claim: &str, texts: &[&str]) -> (SentenceCheck, Option<EntailmentError>) {
        let texts: Vec<String> = texts.iter().map(|text| as_read(text)).collect();
        let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
        self.against(&readable(claim), &texts).await
    }

    async fn against(&self, claim: &str, texts: &[&str]) -> (SentenceCheck, Option<EntailmentError>) {
        if texts.iter().any(|text| is_verbatim(claim, text)) {
            return (SentenceCheck::verbatim(), None);
        }
        if let Some(check) = wrong_figures(claim, texts) {
            return (check, None);
        }
        let windows = windows_of(texts);
        let (classified, by, failure) = self.classified(claim, &windows).await;
        let check = self.verdict(&classified, by);
        let is_supported = check.verdict == SentenceVerdict::Supported;
        let added = is_supported.then(|| additions::added(claim, texts, Clauses::Added)).flatten();
        (added.map_or(check, |clause| unsaid(&clause)), failure)
    }

    /// A claim that cites nothing: the passage that supports it best, if one does.
    async fn attributed(
        &self,
        claim: &str,
        notes: &[Note],
    ) -> (Result<(u32, SentenceCheck), SentenceCheck>, Option<EntailmentError>) {
        if let Some((number, _)) = notes.iter().find(|(_, text)| is_verbatim(claim, text)) {
            let check = SentenceCheck { attributed: true, ..SentenceCheck::verbatim() };
            return (Ok((*number, check)), None);
        }
        // What has so little to say could be about anything.
        let notes = if additions::says_enough(claim) { notes } else { &[] };
        let is_right = |text: &str| {
            wrong_figures(claim, &[text]).is_none() && additions::added(claim, &[text], Clauses::All).is_none()
        };
        let right: Vec<&Note> = notes.iter().filter(|(_, text)| is_right(text)).collect();
        let windows: Vec<(u32, Vec<String>)> =
            right.iter().map(|(number, text)| (*number, windows_of(&[text.as_str()]))).collect();
        let all: Vec<String> = windows.iter().flat_map(|(_, windows)| windows.iter().cloned()).collect();
        let (classified, by, failure) = self.classified(claim, &all).await;
        let mut classified = classified.into_iter();
        let mut best: Option<(u32, SentenceCheck)> = None;
        for (number, windows) in windows {
            let of_note: Vec<Classification> = classified.by_ref().take(windows.len()).collect();
            let check = self.verdict(&of_note, by.clone());
            if best.as_ref().is_none_or(|(_, best)| check.support > best.support) {
                best = Some((number, check));
            }
        }
        let found = match best {
            Some((number, check)) if check.verdict == SentenceVerdict::Supported => {
                Ok((number, SentenceCheck { attributed: true, ..check }))
            }
            best => {
                let (support, by) = best.map_or((0.0, by), |(_, check)| (check.support, check.by));
                let why = Some("it cites nothing, and no passage supports it".to_owned());
                Err(SentenceCheck { verdict: SentenceVerdict::Unsupported, support, by, why, attributed: false })
            }
        };
        (found, failure)
    }

    /// A classification for each window, by whom, and what went wrong.
    async fn classified(
        &self,
        claim: &str,
        windows: &[String],
    ) -> (Vec<Classification>, String, Option<EntailmentError>) {
        let pairs = || windows.iter().map(|premise| Pair { premise: premise.clone(), claim: claim.to_owned() });
        if windows.is_empty() {
            return (Vec::new(), self.entailment.port().name().to_owned(), None);
        }
        match self.entailment.call(self.deadline, |entailment| entailment.classify(pairs().collect())).await {
            Ok(classified) => (classified, self.entailment.port().name().to_owned(), None),
            Err(error) => {
                // Words are always there to compare.
                let stand_in = LexicalEntailment::by_words();
                let classified = stand_in.classify(pairs().collect()).await;
                (classified.unwrap_or_default(), stand_in.name().to_owned(), Some(error))
            }
        }
    }

    /// The best window decides: a passage supports what any stretch of it supports.
    fn verdict(&self, classified: &[Classification], by: String) -> SentenceCheck {
        let best = classified.iter().max_by(|one, other| one.score.total_cmp(&other.score));
        let Some(best) = best else {
            let why = Some("nobody could check it".to_owned());
            return SentenceCheck { why, by, ..SentenceCheck::unchecked() };
        };
        let support = ibidem_words::as_shown(f64::from(best.score));
        let is_supported = best.support == Support::Supported && support >= self.rules.least_support;
        let (verdict, why) = match best.support {
            _ if is_supported => (SentenceVerdict::Supported, None),
            Support::Contradicted => (SentenceVerdict::Contradicted, Some("its passages say otherwise".to_owned())),
            _ => {
                let least = self.rules.least_support;
                let why = format!("support by its passages ({support:.2}) below threshold ({least})");
                (SentenceVerdict::Unsupported, Some(why))
            }
        };
        SentenceCheck { verdict, support, by, why, attributed: false }
    }
}

/// The sentence under the note it was found in, in place of those it cited; or as it was, with what was found wrong.
fn said(sentence: Sentence, found: Result<(u32, SentenceCheck), SentenceCheck>) -> Said {
    match found {
        Ok((number, check)) => {
            let text = with_marker(&without_markers(&sentence.text), number);
            Said { sentence: Sentence { text, citations: vec![number], ..sentence }, check }
        }
        Err(check) => Said { sentence, check },
    }
}

/// A claim as a verifier reads it.
fn readable(claim: &str) -> String {
    unsteered(claim).into_owned()
}

/// A passage as a verifier reads it: what may not go out of it cannot support anything.
fn as_read(text: &str) -> String {
    unsteered(&shown(text, &[text])).into_owned()
}

/// A clause was added that the passages do not have.
fn unsaid(clause: &str) -> SentenceCheck {
    let why = Some(format!("its passages do not have the words of \"{clause}\""));
    let verdict = SentenceVerdict::Unsupported;
    SentenceCheck { verdict, support: 0.0, by: "figures".to_owned(), why, attributed: false }
}

/// Whether the claim is the passage's own sentence, or several of them in a row. A part of a sentence is not: the rest
/// may deny it.
fn is_verbatim(claim: &str, passage: &str) -> bool {
    let plain = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
    let claim = plain(claim);
    let sentences: Vec<String> = sentences_of(passage).into_iter().map(plain).collect();
    let begins = |from: usize| {
        let mut rest = claim.as_str();
        for sentence in &sentences[from..] {
            match rest.strip_prefix(sentence.as_str()) {
                Some("") => return true,
                Some(after) => rest = after.trim_start(),
                None => return false,
            }
        }
        false
    };
    claim.contains(' ') && (0..sentences.len()).any(begins)
}

/// What a rule finds wrong with a claim: figures, names or quotations that stand in none of the passages, or what they
/// say turned round.
fn wrong_figures(claim: &str, passages: &[&str]) -> Option<SentenceCheck> {
    let findings = ibidem_language::figures::check(claim, passages);
    let contradicts = findings.iter().any(|finding| finding.kind.contradicts());
    let verdict = if contradicts { SentenceVerdict::Contradicted } else { SentenceVerdict::Unsupported };
    let why: Vec<String> = findings.iter().map(ToString::to_string).collect();
    let by = "figures".to_owned();
    (!why.is_empty()).then(|| SentenceCheck { verdict, support: 0.0, by, why: Some(why.join("; ")), attributed: false })
}

#[cfg(test)]
mod tests;
