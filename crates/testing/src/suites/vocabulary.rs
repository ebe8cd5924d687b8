//! What every vocabulary must do, on the content of `gridterms.ttl` and `gridterms2.ttl`, asked in English.

use crate::fakes::FakeConcept;
use ibidem_ports::vocabulary::LabelKind::{self, Alternative, Hidden, Preferred};
use ibidem_ports::vocabulary::{Concept, Connected, Lookup, Vocabulary, VocabularyError, VocabularyFault, in_language};

const BUSBAR: &str = "A rigid conductor in a substation to which several lines and transformers are connected.";
const ISLANDING: &str = "First line, with \"quotes\".\nSecond line, of the same definition.\n\nFourth line.";

/// # Panics
/// When the vocabulary does not behave as the port says.
pub async fn check(vocabulary: &dyn Vocabulary) {
    a_term_is_found_by_each_of_its_labels_regardless_of_case(vocabulary).await;
    definitions_are_quoted_word_for_word_wherever_they_are_kept(vocabulary).await;
    several_concepts_of_one_rank_are_ambiguous(vocabulary).await;
    a_concept_of_a_lesser_rank_is_seen_also(vocabulary).await;
    what_no_label_says_is_unknown(vocabulary).await;
    regional_labels_name_one_concept(vocabulary).await;
    a_term_of_another_language_is_found_when_there_is_none_in_this_one(vocabulary).await;
    a_term_without_a_definition_is_found_without_one(vocabulary).await;
    white_space_is_collapsed_and_nothing_is_invalid(vocabulary).await;
    the_closest_terms_can_be_looked_up(vocabulary).await;
    a_concept_is_described_with_what_is_broader_and_narrower(vocabulary).await;
}

async fn a_term_is_found_by_each_of_its_labels_regardless_of_case(vocabulary: &dyn Vocabulary) {
    for (term, matched) in [
        ("busbar section", Preferred),
        ("BUSBAR SECTION", Preferred),
        ("Busbar", Alternative),
        ("busbar-section", Hidden),
        ("BUSBARSECTION", Hidden),
    ] {
        let concept = found(vocabulary, term).await;
        assert_eq!(concept.uri, "http://example.org/gridterms/busbar", "{term}");
        assert_eq!(concept.vocabulary, "gridterms", "{term}");
        assert_eq!(concept.label, "busbar section", "{term}");
        assert_eq!(concept.matched, matched, "{term}");
        assert_eq!(text(&concept), Some(BUSBAR), "{term}");
    }
}

async fn definitions_are_quoted_word_for_word_wherever_they_are_kept(vocabulary: &dyn Vocabulary) {
    for (term, definition, language) in [
        ("islanding", ISLANDING, Some("en")),
        ("feeder", "Plain literal definition without a language tag.", None),
        ("recloser", "Definition kept in a blank node.", Some("en")),
        ("breaker", "Definition kept in a named node.", Some("en")),
        ("shunt", "Parallel element.", Some("en")),
        ("lonely", "No links at all.", Some("en")),
    ] {
        let concept = found(vocabulary, term).await;
        assert_eq!(text(&concept), Some(definition), "{term}");
        assert_language(&concept, language);
    }
}

async fn several_concepts_of_one_rank_are_ambiguous(vocabulary: &dyn Vocabulary) {
    let tap = [
        ("http://example.org/gridterms/tap1", "Connection point on a transformer winding."),
        ("http://example.org/gridterms/tap2", "Teed-off branch of a line."),
        ("http://example.org/gridterms2/tap", "Water valve."),
    ];
    let bus = [
        ("http://example.org/gridterms/busbar", BUSBAR),
        ("http://example.org/gridterms/databus", "Shared communication channel between IEDs."),
    ];
    assert_ambiguous(vocabulary, "tap", Preferred, &tap).await;
    assert_ambiguous(vocabulary, "Bus", Alternative, &bus).await;
}

async fn a_concept_of_a_lesser_rank_is_seen_also(vocabulary: &dyn Vocabulary) {
    let Ok(Lookup::Found { concept, see_also }) = vocabulary.lookup("line").await else {
        panic!("one concept is called line, another is also called that");
    };
    assert_eq!((concept.uri.as_str(), concept.matched), ("http://example.org/gridterms/multimatch", Preferred));
    let also: Vec<_> = see_also.iter().map(|concept| (concept.uri.as_str(), concept.label.as_str())).collect();
    assert_eq!(also, [("http://example.org/gridterms2/line", "queue")]);
}

