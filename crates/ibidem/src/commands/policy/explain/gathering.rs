//! Which way a question takes, and where candidates come from.

use super::Teller;

pub(super) fn tell(teller: &mut Teller<'_>) {
    teller.heading("Which rule answers a question; the first that applies");
    small_talk(teller);
    addresses(teller);
    lists(teller);
    terms(teller);
    topics(teller);
    let ways = ["gather.addresses", "gather.lists", "gather.terminology", "gather.topics"];
    let other = if ways.iter().any(|way| teller.has(way)) { " other" } else { "" };
    teller.line(&format!("Every{other} question is answered from the documents."));

    teller.heading("How passages are found");
    parts(teller);
    rewrites(teller);
    let hits = teller.always("gather.hits_per_lane");
    teller.line(&format!("The {hits} best by meaning and the {hits} best by keywords are retrieved."));
    teller.tell("gather.hits_for_each_asked", |times| match times {
        "0" => "An asker who wants more passages gets no more retrieved (0).".to_owned(),
        times => format!("Where the asker wants more passages, {times} are retrieved for each."),
    });
    teller.tell("gather.forced_lexical", |forced| match forced {
        "0" => "No passage is kept for its keywords alone (0): each needs the similarity that the gates ask for."
            .to_owned(),
        forced => format!("The best {forced} by keywords are kept, however low their similarity is."),
    });
    teller.tell("gather.order", |order| format!("Without a reranker, passages are ordered by {order}."));
    curated(teller);
    rerank(teller);
}

fn small_talk(teller: &mut Teller<'_>) {
    if !teller.has("gather.small_talk") {
        return;
    }
    let greeting = teller.always("gather.small_talk.greeting");
    let thanks = teller.always("gather.small_talk.thanks");
    let about = teller.always("gather.small_talk.about_assistant");
    teller.line(&format!(
        "A greeting is answered with {greeting} Thanks with {thanks} A question about the assistant with {about} Nothing is \
         searched for these."
    ));
}

fn addresses(teller: &mut Teller<'_>) {
    if !teller.has("gather.addresses") {
        return;
    }
    teller.line("A question that names a document by its address is about that document. The pattern of addresses:");
    teller.as_written("gather.addresses.series");
    let quoted = teller.always("gather.addresses.quoted_passages");
    let range = teller.always("gather.addresses.longest_range");
    teller.line(&format!(
        "A question that is only an address is answered by quoting the document, at most {quoted} passages; \
         a range may have at most {range} addresses."
    ));
    teller.tell("gather.addresses.quoted_of_several", |most| {
        format!("Several documents together are quoted with at most {most} passages, each with at least one.")
    });
    let refusal = teller.always("gather.addresses.wording.not_found");
    let suggestions = teller.always("gather.addresses.suggestions");
    let suggestion = teller.always("gather.addresses.wording.suggestion");
    teller.line(&format!(
        "If no document has the address, the question is refused: {refusal} At most {suggestions} similar \
         addresses are suggested: {suggestion}"
    ));
    let partly = teller.always("gather.addresses.wording.partly");
    let shortened = teller.always("gather.addresses.wording.shortened");
    teller.line(&format!("If only some of the addresses exist: {partly} If not everything is quoted: {shortened}"));
}

fn lists(teller: &mut Teller<'_>) {
    if teller.has("gather.lists") {
        let classes = teller.value("gather.document_classes").unwrap_or_else(|| "of no kind".to_owned());
        let most = teller.always("gather.lists.most");
        teller.line(&format!(
            "A command to list documents ({classes}) is answered from the database, with at most {most} documents."
        ));
        let heading = teller.always("gather.lists.wording.heading");
        let shortened = teller.always("gather.lists.wording.shortened");
        let nothing = teller.always("gather.lists.wording.nothing");
        teller.line(&format!(
            "The heading of a list: {heading} If it is shortened: {shortened} If it is empty: {nothing}"
        ));
    }
    teller.tell("gather.document_classes", |classes| {
        format!("A question that names {classes} is not a question about a term.")
    });
}

fn terms(teller: &mut Teller<'_>) {
    if !teller.has("gather.terminology") {
        return;
    }
    let longest = teller.value("gather.terminology.longest_term_words");
    let longest = longest.map_or_else(String::new, |words| format!(" of at most {words} words"));
    let is_only = teller.value("gather.terminology.vocabulary_only").is_some_and(|only| only == "true");
    teller.line(&if is_only {
        format!("If a vocabulary is configured, a question about a term{longest} is answered from it or refused (true).")
    } else {
        format!(
            "If a vocabulary is configured, a question about a term{longest} is answered from it. A term that it does not \
             define is asked of the documents, and refused if they do not answer."
        )
    });
    let unknown = teller.always("gather.terminology.wording.not_found");
    let suggestions = teller.always("gather.terminology.suggestions");
    let suggestion = teller.always("gather.terminology.wording.suggestion");
    teller.line(&format!(
        "An unknown term is refused: {unknown} At most {suggestions} similar terms are suggested: {suggestion}"
    ));
    let late = teller.always("gather.terminology.wording.timeout");
    let failed = teller.always("gather.terminology.wording.error");
    teller.line(&format!("If the vocabulary does not answer in time: {late} If it fails: {failed}"));
    teller.tell("gather.terminology.wording.ambiguous", |asked| {
        format!("If a term has several meanings, the asker is asked: {asked}")
    });
}

