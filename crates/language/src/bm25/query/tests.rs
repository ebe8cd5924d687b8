use super::*;
use crate::bm25::Language;

/// How many passages have each term, of passages that are these texts.
fn counted(analysis: &Analysis, passages: &[&str]) -> TermCounts {
    let document = analysis.count(passages.iter().copied());
    let with_term = document.with_term.into_iter().map(|(term, count)| (term, u64::from(count))).collect();
    TermCounts { passages: u64::from(document.passages), with_term }
}

/// The passages that a query finds, best first.
fn found<'a>(analysis: &Analysis, query: &str, passages: &[&'a str]) -> Vec<&'a str> {
    let counts = counted(analysis, passages);
    let mut query = analysis.query(query);
    query.respelled(&counts);
    let weights = query.weighed(&counts);
    let attainable = query.attainable(Some(&counts));
    let mut scored: Vec<(f32, &str)> = passages
        .iter()
        .map(|passage| (crate::bm25::score(&analysis.passage(passage), &weights), *passage))
        .filter(|(score, _)| *score > 0.0)
        .collect();
    assert!(scored.iter().all(|(score, _)| *score <= 1.02 * attainable), "{scored:?} of {attainable}");
    scored.sort_by(|one, other| other.0.total_cmp(&one.0));
    scored.into_iter().map(|(_, passage)| passage).collect()
}

const GERMAN: [&str; 5] = [
    "Die Erstattung der Fahrtkosten wird im Portal beantragt.",
    "Die Reisekosten trägt das Institut.",
    "Das Büro öffnet um acht Uhr, die Straße ist gesperrt.",
    "Die Kündigungsfrist beträgt vier Wochen.",
    "Der Urlaub verfällt im März.",
];

#[test]
fn a_word_is_found_as_the_passages_write_it() {
    for language in [Language::German, Language::Auto] {
        let analysis = Analysis::of(language);
        for (query, place) in [
            // A compound that they write in several words, and the other way round.
            ("Wie läuft die Fahrtkostenerstattung?", 0),
            ("Wer zahlt die Kosten der Reise?", 1),
            ("Wie lang ist die Frist der Kündigung?", 3),
            // What stands for a letter that cannot be typed.
            ("Wann oeffnet das Buero?", 2),
            ("Wann macht das Buro auf?", 2),
            ("Welche Strasse ist zu?", 2),
            // A slip of the hand.
            ("Wer zahlt die Reisekostn?", 1),
            ("Wer zahlt die Riesekosten?", 1),
            ("Wie lang ist die Kündigungsfirst?", 3),
        ] {
            let found = found(&analysis, query, &GERMAN);
            assert_eq!(found.first(), Some(&GERMAN[place]), "{} {query}: {found:?}", language.name());
        }
        assert!(found(&analysis, "Gibt es Hunde?", &GERMAN).is_empty());
    }
}

#[test]
fn a_word_that_the_passages_have_is_looked_for_as_it_is() {
    let analysis = Analysis::of(Language::German);
    let passages = ["Die Kosten der Reise.", "Die Reisekosten.", "Die Reisekasten."];
    let counts = counted(&analysis, &passages);
    let mut query = analysis.query("Reisekosten");
    assert!(query.respelled(&counts).is_empty());
    assert_eq!(found(&analysis, "Reisekosten", &passages), ["Die Reisekosten."]);
}

#[test]
fn names_and_numbers_are_never_taken_for_others() {
    let analysis = Analysis::of(Language::English);
    let passages = ["The plan BN60 costs EUR 30.", "Decision 1204 stands.", "A cat sat."];
    for query in ["BN61", "1205", "A car"] {
        assert!(found(&analysis, query, &passages).is_empty(), "{query}");
    }
}

#[test]
fn stop_words_of_the_questions_language_find_nothing() {
    let passages = ["The salary is paid on the 25th.", "Das ist eine Seite, die wird bald gelöscht."];
    for language in [Language::English, Language::Auto] {
        let analysis = Analysis::of(language);
        assert!(found(&analysis, "Wann wird das Gehalt gezahlt?", &passages).is_empty(), "{}", language.name());
    }
    let as_written = Analysis::of(Language::None);
    assert_eq!(found(&as_written, "wird das", &passages), [passages[1]]);
    assert_eq!(found(&Analysis::of(Language::English), "wird das", &passages), [passages[1]], "nothing else is asked");
}

#[test]
fn each_text_has_the_endings_of_its_own_language() {
    let analysis = Analysis::of(Language::Auto);
    let passages = [
        "Die Störungen in den Häusern werden gemeldet.",
        "The faults in the houses are reported.",
        "Nothing else is here.",
    ];
    assert_eq!(found(&analysis, "Was ist mit der Störung in dem Haus?", &passages), [passages[0]]);
    assert_eq!(found(&analysis, "What about the fault in the house?", &passages), [passages[1]]);
    // A name is the same in both.
    let named = ["Kafka is the backbone of the events.", "Der Dienst ist neu und wird geprüft."];
    assert_eq!(found(&analysis, "Was ist mit Kafka und den anderen?", &named), [named[0]]);
}
