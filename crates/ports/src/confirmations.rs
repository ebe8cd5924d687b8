//! Calls that wait for the asker's word, and the word itself: taken once, whichever replica takes it.

use async_trait::async_trait;
use chrono::{DateTime, Utc};
use serde_json::{Map, Value};
use uuid::Uuid;

use super::catalogue::CatalogueError;
use ibidem_words::digest_of_json;
use ibidem_words::{ConfirmationToken, Sha256Hash, SubjectId, TenantId};

/// A call that waits for the asker's word.
#[derive(Clone, PartialEq, Debug)]
pub struct Proposal {
    pub by: Confirmer,
    pub call: CallToConfirm,
    pub expires_at: DateTime<Utc>,
}

/// Whose word it is: nobody else's counts.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Confirmer {
    pub tenant: TenantId,
    pub asker: SubjectId,
    /// None where the question belongs to no conversation.
    pub conversation: Option<String>,
}

/// What is called once it is confirmed: this tool with these arguments, and nothing else.
#[derive(Clone, PartialEq, Debug)]
pub struct CallToConfirm {
    /// Identifies the call in the record of the turn that asked for the word.
    pub call_id: Uuid,
    pub server: String,
    pub tool: String,
    /// The description of the tool when the asker was shown what it does.
    pub pin: Sha256Hash,
    pub arguments: Map<String, Value>,
}

impl CallToConfirm {
    /// Returns the digest of the arguments as canonical JSON: what is called must be what was shown.
    pub fn arguments_sha256(&self) -> Sha256Hash {
        digest_of_json(&Value::Object(self.arguments.clone()))
    }
}

/// A call that cannot be confirmed any more, by name.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct FormerCall {
    pub call_id: Uuid,
    pub server: String,
    pub tool: String,
}

/// What a token comes to.
#[derive(Clone, PartialEq, Debug)]
pub enum Confirmed {
    /// It was good, and is used up by this.
    Call(CallToConfirm),
    Expired(FormerCall),
    /// It was used before.
    Used(FormerCall),
    /// There is no such token, or it is another asker's, tenant's or conversation's: nobody is told which.
    Unknown,
}

#[async_trait]
pub trait Confirmations: Send + Sync {
    /// Keeps a call, and makes the token that confirms it. The token itself is not kept.
    async fn propose(&self, proposal: &Proposal) -> Result<ConfirmationToken, CatalogueError>;

    /// Takes a token. Of all that try, at any replica, one gets the call.
    async fn confirm(
        &self,
        token: &ConfirmationToken,
        by: &Confirmer,
        at: DateTime<Utc>,
    ) -> Result<Confirmed, CatalogueError>;
}
