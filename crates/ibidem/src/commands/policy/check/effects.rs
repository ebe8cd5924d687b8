//! What is set and can never have an effect, or an effect that nobody can mean.

use crate::commands::policy::written::Written;

/// Texts that lose their point without the part that is filled in.
const PLACEHOLDERS: [(&str, &[&str]); 9] = [
    ("gather.terminology.wording.suggestion", &["{term}"]),
    ("gather.addresses.wording.not_found", &["{address}"]),
    ("gather.addresses.wording.suggestion", &["{address}"]),
    ("gather.addresses.wording.partly", &["{addresses}"]),
    ("gather.addresses.wording.shortened", &["{quoted}", "{all}"]),
    ("gather.parts.not_answered", &["{part}"]),
    ("gather.lists.wording.heading", &["{count}"]),
    ("gather.lists.wording.shortened", &["{listed}", "{all}"]),
    ("wording.stale", &["{title}", "{date}"]),
];

/// Numbers at which a whole section does nothing any more; null switches it off openly.
const NOTHING_AT_ZERO: [(&str, &str); 8] = [
    ("gather.terminology.longest_term_words", "no question would ever be about a term"),
    ("gather.addresses.quoted_passages", "a document asked for by its address would be quoted without a word"),
    ("gather.addresses.quoted_of_several", "several documents would be quoted with one passage each"),
    ("gather.addresses.longest_range", "no range of addresses would ever be found"),
    ("gather.lists.most", "every list would be empty"),
    ("gather.rewrites.most", "the planner would be asked for nothing"),
    ("gather.rewrites.max_tokens", "the planner could say nothing"),
    ("speak.max_answer_tokens", "the model could say nothing"),
];

/// Each with the setting it is about, and why.
pub(super) fn without(policy: &Written) -> Vec<String> {
    let mut found = policy.policy.rules.sift.warnings();
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
    for gate in &policy.policy.rules.sift.gates {
        if let (Some(lent), Some(least)) = (number("gather.curated.references"), gate.least_similarity())
            && lent < least
        {
            found.push(format!(
                "gather.curated.references ({lent}) is below sift.{} ({least}): \
                 what a note refers to would not pass by itself",
                gate.name()
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
                "- top1_similarity: 0.33\n    - no_context: {least_hits: 2, least_mean: 0.2}",
                "sift.no_context.least_mean (0.2) is not above sift.top1_similarity (0.33)",
            ),
            (
                "- top1_similarity: 0.33",
                "- top1_similarity: 0.33\n    - noise_floor: {otherwise: 0.4, reranked: 0.35}",
                "sift.gates: noise_floor drops after top1_similarity has looked",
            ),
            ("min_similarity: 0.3", "min_similarity: 0", "sift.min_similarity is 0"),
            ("forced_lexical: 5", "forced_lexical: 50", "gather.forced_lexical (50) is above"),
            ("sufficient_note: 0.70", "sufficient_note: 0.5", "gather.curated.sufficient_note (0.5) is below"),
            ("references: 0.75", "references: 0.2", "gather.curated.references (0.2) is below sift.top1_similarity"),
            ("longest_term_words: 5", "longest_term_words: 0", "gather.terminology.longest_term_words is 0"),
            (
                "Did you mean {address} ({title})?",
                "Did you mean it?",
                "gather.addresses.wording.suggestion has no {address}",
            ),
        ];
        for (old, new, expected) in cases {
            let changed = DEFAULT.replacen(old, new, 1);
            assert_ne!(changed, DEFAULT, "{old} is not in the policy any more");
            let found = without(&Written::parse(&changed).unwrap());
            assert!(found.iter().any(|finding| finding.starts_with(expected)), "{new}: {found:?}");
        }
    }
}
