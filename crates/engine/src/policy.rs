//! Policies: the gates, limits and wording in force, as data, versioned by the hash of their file.

pub(crate) mod bounds;
mod calibration;
mod conversations;
mod document_classes;
mod figures;
mod gather;
mod inherit;
mod limits;
mod moved;
mod pattern;
mod refusals;
mod sift;
mod speak;
mod tools;
mod translations;

use std::collections::BTreeMap;
use std::sync::Arc;

use ibidem_language::follow_ups::taken_apart;
use ibidem_words::{PolicyInForce, PolicyPlace, PolicyTexts, Reason, Sha256Hash};
use serde::Deserialize;

use crate::texts::Texts;

pub use calibration::{CalibratedGate, CalibratedModels, Calibration, ModelIdentity, WithOtherModels};
pub use conversations::{ConversationRules, FollowUpRules, TitleRules};
pub use document_classes::DocumentClasses;
pub use figures::{FigureRules, FigureWording, NotComputedWording};
pub use gather::{
    AddressRules, AddressSeries, AddressWording, CuratedRules, GatherRules, ListRules, ListWording, Otherwise,
    RerankRules, RewriteRules, SmallTalkRules, TerminologyRules, TerminologyWording, Topic, TopicRules, TopicWording,
    UnrankedOrder,
};
pub use inherit::{SHIPPED_POLICIES, shipped_policy};
pub use limits::PolicyLimits;
pub use moved::{MoveError, Threshold};
pub use pattern::{AddressPattern, QuestionPattern};
pub use refusals::RefusalRules;
pub use sift::SiftRules;
pub use speak::{
    Below, Budget, ConfidenceRules, ConfidenceWeights, Disclaimed, Example, Judge, NotesBy, OutOfCorpus, OutlineRules,
    SpeakMode, SpeakRules, VerificationMode, VerificationRules,
};
pub use tools::{ArgumentRules, Letters, Piece, Template, ToolRules, ToolWording};
pub use translations::Translation;

pub use crate::gates::{
    Absent, Answerability, CollectionThresholds, Coverage, Duplicates, Gate, KeepBest, MinSimilarity, MissingKeywords,
    NoContext, NoiseFloor, PerDocument, RuleOfGate, Thresholds, ThresholdsOverlay, Top1Similarity,
};

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum PolicyError {
    #[error("the policy cannot be read: {0}")]
    Unreadable(String),
    #[error("the policy contradicts itself: {}", .0.join("; "))]
    Contradictory(Vec<String>),
    /// The operator allows less than any policy may say.
    #[error("the operator of this installation does not allow it: {}", .0.join("; "))]
    NotAllowed(Vec<String>),
    /// Its numbers are about other models.
    #[error(
        "the policy {name} was calibrated with other models: {}. Its bound does not hold here: run `ibidem calibrate` \
         again, configure the models it names, or take `calibration` out of it, and with it the bound",
        .differences.join("; ")
    )]
    OtherModels { name: String, differences: Vec<String> },
}

/// A policy, checked.
#[derive(Clone, PartialEq, Debug)]
pub struct Policy {
    pub rules: Rules,
    /// Identifies the file's text by its digest: what an answer was decided by, exactly.
    pub hash: Sha256Hash,
    pub texts: Arc<PolicyTexts>,
    /// The place that it was set for; none where it is the installation's.
    pub place: Option<PolicyPlace>,
}

/// What a policy file says.
#[derive(Clone, PartialEq, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Rules {
    pub name: String,
    /// What it is for, and where its numbers come from.
    pub about: String,
    pub gather: GatherRules,
    pub sift: SiftRules,
    pub speak: SpeakRules,
    /// What becomes of a question that the documents do not answer.
    #[serde(default)]
    pub out_of_corpus: OutOfCorpus,
    pub wording: Wording,
    /// The texts in other languages, by the names of these, such as `german`: for questions that are asked in them.
    #[serde(default)]
    pub in_other_languages: BTreeMap<String, Translation>,
    /// What is shown beside a refusal; nothing when null.
    #[serde(default)]
    pub refusals: Option<RefusalRules>,
    /// How questions that belong together are understood and named by models.
    #[serde(default)]
    pub conversations: ConversationRules,
    /// Where its threshold comes from, if `ibidem calibrate` chose it.
    #[serde(default)]
    pub calibration: Option<Calibration>,
}

