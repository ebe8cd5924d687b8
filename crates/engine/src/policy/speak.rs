//! What a policy says about speaking: who writes, from how much, how it is checked, and when it is shown.

use serde::{Deserialize, Serialize};

#[derive(Clone, PartialEq, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SpeakRules {
    pub mode: SpeakMode,
    /// How a model that writes names its notes.
    #[serde(default)]
    pub notes_by: NotesBy,
    /// Sentences of an extractive answer.
    pub extractive_sentences: usize,
    pub temperature: f64,
    /// The most a model may write, unless its own limit is lower.
    pub max_answer_tokens: u32,
    /// What the model is told; the notes and the question follow as messages of their own.
    pub system_prompt: String,
    /// Said above curators' notes, which the model may know and must not say.
    #[serde(default)]
    pub background_prompt: String,
    /// A conversation that shows how it is done.
    #[serde(default)]
    pub examples: Vec<Example>,
    #[serde(default)]
    pub budget: Budget,
    #[serde(default)]
    pub verification: VerificationRules,
    /// The least probability, by the reader, that what is to be said answers the question: below it nothing is said. Null:
    /// nobody asks.
    #[serde(default)]
    pub least_answering: Option<f64>,
    /// Said above the sources' own sentences that are quoted where nothing a model wrote may be said: its sentences have no
    /// support, or do not answer. A reader must have read the passages. Null: such a question is refused.
    #[serde(default)]
    pub quote_instead: Option<String>,
    /// The planner first says which notes support an answer; none supports one, and nothing is written.
    #[serde(default)]
    pub outline: Option<OutlineRules>,
    /// An answer that is less sure than this goes to somebody who may know. Null: every answer is shown.
    #[serde(default)]
    pub confidence: Option<ConfidenceRules>,
    /// A cited document that was not updated for so many days is named in a warning.
    #[serde(default)]
    pub stale_after_days: Option<u32>,
}

#[derive(Clone, PartialEq, Eq, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Example {
    pub notes: Vec<String>,
    pub question: String,
    pub answer: String,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SpeakMode {
    /// A model writes from the notes; when it does not answer, the sources' own sentences stand in.
    Model,
    /// A model chooses among the notes' sentences, and they are quoted; when it does not answer, it is as without one.
    Choose,
    /// The sources' own sentences, and no model at all.
    Extractive,
}

/// How a model says which notes a sentence comes from.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum NotesBy {
    /// By markers in its text.
    #[default]
    Markers,
    /// In JSON, to whose schema its server binds it where it can.
    Schema,
}

/// Bounds the parts of a prompt, in tokens. What a model's window holds beside them is the model's own.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields, default)]
pub struct Budget {
    /// Kept free for the system prompt, also where it is shorter.
    pub system_prompt: u32,
    /// Bounds the conversation so far; it never gets more than a third of what is left.
    pub history: u32,
    /// Bounds the notes.
    pub context: u32,
}

impl Default for Budget {
    fn default() -> Self {
        Self { system_prompt: 500, history: 1_000, context: 3_000 }
    }
}

#[derive(Clone, Copy, PartialEq, Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields, default)]
pub struct VerificationRules {
    pub mode: VerificationMode,
    /// How surely its passages must support a sentence, 0 to 1.
    pub least_support: f64,
}

impl Default for VerificationRules {
    fn default() -> Self {
        Self { mode: VerificationMode::Strict, least_support: 0.5 }
    }
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, Deserialize, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum VerificationMode {
    /// Nothing is checked but that a passage is cited.
    Off,
    /// A sentence that its passages do not support is said, and marked.
    Mark,
    /// It is not said.
    Strict,
}

#[derive(Clone, PartialEq, Eq, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct OutlineRules {
    /// What the planner is told.
    pub prompt: String,
    /// How it names the notes. By a schema it also says whether they answer at all: a second reader of all of them in one
    /// call, beside the one that needs no network.
    #[serde(default)]
    pub notes_by: NotesBy,
}

