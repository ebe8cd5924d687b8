//! Where questions are handed to: whether each target can be used, and what could not be sent.

use ibidem_store::Store;

use super::Finding;
use crate::compose;
use crate::settings::Settings;

const PART: &str = "hand-over";

/// One finding for each target, and one for the queue; none where nothing is handed over. No question is sent.
pub(super) async fn hand_over(settings: &Settings, store: Option<&Store>) -> Vec<Finding> {
    let targets = &settings.hand_over.targets;
    let mut findings = Vec::new();
    for name in targets.keys() {
        let mend = format!("correct `hand_over.targets.{name}`; questions wait and are sent again until then");
        let checked = match compose::hand_over::target(name, settings) {
            Ok(target) => target.check(settings.hand_over.timeout_ms.get()).await.map_err(|error| error.to_string()),
            Err(error) => Err(format!("{error:#}")),
        };
        findings.push(match checked {
            Ok(found) => Finding::ok(PART, format!("{name}: {found}")),
            Err(error) => Finding::broken(PART, format!("{name}: {error}"), mend),
        });
    }
    if let (Some(store), false) = (store, targets.is_empty()) {
        findings.push(queue(store).await);
    }
    findings
}

async fn queue(store: &Store) -> Finding {
    let counts = match store.hand_over_counts().await {
        Ok(counts) => counts,
        Err(error) => return Finding::broken(PART, error.to_string(), "run `ibidem migrate`"),
    };
    let sum = |number: fn(&ibidem_store::HandOverCounts) -> u64| counts.iter().map(number).sum::<u64>();
    let (waiting, sent, failed) = (sum(|it| it.waiting), sum(|it| it.sent), sum(|it| it.failed));
    let found = format!("{waiting} questions wait, {sent} were sent, {failed} were given up");
    match failed {
        0 => Finding::ok(PART, found),
        _ => Finding::warning(PART, found, "`ibidem hand-over` says why; `ibidem hand-over --retry` sends them again"),
    }
}
