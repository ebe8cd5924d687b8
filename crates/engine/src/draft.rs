//! What a model wrote, and what became of it.

use ibidem_language::sentences::Sentence;
use ibidem_ports::entailment::EntailmentError;
use ibidem_ports::language_model::{ModelError, Usage};
use ibidem_ports::records::MarkerCounts;
use ibidem_ports::reranker::RerankError;
use ibidem_words::{PassageKey, SentenceCheck};

/// A sentence that may be shown, with how it was checked.
#[derive(Clone, PartialEq, Debug)]
pub struct CheckedSentence {
    pub sentence: Sentence,
    pub check: SentenceCheck,
}

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
    /// What the model produced, before the gauntlet changed it.
    pub raw: String,
    /// The sentences that were released, in order.
    pub released: Vec<CheckedSentence>,
    /// Checked, and not released: with them the answer is not sure enough, or nobody has judged it yet.
    pub withheld: Vec<CheckedSentence>,
    /// Not said, with what was found wrong with each.
    pub dropped: Vec<CheckedSentence>,
    /// Not said either: a sentence of their notes was quoted in their place.
    pub replaced: Vec<CheckedSentence>,
    pub markers: MarkerCounts,
    pub usage: Option<Usage>,
    pub ended: Ended,
    pub took_ms: u64,
    /// The passages that it was shown, in order.
    pub written_from: Vec<PassageKey>,
    /// Something had fallen back before it wrote.
    pub fell_back: bool,
    /// How far the answer covered the question, and the sources the answer, after so many sentences that may be shown.
    pub coverage: Vec<(usize, f64)>,
    /// What a reader found of the whole; none where the policy does not ask.
    pub answering: Option<AnswerReading>,
    /// Somebody was there to read whether it answers.
    pub has_reader: bool,
    /// The model chose among the notes' sentences, and wrote none.
    pub is_choice: bool,
    /// What went wrong with the verifier first.
    pub verifier_failure: Option<EntailmentError>,
    /// The verifier failed, and nothing that came behind was let out: what it would have dropped is not known.
    pub is_cut_by_verifier: bool,
}

/// How likely an answer answers its question, as a reader found it while the answer was written.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct AnswerReading {
    /// How likely it answers after so many sentences that may be shown.
    pub so_far: Vec<(usize, f64)>,
    /// Nobody reads: what is configured does not say whether a text answers.
    pub is_over: bool,
    /// The reader that is configured has failed: from there on only a curator's choice counts.
    pub is_unread: bool,
    pub failure: Option<RerankError>,
}

impl AnswerReading {
    /// How likely all answers that may be shown so far.
    pub(crate) fn last(&self) -> Option<f64> {
        self.so_far.last().map(|(_, likely)| *likely)
    }
}
