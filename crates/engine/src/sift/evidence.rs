//! Whether there is any evidence. No policy switches this off: nothing is ever said from nothing.

use ibidem_words::Reason;

use crate::gates::pool::{Finding, WorkingPool, format_number};
use crate::gates::top1_similarity::too_far;

pub(super) fn any(pool: &mut WorkingPool<'_>) -> Finding {
    let left = pool.kept.len();
    if !pool.record("evidence", left == 0, left as f64, 1.0) {
        return Finding::Passes;
    }
    if let Some((reason, explanation)) = pool.why_none_is_left.take() {
        return Finding::Refuses(reason, explanation);
    }
    match pool.best_found.zip(pool.strictest) {
        // Something was found, and every bit of it was too far away.
        Some((best, least)) if best < least => {
            Finding::Refuses(Reason::LowSimilarity, too_far(&format_number(best), least))
        }
        _ => {
            let explanation = "No passage was found that bears on the question (0 of at least 1)".to_owned();
            Finding::Refuses(Reason::NoResults, explanation)
        }
    }
}
