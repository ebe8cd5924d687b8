//! `GET /v1/metrics`: what the caller's tenant asked, got and said of it, by day.

use std::collections::BTreeMap;

use axum::Json;
use axum::extract::rejection::QueryRejection;
use axum::extract::{Query, State};
use chrono::{Days, NaiveDate, NaiveTime, Utc};
use ibidem_store::TenantDay;
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

use crate::identity::Caller;
use crate::problem::{Problem, ProblemDocument};
use crate::state::AppState;

const MOST_DAYS: u16 = 90;

#[derive(Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub(crate) struct Wanted {
    /// How many days, today included, 1 to 90.
    #[serde(default = "default_days")]
    #[param(minimum = 1, maximum = 90, default = 30)]
    days: u16,
}

fn default_days() -> u16 {
    30
}

/// A day of the tenant.
#[derive(Serialize, ToSchema)]
pub(crate) struct DayBody {
    /// The day, in UTC.
    day: NaiveDate,
    /// How many questions were asked.
    questions: u64,
    /// How many of them were answered with citations.
    answered: u64,
    /// How many were refused, asked back or given to somebody, by the reason.
    not_answered: BTreeMap<String, u64>,
    /// How often askers said that an answer helped.
    feedback_up: u64,
    /// How often askers said that an answer did not help.
    feedback_down: u64,
    /// The share of `feedback_up` in all feedback of the day; null where there was none.
    feedback_up_rate: Option<f64>,
    /// How many versions of documents were taken in.
    document_versions: u64,
}

impl DayBody {
    fn of(day: NaiveDate, counted: TenantDay) -> Self {
        let TenantDay { answered, not_answered, thumbs_up, thumbs_down, versions } = counted;
        let thumbs = thumbs_up + thumbs_down;
        Self {
            day,
            questions: answered + not_answered.values().sum::<u64>(),
            answered,
            not_answered,
            feedback_up: thumbs_up,
            feedback_down: thumbs_down,
            feedback_up_rate: (thumbs > 0).then(|| thumbs_up as f64 / thumbs as f64),
            document_versions: versions,
        }
    }
}

/// The numbers of a tenant.
#[derive(Serialize, ToSchema)]
pub(crate) struct TenantMetricsBody {
    /// How many documents the tenant has now.
    documents: u64,
    /// Every day, the oldest first. Questions are counted from their records: without `audit.use` there are none.
    days: Vec<DayBody>,
}

/// Reads the numbers of the caller's own tenant.
#[utoipa::path(get, path = "/v1/metrics", operation_id = "read_tenant_metrics", tag = "metrics", params(Wanted),
    security(("api_key" = [])),
    responses(
        (status = 200, body = TenantMetricsBody),
        (status = 403, body = ProblemDocument, content_type = "application/problem+json"),
        (status = 422, body = ProblemDocument, content_type = "application/problem+json"),
    ))]
pub(crate) async fn read(
    State(state): State<AppState>,
    caller: Caller,
    wanted: Result<Query<Wanted>, QueryRejection>,
) -> Result<Json<TenantMetricsBody>, Problem> {
    let Query(Wanted { days }) = wanted.map_err(|rejection| Problem::invalid(format!("{}.", rejection.body_text())))?;
    if !(1..=MOST_DAYS).contains(&days) {
        return Err(Problem::invalid(format!("days: ask for 1 to {MOST_DAYS} days")));
    }
    let (tenant, today) = (caller.0.tenant(), Utc::now().date_naive());
    let first = today - Days::new(u64::from(days) - 1);
    let mut counted = state.store.tenant_days(tenant, first.and_time(NaiveTime::MIN).and_utc()).await?;
    let each = first.iter_days().take(days.into());
    let days = each.map(|day| DayBody::of(day, counted.remove(&day).unwrap_or_default())).collect();
    Ok(Json(TenantMetricsBody { documents: state.store.documents_of_tenant(tenant).await?, days }))
}
