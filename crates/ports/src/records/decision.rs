//! What a decision was made of, as far as it must be known to make it again.

use ibidem_language::PresentTerms;
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use ibidem_words::{
    Action, CollectionName, DocumentKind, Fallback, GateRecord, PassageKey, Promise, Reason, SentenceVerdict,
    Sha256Hash,
};

/// Records a decision with everything that it depended on: the scores, never the texts.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct DecisionRecord {
    pub action: Action,
    pub reason: Option<Reason>,
    /// What kind of question it was, by rule. Absent in records from before there were classes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub class: Option<QueryClass>,
    pub trace: Vec<GateRecord>,
    /// None where a rule decided before anything was searched.
    pub searched: Option<Searched>,
    /// What each round of gathering brought to the gates. Empty where no gate decided: a rule did, or a part failed.
    pub rounds: Vec<PoolRecord>,
    /// What was written, and how it was found; none when nothing was.
    pub speech: Option<Speech>,
    /// A model answered from what it knows, under a disclaimer.
    #[serde(default, skip_serializing_if = "is_false")]
    pub is_general: bool,
    /// The tools that were called, or were to be.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tool_calls: Vec<ToolCallRecord>,
}

/// A call of a tool: what was asked, what came back as far as it was used, and how it ended. It holds no credential and no
/// field of the result that the policy does not name.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct ToolCallRecord {
    pub server: String,
    pub tool: String,
    pub call_id: Uuid,
    pub outcome: ToolOutcome,
    /// The tool's description as it was found; none where nobody asked for it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pin: Option<Sha256Hash>,
    /// Holds the arguments by name. They are texts, so that a record which hides texts hides them all.
    pub arguments: Vec<(String, String)>,
    /// The fields that the policy names, as they were used, in its order.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub result: Vec<(String, String)>,
    pub took_ms: u64,
    /// The call that the asker confirmed, by the id that the turn before gave it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub confirms: Option<Uuid>,
}

/// How the call of a tool ended.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ToolOutcome {
    /// Its result was said.
    Answered,
    /// It knows no such thing.
    Absent,
    /// It was not called: the question lacks an argument.
    ArgumentsMissing,
    /// It was not called: it changes something.
    NotAllowed,
    /// It was not called: it changes something, and the asker was asked to confirm it.
    ConfirmationNeeded,
    /// It was not called: the confirmation came too late.
    ConfirmationExpired,
    /// It was not called: the confirmation was used before.
    ConfirmationUsed,
    /// Nothing was called: there is no such confirmation of this asker.
    ConfirmationUnknown,
    /// It was not called: its description is not the pinned one, or it is gone.
    Changed,
    Timeout,
    /// It was not called: its server failed too often.
    CircuitOpen,
    /// It was not called: too many calls are under way.
    Busy,
    Unavailable,
    /// It says that it failed.
    Failed,
    TooLarge,
    /// Its result is not what its schema says.
    InvalidResult,
    /// The reply would have had a figure that the result does not have.
    UnsupportedFigure,
}

impl ToolOutcome {
    /// Why there is no answer; none where there is one.
    pub fn reason(self) -> Option<Reason> {
        match self {
            Self::Answered => None,
            Self::Absent => Some(Reason::EntityNotFound),
            Self::ArgumentsMissing => Some(Reason::ToolArgumentsMissing),
            Self::NotAllowed => Some(Reason::ToolNotAllowed),
            Self::ConfirmationNeeded => Some(Reason::ToolConfirmationNeeded),
            Self::ConfirmationExpired => Some(Reason::ToolConfirmationExpired),
            Self::ConfirmationUsed => Some(Reason::ToolConfirmationUsed),
            Self::ConfirmationUnknown => Some(Reason::ToolConfirmationUnknown),
            Self::Changed => Some(Reason::ToolChanged),
            Self::Timeout | Self::CircuitOpen | Self::Busy | Self::Unavailable => Some(Reason::ToolUnavailable),
            Self::Failed => Some(Reason::ToolFailed),
            Self::TooLarge | Self::InvalidResult | Self::UnsupportedFigure => Some(Reason::ToolResultInvalid),
        }
    }

