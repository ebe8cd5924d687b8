use super::*;

fn english() -> Analysis {
    Analysis::of(Language::English)
}

#[test]
fn forms_of_a_word_are_one_term_and_stop_words_are_none() {
    for (one, other) in [
        ("The penguins were running", "penguin runs"),
        ("config.yaml", "CONFIG yaml"),
        ("snake_case don't", "snake cases"),
        ("\u{dc}BER", "\u{fc}ber"),
        ("ADR-0012", "adr 0012"),
        ("what is the", ""),
        ("\u{6771}\u{4eac}\u{90fd}", "\u{90fd} \u{6771} \u{4eac}"),
    ] {
        assert_eq!(english().distinct(one), english().distinct(other), "{one} {other}");
    }
    assert_ne!(english().distinct("penguin"), english().distinct("puffin"));
    let written = Analysis::of(Language::None);
    assert_eq!(written.distinct("The penguins").len(), 2);
    assert_ne!(written.distinct("penguins"), written.distinct("penguin"));
    assert_eq!(
        Analysis::of(Language::German).distinct("die H\u{e4}user"),
        Analysis::of(Language::German).distinct("Haus")
    );
}

#[test]
fn terms_stay_the_same_from_release_to_release() {
    assert_eq!(english().terms("penguins"), [TermId(4_254_177_329)]);
    assert_eq!(english().id(), "english-1");
}

#[test]
fn a_document_counts_passages_and_not_occurrences() {
    let counted = english().count(["ice ice ice", "ice and snow", "the"]);
    let of = |word: &str| counted.with_term.get(&english().terms(word)[0]).copied();
    assert_eq!((counted.passages, of("ice"), of("snow"), of("sand")), (3, Some(2), Some(1), None));
}

#[test]
fn rare_terms_weigh_more_and_unseen_ones_nothing() {
    let terms = english().distinct("ice snow sand");
    let [ice, snow, sand] = ["ice", "snow", "sand"].map(|word| english().terms(word)[0]);
    let counts = TermCounts { passages: 100, with_term: BTreeMap::from([(ice, 50), (snow, 2)]) };
    let weights: BTreeMap<TermId, f32> = weighed(&terms, &counts).into_iter().collect();
    assert!(weights[&snow] > weights[&ice] && weights[&ice] > 0.0, "{weights:?}");
    assert!(!weights.contains_key(&sand));
    let expected = (1.0_f32 + 98.5 / 2.5).ln();
    assert!((weights[&snow] - expected).abs() < 1.0 / QUERY_STEPS);
    let everywhere = TermCounts { passages: 1_000_000, with_term: BTreeMap::from([(ice, 1_000_000)]) };
    assert!(weighed(&terms, &everywhere)[0].1 > 0.0, "a term that all passages have still finds them");
}

#[test]
fn a_repeated_term_saturates_and_a_long_passage_counts_less() {
    let ice = |text: &str| english().passage(text)[0].1;
    assert!(ice("ice ice") > ice("ice") && ice("ice ice") < 2.0 * ice("ice"));
    let long = "ice ".to_owned() + &"snow ".repeat(200);
    let passage: BTreeMap<TermId, f32> = english().passage(&long).into_iter().collect();
    assert!(passage[&english().terms("ice")[0]] < ice("ice"));
    let query = english().unweighed("ice");
    assert!(score(&english().passage("ice ice"), &query) > score(&english().passage("ice"), &query));
    assert!(score(&english().passage("sand"), &query).abs() < f32::EPSILON);
}

proptest::proptest! {
    /// The index adds in an order of its own, which depends on what else it holds.
    #[test]
    fn a_score_does_not_depend_on_the_order_in_which_it_is_added_up(
        parts in proptest::collection::vec((0.01_f32..2.2, 0.01_f32..17.0), 1..50),
        by in 0_usize..50,
    ) {
        let products: Vec<f32> = parts
            .iter()
            .map(|(passage, query)| in_steps(*passage, PASSAGE_STEPS) * in_steps(*query, QUERY_STEPS))
            .collect();
        let forwards: f32 = products.iter().sum();
        let backwards: f32 = products.iter().rev().sum();
        let mut turned = products.clone();
        turned.rotate_left(by % products.len());
        let turned: f32 = turned.iter().sum();
        proptest::prop_assert_eq!(forwards.to_bits(), backwards.to_bits());
        proptest::prop_assert_eq!(forwards.to_bits(), turned.to_bits());
    }

    #[test]
    fn any_text_has_terms_and_no_text_is_too_strange(text in "\\PC{0,100}", language in 0..Language::names().len()) {
        let analysis = Analysis::of(Language::names()[language].parse().unwrap());
        let passage: BTreeSet<TermId> = analysis.passage(&text).into_iter().map(|(term, _)| term).collect();
        proptest::prop_assert_eq!(analysis.distinct(&text), passage);
    }
}
