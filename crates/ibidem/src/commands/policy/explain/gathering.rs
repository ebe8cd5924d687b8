//! Which way a question takes, and where candidates come from.

use super::Teller;

pub(super) fn tell(teller: &mut Teller<'_>) {
    teller.heading("Which way a question takes, by rule, the first that fits");
    addresses(teller);
    lists(teller);
    terms(teller);
    topics(teller);
    let ways = ["gather.addresses", "gather.lists", "gather.terminology", "gather.topics"];
    let other = if ways.iter().any(|way| teller.has(way)) { " other" } else { "" };
    teller.line(&format!("Every{other} question is answered from the documents."));

    teller.heading("Where candidates come from");
    rewrites(teller);
    let hits = teller.always("gather.hits_per_lane");
    teller.line(&format!("The {hits} best by meaning and the {hits} best by words are found."));
    teller.tell("gather.forced_lexical", |forced| {
        format!("The best {forced} by words are kept whatever their similarity: a word that was typed is never lost.")
    });
    teller.tell("gather.order", |order| format!("Where no reranker reads them, their order is that of {order}."));
    curated(teller);
    rerank(teller);
}

fn addresses(teller: &mut Teller<'_>) {
    if !teller.has("gather.addresses") {
        return;
    }
    teller.line("A question that names a document by its address is about that document. Addresses are written so:");
    teller.as_written("gather.addresses.series");
    let quoted = teller.always("gather.addresses.quoted_passages");
    let range = teller.always("gather.addresses.longest_range");
    teller.line(&format!(
        "An address alone is answered with the document's own words, at most {quoted} passages; \
         a range stands for at most {range} addresses."
    ));
    let refusal = teller.always("gather.addresses.wording.not_found");
    let suggestions = teller.always("gather.addresses.suggestions");
    let suggestion = teller.always("gather.addresses.wording.suggestion");
    teller.line(&format!(
        "An address that does not exist is refused: {refusal}, with at most {suggestions} that do: {suggestion}"
    ));
    let partly = teller.always("gather.addresses.wording.partly");
    let shortened = teller.always("gather.addresses.wording.shortened");
    teller.line(&format!("Where only some exist, it is said: {partly}. Where not all is quoted: {shortened}"));
}

fn lists(teller: &mut Teller<'_>) {
    if teller.has("gather.lists") {
        let classes = teller.value("gather.document_classes").unwrap_or_else(|| "no name at all".to_owned());
        let most = teller.always("gather.lists.most");
        teller.line(&format!(
            "A command to list documents that are called by {classes} is answered from the catalogue: at most {most}."
        ));
        let heading = teller.always("gather.lists.wording.heading");
        let shortened = teller.always("gather.lists.wording.shortened");
        let nothing = teller.always("gather.lists.wording.nothing");
        teller.line(&format!("Above a list stands {heading}, beside a part of it {shortened}, in its place {nothing}"));
    }
    teller.tell("gather.document_classes", |classes| format!("Questions about {classes} are never about a term."));
}

fn terms(teller: &mut Teller<'_>) {
    if !teller.has("gather.terminology") {
        return;
    }
    let longest = teller.value("gather.terminology.longest_term_words");
    let longest = longest.map_or_else(String::new, |words| format!(" of at most {words} words"));
    teller.line(&format!(
        "Where a vocabulary is configured, a question about a term{longest} is answered from it or not at all."
    ));
    let unknown = teller.always("gather.terminology.wording.not_found");
    let suggestions = teller.always("gather.terminology.suggestions");
    let suggestion = teller.always("gather.terminology.wording.suggestion");
    teller.line(&format!("An unknown term is refused: {unknown}, with at most {suggestions} close ones: {suggestion}"));
    let late = teller.always("gather.terminology.wording.timeout");
    let failed = teller.always("gather.terminology.wording.error");
    teller.line(&format!("A vocabulary that is late refuses: {late}; one that fails: {failed}"));
    teller.tell("gather.terminology.wording.ambiguous", |asked| {
        format!("A term with several meanings is asked back: {asked}")
    });
}

fn topics(teller: &mut Teller<'_>) {
    if !teller.has("gather.topics") {
        return;
    }
    let similarity = teller.always("gather.topics.least_similarity");
    let refusal = teller.always("gather.topics.wording.out_of_scope");
    teller.line(&format!(
        "A question whose closest example is less similar than {similarity} is about none of the topics, \
         and refused: {refusal}"
    ));
    let confidence = teller.always("gather.topics.least_confidence");
    let step = teller.always("gather.topics.step");
    let asked = teller.always("gather.topics.wording.clarify");
    teller.line(&format!(
        "Where the topic is less sure than {confidence} (a difference of {step} in similarity counts as one step), \
         it is asked back: {asked}"
    ));
    teller.as_written("gather.topics.topics");
}

fn rewrites(teller: &mut Teller<'_>) {
    if !teller.has("gather.rewrites") {
        return;
    }
    let most = teller.always("gather.rewrites.most");
    let tokens = teller.always("gather.rewrites.max_tokens");
    teller.line(&format!(
        "Where a planner is configured, it puts the question in at most {most} other forms, in {tokens} tokens."
    ));
    teller.tell("gather.rewrites.prompt", |prompt| format!("The planner is told: {prompt}"));
}

fn curated(teller: &mut Teller<'_>) {
    if !teller.has("gather.curated") {
        return;
    }
    let pin = teller.always("gather.curated.pin");
    let judged = teller.always("gather.curated.pin_judged");
    let judge = teller.always("gather.curated.judge");
    teller.line(&format!(
        "What a curator pinned to a question is taken from a similarity of {pin} on; \
         from {judged} on if a reranker gives it {judge} or more."
    ));
    let note = teller.always("gather.curated.note");
    let references = teller.always("gather.curated.references");
    teller
        .line(&format!("A curator's note helps from {note} on; what it refers to counts as similar as {references}."));
    let sufficient = teller.always("gather.curated.sufficient_note");
    let number = teller.always("gather.curated.sufficient_references");
    teller.line(&format!(
        "A pin, or a note from {sufficient} on with at least {number} references, makes other candidates needless."
    ));
}

fn rerank(teller: &mut Teller<'_>) {
    if !teller.has("gather.rerank") {
        teller.line("The most similar come first.");
        return;
    }
    let pool = teller.always("gather.rerank.pool");
    let keep = teller.always("gather.rerank.keep");
    teller.line(&format!(
        "Where a reranker is configured, it reads the best {pool} and what is kept in any case, and its order counts; \
         otherwise the most similar come first. The best {keep} go on."
    ));
    let boost = teller.always("gather.rerank.kind_boost");
    let minimum = teller.always("gather.rerank.kind_minimum");
    teller.line(&format!(
        "A kind of document that is asked for gains {boost} in the order, and has {minimum} places at least."
    ));
    teller.as_written("gather.rerank");
}