async fn what_no_label_says_is_unknown(vocabulary: &dyn Vocabulary) {
    // Beginnings, collections, notations and withdrawn concepts are no labels of a concept.
    for term in ["foobarbaz", "busba", "switchgear", "351-21-02", "old switch", "Grid terms"] {
        assert_eq!(vocabulary.lookup(term).await, Ok(Lookup::Unknown), "{term}");
    }
    // An asterisk is no wildcard.
    assert_eq!(vocabulary.lookup("busba*").await, Ok(Lookup::Unknown));
}

async fn regional_labels_name_one_concept(vocabulary: &dyn Vocabulary) {
    for term in ["earthing", "Grounding"] {
        let concept = found(vocabulary, term).await;
        assert_eq!((concept.uri.as_str(), concept.matched), ("http://example.org/gridterms/usgb", Preferred), "{term}");
        assert_eq!(text(&concept), Some("Connection to earth."), "{term}");
    }
}

async fn a_term_of_another_language_is_found_when_there_is_none_in_this_one(vocabulary: &dyn Vocabulary) {
    let concept = found(vocabulary, "ÜBERSPANNUNG").await;
    assert_eq!(text(&concept), Some("Spannung oberhalb des Bemessungswerts."));
    assert_language(&concept, Some("de"));
    let concept = found(vocabulary, "untagged term").await;
    assert_eq!(text(&concept), Some("Untagged definition."));
    assert_language(&concept, None);
    // The definition is in the language that is asked in, where there is one.
    let concept = found(vocabulary, "Sammelschienenabschnitt").await;
    assert_eq!(text(&concept), Some(BUSBAR));
}

async fn a_term_without_a_definition_is_found_without_one(vocabulary: &dyn Vocabulary) {
    assert_eq!(found(vocabulary, "no definition term").await.definition, None);
}

async fn white_space_is_collapsed_and_nothing_is_invalid(vocabulary: &dyn Vocabulary) {
    assert_eq!(found(vocabulary, " busbar \n\t section ").await.label, "busbar section");
    for term in ["", "  ", "*", "\u{0}\n"] {
        assert_eq!(vocabulary.lookup(term).await, Err(VocabularyError::Own(VocabularyFault::InvalidTerm)), "{term:?}");
    }
}

async fn the_closest_terms_can_be_looked_up(vocabulary: &dyn Vocabulary) {
    let closest = vocabulary.closest("busbar sektion", 3).await.unwrap();
    assert_eq!(closest.first().map(String::as_str), Some("busbar section"));
    assert!(closest.len() <= 3);
    for term in &closest {
        assert_ne!(vocabulary.lookup(term).await, Ok(Lookup::Unknown), "{term}");
    }
    assert_eq!(vocabulary.closest("busbar sektion", 3).await.unwrap(), closest, "the same each time");
    assert!(vocabulary.closest("busbar sektion", 0).await.unwrap().is_empty());
    assert!(vocabulary.closest("zzzzzz", 3).await.unwrap().is_empty());
}

async fn a_concept_is_described_with_what_is_broader_and_narrower(vocabulary: &dyn Vocabulary) {
    let described = async |name: &str| vocabulary.describe(&format!("http://example.org/{name}"), "en").await;
    let busbar = described("gridterms/busbar").await.unwrap().unwrap();
    assert_eq!(busbar.label, "busbar section");
    assert!(busbar.definitions.iter().any(|definition| definition.text == BUSBAR), "{:?}", busbar.definitions);
    let mut others: Vec<_> = busbar.other_labels.iter().map(|(text, _)| text.as_str()).collect();
    others.sort_unstable();
    assert_eq!(others, ["Busbar", "Sammelschienenabschnitt", "bus"], "no hidden one");
    assert!(busbar.broader.is_empty() && busbar.narrower.is_empty());
    let names = |all: &[Connected]| all.iter().map(|one| (one.uri.clone(), one.label.clone())).collect::<Vec<_>>();
    let tap = described("gridterms/tap2").await.unwrap().unwrap();
    assert_eq!(names(&tap.broader), [("http://example.org/gridterms/multimatch".to_owned(), "line".to_owned())]);
    let line = described("gridterms/multimatch").await.unwrap().unwrap();
    assert_eq!(names(&line.narrower), [("http://example.org/gridterms/tap2".to_owned(), "tap".to_owned())]);
    assert_eq!(described("gridterms2/lonely").await.unwrap().map(|one| one.label).as_deref(), Some("lonely"));
    assert_eq!(described("gridterms/nobody").await, Ok(None));
}

