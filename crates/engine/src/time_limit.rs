//! A request ends when its time is over: in an answer that says so, and not in silence.

use ibidem_words::degrade::Deadline;
use ibidem_words::{Answer, Reason, Refusal};

use crate::ask::{AskError, Engine};
use crate::speak::{Listener, Spoken, refuse};
use crate::turn::{Asked, Sifted};

impl Engine {
    /// For one request, which has so much time.
    #[must_use]
    pub fn until(self, deadline: Deadline) -> Self {
        Self { deadline: Some(deadline), ..self }
    }

    /// Answers, in time where the request has an end: parts that are late are gone without as if they failed, and
    /// where there is nothing to answer from by then, that is the reason.
    pub(crate) async fn in_time(&self, asked: Asked, listener: &mut dyn Listener) -> Result<Spoken, AskError> {
        let (Some(deadline), Some(time)) = (self.deadline, &self.request_time) else {
            return self.spoken(asked, listener).await;
        };
        let kept = asked.clone();
        let mut said = None;
        let work = Box::pin(async { said = Some(self.spoken(asked, listener).await) });
        time.within(deadline.at, work).await;
        match said {
            None => Ok(out_of_time(kept, deadline, Some("it did not end with its deadline".to_owned()))),
            Some(Ok(spoken)) if deadline.is_over() && is_without_evidence(&spoken) => {
                let Spoken { failure, stages, search, .. } = spoken;
                Ok(Spoken { stages, search, ..out_of_time(kept, deadline, failure) })
            }
            Some(said) => said,
        }
    }
}

fn is_without_evidence(spoken: &Spoken) -> bool {
    spoken.answer.reason == Some(Reason::RetrievalUnavailable)
}

fn out_of_time(asked: Asked, deadline: Deadline, failure: Option<String>) -> Spoken {
    // A policy without words for it may have some for what it comes to.
    let by_reason = &asked.policy.rules.wording.refusal_by_reason;
    let words = by_reason.get(&Reason::Deadline).or_else(|| by_reason.get(&Reason::RetrievalUnavailable));
    let words = words.map(|words| words.trim().to_owned());
    let refusal = Refusal {
        reason: Reason::Deadline,
        explanation: format!("The time of the request ({} ms) was over", deadline.budget.as_millis()),
        suggestions: vec!["Ask again in a moment.".to_owned()],
    };
    let refused = refuse(Sifted::unsearched(asked), &refusal);
    let answer = Answer { answer: words.unwrap_or_else(|| refused.answer.clone()), ..refused };
    Spoken { failure, ..Spoken::plainly(answer) }
}
