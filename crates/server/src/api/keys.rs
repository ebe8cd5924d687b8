//! `/v1/keys`: the API keys of a tenant, for its admins.

use axum::Json;
use axum::extract::{Path, State};
use axum::http::StatusCode;
use chrono::{DateTime, Duration, Utc};
use ibidem_store::{ActionObject, ApiKeyRow, NewEmbedding, NewKey, PageOrigin};
use ibidem_words::{CollectionName, HandIn, PolicyTexts, Role, Tag};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;
use uuid::Uuid;

use crate::audit::Act;
use crate::identity::Caller;
use crate::json::Sent;
use crate::problem::{Problem, ProblemDocument};
use crate::state::AppState;

const LONGEST_NAME: usize = 200;
const MOST_TAGS: usize = 100;
const MOST_ORIGINS: usize = 20;
const MOST_COLLECTIONS: usize = 100;
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
    /// The collections that a curator's key may hand documents in to, up to 100; `*` is every collection. Empty: none. An
    /// admin's key may hand in to all, an asker's to none.
    #[serde(default)]
    #[schema(max_items = 100)]
    hand_in: Vec<String>,
    /// The key expires after this many days, 1 to 3650; null: it does not expire.
    #[schema(minimum = 1, maximum = 3650)]
    expires_in_days: Option<u32>,
    /// Makes it a key for pages of other sites: pages of these origins, such as `https://intranet.example.org`, may use it,
    /// up to 20. It can then only ask, and its role must be `asker`. Everybody who opens such a page can read the key.
    #[serde(default)]
    #[schema(max_items = 20)]
    origins: Vec<String>,
    /// Only for a key with `origins`: its questions are answered from these collections, up to 100; empty: from all that
    /// its tags show.
    #[serde(default)]
    #[schema(value_type = Vec<String>, max_items = 100)]
    collections: Vec<CollectionName>,
    /// Only for a key with `origins`: the text of a policy file, YAML, under which its questions are answered; null: the
    /// policy file that is in force otherwise.
    policy: Option<String>,
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
    /// Collections that a curator's key may hand documents in to; `*`: all of them.
    hand_in: Vec<String>,
    created_at: DateTime<Utc>,
    /// null: it does not expire.
    expires_at: Option<DateTime<Utc>>,
    /// null: it was not revoked.
    revoked_at: Option<DateTime<Utc>>,
    /// Pages of these origins may use it, and it can only ask; empty: it is no key for pages.
    origins: Vec<String>,
    /// The collections that its questions are answered from; empty: all that its tags show.
    collections: Vec<String>,
    /// The hash of the policy file that its questions are answered under; null: the one that is in force otherwise.
    policy_sha256: Option<String>,
}

impl From<ApiKeyRow> for KeyEntry {
    fn from(row: ApiKeyRow) -> Self {
        let (origins, collections, policy) = row.embedding.map_or_else(Default::default, |embedding| {
            let origins = embedding.origins.iter().map(PageOrigin::to_string).collect();
            (origins, embedding.collections.into_iter().map(String::from).collect(), embedding.policy)
        });
        Self {
            origins,
            collections,
            policy_sha256: policy.map(|sha256| sha256.to_string()),
            id: row.id,
            name: row.name,
            role: row.role.as_str(),
            tags: row.tags.into_iter().map(String::from).collect(),
            hand_in: row.hand_in.to_names(),
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
        (status = 403, body = ProblemDocument, content_type = "application/problem+json"),
        (status = 422, body = ProblemDocument, content_type = "application/problem+json"),
    ))]
pub(crate) async fn create(
    State(state): State<AppState>,
    act: Act,
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
    let hand_in = checked_hand_in(&body.hand_in)?;
    let embedding = embedding(&state, &body)?;
    let new = NewKey {
        tenant: caller.0.tenant(),
        name: name.to_owned(),
        role: body.role,
        tags: body.tags,
        hand_in,
        expires_at: body.expires_in_days.map(|days| Utc::now() + Duration::days(days.into())),
    };
    let created = match &embedding {
        Some(embedding) => state.store.create_embedded_key(&new, embedding).await?,
        None => state.store.create_key(&new).await?,
    };
    act.on(ActionObject::new("key", created.id));
    act.detail("role", new.role.as_str());
    act.detail("hand_in", new.hand_in.to_names().len());
    act.detail("origins", embedding.map_or(0, |embedding| embedding.origins.len()));
    Ok((StatusCode::CREATED, Json(KeyCreated { id: created.id, secret: created.secret })))
}

/// The right to hand documents in that a request gives a key or a group.
pub(super) fn checked_hand_in(written: &[String]) -> Result<HandIn, Problem> {
    if written.len() > MOST_COLLECTIONS {
        return Err(Problem::invalid(format!(
            "hand_in: has {} entries; the most is {MOST_COLLECTIONS}",
            written.len()
        )));
    }
    HandIn::parse(written).map_err(|error| Problem::invalid(format!("hand_in: {error}, or `*` for every collection")))
}

/// What a key for pages of other sites is confined to; none for any other key.
fn embedding(state: &AppState, body: &KeyBody) -> Result<Option<NewEmbedding>, Problem> {
    let KeyBody { origins, collections, policy, role, .. } = body;
    if origins.is_empty() {
        let is_plain = collections.is_empty() && policy.is_none();
        let needs = "collections, policy: only a key with `origins` has them";
        return if is_plain { Ok(None) } else { Err(Problem::invalid(needs)) };
    }
    if *role != Role::Asker {
        return Err(Problem::invalid("role: a key with `origins` can only ask; its role is `asker`"));
    }
    for (name, count, most) in
        [("origins", origins.len(), MOST_ORIGINS), ("collections", collections.len(), MOST_COLLECTIONS)]
    {
        if count > most {
            return Err(Problem::invalid(format!("{name}: has {count} entries; the most is {most}")));
        }
    }
    let origins = origins.iter().map(|written| written.parse::<PageOrigin>()).collect::<Result<Vec<_>, _>>();
    let origins = origins.map_err(|error| Problem::invalid(format!("origins: {error}")))?;
    let policy = policy.as_ref().map(|policy| {
        if policy.contains('\0') {
            return Err(Problem::invalid("policy: it has a character that cannot be kept."));
        }
        let texts = PolicyTexts { policy: policy.clone(), thresholds: None };
        let usable =
            state.policy_places.usable(&texts).map_err(|error| Problem::invalid(format!("policy: {error}")))?;
        Ok((usable.hash, texts))
    });
    Ok(Some(NewEmbedding { origins, collections: collections.clone(), policy: policy.transpose()? }))
}

/// Revokes a key of the tenant. It stops working at once.
#[utoipa::path(delete, path = "/v1/keys/{id}", operation_id = "revoke_key", tag = "keys",
    params(("id" = Uuid, Path, description = "The key's id, as the list shows it")),
    security(("api_key" = [])),
    responses(
        (status = 204, description = "It is revoked"),
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
