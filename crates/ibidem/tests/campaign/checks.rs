//! What must be true of every reply, whatever is wrong with the parts.

use std::collections::BTreeSet;
use std::time::Instant;

use serde_json::Value;

use crate::faults::{Case, Dependency};
use crate::handbook::{HANDBOOK, Kind};
use crate::load::Seen;
use crate::world::{DEADLINE, LONGEST_PART};

/// Where the vocabulary's concepts are.
const CONCEPTS: &str = "http://example.org/";

/// What answers may rest on, and when something was wrong.
pub(crate) struct Standard<'a> {
    pub(crate) case: &'a Case,
    pub(crate) began: Instant,
    pub(crate) ended: Instant,
    /// `document:chunk` of every passage there is.
    pub(crate) sources: &'a BTreeSet<String>,
}

pub(crate) fn flags(body: &Value) -> Vec<&str> {
    let of_answer = body["retrieval_quality"]["fallback_reasons"].as_array();
    let of_search = body["fallback_reasons"].as_array();
    of_answer.or(of_search).into_iter().flatten().filter_map(Value::as_str).collect()
}

/// Something that is not as it must be.
#[derive(Clone, Debug)]
pub(crate) struct Problem {
    pub(crate) what: String,
    /// On a machine that has too much to do, a part that is well may be late all the same: that is tried again.
    pub(crate) may_be_the_machines: bool,
}

impl Problem {
    pub(crate) fn of(what: impl Into<String>) -> Self {
        Self { what: what.into(), may_be_the_machines: false }
    }
}

impl<'a> Standard<'a> {
    /// Nothing is wrong with any part that could be named.
    pub(crate) fn of_evidence(sources: &'a BTreeSet<String>) -> Self {
        const NO_CASE: &Case = &Vec::new();
        let now = Instant::now();
        Self { case: NO_CASE, began: now, ended: now, sources }
    }

    /// What is wrong with a reply; nothing, if all is as it should be.
    pub(crate) fn problem(&self, seen: &Seen) -> Option<Problem> {
        let surely = self.without_evidence(seen).or_else(|| self.unsuffered(seen)).map(|what| (what, false));
        let maybe = || self.undocumented(seen).or_else(|| self.wrong_flag(seen));
        let (what, may_be_the_machines) = surely.or_else(|| Some((maybe()?, seen.status != 0)))?;
        let what = format!("{what}: {:?} {} {} {}", seen.kind, seen.query, seen.status, seen.body);
        Some(Problem { what, may_be_the_machines })
    }

    fn has(&self, dependency: Dependency) -> bool {
        self.case.iter().any(|(part, _)| *part == dependency)
    }

    /// Only outcomes that the documentation names, and only those that this case explains.
    fn undocumented(&self, seen: &Seen) -> Option<String> {
        let database = self.has(Dependency::Database);
        let explained = match (seen.status, seen.body["type"].as_str()) {
            (200, _) => return self.unexplained_reason(seen),
            (503, Some("catalogue_unavailable")) | (504, Some("deadline")) => database,
            (503, Some("retrieval_unavailable")) => seen.kind == Kind::Search && self.has(Dependency::Index),
            _ => false,
        };
        (!explained).then(|| "a reply that nothing explains".to_owned())
    }

    fn unexplained_reason(&self, seen: &Seen) -> Option<String> {
        if seen.kind == Kind::Search {
            return (!seen.body["hits"].is_array()).then(|| "a search without hits".to_owned());
        }
        let action = seen.body["action"].as_str().unwrap_or("none");
        let reason = seen.body["reason"].as_str();
        let is_usual = match reason {
            None => matches!(action, "cite" | "clarify") && seen.kind != Kind::Unanswerable,
            Some("terminology_not_found") => seen.kind == Kind::UnknownTerm,
            Some(_) => seen.kind == Kind::Unanswerable && matches!(action, "refuse" | "route"),
        };
        let documents = seen.kind.is_about_documents();
        let is_explained = |dependency| match (dependency, reason) {
            (_, Some("deadline")) => true,
            // Without similarities confidence is less.
            (Dependency::Embedding, Some("low_confidence" | "low_similarity")) => documents,
            // What the reader could not read is refused.
            (Dependency::Index | Dependency::Database | Dependency::Reranker, Some("retrieval_unavailable"))
            | (Dependency::Model | Dependency::Reranker | Dependency::Entailment, Some("low_confidence"))
            | (Dependency::Reranker, Some("low_similarity"))
            | (Dependency::Entailment, Some("unsupported_claims")) => documents,
            (Dependency::Vocabulary, Some("terminology_timeout" | "terminology_error")) => seen.kind.is_about_a_term(),
            _ => false,
        };
        let is_right = is_usual || self.case.iter().any(|(dependency, _)| is_explained(*dependency));
        (!is_right).then(|| "a reason that nothing explains".to_owned())
    }

