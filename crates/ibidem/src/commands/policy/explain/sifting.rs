//! What drops a candidate, what refuses a question, and what warns.

use super::Teller;

/// Gates that a policy may leave off, and what they are called.
const GATES: [(&str, &str); 6] = [
    ("sift.noise_floor", "the noise floor"),
    ("sift.min_similarity", "the least similarity"),
    ("sift.duplicates", "duplicates"),
    ("sift.per_document", "the limit for one document"),
    ("sift.top1_similarity", "the similarity of the best"),
    ("sift.missing_keywords", "missing words"),
];

pub(super) fn tell(teller: &mut Teller<'_>) {
    teller.heading("What drops a candidate, in this order");
    noise(teller);
    teller.tell("sift.min_similarity", |least| format!("It is dropped below a similarity of {least}."));
    teller.tell("sift.duplicates", |most| {
        format!("Of two whose texts are more alike than {most}, the worse is dropped.")
    });
    teller.tell("sift.per_document", |most| format!("Of one document at most the best {most} are kept."));
    teller.line("What is beyond the asker's `max_context_chunks` is dropped.");

    teller.heading("What refuses, before any model runs");
    teller.line("Nothing was found, or nothing is left: `no_results`, or `low_similarity` if all of it was too far.");
    teller.tell("sift.top1_similarity", |least| {
        format!("The best that is left has a similarity below {least}: `low_similarity`.")
    });

    let off: Vec<&str> = GATES
        .iter()
        .filter(|(setting, _)| !teller.written.settings.contains_key(*setting))
        .map(|gate| gate.1)
        .collect();
    teller.heading("What warns");
    teller.tell("sift.missing_keywords", |share| {
        format!("A share of {share} or more of the question's words is in no passage: the words are named.")
    });
    if !off.is_empty() {
        teller.line(&format!("Off here: {}.", off.join(", ")));
    }
    let others = teller.written.settings.keys().filter(|setting| setting.starts_with("sift."));
    if others.into_iter().any(|setting| !teller.told.contains(setting)) {
        teller.heading("Further gates");
        teller.as_written("sift");
    }
}

fn noise(teller: &mut Teller<'_>) {
    let (bare, reranked) = (teller.value("sift.noise_floor"), teller.value("sift.noise_floor_reranked"));
    const EXEMPT: &str = "unless it is kept in any case";
    match (bare, reranked) {
        (Some(bare), Some(reranked)) => teller.line(&format!(
            "Below a similarity of {bare}, or {reranked} where a reranker has read it, it is noise, {EXEMPT}."
        )),
        (Some(bare), None) => teller.line(&format!("Below a similarity of {bare} it is noise, {EXEMPT}.")),
        (None, Some(reranked)) => teller
            .line(&format!("Below a similarity of {reranked} it is noise where a reranker has read it, {EXEMPT}.")),
        (None, None) => {}
    }
}
