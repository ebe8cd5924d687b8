//! Calls that wait for their asker's word. All replicas share them, so that a word counts once.

use async_trait::async_trait;
use chrono::{DateTime, Utc};
use ibidem_ports::catalogue::CatalogueError;
use ibidem_ports::confirmations::{CallToConfirm, Confirmations, Confirmed, Confirmer, FormerCall, Proposal};
use ibidem_words::ConfirmationToken;
use rand::Rng as _;
use serde_json::Value;

use crate::asked::Asked as _;
use crate::convert::{corrupt, to_digest};
use crate::in_time::InTime as _;
use crate::{Store, unavailable};

#[async_trait]
impl Confirmations for Store {
    async fn propose(&self, proposal: &Proposal) -> Result<ConfirmationToken, CatalogueError> {
        let mut random = [0_u8; 16];
        rand::rng().fill_bytes(&mut random);
        let token = ConfirmationToken::of(random);
        let Proposal { by, call, expires_at } = proposal;
        let (digest, arguments_digest) = (token.digest(), call.arguments_sha256());
        let arguments = Value::Object(call.arguments.clone());
        sqlx::query!(
            "INSERT INTO confirmations (token_sha256, tenant_id, subject_id, conversation, call_id, server, tool, pin,
                 arguments, arguments_sha256, expires_at)
             VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)",
            digest.as_bytes(),
            by.tenant.0,
            by.asker.to_string(),
            by.conversation,
            call.call_id,
            call.server,
            call.tool,
            call.pin.as_bytes(),
            arguments,
            arguments_digest.as_bytes(),
            expires_at,
        )
        .execute(&self.pool)
        .in_time(self)
        .await?;
        Ok(token)
    }

    async fn confirm(
        &self,
        token: &ConfirmationToken,
        by: &Confirmer,
        at: DateTime<Utc>,
    ) -> Result<Confirmed, CatalogueError> {
        let digest = token.digest();
        // One statement: of two that come at once, the second finds it used. The arguments are read as they were before.
        let taken = sqlx::query!(
            r#"UPDATE confirmations own SET used_at = $5, arguments = NULL
               FROM (SELECT token_sha256, arguments FROM confirmations WHERE token_sha256 = $1 FOR UPDATE) before
               WHERE own.token_sha256 = before.token_sha256 AND own.tenant_id = $2 AND own.subject_id = $3
                   AND own.conversation IS NOT DISTINCT FROM $4 AND own.used_at IS NULL AND own.expires_at > $5
               RETURNING own.call_id, own.server, own.tool, own.pin, own.arguments_sha256,
                   before.arguments AS "arguments!""#,
            digest.as_bytes(),
            by.tenant.0,
            by.asker.to_string(),
            by.conversation,
            at,
        )
        .optional_in_time(self)
        .await?;
        if let Some(row) = taken {
            let Value::Object(arguments) = row.arguments else { return Err(corrupt("arguments that are no object")) };
            let call = CallToConfirm {
                call_id: row.call_id,
                server: row.server,
                tool: row.tool,
                pin: to_digest(&row.pin)?,
                arguments,
            };
            if call.arguments_sha256() != to_digest(&row.arguments_sha256)? {
                return Err(corrupt("arguments that are not those that the asker was shown"));
            }
            return Ok(Confirmed::Call(call));
        }
        let known = sqlx::query!(
            r#"SELECT call_id, server, tool, used_at IS NOT NULL AS "is_used!" FROM confirmations
               WHERE token_sha256 = $1 AND tenant_id = $2 AND subject_id = $3
                   AND conversation IS NOT DISTINCT FROM $4"#,
            digest.as_bytes(),
            by.tenant.0,
            by.asker.to_string(),
            by.conversation,
        )
        .optional_in_time(self)
        .await?;
        Ok(match known {
            None => Confirmed::Unknown,
            Some(row) => {
                let former = FormerCall { call_id: row.call_id, server: row.server, tool: row.tool };
                if row.is_used { Confirmed::Used(former) } else { Confirmed::Expired(former) }
            }
        })
    }
}

impl Store {
    /// Deletes what could be confirmed until then, used or not. Returns how many.
    pub async fn sweep_confirmations(&self, before: DateTime<Utc>) -> Result<u64, CatalogueError> {
        let gone = sqlx::query!("DELETE FROM confirmations WHERE expires_at < $1", before);
        Ok(gone.execute(&self.pool).await.map_err(unavailable)?.rows_affected())
    }
}
