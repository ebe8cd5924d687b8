use super::*;

fn classified(labels: &[&str], logits: &[f32]) -> Classification {
    Labels::named(labels).unwrap().classification(logits)
}

#[test]
fn labels_count_by_their_names_in_any_order_and_case() {
    // Of eight parts one, two and five.
    let (one, two, five) = (0.0, 2.0_f32.ln(), 5.0_f32.ln());
    let cases: [(&[&str], [f32; 3], Support, f32); 7] = [
        (&["entailment", "neutral", "contradiction"], [five, one, two], Support::Supported, 0.625),
        (&["contradiction", "entailment", "neutral"], [one, five, two], Support::Supported, 0.625),
        (&["CONTRADICTION", "NEUTRAL", "ENTAILMENT"], [five, one, two], Support::Contradicted, 0.25),
        (&["Contradiction", "Neutral", "Entailment"], [one, five, two], Support::Unknown, 0.25),
        (&["SUPPORTS", "REFUTES", "NOT ENOUGH INFO"], [one, five, two], Support::Contradicted, 0.125),
        (&["refuted", "not_enough_info", "supported"], [two, one, five], Support::Supported, 0.625),
        (&["entailed", "nei", "contradicted"], [one, five, two], Support::Unknown, 0.125),
    ];
    for (labels, logits, support, score) in cases {
        let classification = classified(labels, &logits);
        assert_eq!(classification.support, support, "{labels:?} {classification:?}");
        assert!((classification.score - score).abs() < 1e-6, "{labels:?} {classification:?}");
    }
}

#[test]
fn the_likeliest_of_three_is_not_yet_supported() {
    let classification = classified(&["entailment", "neutral", "contradiction"], &[0.2, 0.1, 0.1]);
    assert!(classification.score > 1.0 / 3.0 && classification.support == Support::Unknown, "{classification:?}");
}

#[test]
fn two_labels_and_one_score_do_as_well() {
    let three_quarters = 3.0_f32.ln();
    for labels in [["entailment", "not_entailment"], ["consistent", "hallucinated"], ["Supported", "Not Supported"]] {
        let classification = classified(&labels, &[three_quarters, 0.0]);
        assert!(
            (classification.score - 0.75).abs() < 1e-6 && classification.support == Support::Supported,
            "{labels:?}"
        );
        let turned = [labels[1], labels[0]];
        let classification = classified(&turned, &[three_quarters, 0.0]);
        assert!((classification.score - 0.25).abs() < 1e-6 && classification.support == Support::Unknown, "{turned:?}");
    }
    for labels in [&[][..], &["LABEL_0"], &["consistent"]] {
        let classification = classified(labels, &[three_quarters]);
        assert!(
            (classification.score - 0.75).abs() < 1e-6 && classification.support == Support::Supported,
            "{labels:?}"
        );
        assert_eq!(classified(labels, &[-three_quarters]).support, Support::Unknown);
    }
}

#[test]
fn the_largest_logits_give_scores_and_not_nonsense() {
    let labels = ["entailment", "neutral", "contradiction"];
    assert_eq!(classified(&labels, &[1e30, -1e30, 0.0]), Classification { support: Support::Supported, score: 1.0 });
    assert_eq!(classified(&labels, &[-1e30, 0.0, 1e30]), Classification { support: Support::Contradicted, score: 0.0 });
    assert_eq!(classified(&[], &[-1e30]).score, 0.0);
    assert_eq!(classified(&[], &[1e30]).score, 1.0);
}

#[test]
fn labels_that_do_not_say_what_they_mean_are_refused_with_what_to_do() {
    let cases: [(&[&str], &str); 7] = [
        (&["LABEL_0", "LABEL_1", "LABEL_2"], "name them in id2label"),
        (&["entailment", "label_1"], "name them in id2label"),
        (
            &["positive", "negative"],
            "its label \"positive\" says nothing about support; labels that do are: entailment",
        ),
        (&["neutral", "contradiction"], "none of its labels means support: neutral, contradiction"),
        (&["contradiction"], "none of its labels means support: contradiction"),
        (&["toxic"], "its label \"toxic\" says nothing about support"),
        (&["entailment", "supported"], "more than one of its labels means support"),
    ];
    for (labels, said) in cases {
        let refused = Labels::named(labels).err().unwrap();
        assert!(refused.contains(said), "{refused}");
    }
}
