//! `ibidem ingest`: documents are handed in and, with `--wait`, read and published here and now.

mod gone;

use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::{Duration, Instant};

use ibidem_ingest::address_form::AddressForm;
use ibidem_ingest::find::{self, FindError, LeftOut, SourceFile};
use ibidem_ingest::progress::Done;
use ibidem_ingest::read::why_wordless;
use ibidem_ports::intake::{Format, Submission, Submitted};
use ibidem_ports::originals::Originals as _;
use ibidem_store::{ActionRecord, AuditedAction, Store};
use ibidem_words::{CollectionName, DocumentId, DocumentKind, Sha256Hash, SubjectId, Tag, TenantId};
use serde_json::json;
use tokio::sync::watch;
use uuid::Uuid;

use self::gone::{Folder, Present, Settled};
use super::document::publish_now;
use crate::compose::{self, Parts};
use crate::console;
use crate::operator::Operator;
use crate::settings::Settings;

/// How many documents are handed in together.
const DOCUMENTS_A_BATCH: usize = 200;
/// How often progress is looked at.
const LOOK_EVERY: Duration = Duration::from_millis(250);

#[derive(clap::Args)]
pub(crate) struct Ingest {
    #[arg(help = format!(
        "A file ({}), a folder, or a .jsonl file with one document per line",
        Format::usual_endings()
    ))]
    path: PathBuf,
    #[command(flatten)]
    operator: Operator,
    /// The collection that the documents belong to, for example ADR.
    #[arg(long)]
    collection: CollectionName,
    /// Tags, separated by commas: whoever has one of them may see the documents. `public` means everybody of the
    /// tenant. There is no default, so that nothing is shared by omission.
    #[arg(long, required = true, value_delimiter = ',')]
    tags: Vec<Tag>,
    /// The kind of the documents, for example verse. A kind stated in a document takes precedence.
    #[arg(long)]
    kind: Option<DocumentKind>,
    /// How each document gets its address, the name by which it can be asked for: `ADR-{number}` takes the number in
    /// the file's name, `{name}` the name itself, `{id}` the id of a .jsonl line. An address stated in a line takes
    /// precedence.
    #[arg(long, value_name = "FORM")]
    address: Option<AddressForm>,
    /// Reads and indexes the documents in this process, and returns when they can be found.
    #[arg(long)]
    wait: bool,
    /// Removes the documents that came from this folder into this collection and are no longer in it. From then on nobody
    /// finds them. A folder that cannot be listed removes nothing; if more than a fifth of its documents would go, it asks
    /// first. Without it, what is no longer there is named.
    #[arg(long)]
    sync: bool,
    /// With --sync: removes what is gone however much it is, without asking.
    #[arg(long, requires = "sync")]
    yes: bool,
}

/// What became of what was handed in.
#[derive(Clone, Copy, Default)]
struct Tally {
    queued: usize,
    retagged: usize,
    unchanged: usize,
    /// Not handed in: they could not be opened, or something said of them cannot be kept.
    failed: usize,
}

/// What was handed in.
#[derive(Default)]
struct HandedIn {
    tally: Tally,
    /// Documents that only got other tags.
    retagged: Vec<(TenantId, DocumentId)>,
    /// What the folder has.
    present: Present,
}

impl Tally {
    fn noted(self, act: &mut Option<ActionRecord>) {
        if let Some(act) = act {
            let Self { queued, retagged, unchanged, failed } = self;
            act.details = json!({ "queued": queued, "retagged": retagged, "unchanged": unchanged, "failed": failed });
        }
    }
}

impl Ingest {
    pub(crate) fn act(&self) -> ActionRecord {
        self.operator.act(AuditedAction::SubmitDocument)
    }

    /// Loads a folder into a collection that everybody of the tenant sees: how many documents were read, and how many
    /// could not be.
    pub(crate) async fn for_everybody(
        settings: &Settings,
        parts: &Parts,
        path: PathBuf,
        collection: CollectionName,
    ) -> anyhow::Result<(u64, usize)> {
        let operator = Operator { tenant: "default".to_owned() };
        let (tags, kind, address) = (vec![Tag::public()], None, None);
        let ingest = Self { path, operator, collection, tags, kind, address, wait: true, sync: false, yes: false };
        let (listing, batch) = (find::list(&ingest.path)?, Uuid::now_v7());
        let HandedIn { tally, .. } = ingest.hand_in(settings, &parts.store, batch, &listing).await?;
        let (done, failed) = wait(parts, batch, tally).await?;
        Ok((done.documents, failed + tally.failed))
    }

