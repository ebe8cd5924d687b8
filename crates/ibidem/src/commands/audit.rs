//! `ibidem audit`: the records of what was asked and answered.

use chrono::{TimeDelta, Utc};

use crate::settings::Settings;
use crate::{compose, console};

#[derive(clap::Subcommand)]
pub(crate) enum Audit {
    /// Removes records that are old enough, by whole months, as a server does once a day.
    Prune {
        /// Over `audit.retention_days`.
        #[arg(long, value_name = "DAYS", value_parser = clap::value_parser!(u32).range(1..))]
        older_than: Option<u32>,
    },
}

impl Audit {
    pub(crate) async fn run(self, settings: &Settings) -> anyhow::Result<()> {
        let Self::Prune { older_than } = self;
        let Some(days) = older_than.or(settings.audit.retention_days) else {
            anyhow::bail!("`audit.retention_days` is null: records are kept for ever; --older-than DAYS removes some");
        };
        let store = compose::ready_store(settings).await?;
        let pruned = store.prune_audit(Utc::now() - TimeDelta::days(days.into())).await?;
        let months = if pruned.months.is_empty() { "no month".to_owned() } else { pruned.months.join(", ") };
        console::say(&format!("removed: {months}; {} records outside of any month", pruned.records));
        Ok(())
    }
}
