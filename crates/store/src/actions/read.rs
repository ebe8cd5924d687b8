//! Actions, read again: newest first, a page after the other.

use chrono::{DateTime, Utc};
use ibidem_ports::catalogue::CatalogueError;
use ibidem_words::{SubjectId, TenantId};
use serde_json::Value;
use uuid::Uuid;

use super::AuditedAction;
use crate::Store;
use crate::asked::Asked as _;

/// A record as it stands.
#[derive(Clone, PartialEq, Debug)]
pub struct ActionEntry {
    pub id: Uuid,
    pub acted_at: DateTime<Utc>,
    pub subject_id: Option<String>,
    pub subject_name: Option<String>,
    pub role: Option<String>,
    pub action: String,
    pub object_kind: Option<String>,
    pub object_id: Option<String>,
    pub outcome: String,
    pub request_id: Option<Uuid>,
    pub details: Value,
}

/// Which records are read. What is none is not looked at.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ActionsOf {
    /// None for the installation's own, which are no tenant's.
    pub tenant: Option<TenantId>,
    pub action: Option<AuditedAction>,
    pub subject: Option<SubjectId>,
    pub object_id: Option<String>,
    pub outcome: Option<String>,
    pub request_id: Option<Uuid>,
    pub since: Option<DateTime<Utc>>,
    pub until: Option<DateTime<Utc>>,
    /// Only those behind this one, which are older.
    pub after: Option<(DateTime<Utc>, Uuid)>,
    pub most: u16,
}

impl ActionsOf {
    /// The newest, whoever did whatever.
    pub fn all(tenant: Option<TenantId>, most: u16) -> Self {
        Self {
            tenant,
            action: None,
            subject: None,
            object_id: None,
            outcome: None,
            request_id: None,
            since: None,
            until: None,
            after: None,
            most,
        }
    }
}

impl Store {
    pub async fn actions(&self, of: &ActionsOf) -> Result<Vec<ActionEntry>, CatalogueError> {
        let (last_at, last_id) = of.after.unzip();
        sqlx::query_as!(
            ActionEntry,
            "SELECT id, acted_at, subject_id, subject_name, role, action, object_kind, object_id, outcome, request_id,
                    details
             FROM actions
             WHERE tenant_id IS NOT DISTINCT FROM $1
               AND ($2::text IS NULL OR action = $2) AND ($3::text IS NULL OR subject_id = $3)
               AND ($4::text IS NULL OR object_id = $4) AND ($5::text IS NULL OR outcome = $5)
               AND ($6::uuid IS NULL OR request_id = $6)
               AND ($7::timestamptz IS NULL OR acted_at >= $7) AND ($8::timestamptz IS NULL OR acted_at < $8)
               AND ($9::timestamptz IS NULL OR (acted_at, id) < ($9, $10::uuid))
             ORDER BY acted_at DESC, id DESC LIMIT $11",
            of.tenant.map(|tenant| tenant.0),
            of.action.map(AuditedAction::as_str),
            of.subject.map(|subject| subject.to_string()),
            of.object_id,
            of.outcome,
            of.request_id,
            of.since,
            of.until,
            last_at,
            last_id,
            i64::from(of.most),
        )
        .all(&self.pool)
        .await
    }
}
