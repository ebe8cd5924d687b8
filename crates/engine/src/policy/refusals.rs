//! What a policy says about refusals: what came nearest, what else can be asked, and the reasons in plain words.

use serde::Deserialize;

#[derive(Clone, PartialEq, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RefusalRules {
    /// The most passages that are named as the nearest misses, one of each document.
    pub nearest: usize,
    /// Why a passage is no answer that the reader read. `{probability}` stands for its number, which askers need not see.
    pub read: String,
    /// Why one is no answer that the reader found likely, and what can be said of it does not answer.
    pub beside: String,
    /// Why one is no answer that nobody read. `{similarity}` stands for its number, which askers need not see.
    pub unread: String,
    /// The most questions about them that are offered, each only if it leads to an answer.
    pub suggestions: usize,
    /// Suggests a question, with the words of a nearest miss in place of `{title}` and `{section}`.
    pub question: String,
}

impl RefusalRules {
    pub(super) fn contradictions(&self, found: &mut Vec<String>) {
        if self.suggestions > 0 && !(self.question.contains("{title}") || self.question.contains("{section}")) {
            found.push(
                "refusals.question has neither {title} nor {section}: it would ask the same of everything".to_owned(),
            );
        }
    }
}
