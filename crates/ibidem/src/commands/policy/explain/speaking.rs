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
        _ => {
            let temperature = teller.always("speak.temperature");
            let tokens = teller.always("speak.max_answer_tokens");
            teller.line(&format!(
                "A model writes from numbered notes, at temperature {temperature}, in at most {tokens} tokens; \
                 if nothing is left that can be shown, the answer is `unsupported_claims`."
            ));
            let notice = teller.always("wording.extractive_notice");
            teller.line(&format!(
                "Where no model answers, at most {sentences} of the sources' own sentences stand in: {notice}"
            ));
        }
    }
    prompt(teller, "speak.system_prompt", "The model is told:");
    prompt(teller, "speak.background_prompt", "Above curators' notes it is told:");
    examples(teller);
    room(teller);
    checking(teller);
    confidence(teller);
    out_of_corpus(teller);

    teller.heading("What a refusal says");
    let refusal = teller.always("wording.refusal");
    teller.line(&refusal);
    teller.as_written("wording.refusal_by_reason");
    teller.tell("wording.next_steps", |steps| format!("And what the asker can do next: {steps}"));
}

/// How much of what fits into the model's window.
fn room(teller: &mut Teller<'_>) {
    let budget = teller.written.policy.rules.speak.budget;
    teller.told.extend(["system_prompt", "history", "context"].map(|part| format!("speak.budget.{part}")));
    teller.line(&format!(
        "In tokens: {} are kept for the system prompt, at most {} of the conversation go in, and at most {} of the notes.",
        budget.system_prompt, budget.history, budget.context
    ));
}

fn checking(teller: &mut Teller<'_>) {
    let rules = teller.written.policy.rules.speak.verification;
    teller.told.extend(["mode", "least_support"].map(|part| format!("speak.verification.{part}")));
    let least = rules.least_support;
    let checked = "Each sentence is held against the passages it cites, its figures first, before anybody sees it";
    teller.line(&match rules.mode {
        VerificationMode::Strict => format!("{checked} (strict): supported by less than {least}, it is dropped."),
        VerificationMode::Mark => format!("{checked} (mark): supported by less than {least}, it is marked."),
        VerificationMode::Off => {
            "Verification is off: a sentence must cite a passage, and nobody checks whether the passage says so."
                .to_owned()
        }
    });
    teller.tell("wording.unverified", |mark| format!("The mark is {mark}"));
    teller.tell("speak.stale_after_days", |days| {
        format!("A cited document that was not updated for {days} days is named in a warning.")
    });
    teller.tell("wording.stale", |stale| format!("The warning is {stale}"));
    prompt(
        teller,
        "speak.outline.prompt",
        "First a planner says which notes support an answer; none does: `no_thesis`. It is told:",
    );
}

fn confidence(teller: &mut Teller<'_>) {
    let Some(rules) = teller.written.policy.rules.speak.confidence.clone() else { return };
    let parts = ["cite_from", "below", "best_passages", "judge", "show_draft"];
    teller.told.extend(parts.map(|part| format!("speak.confidence.{part}")));
    let judge = match rules.judge {
        Judge::Verifier => "the verifier",
        Judge::Model => "the model that judges",
        Judge::Itself => "the model itself",
    };
    let below = match (rules.below, rules.show_draft) {
        (Below::Refuse, _) => "it is refused, `low_confidence`",
        (Below::Route, false) => "it is withheld, and somebody is named who may know",
        (Below::Route, true) => "it is shown as a draft, and somebody is named who may know",
    };
    teller.line(&format!(
        "Confidence is 30 of how well the search went (by the best {}), 40 of how much of the answer the sources have, \
         and 30 of what {judge} says; below {} {below}.",
        rules.best_passages, rules.cite_from
    ));
    prompt(teller, "speak.confidence.judge_prompt", "The judge is told:");
    teller.tell("wording.draft", |draft| format!("Above a draft stands {draft}"));
}

fn out_of_corpus(teller: &mut Teller<'_>) {
    let OutOfCorpus::Disclaimed(_) = &teller.written.policy.rules.out_of_corpus else {
        teller.told.insert("out_of_corpus".to_owned());
        teller.line("What the documents do not answer is refused.");
        return;
    };
    let disclaimer = teller.always("out_of_corpus.disclaimed.disclaimer");
    teller.line(&format!(
        "What the documents do not answer, a model with the role `out_of_corpus` answers from what it knows, without any \
         source and under {disclaimer}"
    ));
    prompt(teller, "out_of_corpus.disclaimed.system_prompt", "It is told:");
}

fn prompt(teller: &mut Teller<'_>, setting: &str, heading: &str) {
    let Some(prompt) = teller.written.text(setting).filter(|prompt| !prompt.trim().is_empty()) else {
        teller.told.insert(setting.to_owned());
        return;
    };
    teller.told.insert(setting.to_owned());
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
        let notes = teller.always(&format!("{example}.notes"));
        let question = teller.always(&format!("{example}.question"));
        let answer = teller.always(&format!("{example}.answer"));
        teller.line(&format!("It is shown: {question} from the notes {notes} is answered {answer}"));
    }
}
