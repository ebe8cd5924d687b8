//! The operator: whoever runs this command acts for a tenant, within the tags they name.

use std::fmt::Display;
use std::sync::Arc;

use chrono::Utc;
use ibidem_engine::policy::Policy;
use ibidem_engine::turn::Asked;
use ibidem_ports::degrade::Deadline;
use ibidem_store::{ActionObject, ActionRecord, AuditedAction};
use ibidem_words::{Identity, Question, Scope, Tag, TenantId};
use uuid::Uuid;

/// Whom a command acts for.
#[derive(clap::Args, Clone, Debug)]
pub struct Operator {
    /// The tenant (organisation) whose data the command works on.
    #[arg(long, default_value = "default")]
    pub tenant: String,
}

impl Operator {
    pub fn tenant_id(&self) -> TenantId {
        TenantId::named(&self.tenant)
    }

    /// What the operator does, for the record.
    pub fn act(&self, action: AuditedAction) -> ActionRecord {
        ActionRecord::by_operator(action, Some(self.tenant_id()))
    }

    /// The same, done to one thing.
    pub fn act_on(&self, kind: &'static str, id: impl Display, action: AuditedAction) -> ActionRecord {
        ActionRecord { object: Some(ActionObject::new(kind, id)), ..self.act(action) }
    }
}

/// What a reading command may see.
#[derive(clap::Args, Clone, Debug)]
pub struct ReaderAccess {
    #[command(flatten)]
    pub operator: Operator,
    /// Searches with the access rights of somebody who has these tags, separated by commas. Without it, only public
    /// documents are found.
    #[arg(long, value_delimiter = ',')]
    pub tags: Vec<Tag>,
}

impl ReaderAccess {
    pub fn identity(&self) -> Identity {
        Identity::operator(self.operator.tenant_id(), self.tags.iter().cloned().collect())
    }

    pub fn scope(&self) -> Scope {
        Scope::of(&self.identity())
    }

    /// A question asked now with these rights. Whoever runs a command waits as long as the parts may take.
    pub fn asked(&self, question: Question, policy: Arc<Policy>) -> Asked {
        let (request_id, at, scope) = (Uuid::new_v4(), Utc::now(), self.scope());
        Asked { request_id, at, scope, question, policy, deadline: Deadline::NONE }
    }
}
