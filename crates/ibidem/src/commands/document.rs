//! `ibidem document`: what is in, and who sees it.

use anyhow::Context as _;
use ibidem_store::{ActionObject, ActionRecord, AuditedAction, Erased, RemovalOutcome, ShownDocument};
use ibidem_words::{DocumentId, Tag, TenantId};
use serde_json::json;
use uuid::Uuid;

use super::memory::publish;
use crate::compose::Parts;
use crate::operator::{Operator, ReaderAccess};
use crate::settings::Settings;
use crate::short_ids::{GivenId, ShownIds};
use crate::{compose, console};

const ROWS_A_PAGE: i64 = 500;

#[derive(clap::Subcommand)]
pub(crate) enum Document {
    /// Lists the documents that somebody with these tags may see.
    List {
        #[command(flatten)]
        access: ReaderAccess,
    },
    /// Shows one document, and what was left out or changed when its text was extracted.
    Show {
        #[command(flatten)]
        operator: Operator,
        id: GivenId,
    },
    /// Replaces the tags of a document. Who may see it changes at once.
    Retag {
        #[command(flatten)]
        operator: Operator,
        id: GivenId,
        /// The new tags, separated by commas.
        #[arg(
            long,
            required_unless_present = "positional_tags",
            conflicts_with = "positional_tags",
            value_delimiter = ','
        )]
        tags: Vec<Tag>,
        /// The same without `--tags`, as it was written before.
        #[arg(hide = true, value_delimiter = ',')]
        positional_tags: Vec<Tag>,
    },
    /// Removes a document. From then on nobody finds it. Its text stays in the database, so that old receipts can be
    /// checked; `erase` deletes that too.
    Remove {
        #[command(flatten)]
        operator: Operator,
        id: GivenId,
    },
    /// Deletes documents everywhere: text, vectors, original files, index entries, and their text in records and stored
    /// answers.
    ///
    /// This cannot be undone. If it is interrupted, run it again to finish it.
    Erase {
        #[command(flatten)]
        operator: Operator,
        #[arg(required = true)]
        ids: Vec<GivenId>,
        /// Confirms the deletion.
        #[arg(long, required = true)]
        yes: bool,
        /// Prints the report as JSON, one line per document.
        #[arg(long)]
        json: bool,
    },
}

impl Document {
    pub(crate) fn act(&self) -> ActionRecord {
        let on = |operator: &Operator, id: &GivenId, action| operator.act_on("document", id, action);
        match self {
            Self::List { access } => access.operator.act(AuditedAction::ListDocuments),
            Self::Show { operator, id } => on(operator, id, AuditedAction::ReadDocument),
            Self::Retag { operator, id, .. } => on(operator, id, AuditedAction::RetagDocument),
            Self::Remove { operator, id } => on(operator, id, AuditedAction::RemoveDocument),
            Self::Erase { operator, ids, .. } => match ids.as_slice() {
                [id] => on(operator, id, AuditedAction::EraseDocument),
                _ => {
                    let ids: Vec<String> = ids.iter().map(GivenId::to_string).collect();
                    ActionRecord { details: json!({ "documents": ids }), ..operator.act(AuditedAction::EraseDocument) }
                }
            },
        }
    }

