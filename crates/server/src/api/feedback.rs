//! `POST /v1/answers/{request_id}/feedback`: an asker says what they think of an answer. `GET /v1/feedback` reads it.

use axum::Json;
use axum::extract::rejection::QueryRejection;
use axum::extract::{Path, Query, State};
use axum::http::StatusCode;
use chrono::{DateTime, Utc};
use ibidem_store::{Feedback, FeedbackReason, GivenFeedback, Talker, Thumb};
use ibidem_words::{Role, Scope, seen};
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};
use uuid::Uuid;

use crate::identity::Caller;
use crate::json::Sent;
use crate::problem::{Problem, ProblemDocument};
use crate::state::AppState;

const MOST_A_PAGE: u16 = 100;
/// Of a comment, in characters.
const LONGEST_COMMENT: usize = 2_000;

/// Whether the answer helped.
#[derive(Clone, Copy, PartialEq, Eq, Deserialize, Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub(crate) enum ThumbBody {
    Up,
    Down,
}

/// What is wrong with the answer.
#[derive(Clone, Copy, PartialEq, Eq, Deserialize, Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub(crate) enum ReasonBody {
    /// It says something that is not so.
    Wrong,
    /// Its sources do not say it.
    Unsupported,
    /// Something is missing.
    Incomplete,
    /// Nothing answers the question, and it was answered.
    ShouldHaveRefused,
    /// The documents answer the question, and it was refused.
    ShouldNotHaveRefused,
}

impl From<ReasonBody> for FeedbackReason {
    fn from(reason: ReasonBody) -> Self {
        match reason {
            ReasonBody::Wrong => Self::Wrong,
            ReasonBody::Unsupported => Self::Unsupported,
            ReasonBody::Incomplete => Self::Incomplete,
            ReasonBody::ShouldHaveRefused => Self::ShouldHaveRefused,
            ReasonBody::ShouldNotHaveRefused => Self::ShouldNotHaveRefused,
        }
    }
}

impl From<FeedbackReason> for ReasonBody {
    fn from(reason: FeedbackReason) -> Self {
        match reason {
            FeedbackReason::Wrong => Self::Wrong,
            FeedbackReason::Unsupported => Self::Unsupported,
            FeedbackReason::Incomplete => Self::Incomplete,
            FeedbackReason::ShouldHaveRefused => Self::ShouldHaveRefused,
            FeedbackReason::ShouldNotHaveRefused => Self::ShouldNotHaveRefused,
        }
    }
}

/// What somebody says of an answer.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct FeedbackBody {
    /// Whether it helped.
    thumb: ThumbBody,
    /// What is wrong with it; only with the thumb down.
    #[serde(default)]
    reason: Option<ReasonBody>,
    /// In the asker's own words, at most 2,000 characters.
    #[serde(default)]
    #[schema(min_length = 1, max_length = 2000)]
    comment: Option<String>,
}

/// Says what the asker thinks of an answer.
///
/// Only the key that asked can, for as long as the answer is on record or in a conversation. What is said later takes the
/// place of what was said before. Curators who may see every document that the answer cites read it, and so do admins.
#[utoipa::path(post, path = "/v1/answers/{request_id}/feedback", operation_id = "give_feedback", tag = "answers",
    params(("request_id" = Uuid, Path)), request_body = FeedbackBody, security(("api_key" = [])),
    responses(
        (status = 204, description = "It is kept"),
        (status = 404, body = ProblemDocument, content_type = "application/problem+json"),
        (status = 422, body = ProblemDocument, content_type = "application/problem+json"),
    ))]
