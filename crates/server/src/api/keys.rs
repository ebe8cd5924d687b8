//! `/v1/keys`: the API keys of a tenant, for its admins.

use axum::extract::{Path, State};
use axum::http::StatusCode;
use axum::{Extension, Json};
use chrono::{DateTime, Duration, Utc};
use ibidem_store::{ActionObject, ApiKeyRow, NewKey};
use ibidem_words::{Role, Tag};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;
use uuid::Uuid;

use super::json::Sent;
use crate::audit::Act;
use crate::identity::Caller;
use crate::problem::{Problem, ProblemDocument};
use crate::state::AppState;

const LONGEST_NAME: usize = 200;
const MOST_TAGS: usize = 100;
/// Ten years.
const MOST_DAYS: u32 = 3_650;

/// What a new key may do.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct KeyBody {
    /// What the key is for, 1 to 200 characters. It need not be unique.
    #[schema(min_length = 1, max_length = 200)]
    name: String,
    /// `asker`, `curator` or `admin`
    #[schema(value_type = String)]
    role: Role,
    /// Tags of the documents that the key may see besides public ones, up to 100.
    #[serde(default)]
    #[schema(value_type = Vec<String>, max_items = 100)]
    tags: Vec<Tag>,
    /// The key expires after this many days, 1 to 3650; null: it does not expire.
    #[schema(minimum = 1, maximum = 3650)]
    expires_in_days: Option<u32>,
}

/// A key that was just made.
#[derive(Serialize, ToSchema)]
pub(crate) struct KeyCreated {
    id: Uuid,
    /// The key itself. It is shown only now: what is stored is its hash.
    secret: String,
}

/// A key, without its secret.
#[derive(Serialize, ToSchema)]
pub(crate) struct KeyEntry {
    id: Uuid,
    /// What the key is for.
    name: String,
    /// `asker`, `curator` or `admin`
    role: &'static str,
    /// Tags that the key carries.
    tags: Vec<String>,
    created_at: DateTime<Utc>,
    /// null: it does not expire.
    expires_at: Option<DateTime<Utc>>,
    /// null: it was not revoked.
    revoked_at: Option<DateTime<Utc>>,
}

impl From<ApiKeyRow> for KeyEntry {
    fn from(row: ApiKeyRow) -> Self {
        Self {
            id: row.id,
            name: row.name,
            role: row.role.as_str(),
            tags: row.tags.into_iter().map(String::from).collect(),
            created_at: row.created_at,
            expires_at: row.expires_at,
            revoked_at: row.revoked_at,
        }
    }
}

/// The keys of a tenant, oldest first.
#[derive(Serialize, ToSchema)]
pub(crate) struct KeysBody {
    keys: Vec<KeyEntry>,
}

/// Lists the tenant's API keys, those that have ended too.
#[utoipa::path(get, path = "/v1/keys", operation_id = "list_keys", tag = "keys", security(("api_key" = [])),
    responses(
        (status = 200, body = KeysBody),
        (status = 401, body = ProblemDocument, content_type = "application/problem+json"),
        (status = 403, body = ProblemDocument, content_type = "application/problem+json"),
    ))]
pub(crate) async fn list(State(state): State<AppState>, caller: Caller) -> Result<Json<KeysBody>, Problem> {
    let rows = state.store.list_keys(caller.0.tenant()).await?;
    Ok(Json(KeysBody { keys: rows.into_iter().map(KeyEntry::from).collect() }))
}

/// Creates an API key of the tenant.
#[utoipa::path(post, path = "/v1/keys", operation_id = "create_key", tag = "keys", request_body = KeyBody,
    security(("api_key" = [])),
    responses(
        (status = 201, body = KeyCreated),
        (status = 401, body = ProblemDocument, content_type = "application/problem+json"),
        (status = 403, body = ProblemDocument, content_type = "application/problem+json"),
        (status = 422, body = ProblemDocument, content_type = "application/problem+json"),
    ))]
pub(crate) async fn create(
    State(state): State<AppState>,
    act: Option<Extension<Act>>,
    caller: Caller,
    Sent(body): Sent<KeyBody>,
) -> Result<(StatusCode, Json<KeyCreated>), Problem> {
    let name = body.name.trim();
    if !(1..=LONGEST_NAME).contains(&name.chars().count()) || name.chars().any(char::is_control) {
        let rule = format!("name: must have 1 to {LONGEST_NAME} characters, and no control characters");
        return Err(Problem::invalid(rule));
    }
    if body.tags.len() > MOST_TAGS {
        return Err(Problem::invalid(format!("tags: has {} entries; the most is {MOST_TAGS}", body.tags.len())));
    }
    if body.expires_in_days.is_some_and(|days| !(1..=MOST_DAYS).contains(&days)) {
        return Err(Problem::invalid(format!("expires_in_days: must be from 1 to {MOST_DAYS}")));
    }
    let new = NewKey {
        tenant: caller.0.tenant(),
        name: name.to_owned(),
        role: body.role,
        tags: body.tags,
        expires_at: body.expires_in_days.map(|days| Utc::now() + Duration::days(days.into())),
    };
    let created = state.store.create_key(&new).await?;
    if let Some(act) = act {
        act.on(ActionObject::new("key", created.id));
        act.detail("role", new.role.as_str());
    }
    Ok((StatusCode::CREATED, Json(KeyCreated { id: created.id, secret: created.secret })))
}

/// Revokes a key of the tenant. It stops working at once.
#[utoipa::path(delete, path = "/v1/keys/{id}", operation_id = "revoke_key", tag = "keys",
    params(("id" = Uuid, Path, description = "The key's id, as the list shows it")),
    security(("api_key" = [])),
    responses(
        (status = 204, description = "It is revoked"),
        (status = 401, body = ProblemDocument, content_type = "application/problem+json"),
        (status = 403, body = ProblemDocument, content_type = "application/problem+json"),
        (status = 404, body = ProblemDocument, content_type = "application/problem+json"),
    ))]
pub(crate) async fn revoke(
    State(state): State<AppState>,
    caller: Caller,
    Path(id): Path<String>,
) -> Result<StatusCode, Problem> {
    let missing = || Problem::no_such("There is no such key", "`GET /v1/keys` lists the keys of the tenant.");
    let id: Uuid = id.parse().map_err(|_| missing())?;
    let is_revoked = state.store.revoke_key(caller.0.tenant(), id).await?;
    if is_revoked { Ok(StatusCode::NO_CONTENT) } else { Err(missing()) }
}
