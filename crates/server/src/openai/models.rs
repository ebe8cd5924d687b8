//! `GET /v1/models`: what a chat program can choose, which is what the caller can ask about.

use axum::Json;
use axum::extract::State;
use ibidem_words::{CollectionName, Scope};
use serde::Serialize;
use utoipa::ToSchema;

use crate::identity::Caller;
use crate::problem::Problem;
use crate::state::AppState;

/// Every collection that the caller may see.
const ALL: &str = "ibidem";
/// Before the name of one collection.
const ONE: &str = "ibidem/";

/// What can be chosen.
#[derive(Serialize, ToSchema)]
pub(crate) struct ModelList {
    /// Always `list`.
    object: &'static str,
    data: Vec<Model>,
}

/// A choice: all collections, or one.
#[derive(Serialize, ToSchema)]
pub(crate) struct Model {
    /// `ibidem`, or `ibidem/` and the name of a collection.
    id: String,
    /// Always `model`.
    object: &'static str,
    /// Always 0.
    created: i64,
    /// Always `ibidem`.
    owned_by: &'static str,
}

impl Model {
    fn named(id: String) -> Self {
        Self { id, object: "model", created: 0, owned_by: "ibidem" }
    }
}

/// Lists the models for chat programs.
///
/// `ibidem` asks all collections; one more for each collection in which the caller may see a document.
#[utoipa::path(get, path = "/v1/models", tag = "chat", security(("api_key" = [])),
    responses((status = 200, body = ModelList), (status = 401, body = super::errors::ChatError)))]
pub(crate) async fn list(State(state): State<AppState>, caller: Caller) -> Result<Json<ModelList>, Problem> {
    let collections = state.store.visible_collections(&caller.scope()).await?;
    let each = collections.iter().map(|name| format!("{ONE}{}", name.as_str()));
    let data = std::iter::once(ALL.to_owned()).chain(each).map(Model::named).collect();
    Ok(Json(ModelList { object: "list", data }))
}

/// The collections that a model stands for; none means all. A collection that the caller may not see and one that
/// does not exist are the same.
pub(super) async fn collections_of(
    state: &AppState,
    scope: &Scope,
    model: &str,
) -> Result<Vec<CollectionName>, Problem> {
    if model == ALL {
        return Ok(Vec::new());
    }
    let named = model.strip_prefix(ONE).ok_or_else(|| Problem::no_such_model(model))?;
    let collections = state.store.visible_collections(scope).await?;
    let found = collections.into_iter().find(|name| name.as_str().eq_ignore_ascii_case(named));
    found.map(|name| vec![name]).ok_or_else(|| Problem::no_such_model(model))
}