#[derive(Clone, PartialEq, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Wording {
    /// The language of these texts: `english` where it is left out. What the program says beside them is in it too, where
    /// the program has texts in it.
    #[serde(default = "english")]
    pub language: String,
    /// What a refusal says, unless its reason has words of its own.
    pub refusal: String,
    #[serde(default)]
    pub refusal_by_reason: BTreeMap<Reason, String>,
    /// Why there is no answer, in a sentence for people, by reason. A reason without one has a sentence of its own.
    #[serde(default)]
    pub why_by_reason: BTreeMap<Reason, String>,
    /// Said above an extractive answer that stands in for a model's.
    pub extractive_notice: String,
    /// What the asker can do next.
    #[serde(default)]
    pub next_steps: Vec<String>,
    /// Said behind a sentence that its passages do not support, where the policy shows such sentences.
    #[serde(default = "unverified")]
    pub unverified: String,
    /// The warning beside an answer that its model did not write to the end: it broke off, or its reply was cut.
    #[serde(default = "cut_short")]
    pub cut_short: String,
    /// Said above an answer that is shown though it is not sure enough.
    #[serde(default = "draft")]
    pub draft: String,
    /// Warns of a cited document that was not updated for long; it has {title}, {version} and {date}.
    #[serde(default = "stale")]
    pub stale: String,
    /// Says of a cited document that it is not in force.
    #[serde(default)]
    pub standing: ValidityWording,
}

/// What is said below an answer of a cited document that is not in force, with its name in place of `{document}`. Nothing
/// is said where the words are empty.
#[derive(Clone, PartialEq, Eq, Debug, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct ValidityWording {
    pub superseded: String,
    pub rejected: String,
    pub deprecated: String,
    pub draft: String,
    pub expired: String,
    /// It holds from a later day on.
    pub not_yet: String,
    /// Added where it is known what replaced it, with the addresses in place of `{by}`.
    pub replaced: String,
}

impl Default for ValidityWording {
    fn default() -> Self {
        Self {
            superseded: "{document} is superseded.".to_owned(),
            rejected: "{document} is rejected: it was never in force.".to_owned(),
            deprecated: "{document} is deprecated.".to_owned(),
            draft: "{document} is a draft: it is not in force.".to_owned(),
            expired: "{document} has expired.".to_owned(),
            not_yet: "{document} is not in force yet.".to_owned(),
            replaced: "It was replaced by {by}.".to_owned(),
        }
    }
}

fn english() -> String {
    "english".to_owned()
}

fn unverified() -> String {
    "(not verified)".to_owned()
}

fn draft() -> String {
    "Unverified draft: nobody has confirmed this answer.".to_owned()
}

fn cut_short() -> String {
    "The model stopped before its answer was complete.".to_owned()
}

fn stale() -> String {
    "{title} (version {version}) was last updated on {date}.".to_owned()
}

impl Policy {
    /// Read again from what it was read from.
    pub fn of_texts(texts: &PolicyTexts) -> Result<Self, PolicyError> {
        Self::parse(&texts.policy)?.with_thresholds(texts)
    }

    /// Parses a policy as it was when something was decided by it, also where its numbers were allowed then and are not
    /// now. It is good for making these decisions again, and nothing is decided by it anew.
    pub fn as_recorded(texts: &PolicyTexts) -> Result<Self, PolicyError> {
        Self::parse_with(&texts.policy, |_| Ok(Vec::new()))?.with_thresholds(texts)
    }

    /// Reads and checks a policy file's text. One that inherits is kept as the whole that comes of it.
    pub fn parse(text: &str) -> Result<Self, PolicyError> {
        Self::parse_with(text, |whole| {
            Ok(bounds::out_of_bounds(&bounds::tree(whole)?).iter().map(ToString::to_string).collect())
        })
    }

    fn parse_with(
        text: &str,
        out_of_bounds: impl FnOnce(&str) -> Result<Vec<String>, PolicyError>,
    ) -> Result<Self, PolicyError> {
        let whole = inherit::whole(text)?;
        let text = whole.as_deref().unwrap_or(text);
        let rules: Rules = serde_saphyr::from_str(text).map_err(|error| PolicyError::Unreadable(error.to_string()))?;
        let mut contradictions = out_of_bounds(text)?;
        contradictions.extend(rules.contradictions());
        if !contradictions.is_empty() {
            return Err(PolicyError::Contradictory(contradictions));
        }
        let texts = PolicyTexts { policy: text.to_owned(), thresholds: None };
        Ok(Self { rules, hash: Sha256Hash::of(text.as_bytes()), texts: Arc::new(texts), place: None })
    }

