//! `ibidem memory`: questions pinned to sources, and background notes.

mod test;

use std::io::Read as _;
use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::Context as _;
use ibidem_ports::catalogue::CatalogueError;
use ibidem_ports::curate::{EntryDraft, LONGEST_NOTE};
use ibidem_server::MemoryEntryBody;
use ibidem_store::{ActionObject, ActionRecord, AuditedAction, Author, MemoryOutcome, MemoryRow};
use ibidem_words::{DocumentId, Identity, MemoryId, MemoryKind, Reference, Scope, Tag};

use crate::compose::{self, Parts};
use crate::console;
use crate::operator::{Operator, ReaderAccess};
use crate::settings::Settings;
use crate::short_ids::{GivenId, ShownIds};

const ROWS_A_PAGE: i64 = 500;
/// How often is looked whether others have published.
const LOOK_EVERY: Duration = Duration::from_millis(100);
/// How much of a question a list shows.
const SNIPPET_CHARACTERS: usize = 60;

#[derive(clap::Subcommand)]
pub(crate) enum Memory {
    /// Pins a question to the documents that answer it. Similar questions are then answered from them.
    Pin {
        #[command(flatten)]
        audience: Audience,
        /// The question, as somebody would ask it.
        question: String,
        /// A document's address (ADR-0012) or id, or `document_id:chunk` for one passage; may be repeated.
        #[arg(long = "source", required = true, value_name = "SOURCE")]
        sources: Vec<Reference>,
        /// Another way to ask the question; may be repeated.
        #[arg(long = "trigger", value_name = "QUESTION")]
        triggers: Vec<String>,
    },
    /// Stores a background note that the model is given with similar questions. It is never cited; the documents it
    /// refers to may be.
    Note {
        #[command(flatten)]
        audience: Audience,
        /// A text file, or - for standard input.
        file: PathBuf,
        /// A question for which the note is used; may be repeated.
        #[arg(long = "trigger", required = true, value_name = "QUESTION")]
        triggers: Vec<String>,
        /// A document that the note refers to: an address, a document's id, or `document_id:chunk`; may be repeated.
        #[arg(long = "reference", value_name = "SOURCE")]
        references: Vec<Reference>,
    },
    /// Lists the pins and notes that somebody with these tags may see.
    List {
        #[command(flatten)]
        access: ReaderAccess,
        /// Prints the entries as GET /v1/memory does.
        #[arg(long)]
        json: bool,
    },
    /// Shows which pins and notes a question would use, how similar it is to them, and what follows from that.
    Test(test::Test),
    /// Removes a pin or a note with its text. It has no effect from then on.
    Remove {
        #[command(flatten)]
        operator: Operator,
        id: GivenId,
    },
}

/// Whom an entry is for.
#[derive(clap::Args)]
pub(crate) struct Audience {
    #[command(flatten)]
    operator: Operator,
    /// Tags, separated by commas: the entry is used for whoever has one of them. `public` means everybody of the tenant.
    #[arg(long = "tags", alias = "tag", value_name = "TAGS", value_delimiter = ',', default_value = "public")]
    tags: Vec<Tag>,
}

impl Memory {
    pub(crate) fn act(&self) -> ActionRecord {
        match self {
            Self::Pin { audience, .. } => audience.operator.act(AuditedAction::Pin),
            Self::Note { audience, .. } => audience.operator.act(AuditedAction::WriteNote),
            Self::List { access, .. } => access.operator.act(AuditedAction::ListEntries),
            Self::Test(command) => command.act(),
            Self::Remove { operator, id } => operator.act_on("memory", id, AuditedAction::RemoveEntry),
        }
    }

