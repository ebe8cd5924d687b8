//! `GET /openapi.json`: the API's own description.

use std::sync::LazyLock;

use axum::Json;
use utoipa::openapi::OpenApi;

use crate::identity::Caller;

/// For whoever may call anything.
pub(super) async fn read(_: Caller) -> Json<&'static OpenApi> {
    static DESCRIPTION: LazyLock<OpenApi> = LazyLock::new(super::openapi);
    Json(&DESCRIPTION)
}