    fn with_thresholds(self, texts: &PolicyTexts) -> Result<Self, PolicyError> {
        match &texts.thresholds {
            Some(thresholds) => self.overlaid(thresholds),
            None => Ok(self),
        }
    }

    /// What a question asks for, each part by itself, where it is to be taken apart; none where it asks for one thing.
    pub(crate) fn parts_of(&self, query: &str) -> Vec<String> {
        self.rules.gather.parts.as_ref().map_or_else(Vec::new, |rules| taken_apart(query, rules.most))
    }

    /// What receipts name it by.
    pub fn in_force(&self) -> PolicyInForce {
        PolicyInForce { sha256: self.hash, place: self.place.clone() }
    }

    /// Whether its numbers hold with these models: whoever puts it in force asks first.
    pub fn check_models(&self, in_use: &CalibratedModels) -> Result<(), PolicyError> {
        let is_refused = |calibration: &Calibration| calibration.with_other_models == WithOtherModels::Refuse;
        let differences = self.other_models(in_use);
        if differences.is_empty() || !self.rules.calibration.as_ref().is_some_and(is_refused) {
            return Ok(());
        }
        Err(PolicyError::OtherModels { name: self.rules.name.clone(), differences })
    }

    /// Which of these models are others than it was calibrated with: where there is one, its bound does not hold.
    pub fn other_models(&self, in_use: &CalibratedModels) -> Vec<String> {
        self.rules.calibration.as_ref().map_or_else(Vec::new, |calibration| calibration.models.differences(in_use))
    }

    /// Lays the thresholds of single collections over the policy, from a text of their own, which the hash then covers
    /// too.
    pub fn overlaid(mut self, thresholds: &str) -> Result<Self, PolicyError> {
        let overlay: ThresholdsOverlay =
            serde_saphyr::from_str(thresholds).map_err(|error| PolicyError::Unreadable(error.to_string()))?;
        if overlay.is_empty() {
            return Err(PolicyError::Unreadable("there are no thresholds in it".to_owned()));
        }
        let Some(gate) = self.rules.sift.rules_of_mut::<CollectionThresholds>().next() else {
            let name = &self.rules.name;
            return Err(PolicyError::Contradictory(vec![format!(
                "thresholds by collection are given, and the policy {name} has no gate `collections` to use them: they \
                 would never count"
            )]));
        };
        overlay.onto(gate);
        let contradictions = self.rules.contradictions();
        if !contradictions.is_empty() {
            return Err(PolicyError::Contradictory(contradictions));
        }
        let both = format!("{}\n{}\n", self.hash, Sha256Hash::of(thresholds.as_bytes()));
        let texts = PolicyTexts { policy: self.texts.policy.clone(), thresholds: Some(thresholds.to_owned()) };
        Ok(Self { hash: Sha256Hash::of(both.as_bytes()), texts: Arc::new(texts), ..self })
    }
}

impl Rules {
    fn contradictions(&self) -> Vec<String> {
        let mut found = Vec::new();
        self.sift.contradictions(&mut found);
        self.gather.contradictions(&mut found);
        if self.gather.curated.is_some() && self.speak.background_prompt.trim().is_empty() {
            found.push("speak.background_prompt is empty: curators' notes would pass for sources".to_owned());
        }
        self.speak.contradictions(&mut found);
        self.out_of_corpus.contradictions(&mut found);
        if let Some(refusals) = &self.refusals {
            refusals.contradictions(&mut found);
        }
        translations::contradictions(&self.in_other_languages, &mut found);
        if let Some(calibration) = &self.calibration {
            calibration.contradictions(&self.sift, &mut found);
        }
        if self.wording.refusal.trim().is_empty() {
            found.push("wording.refusal is empty: a refusal would say nothing".to_owned());
        }
        found
    }
}

impl Wording {
    pub fn refusal_for(&self, reason: Reason) -> &str {
        self.refusal_by_reason.get(&reason).unwrap_or(&self.refusal)
    }

    /// Returns the reason in a sentence that people understand.
    pub fn why(&self, reason: Reason) -> &str {
        self.why_by_reason.get(&reason).map_or_else(|| self.texts().why(reason), String::as_str)
    }

    /// What the program says beside these texts, in their language.
    pub fn texts(&self) -> &'static Texts {
        Texts::of(&self.language).unwrap_or_else(Texts::english)
    }
}
