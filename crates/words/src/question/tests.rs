//! What of a question is refused, and what of it is taken out.

use super::*;

fn message(content: &str) -> Message {
    Message { role: Speaker::User, content: content.to_owned(), timestamp: None }
}

fn draft() -> QuestionDraft {
    QuestionDraft { query: "How much oil?".to_owned(), ..QuestionDraft::default() }
}

fn refusal(draft: QuestionDraft) -> String {
    Question::checked(draft).unwrap_err().to_string()
}

#[test]
fn what_cannot_be_asked_is_refused_by_its_field() {
    let of_length = |characters: usize| "é".repeat(characters);
    let name = |name: &str| Some(name.to_owned());
    let cases = [
        (QuestionDraft { query: String::new(), ..draft() }, "query: is blank"),
        (QuestionDraft { query: "\u{200b}\u{202e} \0".to_owned(), ..draft() }, "query: is blank"),
        (QuestionDraft { query: of_length(4_001), ..draft() }, "query: has 4001 characters; the most is 4000"),
        (
            QuestionDraft { collections: vec!["ADR".parse().unwrap(); 101], ..draft() },
            "collections: has 101 entries; the most is 100",
        ),
        (QuestionDraft { history: vec![message("a"); 101], ..draft() }, "history: has 101 messages; the most is 100"),
        (QuestionDraft { history: vec![message("a"), message("\u{feff}")], ..draft() }, "history[1].content: is blank"),
        (
            QuestionDraft { history: vec![message(&of_length(16_001))], ..draft() },
            "history[0].content: has 16001 characters; the most is 16000",
        ),
        (
            QuestionDraft { history: vec![message(&of_length(10_001)); 10], ..draft() },
            "history: has 100010 characters; the most is 100000",
        ),
        (QuestionDraft { model: name("\u{2060}"), ..draft() }, "model: is blank"),
        (QuestionDraft { model: Some(of_length(201)), ..draft() }, "model: has 201 characters; the most is 200"),
        (QuestionDraft { session_id: name(" "), ..draft() }, "session_id: is blank"),
        (QuestionDraft { session_id: name("a\nb"), ..draft() }, "session_id: has a line break or a tab in it"),
        (QuestionDraft { session_id: name("a\u{2028}b"), ..draft() }, "session_id: has a line break or a tab in it"),
        (QuestionDraft { max_context_chunks: 0, ..draft() }, "max_context_chunks: is 0; it must be from 1 to 20"),
        (QuestionDraft { max_context_chunks: 21, ..draft() }, "max_context_chunks: is 21; it must be from 1 to 20"),
    ];
    for (draft, expected) in cases {
        assert_eq!(refusal(draft), expected);
    }
}

#[test]
fn what_is_as_long_as_it_may_be_is_taken() {
    let longest = QuestionDraft {
        query: "é".repeat(4_000),
        history: vec![message(&"é".repeat(16_000)), message(&"é".repeat(16_000))],
        model: Some("é".repeat(200)),
        session_id: Some("é".repeat(200)),
        max_context_chunks: 20,
        ..draft()
    };
    assert!(Question::checked(longest).is_ok());
    assert!(Question::checked(QuestionDraft { history: vec![message(&"é".repeat(1_000)); 100], ..draft() }).is_ok());
}

#[test]
fn every_way_to_a_question_takes_out_what_nobody_sees() {
    let hidden = "How \u{202e}much\u{200b} oil\0?\r\nNow";
    let clean = "How much oil?\nNow";
    let checked = Question::checked(QuestionDraft {
        query: hidden.to_owned(),
        history: vec![message(hidden)],
        model: Some("sm\u{200d}all".to_owned()),
        session_id: Some("\u{1b}[31mdesk".to_owned()),
        ..draft()
    })
    .unwrap();
    assert_eq!((checked.query.as_str(), checked.history[0].content.as_str()), (clean, clean));
    assert_eq!((checked.model.as_deref(), checked.session_id.as_deref()), (Some("small"), Some("[31mdesk")));
    let made = Question::new(hidden).after(vec![message(hidden)]).of_model("sm\u{200d}all");
    assert_eq!((made.query.as_str(), made.history[0].content.as_str()), (clean, clean));
    assert_eq!(made.model.as_deref(), Some("small"));
    assert_eq!(made.asking(hidden).query, clean);
}

#[test]
fn a_token_is_taken_out_of_every_text_and_only_the_message_itself_confirms() {
    let token = ConfirmationToken::of([9; 16]);
    let sentence = format!("Confirm with {}", token.revealed());
    let checked = Question::checked(QuestionDraft {
        query: sentence.clone(),
        history: vec![message(&format!("{sentence} please"))],
        session_id: Some(token.revealed().to_owned()),
        ..draft()
    })
    .unwrap();
    assert_eq!(checked.confirmation, Some(token.clone()));
    for out in [serde_json::to_string(&checked).unwrap(), format!("{checked:?}")] {
        assert!(!out.contains("0909"), "{out}");
    }
    assert_eq!(Question::new(sentence.clone()).confirmation, Some(token.clone()));
    let earlier = Question::checked(QuestionDraft { history: vec![message(&sentence)], ..draft() }).unwrap();
    assert_eq!(earlier.confirmation, None, "what was said before confirms nothing");
    assert_eq!(earlier.reworded(sentence).confirmation, None, "and no other wording of the question does");
    let named = QuestionDraft { confirmation: Some(token.revealed().to_owned()), ..draft() };
    assert_eq!(Question::checked(named).unwrap().confirmation, Some(token));
    let wrong = refusal(QuestionDraft { confirmation: Some("yes".to_owned()), ..draft() });
    assert!(wrong.starts_with("confirmation: is no confirmation token"), "{wrong}");
}
