//! Who writes the answer, and what is said when there is none.

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
                 a sentence without a source is dropped, and if none is left the answer is `unsupported_claims`."
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

    teller.heading("What a refusal says");
    let refusal = teller.always("wording.refusal");
    teller.line(&refusal);
    teller.as_written("wording.refusal_by_reason");
    teller.tell("wording.next_steps", |steps| format!("And what the asker can do next: {steps}"));
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
