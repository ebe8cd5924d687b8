//! `/v1/groups`: what groups of the identity provider give their members.

use axum::Json;
use axum::extract::{Path, State};
use axum::http::StatusCode;
use chrono::{DateTime, Utc};
use ibidem_store::{ActionObject, GroupRow, NewGroup};
use ibidem_words::{Role, Tag};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;
use uuid::Uuid;

use super::keys::checked_hand_in;
use crate::audit::Act;
use crate::identity::Caller;
use crate::json::Sent;
use crate::problem::{Problem, ProblemDocument};
use crate::state::AppState;

/// What a group gives its members.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct GroupBody {
    /// The group, written exactly as the identity provider writes it, 1 to 256 characters.
    #[schema(min_length = 1, max_length = 256)]
    name: String,
    /// `asker`, `curator` or `admin`. Who is in several groups has the highest of their roles.
    #[schema(value_type = String)]
    role: Role,
    /// Tags of the documents that its members may see besides public ones, up to 100.
    #[serde(default)]
    #[schema(value_type = Vec<String>, max_items = 100)]
    tags: Vec<Tag>,
    /// The collections that its members may hand documents in to as curators, up to 100; `*` is every collection. Empty:
    /// none. Who is in several groups may hand in to the collections of all of them; an admin to all.
    #[serde(default)]
    #[schema(max_items = 100)]
    hand_in: Vec<String>,
}

/// A group that gives its members something.
#[derive(Serialize, ToSchema)]
pub(crate) struct GroupEntry {
    id: Uuid,
    /// As the identity provider writes it.
    name: String,
    /// `asker`, `curator` or `admin`
    role: &'static str,
    /// Tags that its members carry.
    tags: Vec<String>,
    /// Collections that its members may hand documents in to as curators; `*`: all of them.
    hand_in: Vec<String>,
    /// When an admin changed it last.
    changed_at: DateTime<Utc>,
}

impl From<GroupRow> for GroupEntry {
    fn from(row: GroupRow) -> Self {
        Self {
            id: row.id,
            name: row.name,
            role: row.role.as_str(),
            tags: row.tags.into_iter().map(String::from).collect(),
            hand_in: row.hand_in.to_names(),
            changed_at: row.changed_at,
        }
    }
}

/// The groups of a tenant that give something, by name.
#[derive(Serialize, ToSchema)]
pub(crate) struct GroupsBody {
    groups: Vec<GroupEntry>,
}

/// The id of a group's row.
#[derive(Serialize, ToSchema)]
pub(crate) struct GroupMapped {
    id: Uuid,
}

/// More tags than anybody reads.
const MOST_TAGS: usize = 100;

/// Lists what groups give their members.
#[utoipa::path(get, path = "/v1/groups", operation_id = "list_groups", tag = "people", security(("api_key" = [])),
    responses(
        (status = 200, body = GroupsBody),
        (status = 403, body = ProblemDocument, content_type = "application/problem+json"),
    ))]
pub(crate) async fn list(State(state): State<AppState>, caller: Caller) -> Result<Json<GroupsBody>, Problem> {
    let rows = state.store.list_groups(caller.0.tenant()).await?;
    Ok(Json(GroupsBody { groups: rows.into_iter().map(GroupEntry::from).collect() }))
}

/// Gives a group's members a role and tags, in place of what it gave them before.
///
/// It counts from each member's next request on.
#[utoipa::path(put, path = "/v1/groups", operation_id = "map_group", tag = "people", request_body = GroupBody,
    security(("api_key" = [])),
    responses(
        (status = 200, body = GroupMapped),
        (status = 403, body = ProblemDocument, content_type = "application/problem+json"),
        (status = 422, body = ProblemDocument, content_type = "application/problem+json"),
    ))]
pub(crate) async fn map(
    State(state): State<AppState>,
    act: Act,
    caller: Caller,
    Sent(body): Sent<GroupBody>,
) -> Result<Json<GroupMapped>, Problem> {
    if body.tags.len() > MOST_TAGS {
        return Err(Problem::invalid(format!("tags: has {} entries; the most is {MOST_TAGS}", body.tags.len())));
    }
    let hand_in = checked_hand_in(&body.hand_in)?;
    let (role, tags) = (body.role, body.tags.len());
    let group =
        NewGroup::new(&body.name, role, body.tags).map_err(|error| Problem::invalid(format!("name: {error}")))?;
    let group = group.handing_in(hand_in);
    let id = state.store.map_group(caller.0.tenant(), &group).await?;
    act.on(ActionObject::new("group", id));
    act.detail("role", role.as_str());
    act.detail("tags", tags);
    Ok(Json(GroupMapped { id }))
}

/// Takes away what a group gives. It counts from each member's next request on.
#[utoipa::path(delete, path = "/v1/groups/{id}", operation_id = "remove_group", tag = "people",
    params(("id" = Uuid, Path, description = "The id of the group, as the list shows it")),
    security(("api_key" = [])),
    responses(
        (status = 204, description = "It gives nothing any more"),
        (status = 403, body = ProblemDocument, content_type = "application/problem+json"),
        (status = 404, body = ProblemDocument, content_type = "application/problem+json"),
    ))]
pub(crate) async fn remove(
    State(state): State<AppState>,
    caller: Caller,
    Path(id): Path<String>,
) -> Result<StatusCode, Problem> {
    let missing = || Problem::no_such("There is no such group", "`GET /v1/groups` lists the groups of the tenant.");
    let id: Uuid = id.parse().map_err(|_| missing())?;
    let removed = state.store.unmap_group(caller.0.tenant(), id).await?;
    if removed { Ok(StatusCode::NO_CONTENT) } else { Err(missing()) }
}
