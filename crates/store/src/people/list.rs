//! Who has signed in, for admins: a list, and a way to keep somebody out.

use std::collections::BTreeMap;

use chrono::{DateTime, Utc};
use ibidem_ports::catalogue::CatalogueError;
use ibidem_words::TenantId;
use uuid::Uuid;

use crate::asked::{Asked as _, Run as _};
use crate::{Store, unavailable};

/// A person as a list shows them.
#[derive(Clone, Debug)]
pub struct PersonRow {
    pub id: Uuid,
    pub name: String,
    pub email: Option<String>,
    pub groups: Vec<String>,
    pub first_seen_at: DateTime<Utc>,
    pub last_seen_at: DateTime<Utc>,
    pub disabled_at: Option<DateTime<Utc>>,
}

impl Store {
    /// A page of the tenant's people, in the order in which they first came; `after` is the last id of the page before.
    pub async fn list_people(
        &self,
        tenant: TenantId,
        after: Option<Uuid>,
        most: u32,
    ) -> Result<Vec<PersonRow>, CatalogueError> {
        sqlx::query_as!(
            PersonRow,
            "SELECT id, name, email, groups, first_seen_at, last_seen_at, disabled_at FROM people
             WHERE tenant_id = $1 AND ($2::uuid IS NULL OR id > $2) ORDER BY id LIMIT $3",
            tenant.0,
            after,
            i64::from(most),
        )
        .all(&self.pool)
        .await
    }

    /// What these people are called, for people to read.
    pub async fn person_names(&self, tenant: TenantId, ids: &[Uuid]) -> Result<BTreeMap<Uuid, String>, CatalogueError> {
        let named = sqlx::query!("SELECT id, name FROM people WHERE tenant_id = $1 AND id = ANY($2)", tenant.0, ids);
        let named = named.fetch_all(&self.pool).await.map_err(unavailable)?;
        Ok(named.into_iter().map(|row| (row.id, row.name)).collect())
    }

    /// Keeps somebody out from the next request on, or lets them in again. False when the tenant has no such person.
    pub async fn set_person_disabled(
        &self,
        tenant: TenantId,
        id: Uuid,
        is_disabled: bool,
    ) -> Result<bool, CatalogueError> {
        let changed = sqlx::query!(
            "UPDATE people SET disabled_at = CASE WHEN $3 THEN coalesce(disabled_at, now()) END
             WHERE tenant_id = $1 AND id = $2",
            tenant.0,
            id,
            is_disabled,
        )
        .run(&self.pool)
        .await?;
        Ok(changed.rows_affected() > 0)
    }
}
