//! Verification: whether the passages that a sentence cites say what it says.
//!
//! Figures first, because they are certain; then an entailment model reads the sentence against windows of the
//! passages; then each clause must find its words there. A sentence that cites nothing, or whose passages do not support
//! it, is given the passage that does, if there is one.

mod additions;
pub mod lexical;
pub mod repair;
mod tiles;
pub mod windows;

use std::collections::HashSet;

use ibidem_language::alphabet::{foreign, plain};
use ibidem_language::claims::carries_a_claim;
use ibidem_language::markers::{with_marker, without_markers};
use ibidem_language::meaning;
use ibidem_language::sentences::{Sentence, sentences_of};
use ibidem_ports::degrade::{Deadline, Part};
use ibidem_ports::entailment::{Classification, Entailment, EntailmentError, Pair, Support};
use ibidem_words::{SentenceCheck, SentenceVerdict, unsteered};

use super::footnotes::Footnotes;
use super::markup::sanitize;
use super::note_line::NoteLine;
use crate::draft::CheckedSentence;
use crate::policy::{VerificationMode, VerificationRules};
use additions::Clauses;
use ibidem_language::denials::is_denial;
use windows::windows_of;

pub struct Verifier<'a> {
    pub rules: VerificationRules,
    pub entailment: &'a Part<dyn Entailment>,
    pub deadline: Deadline,
}

/// Who found that a sentence says what the documents do not say.
pub const DENIAL: &str = "denial";

/// A passage with its number and the line above it, as a verifier reads them.
#[derive(Clone, PartialEq, Eq, Debug)]
struct Note {
    number: u32,
    text: String,
    line: String,
}

impl Note {
    /// Text and line together: what the line says is as good as what the passage says.
    fn whole(&self) -> String {
        format!("{}\n{}", self.line, self.text)
    }

    /// Whether the line has a word of the claim that the passage does not have: otherwise it adds nothing.
    fn line_adds_to(&self, claim: &str) -> bool {
        let words = |text: &str| -> HashSet<String> {
            let lower = text.to_lowercase();
            lower
                .split(|sign: char| !sign.is_alphanumeric())
                .filter(|word| !word.is_empty())
                .map(str::to_owned)
                .collect()
        };
        let (line, text) = (words(&self.line), words(&self.text));
        words(claim).iter().any(|word| carries_a_claim(word) && line.contains(word) && !text.contains(word))
    }
}