    pub(crate) async fn run(self, settings: &Settings, act: &mut Option<ActionRecord>) -> anyhow::Result<()> {
        match self {
            Self::Pin { audience, question, sources, mut triggers } => {
                triggers.insert(0, question);
                keep(settings, act, audience, MemoryKind::Pin, triggers, sources).await
            }
            Self::Note { audience, file, triggers, references } => {
                let text = tokio::task::spawn_blocking(move || read_note(&file)).await??;
                keep(settings, act, audience, MemoryKind::Note { text }, triggers, references).await
            }
            Self::List { access, json } => list(settings, &access, json).await,
            Self::Test(command) => command.run(settings).await,
            Self::Remove { operator, id } => remove(settings, act, &operator, &id).await,
        }
    }
}

async fn keep(
    settings: &Settings,
    act: &mut Option<ActionRecord>,
    audience: Audience,
    kind: MemoryKind,
    triggers: Vec<String>,
    references: Vec<Reference>,
) -> anyhow::Result<()> {
    let parts = Parts::ready(settings).await?;
    let references = resolved(&parts, &audience.operator, references).await?;
    let checked = EntryDraft { kind, triggers, references, tags: audience.tags }.checked(&parts.window())?;
    let tenant = parts.store.ensure_tenant(&audience.operator.tenant).await?;
    let id = parts.store.create_entry(&Author::operator(tenant), &checked).await?;
    if let Some(act) = act {
        act.object = Some(ActionObject::new("memory", id));
    }
    console::say(&id.to_string());

    let entry = checked.entry();
    // With the eyes of those it is for: a source that they cannot see is of no use to them.
    let tags = entry.tags.iter().cloned().collect();
    let readers = Identity::operator(tenant, tags);
    for nowhere in parts.store.leading_nowhere(&Scope::of(&readers), &entry.references).await? {
        console::note(&format!(
            "{nowhere} is not a document that can be seen by {}; see `ibidem document list`",
            audience_of(&entry.tags)
        ));
    }
    publish(&parts).await?;
    let questions = entry.triggers.len();
    console::note(&format!(
        "the {} is stored for {}; it is used for {}",
        entry.kind.as_str(),
        audience_of(&entry.tags),
        if questions == 1 { "one question".to_owned() } else { format!("any of {questions} questions") }
    ));
    Ok(())
}

/// What looks like an address may be the beginning of a document's id, as lists show it.
async fn resolved(parts: &Parts, of: &Operator, references: Vec<Reference>) -> anyhow::Result<Vec<Reference>> {
    let mut resolved = Vec::new();
    for reference in references {
        let shown_id = match &reference {
            Reference::Address(written) => GivenId::as_shown(written),
            Reference::Passage(_) | Reference::Document(_) => None,
        };
        let document = match shown_id {
            Some(id) => id.in_catalogue(&parts.store, of.tenant_id()).await?,
            None => None,
        };
        resolved.push(document.map_or(reference, |id| Reference::Document(DocumentId(id))));
    }
    Ok(resolved)
}

/// Whom an entry is for, in words.
fn audience_of(tags: &[Tag]) -> String {
    if tags.contains(&Tag::public()) {
        return "everybody".to_owned();
    }
    let names: Vec<_> = tags.iter().map(Tag::as_str).collect();
    format!("those with the tag {}", names.join(" or "))
}

/// No more is read than could be kept.
fn read_note(file: &Path) -> anyhow::Result<String> {
    let mut bytes = Vec::new();
    let most = 4 * LONGEST_NOTE as u64 + 1;
    if file == Path::new("-") {
        std::io::stdin().take(most).read_to_end(&mut bytes).context("cannot read standard input")?;
    } else {
        let opened = std::fs::File::open(file);
        let opened = opened.with_context(|| format!("cannot read {}", file.display()))?;
        opened.take(most).read_to_end(&mut bytes).with_context(|| format!("cannot read {}", file.display()))?;
    }
    anyhow::ensure!(
        (bytes.len() as u64) < most,
        "{} has more than {LONGEST_NOTE} characters: shorten it, or make several notes of it",
        file.display()
    );
    let text = String::from_utf8(bytes);
    text.map_err(|_| anyhow::anyhow!("{} is no text in UTF-8; save it as plain text first", file.display()))
}

