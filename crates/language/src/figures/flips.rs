//! Whether a sentence says the opposite of its passages: denies what they affirm, demands what they allow, turns a
//! comparison round.

use std::collections::{HashMap, HashSet};

use super::cues::{Force, Share};
use super::numbers;
use super::statements::{Demand, Relation, Sign, StatedWord, Statement};
use super::windows::Windows;
use super::{Finding, FindingKind};

/// Words to each side that say what a word is said of.
const NEIGHBOURS: usize = 4;

/// Holds each clause against the sentences of the passages that come closest to it.
pub(super) fn check(claims: &[Statement], windows: &Windows<'_, '_>) -> Vec<Finding> {
    let mut findings: Vec<Finding> = Vec::new();
    let mut statements: HashMap<usize, Statement> = HashMap::new();
    for sentence in claims {
        let all: HashSet<&str> = sentence.words.iter().map(|word| word.root.as_str()).collect();
        let clauses: HashSet<usize> = sentence.words.iter().map(|word| word.clause).collect();
        let mut clauses: Vec<usize> = clauses.into_iter().collect();
        clauses.sort_unstable();
        let mut seen = HashSet::new();
        for clause in clauses {
            let of_clause = sentence.words.iter().filter(|word| word.clause == clause);
            let roots: HashSet<&str> = of_clause.map(|word| word.root.as_str()).collect();
            let places = windows.closest(&roots, &all);
            for window in &places {
                statements.entry(*window).or_insert_with(|| windows.statement(*window));
            }
            let closest: Vec<&Statement> = places.iter().filter_map(|window| statements.get(window)).collect();
            findings.extend(signs(sentence, clause, &closest));
            // The rest is of the sentence as a whole.
            if !closest.is_empty() && seen.insert(places) {
                findings.extend(demands(sentence, &closest));
                findings.extend(relations(sentence, &closest));
                findings.extend(portions(sentence, &closest));
            }
        }
    }
    let mut explained = HashSet::new();
    findings.retain(|finding| explained.insert(finding.explanation.clone()));
    findings
}

fn signs(sentence: &Statement, clause: usize, closest: &[&Statement]) -> Vec<Finding> {
    let mut findings = Vec::new();
    for (place, claimed) in sentence.words.iter().enumerate().filter(|(_, word)| word.clause == clause) {
        let mut opposite = None;
        let mut agrees = claimed.sign == Sign::Uncertain;
        for statement in closest {
            for (at, found) in statement.words.iter().enumerate().filter(|(_, found)| found.root == claimed.root) {
                match compare(claimed, found, sentence, statement) {
                    Agreement::Same | Agreement::Unclear => agrees = true,
                    Agreement::Opposite if shares_neighbour(sentence, place, statement, at) => {
                        opposite.get_or_insert(found);
                    }
                    Agreement::Opposite => {}
                }
            }
        }
        if let Some(found) = opposite.filter(|_| !agrees) {
            findings.push(turned(claimed, found));
        }
    }
    findings
}

#[derive(PartialEq, Eq)]
enum Agreement {
    Same,
    Opposite,
    Unclear,
}

fn compare(claimed: &StatedWord, found: &StatedWord, sentence: &Statement, statement: &Statement) -> Agreement {
    if claimed.sign == Sign::Uncertain || found.sign == Sign::Uncertain {
        return Agreement::Unclear;
    }
    let mut same = claimed.sign == found.sign;
    if let (Some(than), Some(other)) = (&claimed.than, &found.than)
        && than != other
    {
        // `A is faster than B` and `B is slower than A` are one.
        let swapped = statement.words.iter().any(|word| word.root == *than);
        if !swapped {
            return Agreement::Unclear;
        }
        same = !same;
    }
    if same {
        return Agreement::Same;
    }
    let denied = if claimed.sign == Sign::Denied { claimed } else { found };
    if !denied.head && claimed.than.is_none() {
        return Agreement::Unclear;
    }
    // `must not … unless` and `may … if` can be one: only a denied phrase or an opposite word is certain then.
    let certain = denied.by_phrase || claimed.negated == found.negated;
    if sentence.exceptions != statement.exceptions && !certain {
        return Agreement::Unclear;
    }
    Agreement::Opposite
}

fn shares_neighbour(sentence: &Statement, place: usize, statement: &Statement, at: usize) -> bool {
    let around = |statement: &Statement, place: usize| -> HashSet<String> {
        let own = &statement.words[place].root;
        let from = place.saturating_sub(NEIGHBOURS);
        let to = (place + NEIGHBOURS + 1).min(statement.words.len());
        statement.words[from..to].iter().filter(|word| word.root != *own).map(|word| word.root.clone()).collect()
    };
    !around(sentence, place).is_disjoint(&around(statement, at))
}

