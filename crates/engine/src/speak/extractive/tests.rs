use crate::candidate::Candidate;
use ibidem_ports::catalogue::CataloguePassage;
use ibidem_testing::fakes::passage;
use ibidem_words::{CharSpan, LineAbove, LinesAbove};

use super::*;

fn note(number: u128, kind: &str, text: &str) -> Candidate {
    Candidate::unscored(CataloguePassage {
        kind: Some(kind.parse().unwrap()),
        ..passage(number, &"Papers".parse().unwrap(), text)
    })
}

fn extracted(query: &str, notes: &[Candidate], most: usize) -> String {
    extract(query, &Footnotes::mint(notes), most).iter().map(|sentence| sentence.text.as_str()).collect()
}

#[test]
fn the_closest_note_is_heard_though_another_shares_more_words() {
    let notes = [
        note(1, "principle", "Purchase comes before own work."),
        note(2, "decision", "In what order we build images is the order of the list."),
    ];
    let question = "In what order do we reuse, buy and build?";
    assert!(extracted(question, &notes, 3).starts_with("Purchase comes before own work.[1] In what order"));
    assert_eq!(extracted(question, &notes, 1), "Purchase comes before own work.[1] ");
}

#[test]
fn every_kind_that_the_question_names_is_heard() {
    let restores = |kind: &str| format!("Restores are tested by this {kind}. Restores are tested often.");
    let notes = [
        note(1, "policy", &restores("paper")),
        note(2, "decision", "Backups are tried out each quarter."),
        note(3, "lecture", &restores("lecture")),
    ];
    let asked = extracted("How often are restores tested according to decisions and policies?", &notes, 2);
    assert!(asked.contains("[1]") && asked.contains("each quarter.[2]"), "{asked}");
    assert!(!extracted("How often are restores tested?", &notes, 2).contains("[2]"));
}

#[test]
fn rows_of_a_table_speak_and_its_head_and_headings_do_not() {
    let table =
        "Recordings of calls\n\nRecordings | Kept for\nPersonnel files | 10 years\nRecordings of calls | 3 months";
    let notes = [note(1, "policy", table), note(2, "policy", "Nothing is kept for ever.")];
    assert_eq!(
        extracted("How long are recordings of calls kept?", &notes, 1),
        "Recordings of calls — Kept for: 3 months[1] "
    );
    let headings = [note(1, "policy", "Recordings of calls")];
    assert_eq!(extracted("Which recordings?", &headings, 3), "Recordings of calls[1] ");
}

#[test]
fn a_note_that_answers_in_its_title_is_quoted_by_its_words_and_a_named_document_is_always_heard() {
    let read = |number: u128, text: &str, score: f32, answer: Option<(u32, u32)>| Candidate {
        rerank: Some(score),
        answer: answer.map(|(start, end)| CharSpan { start, end }),
        ..note(number, "policy", text)
    };
    let titled = read(1, "It was reviewed. Recordings are kept for three months.", 0.9, None);
    let named = Candidate { addressed: true, ..read(2, "Calls of the desk are kept too.", 0.1, Some((0, 5))) };
    let beside = read(3, "Calls are made by the desk.", 0.2, Some((0, 5)));
    assert_eq!(
        extracted("How long are recordings kept?", &[titled, named, beside], 3),
        "Recordings are kept for three months.[1] Calls of the desk are kept too.[2] "
    );
}

#[test]
fn what_a_reader_found_is_quoted_and_nothing_beside_it() {
    let text = "Recordings of calls are listed in the annex. Three months is the limit.";
    let read = |number: u128, text: &str, score: f32, answer: (u32, u32)| Candidate {
        rerank: Some(score),
        answer: Some(CharSpan { start: answer.0, end: answer.1 }),
        ..note(number, "policy", text)
    };
    let question = "How long are recordings of calls kept?";
    let notes = [read(1, "Recordings of calls are made by the desk.", 0.2, (0, 10)), read(2, text, 0.9, (45, 57))];
    assert_eq!(extracted(question, &notes, 3), "Three months is the limit.[2] ");
    let doubtful = read(1, "Recordings of calls are made by the desk.", 0.6, (0, 10));
    assert_eq!(
        extracted(question, &[doubtful.clone(), read(2, text, 0.98, (45, 57))], 3),
        "Three months is the limit.[2] "
    );
    assert!(extracted(question, &[doubtful, read(2, text, 0.85, (45, 57))], 3).contains("[1]"), "hardly less likely");
    let unsure = [read(1, text, 0.3, (45, 57)), read(2, "Recordings of calls are made by the desk.", 0.4, (0, 10))];
    assert_eq!(extracted(question, &unsure, 3), "Three months is the limit.[1] ", "the best by rank and score alone");
}

