//! No number of a policy file is taken without a least and a most.

use super::super::{Policy, PolicyError, SHIPPED_POLICIES, shipped_policy};
use super::*;

/// A policy that has every key of the table, each with its least.
fn policy_with_everything() -> Value {
    let text = shipped_policy("default").unwrap();
    let mut tree: Value = super::tree(text).unwrap();
    let section = |key: &str, value: &str, tree: &mut Value| {
        let path: Vec<String> = key.split('.').map(str::to_owned).collect();
        put(tree, &path, serde_json::from_str(value).unwrap());
    };
    section("gather.rewrites", r#"{"most": 1, "max_tokens": 20, "prompt": "Other words."}"#, &mut tree);
    section("gather.rerank.reserves", r#"{"lecture": 1}"#, &mut tree);
    section(
        "gather.topics",
        r#"{"least_confidence": 0, "least_similarity": 0, "step": 0.1, "wording": {"clarify": "a", "out_of_scope": "b"},
            "topics": [{"name": "a", "about": "a", "exemplars": ["a"]}]}"#,
        &mut tree,
    );
    let gates = r#"[{"per_document": 3}, {"no_context": {"least_hits": 1, "least_mean": 0.1, "of_best": 2}},
        {"coverage": {"sufficient": 0.5, "least_of_kind": 1, "confident": 0.6, "bail_out": 0.4}}]"#;
    section("sift", &format!(r#"{{"gates": {gates}}}"#), &mut tree);
    section(
        "gather.tools",
        r#"[{"name": "price", "server": "desk", "tool": "price", "tags": ["staff"], "arguments": [],
             "pinned": "0000000000000000000000000000000000000000000000000000000000000000",
             "wording": {"answer": "It costs {price}.", "absent": "There is none.", "missing": "What is missing:"}}]"#,
        &mut tree,
    );
    tree
}

/// Where a key of the table stands in that policy.
fn path_of(key: &str) -> Vec<String> {
    let gate = |place: &str| key.replacen("sift.", &format!("sift.gates.{place}."), 1);
    let key = match key.split('.').nth(1) {
        Some("per_document") => gate("0"),
        Some("no_context") => gate("1"),
        Some("coverage") => gate("2"),
        _ => key.replace("[]", ".0").replace('*', "lecture"),
    };
    key.split('.').map(str::to_owned).collect()
}

fn problems_in(tree: &Value) -> String {
    match Policy::parse(&serde_json::to_string(tree).unwrap()) {
        Ok(_) => String::new(),
        Err(error) => error.to_string(),
    }
}

#[test]
fn a_number_beyond_its_bounds_is_refused_by_key_value_and_bounds() {
    let whole = policy_with_everything();
    assert_eq!(problems_in(&whole), "");
    for Bound { key, least, most } in BOUNDS {
        // Their sections say one thing in two ways, or belong to a file that was calibrated.
        if key.starts_with("calibration.")
            || key.starts_with("sift.keep_best.")
            || key.ends_with("_judged")
            || key.ends_with(".judge")
        {
            continue;
        }
        for value in [least - 1.0, most + 1.0] {
            let mut tree = whole.clone();
            put(&mut tree, &path_of(key), number(value));
            let problems = problems_in(&tree);
            let (shown, is_negative) = (key.replace("[]", "[0]").replace('*', "lecture"), value < 0.0);
            let is_named = problems.contains(&format!("{shown} is {value}; it must be from {least} to {most}"));
            // A count below nothing is no count, and the reader of the file says so, with the line.
            assert!(is_named || (is_negative && problems.contains("cannot be read")), "{key} = {value}: {problems}");
        }
    }
}

