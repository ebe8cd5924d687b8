//! `ibidem term`: what the vocabulary says about a term, in the terminal.

use std::process::ExitCode;

use ibidem_ports::vocabulary::{Concept, Lookup, Vocabulary as _};
use serde::Serialize;

use crate::settings::Settings;
use crate::{compose, console};

/// Closest terms that are shown when there is none of that name.
const SUGGESTIONS: usize = 3;

#[derive(clap::Args)]
pub(crate) struct Term {
    /// The term, for example "busbar section".
    term: String,
    /// Prints JSON.
    #[arg(long)]
    json: bool,
}

#[derive(Serialize)]
struct Report {
    term: String,
    /// `found`, `ambiguous` or `unknown`.
    outcome: &'static str,
    concepts: Vec<ConceptBody>,
    see_also: Vec<ConceptBody>,
    /// Closest existing terms, when there is none of that name.
    suggestions: Vec<String>,
}

#[derive(Serialize)]
struct ConceptBody {
    uri: String,
    vocabulary: String,
    label: String,
    definition: Option<String>,
    language: Option<String>,
}

impl From<Concept> for ConceptBody {
    fn from(concept: Concept) -> Self {
        let (definition, language) =
            concept.definition.map_or((None, None), |definition| (Some(definition.text), definition.language));
        Self { uri: concept.uri, vocabulary: concept.vocabulary, label: concept.label, definition, language }
    }
}

impl Term {
    /// Fails when the term is unknown, so that scripts can tell.
    pub(crate) async fn run(self, settings: &Settings) -> anyhow::Result<ExitCode> {
        let Some(vocabulary) = compose::vocabulary(settings)? else {
            anyhow::bail!("no vocabulary is configured; set `terminology.skosmos` or `terminology.files`");
        };
        let (outcome, concepts, see_also) = match vocabulary.lookup(&self.term).await? {
            Lookup::Found { concept, see_also } => ("found", vec![concept], see_also),
            Lookup::Ambiguous(concepts) => ("ambiguous", concepts, Vec::new()),
            Lookup::Unknown => ("unknown", Vec::new(), Vec::new()),
        };
        let suggestions =
            if concepts.is_empty() { vocabulary.closest(&self.term, SUGGESTIONS).await? } else { Vec::new() };
        let bodies = |concepts: Vec<Concept>| concepts.into_iter().map(ConceptBody::from).collect();
        let found = !concepts.is_empty();
        let (concepts, see_also) = (bodies(concepts), bodies(see_also));
        let report = Report { term: self.term, outcome, concepts, see_also, suggestions };
        console::say_json_or(self.json, &report, || show(&report))?;
        Ok(if found { ExitCode::SUCCESS } else { ExitCode::FAILURE })
    }
}

fn show(report: &Report) {
    if report.concepts.is_empty() {
        console::say(&format!("“{}” is in no vocabulary.", report.term));
    }
    for suggestion in &report.suggestions {
        console::say(&format!("Did you mean “{suggestion}”?"));
    }
    if report.concepts.len() > 1 {
        console::say(&format!("“{}” has {} meanings:", report.term, report.concepts.len()));
    }
    for concept in &report.concepts {
        let definition = concept.definition.as_deref().unwrap_or("(no definition)");
        console::say(&format!("{} ({})\n{definition}\n<{}>", concept.label, concept.vocabulary, concept.uri));
    }
    for concept in &report.see_also {
        console::say(&format!("See also: {} ({}) <{}>", concept.label, concept.vocabulary, concept.uri));
    }
}
