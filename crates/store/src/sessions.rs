//! Sessions of people who signed in: rows that end, one by one or by themselves.

mod attempts;

use std::time::Duration;

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use chrono::{DateTime, Utc};
use ibidem_ports::catalogue::CatalogueError;
use ibidem_words::{Identity, Sha256Hash, SubjectId, TenantId};
use rand::Rng;
use uuid::Uuid;

use crate::asked::{Asked as _, Run as _};
use crate::in_time::InTime as _;
use crate::people::PersonError;
use crate::{Store, refused};

pub use attempts::{BegunSignIn, KeptSignIn};

/// A session that is used is noted so often and no oftener: reading should not be writing.
const NOTED_EVERY: &str = "1 minute";

/// 256 random bits as text.
fn random_secret() -> String {
    let mut random = [0_u8; 32];
    rand::rng().fill_bytes(&mut random);
    URL_SAFE_NO_PAD.encode(random)
}

/// What came of a sign-in.
#[derive(Clone, Debug)]
pub struct NewSession {
    pub provider_session: Option<String>,
    pub id_token: String,
    /// It ends after this, however busy it is.
    pub lifetime: Duration,
}

/// A session that is in force, with whose it is and what they may do now.
#[derive(Clone, Debug)]
pub struct OpenSession {
    pub id: Uuid,
    pub identity: Identity,
    pub id_token: String,
}

/// A session as a list shows it.
#[derive(Clone, Debug)]
pub struct SessionRow {
    pub id: Uuid,
    pub created_at: DateTime<Utc>,
    pub last_used_at: DateTime<Utc>,
    pub expires_at: DateTime<Utc>,
}

/// The sessions that a provider ends.
#[derive(Clone, Debug)]
pub struct ProviderLogout<'a> {
    pub issuer: &'a str,
    /// All of this person's sessions, or of them the one below.
    pub subject: Option<&'a str>,
    pub provider_session: Option<&'a str>,
}

fn person_of(identity: &Identity) -> Result<Uuid, CatalogueError> {
    match identity.subject().id() {
        SubjectId::Person(id) => Ok(id),
        SubjectId::Key(_) | SubjectId::Operator => Err(CatalogueError::Refused("only people have sessions".to_owned())),
    }
}

impl Store {
    /// Opens a session for somebody who has just signed in. What is returned is its secret, and shown only now.
    pub async fn open_session(&self, identity: &Identity, new: &NewSession) -> Result<String, CatalogueError> {
        let (person, secret) = (person_of(identity)?, random_secret());
        let digest = Sha256Hash::of(secret.as_bytes());
        // Whoever comes takes away what is over.
        sqlx::query!("DELETE FROM sessions WHERE expires_at < now()").run(&self.pool).await?;
        sqlx::query!(
            "INSERT INTO sessions (id, secret_sha256, tenant_id, person_id, provider_session, id_token, expires_at)
             VALUES ($1, $2, $3, $4, $5, $6, now() + make_interval(secs => $7))",
            Uuid::now_v7(),
            digest.as_bytes(),
            identity.tenant().0,
            person,
            new.provider_session,
            new.id_token,
            new.lifetime.as_secs_f64(),
        )
        .execute(&self.pool)
        .await
        .map_err(refused)?;
        Ok(secret)
    }

    /// The session of this secret, if it is in force and was used within `idle`. None if there is none: the caller is not
    /// told why.
    pub async fn session(&self, secret: &str, idle: Duration) -> Result<Option<OpenSession>, PersonError> {
        let digest = Sha256Hash::of(secret.as_bytes());
        let row = sqlx::query!(
            r#"SELECT id, tenant_id, person_id, id_token, last_used_at < now() - $3::text::interval AS "is_to_note!"
               FROM sessions
               WHERE secret_sha256 = $1 AND expires_at > now() AND last_used_at > now() - make_interval(secs => $2)"#,
            digest.as_bytes(),
            idle.as_secs_f64(),
            NOTED_EVERY,
        )
        .optional_in_time(self)
        .await?;
        let Some(row) = row else { return Ok(None) };
        if row.is_to_note {
            sqlx::query!("UPDATE sessions SET last_used_at = now() WHERE id = $1", row.id)
                .execute(&self.pool)
                .in_time(self)
                .await?;
        }
        let identity = self.person(TenantId(row.tenant_id), row.person_id).await?;
        Ok(Some(OpenSession { id: row.id, identity, id_token: row.id_token }))
    }

    /// Somebody's own sessions that are in force, oldest first.
    pub async fn list_sessions(&self, identity: &Identity, idle: Duration) -> Result<Vec<SessionRow>, CatalogueError> {
        sqlx::query_as!(
            SessionRow,
            "SELECT id, created_at, last_used_at, expires_at FROM sessions
             WHERE person_id = $1 AND expires_at > now() AND last_used_at > now() - make_interval(secs => $2)
             ORDER BY created_at, id",
            person_of(identity)?,
            idle.as_secs_f64(),
        )
        .all(&self.pool)
        .await
    }

    /// Ends one of somebody's own sessions at once. False when they have no such session.
    pub async fn end_session(&self, identity: &Identity, id: Uuid) -> Result<bool, CatalogueError> {
        let ended = sqlx::query!("DELETE FROM sessions WHERE person_id = $1 AND id = $2", person_of(identity)?, id)
            .run(&self.pool)
            .await?;
        Ok(ended.rows_affected() > 0)
    }

    /// Ends the sessions that a provider says are over: whose they were, once for each.
    pub async fn end_provider_sessions(
        &self,
        tenant: TenantId,
        over: &ProviderLogout<'_>,
    ) -> Result<Vec<Uuid>, CatalogueError> {
        if over.subject.is_none() && over.provider_session.is_none() {
            return Ok(Vec::new());
        }
        sqlx::query_scalar!(
            "DELETE FROM sessions USING people
             WHERE people.id = sessions.person_id AND sessions.tenant_id = $1 AND people.issuer = $2
               AND ($3::text IS NULL OR people.provider_subject = $3)
               AND ($4::text IS NULL OR sessions.provider_session = $4)
             RETURNING sessions.person_id",
            tenant.0,
            over.issuer,
            over.subject,
            over.provider_session,
        )
        .all(&self.pool)
        .await
    }
}
