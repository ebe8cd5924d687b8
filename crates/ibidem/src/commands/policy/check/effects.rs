//! What is set and can never have an effect, or an effect that nobody can mean.

use crate::commands::policy::written::Written;

/// Texts that lose their point without the part that is filled in.
const PLACEHOLDERS: [(&str, &[&str]); 8] = [
    ("gather.terminology.wording.suggestion", &["{term}"]),
    ("gather.addresses.wording.not_found", &["{address}"]),
    ("gather.addresses.wording.suggestion", &["{address}"]),
    ("gather.addresses.wording.partly", &["{addresses}"]),
    ("gather.addresses.wording.shortened", &["{quoted}", "{all}"]),
    ("gather.lists.wording.heading", &["{count}"]),
    ("gather.lists.wording.shortened", &["{listed}", "{all}"]),
    ("wording.stale", &["{title}", "{date}"]),
];

/// Numbers at which a whole section does nothing any more; null switches it off openly.
const NOTHING_AT_ZERO: [(&str, &str); 7] = [
    ("gather.terminology.longest_term_words", "no question would ever be about a term"),
    ("gather.addresses.quoted_passages", "a document asked for by its address would be quoted without a word"),
    ("gather.addresses.longest_range", "no range of addresses would ever be found"),
    ("gather.lists.most", "every list would be empty"),
    ("gather.rewrites.most", "the planner would be asked for nothing"),
    ("gather.rewrites.max_tokens", "the planner could say nothing"),
    ("speak.max_answer_tokens", "the model could say nothing"),
];

/// Each with the setting it is about, and why.
pub(super) fn without(policy: &Written) -> Vec<String> {
    let mut found = Vec::new();
    gates(policy, &mut found);
    gathering(policy, &mut found);
    for (setting, consequence) in NOTHING_AT_ZERO {
        if policy.number(setting) == Some(0.0) {
            found.push(format!("{setting} is 0: {consequence}; null or leaving it out says so openly"));
        }
    }
    for (setting, placeholders) in PLACEHOLDERS {
        let Some(text) = policy.text(setting) else { continue };
        for placeholder in placeholders.iter().filter(|placeholder| !text.contains(*placeholder)) {
            found.push(format!("{setting} has no {placeholder}: what it is about would not be said"));
        }
    }
    found
}

/// Gates that drop candidates, each for itself.
const DROPPING: [&str; 6] = ["noise_floor", "min_similarity", "duplicates", "per_document", "collections", "keep_best"];

/// What gates that look at the whole compare with the best, or with the mean, that is left.
const LOOKING: [(&str, &str); 4] = [
    ("top1_similarity", "sift.top1_similarity"),
    ("no_context", "sift.no_context.least_mean"),
    ("coverage", "sift.coverage.bail_out"),
    ("coverage", "sift.coverage.sufficient"),
];

/// Gates that are never reached, because one before them takes everything they would stop; and those that come too
/// late to be looked after.
fn in_order(policy: &Written, found: &mut Vec<String>) {
    let mut least: Option<(String, f64)> = None;
    let mut looked: Option<&str> = None;
    for gate in &policy.gates {
        for (_, setting) in LOOKING.iter().filter(|(looking, _)| looking == gate) {
            if let (Some(number), Some((before, least))) = (policy.number(setting), &least)
                && number <= *least
            {
                found.push(format!(
                    "{setting} ({number}) is not above {before} ({least}), which stands before it: \
                     where meaning was searched, what it would stop never gets there"
                ));
            }
        }
        let drops = DROPPING.contains(&gate.as_str());
        // The best always stays: only a gate that may drop everything leaves nothing.
        let may_drop_all = matches!(gate.as_str(), "noise_floor" | "min_similarity" | "collections");
        match looked {
            Some(looked) if may_drop_all => found.push(format!(
                "sift.gates: {gate} drops after {looked} has looked: what is left may be nothing, and no gate sees it"
            )),
            None if !drops => looked = Some(gate),
            _ => {}
        }
        let setting = format!("sift.{gate}");
        let number = policy.number(&setting).filter(|_| matches!(gate.as_str(), "min_similarity" | "top1_similarity"));
        if let Some(number) = number.filter(|number| least.as_ref().is_none_or(|(_, least)| number > least)) {
            least = Some((setting, number));
        }
    }
}