    /// An answer rests on passages or concepts that are there; a refusal says nothing of what they say.
    pub(crate) fn without_evidence(&self, seen: &Seen) -> Option<String> {
        if seen.status != 200 || seen.kind == Kind::Search {
            return None;
        }
        let text = seen.body["answer"].as_str().unwrap_or_default();
        let citations: Vec<&Value> = seen.body["citations"].as_array().into_iter().flatten().collect();
        let action = seen.body["action"].as_str().unwrap_or_default();
        if action != "cite" && action != "clarify" {
            let tells = HANDBOOK.iter().any(|page| text.contains(page.fact) || text.contains(page.retold));
            let streamed = !seen.sentences.is_empty();
            let wrong = tells || streamed || !citations.is_empty() || seen.body["grounded"] == true;
            return wrong.then(|| "a refusal that answers".to_owned());
        }
        if citations.is_empty() {
            return Some("an answer without evidence".to_owned());
        }
        let is_there = |citation: &&Value| {
            let source = citation["source_id"].as_str().unwrap_or_default();
            self.sources.contains(source) || source.starts_with(CONCEPTS)
        };
        if !citations.iter().all(is_there) {
            return Some("a citation of nothing".to_owned());
        }
        let minted: BTreeSet<u64> = citations.iter().filter_map(|citation| citation["marker"].as_u64()).collect();
        let shown = text.split('[').skip(1).filter_map(|rest| rest.split_once(']')?.0.parse::<u64>().ok());
        let unknown = shown.into_iter().find(|marker| !minted.contains(marker));
        unknown.map(|marker| format!("a marker of nothing, {marker}"))
    }

    /// A flag says what was gone without: nothing that this case does not explain. Who waited for one part for nearly
    /// all of the request's time had less for the others than is due to them.
    fn wrong_flag(&self, seen: &Seen) -> Option<String> {
        if seen.took + LONGEST_PART >= DEADLINE {
            return None;
        }
        let is_explained = |flag: &str| {
            self.case.iter().any(|(dependency, _)| match dependency {
                Dependency::Index => flag == "circuit_open",
                Dependency::Embedding => ["circuit_open", "bm25_only"].contains(&flag),
                Dependency::Model => ["circuit_open", "extractive", "model_interrupted"].contains(&flag),
                Dependency::Entailment => ["circuit_open", "no_entailment"].contains(&flag),
                Dependency::Reranker => ["circuit_open", "no_rerank", "fewer_read"].contains(&flag),
                Dependency::Vocabulary => ["circuit_open", "skosmos_timeout"].contains(&flag),
                Dependency::Database => ["circuit_open", "no_memory"].contains(&flag),
            })
        };
        let wrong = flags(&seen.body).into_iter().find(|flag| !is_explained(flag))?;
        Some(format!("a flag that nothing explains, {wrong}"))
    }

    /// Whoever asked while a part could say nothing must have gone without it, and say so.
    fn unsuffered(&self, seen: &Seen) -> Option<String> {
        let is_within = seen.began >= self.began && seen.began + seen.took <= self.ended;
        let total = self.case.iter().filter(|(part, fault)| is_within && fault.is_total_for(*part));
        let well = total.map(|(dependency, _)| *dependency).find(|dependency| !suffers(*dependency, seen))?;
        Some(format!("the {} was gone without, and that is not said", well.name()))
    }

    /// Whether a reply shows that something was wrong.
    pub(crate) fn is_touched(&self, seen: &Seen) -> bool {
        !seen.kind.is_well_answered(seen.status, &seen.body)
    }
}

/// Whether a reply is one that this part had no share in.
fn suffers(dependency: Dependency, seen: &Seen) -> bool {
    let has = |flag| flags(&seen.body).contains(&flag);
    let reason = seen.body["reason"].as_str().unwrap_or_default();
    if seen.status != 200 || ["retrieval_unavailable", "deadline"].contains(&reason) {
        return true;
    }
    let is_written = matches!(seen.kind, Kind::Handbook | Kind::Streamed);
    match dependency {
        Dependency::Database => false,
        Dependency::Index => !seen.kind.is_about_documents(),
        Dependency::Embedding => !seen.kind.is_about_documents() || has("bm25_only"),
        Dependency::Model => !is_written || has("extractive"),
        Dependency::Entailment => !is_written || has("no_entailment") || has("extractive"),
        Dependency::Reranker => !is_written || has("no_rerank") || has("fewer_read"),
        Dependency::Vocabulary => {
            let is_late = reason == "terminology_timeout" && has("skosmos_timeout");
            !seen.kind.is_about_a_term() || is_late || reason == "terminology_error"
        }
    }
}
