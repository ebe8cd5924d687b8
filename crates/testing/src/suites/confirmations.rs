//! What every keeper of confirmations must do.

use chrono::{DateTime, TimeDelta, Utc};
use futures::future::join_all;
use serde_json::{Map, Value, json};
use uuid::Uuid;

use ibidem_ports::confirmations::{CallToConfirm, Confirmations, Confirmed, Confirmer, FormerCall, Proposal};
use ibidem_words::{ConfirmationToken, Sha256Hash, Subject, TenantId};

const LIFE: TimeDelta = TimeDelta::minutes(5);

/// # Panics
/// When it does not behave as the port says.
pub async fn check(confirmations: &dyn Confirmations, tenants: [TenantId; 2]) {
    let at = "2026-05-04T09:00:00Z".parse().unwrap();
    a_token_gives_the_call_as_it_was_proposed_once(confirmations, tenants[0], at).await;
    nobody_elses_word_counts(confirmations, tenants, at).await;
    a_token_has_an_end(confirmations, tenants[0], at).await;
    of_many_that_try_at_once_one_gets_the_call(confirmations, tenants[0], at).await;
}

fn by(tenant: TenantId, asker: &str, conversation: Option<&str>) -> Confirmer {
    Confirmer { tenant, asker: Subject::for_tests(asker).id(), conversation: conversation.map(str::to_owned) }
}

fn proposal(by: Confirmer, at: DateTime<Utc>) -> Proposal {
    let arguments: Map<String, Value> =
        serde_json::from_value(json!({"invoice_id": "INV-20251001", "amount_pln": 150.5, "copies": 2})).unwrap();
    let call = CallToConfirm {
        call_id: Uuid::from_u128(7),
        server: "desk".to_owned(),
        tool: "open_refund_case".to_owned(),
        pin: Sha256Hash::of(b"described"),
        arguments,
    };
    Proposal { by, call, expires_at: at + LIFE }
}

fn former(proposal: &Proposal) -> FormerCall {
    let CallToConfirm { call_id, server, tool, .. } = proposal.call.clone();
    FormerCall { call_id, server, tool }
}

async fn a_token_gives_the_call_as_it_was_proposed_once(
    confirmations: &dyn Confirmations,
    tenant: TenantId,
    at: DateTime<Utc>,
) {
    for conversation in [None, Some("talk")] {
        let proposal = proposal(by(tenant, "anna", conversation), at);
        let (token, other) =
            (confirmations.propose(&proposal).await.unwrap(), confirmations.propose(&proposal).await.unwrap());
        assert_ne!(token, other, "each proposal has a token of its own");
        let first = confirmations.confirm(&token, &proposal.by, at).await.unwrap();
        assert_eq!(first, Confirmed::Call(proposal.call.clone()));
        for later in [TimeDelta::zero(), LIFE * 2] {
            let again = confirmations.confirm(&token, &proposal.by, at + later).await.unwrap();
            assert_eq!(again, Confirmed::Used(former(&proposal)));
        }
        let second = confirmations.confirm(&other, &proposal.by, at).await.unwrap();
        assert_eq!(second, Confirmed::Call(proposal.call.clone()), "the other one is not used up by it");
    }
}

async fn nobody_elses_word_counts(confirmations: &dyn Confirmations, [one, other]: [TenantId; 2], at: DateTime<Utc>) {
    let proposal = proposal(by(one, "anna", Some("talk")), at);
    let token = confirmations.propose(&proposal).await.unwrap();
    for stranger in [
        by(one, "ben", Some("talk")),
        by(other, "anna", Some("talk")),
        by(one, "anna", Some("another talk")),
        by(one, "anna", Some("")),
        by(one, "anna", None),
    ] {
        let taken = confirmations.confirm(&token, &stranger, at).await.unwrap();
        assert_eq!(taken, Confirmed::Unknown, "{stranger:?}");
    }
    let made_up = ConfirmationToken::of([3; 16]);
    assert_eq!(confirmations.confirm(&made_up, &proposal.by, at).await.unwrap(), Confirmed::Unknown);
    let own = confirmations.confirm(&token, &proposal.by, at).await.unwrap();
    assert_eq!(own, Confirmed::Call(proposal.call), "no stranger has used it up");
}

async fn a_token_has_an_end(confirmations: &dyn Confirmations, tenant: TenantId, at: DateTime<Utc>) {
    let proposal = proposal(by(tenant, "anna", None), at);
    let token = confirmations.propose(&proposal).await.unwrap();
    let late = confirmations.confirm(&token, &proposal.by, at + LIFE).await.unwrap();
    assert_eq!(late, Confirmed::Expired(former(&proposal)));
    let in_time = confirmations.confirm(&token, &proposal.by, at + LIFE - TimeDelta::seconds(1)).await.unwrap();
    assert_eq!(in_time, Confirmed::Call(proposal.call));
}

async fn of_many_that_try_at_once_one_gets_the_call(
    confirmations: &dyn Confirmations,
    tenant: TenantId,
    at: DateTime<Utc>,
) {
    let proposal = proposal(by(tenant, "anna", Some("talk")), at);
    let token = confirmations.propose(&proposal).await.unwrap();
    let tries = (0..20).map(|_| confirmations.confirm(&token, &proposal.by, at));
    let taken: Vec<Confirmed> = join_all(tries).await.into_iter().map(Result::unwrap).collect();
    let calls = taken.iter().filter(|taken| matches!(taken, Confirmed::Call(_))).count();
    let used = taken.iter().filter(|taken| matches!(taken, Confirmed::Used(_))).count();
    assert_eq!((calls, used), (1, 19));
}
