//! `ibidem search`: passages for a query, in the terminal.

use anyhow::Context as _;
use ibidem_engine::search::{Lanes, SearchHit, SearchRequest};
use ibidem_engine::texts::Texts;
use ibidem_server::SearchResponse;
use ibidem_store::{ActionRecord, AuditedAction};
use ibidem_words::CollectionName;
use uuid::Uuid;

use crate::compose::Parts;
use crate::console;
use crate::operator::ReaderAccess;
use crate::settings::Settings;

/// How much of a passage a list shows.
const SNIPPET_CHARACTERS: usize = 200;

#[derive(clap::Args)]
pub(crate) struct Search {
    /// What to search for.
    query: String,
    #[command(flatten)]
    access: ReaderAccess,
    /// Searches only these collections, separated by commas. Without it, all are searched.
    #[arg(long, value_delimiter = ',')]
    collections: Vec<CollectionName>,
    /// How many passages to return.
    #[arg(long, default_value_t = 5, value_parser = clap::value_parser!(u16).range(1..=100))]
    limit: u16,
    /// How to search: dense (by meaning), lexical (by keywords), or both.
    #[arg(long, default_value = "both", value_parser = lanes)]
    lanes: Lanes,
    /// Prints the same JSON as POST /v1/search.
    #[arg(long)]
    json: bool,
}

fn lanes(written: &str) -> Result<Lanes, String> {
    match written {
        "both" => Ok(Lanes::Both),
        "dense" => Ok(Lanes::Dense),
        "lexical" => Ok(Lanes::Lexical),
        other => Err(format!("{other:?} is none of both, dense, lexical")),
    }
}

impl Search {
    pub(crate) fn act(&self) -> ActionRecord {
        ActionRecord { query: Some(self.query.clone()), ..self.access.operator.act(AuditedAction::Search) }
    }

    pub(crate) async fn run(self, settings: &Settings) -> anyhow::Result<()> {
        let request = SearchRequest::checked(self.query, self.collections, self.limit.into(), self.lanes)
            .context("the query cannot be searched for")?;
        let parts = Parts::ready(settings).await?;
        let searcher = parts.searcher();
        searcher.check_collections(&self.access.scope(), &request.collections).await?;
        let outcome = searcher.search(&self.access.scope(), &request).await?;
        if self.json {
            return console::say_json(&SearchResponse::of(Uuid::new_v4(), outcome));
        }
        for reason in &outcome.fallback_reasons {
            console::note(Texts::english().of_flag(*reason));
        }
        if outcome.hits.is_empty() {
            console::say("Nothing was found in the documents that these tags may see; use --tags for others.");
        }
        for (number, hit) in outcome.hits.iter().enumerate() {
            console::say(&format!("{}. {}", number + 1, source_line(hit)));
            console::say(&format!("   {}\n", snippet(&hit.passage.text)));
        }
        Ok(())
    }
}

/// Title — Section — File (version) [score], with the page where there is one.
fn source_line(hit: &SearchHit) -> String {
    let passage = &hit.passage;
    let section = passage.section.as_deref().unwrap_or("N/A");
    let page = passage.page.map_or_else(String::new, |page| format!(", page {page}"));
    let score = match (hit.cosine, hit.bm25) {
        (Some(cosine), Some(bm25)) => format!("cosine {cosine:.2}, BM25 {bm25:.1}"),
        (Some(cosine), None) => format!("cosine {cosine:.2}"),
        (None, Some(bm25)) => format!("BM25 {bm25:.1}"),
        (None, None) => "no score".to_owned(),
    };
    format!(
        "{} — {section} — {}{page} (v{}) [{score}]",
        passage.title, passage.source_location, passage.passage.version
    )
}

fn snippet(text: &str) -> String {
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    match line.char_indices().nth(SNIPPET_CHARACTERS) {
        Some((end, _)) => format!("{}...", &line[..end]),
        None => line,
    }
}
