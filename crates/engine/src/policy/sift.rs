//! What a policy says about choosing evidence: the gates, in the order in which they look.

use std::collections::BTreeMap;

use ibidem_words::DocumentKind;
use serde::Deserialize;

#[derive(Clone, PartialEq, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SiftRules {
    /// Those that drop candidates and those that look at what is left, in the order in which they look.
    pub gates: Vec<Gate>,
}

/// One gate with its numbers.
#[derive(Clone, PartialEq, Debug, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Gate {
    /// Drops candidates below a cosine: they are noise. What was forced is exempt.
    NoiseFloor(NoiseFloor),
    /// Drops candidates below this cosine.
    MinSimilarity(f64),
    /// Of two candidates whose texts are more alike than this, drops the worse.
    Duplicates(f64),
    /// Drops all but so many candidates of one document.
    PerDocument(usize),
    /// Drops candidates that are too far from the question, or have too few of its words, for their collection.
    Collections(CollectionThresholds),
    /// Keeps the best, as many as the question asks for.
    KeepBest(KeepBest),
    /// Below this cosine of the best candidate the question is refused.
    Top1Similarity(f64),
    /// Too few candidates, or too weak ones all together.
    NoContext(NoContext),
    /// Below this, with what its fallbacks cost, the search as a whole is not relied on.
    RetrievalConfidence(f64),
    /// The pool as a whole: good enough, hopeless, or worth another round.
    Coverage(Coverage),
    /// Warns when this share of the question's words, or more, is missing from the evidence. Never refuses.
    MissingKeywords(f64),
}

#[derive(Clone, Copy, PartialEq, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct NoiseFloor {
    /// Where a reranker has read the candidates: it tells noise better than a cosine does.
    pub reranked: f64,
    pub otherwise: f64,
}

/// There is nothing to say about it: the number is the question's.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum KeepBest {
    MaxContextChunks,
}

/// Thresholds by collection; those that are not named have the default's.
#[derive(Clone, PartialEq, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CollectionThresholds {
    pub default: Thresholds,
    #[serde(default)]
    pub collections: BTreeMap<String, Thresholds>,
}

#[derive(Clone, Copy, PartialEq, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Thresholds {
    /// The most that 1 − cosine may be.
    pub distance_threshold: f64,
    /// The least share of the question's significant words that a candidate must have.
    pub min_query_coverage: f64,
}

/// Thresholds from a file of their own, laid over a policy's: those it names count, the others stay.
#[derive(Clone, PartialEq, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ThresholdsOverlay {
    #[serde(default)]
    pub collections: BTreeMap<String, Thresholds>,
    #[serde(default)]
    pub default: Option<Thresholds>,
}

impl ThresholdsOverlay {
    pub(super) fn is_empty(&self) -> bool {
        self.collections.is_empty() && self.default.is_none()
    }

    pub(super) fn onto(self, thresholds: &mut CollectionThresholds) {
        thresholds.collections.extend(self.collections);
        thresholds.default = self.default.unwrap_or(thresholds.default);
    }
}

#[derive(Clone, PartialEq, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct NoContext {
    pub least_hits: usize,
    pub least_mean: f64,
    /// What the asker is asked for. Where there is nothing to ask for, the question is refused.
    #[serde(default)]
    pub ask_for: Vec<String>,
    /// Said above what is asked for.
    #[serde(default)]
    pub clarify: String,
}

#[derive(Clone, PartialEq, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Coverage {
    /// Enough where the best reaches this and there are so many of the primary kind.
    pub sufficient: f64,
    pub least_of_kind: usize,
    /// Any kind when null.
    #[serde(default)]
    pub primary_kind: Option<DocumentKind>,
    /// Enough on its own.
    pub confident: f64,
    /// Below this nothing is close, and nothing more is tried.
    pub bail_out: f64,
}

impl SiftRules {
    /// Every number that must be a share, by the name of its gate.
    fn shares(&self) -> Vec<(&'static str, f64)> {
        let mut shares = Vec::new();
        for gate in &self.gates {
            match gate {
                Gate::NoiseFloor(floor) => {
                    shares
                        .extend([("noise_floor.reranked", floor.reranked), ("noise_floor.otherwise", floor.otherwise)]);
                }
                Gate::MinSimilarity(share) => shares.push(("min_similarity", *share)),
                Gate::Duplicates(share) => shares.push(("duplicates", *share)),
                Gate::Collections(thresholds) => {
                    for thresholds in thresholds.collections.values().chain([&thresholds.default]) {
                        shares.push(("collections.distance_threshold", thresholds.distance_threshold));
                        shares.push(("collections.min_query_coverage", thresholds.min_query_coverage));
                    }
                }
                Gate::RetrievalConfidence(share) => shares.push(("retrieval_confidence", *share)),
                Gate::Top1Similarity(share) => shares.push(("top1_similarity", *share)),
                Gate::NoContext(rule) => shares.push(("no_context.least_mean", rule.least_mean)),
                Gate::Coverage(rule) => {
                    shares.push(("coverage.sufficient", rule.sufficient));
                    shares.push(("coverage.confident", rule.confident));
                    shares.push(("coverage.bail_out", rule.bail_out));
                }
                Gate::MissingKeywords(share) => shares.push(("missing_keywords", *share)),
                Gate::PerDocument(_) | Gate::KeepBest(_) => {}
            }
        }
        shares
    }

    pub(super) fn contradictions(&self, found: &mut Vec<String>) {
        for (name, share) in self.shares() {
            if !(0.0..=1.0).contains(&share) {
                found.push(format!("sift.{name} must be between 0 and 1"));
            }
        }
        for gate in &self.gates {
            match gate {
                Gate::PerDocument(0) => {
                    found.push("sift.per_document is 0: nothing could ever be answered".to_owned());
                }
                Gate::Coverage(rule) if rule.bail_out > rule.sufficient || rule.sufficient > rule.confident => {
                    found.push(
                        "sift.coverage must have bail_out, sufficient and confident in rising order: \
                         some of them would never decide"
                            .to_owned(),
                    );
                }
                _ => {}
            }
        }
        let name = |gate: &Gate| std::mem::discriminant(gate);
        let doubled = self
            .gates
            .iter()
            .enumerate()
            .any(|(at, gate)| self.gates[..at].iter().any(|other| name(other) == name(gate)));
        if doubled {
            found.push("sift: a gate stands there twice: which of its numbers counts?".to_owned());
        }
    }
}
