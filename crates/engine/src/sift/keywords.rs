//! Keyword sufficiency: words the asker used that the evidence does not have.

use ibidem_language::PresentTerms;
use ibidem_words::{GateRecord, Verdict};

use super::dropping::Dropping;

/// Warns, and never refuses: a passage may answer in other words.
pub(super) fn warn(pool: &mut Dropping, most_missing: f64) -> Option<String> {
    if pool.terms.is_empty() {
        return None;
    }
    let mut present = PresentTerms::default();
    for candidate in &mut pool.kept {
        present.add(&candidate.read(&pool.terms).present);
    }
    let missing = pool.terms.missing_from(&present);
    let share = missing.len() as f64 / pool.terms.len() as f64;
    let warns = !missing.is_empty() && share >= most_missing;
    pool.trace.push(GateRecord {
        gate: "keywords".to_owned(),
        verdict: if warns { Verdict::Warn } else { Verdict::Pass },
        observed: share,
        threshold: most_missing,
    });
    warns.then(|| format!("The sources do not mention: {}", missing.join(", ")))
}
