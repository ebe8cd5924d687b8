//! `GET /v1/audit/{request_id}`: everything that is on record about a question, for those who must explain it.

pub(crate) mod actions;

use axum::Json;
use axum::extract::{Path, State};
use chrono::{DateTime, Utc};
use ibidem_store::AuditRecord;
use serde::Serialize;
use serde_json::Value;
use utoipa::ToSchema;
use uuid::Uuid;

use crate::identity::Caller;
use crate::problem::{Problem, ProblemDocument};
use crate::state::AppState;

/// The records of a request, oldest first: more than one where a caller chose an id twice.
#[derive(Serialize, ToSchema)]
pub(crate) struct AuditBody {
    request_id: Uuid,
    records: Vec<AuditEntry>,
}

/// The record of one question. A field is null where the value was not known or not recorded.
#[derive(Serialize, ToSchema)]
pub(crate) struct AuditEntry {
    asked_at: DateTime<Utc>,
    asker: AskerEntry,
    /// `hashed`: keyed digests stand in place of what people, models and documents said.
    texts: String,
    #[schema(value_type = Object)]
    question: Value,
    /// `direct`: one collection was named; `tree`: several or none.
    route: String,
    /// What the search cost; null when nothing was searched.
    #[schema(value_type = Option<Object>)]
    retrieval: Option<Value>,
    /// Everything that decided, as replay reads it: the variants searched, candidates with every score, gates and checks.
    #[schema(value_type = Option<Object>)]
    decision: Option<Value>,
    /// The answer as it was given, with the gates' records, the citations and the receipt.
    #[schema(value_type = Object)]
    answer: Value,
    /// What the model produced, before anything was checked.
    draft: Option<String>,
    auditor: AuditorEntry,
    /// Calls of tools.
    #[schema(value_type = Vec<Object>)]
    tools: Value,
    #[schema(value_type = Vec<String>)]
    fallback_flags: Value,
    policy_sha256: String,
    duration_ms: i64,
    /// The milliseconds of each stage, in order.
    #[schema(value_type = Vec<Object>)]
    stages: Value,
    /// What went wrong with a part, in its own words.
    failure: Option<String>,
}

/// Who asked.
#[derive(Serialize, ToSchema)]
pub(crate) struct AskerEntry {
    /// `key:` and the key's id, `person:` and the person's id, or `operator`; null in records from before ids were kept.
    subject_id: Option<String>,
    /// The name of the key or the person when they asked, for people to read.
    subject_name: String,
    session_id: Option<String>,
    /// Which question of its conversation: 1 is the first.
    turn: i32,
}

/// What the auditor found.
#[derive(Serialize, ToSchema)]
pub(crate) struct AuditorEntry {
    /// Markers that a model wrote, by what became of them.
    #[schema(value_type = Option<Object>)]
    markers: Option<Value>,
    /// Sentences, said or not, by whether their sources support them.
    #[schema(value_type = Option<Object>)]
    sentences: Option<Value>,
    markers_dropped: i32,
    sentences_dropped: i32,
    /// The share of the markers that named a source, 0 to 1.
    marker_score: Option<f64>,
    /// The share of the sentences that their sources support, 0 to 1.
    sentence_score: Option<f64>,
    /// Citations that were held against the catalogue after the answer went out, and those that it does not know.
    citations_checked: Option<i32>,
    citations_broken: Option<i32>,
}

impl From<AuditRecord> for AuditEntry {
    fn from(record: AuditRecord) -> Self {
        Self {
            asked_at: record.asked_at,
            asker: AskerEntry {
                subject_id: record.subject_id,
                subject_name: record.subject_name,
                session_id: record.session_id,
                turn: record.turn,
            },
            texts: record.texts,
            question: record.question,
            route: record.route,
            retrieval: record.retrieval,
            decision: record.decision,
            answer: record.answer,
            draft: record.draft,
            auditor: AuditorEntry {
                markers: record.markers,
                sentences: record.sentences,
                markers_dropped: record.markers_dropped,
                sentences_dropped: record.sentences_dropped,
                marker_score: record.marker_score,
                sentence_score: record.sentence_score,
                citations_checked: record.citations_checked,
                citations_broken: record.citations_broken,
            },
            tools: record.tools,
            fallback_flags: record.fallback_flags,
            policy_sha256: record.policy_sha256.to_string(),
            duration_ms: record.duration_ms,
            stages: record.stages,
            failure: record.failure,
        }
    }
}

/// Reads what is on record about a question.
///
/// For admins of the tenant in which it was asked: another tenant's and one that is not there are the same. A record
/// appears a moment after its answer. Words of documents that this key may not see now are taken out, as in
/// `GET /v1/answers/{request_id}`; then `draft` and earlier replies in `history` read `[withdrawn]`.
#[utoipa::path(get, path = "/v1/audit/{request_id}", tag = "audit", params(("request_id" = Uuid, Path)),
    security(("api_key" = [])),
    responses(
        (status = 200, body = AuditBody),
        (status = 403, body = ProblemDocument, content_type = "application/problem+json"),
        (status = 404, body = ProblemDocument, content_type = "application/problem+json"),
    ))]
pub(crate) async fn read(
    State(state): State<AppState>,
    caller: Caller,
    Path(request_id): Path<String>,
) -> Result<Json<AuditBody>, Problem> {
    let request_id: Uuid = request_id.parse().map_err(|_| Problem::no_such_record())?;
    let records = state.store.audit(caller.0.tenant(), request_id).await?;
    if records.is_empty() {
        return Err(Problem::no_such_record());
    }
    let scope = caller.scope();
    let mut shown = Vec::with_capacity(records.len());
    for record in records {
        let visible = state.store.still_visible(&scope, &record.passages()).await?;
        shown.push(AuditEntry::from(record.masked(&scope, &visible)));
    }
    Ok(Json(AuditBody { request_id, records: shown }))
}
