//! `ibidem audit`: the records of what was asked, answered and done.

use chrono::{DateTime, TimeDelta, Utc};
use ibidem_store::{ActionRecord, ActionsOf, AuditedAction};
use ibidem_words::SubjectId;

use super::replay::moment;
use crate::operator::Operator;
use crate::settings::Settings;
use crate::{compose, console};

#[derive(clap::Subcommand)]
pub(crate) enum Audit {
    /// Lists who did what to which data, newest first. docs/actions.md lists the actions.
    Actions(Actions),
    /// Deletes records older than `audit.retention_days`, by whole months. `ibidem serve` does the same once a day.
    Prune {
        /// Deletes records older than this many days, in place of `audit.retention_days`.
        #[arg(long, value_name = "DAYS", value_parser = clap::value_parser!(u32).range(1..))]
        older_than: Option<u32>,
    },
}

#[derive(clap::Args)]
pub(crate) struct Actions {
    #[command(flatten)]
    operator: Operator,
    /// Lists actions that belong to no tenant: those on the installation itself, and requests that were rejected before
    /// their key was known.
    #[arg(long)]
    installation: bool,
    /// Lists only this action, for example document.submit.
    #[arg(long)]
    action: Option<AuditedAction>,
    /// Lists only what this subject did: key:ID or operator.
    #[arg(long)]
    subject: Option<SubjectId>,
    /// Lists only actions with this outcome, for example forbidden.
    #[arg(long)]
    outcome: Option<String>,
    /// Lists only actions on the object with this id.
    #[arg(long)]
    object_id: Option<String>,
    /// Lists actions from this day (2026-11-01) or time (2026-11-01T08:00:00Z) on.
    #[arg(long, value_parser = moment)]
    since: Option<DateTime<Utc>>,
    /// Lists actions before this day or time.
    #[arg(long, value_parser = moment)]
    until: Option<DateTime<Utc>>,
    /// The most actions listed.
    #[arg(long, default_value_t = 100, value_parser = clap::value_parser!(u16).range(1..))]
    limit: u16,
}

impl Audit {
    pub(crate) fn act(&self) -> ActionRecord {
        match self {
            Self::Actions(Actions { installation: true, .. }) => {
                ActionRecord::by_operator(AuditedAction::ListActions, None)
            }
            Self::Actions(actions) => actions.operator.act(AuditedAction::ListActions),
            Self::Prune { .. } => ActionRecord::by_operator(AuditedAction::PruneAudit, None),
        }
    }

    pub(crate) async fn run(self, settings: &Settings) -> anyhow::Result<()> {
        let older_than = match self {
            Self::Actions(actions) => return actions.run(settings).await,
            Self::Prune { older_than } => older_than,
        };
        let Some(days) = older_than.or(settings.audit.retention_days()) else {
            anyhow::bail!("`audit.retention_days` is null: records are kept for ever; --older-than DAYS removes some");
        };
        let store = compose::ready_store(settings).await?;
        let now = store.earlier_clock(Utc::now()).await?;
        let pruned = store.prune_audit(now - TimeDelta::days(days.into())).await?;
        let months = if pruned.months.is_empty() { "no month".to_owned() } else { pruned.months.join(", ") };
        console::say(&format!("removed: {months}; {} records outside of any month", pruned.records));
        Ok(())
    }
}

impl Actions {
    async fn run(self, settings: &Settings) -> anyhow::Result<()> {
        let store = compose::ready_store(settings).await?;
        let tenant = (!self.installation).then(|| self.operator.tenant_id());
        let of = ActionsOf {
            action: self.action,
            subject: self.subject,
            outcome: self.outcome,
            object_id: self.object_id,
            since: self.since,
            until: self.until,
            ..ActionsOf::all(tenant, self.limit)
        };
        let mut table = console::table(&["when", "who", "role", "action", "on", "outcome", "details"]);
        for entry in store.actions(&of).await? {
            let who = [entry.subject_name, entry.subject_id];
            let on = [entry.object_kind, entry.object_id];
            let joined = |parts: [Option<String>; 2]| parts.into_iter().flatten().collect::<Vec<_>>().join(" ");
            table.add_row([
                entry.acted_at.format("%F %T").to_string(),
                joined(who),
                entry.role.unwrap_or_default(),
                entry.action,
                joined(on),
                entry.outcome,
                entry.details.to_string(),
            ]);
        }
        console::say(&table.to_string());
        Ok(())
    }
}
