//! What drops a candidate, what refuses a question, and what warns: the gates, in the policy's order.

use ibidem_engine::policy::{CollectionThresholds, Coverage, Gate, NoContext};

use super::Teller;

/// Every gate there is, by its name in a policy, and what it is called.
const GATES: [(&str, &str); 10] = [
    ("sift.noise_floor", "the noise floor"),
    ("sift.min_similarity", "the least similarity"),
    ("sift.duplicates", "duplicates"),
    ("sift.per_document", "the limit for one document"),
    ("sift.collections", "thresholds of collections"),
    ("sift.top1_similarity", "the similarity of the best"),
    ("sift.retrieval_confidence", "how well the search went"),
    ("sift.no_context", "no context"),
    ("sift.coverage", "coverage"),
    ("sift.missing_keywords", "missing words"),
];

pub(super) fn tell(teller: &mut Teller<'_>) {
    teller.heading("What drops a candidate, refuses or warns, in this order and before any model runs");
    for gate in teller.written.policy.rules.sift.gates.clone() {
        for line in told(&gate) {
            teller.line(&line);
        }
    }
    if !teller.written.has("sift.keep_best") {
        teller.line("What is beyond the asker's `max_context_chunks` is dropped.");
    }
    teller.line("Nothing was found, or nothing is left: `no_results`, or `low_similarity` if all of it was too far.");
    let off: Vec<&str> = GATES.iter().filter(|(gate, _)| !teller.written.has(gate)).map(|gate| gate.1).collect();
    if !off.is_empty() {
        teller.line(&format!("Off here: {}.", off.join(", ")));
    }
    let known = |setting: &str| {
        setting == "sift.keep_best" || GATES.iter().any(|(gate, _)| super::super::written::is_in(setting, gate))
    };
    let of_gates: Vec<String> = teller.written.settings.keys().filter(|setting| known(setting)).cloned().collect();
    teller.told.extend(of_gates);
    let others = teller.written.settings.keys().filter(|setting| setting.starts_with("sift."));
    if others.into_iter().any(|setting| !teller.told.contains(setting)) {
        teller.heading("Further gates");
        teller.as_written("sift");
    }
}

fn told(gate: &Gate) -> Vec<String> {
    match gate {
        Gate::NoiseFloor(floor) => vec![format!(
            "Below a similarity of {}, or {} where a reranker has read it, it is noise, unless it is kept in any case.",
            floor.otherwise, floor.reranked
        )],
        Gate::MinSimilarity(least) => vec![format!("It is dropped below a similarity of {least}.")],
        Gate::Duplicates(most) => {
            vec![format!("Of two whose texts are more alike than {most}, the worse is dropped.")]
        }
        Gate::PerDocument(most) => vec![format!("Of one document at most the best {most} are kept.")],
        Gate::Collections(thresholds) => collections(thresholds),
        Gate::KeepBest(_) => vec!["The best are kept, as many as the asker's `max_context_chunks`.".to_owned()],
        Gate::Top1Similarity(least) => {
            vec![format!("The best that is left has a similarity below {least}: refused, `low_similarity`.")]
        }
        Gate::RetrievalConfidence(least) => vec![format!(
            "The best similarity, times 0.8 where the search was simpler than it should be, is below {least}: refused, \
             `low_confidence`."
        )],
        Gate::NoContext(rule) => no_context(rule),
        Gate::Coverage(rule) => coverage(rule),
        Gate::MissingKeywords(share) => {
            vec![format!(
                "A share of {share} or more of the question's words is in no passage: the words are named in a warning."
            )]
        }
    }
}

fn collections(thresholds: &CollectionThresholds) -> Vec<String> {
    let line = |name: &str, distance: f64, coverage: f64| {
        format!(
            "Of {name}: dropped beyond a distance of {distance}, or with less than {coverage} of the question's words."
        )
    };
    let own = thresholds.collections.iter();
    let own = own.map(|(name, own)| line(name, own.distance_threshold, own.min_query_coverage));
    let default = &thresholds.default;
    own.chain([line("any other collection", default.distance_threshold, default.min_query_coverage)]).collect()
}

fn no_context(rule: &NoContext) -> Vec<String> {
    let ends = if rule.ask_for.is_empty() {
        "refused, `low_similarity`".to_owned()
    } else {
        format!("asked back, “{}” {}", rule.clarify.trim(), rule.ask_for.join("; "))
    };
    let (hits, mean) = (rule.least_hits, rule.least_mean);
    vec![format!("Fewer than {hits} are left, or their mean similarity is below {mean}: {ends}.")]
}

fn coverage(rule: &Coverage) -> Vec<String> {
    let kind = rule.primary_kind.as_ref().map_or_else(|| "passages".to_owned(), |kind| format!("of the kind {kind}"));
    vec![
        format!(
            "It is enough where the best reaches {} and {} are {kind}, or where the best reaches {} alone.",
            rule.sufficient, rule.least_of_kind, rule.confident
        ),
        format!(
            "Otherwise the search is made once more, wider, unless the best is below {}; then it is refused, \
             `low_coverage`.",
            rule.bail_out
        ),
    ]
}
