//! `ibidem tag`: who owns a tag.

use ibidem_store::{ActionRecord, AuditedAction};

use crate::operator::Operator;
use crate::settings::Settings;
use crate::{compose, console};

#[derive(clap::Subcommand)]
pub(crate) enum Tag {
    /// Sets the owner of a tag. When an answer is not certain enough, askers are sent to the owner of its most common
    /// tag.
    Own {
        #[command(flatten)]
        operator: Operator,
        tag: ibidem_words::Tag,
        /// The owner's e-mail address.
        email: String,
    },
}

impl Tag {
    pub(crate) fn act(&self) -> ActionRecord {
        let Self::Own { operator, tag, .. } = self;
        operator.act_on("tag", tag, AuditedAction::OwnTag)
    }

    pub(crate) async fn run(self, settings: &Settings) -> anyhow::Result<()> {
        let Self::Own { operator, tag, email } = self;
        anyhow::ensure!(email.contains('@'), "{email:?} is not an e-mail address");
        let store = compose::ready_store(settings).await?;
        let tenant = store.ensure_tenant(&operator.tenant).await?;
        store.set_tag_owner(tenant, &tag, &email).await?;
        console::note(&format!("{tag} is owned by {email}"));
        Ok(())
    }
}