#[test]
fn what_brought_the_machine_down_is_refused_by_name() {
    let huge = [
        ("hits_per_lane: 12", "hits_per_lane: 10000000", "gather.hits_per_lane is 10000000; it must be from 1 to 200"),
        ("pool: 16\n    keep", "pool: 1000000\n    keep", "gather.rerank.pool is 1000000; it must be from 1 to 100"),
        ("keep: 16", "keep: 1000000", "gather.rerank.keep is 1000000; it must be from 1 to 100"),
        ("per_document: 3", "per_document: 1000000", "sift.per_document is 1000000; it must be from 1 to 100"),
        ("per_document: 3", "per_document: 0", "sift.per_document is 0; it must be from 1 to 100"),
        ("max_answer_tokens: 512", "max_answer_tokens: 4000000000", "speak.max_answer_tokens is 4000000000"),
        (
            "keep_best: max_context_chunks",
            "keep_best: {at_least: 21}",
            "sift.keep_best.at_least is 21; it must be from 1 to 20",
        ),
        (
            "keep_best: max_context_chunks",
            "keep_best: {diverse: {at_least: 0, likeness: 0.3}}",
            "sift.keep_best.diverse.at_least is 0",
        ),
        ("temperature: 0.1", "temperature: 2.1", "speak.temperature is 2.1; it must be from 0 to 2"),
    ];
    for (old, new, expected) in huge {
        let text = shipped_policy("default").unwrap().replacen(old, new, 1);
        let Err(PolicyError::Contradictory(found)) = Policy::parse(&text) else { panic!("{new} is taken") };
        assert!(found.iter().any(|one| one.starts_with(expected)), "{new}: {found:?}");
    }
}

#[test]
fn a_number_in_other_clothes_is_refused_too() {
    for written in
        ["'10000000'", "\"10000000\"", "10_000_000", "!!int 10000000", "0x989680", "1e7", "+10000000", "!!str 10000000"]
    {
        let text =
            shipped_policy("default").unwrap().replacen("hits_per_lane: 12", &format!("hits_per_lane: {written}"), 1);
        assert!(Policy::parse(&text).is_err(), "{written}");
    }
    for written in [".nan", ".inf", "-.inf", "1e999", "!!float .nan"] {
        let text =
            shipped_policy("default").unwrap().replacen("temperature: 0.1", &format!("temperature: {written}"), 1);
        assert!(matches!(Policy::parse(&text), Err(PolicyError::Unreadable(_))), "{written}");
    }
    let anchored = shipped_policy("default").unwrap().replacen("forced_lexical: 5", "forced_lexical: &most 100", 1);
    assert!(Policy::parse(&anchored).is_err());
}

#[test]
fn a_list_that_is_too_long_is_refused_and_so_are_too_many_patterns() {
    let mut tree = policy_with_everything();
    put(&mut tree, &["wording".to_owned(), "next_steps".to_owned()], Value::from(vec!["Ask."; 21]));
    assert!(problems_in(&tree).contains("wording.next_steps has 21 entries; it must have at most 20"));

    let mut tree = policy_with_everything();
    let series = (0..20).map(|place| serde_json::json!({ "pattern": format!("S-{place}") })).collect();
    put(&mut tree, &path_of("gather.addresses.series"), Value::Array(series));
    let topic = |place: usize| {
        let patterns: Vec<String> = (0..9).map(|pattern| format!("t{place}p{pattern}")).collect();
        serde_json::json!({ "name": place.to_string(), "about": "a", "exemplars": ["a"], "patterns": patterns })
    };
    put(&mut tree, &path_of("gather.topics.topics"), Value::Array((0..5).map(topic).collect()));
    assert!(
        problems_in(&tree).contains("gather has 65 regular expressions; it must have at most 64"),
        "{}",
        problems_in(&tree)
    );
}

#[test]
fn what_was_stored_is_brought_to_its_nearest_bounds_and_nothing_else_changes() {
    for (name, text) in SHIPPED_POLICIES {
        assert_eq!(bring_within(&mut tree(text).unwrap()), [], "{name}");
    }
    let text = shipped_policy("default").unwrap();
    let stored = text.replacen("per_document: 3", "per_document: 0", 1).replacen("rows: 3", "rows: 1000", 1);
    let mut within = tree(&stored).unwrap();
    let changed: Vec<String> = bring_within(&mut within).iter().map(ToString::to_string).collect();
    let rows = "gather.rerank.rows is 1000; it must be from 0 to 10";
    assert_eq!(changed, [rows, "sift.per_document is 0; it must be from 1 to 100"]);
    let expected = text.replacen("per_document: 3", "per_document: 1", 1).replacen("rows: 3", "rows: 10", 1);
    let within = serde_json::to_string(&within).unwrap();
    assert_eq!(Policy::parse(&within).unwrap().rules, Policy::parse(&expected).unwrap().rules);
}
