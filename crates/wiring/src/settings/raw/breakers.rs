//! The section `breakers`.

use std::time::Duration;

use ibidem_ports::degrade::BreakerSettings;
use serde::Deserialize;

use super::Problems;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct RawBreakers {
    failures: u32,
    open_ms: u64,
    successes: u32,
}

impl RawBreakers {
    pub(super) fn check(&self, problems: &mut Problems) -> BreakerSettings {
        problems.at_least("breakers.failures", self.failures.into(), 1);
        problems.at_least("breakers.open_ms", self.open_ms, 1);
        problems.at_least("breakers.successes", self.successes.into(), 1);
        BreakerSettings {
            failures_to_open: self.failures,
            open_for: Duration::from_millis(self.open_ms),
            successes_to_close: self.successes,
        }
    }
}
