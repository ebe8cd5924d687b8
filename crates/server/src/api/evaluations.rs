//! `GET /v1/evaluations`: what evaluation runs measured.

use axum::Json;
use axum::extract::State;
use chrono::{DateTime, Utc};
use ibidem_store::{EvaluationRun, RiskAtCoverage, SureAnswers};
use serde::Serialize;
use utoipa::ToSchema;
use uuid::Uuid;

use crate::identity::Caller;
use crate::problem::{Problem, ProblemDocument};
use crate::state::AppState;

/// The newest of them.
const MOST_RUNS: u16 = 50;

/// What one least confidence would do.
#[derive(Serialize, ToSchema)]
pub(crate) struct RiskPoint {
    /// The share of questions that would be answered, 0 to 1.
    coverage: f64,
    /// The share of those answers that would be wrong, 0 to 1.
    risk: f64,
}

/// Answers of about the same confidence.
#[derive(Serialize, ToSchema)]
pub(crate) struct ReliabilityPoint {
    /// Their mean confidence, 0 to 1.
    confidence: f64,
    /// The share that is right, 0 to 1.
    right: f64,
    /// How many there are.
    count: u64,
    /// The true share lies between `low` and `high` in 95 of 100 cases.
    low: f64,
    high: f64,
}

/// A run of a set of questions with known outcomes.
#[derive(Serialize, ToSchema)]
pub(crate) struct EvaluationBody {
    id: Uuid,
    ran_at: DateTime<Utc>,
    /// What the policy file calls itself.
    policy: String,
    /// The hash of its text with the thresholds laid over it.
    policy_sha256: String,
    /// Of the program.
    version: String,
    /// The set of questions, as `git hash-object` names it: figures of different sets cannot be compared.
    question_set: String,
    /// null where the sources' own sentences answered.
    answering_model: Option<String>,
    embedding_model: String,
    /// Documents that were visible.
    documents: u64,
    questions: u64,
    /// Questions with the outcome that they must have.
    passed: u64,
    /// Whether every target is reached.
    targets_reached: bool,
    /// From the surest answers alone to all of them.
    risk_coverage: Vec<RiskPoint>,
    reliability: Vec<ReliabilityPoint>,
}

impl From<EvaluationRun> for EvaluationBody {
    fn from(EvaluationRun { id, ran_at, figures }: EvaluationRun) -> Self {
        let risk = |RiskAtCoverage { coverage, risk }| RiskPoint { coverage, risk };
        let reliability = |SureAnswers { confidence, right, count, low, high }| ReliabilityPoint {
            confidence,
            right,
            count,
            low,
            high,
        };
        Self {
            id,
            ran_at,
            policy: figures.policy,
            policy_sha256: figures.policy_sha256.to_string(),
            version: figures.version,
            question_set: figures.question_set,
            answering_model: figures.answering_model,
            embedding_model: figures.embedding_model,
            documents: figures.documents,
            questions: figures.questions,
            passed: figures.passed,
            targets_reached: figures.targets_reached,
            risk_coverage: figures.risk_coverage.into_iter().map(risk).collect(),
            reliability: figures.reliability.into_iter().map(reliability).collect(),
        }
    }
}

/// Runs of a tenant.
#[derive(Serialize, ToSchema)]
pub(crate) struct EvaluationsBody {
    /// The newest first, at most 50.
    runs: Vec<EvaluationBody>,
}

/// Lists what evaluation runs measured.
///
/// `ibidem eval run --record` records a run. A record has numbers and names of models, no question and no answer.
#[utoipa::path(get, path = "/v1/evaluations", operation_id = "list_evaluations", tag = "metrics",
    security(("api_key" = [])),
    responses(
        (status = 200, body = EvaluationsBody),
        (status = 403, body = ProblemDocument, content_type = "application/problem+json"),
    ))]
pub(crate) async fn list(State(state): State<AppState>, caller: Caller) -> Result<Json<EvaluationsBody>, Problem> {
    let runs = state.store.evaluations(caller.0.tenant(), MOST_RUNS).await?;
    Ok(Json(EvaluationsBody { runs: runs.into_iter().map(EvaluationBody::from).collect() }))
}
