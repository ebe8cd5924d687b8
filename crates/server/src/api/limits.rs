//! `GET /v1/limits`: what keys, people and the tenant may use, and what they have used.

use std::collections::BTreeMap;

use axum::Json;
use axum::extract::State;
use chrono::Utc;
use ibidem_store::HolderUse;
use ibidem_words::SubjectId;
use serde::Serialize;
use utoipa::ToSchema;
use uuid::Uuid;

use crate::identity::Caller;
use crate::problem::{Problem, ProblemDocument};
use crate::quotas::UseLimits;
use crate::state::AppState;

/// So many people who used something today are listed.
const MOST_OTHERS: usize = 200;

/// What may be used; 0 is no limit.
#[derive(Serialize, ToSchema)]
pub(crate) struct UseLimitsBody {
    requests_per_minute: u32,
    /// Questions under way at the same time.
    turns_at_once: u32,
    model_tokens_per_day: u64,
    documents_per_day: u64,
    bytes_per_day: u64,
}

impl From<UseLimits> for UseLimitsBody {
    fn from(limits: UseLimits) -> Self {
        let UseLimits { requests_per_minute, turns_at_once, model_tokens_per_day, documents_per_day, bytes_per_day } =
            limits;
        Self { requests_per_minute, turns_at_once, model_tokens_per_day, documents_per_day, bytes_per_day }
    }
}

/// What somebody has used. Only what is limited is counted.
#[derive(Serialize, ToSchema)]
pub(crate) struct UseBody {
    /// `key:` and the key's id, `person:` and the person's id, or `tenant` for all together.
    holder: String,
    /// The name of the key or the person; null for the tenant, and for who is no longer there.
    name: Option<String>,
    /// Questions under way at this moment.
    turns: u64,
    /// Since midnight (UTC).
    model_tokens: u64,
    /// Handed in since midnight (UTC).
    documents: u64,
    /// Of these documents.
    bytes: u64,
}

/// Limits, and what is used of them.
#[derive(Serialize, ToSchema)]
pub(crate) struct LimitsBody {
    /// Of each key.
    key: UseLimitsBody,
    /// Of each person.
    person: UseLimitsBody,
    /// Of the tenant as a whole.
    tenant: UseLimitsBody,
    /// The tenant, every valid key, and up to 200 people who have used anything today.
    used: Vec<UseBody>,
}

/// Reads the limits, and what the tenant and its keys and people have used of them.
#[utoipa::path(get, path = "/v1/limits", operation_id = "read_limits", tag = "metrics", security(("api_key" = [])),
    responses(
        (status = 200, body = LimitsBody),
        (status = 403, body = ProblemDocument, content_type = "application/problem+json"),
    ))]
pub(crate) async fn read(State(state): State<AppState>, caller: Caller) -> Result<Json<LimitsBody>, Problem> {
    let (tenant, now) = (caller.0.tenant(), Utc::now());
    let mut uses = state.store.uses(tenant, now).await?;
    let mut used = vec![of("tenant".to_owned(), None, &mut uses)];
    for key in state.store.list_keys(tenant).await? {
        let holder = SubjectId::Key(key.id).to_string();
        let is_valid = key.revoked_at.is_none() && key.expires_at.is_none_or(|at| at > now);
        if is_valid || uses.contains_key(&holder) {
            used.push(of(holder, Some(key.name), &mut uses));
        }
    }
    let others: Vec<String> = uses.keys().take(MOST_OTHERS).cloned().collect();
    let person = |holder: &String| match holder.parse() {
        Ok(SubjectId::Person(id)) => Some(id),
        _ => None,
    };
    let people: Vec<Uuid> = others.iter().filter_map(person).collect();
    let mut names = state.store.person_names(tenant, &people).await?;
    for holder in others {
        let name = person(&holder).and_then(|id| names.remove(&id));
        used.push(of(holder, name, &mut uses));
    }
    let [key, person, tenant] = state.quotas.in_force(tenant).map(UseLimitsBody::from);
    Ok(Json(LimitsBody { key, person, tenant, used }))
}

fn of(holder: String, name: Option<String>, uses: &mut BTreeMap<String, HolderUse>) -> UseBody {
    let HolderUse { turns, model_tokens, documents, bytes } = uses.remove(&holder).unwrap_or_default();
    UseBody { holder, name, turns, model_tokens, documents, bytes }
}
