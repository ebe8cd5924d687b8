//! The section `reading`.

use std::path::PathBuf;
use std::time::Duration;

use ibidem_ingest::read::child::ReadingLimits;
use serde::Deserialize;

use super::Problems;
use crate::settings::checked::ReadingSettings;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct RawReading {
    timeout_ms: u64,
    memory_bytes: u64,
    output_bytes: u64,
    at_once: usize,
    program: Option<PathBuf>,
}

impl RawReading {
    pub(super) fn check(self, problems: &mut Problems) -> ReadingSettings {
        problems.at_least("reading.timeout_ms", self.timeout_ms, 1_000);
        // The program itself takes some.
        problems.at_least("reading.memory_bytes", self.memory_bytes, 128 << 20);
        problems.at_least("reading.output_bytes", self.output_bytes, 1 << 20);
        problems.at_least("reading.at_once", self.at_once as u64, 1);
        let limits = ReadingLimits {
            memory_bytes: self.memory_bytes,
            processor_time: Duration::from_millis(self.timeout_ms),
            output_bytes: self.output_bytes,
        };
        ReadingSettings { limits, at_once: self.at_once, program: self.program }
    }
}
