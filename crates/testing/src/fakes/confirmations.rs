//! Calls that wait for their asker's word, in memory.

use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};

use async_trait::async_trait;
use chrono::{DateTime, Utc};
use uuid::Uuid;

use ibidem_ports::catalogue::CatalogueError;
use ibidem_ports::confirmations::{Confirmations, Confirmed, Confirmer, FormerCall, Proposal};
use ibidem_words::ConfirmationToken;

/// Tokens follow from the number of the proposal: no test needs a secret.
#[derive(Default)]
pub struct FakeConfirmations {
    proposals: Mutex<BTreeMap<String, (Proposal, bool)>>,
}

#[async_trait]
impl Confirmations for FakeConfirmations {
    async fn propose(&self, proposal: &Proposal) -> Result<ConfirmationToken, CatalogueError> {
        let mut proposals = self.proposals.lock().unwrap_or_else(PoisonError::into_inner);
        let name = format!("{}\0{}", proposal.by.asker, proposals.len());
        let token = ConfirmationToken::of(*Uuid::new_v5(&proposal.by.tenant.0, name.as_bytes()).as_bytes());
        proposals.insert(token.revealed().to_owned(), (proposal.clone(), false));
        Ok(token)
    }

    async fn confirm(
        &self,
        token: &ConfirmationToken,
        by: &Confirmer,
        at: DateTime<Utc>,
    ) -> Result<Confirmed, CatalogueError> {
        let mut proposals = self.proposals.lock().unwrap_or_else(PoisonError::into_inner);
        let found = proposals.get_mut(token.revealed()).filter(|(proposal, _)| proposal.by == *by);
        let Some((proposal, is_used)) = found else { return Ok(Confirmed::Unknown) };
        let call = &proposal.call;
        let former = FormerCall { call_id: call.call_id, server: call.server.clone(), tool: call.tool.clone() };
        if *is_used {
            return Ok(Confirmed::Used(former));
        }
        if proposal.expires_at <= at {
            return Ok(Confirmed::Expired(former));
        }
        *is_used = true;
        Ok(Confirmed::Call(call.clone()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::suites;
    use ibidem_words::TenantId;

    #[tokio::test]
    async fn it_does_what_every_keeper_of_confirmations_must() {
        let tenants = [TenantId::named("one"), TenantId::named("other")];
        suites::confirmations::check(&FakeConfirmations::default(), tenants).await;
    }
}
