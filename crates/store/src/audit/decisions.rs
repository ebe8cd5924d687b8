//! Decisions in order, a page after the other: those of a time, and the last ones.

use chrono::{DateTime, Utc};
use ibidem_ports::catalogue::CatalogueError;
use ibidem_words::{Sha256Hash, TenantId};
use uuid::Uuid;

use crate::Store;
use crate::asked::Asked as _;
use crate::convert::to_digest;

/// A decision as it is kept: its JSON is read by whoever makes it again.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct KeptDecision {
    pub id: Uuid,
    pub asked_at: DateTime<Utc>,
    pub request_id: Uuid,
    pub policy_sha256: Sha256Hash,
    /// None where only digests are kept.
    pub question: Option<String>,
    pub decision: String,
}

/// Which decisions are read, oldest first.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct DecisionsOf {
    pub tenant: TenantId,
    pub since: DateTime<Utc>,
    pub until: DateTime<Utc>,
    /// Only those behind this one.
    pub after: Option<(DateTime<Utc>, Uuid)>,
    pub most: u16,
}

/// One of the last decisions.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct LastDecision {
    pub id: Uuid,
    pub asked_at: DateTime<Utc>,
    pub request_id: Uuid,
    /// None where only digests are kept.
    pub question: Option<String>,
    /// None where it was made under another policy than the one asked for.
    pub decision: Option<String>,
}

/// Which of the last decisions are read, newest first.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct LastDecisionsOf {
    pub tenant: TenantId,
    /// Only decisions under this policy come with their JSON.
    pub policy_sha256: Sha256Hash,
    /// Only those made before this one.
    pub before: Option<(DateTime<Utc>, Uuid)>,
    pub most: u16,
}

impl Store {
    /// The last decisions of a tenant. Records from before decisions were kept are left out.
    pub async fn last_decisions(&self, of: LastDecisionsOf) -> Result<Vec<LastDecision>, CatalogueError> {
        let (next_at, next_id) = of.before.unzip();
        let rows = sqlx::query!(
            r#"SELECT id, asked_at, request_id,
                      CASE WHEN policy_sha256 = $2 THEN decision::text END AS decision,
                      CASE WHEN texts = 'plain' THEN question ->> 'query' END AS question
               FROM audit
               WHERE tenant_id = $1 AND decision IS NOT NULL
                 AND (asked_at, id) < (coalesce($3::timestamptz, 'infinity'),
                                       coalesce($4::uuid, 'ffffffff-ffff-ffff-ffff-ffffffffffff'))
               ORDER BY asked_at DESC, id DESC LIMIT $5"#,
            of.tenant.0,
            of.policy_sha256.as_bytes(),
            next_at,
            next_id,
            i64::from(of.most),
        )
        .all_in_time(self)
        .await?;
        let last = rows.into_iter().map(|row| LastDecision {
            id: row.id,
            asked_at: row.asked_at,
            request_id: row.request_id,
            question: row.question,
            decision: row.decision,
        });
        Ok(last.collect())
    }

    /// Records from before decisions were kept are left out.
    pub async fn decisions(&self, of: DecisionsOf) -> Result<Vec<KeptDecision>, CatalogueError> {
        let (last_at, last_id) = of.after.unzip();
        let rows = sqlx::query!(
            r#"SELECT id, asked_at, request_id, policy_sha256, decision::text AS "decision!",
                      CASE WHEN texts = 'plain' THEN question ->> 'query' END AS question
               FROM audit
               WHERE tenant_id = $1 AND asked_at >= $2 AND asked_at < $3 AND decision IS NOT NULL
                 AND (asked_at, id) > (coalesce($4::timestamptz, '-infinity'),
                                       coalesce($5::uuid, '00000000-0000-0000-0000-000000000000'))
               ORDER BY asked_at, id LIMIT $6"#,
            of.tenant.0,
            of.since,
            of.until,
            last_at,
            last_id,
            i64::from(of.most),
        )
        .all(&self.pool)
        .await?;
        let kept = rows.into_iter().map(|row| {
            Ok(KeptDecision {
                id: row.id,
                asked_at: row.asked_at,
                request_id: row.request_id,
                policy_sha256: to_digest(&row.policy_sha256)?,
                question: row.question,
                decision: row.decision,
            })
        });
        kept.collect()
    }
}
