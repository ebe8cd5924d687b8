//! Who writes the answer, and what is said when there is none.

use ibidem_engine::policy::{Below, Judge, OutOfCorpus, VerificationMode};

use super::Teller;

pub(super) fn tell(teller: &mut Teller<'_>) {
    teller.heading("What is said");
    let sentences = teller.always("speak.extractive_sentences");
    match teller.value("speak.mode").as_deref() {
        Some("“extractive”") => {
            teller.line(&format!("The sources' own sentences, at most {sentences}, each cited. No model writes."));
        }
        mode => {
            let temperature = teller.always("speak.temperature");
            let tokens = teller.always("speak.max_answer_tokens");
            if mode == Some("“choose”") {
                teller.line(&format!(
                    "A model chooses at most {sentences} of the notes' sentences, and they are quoted word for word."
                ));
            } else {
                teller.line(&format!(
                    "A model writes from numbered notes (the passages), at temperature {temperature}, in at most {tokens} \
                     tokens."
                ));
            }
            if teller.value("speak.notes_by").as_deref() == Some("“schema”") {
                teller.line("It replies in JSON, in which each sentence names its notes.");
            }
            match teller.value("speak.quote_instead") {
                Some(notice) => teller.line(&format!(
                    "If no sentence passes the checks, or they do not answer the question, sentences are quoted from the \
                     sources instead, if a reader finds that they answer: {notice}"
                )),
                None => {
                    teller.line("If no sentence passes the checks, the question is refused, `unsupported_claims`.");
                }
            }
            let notice = teller.always("wording.extractive_notice");
            teller.line(&format!(
                "If no model answers, at most {sentences} sentences are quoted from the sources instead: {notice}"
            ));
        }
    }
    prompt(teller, "speak.system_prompt", "The model's prompt:");
    prompt(teller, "speak.background_prompt", "The text above curators' notes in the prompt:");
    examples(teller);
    room(teller);
    checking(teller);
    confidence(teller);
    out_of_corpus(teller);

    teller.heading("What a refusal says");
    let refusal = teller.always("wording.refusal");
    teller.line(&refusal);
    teller.as_written("wording.refusal_by_reason");
    nearest(teller);
    teller.say("wording.next_steps", "Next steps for the asker: {}");

    if teller.has("in_other_languages") {
        teller.heading("What is said in other languages");
        teller.as_written("in_other_languages");
    }
}

/// What is shown beside a refusal.
fn nearest(teller: &mut Teller<'_>) {
    teller.say(
        "refusals",
        "Beside it at most {nearest} documents are named that came nearest, each with why it is no answer: {read}, {beside} \
         or {unread}",
    );
    teller.say(
        "refusals",
        "At most {suggestions} questions about them are offered, each only if it leads to an answer: {question}",
    );
}

/// How much of what fits into the model's window.
fn room(teller: &mut Teller<'_>) {
    let budget = teller.written.policy.rules.speak.budget;
    teller.explained_keys.extend(["system_prompt", "history", "context"].map(|part| format!("speak.budget.{part}")));
    teller.line(&format!(
        "Tokens of the prompt: {} for the system prompt, at most {} for the conversation, and at most {} for the notes.",
        budget.system_prompt, budget.history, budget.context
    ));
}

fn checking(teller: &mut Teller<'_>) {
    let rules = teller.written.policy.rules.speak.verification;
    teller.explained_keys.extend(["mode", "least_support"].map(|part| format!("speak.verification.{part}")));
    let least = rules.least_support;
    let checked = "Each sentence is checked against the passages it cites, its figures first, before it is shown";
    teller.line(&match rules.mode {
        VerificationMode::Strict => format!("{checked} (strict). With a support below {least} it is dropped."),
        VerificationMode::Mark => format!("{checked} (mark). With a support below {least} it is marked."),
        VerificationMode::Off => {
            "Verification is off: a sentence must cite a passage, but whether the passage supports it is not checked."
                .to_owned()
        }
    });
    teller.tell("speak.least_answering", |least| {
        format!(
            "The reader reads the question together with the answer before anything is shown. With a probability below \
             {least} that it answers, the question is refused, `beside_the_question`."
        )
    });
    teller.say("wording.unverified", "The mark is {}");
    teller.say("speak.stale_after_days", "If a cited document was not updated for {} days, a warning names it.");
    teller.say("wording.cut_short", "The warning if the model did not write to the end: {}");
    teller.say("wording.stale", "The warning is {}");
    prompt(
        teller,
        "speak.outline.prompt",
        "First a planner lists which notes support an answer. If none does, the question is refused, `no_thesis`. Its prompt:",
    );
    if teller.value("speak.outline.notes_by").as_deref() == Some("“schema”") {
        teller.line("The planner replies in JSON whether the notes answer, and which of them.");
    }
}