async fn found(vocabulary: &dyn Vocabulary, term: &str) -> Concept {
    match vocabulary.lookup(term).await {
        Ok(Lookup::Found { concept, .. }) => concept,
        other => panic!("{term} is one concept, not {other:?}"),
    }
}

fn text(concept: &Concept) -> Option<&str> {
    concept.definition.as_ref().map(|definition| definition.text.as_str())
}

fn assert_language(concept: &Concept, language: Option<&str>) {
    let tag = concept.definition.as_ref().and_then(|definition| definition.language.as_deref());
    let same = match (tag, language) {
        (Some(tag), Some(language)) => in_language(tag, language),
        (tag, language) => tag == language,
    };
    assert!(same, "{}: {tag:?} is not {language:?}", concept.uri);
}

async fn assert_ambiguous(vocabulary: &dyn Vocabulary, term: &str, matched: LabelKind, expected: &[(&str, &str)]) {
    let lookup = vocabulary.lookup(term).await;
    let Ok(Lookup::Ambiguous(concepts)) = lookup else { panic!("{term} is ambiguous, not {lookup:?}") };
    let listed: Vec<_> = concepts.iter().map(|concept| (concept.uri.as_str(), text(concept).unwrap_or(""))).collect();
    assert_eq!(listed, expected, "{term}");
    assert!(concepts.iter().all(|concept| concept.matched == matched), "{term}");
}

/// The content of both files, as far as a lookup sees it.
pub fn gridterms() -> Vec<FakeConcept> {
    let in_first = |name: &str| FakeConcept::new(&format!("http://example.org/gridterms/{name}"), "gridterms");
    let in_second = |name: &str| FakeConcept::new(&format!("http://example.org/gridterms2/{name}"), "gridterms2");
    vec![
        in_first("busbar")
            .label(Preferred, "busbar section", "en")
            .label(Preferred, "Sammelschienenabschnitt", "de")
            .label(Alternative, "bus", "en")
            .label(Alternative, "Busbar", "en")
            .label(Hidden, "busbar-section", "en")
            .label(Hidden, "BusbarSection", "en")
            .definition(BUSBAR, "en")
            .definition(
                "Starrer Leiter in einer Station, an den mehrere Leitungen und Transformatoren angeschlossen sind.",
                "de",
            ),
        in_first("databus")
            .label(Preferred, "data bus", "en")
            .label(Alternative, "bus", "en")
            .definition("Shared communication channel between IEDs.", "en"),
        in_first("tap1").label(Preferred, "tap", "en").definition("Connection point on a transformer winding.", "en"),
        in_first("tap2")
            .label(Preferred, "tap", "en")
            .definition("Teed-off branch of a line.", "en")
            .broader("http://example.org/gridterms/multimatch"),
        in_first("multi")
            .label(Preferred, "islanding", "en")
            .definition(ISLANDING, "en")
            .definition("Second definition.", "en"),
        in_first("nodef").label(Preferred, "no definition term", "en"),
        in_first("nolangdef")
            .label(Preferred, "feeder", "en")
            .definition("Plain literal definition without a language tag.", ""),
        in_first("bnode").label(Preferred, "recloser", "en").definition("Definition kept in a blank node.", "en"),
        in_first("iridef").label(Preferred, "breaker", "en").definition("Definition kept in a named node.", "en"),
        in_first("usgb")
            .label(Preferred, "earthing", "en-GB")
            .label(Preferred, "grounding", "en-US")
            .definition("Connection to earth.", "en-GB"),
        in_first("nolang").label(Preferred, "untagged term", "").definition("Untagged definition.", ""),
        in_first("umlaut")
            .label(Preferred, "Überspannung", "de")
            .definition("Spannung oberhalb des Bemessungswerts.", "de"),
        in_first("notation").label(Preferred, "shunt", "en").definition("Parallel element.", "en"),
        in_first("multimatch")
            .label(Preferred, "line", "en")
            .label(Alternative, "Line", "en")
            .label(Alternative, "LINE", "en")
            .label(Hidden, "line", "en")
            .definition("AC line segment.", "en"),
        in_second("tap").label(Preferred, "Tap", "en").definition("Water valve.", "en"),
        in_second("line")
            .label(Preferred, "queue", "en")
            .label(Alternative, "line", "en")
            .definition("People waiting.", "en"),
        in_second("lonely").label(Preferred, "lonely", "en").definition("No links at all.", "en"),
    ]
}
