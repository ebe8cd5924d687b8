//! `ibidem explain`: what a question goes through, every candidate with every score it earned and what dropped it.

use anyhow::Context as _;
use comfy_table::{Cell, CellAlignment};
use ibidem_engine::explain::{ExplainedCandidate, Explanation};
use ibidem_engine::texts::Texts;
use ibidem_store::{ActionRecord, AuditedAction};
use ibidem_words::{CollectionName, Promise, Question, QuestionDraft};

use crate::compose::Parts;
use crate::console;
use crate::operator::ReaderAccess;
use crate::settings::Settings;

#[derive(clap::Args)]
pub(crate) struct Explain {
    /// The question.
    query: String,
    #[command(flatten)]
    access: ReaderAccess,
    /// Searches only these collections, separated by commas. Without it, all are searched.
    #[arg(long, value_delimiter = ',')]
    collections: Vec<CollectionName>,
    /// Uses this policy file in place of the one in force: the name of a built-in one, or a path.
    #[arg(long)]
    policy: Option<String>,
    /// The most passages that an answer could be written from.
    #[arg(long, default_value_t = 5, value_parser = clap::value_parser!(u16).range(1..=20))]
    passages: u16,
    /// How many of the dropped passages are shown; --json shows all.
    #[arg(long, default_value_t = 15)]
    dropped: usize,
    /// Prints everything as JSON.
    #[arg(long)]
    json: bool,
}

impl Explain {
    pub(crate) fn act(&self) -> ActionRecord {
        ActionRecord { query: Some(self.query.clone()), ..self.access.operator.act(AuditedAction::ExplainQuestion) }
    }

    pub(crate) async fn run(self, settings: &Settings) -> anyhow::Result<()> {
        let question = Question::checked(QuestionDraft {
            query: self.query,
            collections: self.collections,
            max_context_chunks: self.passages.into(),
            ..QuestionDraft::default()
        })
        .context("the question cannot be asked")?;
        let parts = Parts::ready(settings).await?;
        let tenant = self.access.operator.tenant_id();
        let policy = parts.policy_for(settings, self.policy.as_deref(), tenant, &question.collections).await?;
        let asked = self.access.asked(question, policy);
        let explanation = parts.engine(settings).await?.explain(asked).await?;
        console::say_json_or(self.json, &explanation, || show(&explanation, self.dropped))
    }
}

fn show(explanation: &Explanation, most_dropped: usize) {
    console::say(&format!("route: {}   policy: {}", explanation.route, explanation.policy));
    for variant in &explanation.variants {
        console::say(&format!("searched as {}: {}", variant.kind, variant.text));
    }
    for entry in &explanation.curated {
        let judged = entry.judged.map_or_else(String::new, |judged| format!(", judged {judged:.2}"));
        let became = if entry.accepted { "taken" } else { "not taken" };
        console::say(&format!(
            "curated {} {}: {} at {:.4}{judged}, {} references — “{}”",
            entry.kind, entry.entry, became, entry.similarity, entry.references, entry.phrase
        ));
    }
    if explanation.curated_suffices {
        console::say("curated memory is enough: other passages were not used");
    }
    if !explanation.candidates.is_empty() {
        console::say(&candidates(&explanation.candidates, most_dropped));
    }
    if let Some(read_by) = &explanation.read_by {
        console::say(&format!("read by: {read_by}"));
    }
    for record in &explanation.trace {
        let found = match record.verdict.has_looked() {
            true => format!(" (observed {}, threshold {})", record.observed, record.threshold),
            false => String::new(),
        };
        console::say(&format!("gate {}: {}{found}", record.gate, record.verdict.in_words()));
    }
    let decision = &explanation.decision;
    match (&decision.action, &decision.explanation) {
        (Some(action), Some(why)) => console::say(&format!("decision: {action:?} — {why}").to_lowercase()),
        (Some(action), None) => console::say(&format!("decision: {action:?}, by rule").to_lowercase()),
        (None, _) => console::say("decision: an answer is written"),
    }
    for suggestion in &decision.suggestions {
        console::say(&format!("next: {suggestion}"));
    }
    let stages = explanation.stages.iter().map(|stage| format!("{} {:.1} ms", stage.stage, stage.milliseconds));
    if !explanation.stages.is_empty() {
        let stages = stages.collect::<Vec<_>>().join(", ");
        console::say(&format!("took: {stages}; {} call(s) to the index", explanation.index_calls));
    }
    for reason in &explanation.fallback_reasons {
        console::note(Texts::english().of_flag(*reason));
    }
    for warning in &explanation.warnings {
        console::note(&format!("warning: {warning}"));
    }
    for failure in &explanation.failures {
        console::note(&format!("a part failed: {failure}"));
    }
}

fn candidates(all: &[ExplainedCandidate], most_dropped: usize) -> String {
    let header = ["note", "similarity", "cosine", "BM25", "rerank", "curated", "forced by", "source", "dropped by"];
    let mut table = console::table(&header);
    let kept = all.iter().filter(|candidate| candidate.note.is_some());
    let dropped = all.iter().filter(|candidate| candidate.note.is_none());
    let number = |number: Option<f32>| number.map_or_else(String::new, |number| format!("{number:.4}"));
    for candidate in kept.chain(dropped.clone().take(most_dropped)) {
        let right = |text: String| Cell::new(text).set_alignment(CellAlignment::Right);
        table.add_row(vec![
            right(candidate.note.map_or_else(String::new, |note| format!("[{note}]"))),
            right(format!("{:.4}", candidate.similarity)),
            right(number(candidate.cosine)),
            right(candidate.bm25.map_or_else(String::new, |bm25| format!("{bm25:.2}"))),
            right(read(candidate)),
            right(candidate.curated.map_or_else(String::new, |curated| format!("{curated:.2}"))),
            Cell::new(forced_by(candidate)),
            Cell::new(source(candidate)),
            Cell::new(candidate.dropped_by.unwrap_or_default()),
        ]);
    }
    let hidden = dropped.count().saturating_sub(most_dropped);
    let more = if hidden > 0 {
        format!("\n… and {hidden} more that were dropped (--dropped, --json)")
    } else {
        String::new()
    };
    format!("{table}{more}")
}

/// The probability that decides, and behind it the first reader's where a second one decided.
fn read(candidate: &ExplainedCandidate) -> String {
    match (candidate.rerank, candidate.read_first) {
        (Some(decides), Some(first)) => format!("{decides:.4} (first {first:.4})"),
        (Some(decides), None) => format!("{decides:.4}"),
        (None, _) => String::new(),
    }
}

fn forced_by(candidate: &ExplainedCandidate) -> &'static str {
    match candidate {
        ExplainedCandidate { addressed: true, .. } => "address",
        ExplainedCandidate { curated: Some(_), .. } => "curated",
        ExplainedCandidate { promised: Some(Promise::Kind), .. } => "kind",
        ExplainedCandidate { forced: true, .. } => "words",
        _ => "",
    }
}

fn source(candidate: &ExplainedCandidate) -> String {
    const LONGEST: usize = 60;
    let section = candidate.section.as_deref().map_or_else(String::new, |section| format!(" — {section}"));
    let name = format!("{}{section}", candidate.title);
    match name.char_indices().nth(LONGEST) {
        Some((end, _)) => format!("{}…", &name[..end]),
        None => name,
    }
}
