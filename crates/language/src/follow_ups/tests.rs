//! What each sign is read as, and what is left as it is.

use super::*;

fn after(questions: &[&str], asked: &str) -> Option<String> {
    let mut spoken = Spoken::default();
    for question in questions {
        spoken.answered(question);
    }
    spoken.self_contained(asked)
}

/// (the questions before, the question, what it is meant to say)
const GOES_ON: &[(&[&str], &str, &str)] = &[
    (
        &["How many days of leave do full-time staff have?"],
        "And part-time staff?",
        "How many days of leave do part-time staff have?",
    ),
    (&["How long are ordinary logs kept?"], "What about traces?", "How long are traces kept?"),
    (
        &["Why does the night bus stop?"],
        "Which lines should I take then?",
        "Which lines should I take for night bus stop?",
    ),
    (&["Was gilt bei Nebel?"], "Welche Tore nehme ich dann?", "Welche Tore nehme ich für Nebel?"),
    (&["How long are ordinary logs kept?"], "And security logs?", "How long are security logs kept?"),
    (&["What does ADR-0031 decide?"], "And ADR-0003?", "What does ADR-0003 decide?"),
    (&["How often is tier 1 restored as a test?"], "and tier 2?", "How often is tier 2 restored as a test?"),
    (&["What is the hotel limit in France?"], "And in Switzerland?", "What is the hotel limit in Switzerland?"),
    (&["What is the hotel limit in France?"], "and the daily allowance?", "What is the daily allowance in France?"),
    (
        &["How much leave does an employee get?"],
        "Does the same apply to interns?",
        "How much leave does an employee get for interns?",
    ),
    (
        &["What is the hotel limit in Nordic countries?"],
        "What about North America?",
        "What is the hotel limit in North America?",
    ),
    (
        &["How long may one work from another country of the Area?"],
        "And outside the Area?",
        "How long may one work outside the Area?",
    ),
    (
        &["By when must the security course be taken?"],
        "And the data protection course?",
        "By when must the data protection course be taken?",
    ),
    (&["How long are raw values kept online?"], "And mean values?", "How long are mean values kept online?"),
    (&["When must critical weaknesses be closed?"], "What about high ones?", "When must high weaknesses be closed?"),
    (
        &["When are accounts of people who leave closed?"],
        "What about accounts that were not used?",
        "When are accounts that were not used closed?",
    ),
    (
        &["Who approves trips that cost up to EUR 800?"],
        "And trips to other continents?",
        "Who approves trips to other continents?",
    ),
    (
        &["How often are bills of materials matched?"],
        "In which format are they made?",
        "In which format are bills of materials made?",
    ),
    (&["How many characters has a password?"], "When is it changed?", "When is password changed?"),
    (&["Who approves trips within Europe?"], "Who pays for them?", "Who pays for trips within Europe?"),
    (&["How long are security logs kept?"], "Who may read them?", "Who may read security logs?"),
    (&["What does ADR-0031 decide?"], "When was it accepted?", "When was ADR-0031 accepted?"),
    (
        &["What is the event backbone?"],
        "How long are messages kept there?",
        "How long are messages kept in event backbone?",
    ),
    (&["How long are security logs kept?"], "Why?", "Security logs: Why?"),
    (
        &["How long are ordinary logs kept?", "And security logs?"],
        "Which are kept longer?",
        "Which are kept longer: ordinary logs or security logs?",
    ),
    (&["How many days may be carried over?"], "Are there exceptions?", "Are there exceptions for days carried over?"),
    (
        &["Wie lange werden Protokolle aufbewahrt?"],
        "Und für Verträge?",
        "Wie lange werden Protokolle aufbewahrt für Verträge?",
    ),
    (&["Wer genehmigt Reisen ins Ausland?"], "Wer bezahlt sie?", "Wer bezahlt Reisen ins Ausland?"),
];

#[test]
fn a_question_that_goes_on_is_put_so_that_it_stands_by_itself() {
    let wrong: Vec<_> = GOES_ON
        .iter()
        .map(|(before, asked, expected)| (after(before, asked), Some((*expected).to_owned())))
        .filter(|(read, expected)| read != expected)
        .collect();
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn a_question_that_stands_by_itself_stays_as_it_is() {
    let before = ["How long are security logs kept?"];
    for asked in [
        "How many days of leave may be carried over?",
        "What is retention?",
        "leave policy",
        "Who approves trips to other continents?",
        "What does ADR-0031 decide?",
        "When must contractors return their badges?",
        "If a laptop is lost, who must be told about it?",
        "How long does it take to get approval for a trip?",
        "Which documents are kept this year by the finance team?",
        "Do staff need approval before they travel abroad?",
        "Wie viele Tage Urlaub haben Vollzeitkräfte?",
        "How many days of leave are there?",
        "",
    ] {
        assert_eq!(after(&before, asked), None, "{asked}");
    }
}

#[test]
fn without_an_answered_question_nothing_is_carried_over() {
    assert_eq!(after(&[], "And for part-timers?"), None);
}

#[test]
fn a_chain_goes_on_from_what_the_last_question_was_meant_to_say() {
    let chain = ["How often is tier 1 restored as a test?", "and tier 2?"];
    assert_eq!(after(&chain, "and tier 3?").as_deref(), Some("How often is tier 3 restored as a test?"));
}
