//! `POST /v1/search`: passages for a query, found by meaning and by words.

use std::time::Instant;

use axum::extract::State;
use axum::{Extension, Json};
use chrono::{DateTime, Utc};
use garde::Validate;
use ibidem_engine::search::{Lanes, SearchError, SearchHit, SearchOutcome, SearchRequest};
use ibidem_ports::degrade::{Deadline, Fault as _};
use ibidem_ports::records::SearchNumbers;
use ibidem_words::CollectionName;
use ibidem_words::Fallback;
use serde::{Deserialize, Serialize};
use tracing::Instrument as _;
use utoipa::ToSchema;
use uuid::Uuid;

use crate::audit::Act;
use crate::identity::Caller;
use crate::json::{Checked, count};
use crate::logs;
use crate::problem::{Problem, ProblemDocument};
use crate::request_id::RequestId;
use crate::state::AppState;
use crate::traces;

#[derive(Deserialize, Validate, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct SearchBody {
    /// What to look for, 1 to 4,000 characters.
    #[garde(skip)]
    #[schema(min_length = 1, max_length = 4000)]
    query: String,
    /// Only these collections; all that the key can see when left out.
    #[garde(length(max = 100))]
    #[serde(default)]
    #[schema(value_type = Vec<String>)]
    collections: Vec<CollectionName>,
    /// How many passages to return.
    #[garde(range(min = 1, max = 100))]
    #[serde(default = "default_limit", deserialize_with = "count")]
    #[schema(minimum = 1, maximum = 100, default = 10)]
    limit: usize,
    /// By meaning (`dense`), by keywords (`lexical`), or `both`.
    #[garde(skip)]
    #[serde(default)]
    lanes: LanesBody,
}

fn default_limit() -> usize {
    10
}

#[derive(Clone, Copy, Default, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub(crate) enum LanesBody {
    /// By meaning and by words, fused.
    #[default]
    Both,
    /// By meaning alone.
    Dense,
    /// By words alone.
    Lexical,
}

impl From<LanesBody> for Lanes {
    fn from(lanes: LanesBody) -> Self {
        match lanes {
            LanesBody::Both => Self::Both,
            LanesBody::Dense => Self::Dense,
            LanesBody::Lexical => Self::Lexical,
        }
    }
}

/// What a search brings, in the form of the API; the command line prints the same.
#[derive(Serialize, ToSchema)]
pub struct SearchResponse {
    request_id: Uuid,
    hits: Vec<HitBody>,
    /// Why the search was simpler than asked for: `bm25_only` when the embedding model did not answer, `words_unweighed`
    /// while the rarity of words is not counted (`ibidem reindex` counts it).
    fallback_reasons: Vec<Fallback>,
}

impl SearchResponse {
    pub fn of(request_id: Uuid, outcome: SearchOutcome) -> Self {
        Self {
            request_id,
            hits: outcome.hits.into_iter().map(HitBody::from).collect(),
            fallback_reasons: outcome.fallback_reasons,
        }
    }
}

/// A passage that was found.
#[derive(Serialize, ToSchema)]
pub(crate) struct HitBody {
    /// `{document_id}:{chunk_index}`
    source_id: String,
    document_id: Uuid,
    document_name: String,
    version: u32,
    collection: String,
    kind: Option<String>,
    address: Option<String>,
    /// Where the document came from.
    source_location: String,
    updated_at: DateTime<Utc>,
    chunk_index: u32,
    page_number: Option<u32>,
    section: Option<String>,
    span: SpanBody,
    text: String,
    scores: ScoresBody,
    /// Digest of the whole document's text, which `span` points into.
    document_sha256: String,
}

/// A half-open range of characters in the document's text.
#[derive(Serialize, ToSchema)]
pub(crate) struct SpanBody {
    start: u32,
    end: u32,
}

#[derive(Serialize, ToSchema)]
pub(crate) struct ScoresBody {
    /// Cosine similarity to the query; null when meaning was not searched.
    cosine: Option<f32>,
    /// BM25 score for the query's words; null when words were not searched.
    bm25: Option<f32>,
    /// Both lanes' scores in one, mostly between 0 and 1: what the order is by.
    fused: f64,
}

impl From<SearchHit> for HitBody {
    fn from(hit: SearchHit) -> Self {
        let passage = hit.passage;
        Self {
            source_id: passage.passage.source_id().to_string(),
            document_id: passage.passage.document.0,
            document_name: passage.title,
            version: passage.passage.version,
            collection: passage.collection.into(),
            kind: passage.kind.map(Into::into),
            address: passage.address,
            source_location: passage.source_location,
            updated_at: passage.updated_at,
            chunk_index: passage.passage.chunk_index,
            page_number: passage.page,
            section: passage.section,
            span: SpanBody { start: passage.span.start, end: passage.span.end },
            text: passage.text,
            scores: ScoresBody { cosine: hit.cosine, bm25: hit.bm25, fused: hit.fused },
            document_sha256: passage.document_sha256.to_string(),
        }
    }
}

/// Finds passages.
///
/// Only documents that the key may see are searched; other documents change neither results nor scores.
#[utoipa::path(post, path = "/v1/search", tag = "search", request_body = SearchBody, security(("api_key" = [])),
    responses(
        (status = 200, body = SearchResponse),
        (status = 422, body = ProblemDocument, content_type = "application/problem+json"),
        (status = 503, body = ProblemDocument, content_type = "application/problem+json"),
    ))]
pub(crate) async fn search(
    State(state): State<AppState>,
    Extension(request_id): Extension<RequestId>,
    Extension(deadline): Extension<Deadline>,
    act: Act,
    caller: Caller,
    Checked(body): Checked<SearchBody>,
) -> Result<Json<SearchResponse>, Problem> {
    let request = SearchRequest::checked(body.query, body.collections, body.limit, body.lanes.into())?.until(deadline);
    logs::route(&request.collections);
    act.asks(&request.query);
    state.engine.parts.searcher.check_collections(&caller.scope(), &request.collections).await?;
    let began = Instant::now();
    let traced = traces::search(caller.0.tenant());
    let outcome = state.engine.parts.searcher.search(&caller.scope(), &request).instrument(traced.clone()).await;
    traces::search_ended(&traced, outcome.as_ref().ok());
    let numbers = SearchNumbers { took: began.elapsed(), ..numbers(request, &outcome) };
    state.metrics.search(&numbers);
    let outcome = outcome?;
    logs::fallback_flags(&outcome.fallback_reasons);
    act.detail("hits", outcome.hits.len());
    Ok(Json(SearchResponse::of(request_id.0, outcome)))
}

/// What is to be counted of a search.
fn numbers(request: SearchRequest, outcome: &Result<SearchOutcome, SearchError>) -> SearchNumbers {
    let by_words_alone =
        outcome.as_ref().is_ok_and(|outcome| outcome.fallback_reasons.contains(&Fallback::KeywordsOnly));
    let is_left_alone = match outcome {
        Ok(outcome) => outcome.fallback_reasons.contains(&Fallback::CircuitOpen),
        Err(SearchError::Embed(error)) => error.is_circuit_open(),
        Err(_) => false,
    };
    let is_asked = request.lanes != Lanes::Lexical && !is_left_alone;
    let has_failed = is_asked && (by_words_alone || matches!(outcome, Err(SearchError::Embed(_))));
    SearchNumbers {
        collections: request.collections,
        found: outcome.as_ref().map_or(0, |outcome| outcome.hits.len()),
        embedding_requests: u32::from(is_asked),
        embedding_failures: u32::from(has_failed),
        by_words_alone,
        ..SearchNumbers::default()
    }
}