#[derive(Clone, PartialEq, Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct ConfidenceRules {
    /// The confidence from which an answer is shown, from 0 to 100. Below it somebody is named who may know.
    pub cite_from: f64,
    /// What becomes of an answer below that.
    #[serde(default)]
    pub below: Below,
    /// What each part of the confidence counts.
    #[serde(default)]
    pub weights: ConfidenceWeights,
    /// What is left of the coverage, 0 to 1, where the question was taken apart or put in other words, or where the answer
    /// tells that something was replaced. Once, however many of these are so.
    #[serde(default = "doubtful_share")]
    pub doubtful_share: f64,
    /// What is given of the coverage, 0 to 1, where no reader read the answer: a text may answer in other words. The rest is
    /// given as far as the answer has the question's words.
    #[serde(default = "unread_share")]
    pub unread_share: f64,
    /// How well the search went is the mean similarity of so many of the best passages; one that is missing counts 0.
    #[serde(default = "one")]
    pub best_passages: usize,
    #[serde(default)]
    pub judge: Judge,
    /// What a model is asked that judges: for one number from 0 to 100. It has {question}, {notes} and {answer}.
    #[serde(default)]
    pub judge_prompt: String,
    /// An answer that is not sure enough is shown all the same, marked as a draft that nobody verified.
    #[serde(default)]
    pub show_draft: bool,
}

impl ConfidenceRules {
    /// Where a policy does not say.
    pub const DOUBTFUL_SHARE: f64 = 0.8;
    pub const UNREAD_SHARE: f64 = 0.5;
}

fn doubtful_share() -> f64 {
    ConfidenceRules::DOUBTFUL_SHARE
}

fn unread_share() -> f64 {
    ConfidenceRules::UNREAD_SHARE
}

fn one() -> usize {
    1
}

/// What the parts of a confidence count beside each other.
#[derive(Clone, Copy, PartialEq, Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct ConfidenceWeights {
    /// How well the search went.
    pub retrieval: f64,
    /// How far the answer covers the question, and the sources the answer.
    pub coverage: f64,
    /// What the judge says of it. Where nobody was asked, the coverage counts for it.
    pub judge: f64,
}

impl Default for ConfidenceWeights {
    fn default() -> Self {
        Self { retrieval: 30.0, coverage: 40.0, judge: 30.0 }
    }
}

/// What becomes of an answer that is not sure enough.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Deserialize, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Below {
    /// Somebody is named who may know.
    #[default]
    Route,
    Refuse,
}

/// Whose opinion of an answer counts.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Deserialize, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Judge {
    /// The entailment model's, of each sentence.
    #[default]
    Verifier,
    /// A model's that did not write it: the one with the role of a judge.
    Model,
    /// The model's that wrote it.
    #[serde(rename = "self")]
    Itself,
}

/// What becomes of a question that the documents do not answer.
#[derive(Clone, PartialEq, Eq, Debug, Default, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum OutOfCorpus {
    #[default]
    Refuse,
    /// A model answers from what it knows, under a disclaimer and without any source.
    Disclaimed(Disclaimed),
}

#[derive(Clone, PartialEq, Eq, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Disclaimed {
    /// Said above every such answer.
    pub disclaimer: String,
    pub system_prompt: String,
}

impl SpeakRules {
    pub(super) fn contradictions(&self, found: &mut Vec<String>) {
        if self.outline.as_ref().is_some_and(|outline| outline.prompt.trim().is_empty()) {
            found.push("speak.outline.prompt is empty: the planner would not know what to do".to_owned());
        }
        let Some(confidence) = &self.confidence else { return };
        let ConfidenceWeights { retrieval, coverage, judge } = confidence.weights;
        if retrieval + coverage + judge <= 0.0 {
            found.push("speak.confidence.weights must not all be 0".to_owned());
        }
        let asks_a_model = confidence.judge != Judge::Verifier;
        let places = ["{question}", "{notes}", "{answer}"];
        if asks_a_model && !places.iter().all(|place| confidence.judge_prompt.contains(place)) {
            let places = places.join(", ");
            found.push(format!("speak.confidence.judge_prompt must have {places} in it: the judge would see nothing"));
        }
    }
}

impl OutOfCorpus {
    pub(super) fn contradictions(&self, found: &mut Vec<String>) {
        let Self::Disclaimed(disclaimed) = self else { return };
        if disclaimed.disclaimer.trim().is_empty() {
            found.push("out_of_corpus.disclaimed.disclaimer is empty: guesses would pass for answers".to_owned());
        }
        if disclaimed.system_prompt.trim().is_empty() {
            found
                .push("out_of_corpus.disclaimed.system_prompt is empty: the model would not know its place".to_owned());
        }
    }
}
