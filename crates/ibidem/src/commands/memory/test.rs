//! `ibidem memory test`: how close a question comes to what curators wrote down.

use std::collections::BTreeMap;

use anyhow::Context as _;
use ibidem_engine::explain::{ExplainedEntry, Explanation};
use ibidem_engine::policy::CuratedRules;
use ibidem_ports::index::{Index as _, IndexQuery, Shelf};
use ibidem_ports::memory::{Memory as _, Remembered};
use ibidem_store::{ActionRecord, AuditedAction};
use ibidem_words::{MemoryId, MemoryKind, Question, QuestionDraft, Scope};
use serde::Serialize;

use crate::compose::{self, Parts};
use crate::console;
use crate::operator::ReaderAccess;
use crate::settings::Settings;

/// Points that are looked at; several may be of one entry.
const POINTS: usize = 24;

#[derive(clap::Args)]
pub(crate) struct Test {
    /// The question.
    question: String,
    #[command(flatten)]
    access: ReaderAccess,
    /// Uses this policy file in place of `policy.use`: the name of a built-in one, or a path.
    #[arg(long)]
    policy: Option<String>,
    /// Prints JSON.
    #[arg(long)]
    json: bool,
}

#[derive(Serialize)]
struct Report {
    question: String,
    /// What an answer would do.
    route: &'static str,
    suffices: bool,
    /// The closest first, whether it is close enough or not.
    entries: Vec<Close>,
}

#[derive(Serialize)]
struct Close {
    entry: MemoryId,
    kind: &'static str,
    similarity: f64,
    trigger: String,
    references: usize,
    became: String,
}

impl Test {
    pub(crate) fn act(&self) -> ActionRecord {
        ActionRecord { query: Some(self.question.clone()), ..self.access.operator.act(AuditedAction::TestMemory) }
    }

    pub(crate) async fn run(self, settings: &Settings) -> anyhow::Result<()> {
        let draft = QuestionDraft { query: self.question, ..QuestionDraft::default() };
        let question = Question::checked(draft).context("the question cannot be asked")?;
        let policy = compose::policy(settings, self.policy.as_deref())?;
        let rules = policy.rules.gather.curated.clone();
        let rules = rules.with_context(|| {
            format!("the policy {} has no `gather.curated`: it does not look at curated memory", policy.rules.name)
        })?;
        let parts = Parts::ready(settings).await?;
        let close = closest(&parts, &self.access.scope(), &question.query).await?;
        let asked = self.access.asked(question, policy);
        let explanation = parts.engine(settings).await?.explain(asked).await?;
        let report = report(explanation, &rules, close);
        console::say_json_or(self.json, &report, || show(&report))
    }
}

/// Every entry that has a point among the closest, with its similarity.
async fn closest(parts: &Parts, scope: &Scope, question: &str) -> anyhow::Result<Vec<(Remembered, f64)>> {
    let vector = parts.embedder.embed_queries(vec![question.to_owned()]).await?.into_iter().next();
    let query = IndexQuery { shelf: Shelf::Memory, vector, hits_per_lane: POINTS, ..IndexQuery::default() };
    let hits = parts.index.search(scope, vec![query]).await?.into_iter().flatten();
    let scale = parts.embedder.model().scale;
    let mut best: BTreeMap<MemoryId, f64> = BTreeMap::new();
    for hit in hits {
        let similarity = best.entry(MemoryId(hit.passage.document.0)).or_insert(f64::NEG_INFINITY);
        *similarity = similarity.max(scale.similarity(f64::from(hit.cosine.unwrap_or(0.0))));
    }
    let ids: Vec<MemoryId> = best.keys().copied().collect();
    let remembered = parts.store.recall(scope, &ids).await?;
    let mut close: Vec<(Remembered, f64)> =
        remembered.into_iter().filter_map(|one| best.get(&one.entry.id).map(|similarity| (one, *similarity))).collect();
    close.sort_by(|one, other| other.1.total_cmp(&one.1));
    Ok(close)
}

fn report(explanation: Explanation, rules: &CuratedRules, close: Vec<(Remembered, f64)>) -> Report {
    let entries = close.into_iter().map(|(remembered, similarity)| {
        let id = remembered.entry.id.to_string();
        let weighed = explanation.curated.iter().find(|entry| entry.entry == id);
        Close {
            became: became(&remembered, similarity, weighed, rules),
            kind: remembered.entry.kind.as_str(),
            similarity: (similarity * 10_000.0).round() / 10_000.0,
            trigger: weighed
                .map(|entry| entry.phrase.clone())
                .or_else(|| remembered.entry.triggers.first().cloned())
                .unwrap_or_default(),
            references: remembered.resolved,
            entry: remembered.entry.id,
        }
    });
    Report {
        entries: entries.collect(),
        route: explanation.route,
        suffices: explanation.curated_suffices,
        question: explanation.question,
    }
}

fn became(remembered: &Remembered, similarity: f64, weighed: Option<&ExplainedEntry>, rules: &CuratedRules) -> String {
    let is_pin = remembered.entry.kind == MemoryKind::Pin;
    let least = if is_pin { rules.pin_reranked } else { rules.note };
    match weighed {
        Some(entry) if entry.accepted => "taken".to_owned(),
        Some(_) if is_pin && remembered.resolved == 0 => "not taken: its sources cannot be seen here".to_owned(),
        Some(ExplainedEntry { judged: Some(judged), .. }) => {
            format!("not taken: the reranker gave {judged:.2}, below {}", rules.reranked)
        }
        Some(_) if is_pin && similarity >= rules.pin_reranked => {
            format!("not taken: from {} to {} a reranker must judge, and none did", rules.pin_reranked, rules.pin)
        }
        _ => format!("not taken: below {least}"),
    }
}

fn show(report: &Report) {
    if !report.route.starts_with("search") {
        console::note(&format!(
            "this question is answered by rule ({}): curated memory is not looked at",
            report.route
        ));
    }
    if report.entries.is_empty() {
        console::say("No entry is visible here; `ibidem memory list` shows them, --tags says whose to read.");
        return;
    }
    let mut table = console::table(&["similarity", "kind", "references", "became", "trigger", "entry"]);
    for close in &report.entries {
        table.add_row([
            format!("{:.4}", close.similarity),
            close.kind.to_owned(),
            close.references.to_string(),
            close.became.clone(),
            close.trigger.clone(),
            close.entry.to_string(),
        ]);
    }
    console::say(&table.to_string());
    if report.suffices {
        console::say("Curated memory suffices: the documents are not searched.");
    }
}
