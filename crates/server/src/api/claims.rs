//! `POST /v1/claims`: what the documents say of somebody else's claim.

use axum::extract::State;
use axum::{Extension, Json};
use garde::Validate;
use ibidem_engine::claims::{Evidence, held_against};
use ibidem_engine::search::{Lanes, SearchRequest};
use ibidem_ports::catalogue::{Catalogue as _, CataloguePassage};
use ibidem_ports::degrade::Deadline;
use ibidem_ports::on_behalf;
use ibidem_words::{CollectionName, PassageKey, Scope, SentenceCheck, SentenceVerdict, SourceId};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;
use uuid::Uuid;

use crate::audit::Act;
use crate::identity::Caller;
use crate::json::Checked;
use crate::problem::{Problem, ProblemDocument};
use crate::request_id::RequestId;
use crate::state::AppState;

/// How many passages a claim is held against where none are named.
const PASSAGES: usize = 8;

/// A claim, and what it is to be held against.
#[derive(Deserialize, Validate, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct ClaimBody {
    /// One sentence, 1 to 2,000 characters.
    #[garde(length(chars, min = 1, max = 2000))]
    #[schema(min_length = 1, max_length = 2000)]
    claim: String,
    /// Passages to hold it against, as `{document_id}:{chunk_index}`. Where neither passages nor texts are named, the eight
    /// that a search for the claim finds.
    #[garde(length(max = 16))]
    #[serde(default)]
    #[schema(value_type = Vec<String>, max_items = 16)]
    sources: Vec<SourceId>,
    /// Texts to hold it against that are no documents here, such as the passages that another program retrieved. They are
    /// read for this claim and not kept.
    #[garde(length(max = 16), dive)]
    #[serde(default)]
    #[schema(max_items = 16)]
    texts: Vec<ClaimText>,
    /// Only these collections are searched; all that the key can see when left out.
    #[garde(length(max = 100))]
    #[serde(default)]
    #[schema(value_type = Vec<String>)]
    collections: Vec<CollectionName>,
}

/// A text that comes with a claim.
#[derive(Deserialize, Validate, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct ClaimText {
    /// What it is called, for example the title of its document: a claim may name what the text does not.
    #[garde(inner(length(chars, max = 200)))]
    #[schema(max_length = 200)]
    name: Option<String>,
    /// 1 to 20,000 characters.
    #[garde(length(chars, min = 1, max = 20_000))]
    #[schema(min_length = 1, max_length = 20_000)]
    text: String,
}

/// What the documents say of a claim.
#[derive(Serialize, ToSchema)]
pub(crate) struct ClaimResponse {
    request_id: Uuid,
    /// `supported` where a passage says so, otherwise `contradicted` where one says otherwise, otherwise `unsupported`.
    verdict: SentenceVerdict,
    /// Every passage that it was held against; those that support it first, then those that say otherwise.
    passages: Vec<ClaimPassage>,
    /// Of each text that came with the claim, in their order, whether it says so.
    texts: Vec<ClaimCheck>,
}

/// Whether a text says so.
#[derive(Serialize, ToSchema)]
pub(crate) struct ClaimCheck {
    verdict: SentenceVerdict,
    /// How surely it supports the claim, 0 to 1.
    support: f64,
    /// Who judged: an entailment model, `figures` or `verbatim`.
    by: String,
    /// Why it does not support it, in words.
    why: Option<String>,
}

impl From<SentenceCheck> for ClaimCheck {
    fn from(check: SentenceCheck) -> Self {
        Self { verdict: check.verdict, support: check.support, by: check.by, why: check.why }
    }
}

/// A passage, and whether it says so.
#[derive(Serialize, ToSchema)]
pub(crate) struct ClaimPassage {
    /// `{document_id}:{chunk_index}`
    source_id: String,
    /// The title of its document.
    document_name: String,
    /// What people call the document by.
    address: Option<String>,
    /// The headings it lies under.
    section: Option<String>,
    /// What it says.
    text: String,
    verdict: SentenceVerdict,
    /// How surely it supports the claim, 0 to 1.
    support: f64,
    /// Who judged: an entailment model, `figures` or `verbatim`.
    by: String,
    /// Why it does not support it, in words.
    why: Option<String>,
}

