//! Letting a model write, and letting out only whole sentences that their passages support.

use std::time::Instant;

use futures::StreamExt as _;

use super::Listener;
use super::background::Background;
use super::confidence::Weighing;
use super::footnotes::Footnotes;
use super::gauntlet::{Counts, Gauntlet, Passed};
use super::markers::behind;
use super::said::Said;
use super::sentences::{Kind, Sentence, SentenceHolder, WaitingLayout};
use super::verify::Verifier;
use crate::policy::{Judge, Policy, VerificationMode};
use crate::ports::entailment::EntailmentError;
use crate::ports::language_model::{ModelError, Piece, Prompt, Usage};
use crate::roles::NamedModel;
use crate::words::{PassageKey, SentenceCheck, SentenceVerdict};

/// How the writing ended.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Ended {
    Whole,
    Early(ModelError),
}

/// What a model wrote, and what became of it. Kept for the record.
#[derive(Clone, Debug)]
pub struct Draft {
    pub model: String,
    /// As produced, before the gauntlet.
    pub raw: String,
    /// Released, in order.
    pub said: Vec<Said>,
    /// Checked, and not released: with them the answer is not sure enough, or nobody has judged it yet.
    pub withheld: Vec<Said>,
    /// Not said, with what was found wrong with each.
    pub dropped: Vec<Said>,
    pub markers: Counts,
    pub usage: Option<Usage>,
    pub ended: Ended,
    pub took_ms: u64,
    /// The passages that it was shown, in order.
    pub written_from: Vec<PassageKey>,
    /// Something had fallen back before it wrote.
    pub fell_back: bool,
    /// The share of the answer's phrases that the sources have, after so many sentences that may be shown.
    pub coverage: Vec<(usize, f64)>,
    /// What went wrong with the verifier first.
    pub verifier_failure: Option<EntailmentError>,
}

impl Draft {
    fn of(model: String) -> Self {
        Self {
            model,
            raw: String::new(),
            said: Vec::new(),
            withheld: Vec::new(),
            dropped: Vec::new(),
            markers: Counts::default(),
            usage: None,
            ended: Ended::Whole,
            took_ms: 0,
            written_from: Vec::new(),
            fell_back: false,
            coverage: Vec::new(),
            verifier_failure: None,
        }
    }

    /// There is no claim in it that can be shown, or was.
    pub(super) fn is_silent(&self) -> bool {
        !self.said.iter().chain(&self.withheld).any(|said| said.sentence.kind == Kind::Claim)
    }

    pub fn dropped_sentences(&self) -> u32 {
        u32::try_from(self.dropped.len()).unwrap_or(u32::MAX)
    }
}

/// What everything that is written is held against.
pub(super) struct Standard<'a> {
    pub(super) policy: &'a Policy,
    pub(super) footnotes: &'a Footnotes<'a>,
    pub(super) background: &'a [String],
    pub(super) verifier: &'a Verifier<'a>,
    pub(super) weighing: &'a Weighing,
}

/// Text on its way from the model to the asker.
struct Desk<'a> {
    standard: &'a Standard<'a>,
    gauntlet: Gauntlet,
    holder: SentenceHolder,
    layout: WaitingLayout,
    background: Background,
    draft: Draft,
    raw: Vec<u8>,
    listener: &'a mut dyn Listener,
}

pub(super) async fn generate<'a>(
    model: &NamedModel,
    prompt: Prompt,
    standard: &'a Standard<'a>,
    listener: &'a mut dyn Listener,
) -> Draft {
    let began = Instant::now();
    let mut desk = Desk {
        standard,
        gauntlet: Gauntlet::new(standard.footnotes.minted()),
        holder: SentenceHolder::default(),
        layout: WaitingLayout::default(),
        background: Background::of(standard.background),
        draft: Draft::of(model.name.clone()),
        raw: Vec::new(),
        listener,
    };
    match model.model.write(Prompt { model: Some(model.name.clone()), ..prompt }).await {
        Err(error) => desk.draft.ended = Ended::Early(error),
        Ok(mut pieces) => loop {
            match pieces.next().await {
                Some(Ok(Piece::Text(piece))) => desk.take(&piece).await,
                Some(Ok(Piece::Done { usage })) => {
                    desk.draft.usage = usage;
                    break;
                }
                Some(Err(error)) => {
                    desk.draft.ended = Ended::Early(error);
                    break;
                }
                None => {
                    let error = ModelError::Failed("the stream ended before the model did".to_owned());
                    desk.draft.ended = Ended::Early(error);
                    break;
                }
            }
        },
    }
    let draft = desk.finish().await;
    Draft { took_ms: u64::try_from(began.elapsed().as_millis()).unwrap_or(u64::MAX), ..draft }
}

