//! Whose turn it is at a model that tenants share: of those who wait, theirs who had least of it lately.
//!
//! Who asks now and then is served at once beside whoever asks without a pause, and two who ask without a pause have half
//! each.

use std::collections::HashMap;
use std::time::Duration;

use ibidem_ports::clock::{self, Instant};
use ibidem_words::TenantId;

/// After so long, half of what somebody had is forgotten.
const HALF_LIFE: Duration = Duration::from_secs(10);
/// Who had fewer tokens than this has had none.
const NOTHING: f64 = 1.0;

/// The tokens that each tenant's work had lately. Work that is nobody's counts as one more tenant's.
pub(super) struct Turns {
    had: HashMap<Option<TenantId>, f64>,
    at: Instant,
}

impl Default for Turns {
    fn default() -> Self {
        Self { had: HashMap::new(), at: clock::now() }
    }
}

impl Turns {
    /// Notes what a tenant has now.
    pub(super) fn note(&mut self, tenant: Option<TenantId>, tokens: usize) {
        self.forget();
        #[expect(clippy::cast_precision_loss, reason = "a batch has far fewer tokens than a float has digits")]
        let tokens = tokens as f64;
        *self.had.entry(tenant).or_default() += tokens;
    }

    /// Who of them comes first; the first of those who had as much.
    pub(super) fn first(&self, waiting: impl Iterator<Item = Option<TenantId>>) -> Option<Option<TenantId>> {
        waiting.min_by(|one, other| self.had(*one).total_cmp(&self.had(*other)))
    }

    fn had(&self, tenant: Option<TenantId>) -> f64 {
        self.had.get(&tenant).copied().unwrap_or_default()
    }

    fn forget(&mut self) {
        let now = clock::now();
        let left = 0.5_f64.powf(now.duration_since(self.at).as_secs_f64() / HALF_LIFE.as_secs_f64());
        self.at = now;
        self.had.retain(|_, had| {
            *had *= left;
            *had >= NOTHING
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LARGE: Option<TenantId> = Some(TenantId(uuid::Uuid::from_u128(1)));
    const SMALL: Option<TenantId> = Some(TenantId(uuid::Uuid::from_u128(2)));

    #[tokio::test(start_paused = true)]
    async fn who_had_least_lately_comes_first() {
        let mut turns = Turns::default();
        assert_eq!(turns.first([LARGE, SMALL].into_iter()), Some(LARGE), "both had nothing");
        turns.note(LARGE, 300);
        assert_eq!(turns.first([LARGE, SMALL].into_iter()), Some(SMALL));
        turns.note(SMALL, 200);
        assert_eq!(turns.first([LARGE, SMALL].into_iter()), Some(SMALL), "it still had less");
        turns.note(SMALL, 200);
        assert_eq!(turns.first([LARGE, SMALL].into_iter()), Some(LARGE));
        assert_eq!(turns.first(std::iter::empty()), None);
    }

    #[tokio::test(start_paused = true)]
    async fn what_somebody_had_is_forgotten() {
        let mut turns = Turns::default();
        turns.note(LARGE, 1_000);
        clock::wait(3 * HALF_LIFE).await;
        turns.note(SMALL, 200);
        assert_eq!(turns.first([SMALL, LARGE].into_iter()), Some(LARGE), "125 are left of them");
        clock::wait(20 * HALF_LIFE).await;
        turns.note(SMALL, 1);
        assert_eq!(turns.had.len(), 1, "nobody is kept for ever");
    }
}
