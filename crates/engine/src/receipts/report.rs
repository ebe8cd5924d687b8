//! What a check found, for people and for programs.

use ibidem_words::{ReceiptSource, SentenceCheck, SignatureOutcome, Stretch, StretchKind};
use serde::Serialize;
use uuid::Uuid;

use super::presented::Presented;
use super::proof::{Proof, proof};
use super::source::SourceState;

/// What became of a sentence or of one of its sources, from good to bad.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Outcome {
    /// The same document says the same.
    Holds,
    /// The document has a newer version, with the same passage in it.
    StillSays,
    /// The document has a newer version, which says it in other words.
    Reworded,
    /// Nobody here can tell.
    NotChecked,
    /// The document has a newer version, and that does not say so any more.
    Changed,
    /// The document was taken away.
    Withdrawn,
    /// There is no such document, or not for this reader.
    NotVisible,
    /// Its sources are what they were, and do not say so.
    Unsupported,
    /// The receipt does not say what is in the corpus, or was changed.
    Tampered,
}

impl Outcome {
    pub fn holds(self) -> bool {
        self <= Self::Reworded
    }

    pub fn as_str(self) -> &'static str {
        match self {
            Self::Holds => "holds",
            Self::StillSays => "still says so",
            Self::Reworded => "reworded",
            Self::NotChecked => "not checked here",
            Self::Changed => "changed",
            Self::Withdrawn => "withdrawn",
            Self::NotVisible => "not visible",
            Self::Unsupported => "not supported",
            Self::Tampered => "tampered",
        }
    }

    /// What to do about it.
    pub fn mend(self) -> Option<&'static str> {
        match self {
            Self::Holds => None,
            Self::StillSays | Self::Reworded => Some("nothing to do; a new answer would cite the newer version"),
            Self::NotChecked => Some("check it where the vocabulary and the verifier are configured"),
            Self::Changed => Some("ask again: the answer may be another one now"),
            Self::Withdrawn => Some("do not rely on it: its source was withdrawn; ask again"),
            Self::NotVisible => Some("check it as somebody who sees the document (--tenant, --tags)"),
            Self::Unsupported => Some("read the passage; ask again if it does not say so"),
            Self::Tampered => {
                Some("do not rely on it: get the answer again by its request id (GET /v1/answers/{request_id})")
            }
        }
    }
}

#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Report {
    /// Everything holds: it is signed, nothing was changed, and every claim is still said by its sources.
    pub holds: bool,
    pub request_id: Uuid,
    /// What that proves, and what it does not.
    #[serde(flatten)]
    pub proof: Proof,
    /// Whether this installation made it.
    pub signature: SignatureOutcome,
    /// What was changed after the receipt was made.
    pub tampered: Vec<String>,
    /// Which verifier checked now, and who did then; none where nobody did.
    pub verifier: Option<String>,
    pub verifier_then: Option<String>,
    /// The answer, stretch by stretch.
    pub stretches: Vec<StretchReport>,
}

#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct StretchReport {
    pub text: String,
    pub kind: StretchKind,
    pub outcome: Outcome,
    pub why: String,
    pub mend: Option<&'static str>,
    pub then: SentenceCheck,
    /// How surely its passages support it, as checked now; none when they were not asked.
    pub support: Option<f64>,
    pub sources: Vec<SourceReport>,
}

#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct SourceReport {
    pub source: ReceiptSource,
    pub current_version: Option<u32>,
    pub outcome: Outcome,
    pub why: String,
}

impl Report {
    pub(super) fn of(
        presented: &Presented,
        signature: SignatureOutcome,
        verifier: Option<&str>,
        mut stretches: Vec<StretchReport>,
    ) -> Self {
        let tampered = presented.tampered.clone();
        if !tampered.is_empty() {
            // No telling which of them was changed.
            for stretch in &mut stretches {
                let why = "the receipt was changed after it was made".to_owned();
                *stretch = stretch.clone().with(Outcome::Tampered, why);
            }
        }
        let is_signed = matches!(signature, SignatureOutcome::Valid { .. });
        Self {
            holds: is_signed && tampered.is_empty() && stretches.iter().all(|stretch| stretch.outcome.holds()),
            request_id: presented.receipt.request_id,
            proof: proof(presented, &signature),
            signature,
            tampered,
            verifier: verifier.map(str::to_owned),
            verifier_then: presented.receipt.verifier.clone(),
            stretches,
        }
    }
}

impl StretchReport {
    /// Reports a stretch. It is as good as the worst of its sources.
    pub(super) fn of(stretch: &Stretch, found: &[SourceState]) -> Self {
        let sources = stretch.sources.iter().zip(found).map(|(source, found)| SourceReport {
            source: source.clone(),
            current_version: found.current_version,
            outcome: found.outcome,
            why: found.why.clone(),
        });
        let worst = found.iter().max_by_key(|found| found.outcome);
        let outcome = worst.map_or(Outcome::Holds, |found| found.outcome);
        Self {
            text: stretch.text.clone(),
            kind: stretch.kind,
            outcome,
            why: worst.map(|found| found.why.clone()).unwrap_or_default(),
            mend: outcome.mend(),
            then: stretch.check.clone(),
            support: None,
            sources: sources.collect(),
        }
    }

    /// Adds what was found beside its sources. It never gets better by that.
    pub(super) fn with(self, outcome: Outcome, why: String) -> Self {
        if outcome <= self.outcome {
            return self;
        }
        Self { outcome, why, mend: outcome.mend(), ..self }
    }
}