    pub(crate) async fn run(self, settings: &Settings, act: &mut Option<ActionRecord>) -> anyhow::Result<ExitCode> {
        let listing = find::list(&self.path)?;
        anyhow::ensure!(
            !self.sync || self.path.is_dir(),
            "--sync compares a folder with what came from it, and {} is a file: name its folder",
            self.path.display()
        );
        anyhow::ensure!(
            !listing.files.is_empty() || self.sync,
            "{} has no documents to load; the known formats are {} and .jsonl",
            self.path.display(),
            Format::usual_endings()
        );
        if !listing.left_out.is_empty() {
            skipped(&listing.left_out).iter().for_each(|line| console::note(line));
        }
        console::note(&Tag::audience_in_words(&self.tags, SubjectId::Operator).replace(" it.", " these documents."));
        let started = Instant::now();
        let batch = Uuid::now_v7();
        if !self.wait {
            let store = compose::ready_store(settings).await?;
            let HandedIn { tally, mut retagged, present } = self.hand_in(settings, &store, batch, &listing).await?;
            tally.noted(act);
            let settled = self.settle(&store, &present, act).await?;
            retagged.extend(settled.removed(self.operator.tenant_id()));
            if !retagged.is_empty() {
                publish_now(settings, &retagged).await;
            }
            console::say(&format!(
                "{} documents queued, {} retagged, {} unchanged{}; `ibidem worker` reads and indexes them",
                tally.queued,
                tally.retagged,
                tally.unchanged,
                if tally.failed > 0 { format!(", {} failed", tally.failed) } else { String::new() },
            ));
            return Ok(if tally.failed == 0 && settled.is_done() { ExitCode::SUCCESS } else { ExitCode::FAILURE });
        }

        let parts = Parts::ready(settings).await?;
        let HandedIn { tally, present, .. } = self.hand_in(settings, &parts.store, batch, &listing).await?;
        tally.noted(act);
        let (done, failed) = wait(&parts, batch, tally).await?;
        // What moved is read under its new name by now, and never missing.
        let settled = self.settle(&parts.store, &present, act).await?;
        let removed = settled.removed(self.operator.tenant_id());
        if !removed.is_empty() {
            parts.publisher().publish_now(&removed).await?;
        }
        let failed = failed + tally.failed;
        console::say(&format!(
            "{} documents read, {} retagged, {} unchanged, {} failed; {} passages, {} of them embedded, in {:.1} s",
            done.documents,
            tally.retagged,
            tally.unchanged,
            failed,
            done.passages,
            done.embedded,
            started.elapsed().as_secs_f64(),
        ));
        Ok(if failed == 0 && settled.is_done() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
    }

    /// Names what is no longer in the folder, or removes it.
    async fn settle(
        &self,
        store: &Store,
        present: &Present,
        act: &mut Option<ActionRecord>,
    ) -> anyhow::Result<Settled> {
        let (tenant, name) = (self.operator.tenant_id(), gone::folder_of(&self.path)?);
        let folder = Folder { store, tenant, collection: &self.collection, name: &name };
        if !self.path.is_dir() {
            return Ok(Settled::Removed(Vec::new()));
        }
        if !self.sync {
            folder.report(present).await?;
            return Ok(Settled::Removed(Vec::new()));
        }
        let settled = folder.remove(present, self.yes).await?;
        if let (Some(act), Settled::Removed(removed)) = (act, &settled) {
            act.details["removed"] = removed.iter().map(|document| document.0.to_string()).collect();
        }
        Ok(settled)
    }

    async fn hand_in(
        &self,
        settings: &Settings,
        store: &Store,
        batch: Uuid,
        listing: &find::Listing,
    ) -> anyhow::Result<HandedIn> {
        let tenant = store.ensure_tenant(&self.operator.tenant).await?;
        let originals = compose::originals(settings)?;
        let reading = compose::reading(settings);
        let hand_over = HandOver { store, tenant, batch, reading: &reading, folder: &gone::folder_of(&self.path)? };
        let mut handed_in = HandedIn::default();
        let mut waiting = Vec::new();
        // What is of no known kind now may have been of one: it is there.
        for file in &listing.left_out {
            handed_in.present.add_unread(&self.path, &file.path);
        }
        let mut wordless = Vec::new();
        let bar = console::bar(listing.files.len() as u64, "files handed in")?;
        for file in &listing.files {
            bar.inc(1);
            // What is wrong with one file or line is said of it, and keeps no other out.
            let found = match open(&self.path, file).await {
                Ok(found) => found,
                Err(error) => {
                    console::note(&format!("failed: {error:#}"));
                    handed_in.tally.failed += 1;
                    handed_in.present.add_unread(&self.path, file);
                    continue;
                }
            };
            for found in found {
                let found = match found {
                    Ok(found) => found,
                    Err(error) => {
                        console::note(&format!("failed: {error}"));
                        handed_in.tally.failed += 1;
                        handed_in.present.add_unread(&self.path, file);
                        continue;
                    }
                };
                if let Some(why) = why_wordless(&found.bytes, found.format) {
                    wordless.push(LeftOut { path: file.clone(), why });
                    continue;
                }
                let (bytes, location) = (found.bytes.clone(), found.source_location.clone());
                handed_in.present.add(&location);
                let submission = match self.submission(tenant, found, Sha256Hash::of(&bytes)).checked() {
                    Ok(submission) => submission,
                    Err(error) => {
                        console::note(&format!("failed: {}: {location}: {error}", file.display()));
                        handed_in.tally.failed += 1;
                        continue;
                    }
                };
                originals.keep(tenant, bytes).await?;
                waiting.push(submission);
                if waiting.len() >= DOCUMENTS_A_BATCH {
                    hand_over.submit(&mut waiting, &mut handed_in).await?;
                }
            }
        }
        hand_over.submit(&mut waiting, &mut handed_in).await?;
        bar.finish_and_clear();
        skipped(&wordless).iter().for_each(|line| console::note(line));
        Ok(handed_in)
    }

    fn submission(&self, tenant: TenantId, found: SourceFile, original: Sha256Hash) -> Submission {
        let address = found.address.clone().or_else(|| self.address.as_ref()?.of(&found));
        Submission {
            tenant,
            collection: self.collection.clone(),
            source_location: found.source_location,
            format: found.format,
            original,
            tags: self.tags.clone(),
            title: found.title,
            address,
            kind: self.kind.clone(),
            updated_at: found.updated_at,
        }
    }
}

/// What is left out, by reason and name; of many files the first.
fn skipped(files: &[LeftOut]) -> Vec<String> {
    const MOST: usize = 10;
    let mut reasons: Vec<&str> = files.iter().map(|file| file.why).collect();
    reasons.sort_unstable();
    reasons.dedup();
    let line = |why: &str| {
        let files: Vec<String> =
            files.iter().filter(|file| file.why == why).map(|file| file.path.display().to_string()).collect();
        let named = files[..files.len().min(MOST)].join(", ");
        let more = files.len().saturating_sub(MOST);
        let more = if more > 0 { format!(" and {more} more") } else { String::new() };
        format!("skipped because {why} ({}): {named}{more}", files.len())
    };
    reasons.into_iter().map(line).collect()
}

async fn open(root: &Path, file: &Path) -> anyhow::Result<Vec<Result<SourceFile, FindError>>> {
    let (root, file) = (root.to_owned(), file.to_owned());
    Ok(tokio::task::spawn_blocking(move || find::open_each(&root, &file)).await??)
}

/// Where documents of one folder are handed in.
struct HandOver<'a> {
    store: &'a Store,
    tenant: TenantId,
    batch: Uuid,
    reading: &'a str,
    folder: &'a str,
}

