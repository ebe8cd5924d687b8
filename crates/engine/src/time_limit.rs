//! A request ends when its time is over: in an answer that says so, and not in silence.

use ibidem_words::degrade::Deadline;
use ibidem_words::ports::language_model::ModelError;
use ibidem_words::ports::request_time::RequestTime;
use ibidem_words::{Reason, Refusal};

use crate::outcome::{Decided, Outcome, Refused, Retrieval, Spoken};
use crate::turn::{Asked, TurnLog};

/// Does the work in the time that the request has. Parts that are late are skipped as if they had failed, and where
/// there is nothing to answer from by then, that is the reason.
pub(crate) async fn kept(
    time: &dyn RequestTime,
    deadline: Deadline,
    asked: Asked,
    work: impl Future<Output = Result<Spoken, ModelError>> + Send,
) -> Result<Spoken, ModelError> {
    let mut said = None;
    time.within(deadline.at, Box::pin(async { said = Some(work.await) })).await;
    match said {
        None => Ok(out_of_time(&asked, deadline, Some("it did not end with its deadline".to_owned()))),
        Some(Ok(spoken)) if deadline.is_over() && is_without_evidence(&spoken) => {
            let Spoken { failure, stages, search, .. } = spoken;
            Ok(Spoken { stages, search, ..out_of_time(&asked, deadline, failure) })
        }
        Some(said) => said,
    }
}

fn is_without_evidence(spoken: &Spoken) -> bool {
    spoken.answer.reason == Some(Reason::RetrievalUnavailable)
}

fn out_of_time(asked: &Asked, deadline: Deadline, failure: Option<String>) -> Spoken {
    let refusal = Refusal {
        reason: Reason::Deadline,
        explanation: format!("The time of the request ({} ms) was over", deadline.budget.as_millis()),
        suggestions: vec!["Ask again in a moment.".to_owned()],
    };
    // A policy without words for it may have some for what it comes to.
    let by_reason = &asked.policy.rules.wording.refusal_by_reason;
    let words = by_reason.get(&Reason::Deadline).or_else(|| by_reason.get(&Reason::RetrievalUnavailable));
    let refused = match words {
        Some(words) => Refused::saying(words.trim().to_owned(), refusal),
        None => Refused::under(&asked.policy, refusal),
    };
    let decided = Decided::plainly(Outcome::Refused(refused), Retrieval::searched(0.0), TurnLog::default());
    Decided { failure, ..decided }.sealed(asked.request_id)
}
