//! `ibidem hand-over`: what became of questions that were routed to owners.

use serde_json::json;

use crate::settings::Settings;
use crate::{compose, console};

/// How many that were not sent are listed.
const MOST_LISTED: usize = 100;

#[derive(clap::Args)]
pub(crate) struct HandOver {
    /// Sends those again that were given up.
    #[arg(long)]
    retry: bool,
    /// Prints JSON.
    #[arg(long)]
    json: bool,
}

impl HandOver {
    pub(crate) async fn run(self, settings: &Settings) -> anyhow::Result<()> {
        let store = compose::ready_store(settings).await?;
        if self.retry {
            let again = store.retry_hand_overs().await?;
            console::note(&format!("{again} questions that were given up are sent again by the next worker"));
        }
        let (counts, unsent) = (store.hand_over_counts().await?, store.unsent_hand_overs(MOST_LISTED).await?);
        if self.json {
            let counts = counts.iter().map(|it| {
                json!({"tenant": it.tenant, "target": it.target, "waiting": it.waiting, "sent": it.sent, "failed": it.failed})
            });
            let unsent = unsent.iter().map(|it| {
                json!({"tenant": it.tenant, "target": it.target, "id": it.id, "queued_at": it.queued_at,
                    "attempts": it.attempts, "failed_at": it.failed_at, "failure": it.failure})
            });
            let (counts, unsent): (Vec<_>, Vec<_>) = (counts.collect(), unsent.collect());
            console::say_json(&json!({"targets": counts, "unsent": unsent}))?;
            return Ok(());
        }
        let mut table = console::table(&["tenant", "target", "waiting", "sent", "failed"]);
        for it in &counts {
            let numbers = [it.waiting, it.sent, it.failed].map(|number| number.to_string());
            table.add_row([&it.tenant, &it.target].into_iter().chain(&numbers));
        }
        console::say(&table.to_string());
        if !unsent.is_empty() {
            let mut table = console::table(&["tenant", "target", "asked", "attempts", "state", "why"]);
            for it in &unsent {
                let state = if it.failed_at.is_some() { "given up" } else { "tried again" };
                let asked = it.queued_at.format("%Y-%m-%d %H:%M UTC").to_string();
                let why = it.failure.as_deref().unwrap_or("");
                table.add_row([&it.tenant, &it.target, asked.as_str(), &it.attempts.to_string(), state, why]);
            }
            console::say(&table.to_string());
        }
        Ok(())
    }
}
