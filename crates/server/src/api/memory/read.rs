//! `GET /v1/memory` and `GET /v1/memory/{id}`.

use axum::Json;
use axum::extract::rejection::QueryRejection;
use axum::extract::{Path, Query, State};
use ibidem_words::{MemoryId, Scope};
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};
use uuid::Uuid;

use super::{EntryReply, MemoryEntryBody, entry_id};
use crate::identity::Caller;
use crate::problem::{Problem, ProblemDocument};
use crate::state::AppState;

const MOST_A_PAGE: u16 = 100;

#[derive(Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub(crate) struct Page {
    /// Only entries made after this one: `next` of the page before.
    after: Option<Uuid>,
    /// How many, 1 to 100.
    #[serde(default = "default_limit")]
    #[param(minimum = 1, maximum = 100, default = 50)]
    limit: u16,
}

fn default_limit() -> u16 {
    50
}

#[derive(Serialize, ToSchema)]
pub(crate) struct EntriesReply {
    /// Oldest first.
    entries: Vec<MemoryEntryBody>,
    /// Where the next page begins; null on the last.
    next: Option<Uuid>,
}

/// Lists the entries that share a tag with the key, or are public.
#[utoipa::path(get, path = "/v1/memory", tag = "memory", params(Page), security(("api_key" = [])),
    responses(
        (status = 200, body = EntriesReply),
        (status = 403, body = ProblemDocument, content_type = "application/problem+json"),
        (status = 422, body = ProblemDocument, content_type = "application/problem+json"),
    ))]
pub(crate) async fn list(
    State(state): State<AppState>,
    Caller(identity): Caller,
    page: Result<Query<Page>, QueryRejection>,
) -> Result<Json<EntriesReply>, Problem> {
    let Query(page) = page.map_err(|rejection| Problem::malformed(rejection.status(), rejection.body_text()))?;
    if !(1..=MOST_A_PAGE).contains(&page.limit) {
        return Err(Problem::invalid(format!("limit: ask for 1 to {MOST_A_PAGE} entries at once")));
    }
    // One more than asked for tells whether there is a next page.
    let most = usize::from(page.limit);
    let scope = Scope::of(&identity);
    let mut rows = state.store.list_entries(&scope, page.after.map(MemoryId), i64::from(page.limit) + 1).await?;
    let is_last = rows.len() <= most;
    rows.truncate(most);
    let next = rows.last().filter(|_| !is_last).map(|row| row.entry.id.0);
    Ok(Json(EntriesReply {
        entries: rows.into_iter().map(|row| MemoryEntryBody::seen_in(&scope, row)).collect(),
        next,
    }))
}

/// One entry, and which of its references lead nowhere.
#[utoipa::path(get, path = "/v1/memory/{id}", tag = "memory", params(("id" = Uuid, Path)), security(("api_key" = [])),
    responses(
        (status = 200, body = EntryReply),
        (status = 403, body = ProblemDocument, content_type = "application/problem+json"),
        (status = 404, body = ProblemDocument, content_type = "application/problem+json"),
    ))]
pub(crate) async fn get(
    State(state): State<AppState>,
    Caller(identity): Caller,
    Path(id): Path<String>,
) -> Result<Json<EntryReply>, Problem> {
    EntryReply::of(&state, &Scope::of(&identity), entry_id(&id)?).await.map(Json)
}