fn turned(claimed: &StatedWord, found: &StatedWord) -> Finding {
    let kind = if claimed.compares || found.compares { FindingKind::Comparison } else { FindingKind::Negation };
    let written = |word: &StatedWord| format!("{}{}", if word.negated { "not " } else { "" }, word.word.to_lowercase());
    let explanation = if claimed.sign == found.sign {
        format!("the sentence turns round what is {} than what", claimed.word)
    } else if claimed.negated && !found.negated && !found.head {
        format!("the sentence denies \"{}\", the passage does not", claimed.word)
    } else if found.negated && !claimed.negated && !claimed.head {
        format!("the passage denies \"{}\", the sentence does not", found.word)
    } else {
        format!("the passage says {}, the sentence {}", written(found), written(claimed))
    };
    Finding::new(kind, &claimed.word, explanation)
}

fn demands(sentence: &Statement, closest: &[&Statement]) -> Vec<Finding> {
    let mut findings = Vec::new();
    for demand in &sentence.demands {
        let of_same = |found: &&Demand| found.of.iter().any(|of| demand.of.contains(of));
        let found: Vec<&Demand> = closest.iter().flat_map(|statement| &statement.demands).filter(of_same).collect();
        if found.iter().any(|found| found.force == demand.force) {
            continue;
        }
        let conflict = found.iter().find_map(|found| Some((conflict(demand.force, found.force)?, *found)));
        if let Some((kind, found)) = conflict {
            let explanation = format!("the passage says {}, the sentence {}", found.word, demand.word);
            findings.push(Finding::new(kind, &demand.word, explanation));
        }
    }
    findings
}

/// What may not stand for the other, whichever way round.
fn conflict(claimed: Force, found: Force) -> Option<FindingKind> {
    use Force::{May, Must, MustNot, NeedNot, Should, ShouldNot};
    match (claimed, found) {
        (MustNot | ShouldNot, Must | May | Should | NeedNot) | (Must | May | Should | NeedNot, MustNot | ShouldNot) => {
            Some(FindingKind::Negation)
        }
        (Must, NeedNot) | (NeedNot, Must) => Some(FindingKind::Negation),
        (Must, May | Should) | (May | Should, Must) | (MustNot, ShouldNot) | (ShouldNot, MustNot) => {
            Some(FindingKind::Modality)
        }
        _ => None,
    }
}

fn relations(sentence: &Statement, closest: &[&Statement]) -> Vec<Finding> {
    let denies = |statement: &Statement| statement.words.iter().any(|word| word.sign == Sign::Denied);
    let mut findings = Vec::new();
    for relation in sentence.relations.iter().filter(|relation| !is_figure(&relation.of)) {
        let mut opposite: Option<&Relation> = None;
        let mut agrees = false;
        for statement in closest {
            for found in statement.relations.iter().filter(|found| found.pair == relation.pair) {
                let swapped = relation.before.contains(&found.of) && found.before.contains(&relation.of);
                if found.of == relation.of {
                    agrees |= found.forward == relation.forward;
                    // `not … unless` is `… if`.
                    let conditions = found.pair == "if" && denies(sentence) != denies(statement);
                    if found.forward != relation.forward && !conditions {
                        opposite.get_or_insert(found);
                    }
                } else if swapped && found.pair != "if" {
                    agrees |= found.forward != relation.forward;
                    if found.forward == relation.forward {
                        opposite.get_or_insert(found);
                    }
                }
            }
        }
        if let Some(found) = opposite.filter(|_| !agrees) {
            let explanation =
                format!("the passage says {} {}, the sentence {} {}", found.word, found.of, relation.word, relation.of);
            findings.push(Finding::new(FindingKind::Comparison, &relation.word, explanation));
        }
    }
    findings
}

/// Bounds of figures are compared where the figures are.
fn is_figure(root: &str) -> bool {
    root.starts_with(|c: char| c.is_ascii_digit()) || numbers::word(root).is_some()
}

fn portions(sentence: &Statement, closest: &[&Statement]) -> Vec<Finding> {
    let mut findings = Vec::new();
    for portion in &sentence.portions {
        let found = closest.iter().flat_map(|statement| &statement.portions).filter(|found| found.of == portion.of);
        let found: Vec<_> = found.collect();
        let differs = found.iter().find(|found| found.share != portion.share);
        if let Some(other) = differs.filter(|_| found.iter().all(|found| found.share != portion.share)) {
            let explanation = format!("the passage says {}, the sentence {}", other.word, portion.word);
            findings.push(Finding::new(FindingKind::Quantifier, &portion.word, explanation));
        }
    }
    if let Some(only) = &sentence.exclusive
        && !closest.iter().any(|statement| statement.restricts)
        && !sentence.portions.iter().any(|portion| portion.share == Share::All)
    {
        let explanation = format!("the sentence says {only}, the passage does not");
        findings.push(Finding::new(FindingKind::Quantifier, only, explanation));
    }
    findings
}