#[test]
fn an_item_is_quoted_under_its_heading_wherever_the_heading_stands() {
    let text = "What is not paid\n\n- Fines, including parking fines.\n- Drinks.";
    let read = |text: &str, above: LinesAbove| {
        let place = text.find("Fines").unwrap();
        let start = u32::try_from(place).unwrap();
        let mut note = note(1, "policy", text);
        note.passage.section = Some("Claims > What is not paid".to_owned());
        note.passage.above = above;
        Candidate { rerank: Some(0.9), answer: Some(CharSpan { start, end: start + 31 }), ..note }
    };
    let expected = "What is not paid: Fines, including parking fines.[1] ";
    assert_eq!(extracted("Are parking fines paid?", &[read(text, LinesAbove::default())], 3), expected);
    let line = |text: &str| Some(LineAbove { text: text.to_owned(), span: CharSpan { start: 0, end: 1 } });
    let above = LinesAbove { heading: line("What is not paid"), ..LinesAbove::default() };
    assert_eq!(extracted("Are parking fines paid?", &[read("- Fines, including parking fines.", above)], 3), expected);
}

#[test]
fn a_sentence_that_another_is_quoted_with_is_not_said_twice() {
    let notes = [note(1, "policy", "Leave is thirty days a year. It lapses in March of the next year.")];
    assert_eq!(
        extracted("How many days of leave are there a year, and which of them until March?", &notes, 3),
        "Leave is thirty days a year. It lapses in March of the next year.[1] "
    );
}

#[test]
fn of_the_rows_of_a_table_the_one_is_quoted_that_the_question_names() {
    let table = "Destination | Hotel (EUR)\nNordic countries | 175\nAll other countries | 165";
    let start = u32::try_from(table.find("165").unwrap()).unwrap();
    let answer = Some(CharSpan { start, end: start + 3 });
    let read = Candidate { rerank: Some(0.9), answer, ..note(1, "policy", table) };
    assert_eq!(
        extracted("What may a hotel in the Nordic countries cost?", std::slice::from_ref(&read), 3),
        "Nordic countries — Hotel: EUR 175[1] "
    );
    assert_eq!(extracted("What may a hotel cost?", &[read], 3), "All other countries — Hotel: EUR 165[1] ");
}

#[test]
fn a_heading_that_a_reader_points_at_stands_for_what_is_under_it() {
    let text = "What to take\n\n- Keys with tags.\n- Badges.\n\nThen go.";
    let read = |start: u32, end: u32, text: &str| Candidate {
        rerank: Some(0.9),
        answer: Some(CharSpan { start, end }),
        ..note(1, "policy", text)
    };
    let list = extracted("Which things do I take?", &[read(0, 12, text)], 3);
    assert!(list.contains("Keys with tags.") && list.contains("Badges.") && !list.contains("Then go"), "{list}");
    let prose = "Meals\n\nThe canteen pays EUR 3.80 a day. Remote days have none.";
    assert_eq!(extracted("What is paid for lunch?", &[read(0, 20, prose)], 3), "The canteen pays EUR 3.80 a day.[1] ");
}

#[test]
fn where_the_title_answers_it_is_quoted_from_the_note_that_has_it() {
    let titled = |number: u128, text: &str| {
        let mut note = note(number, "policy", text);
        note.passage.title = "Boats stay outside the inner harbour".to_owned();
        Candidate { rerank: Some(0.9), ..note }
    };
    let pick = Candidate {
        answer: Some(CharSpan { start: 0, end: 5 }),
        ..titled(1, "Boats may enter the outer harbour and the dock.")
    };
    let notes = [
        pick,
        titled(2, "Boats stay outside the inner harbour\n\nStatus\n\nAccepted in May."),
        titled(3, "New crews wait for a week."),
    ];
    assert_eq!(
        extracted("Which harbour do boats not enter?", &notes, 3),
        "Boats may enter the outer harbour and the dock.[1] Boats stay outside the inner harbour[2] "
    );
}

#[test]
fn whether_something_is_so_is_said_by_the_sentence_that_speaks_of_it() {
    let text = "Models may be used to search and draft. Models are not used to judge people or to decide on partners.";
    let read = Candidate { rerank: Some(0.9), answer: Some(CharSpan { start: 0, end: 6 }), ..note(1, "policy", text) };
    assert_eq!(
        extracted("May models decide on partners?", std::slice::from_ref(&read), 3),
        "Models are not used to judge people or to decide on partners.[1] "
    );
    assert_eq!(extracted("What may models be used for?", &[read], 3), "Models may be used to search and draft.[1] ");
}

