//! `ibidem tenant`: everything that is one organisation's.

use ibidem_store::{ActionObject, ActionRecord, AuditedAction};
use ibidem_words::TenantId;
use serde_json::json;

use super::document::tell;
use super::memory::publish_all;
use crate::compose::Parts;
use crate::settings::Settings;

#[derive(clap::Subcommand)]
pub(crate) enum Tenant {
    /// Deletes a tenant: documents, original files, vectors, index entries, curated memory, keys, tags and all records.
    ///
    /// This cannot be undone. If it is interrupted, run it again to finish it.
    Erase {
        name: String,
        /// Confirms the deletion.
        #[arg(long, required = true)]
        yes: bool,
        /// Prints the report as JSON.
        #[arg(long)]
        json: bool,
    },
}

impl Tenant {
    pub(crate) fn act(&self) -> ActionRecord {
        let Self::Erase { name, .. } = self;
        let tenant = TenantId::named(name);
        ActionRecord {
            object: Some(ActionObject::new("tenant", tenant)),
            ..ActionRecord::by_operator(AuditedAction::EraseTenant, Some(tenant))
        }
    }

    pub(crate) async fn run(self, settings: &Settings, act: &mut Option<ActionRecord>) -> anyhow::Result<()> {
        let Self::Erase { name, json, .. } = self;
        let tenant = TenantId::named(&name);
        let parts = Parts::ready(settings).await?;
        // A rebuilt index learns of what went by the rows that are deleted here.
        let only_one = parts.store.exclusively("reindex").await?;
        anyhow::ensure!(only_one.is_some(), "an `ibidem reindex` is running; erase the tenant when it has ended");
        let erased = parts.store.erase_tenant(&parts.originals, tenant).await?;
        let left = async || parts.store.publications_of(tenant).await;
        let advice = "everything but the index entries is deleted; run the command again to delete these";
        publish_all(&parts, left, advice).await?;
        anyhow::ensure!(
            parts.store.forget_tenant(tenant).await?,
            "documents were loaded meanwhile; stop loading, and run the command again"
        );
        if let Some(act) = act {
            act.details = json!({ "documents": erased.documents, "records": erased.records, "keys": erased.keys });
        }
        tell(&format!("tenant {name}"), &erased, json)
    }
}
