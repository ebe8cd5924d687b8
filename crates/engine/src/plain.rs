//! A refusal as plain text, for doors that show nothing else: what is said, what came nearest, why, whom to ask, and what
//! can be asked instead.

use ibidem_words::{Answer, NearestMiss};

use crate::texts::Texts;

/// What a door adds of its own to a refusal.
pub struct Offers<'a> {
    /// Where a passage is read: its address, its id or a command. Empty where there is nothing to add to its name.
    pub place: &'a dyn Fn(&NearestMiss) -> String,
    /// How the documents are searched from here. None where they cannot be.
    pub search: Option<String>,
}

/// The texts that an answer goes out with. Earlier versions did not say in which language they are.
pub fn texts_of(answer: &Answer) -> &'static Texts {
    answer.language.as_deref().and_then(Texts::of).unwrap_or_else(Texts::english)
}

/// The whole refusal. It holds no number: whoever wants them reads the fields of the answer.
pub fn refusal(answer: &Answer, offers: &Offers<'_>) -> String {
    let texts = texts_of(answer);
    let around = &texts.around;
    let mut text = answer.answer.trim().to_owned();
    if !answer.nearest.is_empty() {
        text.push_str(&format!(" {}", around.closest));
        for miss in &answer.nearest {
            text.push_str(&format!("\n- {}", named(miss, &(offers.place)(miss))));
        }
    }
    let why = answer.why.as_deref().filter(|why| !why.is_empty() && *why != answer.answer);
    text.extend(why.map(|why| format!("\n\n{why}")));
    text.push_str(&whom_to_ask(answer));
    let questions: Vec<&str> = answer.offers.iter().map(|offer| offer.query.as_str()).collect();
    let is_advice = |step: &&str| answer.offers.iter().all(|offer| offer.text != **step);
    let mut advice: Vec<&str> = answer.suggestions.iter().map(String::as_str).filter(is_advice).collect();
    advice.extend(offers.search.as_deref());
    for (heading, offered) in [(&around.ask_instead, questions), (&around.next, advice)] {
        if !offered.is_empty() {
            let lines: String = offered.iter().map(|offer| format!("\n- {offer}")).collect();
            text.push_str(&format!("\n\n{heading}{lines}"));
        }
    }
    text
}

/// A paragraph that says whom to ask; empty where nobody is named.
pub fn whom_to_ask(answer: &Answer) -> String {
    let texts = texts_of(answer);
    let whom = answer.route_to.as_ref().map(|to| texts.around.whom.replace("{whom}", &texts.whom_to_ask(to)));
    whom.map_or_else(String::new, |whom| format!("\n\n{whom}"))
}

/// Address, title, section, and where it is read.
fn named(miss: &NearestMiss, place: &str) -> String {
    let address = miss.address.as_deref().filter(|address| !miss.title.contains(address));
    let parts = address.into_iter().chain([miss.title.as_str()]).chain(miss.section.as_deref());
    let name = parts.collect::<Vec<_>>().join(", ");
    if place.is_empty() { name } else { format!("{name}: {place}") }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn refused(more: &serde_json::Value) -> Answer {
        let mut answer = json!({
            "request_id": uuid::Uuid::nil(), "action": "refuse", "answer": "I found no passage that answers this.",
            "refused": true, "refusal_reason": "Probability that a passage answers (0.04) below threshold (0.75)",
            "why": "No passage was good enough.", "reason": "not_answered", "citations": [], "confidence": null,
            "retrieval_quality": {"confidence_score": 0.5, "confidence_level": "low", "fallback_active": false,
                "fallback_reasons": [], "degraded": false},
            "transparency": {"statement": null, "show_to_user": false}, "route_to": null, "suggestions": [],
            "warnings": [], "model_used": null, "context_chunks_used": 0, "context_tokens_used": 0,
            "generation_time_ms": 0, "grounded": false, "trace": [], "receipt": null,
        });
        answer.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        serde_json::from_value(answer).unwrap()
    }

    fn nearest(title: &str, address: Option<&str>) -> serde_json::Value {
        let source = format!("{}:3", uuid::Uuid::nil());
        json!({"source_id": source, "version": 1, "title": title, "section": "Oil", "address": address, "why": "x."})
    }

    #[test]
    fn a_refusal_reads_as_a_search_result_and_has_no_number() {
        let answer = refused(&json!({
            "nearest": [nearest("Manual", Some("MAN-7")), nearest("MAN-8 Gears", Some("MAN-8"))],
            "suggestions": ["Did you mean MAN-7?", "Ask about something narrower."],
            "offers": [{"text": "Did you mean MAN-7?", "query": "What does MAN-7 say about oil?"}],
            "route_to": {"tag": "cars", "owner_user_id": null, "owner_email": "ann@example.org", "fallback": false,
                "reason": "ann@example.org looks after this subject."},
        }));
        let offers = Offers { place: &|_| "/here".to_owned(), search: Some("Search.".to_owned()) };
        assert_eq!(
            refusal(&answer, &offers),
            "I found no passage that answers this. The closest are below:\n- MAN-7, Manual, Oil: /here\n- MAN-8 Gears, \
             Oil: /here\n\nNo passage was good enough.\n\nWhom to ask: ann@example.org looks after this subject.\n\nYou \
             could ask instead:\n- What does MAN-7 say about oil?\n\nWhat you can do:\n- Ask about something narrower.\n- \
             Search."
        );
    }

    #[test]
    fn what_there_is_nothing_of_is_not_announced() {
        let offers = Offers { place: &|_| String::new(), search: None };
        assert_eq!(
            refusal(&refused(&json!({})), &offers),
            "I found no passage that answers this.\n\nNo passage was good enough."
        );
        let said_already = refused(&json!({ "why": "I found no passage that answers this." }));
        assert_eq!(refusal(&said_already, &offers), "I found no passage that answers this.");
        let german = refused(&json!({ "language": "de", "nearest": [nearest("Handbuch", None)] }));
        assert!(refusal(&german, &offers).contains("Am nächsten kommen:\n- Handbuch, Oil\n"));
    }
}