#[test]
fn rows_that_the_question_compares_are_quoted_and_no_others() {
    let table = "Plan | Speed\nFibre 150 | 140\nDSL 100 | 85\nAir 200 | 90";
    let start = u32::try_from(table.find("85").unwrap()).unwrap();
    let answer = Some(CharSpan { start, end: start + 2 });
    let read = Candidate { rerank: Some(0.9), answer, ..note(1, "policy", table) };
    assert_eq!(
        extracted("Which plan is faster, DSL 100 or Air 200?", &[read], 3),
        "DSL 100 — Speed: 85[1] Air 200 — Speed: 90[1] "
    );
}

#[test]
fn a_figure_that_is_named_and_not_said_is_quoted_from_the_column_of_that_name() {
    let picked_text = "The lunch allowance covers drinks. Bring no receipts.";
    let table = "Town | Hotel limit (EUR) | Lunch allowance (EUR)\nOslo | 90 | 18\nBergen | 80 | 15";
    let read = |chunk_index: u32, text: &str, score: f32| {
        let mut candidate = note(1, "policy", text);
        candidate.passage.passage.chunk_index = chunk_index;
        Candidate { rerank: Some(score), answer: Some(CharSpan { start: 4, end: 9 }), ..candidate }
    };
    let notes =
        [read(0, picked_text, 0.9), read(1, table, 0.1), read(2, "Lunch with guests is paid up to EUR 45.", 0.8)];
    assert_eq!(
        extracted("What is the limit for lunch?", &notes, 3),
        "The lunch allowance covers drinks.[1] Oslo — Lunch allowance: EUR 18[2] Bergen — Lunch allowance: EUR 15[2] "
    );
    assert_eq!(
        extracted("What is the limit for lunch in Bergen?", &notes, 3),
        "The lunch allowance covers drinks.[1] Bergen — Lunch allowance: EUR 15[2] "
    );
    assert!(extracted("What does lunch cover?", &notes, 3).contains("EUR 45"), "no figure is asked for");
    let row = "Bergen — Lunch allowance: EUR 15";
    let same = |words: &str| words.to_owned();
    let is_quotation = |words| crate::speak::quoting::is_quotation(words, table, &LinesAbove::default(), same);
    assert!(is_quotation(row), "a receipt is checked by the same rule");
    assert!(!is_quotation("Bergen — Lunch allowance: EUR 18") && !is_quotation("Bergen — Hotel limit: EUR 15"));
}

#[test]
fn where_the_title_answers_a_note_that_lacks_it_leaves_the_word_to_the_one_that_has_it() {
    let of_document = |chunk_index: u32, text: &str, score: f32| {
        let mut note = note(1, "policy", text);
        note.passage.passage.chunk_index = chunk_index;
        note.passage.title = "Boats are painted with lead".to_owned();
        Candidate { rerank: Some(score), ..note }
    };
    let notes = [
        of_document(4, "Measured in May, boats became slower.", 0.99),
        of_document(0, "Boats are painted with lead\n\nStatus\n\nAccepted in May.", 0.95),
        Candidate { answer: Some(CharSpan { start: 0, end: 5 }), ..note(2, "policy", "Boats float.") },
    ];
    assert_eq!(extracted("How are boats painted?", &notes, 1), "Boats are painted with lead[2] ");
}

#[test]
fn the_next_sentence_is_quoted_where_it_alone_speaks_of_what_is_asked() {
    let text = "Salaried crews have 30 days of leave. Hourly crews have as many weeks as they work. Leave is kept.\n\n\
                Hourly pay is set in May.";
    let mut note = note(1, "policy", text);
    note.passage.section = Some("Yearly leave".to_owned());
    let read = Candidate { rerank: Some(0.9), answer: Some(CharSpan { start: 21, end: 28 }), ..note };
    let answer_to = |question: &str| extracted(question, std::slice::from_ref(&read), 3);
    assert_eq!(
        answer_to("How many days of yearly leave do hourly crews have?"),
        "Salaried crews have 30 days of leave.[1] Hourly crews have as many weeks as they work.[1] "
    );
    assert_eq!(
        answer_to("How many days of yearly leave do salaried crews have?"),
        "Salaried crews have 30 days of leave.[1] "
    );
}
