//! People who sign in: who they are, and what their groups give them at this moment.

mod groups;
mod list;
mod speaking;

use std::collections::BTreeSet;

use ibidem_ports::catalogue::CatalogueError;
use ibidem_ports::identity_provider::PersonClaims;
use ibidem_words::{Identity, Role, Subject, Tag, TenantId};
use uuid::Uuid;

use crate::asked::Asked as _;
use crate::convert::{to_hand_in, to_parsed, to_tags};
use crate::{Store, refused};

pub use groups::{GroupRow, InvalidGroup, NewGroup};
pub use list::PersonRow;

/// Longer names are cut for display.
const LONGEST_NAME: usize = 200;
/// Of a person's groups so many count, in the provider's order.
const MOST_GROUPS: usize = 2_000;

#[derive(Debug, thiserror::Error)]
pub enum PersonError {
    /// None of the person's groups gives anything here, or an admin has disabled the person.
    #[error("the person is not admitted")]
    NotAdmitted,
    #[error(transparent)]
    Store(#[from] CatalogueError),
}

/// A person with what the provider said last, as a query reads it.
struct PersonRecord {
    id: Uuid,
    tenant: TenantId,
    name: String,
    is_disabled: bool,
    roles: Vec<String>,
    tags: Vec<String>,
    hand_in: Option<Vec<String>>,
}

impl PersonRecord {
    /// The highest role, and all tags and collections to hand in to, of the person's groups. Without a group that gives something nobody is let in.
    fn identity(self) -> Result<Identity, PersonError> {
        let roles = self.roles.iter().map(|role| to_parsed::<Role>(role)).collect::<Result<Vec<_>, _>>()?;
        let role = roles.into_iter().max().filter(|_| !self.is_disabled).ok_or(PersonError::NotAdmitted)?;
        let tags: BTreeSet<Tag> = to_tags(self.tags)?.into_iter().collect();
        let person = Identity::of_person(self.tenant, Subject::of_person(self.id, self.name), role, tags);
        Ok(person.handing_in(to_hand_in(self.hand_in)?))
    }
}

impl Store {
    /// Keeps what the provider says of somebody, and reads what that lets them do now. What was said earlier than what is
    /// known changes nothing; of two statements of the same second only the groups that both name count.
    pub async fn admit_person(&self, tenant: TenantId, claims: &PersonClaims) -> Result<Identity, PersonError> {
        let groups: Vec<String> = claims.groups.iter().filter(|group| !group.contains('\0')).cloned().collect();
        let groups = &groups[..groups.len().min(MOST_GROUPS)];
        let name = claims.name.as_deref().or(claims.email.as_deref()).unwrap_or(&claims.subject);
        let name: String = name.chars().filter(|sign| !sign.is_control()).take(LONGEST_NAME).collect();
        let email = claims.email.as_ref().map(|email| email.to_lowercase());
        let id = sqlx::query_scalar!(
            r#"WITH known AS (
                   SELECT id FROM people
                   WHERE tenant_id = $2 AND issuer = $3 AND provider_subject = $4
                     AND (groups_as_of > $8 OR (groups_as_of = $8 AND groups <@ $7::text[]
                          AND last_seen_at > now() - interval '1 minute'))
               ), kept AS (
                   INSERT INTO people (id, tenant_id, issuer, provider_subject, name, email, groups, groups_as_of)
                   SELECT $1, $2, $3, $4, $5, $6, $7::text[], $8 WHERE NOT EXISTS (SELECT FROM known)
                   ON CONFLICT (tenant_id, issuer, provider_subject) DO UPDATE SET
                       name = excluded.name, email = excluded.email, last_seen_at = now(),
                       groups = CASE
                           WHEN people.groups_as_of > excluded.groups_as_of THEN people.groups
                           WHEN people.groups_as_of < excluded.groups_as_of THEN excluded.groups
                           ELSE ARRAY(SELECT unnest(people.groups) INTERSECT SELECT unnest(excluded.groups))
                       END,
                       groups_as_of = greatest(people.groups_as_of, excluded.groups_as_of)
                   RETURNING id
               )
               SELECT id AS "id!" FROM known UNION ALL SELECT id FROM kept"#,
            Uuid::now_v7(),
            tenant.0,
            claims.issuer,
            claims.subject,
            name,
            email,
            groups,
            claims.issued_at,
        )
        .fetch_one(&self.pool)
        .await
        .map_err(refused)?;
        self.person(tenant, id).await
    }

    /// Somebody who is known, with what their groups give them now.
    pub async fn person(&self, tenant: TenantId, id: Uuid) -> Result<Identity, PersonError> {
        let row = sqlx::query!(
            r#"SELECT p.name, p.disabled_at IS NOT NULL AS "is_disabled!",
                   ARRAY(SELECT g.role FROM group_rights g
                         WHERE g.tenant_id = p.tenant_id AND g.name = ANY (p.groups)) AS "roles!",
                   ARRAY(SELECT DISTINCT tag.name FROM group_rights g CROSS JOIN LATERAL unnest(g.tags) AS tag (name)
                         WHERE g.tenant_id = p.tenant_id AND g.name = ANY (p.groups)) AS "tags!",
                   (SELECT hand_in FROM rights_of(p.tenant_id, 'person:' || p.id)) AS hand_in
               FROM people p WHERE p.tenant_id = $1 AND p.id = $2"#,
            tenant.0,
            id,
        )
        .optional_in_time(self)
        .await?
        .ok_or(PersonError::NotAdmitted)?;
        let found = PersonRecord {
            id,
            tenant,
            name: row.name,
            is_disabled: row.is_disabled,
            roles: row.roles,
            tags: row.tags,
            hand_in: row.hand_in,
        };
        found.identity()
    }
}