    pub fn as_str(self) -> &'static str {
        match self {
            Self::Answered => "answered",
            Self::Absent => "absent",
            Self::ArgumentsMissing => "arguments_missing",
            Self::NotAllowed => "not_allowed",
            Self::ConfirmationNeeded => "confirmation_needed",
            Self::ConfirmationExpired => "confirmation_expired",
            Self::ConfirmationUsed => "confirmation_used",
            Self::ConfirmationUnknown => "confirmation_unknown",
            Self::Changed => "changed",
            Self::Timeout => "timeout",
            Self::CircuitOpen => "circuit_open",
            Self::Busy => "busy",
            Self::Unavailable => "unavailable",
            Self::Failed => "failed",
            Self::TooLarge => "too_large",
            Self::InvalidResult => "invalid_result",
            Self::UnsupportedFigure => "unsupported_figure",
        }
    }
}

/// What kind of question something is.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum QueryClass {
    /// Asks for a fact.
    Factual,
    /// Asks how something is done.
    Procedural,
    /// Leans on what was said before.
    Clarification,
    /// Greets, thanks, or asks about the assistant.
    Greeting,
}

/// How it was searched.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Searched {
    /// Restricts the search to these collections. An empty list means all.
    pub collections: Vec<CollectionName>,
    /// The question and what a planner made of it: each with its kind.
    pub variants: Vec<(String, String)>,
    /// Passages that were found and that the catalogue confirmed.
    pub hits: usize,
    /// The mean of the similarities that the gates looked at; none where there was no passage.
    pub mean_similarity: Option<f64>,
    /// Read, and left out before any gate.
    pub left_out: Vec<CandidateRecord>,
}

/// A pool as the gates saw it.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct PoolRecord {
    pub round: u32,
    pub reranked: bool,
    pub max_context_chunks: usize,
    /// How many words the question has that say what it is about.
    pub terms: usize,
    pub fallback_reasons: Vec<Fallback>,
    /// A reader was configured and had read none of it: what needs its word was refused. Absent in records from before
    /// that, where the other gates decided.
    #[serde(default, skip_serializing_if = "is_false")]
    pub unread: bool,
    /// Only words were searched, and how near the evidence is in meaning counted as nothing. Absent in records from before
    /// that, where the share of the question's words stood in for it.
    #[serde(default, skip_serializing_if = "is_false")]
    pub by_words_alone: bool,
    /// Every gate looked at all that was found. Absent in records from before that: there each looked at what the gates
    /// before it had left.
    #[serde(default, skip_serializing_if = "is_false")]
    pub gates_look_alone: bool,
    /// Lists the candidates, the best first.
    pub candidates: Vec<CandidateRecord>,
    /// The places of those that the gates left, in order.
    pub kept: Vec<u32>,
}

/// A candidate with every score it earned.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct CandidateRecord {
    pub passage: PassageKey,
    pub collection: CollectionName,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub kind: Option<DocumentKind>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cosine: Option<f32>,
    /// The cosine on the scale that policies speak of. Absent where it is the cosine itself.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub scaled: Option<f64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bm25: Option<f32>,
    pub fused: f64,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rerank: Option<f32>,
    /// What the first reader gave it, where a second one decided.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub read_first: Option<f32>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub curated: Option<f64>,
    #[serde(default, skip_serializing_if = "is_false")]
    pub addressed: bool,
    #[serde(default, skip_serializing_if = "is_false")]
    pub on_its_text: bool,
    #[serde(default, skip_serializing_if = "is_false")]
    pub forced: bool,
    /// Says why gathering promised it a place. It is absent in records from before gates kept promises: there they did
    /// not.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub promised: Option<Promise>,
    /// The share of the question's words that it has, and which.
    pub coverage: f64,
    pub present: PresentTerms,
    /// The places of better ones that are alike, and how much.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub alike: Vec<(u32, f64)>,
}

