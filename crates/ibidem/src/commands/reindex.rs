//! `ibidem reindex`: the index built anew beside the old one, then swapped in.

use std::sync::Arc;
use std::time::Duration;

use anyhow::Context as _;
use chrono::{DateTime, Utc};
use ibidem_adapters::qdrant::QdrantIndex;
use ibidem_ingest::publish::Publisher;
use ibidem_store::Store;
use ibidem_words::{DocumentId, TenantId};
use indicatif::ProgressBar;

use crate::settings::Settings;
use crate::{compose, compose::Parts, console};

/// How many documents and entries of curated memory are published together.
const DOCUMENTS_A_PAGE: usize = 64;

#[derive(clap::Args)]
pub(crate) struct Reindex {
    /// Keeps the old Qdrant collection, so that you can go back to it.
    #[arg(long)]
    keep_former: bool,
    /// Afterwards deletes the Qdrant collections of other embedding models. Use it only when no process uses them any
    /// more.
    #[arg(long)]
    drop_other_models: bool,
}

impl Reindex {
    pub(crate) async fn run(self, settings: &Settings) -> anyhow::Result<()> {
        let store = compose::ready_store(settings).await?;
        let Some(_only_one) = store.exclusively("reindex").await? else {
            anyhow::bail!("another `ibidem reindex` is running; wait until it has ended");
        };
        let embedder = compose::embedder(settings).await?;
        let index = compose::index(settings, embedder.as_ref())?;
        let (originals, readers) = (compose::originals(settings)?, compose::readers(settings)?);
        let parts = Parts { store, originals, readers, embedder, index };

        count_words(&parts.store).await?;
        let began = parts.store.now().await?;
        let rebuilt = parts.index.begin_rebuild().await?;
        let total = parts.store.document_count().await?;
        let bar = console::bar(total, "documents, {per_sec}, {eta} left")?;
        let documents = bring_all(&parts.store, &parts.publisher_to(Arc::new(rebuilt.clone())), None, &bar).await?;
        bar.finish_and_clear();
        organised(&rebuilt).await?;
        parts.index.finish_rebuild(&rebuilt, self.keep_former).await?;
        // What changed meanwhile went to the former collection.
        let changed = bring_all(&parts.store, &parts.publisher(), Some(began), &ProgressBar::hidden()).await?;
        console::say(&format!(
            "{documents} documents and entries in {}, {changed} of them changed meanwhile",
            rebuilt.target()
        ));
        if self.drop_other_models {
            for collection in parts.index.drop_other_models().await? {
                console::say(&format!("dropped {collection}"));
            }
        }
        Ok(())
    }
}

/// Counts the words of documents that were taken in before words were counted, or in another language.
async fn count_words(store: &Store) -> anyhow::Result<()> {
    let mut counted = 0;
    loop {
        let some = store.count_words_of_some(DOCUMENTS_A_PAGE).await?;
        counted += some;
        if some == 0 {
            break;
        }
    }
    if counted > 0 {
        console::say(&format!("{counted} documents' words counted"));
    }
    anyhow::ensure!(
        store.conclude_counting().await?,
        "documents were loaded meanwhile by a process with another `index.language`: set the same one for all processes, and run the command again"
    );
    Ok(())
}

async fn bring_all(
    store: &Store,
    publisher: &Publisher,
    changed_since: Option<DateTime<Utc>>,
    bar: &ProgressBar,
) -> anyhow::Result<usize> {
    let mut after = None;
    let mut count = 0;
    loop {
        let page = store.page_of_documents(after, changed_since, DOCUMENTS_A_PAGE).await?;
        let Some(last) = page.last() else { return Ok(count) };
        after = Some(*last);
        match publisher.bring_up_to_date(&page).await {
            Err(error) if error.is_of_a_document() => one_by_one(publisher, &page).await?,
            published => published?,
        }
        count += page.len();
        bar.inc(page.len() as u64);
    }
}

/// A document is at fault: this finds out which.
async fn one_by_one(publisher: &Publisher, page: &[(TenantId, DocumentId)]) -> anyhow::Result<()> {
    for document in page {
        let published = publisher.bring_up_to_date(std::slice::from_ref(document)).await;
        published.with_context(|| {
            format!(
                "document {} cannot be indexed with these settings, so the former index stays in use; load the document \
                 again with these settings and run the command again",
                document.1
            )
        })?;
    }
    Ok(())
}

/// Waits until the new collection's graphs are built, so that the swap makes no search slower.
async fn organised(rebuilt: &QdrantIndex) -> anyhow::Result<()> {
    while !rebuilt.is_organised().await? {
        tokio::time::sleep(Duration::from_millis(500)).await;
    }
    Ok(())
}
