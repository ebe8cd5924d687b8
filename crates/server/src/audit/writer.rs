//! The one task that writes records: many at once, again and again until they are written.

use std::time::Duration;

use backon::{BackoffBuilder as _, ExponentialBuilder};
use ibidem_store::AuditLog;
use ibidem_words::ports::catalogue::CatalogueError;
use tokio::sync::mpsc;
use tokio::time::{Instant, sleep, timeout, timeout_at};

use super::queue::{AuditCounts, Row, Stopping};

/// Records of one statement: a few hundred kilobytes.
const MOST_AT_ONCE: usize = 128;
/// How long the first record of a statement waits for others.
const GATHER_FOR: Duration = Duration::from_millis(100);
/// One attempt at one statement.
const ATTEMPT: Duration = Duration::from_secs(5);
/// Pauses grow from this to that, each up to twice as long by lot.
const FIRST_PAUSE: Duration = Duration::from_millis(50);
const LONGEST_PAUSE: Duration = Duration::from_millis(2_500);
/// How long a server that stops waits for a database that is away; after that, one attempt for what is left.
const PATIENCE_AT_THE_END: Duration = Duration::from_secs(10);

pub(super) struct Writer<R> {
    log: AuditLog,
    rows: mpsc::Receiver<R>,
    counts: AuditCounts,
    stopping: Stopping,
    /// Since when nothing could be written.
    failing_since: Option<Instant>,
    /// Since when the server stops.
    hurried_since: Option<Instant>,
}

impl<R: Row> Writer<R> {
    pub(super) fn new(log: AuditLog, rows: mpsc::Receiver<R>, counts: AuditCounts, stopping: Stopping) -> Self {
        Self { log, rows, counts, stopping, failing_since: None, hurried_since: None }
    }

    pub(super) async fn run(mut self) {
        let mut batch = Vec::with_capacity(MOST_AT_ONCE);
        while self.gather(&mut batch).await {
            self.write(&batch).await;
            self.counts.waiting.dec_by(i64::try_from(batch.len()).unwrap_or(i64::MAX));
            batch.clear();
        }
    }

    /// Waits for records and takes what comes within a moment. False when there are none and none will come.
    async fn gather(&mut self, batch: &mut Vec<R>) -> bool {
        let Stopping { hurry, last } = self.stopping.clone();
        tokio::select! {
            biased;
            taken = self.rows.recv_many(batch, MOST_AT_ONCE) => if taken == 0 { return false },
            () = last.cancelled() => {
                // Whoever comes now is told that it is too late; whatever is there is still given out.
                self.rows.close();
                return self.rows.recv_many(batch, MOST_AT_ONCE).await > 0;
            }
        }
        let until = Instant::now() + GATHER_FOR;
        while batch.len() < MOST_AT_ONCE && !hurry.is_cancelled() {
            let room = MOST_AT_ONCE - batch.len();
            let more = timeout_at(until, self.rows.recv_many(batch, room));
            let more = tokio::select! { more = more => more, () = hurry.cancelled() => break };
            if !matches!(more, Ok(1..)) {
                break;
            }
        }
        true
    }

    /// Returns when all of them are written, or those that cannot be are counted as lost.
    async fn write(&mut self, rows: &[R]) {
        match self.write_with_retries(rows).await {
            Ok(()) => {}
            Err(Failed::Refused(_)) if rows.len() > 1 => {
                // One of them will not do: it must not take the others with it.
                for row in rows {
                    let alone = self.write_with_retries(std::slice::from_ref(row)).await;
                    if let Err(failed) = alone {
                        self.lose(std::slice::from_ref(row), &failed);
                    }
                }
            }
            Err(failed) => self.lose(rows, &failed),
        }
    }

    /// Tries until it succeeds, with growing pauses; a server that stops does not wait for ever.
    async fn write_with_retries(&mut self, rows: &[R]) -> Result<(), Failed> {
        let mut pauses = ExponentialBuilder::new()
            .with_min_delay(FIRST_PAUSE)
            .with_max_delay(LONGEST_PAUSE)
            .with_jitter()
            .without_max_times()
            .build();
        loop {
            let reason = match timeout(ATTEMPT, R::write(&self.log, rows)).await {
                Ok(Ok(())) => {
                    self.counts.written.inc_by(rows.len() as u64);
                    if self.failing_since.take().is_some() {
                        tracing::info!("records are written again");
                    }
                    return Ok(());
                }
                Ok(Err(CatalogueError::Corrupt(reason) | CatalogueError::Refused(reason))) => {
                    return Err(Failed::Refused(reason));
                }
                Ok(Err(CatalogueError::Unavailable(reason))) => reason,
                Err(_) => format!("no answer within {} s", ATTEMPT.as_secs()),
            };
            let since = *self.failing_since.get_or_insert_with(|| {
                tracing::warn!(
                    reason,
                    records = rows.len(),
                    "records cannot be written; they are kept and tried again"
                );
                Instant::now()
            });
            if self.is_out_of_time(since) {
                return Err(Failed::Away(reason));
            }
            let pause = pauses.next().unwrap_or(LONGEST_PAUSE);
            tokio::select! { () = sleep(pause) => {}, () = self.hurried_for_the_first_time() => {} }
        }
    }

    fn is_out_of_time(&mut self, failing_since: Instant) -> bool {
        if !self.stopping.hurry.is_cancelled() {
            return false;
        }
        let hurried_since = *self.hurried_since.get_or_insert_with(Instant::now);
        hurried_since.max(failing_since).elapsed() >= PATIENCE_AT_THE_END
    }

    /// A long pause ends when the server begins to stop; later ones are not cut short.
    async fn hurried_for_the_first_time(&self) {
        match self.hurried_since {
            None => self.stopping.hurry.cancelled().await,
            Some(_) => std::future::pending().await,
        }
    }

    /// Their ids go to the log: what is lost is at least known.
    fn lose(&self, rows: &[R], failed: &Failed) {
        self.counts.lose(rows.len());
        let request_ids: Vec<String> = rows.iter().filter_map(|row| Some(row.request_id()?.to_string())).collect();
        let (Failed::Refused(reason) | Failed::Away(reason)) = failed;
        tracing::error!(reason, records = rows.len(), request_ids = request_ids.join(" "), "records were lost");
    }
}

/// Why records were not written.
enum Failed {
    /// The database will not have one of them.
    Refused(String),
    /// It did not answer, and there is no more time.
    Away(String),
}