impl HandOver<'_> {
    /// Hands in what waits, and notes where it came from.
    async fn submit(&self, waiting: &mut Vec<Submission>, handed_in: &mut HandedIn) -> anyhow::Result<()> {
        let outcomes = self.store.submit(self.tenant, self.batch, self.reading, waiting).await?;
        if let Some(collection) = waiting.first().map(|submission| submission.collection.clone()) {
            let documents: Vec<DocumentId> = waiting.iter().map(Submission::document_id).collect();
            self.store.note_folder(self.tenant, &collection, self.folder, &documents).await?;
        }
        for (submission, outcome) in waiting.drain(..).zip(outcomes) {
            match outcome {
                Submitted::Queued => handed_in.tally.queued += 1,
                Submitted::Retagged => {
                    handed_in.tally.retagged += 1;
                    handed_in.retagged.push((self.tenant, submission.document_id()));
                }
                Submitted::Unchanged => handed_in.tally.unchanged += 1,
            }
        }
        Ok(())
    }
}

/// Works until everything of the batch is read and in the index.
async fn wait(parts: &Parts, batch: Uuid, tally: Tally) -> anyhow::Result<(Done, usize)> {
    let worker = parts.worker();
    let progress = worker.publisher.progress.clone();
    let (stop, stopped) = watch::channel(false);
    let working = tokio::spawn(async move { worker.run(stopped).await });

    let bar = console::bar(tally.queued as u64, "documents, {msg}, {eta} left")?;
    let started = Instant::now();
    let batch_left = loop {
        let left = parts.store.batch_progress(batch).await?;
        let done = progress.done();
        let rate = done.embedded as f64 / started.elapsed().as_secs_f64();
        bar.set_position(tally.queued as u64 - left.waiting.min(tally.queued as u64));
        bar.set_message(format!("{} passages, {rate:.0} embedded/s", done.passages));
        if left.waiting == 0 {
            break left;
        }
        anyhow::ensure!(
            !working.is_finished(),
            "the worker stopped before all documents were indexed; the log says why. Run the command again"
        );
        tokio::time::sleep(LOOK_EVERY).await;
    };
    bar.set_message("publishing");
    let until = parts.store.now().await?;
    while parts.store.publications_until(until).await? > 0 {
        tokio::time::sleep(LOOK_EVERY).await;
    }
    bar.finish_and_clear();
    stop.send_replace(true);
    working.await?;
    for failed in &batch_left.failed {
        console::note(&format!("failed: {}: {}", failed.source_location, failed.reason));
    }
    Ok((progress.done(), batch_left.failed.len()))
}
