//! Policies that inherit from one that comes with the program: `extends: default`, and what differs.
//!
//! What is in force, kept, hashed and replayed is the whole text that comes of it, so that a later program with another
//! base changes no decision that was made.

use serde_json::{Map, Value};

use super::PolicyError;
use super::bounds::tree;

/// The policies that come with the program, by name.
pub const SHIPPED_POLICIES: [(&str, &str); 7] = [
    ("architecture", include_str!("../../../../policies/architecture.yaml")),
    ("book", include_str!("../../../../policies/book.yaml")),
    ("default", include_str!("../../../../policies/default.yaml")),
    ("handbook", include_str!("../../../../policies/handbook.yaml")),
    ("lectures", include_str!("../../../../policies/lectures.yaml")),
    ("reviewed", include_str!("../../../../policies/reviewed.yaml")),
    ("support", include_str!("../../../../policies/support.yaml")),
];

/// The text of a policy that comes with the program.
pub fn shipped_policy(named: &str) -> Option<&'static str> {
    SHIPPED_POLICIES.iter().find(|(name, _)| *name == named).map(|(_, text)| *text)
}

/// The key that names what a policy inherits from.
const EXTENDS: &str = "extends";
/// What a policy never inherits: its name, what it is for, and a bound that was shown for other numbers.
const ITS_OWN: [&str; 3] = ["name", "about", "calibration"];

/// The texts, and the same in other languages.
const WORDING: &str = "wording";
const TRANSLATIONS: &str = "in_other_languages";

/// The text with what it inherits; as it is where it inherits nothing.
pub(super) fn whole(text: &str) -> Result<Option<String>, PolicyError> {
    let unreadable = |problem: String| PolicyError::Unreadable(problem);
    // A text that is no mapping is refused with better words by whoever reads it as a policy.
    let Ok(Value::Object(mut own)) = tree(text) else { return Ok(None) };
    let Some(base) = own.remove(EXTENDS) else { return Ok(None) };
    let Some(base) = base.as_str().and_then(shipped_policy) else {
        let names: Vec<&str> = SHIPPED_POLICIES.iter().map(|(name, _)| *name).collect();
        return Err(unreadable(format!(
            "`extends` is {base}; it must be one of the policy files that come with the program: {}",
            names.join(", ")
        )));
    };
    // A policy that comes with the program may itself inherit.
    let inherited = whole(base)?;
    let base = inherited.as_deref().unwrap_or(base);
    let Value::Object(mut merged) = tree(base)? else { return Err(unreadable("its base is no policy".to_owned())) };
    for key in ITS_OWN {
        merged.remove(key);
    }
    // Who has words of their own may have them in any language: what is inherited would be said instead of them.
    if own.contains_key(WORDING) {
        merged.remove(TRANSLATIONS);
    }
    lay_over(&mut merged, own);
    serde_json::to_string_pretty(&Value::Object(merged)).map(Some).map_err(|error| unreadable(error.to_string()))
}

/// Sections are laid over each other key by key; what is anything else replaces what was there. A list is one whole: the
/// gates of a policy that has any are its own.
fn lay_over(base: &mut Map<String, Value>, own: Map<String, Value>) {
    for (key, value) in own {
        match (base.get_mut(&key), value) {
            (Some(Value::Object(base)), Value::Object(own)) => lay_over(base, own),
            (_, value) => {
                base.insert(key, value);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::{KeepBest, MinSimilarity, Policy, VerificationMode};
    use super::*;

    const OWN: &str =
        "extends: default\nname: ours\nabout: Ours.\nspeak: {confidence: {cite_from: 70}}\nwording: {refusal: No.}\n";

    #[test]
    fn a_policy_says_what_differs_and_inherits_the_rest() {
        let (default, ours) = (Policy::parse(SHIPPED_POLICIES[2].1).unwrap(), Policy::parse(OWN).unwrap());
        assert_eq!((ours.rules.name.as_str(), ours.rules.about.as_str()), ("ours", "Ours."));
        assert_eq!(ours.rules.wording.refusal, "No.");
        let confidence = ours.rules.speak.confidence.as_ref().unwrap();
        assert_eq!((confidence.cite_from, confidence.weights.coverage), (70.0, 40.0));
        assert_eq!((&ours.rules.gather, &ours.rules.sift), (&default.rules.gather, &default.rules.sift));
        assert_eq!(ours.rules.speak.system_prompt, default.rules.speak.system_prompt);
        assert_ne!(ours.hash, default.hash);
    }

    #[test]
    fn a_mode_that_is_off_is_a_word() {
        let text = OWN.replace("speak: {", "speak: {verification: {mode: off}, ");
        assert_eq!(Policy::parse(&text).unwrap().rules.speak.verification.mode, VerificationMode::Off);
    }

    #[test]
    fn a_list_is_replaced_and_a_section_can_be_switched_off() {
        let text =
            format!("{OWN}sift: {{gates: [{{min_similarity: 0.2}}], left_to_reader: []}}\ngather: {{curated: null}}\n");
        let ours = Policy::parse(&text).unwrap();
        assert_eq!(ours.rules.sift.gates.len(), 1);
        assert_eq!(ours.rules.sift.rules_of::<MinSimilarity>().next().unwrap().0, 0.2);
        assert!(ours.rules.sift.rules_of::<KeepBest>().next().is_none());
        assert!(ours.rules.gather.curated.is_none());
    }

    #[test]
    fn what_is_kept_is_whole_and_reads_the_same_without_its_base() {
        let ours = Policy::parse(OWN).unwrap();
        assert!(!ours.texts.policy.contains("extends"), "{}", ours.texts.policy);
        let again = Policy::of_texts(&ours.texts).unwrap();
        assert_eq!((again.rules, again.hash), (ours.rules, ours.hash));
    }

    #[test]
    fn every_policy_that_ships_is_itself_when_nothing_is_said_beside_its_name() {
        for (name, text) in SHIPPED_POLICIES {
            let base = Policy::parse(text).unwrap().rules;
            let about = serde_json::to_string(&base.about).unwrap();
            let same = Policy::parse(&format!("extends: {name}\nname: {}\nabout: {about}\n", base.name)).unwrap();
            assert_eq!(same.rules, base, "{name}");
        }
    }

    #[test]
    fn a_base_that_does_not_ship_and_a_name_that_is_missing_are_refused() {
        let error = Policy::parse(&OWN.replace("extends: default", "extends: ../secret.yaml")).unwrap_err().to_string();
        assert!(error.contains("must be one of") && error.contains("handbook"), "{error}");
        let error = Policy::parse(&OWN.replace("name: ours\n", "")).unwrap_err().to_string();
        assert!(error.contains("name"), "{error}");
        let error = Policy::parse(&format!("{OWN}speek: {{}}\n")).unwrap_err().to_string();
        assert!(error.contains("speek"), "{error}");
    }
}