/// What was said, in numbers: how each sentence was found, and how sure the whole was.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(tag = "by", rename_all = "snake_case")]
pub enum Speech {
    /// The sources' own sentences.
    Extractive {
        coverage: f64,
        /// By somebody who was asked. In records of older versions quotations have the verifier's 100.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        judged: Option<f64>,
        fallback_reasons: Vec<Fallback>,
        /// How likely the sentences answer the question, by a reader: empty where nobody read them, absent where the policy
        /// did not ask.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        answering: Option<Vec<(u32, f64)>>,
        /// They stand in for a model that was asked and did not answer.
        #[serde(default, skip_serializing_if = "is_false")]
        model_failed: bool,
        /// They stand in for what a model wrote in vain.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        instead_of: Option<Box<Written>>,
    },
    Model(Written),
}

/// What a model wrote.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Written {
    pub model: String,
    /// The places of the passages that it wrote from, in the last round's pool.
    pub evidence: Vec<u32>,
    /// Something had fallen back before it wrote; and by the end.
    pub fell_back_before: bool,
    pub fell_back_after: bool,
    /// How surely a sentence had to be supported.
    pub least_support: f64,
    /// May be shown, in order, structure between the claims included.
    pub kept: Vec<SentenceRecord>,
    pub dropped: Vec<SentenceRecord>,
    /// Holds the sentences as they were written; in place of each, `kept` has a quotation.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub replaced: Vec<SentenceRecord>,
    /// How far the answer covered the question, and the sources the answer, after so many of what was kept.
    pub coverage: Vec<(u32, f64)>,
    /// Nobody has an opinion of sentences that stand word for word in their sources. Absent in records of older versions,
    /// where the verifier gave them 100.
    #[serde(default, skip_serializing_if = "is_false")]
    pub quotations_unjudged: bool,
    /// How likely the answer answers the question, after so many of what was kept, by a reader: empty where nobody read
    /// it, absent where the policy did not ask.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub answering: Option<Vec<(u32, f64)>>,
    /// Somebody was there to read whether it answers.
    #[serde(default, skip_serializing_if = "is_false")]
    pub has_reader: bool,
    /// The verifier failed before anything was let out, so nothing was said. Absent in records from before that, where words
    /// stood in for it.
    #[serde(default, skip_serializing_if = "is_false")]
    pub unverified: bool,
    /// The model chose among the notes' sentences, and wrote none.
    #[serde(default, skip_serializing_if = "is_false")]
    pub chosen: bool,
    /// How the answer was weighed in the end; none when there was nothing to weigh.
    pub weighed: Option<Weighed>,
}

#[derive(Clone, Copy, PartialEq, Debug, Serialize, Deserialize)]
pub struct Weighed {
    pub coverage: f64,
    /// None where nobody was asked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub judged: Option<f64>,
}

#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct SentenceRecord {
    pub is_claim: bool,
    pub is_cited: bool,
    pub verdict: SentenceVerdict,
    pub support: f64,
    pub by: String,
    /// Why it is not supported, in words.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub why: Option<String>,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "the signature that serde asks for")]
fn is_false(value: &bool) -> bool {
    !value
}

impl PoolRecord {
    /// Where these passages stand in the pool.
    pub fn places(&self, passages: impl Iterator<Item = PassageKey>) -> Vec<u32> {
        let place = |key: PassageKey| self.candidates.iter().position(|candidate| candidate.passage == key);
        passages.filter_map(place).map(as_place).collect()
    }
}

/// A place in a list, as records write it.
pub fn as_place(place: usize) -> u32 {
    u32::try_from(place).unwrap_or(u32::MAX)
}
