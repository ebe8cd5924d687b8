use proptest::prelude::*;

use super::*;

fn concept(uri: &str, matched: LabelKind) -> Concept {
    Concept { uri: uri.to_owned(), vocabulary: "v".to_owned(), label: uri.to_owned(), matched, definition: None }
}

fn definition(text: &str, language: Option<&str>) -> Definition {
    Definition { text: text.to_owned(), language: language.map(str::to_owned) }
}

#[test]
fn a_term_is_normalised_as_it_is_cached() {
    for (term, expected) in [
        ("  CIMXML ", "cimxml"),
        ("voltage \t\n regulation", "voltage regulation"),
        ("ta\u{0}p", "ta p"),
        ("bus*", "bus"),
        ("a * b", "a b"),
        ("***", ""),
        ("U\u{308}berspannung", "überspannung"),
        ("", ""),
    ] {
        assert_eq!(normalised(term), expected, "{term:?}");
    }
}

#[test]
fn folding_finds_what_lower_case_does_not() {
    for (one, other) in [("STRASSE", "Straße"), ("ΟΔΟΣ", "οδοσ"), ("ﬁeld", "FIELD"), ("ÜBER", "u\u{308}ber")]
    {
        assert_eq!(folded(one), folded(other), "{one} and {other}");
    }
    assert_ne!(folded("uber"), folded("über"));
}

#[test]
fn a_regional_tag_counts_for_its_language_and_not_the_other_way_round() {
    for (tag, language, expected) in [
        ("en", "en", true),
        ("en-GB", "en", true),
        ("EN-gb", "en", true),
        ("en", "en-GB", false),
        ("eng", "en", false),
        ("de", "en", false),
        ("", "en", false),
        ("en", "", false),
        ("ü", "e", false),
    ] {
        assert_eq!(in_language(tag, language), expected, "{tag} in {language}");
    }
}

#[test]
fn an_empty_or_endless_term_is_invalid() {
    assert_eq!(checked(" * \n"), Err(VocabularyFault::InvalidTerm));
    assert_eq!(checked(&"x".repeat(LONGEST_TERM + 1)), Err(VocabularyFault::InvalidTerm));
    assert_eq!(checked(" Bus "), Ok("bus".to_owned()));
}

#[test]
fn a_better_kind_of_label_wins_and_the_others_are_seen_also() {
    use LabelKind::{Alternative, Hidden, Preferred};
    assert_eq!(Lookup::among(vec![]), Lookup::Unknown);
    let lookup = Lookup::among(vec![concept("c", Hidden), concept("b", Alternative), concept("a", Preferred)]);
    let see_also = vec![concept("b", Alternative), concept("c", Hidden)];
    assert_eq!(lookup, Lookup::Found { concept: concept("a", Preferred), see_also });
    // One concept by two of its labels is one concept.
    let lookup = Lookup::among(vec![concept("a", Hidden), concept("a", Alternative)]);
    assert_eq!(lookup, Lookup::Found { concept: concept("a", Alternative), see_also: vec![] });
    // The same concept in two vocabularies is quoted from the one that defines it.
    let defined =
        Concept { vocabulary: "w".to_owned(), definition: Some(definition("x", None)), ..concept("a", Hidden) };
    let lookup = Lookup::among(vec![concept("a", Hidden), defined.clone()]);
    assert_eq!(lookup, Lookup::Found { concept: defined, see_also: vec![] });
    let lookup = Lookup::among(vec![concept("b", Alternative), concept("a", Alternative), concept("c", Hidden)]);
    assert_eq!(lookup, Lookup::Ambiguous(vec![concept("a", Alternative), concept("b", Alternative)]));
}

#[test]
fn a_definition_is_chosen_by_language_and_then_without_one() {
    let all = || -> Vec<Definition> {
        vec![
            definition("Short.", Some("en")),
            definition("Rather longer.", Some("en-GB")),
            definition("Deutsch, und noch länger.", Some("de")),
            definition("None.", None),
        ]
    };
    assert_eq!(Definition::best(&all(), &["en"]), Some(definition("Rather longer.", Some("en-GB"))));
    assert_eq!(Definition::best(&all(), &["fr", "de"]), Some(definition("Deutsch, und noch länger.", Some("de"))));
    assert_eq!(Definition::best(&all(), &["fr"]), Some(definition("None.", None)));
    let linked = [definition("https://example.org/a/long/address", Some("en")), definition("Short.", Some("en"))];
    assert_eq!(Definition::best(&linked, &["en"]), Some(definition("Short.", Some("en"))));
    assert_eq!(Definition::best(&linked[..1], &["en"]), Some(linked[0].clone()));
    assert_eq!(Definition::best(&[definition("x", Some("de"))], &["en"]), None);
    assert_eq!(Definition::best(&[definition(" ", Some("en"))], &["en"]), None);
}

#[test]
fn the_closest_labels_are_spelt_alike_or_share_words() {
    let labels = ["busbar section", "data bus", "Busbar", "breaker", "line", "LINE", "recloser"];
    let closest = |term: &str, limit| closest_labels(term, labels, limit);
    assert_eq!(closest("brekaer", 3), ["breaker"]);
    assert_eq!(closest("busbra", 3), ["Busbar"]);
    assert_eq!(closest("section of a busbar", 3), ["busbar section", "Busbar"]);
    assert_eq!(closest("lime", 3), ["LINE"]);
    assert!(closest("foobarbaz", 3).is_empty());
    assert!(closest("brekaer", 0).is_empty());
}

proptest! {
    #[test]
    fn the_closest_label_is_the_term_itself_where_there_is_one(
        labels in proptest::collection::vec("[a-zA-Zß ]{1,12}", 1..8), chosen in any::<prop::sample::Index>(),
    ) {
        let term = chosen.get(&labels);
        prop_assume!(!folded(term).is_empty());
        let closest = closest_labels(term, labels.iter().map(String::as_str), 3);
        prop_assert_eq!(closest.first().map(|label| folded(label)), Some(folded(term)));
        prop_assert!(closest.len() <= 3);
    }

    #[test]
    fn normalising_twice_changes_nothing(term in any::<String>()) {
        let once = normalised(&term);
        prop_assert_eq!(normalised(&once), once);
    }

    #[test]
    fn whatever_lower_case_equates_folding_equates(term in any::<String>()) {
        prop_assert_eq!(folded(&term), folded(&normalised(&term)));
    }
}
