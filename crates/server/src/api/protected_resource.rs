//! `GET /.well-known/oauth-protected-resource`: where a client without a key gets an access token (RFC 9728).

use axum::Json;
use axum::extract::State;
use serde::Serialize;
use utoipa::ToSchema;

use crate::mcp;
use crate::problem::{Problem, ProblemDocument};
use crate::state::AppState;

/// Where access tokens for this server come from, in the form of RFC 9728.
#[derive(Serialize, ToSchema)]
pub(crate) struct ProtectedResource {
    /// What the tokens are for: the address of this API, or of its door for agents.
    resource: String,
    /// A name for people.
    resource_name: &'static str,
    /// The identity provider, by the address under which it describes itself.
    authorization_servers: Vec<String>,
    /// What to ask the provider for.
    scopes_supported: Vec<String>,
    /// How a token is shown: in the header `Authorization`.
    bearer_methods_supported: [&'static str; 1],
}

/// Where a client gets an access token for the API.
///
/// No key is needed. There is none where no identity provider is configured, or where it gives no tokens for this API.
#[utoipa::path(get, path = "/.well-known/oauth-protected-resource", tag = "sign-in",
    responses(
        (status = 200, body = ProtectedResource),
        (status = 404, body = ProblemDocument, content_type = "application/problem+json"),
    ))]
pub(crate) async fn of_api(State(state): State<AppState>) -> Result<Json<ProtectedResource>, Problem> {
    described(&state, "")
}

/// Where an agent gets an access token for `POST /mcp`.
///
/// The reply to an agent without credentials names this address, as the Model Context Protocol wants it.
#[utoipa::path(get, path = "/.well-known/oauth-protected-resource/mcp", tag = "sign-in",
    responses(
        (status = 200, body = ProtectedResource),
        (status = 404, body = ProblemDocument, content_type = "application/problem+json"),
    ))]
pub(crate) async fn of_agents(State(state): State<AppState>) -> Result<Json<ProtectedResource>, Problem> {
    described(&state, mcp::PATH)
}

fn described(state: &AppState, path: &str) -> Result<Json<ProtectedResource>, Problem> {
    let sign_in = state.sign_in.as_ref().ok_or_else(Problem::no_sign_in)?;
    let tokens = sign_in.tokens.as_ref().ok_or_else(Problem::no_sign_in)?;
    Ok(Json(ProtectedResource {
        resource: format!("{}{path}", sign_in.public_url),
        resource_name: "Ibidem",
        authorization_servers: vec![tokens.issuer.clone()],
        scopes_supported: tokens.scopes.clone(),
        bearer_methods_supported: ["header"],
    }))
}