fn topics(teller: &mut Teller<'_>) {
    if !teller.has("gather.topics") {
        return;
    }
    let similarity = teller.always("gather.topics.least_similarity");
    if teller.value("gather.topics.otherwise").is_some_and(|otherwise| otherwise.contains("search")) {
        let confidence = teller.always("gather.topics.least_confidence");
        let step = teller.always("gather.topics.step");
        teller.line(&format!(
            "A question is about a topic that one of its patterns matches, or whose closest example is at least \
             {similarity} similar, with a confidence of {confidence} (a difference of {step} in similarity is one step). \
             Every other question is searched for in the documents."
        ));
        teller.as_written("gather.topics");
        tools(teller);
        return;
    }
    let refusal = teller.always("gather.topics.wording.out_of_scope");
    teller.line(&format!(
        "A question that is less similar than {similarity} to every example is about none of the topics and is \
         refused: {refusal}"
    ));
    let confidence = teller.always("gather.topics.least_confidence");
    let step = teller.always("gather.topics.step");
    let asked = teller.always("gather.topics.wording.clarify");
    teller.line(&format!(
        "If the confidence in the topic is below {confidence} (a difference of {step} in similarity is one step), \
         the asker is asked: {asked}"
    ));
    teller.as_written("gather.topics.topics");
    tools(teller);
}

fn tools(teller: &mut Teller<'_>) {
    if !teller.has("gather.tools") {
        return;
    }
    teller.line(
        "A topic with a tool is answered from the tool's result, where the tool's server is configured, the asker has one \
         of its tags, and the tool is described as it is pinned. A tool that writes is never called.",
    );
    teller.as_written("gather.tools");
}

fn parts(teller: &mut Teller<'_>) {
    if !teller.has("gather.parts") {
        return;
    }
    let most = teller.always("gather.parts.most");
    let pool = teller.always("gather.parts.pool");
    let not_answered = teller.always("gather.parts.not_answered");
    teller.line(&format!(
        "A question that asks for several things, at most {most}, is taken apart. Each part is searched and read by itself, \
         its best {pool} passages in any case. If only some parts are answered: {not_answered}"
    ));
}

fn rewrites(teller: &mut Teller<'_>) {
    if !teller.has("gather.rewrites") {
        return;
    }
    let most = teller.always("gather.rewrites.most");
    let tokens = teller.always("gather.rewrites.max_tokens");
    teller.line(&format!(
        "If a planner is configured, it rewrites the question in at most {most} ways, in {tokens} tokens."
    ));
    teller.tell("gather.rewrites.prompt", |prompt| format!("The planner's prompt: {prompt}"));
}

fn curated(teller: &mut Teller<'_>) {
    if !teller.has("gather.curated") {
        return;
    }
    let pin = teller.always("gather.curated.pin");
    let reranked_from = teller.always("gather.curated.pin_reranked");
    let reranked = teller.always("gather.curated.reranked");
    teller.line(&format!(
        "The sources that a curator pinned to a question are used from a similarity of {pin} on; from {reranked_from} on if a \
         reranker scores the pinned question with {reranked} or more."
    ));
    let note = teller.always("gather.curated.note");
    let references = teller.always("gather.curated.references");
    teller
        .line(&format!("A curator's note is used from a similarity of {note} on; the sources it refers to get a similarity of {references}."));
    let sufficient = teller.always("gather.curated.sufficient_note");
    let number = teller.always("gather.curated.sufficient_references");
    teller.line(&format!(
        "After a pin, or a note from {sufficient} on with at least {number} references, no other passages are used."
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
        "If a reranker is configured, it reads the best {pool} and the kept keyword hits, and orders them; otherwise the \
         most similar come first. The best {keep} are kept."
    ));
    teller.tell("gather.rerank.rows", |rows| {
        format!("Of a table, the {rows} rows that share most with the question are read by themselves too.")
    });
    if teller.has("gather.rerank.score_weight") {
        let weight = teller.always("gather.rerank.score_weight");
        teller.line(&format!(
            "The order is by {weight} times the log-odds of the reranker's score, less the logarithm of the rank in the \
             search. What the question names comes first."
        ));
    }
    let boost = teller.always("gather.rerank.kind_boost");
    let minimum = teller.always("gather.rerank.kind_minimum");
    teller.line(&format!(
        "A kind of document that the question names gets {boost} more in the order, and at least {minimum} places."
    ));
    teller.as_written("gather.rerank");
}
