//! What a group of the identity provider gives its members: a role and tags.

use chrono::{DateTime, Utc};
use ibidem_ports::catalogue::CatalogueError;
use ibidem_words::{HandIn, Role, Tag, TenantId};
use uuid::Uuid;

use crate::asked::{Asked as _, Run as _};
use crate::convert::{hand_in_column, tag_names, to_hand_in, to_parsed, to_tags};
use crate::{Store, refused};

/// Longer names are not groups' names.
const LONGEST_GROUP: usize = 256;

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("a group's name has 1 to 256 characters, and no control characters")]
pub struct InvalidGroup;

/// What an admin gives a group.
#[derive(Clone, Debug)]
pub struct NewGroup {
    name: String,
    role: Role,
    tags: Vec<Tag>,
    hand_in: HandIn,
}

impl NewGroup {
    /// `name` is written as the provider writes it: providers tell upper from lower case.
    pub fn new(name: &str, role: Role, tags: Vec<Tag>) -> Result<Self, InvalidGroup> {
        let is_name = (1..=LONGEST_GROUP).contains(&name.chars().count()) && !name.chars().any(char::is_control);
        let group = Self { name: name.to_owned(), role, tags, hand_in: HandIn::default() };
        if is_name { Ok(group) } else { Err(InvalidGroup) }
    }

    /// The same with this right to hand documents in. Without it there is none.
    #[must_use]
    pub fn handing_in(self, hand_in: HandIn) -> Self {
        Self { hand_in, ..self }
    }
}

/// A group and what it gives.
#[derive(Clone, Debug)]
pub struct GroupRow {
    pub id: Uuid,
    pub name: String,
    pub role: Role,
    pub tags: Vec<Tag>,
    pub hand_in: HandIn,
    pub changed_at: DateTime<Utc>,
}

impl Store {
    /// Gives a group's members a role and tags, in place of what it gave them before. It counts from the next request on.
    pub async fn map_group(&self, tenant: TenantId, group: &NewGroup) -> Result<Uuid, CatalogueError> {
        let hand_in = hand_in_column(&group.hand_in);
        sqlx::query_scalar!(
            "INSERT INTO group_rights (id, tenant_id, name, role, tags, hand_in) VALUES ($1, $2, $3, $4, $5, $6)
             ON CONFLICT (tenant_id, name) DO UPDATE SET
                 role = excluded.role, tags = excluded.tags, hand_in = excluded.hand_in, changed_at = now()
             RETURNING id",
            Uuid::now_v7(),
            tenant.0,
            group.name,
            group.role.as_str(),
            &tag_names(&group.tags),
            hand_in.as_deref(),
        )
        .fetch_one(&self.pool)
        .await
        .map_err(refused)
    }

    pub async fn list_groups(&self, tenant: TenantId) -> Result<Vec<GroupRow>, CatalogueError> {
        let rows = sqlx::query!(
            r#"SELECT id, name, role, tags, hand_in, changed_at FROM group_rights
               WHERE tenant_id = $1 ORDER BY name COLLATE "C""#,
            tenant.0,
        )
        .all(&self.pool)
        .await?;
        let groups = rows.into_iter().map(|row| {
            Ok(GroupRow {
                id: row.id,
                name: row.name,
                role: to_parsed(&row.role)?,
                tags: to_tags(row.tags)?,
                hand_in: to_hand_in(row.hand_in)?,
                changed_at: row.changed_at,
            })
        });
        groups.collect()
    }

    /// The group gives nothing any more. False when there is no such group of this tenant.
    pub async fn unmap_group(&self, tenant: TenantId, id: Uuid) -> Result<bool, CatalogueError> {
        let removed = sqlx::query!("DELETE FROM group_rights WHERE tenant_id = $1 AND id = $2", tenant.0, id)
            .run(&self.pool)
            .await?;
        Ok(removed.rows_affected() > 0)
    }
}
