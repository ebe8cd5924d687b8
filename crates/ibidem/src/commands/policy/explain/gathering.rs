//! Which way a question takes, and where candidates come from.

use super::Teller;

pub(super) fn tell(teller: &mut Teller<'_>) {
    teller.heading("Which rule answers a question; the first that applies");
    teller.say(
        "gather.small_talk",
        "A greeting is answered with {greeting} Thanks with {thanks} A question about the assistant with {about_assistant} \
         Nothing is searched for these.",
    );
    addresses(teller);
    lists(teller);
    figures(teller);
    terms(teller);
    topics(teller);
    let ways = ["gather.addresses", "gather.lists", "gather.figures", "gather.terminology", "gather.topics"];
    let other = if ways.iter().any(|way| teller.has(way)) { " other" } else { "" };
    teller.line(&format!("Every{other} question is answered from the documents."));

    teller.heading("How passages are found");
    teller.say(
        "gather.parts",
        "A question that asks for several things, at most {most}, is taken apart. Each part is searched and read by itself, \
         its best {pool} passages in any case. If only some parts are answered: {not_answered}",
    );
    teller.say(
        "gather.rewrites",
        "If a planner is configured, it rewrites the question in at most {most} ways, in {max_tokens} tokens.",
    );
    teller.say("gather.rewrites.prompt", "The planner's prompt: {}");
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
    teller.say("gather.order", "Without a reranker, passages are ordered by {}.");
    curated(teller);
    rerank(teller);
}

fn addresses(teller: &mut Teller<'_>) {
    const SECTION: &str = "gather.addresses";
    teller.say(
        SECTION,
        "A question that names a document by its address is about that document. The pattern of addresses:",
    );
    teller.as_written("gather.addresses.series");
    teller.say(
        SECTION,
        "A question that is only an address is answered by quoting the document, at most {quoted_passages} passages; \
         a range may have at most {longest_range} addresses.",
    );
    teller.say(
        "gather.addresses.quoted_of_several",
        "Several documents together are quoted with at most {} passages, each with at least one.",
    );
    teller.say(
        SECTION,
        "If no document has the address, the question is refused: {wording.not_found} At most {suggestions} similar \
         addresses are suggested: {wording.suggestion}",
    );
    teller.say(
        SECTION,
        "If only some of the addresses exist: {wording.partly} If not everything is quoted: {wording.shortened}",
    );
}

fn lists(teller: &mut Teller<'_>) {
    const SECTION: &str = "gather.lists";
    if teller.has(SECTION) {
        let classes = teller.value("gather.document_classes").unwrap_or_else(|| "of no kind".to_owned());
        let most = teller.always("gather.lists.most");
        teller.line(&format!(
            "A command to list documents ({classes}) is answered from the database, with at most {most} documents."
        ));
    }
    teller.say(
        SECTION,
        "The heading of a list: {wording.heading} If it is shortened: {wording.shortened} If it is empty: {wording.nothing}",
    );
    teller.say("gather.document_classes", "A question that names {} is not a question about a term.");
}

fn figures(teller: &mut Teller<'_>) {
    const SECTION: &str = "gather.figures";
    if teller.has(SECTION) {
        let most = teller.always("gather.figures.most_rows");
        teller.line(&format!(
            "A question for a figure that follows from one table of a sheet is computed from its cells. Rows that are asked \
             for are listed, at most {most}."
        ));
    }
    teller.as_written(SECTION);
}

fn terms(teller: &mut Teller<'_>) {
    const SECTION: &str = "gather.terminology";
    if teller.has(SECTION) {
        let longest = teller.value("gather.terminology.longest_term_words");
        let longest = longest.map_or_else(String::new, |words| format!(" of at most {words} words"));
        let is_only = teller.value("gather.terminology.vocabulary_only").is_some_and(|only| only == "true");
        let otherwise = match is_only {
            true => " or refused (true).",
            false => ". A term that it does not define is asked of the documents, and refused if they do not answer.",
        };
        teller.line(&format!(
            "If a vocabulary is configured, a question about a term{longest} is answered from it{otherwise}"
        ));
    }
    teller.say(
        SECTION,
        "An unknown term is refused: {wording.not_found} At most {suggestions} similar terms are suggested: \
         {wording.suggestion}",
    );
    teller.say(SECTION, "If the vocabulary does not answer in time: {wording.timeout} If it fails: {wording.error}");
    teller.say("gather.terminology.wording.ambiguous", "If a term has several meanings, the asker is asked: {}");
}

fn topics(teller: &mut Teller<'_>) {
    const SECTION: &str = "gather.topics";
    if teller.value("gather.topics.otherwise").is_some_and(|otherwise| otherwise.contains("search")) {
        teller.say(
            SECTION,
            "A question is about a topic that one of its patterns matches, or whose closest example is at least \
             {least_similarity} similar, with a confidence of {least_confidence} (a difference of {step} in similarity is \
             one step). Every other question is searched for in the documents.",
        );
        teller.as_written(SECTION);
    } else {
        teller.say(
            SECTION,
            "A question that is less similar than {least_similarity} to every example is about none of the topics and is \
             refused: {wording.out_of_scope}",
        );
        teller.say(
            SECTION,
            "If the confidence in the topic is below {least_confidence} (a difference of {step} in similarity is one step), \
             the asker is asked: {wording.clarify}",
        );
        teller.as_written("gather.topics.topics");
    }
    if teller.has(SECTION) {
        teller.say(
            "gather.tools",
            "A topic with a tool is answered from the tool's result, where the tool's server is configured, the asker has \
             one of its tags, and the tool is described as it is pinned. A tool that writes is never called.",
        );
        teller.as_written("gather.tools");
    }
}

fn curated(teller: &mut Teller<'_>) {
    const SECTION: &str = "gather.curated";
    teller.say(
        SECTION,
        "The sources that a curator pinned to a question are used from a similarity of {pin} on; from {pin_reranked} on if \
         a reranker scores the pinned question with {reranked} or more.",
    );
    teller.say(
        SECTION,
        "A curator's note is used from a similarity of {note} on; the sources it refers to get a similarity of {references}.",
    );
    teller.say(
        SECTION,
        "After a pin, or a note from {sufficient_note} on with at least {sufficient_references} references, no other \
         passages are used.",
    );
}

fn rerank(teller: &mut Teller<'_>) {
    const SECTION: &str = "gather.rerank";
    if !teller.has(SECTION) {
        teller.line("The most similar come first.");
    }
    teller.say(
        SECTION,
        "If a reranker is configured, it reads the best {pool} and the kept keyword hits, and orders them; otherwise the \
         most similar come first. The best {keep} are kept.",
    );
    teller.say(
        "gather.rerank.rows",
        "Of a table, the {} rows that share most with the question are read by themselves too.",
    );
    teller.say(
        "gather.rerank.score_weight",
        "The order is by {} times the log-odds of the reranker's score, less the logarithm of the rank in the search. What \
         the question names comes first.",
    );
    teller.say(
        SECTION,
        "A kind of document that the question names gets {kind_boost} more in the order, and at least {kind_minimum} places.",
    );
    teller.as_written(SECTION);
}