async fn list(settings: &Settings, access: &ReaderAccess, json: bool) -> anyhow::Result<()> {
    let store = compose::ready_store(settings).await?;
    let scope = access.scope();
    let mut rows: Vec<MemoryRow> = Vec::new();
    loop {
        let page = store.list_entries(&scope, rows.last().map(|row| row.entry.id), ROWS_A_PAGE).await?;
        if page.is_empty() {
            break;
        }
        rows.extend(page);
    }
    if json {
        return console::say_json(&rows.into_iter().map(MemoryEntryBody::from).collect::<Vec<_>>());
    }
    if rows.is_empty() {
        console::say("There are no entries that these tags may see; use --tags for others.");
        return Ok(());
    }
    let ids = ShownIds::of(rows.iter().map(|row| row.entry.id.0));
    let mut table = console::table(&["id", "kind", "called up by", "sources", "tags", "version", "changed"]);
    for MemoryRow { entry, version, changed_at, .. } in rows {
        let joined = |names: Vec<String>| names.join(", ");
        table.add_row([
            ids.show(entry.id.0),
            entry.kind.as_str().to_owned(),
            questions(&entry.triggers),
            joined(entry.references.iter().map(Reference::to_string).collect()),
            joined(entry.tags.into_iter().map(String::from).collect()),
            version.to_string(),
            changed_at.format("%F").to_string(),
        ]);
    }
    console::say(&table.to_string());
    Ok(())
}

/// The beginning of the first, and how many more there are.
fn questions(triggers: &[String]) -> String {
    let first = triggers.first().map(String::as_str).unwrap_or_default();
    let first = match first.char_indices().nth(SNIPPET_CHARACTERS) {
        Some((end, _)) => format!("{}...", &first[..end]),
        None => first.to_owned(),
    };
    if triggers.len() > 1 { format!("{first} (and {} more)", triggers.len() - 1) } else { first }
}

async fn remove(
    settings: &Settings,
    act: &mut Option<ActionRecord>,
    operator: &Operator,
    id: &GivenId,
) -> anyhow::Result<()> {
    let parts = Parts::ready(settings).await?;
    let found = id.in_catalogue(&parts.store, operator.tenant_id()).await?;
    let id = found
        .map(MemoryId)
        .with_context(|| format!("tenant {} has no entry {id}; see `ibidem memory list`", operator.tenant))?;
    if let Some(act) = act {
        act.object = Some(ActionObject::new("memory", id));
    }
    match parts.store.remove_entry(&Author::operator(operator.tenant_id()), id).await? {
        MemoryOutcome::Done => {}
        MemoryOutcome::NotFound | MemoryOutcome::Foreign(_) => {
            anyhow::bail!("tenant {} has no entry {id}; see `ibidem memory list`", operator.tenant)
        }
    }
    publish(&parts).await?;
    console::note(&format!("entry {id} is removed"));
    Ok(())
}

/// Publishes what was asked for until now, so that the change can be found when the command returns.
pub(super) async fn publish(parts: &Parts) -> anyhow::Result<()> {
    let until = parts.store.now().await?;
    let left = async || parts.store.publications_until(until).await;
    publish_all(parts, left, "the entry is stored but not indexed yet; `ibidem worker` indexes it").await
}

/// Publishes until nothing is left of something. `advice` is told where that fails.
pub(super) async fn publish_all(
    parts: &Parts,
    left: impl AsyncFn() -> Result<u64, CatalogueError>,
    advice: &'static str,
) -> anyhow::Result<()> {
    let publisher = parts.publisher();
    while left().await? > 0 {
        if publisher.round().await.context(advice)? == 0 {
            // The rest is in the hands of a worker.
            tokio::time::sleep(LOOK_EVERY).await;
        }
    }
    Ok(())
}