fn gates(policy: &Written, found: &mut Vec<String>) {
    in_order(policy, found);
    let number = |setting: &str| policy.number(setting);
    let least = number("sift.min_similarity");
    for floor in ["sift.noise_floor.otherwise", "sift.noise_floor.reranked"] {
        if let (Some(noise), Some(least)) = (number(floor), least)
            && noise <= least
        {
            found.push(format!(
                "{floor} ({noise}) is not above sift.min_similarity ({least}), which drops the same and more"
            ));
        }
    }
    if number("sift.duplicates") == Some(1.0) {
        found.push(
            "sift.duplicates is 1: no two texts are more alike than that; leaving the gate out says so openly"
                .to_owned(),
        );
    }
    for setting in
        ["sift.noise_floor.otherwise", "sift.noise_floor.reranked", "sift.min_similarity", "sift.top1_similarity"]
    {
        if number(setting) == Some(0.0) {
            found.push(format!(
                "{setting} is 0: next to nothing is below it; leaving the gate out says openly that it is off"
            ));
        }
    }
}

fn gathering(policy: &Written, found: &mut Vec<String>) {
    let number = |setting: &str| policy.number(setting);
    if let (Some(forced), Some(hits)) = (number("gather.forced_lexical"), number("gather.hits_per_lane"))
        && forced > hits
    {
        found.push(format!(
            "gather.forced_lexical ({forced}) is above gather.hits_per_lane ({hits}): so many are never found"
        ));
    }
    if let (Some(note), Some(sufficient)) = (number("gather.curated.note"), number("gather.curated.sufficient_note"))
        && sufficient < note
    {
        found.push(format!(
            "gather.curated.sufficient_note ({sufficient}) is below gather.curated.note ({note}): \
             no note between them is ever looked at"
        ));
    }
    for gate in ["sift.min_similarity", "sift.top1_similarity"] {
        if let (Some(lent), Some(least)) = (number("gather.curated.references"), number(gate))
            && lent < least
        {
            found.push(format!(
                "gather.curated.references ({lent}) is below {gate} ({least}): \
                 what a note refers to would not pass by itself"
            ));
        }
    }
    for setting in ["gather.topics.least_confidence", "gather.topics.least_similarity"] {
        if number(setting).is_some_and(|share| share > 1.0) {
            found.push(format!("{setting} is above 1: no question would ever reach it"));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const DEFAULT: &str = include_str!("../../../../../../policies/default.yaml");

    #[test]
    fn the_shipped_policies_have_nothing_without_effect() {
        for (name, text) in crate::compose::SHIPPED_POLICIES {
            assert_eq!(without(&Written::parse(text).unwrap()), Vec::<String>::new(), "{name}");
        }
    }

    #[test]
    fn each_setting_without_effect_is_named_with_the_reason() {
        let cases = [
            ("top1_similarity: 0.33", "top1_similarity: 0.3", "sift.top1_similarity (0.3) is not above"),
            (
                "- min_similarity: 0.3",
                "- noise_floor: {otherwise: 0.2, reranked: 0.35}\n    - min_similarity: 0.3",
                "sift.noise_floor.otherwise (0.2) is not above sift.min_similarity (0.3)",
            ),
            ("duplicates: 0.9", "duplicates: 1.0", "sift.duplicates is 1"),
            (
                "- top1_similarity: 0.33",
                "- top1_similarity: 0.33\n    - coverage: {sufficient: 0.5, least_of_kind: 1, confident: 0.6, bail_out: 0.33}",
                "sift.coverage.bail_out (0.33) is not above sift.top1_similarity (0.33)",
            ),
            (
                "- top1_similarity: 0.33",
                "- no_context: {least_hits: 2, least_mean: 0.2}\n    - top1_similarity: 0.33",
                "sift.no_context.least_mean (0.2) is not above sift.min_similarity (0.3)",
            ),
            (
                "- top1_similarity: 0.33",
                "- top1_similarity: 0.33\n    - noise_floor: {otherwise: 0.4, reranked: 0.35}",
                "sift.gates: noise_floor drops after top1_similarity has looked",
            ),
            ("min_similarity: 0.3", "min_similarity: 0", "sift.min_similarity is 0"),
            ("forced_lexical: 5", "forced_lexical: 50", "gather.forced_lexical (50) is above"),
            ("sufficient_note: 0.70", "sufficient_note: 0.5", "gather.curated.sufficient_note (0.5) is below"),
            ("references: 0.75", "references: 0.2", "gather.curated.references (0.2) is below sift.min_similarity"),
            ("longest_term_words: 5", "longest_term_words: 0", "gather.terminology.longest_term_words is 0"),
            ("Did you mean {address}?", "Did you mean it?", "gather.addresses.wording.suggestion has no {address}"),
        ];
        for (old, new, expected) in cases {
            let changed = DEFAULT.replacen(old, new, 1);
            assert_ne!(changed, DEFAULT, "{old} is not in the policy any more");
            let found = without(&Written::parse(&changed).unwrap());
            assert!(found.iter().any(|finding| finding.starts_with(expected)), "{new}: {found:?}");
        }
    }
}