    pub(crate) async fn run(self, settings: &Settings, act: &mut Option<ActionRecord>) -> anyhow::Result<()> {
        if let Self::Erase { operator, ids, json, .. } = self {
            return erase(settings, &operator, &ids, json, act).await;
        }
        let store = compose::ready_store(settings).await?;
        let meant = match &self {
            Self::Show { operator, id } | Self::Retag { operator, id, .. } | Self::Remove { operator, id } => {
                let found = id.in_catalogue(&store, operator.tenant_id()).await?;
                let id = found.with_context(|| no_such(operator, id))?;
                if let Some(act) = act {
                    act.object = Some(ActionObject::new("document", id));
                }
                id
            }
            Self::List { .. } | Self::Erase { .. } => Uuid::nil(),
        };
        let (operator, id, outcome) = match self {
            Self::List { access } => {
                let mut table =
                    console::table(&["id", "collection", "title", "file", "version", "passages", "tags", "updated"]);
                let scope = access.scope();
                let (mut after, mut all) = (None, Vec::new());
                loop {
                    let after_row =
                        after.as_ref().map(|(collection, location): &(_, String)| (collection, location.as_str()));
                    let rows = store.list_documents(&scope, after_row, ROWS_A_PAGE).await?;
                    let Some(last) = rows.last() else { break };
                    after = Some((last.collection.clone(), last.source_location.clone()));
                    all.extend(rows);
                }
                let ids = ShownIds::of(all.iter().map(|row| row.id.0));
                for row in all {
                    let tags: Vec<_> = row.tags.iter().map(Tag::as_str).collect();
                    table.add_row([
                        ids.show(row.id.0),
                        row.collection.to_string(),
                        row.title,
                        row.source_location,
                        row.version.to_string(),
                        row.chunks.to_string(),
                        tags.join(","),
                        row.updated_at.format("%F").to_string(),
                    ]);
                }
                console::say(&table.to_string());
                return Ok(());
            }
            Self::Show { operator, id } => {
                let shown = store.show_document(operator.tenant_id(), DocumentId(meant)).await?;
                show(&shown.with_context(|| no_such(&operator, &id))?);
                return Ok(());
            }
            Self::Retag { operator, id, mut tags, positional_tags } => {
                tags.extend(positional_tags);
                let outcome = store.retag(operator.tenant_id(), DocumentId(meant), &tags).await?;
                if outcome == RemovalOutcome::Done {
                    publish_now(settings, &[(operator.tenant_id(), DocumentId(meant))]).await;
                    console::note("done");
                    return Ok(());
                }
                (operator, id, outcome)
            }
            Self::Remove { operator, id } => {
                let outcome = store.remove(operator.tenant_id(), DocumentId(meant)).await?;
                (operator, id, outcome)
            }
            Self::Erase { .. } => return Ok(()),
        };
        match outcome {
            RemovalOutcome::Done => console::note("done; a running worker updates the index"),
            RemovalOutcome::NotFound => anyhow::bail!(no_such(&operator, &id)),
        }
        Ok(())
    }
}

fn no_such(operator: &Operator, id: &GivenId) -> String {
    format!("tenant {} has no document {id}; see `ibidem document list`", operator.tenant)
}

/// Brings the index in line, so that whoever may see these documents now finds them when the command returns. Whoever may
/// not see them any more does not, whatever becomes of this.
pub(super) async fn publish_now(settings: &Settings, documents: &[(TenantId, DocumentId)]) {
    let published = async {
        let parts = Parts::ready(settings).await?;
        anyhow::Ok(parts.publisher().publish_now(documents).await?)
    };
    if let Err(error) = published.await {
        console::note(&format!("the index is not up to date: {error:#}; `ibidem worker` updates it"));
    }
}

async fn erase(
    settings: &Settings,
    operator: &Operator,
    ids: &[GivenId],
    json: bool,
    act: &mut Option<ActionRecord>,
) -> anyhow::Result<()> {
    let parts = Parts::ready(settings).await?;
    let mut unknown = Vec::new();
    // All are found before the first is gone.
    let mut meant = Vec::new();
    for given in ids {
        match given.in_catalogue(&parts.store, operator.tenant_id()).await? {
            Some(id) => meant.push(id),
            None => unknown.push(given.to_string()),
        }
    }
    for id in meant {
        let erased = parts.store.erase_document(&parts.originals, operator.tenant_id(), DocumentId(id)).await?;
        match erased {
            None => unknown.push(id.to_string()),
            Some(erased) => {
                if let Some(act) = act {
                    act.details["records"] = (act.details["records"].as_u64().unwrap_or(0) + erased.records).into();
                }
                tell(&format!("document {id}"), &erased, json)?;
            }
        }
    }
    publish(&parts).await?;
    console::note("the index is up to date");
    anyhow::ensure!(
        unknown.is_empty(),
        "tenant {} has no document {}; see `ibidem document list`",
        operator.tenant,
        unknown.join(", ")
    );
    Ok(())
}

/// The report of an erasure.
pub(super) fn tell(what: &str, erased: &Erased, json: bool) -> anyhow::Result<()> {
    if json {
        return console::say_json(erased);
    }
    console::say(&format!("erased: {what}"));
    for (count, name) in [
        (erased.documents, "documents"),
        (erased.versions, "versions with their texts"),
        (erased.passages, "passages"),
        (erased.vectors, "stored vectors"),
        (erased.originals, "originals"),
        (erased.jobs, "documents on their way in"),
        (erased.records, "records of questions, of words or as a whole"),
        (erased.sentences, "sentences of stored answers"),
        (erased.replies, "earlier replies in histories"),
        (erased.references, "references of curated memory"),
        (erased.entries, "entries of curated memory"),
        (erased.keys, "API keys"),
        (erased.actions, "records of actions"),
    ] {
        if count > 0 {
            console::say(&format!("  {count} {name}"));
        }
    }
    if erased.is_nothing() {
        console::say("  nothing was left to erase");
    }
    for kept in &erased.kept {
        console::say(&format!("kept: {kept}"));
    }
    Ok(())
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
