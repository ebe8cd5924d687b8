//! `GET /.well-known/ibidem-receipt-keys.json`: the keys that sign receipts, for anybody who was handed one.

use axum::Json;
use axum::extract::State;
use ibidem_words::KeySet;

use crate::problem::{Problem, ProblemDocument};
use crate::state::AppState;

/// The public keys that sign receipts here, those included that sign no more, as a JSON Web Key Set.
///
/// No key is needed: whoever was handed a receipt can check its signature.
#[utoipa::path(get, path = "/.well-known/ibidem-receipt-keys.json", tag = "answers",
    responses(
        (status = 200, body = KeySet),
        (status = 503, body = ProblemDocument, content_type = "application/problem+json"),
    ))]
pub(crate) async fn read(State(state): State<AppState>) -> Result<Json<KeySet>, Problem> {
    Ok(Json(state.store.public_keys().await?.to_set()))
}
