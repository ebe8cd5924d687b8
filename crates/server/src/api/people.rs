//! `/v1/people`: who has signed in, for admins.

use axum::Json;
use axum::extract::rejection::QueryRejection;
use axum::extract::{Path, Query, State};
use axum::http::StatusCode;
use chrono::{DateTime, Utc};
use ibidem_store::PersonRow;
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};
use uuid::Uuid;

use crate::audit::Act;
use crate::identity::Caller;
use crate::json::Sent;
use crate::problem::{Problem, ProblemDocument};
use crate::state::AppState;

const MOST: u32 = 500;

#[derive(Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub(crate) struct PeopleQuery {
    /// The `next` of the page before.
    after: Option<Uuid>,
    /// Most people on a page, 1 to 500. Default: 100.
    #[param(minimum = 1, maximum = 500)]
    limit: Option<u32>,
}

/// A person who has signed in, or for whom a token was sent.
#[derive(Serialize, ToSchema)]
pub(crate) struct PersonEntry {
    id: Uuid,
    /// The name that the identity provider gives.
    name: String,
    /// The address that the identity provider gives; null where it has not been verified.
    email: Option<String>,
    /// The person's groups, as the identity provider named them last.
    groups: Vec<String>,
    first_seen_at: DateTime<Utc>,
    last_seen_at: DateTime<Utc>,
    /// When an admin disabled the person; null while they are let in.
    disabled_at: Option<DateTime<Utc>>,
}

impl From<PersonRow> for PersonEntry {
    fn from(row: PersonRow) -> Self {
        let PersonRow { id, name, email, groups, first_seen_at, last_seen_at, disabled_at } = row;
        Self { id, name, email, groups, first_seen_at, last_seen_at, disabled_at }
    }
}

/// A page of people, in the order in which they first came.
#[derive(Serialize, ToSchema)]
pub(crate) struct PeopleBody {
    people: Vec<PersonEntry>,
    /// Send it as `after` for the next page; null on the last one.
    next: Option<Uuid>,
}

/// What an admin says of a person.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct PersonBody {
    /// Whether the person is kept out, whatever their groups give.
    disabled: bool,
}

/// Lists the people of the tenant.
#[utoipa::path(get, path = "/v1/people", operation_id = "list_people", tag = "people", params(PeopleQuery),
    security(("api_key" = [])),
    responses(
        (status = 200, body = PeopleBody),
        (status = 403, body = ProblemDocument, content_type = "application/problem+json"),
        (status = 422, body = ProblemDocument, content_type = "application/problem+json"),
    ))]
pub(crate) async fn list(
    State(state): State<AppState>,
    caller: Caller,
    query: Result<Query<PeopleQuery>, QueryRejection>,
) -> Result<Json<PeopleBody>, Problem> {
    let Query(query) = query.map_err(|rejection| Problem::invalid(format!("{}.", rejection.body_text())))?;
    let limit = query.limit.unwrap_or(100);
    if !(1..=MOST).contains(&limit) {
        return Err(Problem::invalid(format!("limit: is {limit}; it must be from 1 to {MOST}")));
    }
    let mut rows = state.store.list_people(caller.0.tenant(), query.after, limit + 1).await?;
    let has_more = rows.len() > limit as usize;
    rows.truncate(limit as usize);
    let next = rows.last().filter(|_| has_more).map(|row| row.id);
    Ok(Json(PeopleBody { people: rows.into_iter().map(PersonEntry::from).collect(), next }))
}

/// Keeps a person out from their next request on, or lets them in again.
#[utoipa::path(put, path = "/v1/people/{id}", operation_id = "set_person", tag = "people", request_body = PersonBody,
    params(("id" = Uuid, Path, description = "The person's id, as the list shows it")),
    security(("api_key" = [])),
    responses(
        (status = 204, description = "It is so now"),
        (status = 403, body = ProblemDocument, content_type = "application/problem+json"),
        (status = 404, body = ProblemDocument, content_type = "application/problem+json"),
        (status = 422, body = ProblemDocument, content_type = "application/problem+json"),
    ))]
pub(crate) async fn set(
    State(state): State<AppState>,
    act: Act,
    caller: Caller,
    Path(id): Path<String>,
    Sent(body): Sent<PersonBody>,
) -> Result<StatusCode, Problem> {
    let missing = || Problem::no_such("There is no such person", "`GET /v1/people` lists the people of the tenant.");
    let id: Uuid = id.parse().map_err(|_| missing())?;
    act.detail("disabled", body.disabled);
    let is_known = state.store.set_person_disabled(caller.0.tenant(), id, body.disabled).await?;
    if is_known { Ok(StatusCode::NO_CONTENT) } else { Err(missing()) }
}
