//! What evaluation runs measured, for those who watch how answers change.

use chrono::{DateTime, Utc};
use ibidem_ports::catalogue::CatalogueError;
use ibidem_words::{Sha256Hash, TenantId};
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use crate::asked::Asked as _;
use crate::convert::corrupt;
use crate::{Store, refused};

/// Answers that are about equally sure.
#[derive(Clone, Copy, PartialEq, Debug, Serialize, Deserialize)]
pub struct SureAnswers {
    /// Their mean confidence, 0 to 1.
    pub confidence: f64,
    /// The share that is right.
    pub right: f64,
    pub count: u64,
    /// Where the true share lies in 95 of 100 cases.
    pub low: f64,
    pub high: f64,
}

/// What one least confidence would do.
#[derive(Clone, Copy, PartialEq, Debug, Serialize, Deserialize)]
pub struct RiskAtCoverage {
    /// The share of questions that would be answered.
    pub coverage: f64,
    /// The share of those answers that would be wrong.
    pub risk: f64,
}

/// Numbers and names of models: no question, and no answer.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct RunFigures {
    /// What the policy file calls itself.
    pub policy: String,
    pub policy_sha256: Sha256Hash,
    /// Of the program.
    pub version: String,
    /// As `git hash-object` names the set of questions.
    pub question_set: String,
    /// None where the sources' own sentences answered.
    pub answering_model: Option<String>,
    pub embedding_model: String,
    pub documents: u64,
    pub questions: u64,
    /// Questions with the outcome that they must have.
    pub passed: u64,
    /// Whether every target is reached.
    pub targets_reached: bool,
    pub risk_coverage: Vec<RiskAtCoverage>,
    pub reliability: Vec<SureAnswers>,
}

/// A run that was recorded.
#[derive(Clone, PartialEq, Debug)]
pub struct EvaluationRun {
    pub id: Uuid,
    pub ran_at: DateTime<Utc>,
    pub figures: RunFigures,
}

impl Store {
    /// Records a run.
    pub async fn record_evaluation(
        &self,
        tenant: TenantId,
        ran_at: DateTime<Utc>,
        figures: &RunFigures,
    ) -> Result<Uuid, CatalogueError> {
        let id = Uuid::now_v7();
        sqlx::query!(
            "INSERT INTO evaluation_runs (tenant_id, id, ran_at, figures) VALUES ($1, $2, $3, $4)",
            tenant.0,
            id,
            ran_at,
            serde_json::to_value(figures).map_err(corrupt)?,
        )
        .execute(&self.pool)
        .await
        .map_err(refused)?;
        Ok(id)
    }

    /// The runs of a tenant, the newest first.
    pub async fn evaluations(&self, tenant: TenantId, most: u16) -> Result<Vec<EvaluationRun>, CatalogueError> {
        let rows = sqlx::query!(
            "SELECT id, ran_at, figures FROM evaluation_runs WHERE tenant_id = $1 ORDER BY ran_at DESC, id DESC LIMIT $2",
            tenant.0,
            i64::from(most),
        ).all_in_time(self)
        .await?;
        let runs = rows.into_iter().map(|row| {
            let figures = serde_json::from_value(row.figures).map_err(corrupt)?;
            Ok(EvaluationRun { id: row.id, ran_at: row.ran_at, figures })
        });
        runs.collect()
    }
}
