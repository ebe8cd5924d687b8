//! Letting a model write, and letting through only whole sentences that cite a minted note.

use std::time::Instant;

use futures::StreamExt as _;

use super::Listener;
use super::background::Background;
use super::footnotes::Footnotes;
use super::gauntlet::{Counts, Gauntlet, Passed};
use super::prompt::prompt;
use super::sentences::{Kind, Sentence, SentenceHolder, WaitingLayout};
use crate::policy::SpeakRules;
use crate::ports::language_model::{LanguageModel, ModelError, Piece, Usage};
use crate::words::Question;

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
    pub sentences: Vec<Sentence>,
    pub dropped_sentences: u32,
    pub markers: Counts,
    pub usage: Option<Usage>,
    pub ended: Ended,
    pub took_ms: u64,
}

/// Text on its way from the model to the asker.
struct Desk<'a, 'b> {
    gauntlet: Gauntlet,
    holder: SentenceHolder,
    layout: WaitingLayout,
    draft: Draft,
    raw: Vec<u8>,
    footnotes: &'a Footnotes<'b>,
    background: Background,
    listener: &'a mut dyn Listener,
}

pub(super) async fn generate(
    model: &dyn LanguageModel,
    rules: &SpeakRules,
    question: &Question,
    footnotes: &Footnotes<'_>,
    background: &[String],
    listener: &mut dyn Listener,
) -> Draft {
    let name = question.model.clone().unwrap_or_else(|| model.default_model().to_owned());
    let draft = Draft {
        model: name,
        raw: String::new(),
        sentences: Vec::new(),
        dropped_sentences: 0,
        markers: Counts::default(),
        usage: None,
        ended: Ended::Whole,
        took_ms: 0,
    };
    let began = Instant::now();
    let gauntlet = Gauntlet::new(footnotes.minted());
    let mut desk = Desk {
        gauntlet,
        holder: SentenceHolder::default(),
        layout: WaitingLayout::default(),
        draft,
        raw: Vec::new(),
        footnotes,
        background: Background::of(background),
        listener,
    };
    match model.write(prompt(rules, question, footnotes, background)).await {
        Err(error) => desk.draft.ended = Ended::Early(error),
        Ok(mut pieces) => loop {
            match pieces.next().await {
                Some(Ok(Piece::Text(piece))) => desk.take(&piece),
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
    let took_ms = u64::try_from(began.elapsed().as_millis()).unwrap_or(u64::MAX);
    Draft { took_ms, ..desk.finish() }
}

impl Desk<'_, '_> {
    fn take(&mut self, piece: &[u8]) {
        self.raw.extend_from_slice(piece);
        let passed = self.gauntlet.push(piece);
        self.hold(passed);
    }

    fn hold(&mut self, passed: Vec<Passed>) {
        for passed in passed {
            for sentence in self.holder.push(passed) {
                self.release(sentence);
            }
        }
    }

    /// A sentence without a source is not said, nor one that is a background note's.
    fn release(&mut self, sentence: Sentence) {
        if sentence.kind == Kind::Layout {
            return self.layout.hold(sentence);
        }
        let cited = sentence.citations.iter().filter_map(|number| self.footnotes.text(*number));
        if sentence.citations.is_empty() || self.background.is_repeated_in(&sentence.text, cited) {
            self.draft.dropped_sentences += 1;
            return self.layout.dropped();
        }
        for layout in self.layout.before(&sentence) {
            self.listener.sentence(&layout.text, Vec::new());
            self.draft.sentences.push(layout);
        }
        self.listener.sentence(&sentence.text, self.footnotes.citations(&sentence));
        self.draft.sentences.push(sentence);
    }

    fn finish(mut self) -> Draft {
        let passed = self.gauntlet.finish();
        self.hold(passed);
        // Half a sentence of a model that broke off is not a sentence.
        for last in self.holder.finish() {
            match self.draft.ended {
                Ended::Whole => self.release(last),
                Ended::Early(_) => self.draft.dropped_sentences += u32::from(last.kind == Kind::Claim),
            }
        }
        self.draft.markers = self.gauntlet.counts();
        self.draft.raw = String::from_utf8_lossy(&self.raw).into_owned();
        self.draft
    }
}