impl Desk<'_> {
    async fn take(&mut self, piece: &[u8]) {
        self.raw.extend_from_slice(piece);
        let passed = self.gauntlet.push(piece);
        self.hold(passed).await;
    }

    async fn hold(&mut self, passed: Vec<Passed>) {
        for passed in passed {
            for sentence in self.holder.push(passed) {
                self.judge(sentence).await;
            }
        }
    }

    /// What a sentence says is not said if it is a background note's, or if no passage supports it.
    async fn judge(&mut self, sentence: Sentence) {
        if sentence.kind == Kind::Layout {
            return self.layout.hold(sentence);
        }
        let footnotes = self.standard.footnotes;
        let cited = sentence.citations.iter().filter_map(|number| footnotes.text(*number));
        if self.background.is_repeated_in(&sentence.text, cited) {
            let why = Some("it repeats what a curator wrote as background".to_owned());
            let check = SentenceCheck { why, ..SentenceCheck::unchecked() };
            return self.drop(Said { sentence, check });
        }
        let (mut said, failure) = self.standard.verifier.check(sentence, footnotes).await;
        self.draft.verifier_failure = self.draft.verifier_failure.take().or(failure);
        if said.sentence.kind == Kind::Layout {
            // What the notes do not say needs no source: it is said with what they do say.
            self.draft.withheld.push(said);
            return self.release();
        }
        let rules = &self.standard.policy.rules;
        let is_supported = said.check.verdict == SentenceVerdict::Supported;
        let is_cited = !said.sentence.citations.is_empty();
        match rules.speak.verification.mode {
            VerificationMode::Strict if !is_supported => return self.drop(said),
            VerificationMode::Off if !is_cited => return self.drop(said),
            VerificationMode::Mark if !is_supported => {
                let mark = format!(" {}", rules.wording.unverified.trim());
                said.sentence.text = behind(&said.sentence.text, &mark);
            }
            _ => {}
        }
        for layout in self.layout.before(&said.sentence) {
            self.draft.withheld.push(Said { sentence: layout, check: SentenceCheck::unchecked() });
        }
        self.draft.withheld.push(said);
        self.release();
    }

    fn drop(&mut self, said: Said) {
        self.draft.dropped.push(said);
        self.layout.dropped();
    }

    /// A sentence goes out when the answer with it, and with all before it, is sure enough: what went out cannot be
    /// taken back. A model's opinion of the whole comes when the whole is there.
    fn release(&mut self) {
        let confidence = self.standard.policy.rules.speak.confidence.as_ref();
        if confidence.is_some_and(|rules| rules.judge != Judge::Verifier) {
            return;
        }
        let weighing = self.standard.weighing;
        if self.draft.is_silent() {
            return;
        }
        let so_far = self.draft.said.iter().chain(&self.draft.withheld);
        let sentences = so_far.clone().count();
        let confidence = weighing.verified(so_far);
        self.draft.coverage.push((sentences, confidence.coverage_score));
        if weighing.is_enough(confidence) {
            self.draft.release(self.standard.footnotes, self.listener);
        }
    }

    async fn finish(mut self) -> Draft {
        let passed = self.gauntlet.finish();
        self.hold(passed).await;
        for last in self.holder.finish() {
            match self.draft.ended {
                Ended::Whole => self.judge(last).await,
                // Half a sentence of a model that broke off is not a sentence.
                Ended::Early(_) if last.kind == Kind::Claim => {
                    let why = Some("the model broke off".to_owned());
                    let check = SentenceCheck { why, ..SentenceCheck::unchecked() };
                    self.draft.dropped.push(Said { sentence: last, check });
                }
                Ended::Early(_) => {}
            }
        }
        self.draft.markers = self.gauntlet.counts();
        self.draft.raw = String::from_utf8_lossy(&self.raw).into_owned();
        self.draft
    }
}

impl Draft {
    /// Lets out what was withheld.
    pub(super) fn release(&mut self, footnotes: &Footnotes<'_>, listener: &mut dyn Listener) {
        for said in self.withheld.drain(..) {
            listener.sentence(&said.sentence.text, footnotes.citations(&said.sentence));
            self.said.push(said);
        }
    }
}
