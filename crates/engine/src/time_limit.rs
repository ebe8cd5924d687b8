//! A request ends when its time is over: in an answer that says so, and not in silence.

use std::time::Duration;

use ibidem_ports::clock;
use ibidem_ports::language_model::ModelError;
use ibidem_words::{Reason, Refusal};

use crate::outcome::{Decided, Outcome, Refused, Retrieval, Spoken};
use crate::turn::{Asked, TurnLog};

/// What keeps to no deadline, such as the catalogue, gets so much of the budget more before it is left behind: the parts
/// all end with it, and what they brought is to be said.
const GRACE_PARTS: u32 = 20;

/// Does the work in the time that the request has. Parts that are late are skipped as if they had failed, and where
/// there is nothing to answer from by then, that is the reason.
pub(crate) async fn kept(
    asked: &Asked,
    work: impl Future<Output = Result<Spoken, ModelError>>,
) -> Result<Spoken, ModelError> {
    let Some((budget, ends)) = asked.deadline.budget() else { return work.await };
    match clock::by(ends + budget / GRACE_PARTS, work).await {
        None => Ok(out_of_time(asked, budget, Some("it did not end with its deadline".to_owned()))),
        Some(Ok(spoken)) if asked.deadline.is_over() && is_without_evidence(&spoken) => {
            let Spoken { failure, stages, search, .. } = spoken;
            Ok(Spoken { stages, search, ..out_of_time(asked, budget, failure) })
        }
        Some(spoken) => spoken,
    }
}

fn is_without_evidence(spoken: &Spoken) -> bool {
    spoken.answer.reason == Some(Reason::RetrievalUnavailable)
}

fn out_of_time(asked: &Asked, budget: Duration, failure: Option<String>) -> Spoken {
    let refusal = Refusal {
        reason: Reason::Deadline,
        explanation: format!("The time of the request ({} ms) was over", budget.as_millis()),
        suggestions: vec![asked.policy.rules.wording.texts().again.clone()],
    };
    // A policy without words for it may have some for what it comes to.
    let by_reason = &asked.policy.rules.wording.refusal_by_reason;
    let words = by_reason.get(&Reason::Deadline).or_else(|| by_reason.get(&Reason::RetrievalUnavailable));
    let refused = match words {
        Some(words) => Refused::saying(words.trim().to_owned(), refusal),
        None => Refused::under(&asked.policy, refusal),
    };
    let decided = Decided::plainly(Outcome::Refused(refused), Retrieval::searched(0.0), TurnLog::default());
    Decided { failure, ..decided }.sealed(asked.request_id, asked.policy.rules.wording.texts())
}
