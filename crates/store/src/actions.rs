//! The record of actions: who did what to which data, and what became of it. Questions have a fuller record beside it.

mod audited;
mod read;
mod write;

use std::borrow::Cow;

use chrono::{DateTime, Utc};
use ibidem_ports::catalogue::CatalogueError;
use ibidem_words::{Identity, Role, Subject, TenantId};
use serde_json::{Value, json};
use uuid::Uuid;

use crate::audit::{AuditLog, WriteError};
pub use audited::AuditedAction;
pub use read::{ActionEntry, ActionsOf};

/// What an action was done to.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ActionObject {
    pub kind: &'static str,
    pub id: String,
}

impl ActionObject {
    #[expect(clippy::needless_pass_by_value, reason = "an id is small, and mostly made for this")]
    pub fn new(kind: &'static str, id: impl ToString) -> Self {
        Self { kind, id: id.to_string() }
    }
}

/// Something that was done, or that somebody tried to do.
#[derive(Clone, PartialEq, Debug)]
pub struct ActionRecord {
    pub acted_at: DateTime<Utc>,
    /// None for what concerns the whole installation.
    pub tenant: Option<TenantId>,
    /// None where a request was turned away before anybody knew whose it was.
    pub by: Option<(Subject, Role)>,
    pub action: AuditedAction,
    pub object: Option<ActionObject>,
    /// `done`, or why not: the type of the problem that the caller got.
    pub outcome: Cow<'static, str>,
    pub request_id: Option<Uuid>,
    /// What was searched for, in the asker's words: kept as the setting for queries says.
    pub query: Option<String>,
    /// Numbers and codes, never anybody's words.
    pub details: Value,
}

impl ActionRecord {
    pub const DONE: &'static str = "done";

    /// Done by the operator, now. Without a tenant it concerns the whole installation.
    pub fn by_operator(action: AuditedAction, tenant: Option<TenantId>) -> Self {
        Self {
            acted_at: Utc::now(),
            tenant,
            by: Some((Subject::operator(), Role::Admin)),
            action,
            object: None,
            outcome: Self::DONE.into(),
            request_id: None,
            query: None,
            details: json!({}),
        }
    }

    /// Says whose action it is.
    pub fn is_by(&mut self, identity: &Identity) {
        self.tenant = Some(identity.tenant());
        self.by = Some((identity.subject().clone(), identity.role()));
    }
}

/// An action as it will stand in its table.
#[derive(Clone, Debug)]
pub struct ActionRow {
    id: Uuid,
    record: ActionRecord,
}

impl ActionRow {
    pub fn request_id(&self) -> Option<Uuid> {
        self.record.request_id
    }

    /// About how many bytes it takes in memory and on its way.
    pub fn bytes(&self) -> usize {
        let object = self.record.object.as_ref().map_or(0, |object| object.id.len());
        self.record.details.to_string().len() + object
    }
}

impl AuditLog {
    /// The action as it will be written: a query is hidden where queries are.
    pub fn action_row(&self, mut record: ActionRecord) -> ActionRow {
        if let Some(query) = record.query.take() {
            record.details["query"] = Value::String(self.texts.words(query));
        }
        ActionRow { id: Uuid::now_v7(), record }
    }

    /// Writes all of them, or none; what is there already is left as it is.
    pub async fn write_actions(&self, rows: &[ActionRow]) -> Result<(), WriteError> {
        self.store.write_actions(rows).await
    }

    /// Writes one at once.
    pub async fn keep_action(&self, record: ActionRecord) -> Result<(), CatalogueError> {
        Ok(self.write_actions(&[self.action_row(record)]).await?)
    }
}
