//! `ibidem reconcile`: catalogue and index compared, and the index mended.

use std::collections::{HashMap, HashSet};

use ibidem_ports::index::{IndexWriter as _, StoredPoint};
use ibidem_words::{DocumentId, TenantId};
use serde::Serialize;

use crate::compose::Parts;
use crate::console;
use crate::settings::Settings;

const POINTS_A_PAGE: usize = 1_000;
const DOCUMENTS_A_PAGE: usize = 500;
const DOCUMENTS_A_PUBLICATION: usize = 64;

#[derive(Default, clap::Args)]
pub(crate) struct Reconcile {
    /// Reports what differs and changes nothing.
    #[arg(long)]
    dry_run: bool,
    /// Also deletes stored vectors that no passage uses.
    #[arg(long)]
    prune_vectors: bool,
    /// Prints the counts as JSON.
    #[arg(long)]
    json: bool,
}

/// What was found.
#[derive(Default, Serialize)]
struct Report {
    /// Entries of curated memory among them.
    documents: u64,
    points: u64,
    /// Documents whose points are missing, too few, or carry outdated tags.
    documents_differing: u64,
    /// Points that belong to no current passage.
    points_astray: u64,
    mended: bool,
    vectors_pruned: u64,
}

/// What the index holds of one document version, counted while its points go by.
struct Seen {
    version: u32,
    points: u32,
    /// With as many points as passages, and none numbered beyond them, each passage has its point.
    highest_chunk: u32,
    stamp: String,
    /// All points agree on version and stamp.
    uniform: bool,
}

impl Reconcile {
    pub(crate) async fn run(self, settings: &Settings) -> anyhow::Result<()> {
        let parts = Parts::ready(settings).await?;
        let mut report = Report::default();
        let mut seen = seen_in_index(&parts, &mut report).await?;
        let differing = differing_documents(&parts, &mut seen, &mut report).await?;
        // What is left was seen in the index but is not in the catalogue.
        let strays: HashSet<(TenantId, DocumentId)> = seen.into_keys().collect();
        if !self.dry_run {
            self.mend(&parts, &differing, &strays, &mut report).await?;
        }
        if self.json {
            return console::say_json(&report);
        }
        console::say(&format!(
            "{} documents and entries compared with {} points of the index: {} differed, {} points belong to none{}",
            report.documents,
            report.points,
            report.documents_differing,
            report.points_astray,
            if report.mended { "; repaired" } else { "" },
        ));
        Ok(())
    }

    async fn mend(
        &self,
        parts: &Parts,
        differing: &[(TenantId, DocumentId)],
        strays: &HashSet<(TenantId, DocumentId)>,
        report: &mut Report,
    ) -> anyhow::Result<()> {
        let publisher = parts.publisher();
        for documents in differing.chunks(DOCUMENTS_A_PUBLICATION) {
            publisher.bring_up_to_date(documents).await?;
        }
        if !strays.is_empty() {
            remove_strays(parts, strays).await?;
        }
        report.mended = !differing.is_empty() || !strays.is_empty();
        if self.prune_vectors {
            report.vectors_pruned = parts.store.prune_vectors(parts.embedder.model().hash).await?;
        }
        Ok(())
    }
}

async fn seen_in_index(parts: &Parts, report: &mut Report) -> anyhow::Result<HashMap<(TenantId, DocumentId), Seen>> {
    let mut seen: HashMap<(TenantId, DocumentId), Seen> = HashMap::new();
    let mut from = None;
    loop {
        let page = parts.index.scan(from, POINTS_A_PAGE).await?;
        report.points += page.points.len() as u64;
        for point in page.points {
            let StoredPoint { tenant, passage, stamp } = point;
            let entry = seen.entry((tenant, passage.document)).or_insert_with(|| Seen {
                version: passage.version,
                points: 0,
                highest_chunk: 0,
                stamp: stamp.clone(),
                uniform: true,
            });
            entry.points += 1;
            entry.highest_chunk = entry.highest_chunk.max(passage.chunk_index);
            entry.uniform &= entry.version == passage.version && entry.stamp == stamp;
        }
        from = page.next;
        if from.is_none() {
            return Ok(seen);
        }
    }
}

/// Takes every document of the catalogue out of `seen`; returns those of which the index holds something else.
async fn differing_documents(
    parts: &Parts,
    seen: &mut HashMap<(TenantId, DocumentId), Seen>,
    report: &mut Report,
) -> anyhow::Result<Vec<(TenantId, DocumentId)>> {
    let mut differing = Vec::new();
    let mut after = None;
    loop {
        let page = parts.store.page_of_states(after, DOCUMENTS_A_PAGE).await?;
        let Some(last) = page.last() else { break };
        after = Some((last.tenant, last.document));
        for state in page {
            report.documents += 1;
            let agrees = match seen.remove(&(state.shelf, state.document)) {
                None => state.passages == 0,
                Some(seen) => {
                    seen.uniform
                        && seen.version == state.version
                        && seen.points == state.passages
                        && seen.highest_chunk < state.passages
                        && seen.stamp == state.stamp
                }
            };
            if !agrees {
                differing.push((state.tenant, state.document));
            }
        }
    }
    report.documents_differing = differing.len() as u64;
    report.points_astray = seen.values().map(|seen| u64::from(seen.points)).sum();
    Ok(differing)
}

async fn remove_strays(parts: &Parts, strays: &HashSet<(TenantId, DocumentId)>) -> anyhow::Result<()> {
    let mut from = None;
    loop {
        let page = parts.index.scan(from, POINTS_A_PAGE).await?;
        let astray: Vec<StoredPoint> =
            page.points.into_iter().filter(|point| strays.contains(&(point.tenant, point.passage.document))).collect();
        if !astray.is_empty() {
            parts.index.remove_points(astray).await?;
        }
        from = page.next;
        if from.is_none() {
            return Ok(());
        }
    }
}
