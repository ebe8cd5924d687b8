//! Whether what came back is right, and if not, in which way.

use ibidem_language::markers::without_markers;
use serde::{Deserialize, Serialize};

use super::reply::{Gave, Reply};
use super::wording::says;
use super::{Expect, TrialQuestion};

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Judged {
    /// What was expected came back, says what it must and cites a document that says so.
    Right,
    /// Something was said, and it is not what it must be.
    Wrong,
    /// The documents answer it, and it was refused; or a greeting was.
    WronglyRefused,
    /// Nothing answers it, and it was answered.
    WronglyAnswered,
}

impl Judged {
    /// For people.
    pub fn words(self) -> &'static str {
        match self {
            Self::Right => "right",
            Self::Wrong => "wrong",
            Self::WronglyRefused => "wrongly refused",
            Self::WronglyAnswered => "wrongly answered",
        }
    }
}

/// The judgement, and what is wrong where something is.
pub fn judge(question: &TrialQuestion, reply: &Reply) -> (Judged, Option<String>) {
    let reason = || reply.reason.as_deref().unwrap_or("no reason").to_owned();
    match (question.expect, reply.gave) {
        (Expect::Answer, Gave::Answer) => match missing(question, reply) {
            None => (Judged::Right, None),
            Some(what) => (Judged::Wrong, Some(what)),
        },
        (Expect::Refuse, Gave::Refusal) | (Expect::Reply, Gave::Reply) => (Judged::Right, None),
        (Expect::Answer | Expect::Reply, Gave::Refusal) => {
            (Judged::WronglyRefused, Some(format!("it was refused ({})", reason())))
        }
        (Expect::Answer | Expect::Refuse, Gave::Reply) => {
            (Judged::Wrong, Some("it was taken for small talk".to_owned()))
        }
        (Expect::Refuse, Gave::Answer) => {
            (Judged::WronglyAnswered, Some(format!("it was answered from {}", reply.sources.join(", "))))
        }
        (Expect::Reply, Gave::Answer) => {
            (Judged::Wrong, Some(format!("it was searched for, and answered from {}", reply.sources.join(", "))))
        }
    }
}

/// What an answer lacks, or has too much.
fn missing(question: &TrialQuestion, reply: &Reply) -> Option<String> {
    // A citation's number says nothing. Models write it as they were told to, `[^1]`.
    let text = without_markers(&reply.answer.replace("[^", "["));
    let mut found = Vec::new();
    for group in &question.must {
        if !group.iter().any(|words| says(&text, words)) {
            found.push(format!("it does not say {:?}", group.join(" or ")));
        }
    }
    for words in question.must_not.iter().filter(|words| says(&text, words)) {
        found.push(format!("it says {words:?}"));
    }
    if !question.sources.iter().any(|source| reply.cites(source)) {
        found.push(format!("it cites {}, and none of {}", reply.sources.join(", "), question.sources.join(", ")));
    }
    let is_cited = |text: &String| reply.passages.iter().any(|passage| says(passage, text));
    if !question.passages.is_empty() && !question.passages.iter().any(is_cited) {
        found.push("it cites none of the passages that answer".to_owned());
    }
    (!found.is_empty()).then(|| found.join("; "))
}