impl ClaimPassage {
    fn of(passage: CataloguePassage, check: SentenceCheck) -> Self {
        Self {
            source_id: passage.passage.source_id().to_string(),
            document_name: passage.title,
            address: passage.address,
            section: passage.section,
            text: passage.text,
            verdict: check.verdict,
            support: check.support,
            by: check.by,
            why: check.why,
        }
    }
}

/// Holds a claim against the documents.
///
/// The verifier that checks the sentences of answers, for a sentence from elsewhere. Nothing that the key may not see has
/// a part in it.
#[utoipa::path(post, path = "/v1/claims", operation_id = "verify_claim", tag = "answers", request_body = ClaimBody,
    security(("api_key" = [])),
    responses(
        (status = 200, body = ClaimResponse),
        (status = 404, body = ProblemDocument, content_type = "application/problem+json"),
        (status = 422, body = ProblemDocument, content_type = "application/problem+json"),
        (status = 503, body = ProblemDocument, content_type = "application/problem+json"),
    ))]
pub(crate) async fn verify(
    State(state): State<AppState>,
    Extension(request_id): Extension<RequestId>,
    Extension(deadline): Extension<Deadline>,
    act: Act,
    caller: Caller,
    Checked(body): Checked<ClaimBody>,
) -> Result<Json<ClaimResponse>, Problem> {
    act.asks(&body.claim);
    let scope = caller.scope();
    let passages = if body.sources.is_empty() && body.texts.is_empty() {
        found(&state, &scope, &body, deadline).await?
    } else {
        named(&state, &scope, &body.sources).await?
    };
    let policy = state.policy_for(caller.0.tenant(), None, &body.collections).await?;
    let engine = state.engine_in_force();
    let brought = body.texts.iter().map(|brought| Evidence::brought(brought.name.as_deref(), &brought.text));
    let evidence: Vec<Evidence<'_>> = passages.iter().map(Evidence::of).chain(brought).collect();
    let held = held_against(&engine.parts, &policy, &body.claim, &evidence, deadline);
    let mut checks = on_behalf::of(scope.tenant(), held).await;
    let texts: Vec<ClaimCheck> = checks.split_off(passages.len()).into_iter().map(ClaimCheck::from).collect();
    let mut passages: Vec<ClaimPassage> =
        passages.into_iter().zip(checks).map(|(passage, check)| ClaimPassage::of(passage, check)).collect();
    passages.sort_by(|one, other| {
        let by_verdict = rank(one.verdict).cmp(&rank(other.verdict));
        by_verdict.then_with(|| other.support.total_cmp(&one.support))
    });
    let verdicts = passages.first().map(|first| first.verdict).into_iter().chain(texts.iter().map(|text| text.verdict));
    let verdict = verdicts.min_by_key(|verdict| rank(*verdict)).unwrap_or(SentenceVerdict::Unsupported);
    act.detail("passages", passages.len());
    act.detail("texts", texts.len());
    Ok(Json(ClaimResponse { request_id: request_id.0, verdict, passages, texts }))
}

async fn found(
    state: &AppState,
    scope: &Scope,
    body: &ClaimBody,
    deadline: Deadline,
) -> Result<Vec<CataloguePassage>, Problem> {
    let request =
        SearchRequest::checked(body.claim.clone(), body.collections.clone(), PASSAGES, Lanes::Both)?.until(deadline);
    let searcher = &state.engine.parts.searcher;
    searcher.check_collections(scope, &request.collections).await?;
    Ok(searcher.search(scope, &request).await?.hits.into_iter().map(|hit| hit.passage).collect())
}

/// What the caller may not see is as if it did not exist.
async fn named(state: &AppState, scope: &Scope, sources: &[SourceId]) -> Result<Vec<CataloguePassage>, Problem> {
    let mut keys = Vec::with_capacity(sources.len());
    for source in sources {
        let version =
            state.store.current_version(scope, source.document).await?.ok_or_else(Problem::no_such_document)?;
        keys.push(PassageKey { document: source.document, version, chunk_index: source.chunk_index });
    }
    let passages = state.store.visible(scope, &keys).await?;
    let is_there = |key: &PassageKey| passages.iter().any(|passage| passage.passage == *key);
    if keys.iter().all(is_there) { Ok(passages) } else { Err(Problem::no_such_document()) }
}

fn rank(verdict: SentenceVerdict) -> u8 {
    match verdict {
        SentenceVerdict::Supported => 0,
        SentenceVerdict::Contradicted => 1,
        SentenceVerdict::Unsupported => 2,
        SentenceVerdict::Unchecked => 3,
    }
}