pub(crate) async fn give(
    State(state): State<AppState>,
    caller: Caller,
    Path(request_id): Path<String>,
    Sent(body): Sent<FeedbackBody>,
) -> Result<StatusCode, Problem> {
    let request_id: Uuid = request_id.parse().map_err(|_| Problem::no_such_answer())?;
    if body.thumb == ThumbBody::Up && body.reason.is_some() {
        return Err(Problem::invalid("reason: it says what is wrong, and goes with the thumb down only."));
    }
    let comment = body.comment.map(|comment| seen(&comment).trim().to_owned()).filter(|comment| !comment.is_empty());
    if comment.as_ref().is_some_and(|comment| comment.chars().count() > LONGEST_COMMENT) {
        return Err(Problem::invalid(format!("comment: the most is {LONGEST_COMMENT} characters.")));
    }
    let feedback = Feedback {
        thumb: if body.thumb == ThumbBody::Up { Thumb::Up } else { Thumb::Down },
        reason: body.reason.map(FeedbackReason::from),
        comment,
    };
    if !state.store.give_feedback(&Talker::of(&caller.0), request_id, &feedback).await? {
        return Err(Problem::no_such_answer());
    }
    state.metrics.feedback(&feedback);
    Ok(StatusCode::NO_CONTENT)
}

#[derive(Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub(crate) struct FeedbackPage {
    /// Where the page before ended: its `next`.
    #[param(pattern = "^[0-9]{1,16}_[0-9a-f]{8}-([0-9a-f]{4}-){3}[0-9a-f]{12}$")]
    cursor: Option<String>,
    /// How many, 1 to 100.
    #[serde(default = "default_limit")]
    #[param(minimum = 1, maximum = 100, default = 50)]
    limit: u16,
}

fn default_limit() -> u16 {
    50
}

/// What somebody said of an answer.
#[derive(Serialize, ToSchema)]
pub(crate) struct GivenFeedbackBody {
    /// Of the answer.
    request_id: Uuid,
    given_at: DateTime<Utc>,
    thumb: ThumbBody,
    reason: Option<ReasonBody>,
    comment: Option<String>,
    /// As it was asked; null where only a digest was kept, or the record is gone.
    question: Option<String>,
    /// The ids of the documents that the answer cites.
    documents: Vec<Uuid>,
}

impl From<GivenFeedback> for GivenFeedbackBody {
    fn from(given: GivenFeedback) -> Self {
        Self {
            request_id: given.request_id,
            given_at: given.given_at,
            thumb: if given.feedback.thumb == Thumb::Up { ThumbBody::Up } else { ThumbBody::Down },
            reason: given.feedback.reason.map(ReasonBody::from),
            comment: given.feedback.comment,
            question: given.question,
            documents: given.documents,
        }
    }
}

#[derive(Serialize, ToSchema)]
pub(crate) struct AllFeedback {
    /// Newest first.
    feedback: Vec<GivenFeedbackBody>,
    /// Where the next page begins; null on the last.
    next: Option<String>,
}

/// Lists what askers said of answers.
///
/// For curators: of answers all of whose documents this key may see. What was said of answers that cite nothing, such as
/// refusals, is for admins.
#[utoipa::path(get, path = "/v1/feedback", operation_id = "list_feedback", tag = "answers", params(FeedbackPage),
    security(("api_key" = [])),
    responses(
        (status = 200, body = AllFeedback),
        (status = 403, body = ProblemDocument, content_type = "application/problem+json"),
        (status = 422, body = ProblemDocument, content_type = "application/problem+json"),
    ))]
pub(crate) async fn list(
    State(state): State<AppState>,
    Caller(identity): Caller,
    page: Result<Query<FeedbackPage>, QueryRejection>,
) -> Result<Json<AllFeedback>, Problem> {
    let Query(page) = page.map_err(|rejection| Problem::malformed(rejection.status(), rejection.body_text()))?;
    if !(1..=MOST_A_PAGE).contains(&page.limit) {
        return Err(Problem::invalid(format!("limit: ask for 1 to {MOST_A_PAGE} at once")));
    }
    let after = page.cursor.as_deref().map(super::cursor::parse).transpose()?;
    let with_uncited = identity.role() >= Role::Admin;
    let mut given = state.store.feedback(&Scope::of(&identity), with_uncited, after, page.limit + 1).await?;
    let is_last = given.len() <= usize::from(page.limit);
    given.truncate(page.limit.into());
    let next = given.last().filter(|_| !is_last).map(|last| super::cursor::of(last.given_at, last.request_id));
    Ok(Json(AllFeedback { feedback: given.into_iter().map(GivenFeedbackBody::from).collect(), next }))
}
