//! The receipt is what people saw: whatever is changed in an answer of any kind, its receipt tells.

use std::collections::BTreeSet;

use ibidem_engine::receipts::Presented;
use ibidem_testing::suites::changes::{changed_once, with_names_twice};
use ibidem_words::{PublicKeys, SignatureOutcome, SigningKey};

use crate::scenarios::answer_of;

/// An answer of every kind: by a model and quoted, with warnings, flags, suggestions, what came nearest, a list, an
/// address, a term, a tool's result, a call to confirm, an owner, a draft and words that no document has to say.
const KINDS: [&str; 16] = [
    "architecture/conf_02_words_alone",
    "book/01_below_the_threshold",
    "book/04_missing_keywords_warn",
    "book/08_the_model_is_down",
    "default/address_alone",
    "default/address_unknown",
    "default/list_about",
    "default/small_talk_01_greeting",
    "default/term_01_known",
    "default/term_06_ambiguous",
    "handbook/confidence_02_routed_to_its_owner",
    "lectures/out_of_corpus",
    "reviewed/draft_01_shown_as_a_draft",
    "reviewed/draft_02_judged_well",
    "support/tool_01_price",
    "support/tool_04_confirm_first",
];

fn key() -> SigningKey {
    SigningKey::from_seed(&[1; 32]).unwrap()
}

/// Whether a reader who has only the public keys is told that this is not what was given.
fn is_noticed(json: &str) -> bool {
    let keys = PublicKeys::of([key().public().clone()]);
    let Ok(presented) = Presented::parse(json) else { return true };
    let receipt = &presented.receipt;
    let signature = keys.check(receipt.sha256, receipt.asked_at, receipt.signature.as_ref());
    !presented.tampered.is_empty() || !matches!(signature, SignatureOutcome::Valid { .. })
}

/// Of so many kinds one is changed in every place of its receipt too.
const WHOLE: usize = 5;

/// The one field that may be missing: whoever reads the answer again is not given the token anew.
const LEFT_OUT_WHEN_KEPT: &str = "/confirmation/token left out";

#[tokio::test]
async fn every_single_change_of_an_answer_of_any_kind_is_noticed() {
    let (mut actions, mut fields, mut unnoticed) = (BTreeSet::new(), BTreeSet::new(), BTreeSet::new());
    for (number, kind) in KINDS.into_iter().enumerate() {
        let (answer, _) = answer_of(kind, key()).await;
        let json = serde_json::to_value(&answer).unwrap();
        assert!(!is_noticed(&json.to_string()), "{kind}");
        // Receipts themselves are changed in every place by a test of their own: a few are enough here.
        let is_walked = |place: &str| number % WHOLE == 0 || !place.starts_with("/receipt/");
        actions.insert(format!("{:?}", answer.action));
        let changed = changed_once(&json).into_iter().map(|(place, other)| (place, other.to_string()));
        let changed = changed.chain(with_names_twice(&json));
        for (place, other) in changed.filter(|(place, _)| is_walked(place)) {
            fields.insert(place.split(' ').next().unwrap().to_owned());
            if !is_noticed(&other) {
                unnoticed.insert(place);
            }
        }
    }
    assert_eq!(actions.len(), 4, "{actions:?}");
    assert!(fields.len() > 300, "{} places were changed", fields.len());
    assert_eq!(unnoticed, BTreeSet::from([LEFT_OUT_WHEN_KEPT.to_owned()]));
}

#[tokio::test]
async fn the_answer_that_is_kept_has_the_same_receipt_and_verifies() {
    for kind in KINDS {
        let (answer, record) = answer_of(kind, key()).await;
        assert_eq!(record.answer.receipt, answer.receipt, "{kind}");
        assert!(!is_noticed(&serde_json::to_string(&record.answer).unwrap()), "{kind}");
        // As programs write it that know numbers alone: with other white space and another order of fields.
        let pretty = serde_json::to_string_pretty(&serde_json::to_value(&answer).unwrap()).unwrap();
        assert!(!is_noticed(&pretty), "{kind}");
        let receipt = answer.receipt.unwrap();
        assert_eq!((receipt.version, receipt.question.is_some()), (2, true), "{kind}");
        // Nothing that is a secret is in it.
        let token = answer.confirmation.and_then(|proposed| proposed.token);
        let written = serde_json::to_string(&receipt).unwrap();
        assert!(token.is_none_or(|token| !written.contains(token.revealed())), "{kind}");
    }
}

#[tokio::test]
async fn an_answer_that_is_changed_before_it_goes_out_is_sealed_again() {
    let (mut answer, _) = answer_of("handbook/confidence_02_routed_to_its_owner", key()).await;
    answer.route_to.as_mut().unwrap().handed_over = true;
    assert!(is_noticed(&serde_json::to_string(&answer).unwrap()));
    answer.seal_again(Some(&key()));
    assert!(!is_noticed(&serde_json::to_string(&answer).unwrap()));
}
