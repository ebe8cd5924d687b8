//! `ibidem document`: what is in, and who sees it.

use ibidem_engine::words::{DocumentId, Tag};
use ibidem_store::{RemovalOutcome, ShownDocument};
use uuid::Uuid;

use crate::operator::{Operator, Sight};
use crate::settings::Settings;
use crate::{compose, console};

const ROWS_A_PAGE: i64 = 500;

#[derive(clap::Subcommand)]
pub(crate) enum Document {
    /// Lists documents, as somebody with these tags sees them.
    List {
        #[command(flatten)]
        sight: Sight,
    },
    /// Shows one document, and what was left out or changed in reading it.
    Show {
        #[command(flatten)]
        operator: Operator,
        id: Uuid,
    },
    /// Changes who sees a document, as of now.
    Retag {
        #[command(flatten)]
        operator: Operator,
        id: Uuid,
        /// The new tags, separated by commas.
        #[arg(required = true, value_delimiter = ',')]
        tags: Vec<Tag>,
    },
    /// Removes a document, as of now.
    Remove {
        #[command(flatten)]
        operator: Operator,
        id: Uuid,
    },
}

impl Document {
    pub(crate) async fn run(self, settings: &Settings) -> anyhow::Result<()> {
        let store = compose::ready_store(settings).await?;
        let (operator, id, outcome) = match self {
            Self::List { sight } => {
                let mut table =
                    console::table(&["id", "collection", "title", "file", "version", "passages", "tags", "updated"]);
                let scope = sight.scope();
                let mut after = None;
                loop {
                    let after_row =
                        after.as_ref().map(|(collection, location): &(_, String)| (collection, location.as_str()));
                    let rows = store.list_documents(&scope, after_row, ROWS_A_PAGE).await?;
                    let Some(last) = rows.last() else { break };
                    after = Some((last.collection.clone(), last.source_location.clone()));
                    for row in rows {
                        let tags: Vec<_> = row.tags.iter().map(Tag::as_str).collect();
                        table.add_row([
                            row.id.to_string(),
                            row.collection.to_string(),
                            row.title,
                            row.source_location,
                            row.version.to_string(),
                            row.chunks.to_string(),
                            tags.join(","),
                            row.updated_at.format("%F").to_string(),
                        ]);
                    }
                }
                console::say(&table.to_string());
                return Ok(());
            }
            Self::Show { operator, id } => {
                let shown = store.show_document(operator.tenant_id(), DocumentId(id)).await?;
                let Some(shown) = shown else {
                    anyhow::bail!("tenant {} has no document {id}; see `ibidem document list`", operator.tenant)
                };
                show(&shown);
                return Ok(());
            }
            Self::Retag { operator, id, tags } => {
                let outcome = store.retag(operator.tenant_id(), DocumentId(id), &tags).await?;
                (operator, id, outcome)
            }
            Self::Remove { operator, id } => {
                let outcome = store.remove(operator.tenant_id(), DocumentId(id)).await?;
                (operator, id, outcome)
            }
        };
        match outcome {
            RemovalOutcome::Done => console::note("done; the index follows when a worker runs"),
            RemovalOutcome::NotFound => {
                anyhow::bail!("tenant {} has no document {id}; see `ibidem document list`", operator.tenant)
            }
        }
        Ok(())
    }
}

fn show(shown: &ShownDocument) {
    let mut table = console::table(&["", ""]);
    let mut row = |name: &str, value: &str| {
        table.add_row([name, value]);
    };
    row("title", &shown.title);
    row("collection", &shown.collection);
    row("file", &shown.source_location);
    row("address", shown.address.as_deref().unwrap_or("none"));
    row("kind", shown.kind.as_deref().unwrap_or("none"));
    row("tags", &shown.tags.join(","));
    row("version", &shown.version.to_string());
    row("passages", &shown.passages.to_string());
    row("updated", &shown.updated_at.format("%F").to_string());
    for remark in &shown.remarks {
        row("remark", remark);
    }
    console::say(&table.to_string());
}
