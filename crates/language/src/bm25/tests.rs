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
fn no_passage_attains_more_and_words_that_no_passage_has_count_as_the_rarest() {
    let [ice, snow] = ["ice", "snow"].map(|word| english().terms(word)[0]);
    let counts = TermCounts { passages: 100, with_term: BTreeMap::from([(ice, 50), (snow, 2)]) };
    let terms = english().distinct("ice snow");
    let most = english().query("ice snow").attainable(Some(&counts));
    let repeated = english().passage(&"ice snow ".repeat(500));
    // Both halves are rounded, so a passage may come to a little more.
    assert!(score(&repeated, &weighed(&terms, &counts)) < 1.01 * most);
    assert!(score(&english().passage("ice snow"), &weighed(&terms, &counts)) > 0.5 * most);

    let foreign = english().query("eis schnee ice");
    assert!(foreign.attainable(Some(&counts)) > 2.0 * most, "two words that are rarer than snow");
    assert!((english().query("ice snow").attainable(None) - 2.0 * (K1 + 1.0)).abs() < 1e-6);
    assert!(english().query("").attainable(Some(&counts)).abs() < f32::EPSILON);
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

/// Terms that are in indexes were made with these lists: another list needs another revision of the analysis.
#[test]
fn the_stop_words_of_the_index_are_those_of_the_first_revision() {
    for (language, count, fingerprint) in [
        (Language::Arabic, 696, 0x0b8c_0c0d_024f_2a63_u64),
        (Language::Danish, 94, 0xf48d_c569_b417_ed3b_u64),
        (Language::Dutch, 101, 0x46d5_94b3_fc6a_c1fc_u64),
        (Language::English, 198, 0x4a1f_338c_f176_2883_u64),
        (Language::Finnish, 229, 0x10e6_5f76_a646_a2e7_u64),
        (Language::French, 157, 0x87ca_1f39_ff26_9bb0_u64),
        (Language::German, 232, 0x661c_4e87_2436_0c28_u64),
        (Language::Greek, 265, 0x7f30_2d7f_5ed2_50a9_u64),
        (Language::Hungarian, 198, 0xfb1c_8c5e_4426_8741_u64),
        (Language::Italian, 279, 0x1a6d_0a2d_3541_e577_u64),
        (Language::Norwegian, 172, 0xb614_d864_934b_598f_u64),
        (Language::Portuguese, 207, 0x96ad_1dc5_a02c_e3cb_u64),
        (Language::Romanian, 356, 0x1523_1dba_127c_830b_u64),
        (Language::Russian, 151, 0xb234_dfca_27a1_46b3_u64),
        (Language::Spanish, 313, 0xd291_ea72_3772_9388_u64),
        (Language::Swedish, 114, 0xf939_2932_a1c4_f963_u64),
        (Language::Tamil, 125, 0x141c_f911_e1da_1fb7_u64),
        (Language::Turkish, 53, 0x0d5e_3bc2_1a4d_da54_u64),
    ] {
        let words: BTreeSet<&str> = language.tables().stop_words.index.iter().copied().collect();
        let text = words.iter().copied().collect::<Vec<_>>().join("\n");
        let found = text
            .bytes()
            .fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3));
        assert_eq!((words.len(), found), (count, fingerprint), "{}", language.name());
        assert!(Analysis::of(language).id().ends_with("-1"));
    }
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
