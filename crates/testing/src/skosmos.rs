//! A server in the REST form of Skosmos, version 1, over local vocabularies, for tests of what asks a Skosmos.
//!
//! Statuses, content types and texts are those of a Skosmos. Two of its ways are not kept: a definition of several
//! lines stays whole in a search, and `data` comes as JSON alone.

mod data;
mod label;
mod lookup;
mod names;
mod reply;
mod search;
mod vocabularies;

use std::collections::HashMap;
use std::sync::Arc;

use axum::Router;
use axum::extract::{Path, Query, State};
use axum::http::HeaderMap;
use axum::response::Response;
use axum::routing::get;
use ibidem_ports::thesaurus::{Thesaurus, WordList};

use reply::Refusal;

/// What is served, and in which language to those who do not say.
#[derive(Clone)]
struct Served {
    thesaurus: Arc<dyn Thesaurus>,
    language: Arc<str>,
}

/// The parameters of a request; of one that is given twice, the last.
type Parameters = HashMap<String, String>;

/// Everything under `/rest/v1`. `language` is for requests that name none.
pub fn router(thesaurus: Arc<dyn Thesaurus>, language: &str) -> Router {
    Router::new()
        .route("/rest/v1/vocabularies", get(vocabularies))
        .route("/rest/v1/search", get(search_all))
        .route("/rest/v1/data", get(data_of_any))
        .route("/rest/v1/{vocabulary}/search", get(search_one))
        .route("/rest/v1/{vocabulary}/lookup", get(lookup))
        .route("/rest/v1/{vocabulary}/data", get(data))
        .route("/rest/v1/{vocabulary}/label", get(label))
        .with_state(Served { thesaurus, language: language.into() })
}

/// Serves whole vocabularies until its task is dropped.
pub async fn serve(
    listener: tokio::net::TcpListener,
    thesaurus: Arc<dyn Thesaurus>,
    language: &str,
) -> std::io::Result<()> {
    axum::serve(listener, router(thesaurus, language)).await
}

impl Served {
    fn list(&self, id: &str) -> Result<&WordList, Refusal> {
        let mut lists = self.thesaurus.word_lists().iter();
        lists.find(|list| list.id == id).ok_or_else(|| Refusal::NotFound(format!("Vocabulary id '{id}' not found.")))
    }

    /// The language that a request wants to read.
    fn language<'a>(&'a self, parameters: &'a Parameters, names: &[&str]) -> &'a str {
        names.iter().find_map(|name| given(parameters, name)).unwrap_or(&self.language)
    }
}

/// A parameter that says something.
fn given<'a>(parameters: &'a Parameters, name: &str) -> Option<&'a str> {
    parameters.get(name).map(String::as_str).filter(|value| !value.is_empty())
}

type Answer = Result<Response, Refusal>;

async fn vocabularies(
    State(served): State<Served>,
    headers: HeaderMap,
    Query(parameters): Query<Parameters>,
) -> Answer {
    vocabularies::listed(&served, &headers, &parameters)
}

async fn search_all(State(served): State<Served>, Query(parameters): Query<Parameters>) -> Answer {
    search::in_several(&served, &parameters)
}

async fn search_one(
    State(served): State<Served>,
    Path(id): Path<String>,
    Query(parameters): Query<Parameters>,
) -> Answer {
    search::in_one(&served, served.list(&id)?, &parameters)
}

async fn lookup(State(served): State<Served>, Path(id): Path<String>, Query(parameters): Query<Parameters>) -> Answer {
    lookup::looked_up(&served, served.list(&id)?, &parameters)
}

/// Of whichever vocabulary has the concept.
async fn data_of_any(State(served): State<Served>, Query(parameters): Query<Parameters>) -> Answer {
    let uri = given(&parameters, "uri").unwrap_or_default();
    let list = served.thesaurus.word_lists().iter().find(|list| list.entries.contains_key(uri));
    data::about(list.ok_or(Refusal::NoConcept)?, &parameters)
}

async fn data(State(served): State<Served>, Path(id): Path<String>, Query(parameters): Query<Parameters>) -> Answer {
    data::about(served.list(&id)?, &parameters)
}

async fn label(State(served): State<Served>, Path(id): Path<String>, Query(parameters): Query<Parameters>) -> Answer {
    label::of(&served, served.list(&id)?, &parameters)
}