fn confidence(teller: &mut Teller<'_>) {
    let Some(rules) = teller.written.policy.rules.speak.confidence.clone() else { return };
    let parts = [
        "cite_from",
        "below",
        "best_passages",
        "judge",
        "show_draft",
        "doubtful_share",
        "unread_share",
        "weights.retrieval",
        "weights.coverage",
        "weights.judge",
    ];
    teller.explained_keys.extend(parts.map(|part| format!("speak.confidence.{part}")));
    let judge = match rules.judge {
        Judge::Verifier => "the verifier",
        Judge::Model => "the model in the role `judge`",
        Judge::Itself => "the model itself",
    };
    let below = match (rules.below, rules.show_draft) {
        (Below::Refuse, _) => "the question is refused, `low_confidence`",
        (Below::Route, false) => "the answer is withheld, and the asker is told whom to ask",
        (Below::Route, true) => "the answer is shown as a draft, and the asker is told whom to ask",
    };
    teller.line(&format!(
        "Confidence, from 0 to 100: the similarity of the best passages ({}) counts {}, how far the answer covers the \
         question and the sources the answer counts {}, and the rating by {judge} counts {}. Quotations are not rated: \
         there the coverage counts for it. Where the question was taken apart or put in other words, or the answer tells of a \
         replacement, {} of the coverage is left. Where no reader read the answer, {} of it is given, and the rest by its \
         words. Below {} {below}.",
        rules.best_passages,
        rules.weights.retrieval,
        rules.weights.coverage,
        rules.weights.judge,
        rules.doubtful_share,
        rules.unread_share,
        rules.cite_from
    ));
    prompt(teller, "speak.confidence.judge_prompt", "The judge's prompt:");
    teller.say("wording.draft", "The text above a draft: {}");
}

fn out_of_corpus(teller: &mut Teller<'_>) {
    let OutOfCorpus::Disclaimed(_) = &teller.written.policy.rules.out_of_corpus else {
        teller.explained_keys.insert("out_of_corpus".to_owned());
        teller.line("A question that the documents do not answer is refused.");
        return;
    };
    teller.say(
        "out_of_corpus.disclaimed.disclaimer",
        "A question that the documents do not answer is answered by the model in the role `out_of_corpus`, from general \
         knowledge and without sources, below this text: {}",
    );
    prompt(teller, "out_of_corpus.disclaimed.system_prompt", "Its prompt:");
}

fn prompt(teller: &mut Teller<'_>, setting: &str, heading: &str) {
    let Some(prompt) = teller.written.text(setting).filter(|prompt| !prompt.trim().is_empty()) else {
        teller.explained_keys.insert(setting.to_owned());
        return;
    };
    teller.explained_keys.insert(setting.to_owned());
    teller.line(heading);
    for line in prompt.trim().lines() {
        teller.text.push_str(&format!("      {line}\n"));
    }
}

/// How it is done, in conversations of their own.
fn examples(teller: &mut Teller<'_>) {
    let questions: Vec<String> =
        (1..).map(|place| format!("speak.examples[{place}]")).take_while(|example| teller.has(example)).collect();
    for example in questions {
        let told = "An example in the prompt: the question {question} with the notes {notes} and the answer {answer}";
        teller.say(&example, told);
    }
}
