//! `/v1/policies`: which policy file is in force for the tenant and for single collections.

pub(crate) mod what_if;

use axum::Json;
use axum::extract::rejection::QueryRejection;
use axum::extract::{Query, State};
use axum::http::StatusCode;
use chrono::{DateTime, Utc};
use ibidem_store::{ActionObject, NewPlacedPolicy, PlacedPolicy};
use ibidem_words::{CollectionName, PolicyTexts};
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

use crate::audit::Act;
use crate::identity::Caller;
use crate::json::Sent;
use crate::problem::{Problem, ProblemDocument};
use crate::state::AppState;

#[derive(Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub(crate) struct Listed {
    /// Also what was in force before.
    #[serde(default)]
    history: bool,
}

#[derive(Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub(crate) struct Place {
    /// The collection; the tenant as a whole when left out.
    collection: Option<String>,
}

/// A policy file to put in force.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct PolicyBody {
    /// The collection that it is for; the tenant as a whole when left out.
    #[serde(default)]
    #[schema(value_type = Option<String>)]
    collection: Option<CollectionName>,
    /// The text of the policy file, YAML.
    #[schema(min_length = 1)]
    policy: String,
}

/// The policy file of the installation, which is in force where nothing else is set.
#[derive(Serialize, ToSchema)]
pub(crate) struct InstallationPolicy {
    /// What the policy file calls itself.
    policy: String,
    /// The hash of its text.
    policy_sha256: String,
}

/// A policy file that is set for a place.
#[derive(Serialize, ToSchema)]
pub(crate) struct PlacedBody {
    /// The collection; null for the tenant as a whole.
    collection: Option<String>,
    /// Which setting of this place it is, counted from 1. Receipts name it.
    version: u32,
    /// What the policy file calls itself; empty where a setting was taken back.
    policy: String,
    /// The hash of its text, which receipts name too; null where a setting was taken back.
    policy_sha256: Option<String>,
    /// Who set it: `key:` and the key's id, `person:` and the person's id, or `operator`.
    set_by: String,
    /// When it was set.
    set_at: DateTime<Utc>,
}

impl From<PlacedPolicy> for PlacedBody {
    fn from(placed: PlacedPolicy) -> Self {
        Self {
            collection: placed.collection.map(String::from),
            version: placed.version,
            policy: placed.name,
            policy_sha256: placed.policy.map(|sha256| sha256.to_string()),
            set_by: placed.set_by,
            set_at: placed.set_at,
        }
    }
}

/// The policy files of a tenant.
#[derive(Serialize, ToSchema)]
pub(crate) struct PoliciesBody {
    /// In force where nothing is set.
    installation: InstallationPolicy,
    /// What is set, by place; with `history` also what was, the newest first.
    places: Vec<PlacedBody>,
}

/// What was put in force.
#[derive(Serialize, ToSchema)]
pub(crate) struct PolicySet {
    /// Which setting of this place it is, counted from 1.
    version: u32,
    /// What the policy file calls itself.
    policy: String,
    /// The hash of its text.
    policy_sha256: String,
}

/// Lists which policy files are in force.
#[utoipa::path(get, path = "/v1/policies", operation_id = "list_policies", tag = "policies", params(Listed),
    security(("api_key" = [])),
    responses(
        (status = 200, body = PoliciesBody),
        (status = 403, body = ProblemDocument, content_type = "application/problem+json"),
    ))]
pub(crate) async fn list(
    State(state): State<AppState>,
    caller: Caller,
    wanted: Result<Query<Listed>, QueryRejection>,
) -> Result<Json<PoliciesBody>, Problem> {
    let Query(Listed { history }) =
        wanted.map_err(|rejection| Problem::invalid(format!("{}.", rejection.body_text())))?;
    let tenant = caller.0.tenant();
    let placed = match history {
        true => state.store.policy_history(tenant).await?,
        false => state.store.placed_policies(tenant).await?,
    };
    let in_force = state.policy_in_force();
    let (policy, policy_sha256) = (in_force.rules.name.clone(), in_force.hash.to_string());
    let installation = InstallationPolicy { policy, policy_sha256 };
    Ok(Json(PoliciesBody { installation, places: placed.into_iter().map(PlacedBody::from).collect() }))
}

/// Puts a policy file in force for the tenant or for a collection.
///
/// It counts from the next question on, on every server. A question that names collections with one and the same policy
/// file is answered under it; every other question is answered under the tenant's, or else the installation's.
#[utoipa::path(put, path = "/v1/policies", operation_id = "set_policy", tag = "policies", request_body = PolicyBody,
    security(("api_key" = [])),
    responses(
        (status = 200, body = PolicySet),
        (status = 403, body = ProblemDocument, content_type = "application/problem+json"),
        (status = 422, body = ProblemDocument, content_type = "application/problem+json"),
    ))]
pub(crate) async fn set(
    State(state): State<AppState>,
    act: Act,
    caller: Caller,
    Sent(body): Sent<PolicyBody>,
) -> Result<Json<PolicySet>, Problem> {
    if body.policy.contains('\0') {
        return Err(Problem::invalid("policy: it has a character that cannot be kept."));
    }
    let texts = PolicyTexts { policy: body.policy, thresholds: None };
    let usable = state.policy_places.usable(&texts).map_err(|error| Problem::invalid(format!("policy: {error}")))?;
    let new = NewPlacedPolicy { sha256: usable.hash, texts: &texts, name: &usable.rules.name };
    let (tenant, by) = (caller.0.tenant(), caller.0.subject().id());
    let version = state.store.place_policy(tenant, body.collection.as_ref(), &new, by).await?;
    act.on(ActionObject::new("policy", usable.hash));
    act.detail("place", if body.collection.is_some() { "collection" } else { "tenant" });
    act.detail("version", version);
    Ok(Json(PolicySet { version, policy: usable.rules.name, policy_sha256: usable.hash.to_string() }))
}

/// Takes back the policy file of the tenant or of a collection.
///
/// A collection has the tenant's policy file again, and a tenant the installation's.
#[utoipa::path(delete, path = "/v1/policies", operation_id = "unset_policy", tag = "policies", params(Place),
    security(("api_key" = [])),
    responses(
        (status = 204, description = "Nothing is set there any more"),
        (status = 403, body = ProblemDocument, content_type = "application/problem+json"),
        (status = 404, body = ProblemDocument, content_type = "application/problem+json"),
        (status = 422, body = ProblemDocument, content_type = "application/problem+json"),
    ))]
pub(crate) async fn unset(
    State(state): State<AppState>,
    act: Act,
    caller: Caller,
    place: Result<Query<Place>, QueryRejection>,
) -> Result<StatusCode, Problem> {
    let Query(Place { collection }) =
        place.map_err(|rejection| Problem::invalid(format!("{}.", rejection.body_text())))?;
    let collection = collection.map(|written| written.parse::<CollectionName>()).transpose();
    let collection = collection.map_err(|error| Problem::invalid(format!("collection: {error}")))?;
    let (tenant, by) = (caller.0.tenant(), caller.0.subject().id());
    let version = state.store.unplace_policy(tenant, collection.as_ref(), by).await?;
    let missing = || Problem::no_such("No policy file is set there", "`GET /v1/policies` lists what is set.");
    let version = version.ok_or_else(missing)?;
    act.detail("place", if collection.is_some() { "collection" } else { "tenant" });
    act.detail("version", version);
    Ok(StatusCode::NO_CONTENT)
}
