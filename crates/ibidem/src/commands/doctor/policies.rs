//! The policies of tenants: those that ask for more or less than is allowed now.

use ibidem_engine::policy::{Policy, PolicyLimits};
use ibidem_store::{PolicyOfTenant, Store};

use super::Finding;
use crate::settings::Settings;

const PART: &str = "policies of tenants";

/// None where there are none.
pub(super) async fn policies_of_tenants(settings: &Settings, store: &Store) -> Option<Finding> {
    match store.policies_of_tenants().await {
        Ok(placed) if placed.is_empty() => None,
        Ok(placed) => Some(looked_at(&placed, &settings.policy.of_tenants())),
        Err(error) => Some(Finding::broken(PART, error.to_string(), "check the database")),
    }
}

fn looked_at(placed: &[PolicyOfTenant], limits: &PolicyLimits) -> Finding {
    let (mut changed, mut unusable) = (Vec::new(), Vec::new());
    for one in placed {
        let collection = one.collection.as_ref().map(|name| format!(", collection {name}")).unwrap_or_default();
        let place = format!("{} of the tenant {}{collection}", one.name, one.tenant);
        match Policy::of_stored(&one.texts, limits) {
            Ok((_, problems)) if problems.is_empty() => {}
            Ok((_, problems)) => changed.push(format!("{place}: {}", problems.join("; "))),
            Err(error) => unusable.push(format!("{place}: {error}")),
        }
    }
    if !unusable.is_empty() {
        let mend = "questions there are refused until a policy file is set that can be used: `ibidem policies set`";
        return Finding::broken(PART, unusable.join("\n"), mend);
    }
    if !changed.is_empty() {
        let mend = "what is allowed is in force in their place; set corrected files, or change `policy.of_tenants`";
        return Finding::warning(PART, changed.join("\n"), mend);
    }
    Finding::ok(PART, format!("{} in force, as they were set", placed.len()))
}

#[cfg(test)]
mod tests {
    use ibidem_engine::policy::shipped_policy;
    use ibidem_words::PolicyTexts;

    use super::super::State;
    use super::*;

    fn placed(changes: &[(&str, &str)]) -> Vec<PolicyOfTenant> {
        let text = shipped_policy("default").unwrap().to_owned();
        let policy = changes.iter().fold(text, |text, (old, new)| text.replacen(old, new, 1));
        let texts = PolicyTexts { policy, thresholds: None };
        vec![PolicyOfTenant {
            tenant: "acme".to_owned(),
            collection: Some("ADR".to_owned()),
            name: "own".to_owned(),
            texts,
        }]
    }

    #[test]
    fn a_stored_policy_that_asks_for_too_much_is_named_with_its_place_and_numbers() {
        let limits = PolicyLimits::default();
        assert!(looked_at(&placed(&[]), &limits).state == State::Ok);
        let finding = looked_at(&placed(&[("hits_per_lane: 12", "hits_per_lane: 10000000")]), &limits);
        assert!(finding.state == State::Warning);
        let expected =
            "own of the tenant acme, collection ADR: gather.hits_per_lane is 10000000; it must be from 1 to 200";
        assert_eq!(finding.found, expected);
        let strict = PolicyLimits { most_answer_tokens: 100, ..limits };
        assert!(
            looked_at(&placed(&[]), &strict).found.ends_with("speak.max_answer_tokens is 512; it must be at most 100")
        );
        assert!(looked_at(&placed(&[("name: default", "nam: default")]), &limits).state == State::Broken);
    }
}