impl Verifier<'_> {
    /// The sentence, with the citation it may have been given, and how it was found; and what went wrong with the
    /// entailment model, if anything.
    pub async fn check(
        &self,
        sentence: Sentence,
        footnotes: &Footnotes<'_>,
    ) -> (CheckedSentence, Option<EntailmentError>) {
        let claim = readable(without_markers(&sentence.text).trim());
        let notes = footnotes.notes().map(|(number, candidate)| {
            let passage = &candidate.passage;
            Note { number, text: as_read(&passage.text), line: as_read(&NoteLine::of(passage).text()) }
        });
        let (cited, others): (Vec<Note>, Vec<Note>) = notes.partition(|note| sentence.citations.contains(&note.number));
        let is_cited = !cited.is_empty();
        let own = if is_cited { &cited } else { &others };
        if is_denial(&claim) && !own.iter().any(|note| is_verbatim(&claim, &note.text)) {
            let why = Some("what the documents do not say is not for a model to say".to_owned());
            let check = SentenceCheck { by: DENIAL.to_owned(), why, ..SentenceCheck::unchecked() };
            return (CheckedSentence { sentence, check }, None);
        }
        if self.rules.mode == VerificationMode::Off {
            return (CheckedSentence { sentence, check: SentenceCheck::unchecked() }, None);
        }
        if !is_cited {
            let (found, failure) = self.attributed(&claim, &others).await;
            return (checked(sentence, found), failure);
        }
        let (check, failure) = self.against(&claim, &cited).await;
        // What its own passages say otherwise is not looked for in others, unless it stands there word for word: then it
        // is about something else than they are.
        let is_elsewhere = || others.iter().any(|note| is_verbatim(&claim, &note.text));
        let is_looked_for = match check.verdict {
            SentenceVerdict::Unsupported => !others.is_empty(),
            SentenceVerdict::Contradicted => is_elsewhere(),
            SentenceVerdict::Supported | SentenceVerdict::Unchecked => false,
        };
        if !is_looked_for {
            return (CheckedSentence { sentence, check }, failure);
        }
        let (found, later) = self.attributed(&claim, &others).await;
        (checked(sentence, found.map_err(|_| check)), failure.or(later))
    }

    /// A sentence that nobody can check any more, because the entailment model failed. What says that the documents do not
    /// say something is still known by its words.
    pub fn unverified(&self, sentence: Sentence, footnotes: &Footnotes<'_>) -> CheckedSentence {
        let claim = readable(without_markers(&sentence.text).trim());
        let is_said_there = || footnotes.notes().any(|(_, note)| is_verbatim(&claim, &as_read(&note.passage.text)));
        let is_denial = is_denial(&claim) && !is_said_there();
        let by = if is_denial { DENIAL.to_owned() } else { SentenceCheck::unchecked().by };
        let why = Some("the entailment model does not answer, so nobody could check it".to_owned());
        CheckedSentence { sentence, check: SentenceCheck { by, why, ..SentenceCheck::unchecked() } }
    }

    /// A claim against all that it cites.
    pub async fn cited(&self, claim: &str, texts: &[&str]) -> (SentenceCheck, Option<EntailmentError>) {
        let notes: Vec<(NoteLine<'_>, &str)> = texts.iter().map(|text| (NoteLine::default(), *text)).collect();
        self.cited_under(claim, &notes).await
    }

    /// A claim against all that it cites, each under the line that stood above it.
    pub async fn cited_under(
        &self,
        claim: &str,
        notes: &[(NoteLine<'_>, &str)],
    ) -> (SentenceCheck, Option<EntailmentError>) {
        let notes = (1..).zip(notes).map(|(number, (line, text))| Note {
            number,
            text: as_read(text),
            line: as_read(&line.text()),
        });
        self.against(&readable(claim), &notes.collect::<Vec<_>>()).await
    }

    /// What its words support must be put together as the passages put it together too.
    async fn against(&self, claim: &str, notes: &[Note]) -> (SentenceCheck, Option<EntailmentError>) {
        let texts: Vec<&str> = notes.iter().map(|note| note.text.as_str()).collect();
        if texts.iter().any(|text| is_verbatim(claim, text)) {
            return (SentenceCheck::verbatim(), None);
        }
        let (check, failure) = self.with_lines(claim, notes, &texts).await;
        let lines: Vec<&str> = notes.iter().map(|note| note.line.as_str()).collect();
        let is_supported = check.verdict == SentenceVerdict::Supported;
        let turned = is_supported.then(|| turned_round(claim, &texts, &lines)).flatten();
        (turned.unwrap_or(check), failure)
    }

    /// By the passages themselves; and only where they do not support it, by the lines above them too.
    async fn with_lines(
        &self,
        claim: &str,
        notes: &[Note],
        texts: &[&str],
    ) -> (SentenceCheck, Option<EntailmentError>) {
        let (check, failure) = self.held_against(claim, texts, windows_of(texts)).await;
        let line_adds = notes.iter().any(|note| note.line_adds_to(claim));
        if check.verdict != SentenceVerdict::Unsupported || !line_adds {
            return (check, failure);
        }
        let whole: Vec<String> = notes.iter().map(Note::whole).collect();
        let whole: Vec<&str> = whole.iter().map(String::as_str).collect();
        let windows = notes.iter().flat_map(windows_under_line).collect();
        let (with_lines, later) = self.held_against(claim, &whole, windows).await;
        let is_supported = with_lines.verdict == SentenceVerdict::Supported;
        (if is_supported { with_lines } else { check }, failure.or(later))
    }

    async fn held_against(
        &self,
        claim: &str,
        texts: &[&str],
        windows: Vec<String>,
    ) -> (SentenceCheck, Option<EntailmentError>) {
        if let Some(check) = foreign_signs(claim, texts).or_else(|| wrong_figures(claim, texts)) {
            return (check, None);
        }
        let (surest, by, failure) = self.surest(claim, &[windows]).await;
        let check = self.verdict(surest.first().copied().flatten(), by);
        let is_supported = check.verdict == SentenceVerdict::Supported;
        let added = is_supported.then(|| additions::added(claim, texts, Clauses::Added)).flatten();
        let check = with_what_was_not_looked_at(check, claim, texts);
        (added.map_or(check, |clause| unsupported(&clause)), failure)
    }

    /// A claim that cites nothing: the passage that supports it best, if one does.
    async fn attributed(
        &self,
        claim: &str,
        notes: &[Note],
    ) -> (Result<(u32, SentenceCheck), SentenceCheck>, Option<EntailmentError>) {
        if let Some(note) = notes.iter().find(|note| is_verbatim(claim, &note.text)) {
            let check = SentenceCheck { attributed: true, ..SentenceCheck::verbatim() };
            return (Ok((note.number, check)), None);
        }
        // What has so little to say could be about anything.
        let notes = if additions::says_enough(claim) { notes } else { &[] };
        let is_right = |text: &str| {
            foreign_signs(claim, &[text]).or_else(|| wrong_figures(claim, &[text])).is_none()
                && additions::added(claim, &[text], Clauses::All).is_none()
        };
        let is_straight = |note: &Note| turned_round(claim, &[&note.text], &[&note.line]).is_none();
        let in_passages = notes.iter().filter(|note| is_right(&note.text) && is_straight(note));
        let in_passages = in_passages.map(|note| (note.number, windows_of(&[note.text.as_str()]))).collect();
        let (found, failure) = self.best_of(claim, in_passages).await;
        let with_line: Vec<&Note> = notes
            .iter()
            .filter(|note| note.line_adds_to(claim) && is_right(&note.whole()) && is_straight(note))
            .collect();
        if found.is_ok() || with_line.is_empty() {
            return (found, failure);
        }
        let under_lines = with_line.iter().map(|note| (note.number, windows_under_line(note))).collect();
        let (with_lines, later) = self.best_of(claim, under_lines).await;
        (if with_lines.is_ok() { with_lines } else { found }, failure.or(later))
    }

    /// The note whose windows support a claim best, if one does.
    async fn best_of(
        &self,
        claim: &str,
        windows: Vec<(u32, Vec<String>)>,
    ) -> (Result<(u32, SentenceCheck), SentenceCheck>, Option<EntailmentError>) {
        let (numbers, windows): (Vec<u32>, Vec<Vec<String>>) = windows.into_iter().unzip();
        let (surest, by, failure) = self.surest(claim, &windows).await;
        let mut best: Option<(u32, SentenceCheck)> = None;
        for (number, of_note) in numbers.into_iter().zip(surest) {
            let check = self.verdict(of_note, by.clone());
            if best.as_ref().is_none_or(|(_, best)| check.support > best.support) {
                best = Some((number, check));
            }
        }
        let found = match best {
            Some((number, check)) if check.verdict == SentenceVerdict::Supported => {
                let check = with_what_was_not_looked_at(check, claim, &[]);
                Ok((number, SentenceCheck { attributed: true, ..check }))
            }
            best => {
                let (support, by) = best.map_or((0.0, by), |(_, check)| (check.support, check.by));
                let why = Some("it cites nothing, and no passage supports it".to_owned());
                Err(SentenceCheck {
                    verdict: SentenceVerdict::Unsupported,
                    support,
                    by,
                    why,
                    attributed: false,
                    computed: None,
                })
            }
        };
        (found, failure)
    }

    /// How each group of windows supports a claim at best, by whom that was found, and what went wrong.
    async fn surest(
        &self,
        claim: &str,
        groups: &[Vec<String>],
    ) -> (Vec<Option<Classification>>, String, Option<EntailmentError>) {
        let pair = |premise: &String| Pair { premise: premise.clone(), claim: claim.to_owned() };
        let pairs = || groups.iter().map(|windows| windows.iter().map(pair).collect()).collect();
        if groups.iter().all(Vec::is_empty) {
            return (vec![None; groups.len()], self.entailment.port().name().to_owned(), None);
        }
        match self.entailment.call(self.deadline, |entailment| entailment.surest_of_each(pairs())).await {
            Ok(surest) => (surest, self.entailment.port().name().to_owned(), None),
            // Nobody stands in for it: whoever would let through what it drops would make a failure bolder.
            Err(error) => (vec![None; groups.len()], self.entailment.port().name().to_owned(), Some(error)),
        }
    }

    /// The best window decides: a passage supports what any stretch of it supports.
    fn verdict(&self, best: Option<Classification>, by: String) -> SentenceCheck {
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
        SentenceCheck { verdict, support, by, why, attributed: false, computed: None }
    }
}

/// The sentence under the note it was found in, in place of those it cited; or as it was, with what was found wrong.
fn checked(sentence: Sentence, found: Result<(u32, SentenceCheck), SentenceCheck>) -> CheckedSentence {
    match found {
        Ok((number, check)) => {
            let text = with_marker(&without_markers(&sentence.text), number);
            CheckedSentence { sentence: Sentence { text, citations: vec![number], ..sentence }, check }
        }
        Err(check) => CheckedSentence { sentence, check },
    }
}

/// The windows of a passage, each below the line of its note, and the line by itself.
fn windows_under_line(note: &Note) -> Vec<String> {
    let below = windows_of(&[note.text.as_str()]);
    let below = below.iter().map(|window| format!("{}\n{window}", note.line));
    std::iter::once(note.line.clone()).chain(below).collect()
}

/// A claim as a verifier reads it.
fn readable(claim: &str) -> String {
    plain(&unsteered(claim)).into_owned()
}

/// A passage as a verifier reads it: what may not go out of it cannot support anything.
fn as_read(text: &str) -> String {
    plain(&unsteered(&sanitize(text, &[text]))).into_owned()
}

/// A clause was added that the passages do not have.
fn unsupported(clause: &str) -> SentenceCheck {
    let why = Some(format!("its passages do not have the words of \"{clause}\""));
    let verdict = SentenceVerdict::Unsupported;
    SentenceCheck { verdict, support: 0.0, by: "figures".to_owned(), why, attributed: false, computed: None }
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

/// A sign, a numeral, a script or a word of several in one that stands in none of the passages: nobody could read it.
fn foreign_signs(claim: &str, passages: &[&str]) -> Option<SentenceCheck> {
    let why = foreign(claim, passages)?.to_string();
    let verdict = SentenceVerdict::Unsupported;
    Some(SentenceCheck {
        verdict,
        support: 0.0,
        by: "figures".to_owned(),
        why: Some(why),
        attributed: false,
        computed: None,
    })
}

/// A claim that puts the words of its passages together as they do not.
fn turned_round(claim: &str, passages: &[&str], lines: &[&str]) -> Option<SentenceCheck> {
    let turn = meaning::turned(claim, passages, lines)?;
    let verdict = if turn.kind.contradicts() { SentenceVerdict::Contradicted } else { SentenceVerdict::Unsupported };
    let (by, why) = ("figures".to_owned(), Some(turn.explanation));
    Some(SentenceCheck { verdict, support: 0.0, by, why, attributed: false, computed: None })
}

/// Of a claim that is supported: that nobody looked at how it is put together, because its language has no rules.
fn with_what_was_not_looked_at(check: SentenceCheck, claim: &str, passages: &[&str]) -> SentenceCheck {
    let is_judged = check.verdict == SentenceVerdict::Supported && check.by != SentenceCheck::verbatim().by;
    let language = meaning::language_of(claim, passages).filter(|language| !meaning::has_rules(*language));
    let Some(language) = language.filter(|_| is_judged) else { return check };
    let why =
        format!("its words were compared; there are no rules for what {} words do to each other", language.name());
    SentenceCheck { why: Some(why), ..check }
}

/// What a rule finds wrong with a claim: figures, names or quotations that stand in none of the passages, or what they
/// say turned round.
fn wrong_figures(claim: &str, passages: &[&str]) -> Option<SentenceCheck> {
    let findings = ibidem_language::figures::check(claim, passages);
    let contradicts = findings.iter().any(|finding| finding.kind.contradicts());
    let verdict = if contradicts { SentenceVerdict::Contradicted } else { SentenceVerdict::Unsupported };
    let why: Vec<String> = findings.iter().map(ToString::to_string).collect();
    let by = "figures".to_owned();
    (!why.is_empty()).then(|| SentenceCheck {
        verdict,
        support: 0.0,
        by,
        why: Some(why.join("; ")),
        attributed: false,
        computed: None,
    })
}

#[cfg(test)]
mod tests;
