//! What an answer says about how it came about: a flag for each part that was skipped or stood in for another.

use std::fmt;

use serde::{Deserialize, Serialize};

// Their names on the wire, in records and in logs are stated here and nowhere else.
/// A part that was skipped while a question was answered, or that stood in for another.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "snake_case")]
pub enum Fallback {
    /// The embedding model failed: the search was by keywords only.
    #[serde(rename = "bm25_only")]
    KeywordsOnly,
    /// Keywords counted alike, because it is not known yet how rare each is.
    WordsUnweighed,
    /// A part was not asked at all, because it had failed too often.
    CircuitOpen,
    /// Curated memory could not be searched.
    NoMemory,
    /// The planner failed: the question was searched as it was asked.
    NoRewrites,
    /// The reranker failed: the order is that of the search.
    NoRerank,
    /// The reranker was busy: it read fewer passages, and the others were left out.
    FewerRead,
    /// The second language model wrote the answer.
    FallbackModel,
    /// No model wrote: the answer consists of sentences quoted from the sources.
    Extractive,
    /// The model that drafts an outline failed: the answer was written without one.
    NoOutline,
    /// The model broke off: what it had written by then was used.
    ModelInterrupted,
    /// The entailment model failed: sentences were checked by their words.
    NoEntailment,
    /// The model that grades answers failed: the confidence has no part from it.
    NoJudge,
    /// The vocabulary did not answer in time.
    SkosmosTimeout,
}

impl Fallback {
    pub fn as_str(self) -> &'static str {
        match self {
            Self::KeywordsOnly => "bm25_only",
            Self::WordsUnweighed => "words_unweighed",
            Self::CircuitOpen => "circuit_open",
            Self::NoMemory => "no_memory",
            Self::NoRewrites => "no_rewrites",
            Self::NoRerank => "no_rerank",
            Self::FewerRead => "fewer_read",
            Self::FallbackModel => "fallback_model",
            Self::Extractive => "extractive",
            Self::NoOutline => "no_outline",
            Self::ModelInterrupted => "model_interrupted",
            Self::NoEntailment => "no_entailment",
            Self::NoJudge => "no_judge",
            Self::SkosmosTimeout => "skosmos_timeout",
        }
    }

    /// Whether it made the search simpler, so that something may not have been found.
    pub fn is_of_search(self) -> bool {
        match self {
            Self::KeywordsOnly
            | Self::WordsUnweighed
            | Self::CircuitOpen
            | Self::NoMemory
            | Self::NoRewrites
            | Self::NoRerank
            | Self::FewerRead
            | Self::SkosmosTimeout => true,
            Self::FallbackModel
            | Self::Extractive
            | Self::NoOutline
            | Self::ModelInterrupted
            | Self::NoEntailment
            | Self::NoJudge => false,
        }
    }

    /// Returns the names as logs and messages list them.
    pub fn names(raised: &[Self]) -> Vec<&'static str> {
        raised.iter().map(|flag| flag.as_str()).collect()
    }

    /// Adds it to what happened so far, once.
    pub fn raise(self, raised: &mut Vec<Self>) {
        if !raised.contains(&self) {
            raised.push(self);
        }
    }
}

impl fmt::Display for Fallback {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// Tests compare with what the wire says.
#[cfg(any(test, feature = "testing"))]
impl PartialEq<&str> for Fallback {
    fn eq(&self, name: &&str) -> bool {
        self.as_str() == *name
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_flag_is_raised_once_in_the_order_of_what_happened() {
        let mut raised = Vec::new();
        use Fallback::{CircuitOpen, KeywordsOnly, NoRerank};
        for flag in [KeywordsOnly, CircuitOpen, NoRerank, CircuitOpen, KeywordsOnly] {
            flag.raise(&mut raised);
        }
        assert_eq!(raised, [KeywordsOnly, CircuitOpen, NoRerank]);
    }

    #[test]
    fn records_and_logs_name_a_flag_alike() {
        use Fallback::*;
        let all = [
            KeywordsOnly,
            WordsUnweighed,
            CircuitOpen,
            NoMemory,
            NoRewrites,
            NoRerank,
            FewerRead,
            FallbackModel,
            Extractive,
            NoOutline,
            ModelInterrupted,
            NoEntailment,
            NoJudge,
            SkosmosTimeout,
        ];
        for flag in all {
            assert_eq!(serde_json::to_value(flag).unwrap(), flag.as_str());
            assert_eq!(serde_json::from_value::<Fallback>(flag.as_str().into()).unwrap(), flag);
        }
    }
}
