//! What holds of the gates together. What holds of one is tested in its own file.

use std::collections::BTreeSet;

use super::*;
use crate::policy::SiftRules;

fn gates(yaml: &str) -> Vec<Gate> {
    serde_saphyr::from_str::<SiftRules>(&format!("gates: {yaml}")).unwrap().gates
}

/// What one gate says of itself.
pub(super) fn words_of(gate: &str) -> Vec<String> {
    gates(&format!("[{gate}]")).iter().flat_map(Gate::words).collect()
}

pub(super) fn contradictions_of(yaml: &str) -> Vec<String> {
    contradictions(&gates(yaml))
}

pub(super) fn warnings_of(yaml: &str) -> Vec<String> {
    warnings(&gates(yaml))
}

/// Every gate once.
const EVERY_GATE: &str = "[{noise_floor: {reranked: 0.2, otherwise: 0.3}}, {min_similarity: 0.1}, {duplicates: 0.9}, \
    {per_document: 3}, {collections: {default: {distance_threshold: 0.5, min_query_coverage: 0.2}}}, \
    {keep_best: max_context_chunks}, {top1_similarity: 0.3}, {answerability: 0.5}, {no_context: {least_hits: 1, least_mean: 0.4}}, \
    {retrieval_confidence: 0.5}, {coverage: {sufficient: 0.5, least_of_kind: 1, confident: 0.6, bail_out: 0.4}}, \
    {missing_keywords: 0.5}]";

#[test]
fn a_gate_is_called_in_a_policy_file_what_it_calls_itself() {
    let unknown = serde_saphyr::from_str::<SiftRules>("gates: [{no_such_gate: 1}]").unwrap_err().to_string();
    let names: Vec<&str> = Gate::all().map(|(name, _)| name).collect();
    for name in &names {
        assert!(unknown.contains(name), "{name} is not in {unknown}");
    }
    let gates = gates(EVERY_GATE);
    assert_eq!(gates.iter().map(Gate::name).collect::<Vec<_>>(), names);
    for (gate, name) in gates.iter().zip(&names) {
        assert!(EVERY_GATE.contains(&format!("{{{name}: ")), "{gate:?}");
    }
}

#[test]
fn every_gate_has_words_of_its_own_also_where_it_is_absent() {
    let words: Vec<Vec<String>> = gates(EVERY_GATE).iter().map(Gate::words).collect();
    assert!(words.iter().all(|lines| !lines.is_empty() && lines.iter().all(|line| line.ends_with('.'))), "{words:?}");
    let absent: BTreeSet<&str> = Gate::all().map(|(_, Absent::Off(effect) | Absent::Still(effect))| effect).collect();
    assert_eq!(absent.len(), words.len(), "{absent:?}");
}

#[test]
fn gates_in_a_sensible_order_contradict_nothing() {
    assert_eq!(contradictions_of(EVERY_GATE), Vec::<String>::new());
    assert_eq!(warnings_of(EVERY_GATE), Vec::<String>::new());
}

#[test]
fn a_gate_that_stands_there_twice_is_a_contradiction() {
    let doubled = ["sift: a gate stands there twice: which of its numbers counts?"];
    assert_eq!(contradictions_of("[{duplicates: 0.9}, {keep_best: max_context_chunks}, {duplicates: 0.8}]"), doubled);
}

#[test]
fn a_gate_that_may_drop_everything_is_not_to_stand_behind_one_that_looks() {
    let late = "[{top1_similarity: 0.33}, {duplicates: 0.9}, {per_document: 3}, {min_similarity: 0.4}]";
    assert_eq!(
        warnings_of(late),
        [
            "sift.gates: min_similarity drops after top1_similarity has looked: what is left may be nothing, and no gate \
          sees it"
        ]
    );
}

#[test]
fn of_the_gates_before_it_the_strictest_is_named() {
    let found =
        warnings_of("[{min_similarity: 0.2}, {top1_similarity: 0.4}, {no_context: {least_hits: 1, least_mean: 0.3}}]");
    let [never] = &found[..] else { panic!("{found:?}") };
    assert!(never.contains("is not above sift.top1_similarity (0.4)"), "{never}");
}
