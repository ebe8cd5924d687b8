//! How models that judge claims were taught to read a passage and a claim, and which of their labels means support.

use ibidem_ports::entailment::Support;

use super::pairs::{Between, First, Layout};

/// The words in which a model reads a passage and a claim. With other words than it was taught it judges nonsense, and
/// never fails.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, serde::Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ClaimInput {
    /// Two texts, as its tokenizer joins them: what entailment models read.
    #[default]
    Pair,
    /// `MiniCheck`: one text, the passage and the claim with the tokenizer's end mark between them.
    MiniCheck,
    /// `FactCG`: one text, which asks whether the claim can be concluded from the passage.
    FactCg,
    /// `LettuceDetect`: the passage as a text to be summarised, and the claim as its summary, whose tokens are marked.
    LettuceDetect,
}

impl ClaimInput {
    pub(super) fn layout(self) -> Layout {
        match self {
            Self::Pair => Layout::Plain(First::Cut),
            Self::MiniCheck => Layout::OneText { between: Between::EndMark, after: "" },
            Self::FactCg => Layout::OneText {
                between: Between::Words("\n\nChoose your answer: based on the paragraph above can we conclude that \""),
                after: "\"?\n\nOPTIONS:\n- Yes\n- No\nI think the answer is ",
            },
            Self::LettuceDetect => {
                Layout::TwoTexts { before: "Summarize the following text:\npassage 1: ", behind: "\noutput:" }
            }
        }
    }

    /// What its labels mean where nobody named them; nothing where that has to be said.
    pub(super) fn unnamed(self) -> Option<[Support; 2]> {
        match self {
            Self::Pair => None,
            Self::MiniCheck | Self::FactCg => Some([Support::Unknown, Support::Supported]),
            Self::LettuceDetect => Some([Support::Supported, Support::Unknown]),
        }
    }

    /// It judges each token of the claim, and not the claim.
    pub(super) fn marks_tokens(self) -> bool {
        self == Self::LettuceDetect
    }
}
