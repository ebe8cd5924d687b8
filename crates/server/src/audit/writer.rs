//! The one task that writes records: many at once, again and again until they are written.

use std::collections::VecDeque;
use std::time::Duration;

use backon::{BackoffBuilder as _, ExponentialBuilder};
use ibidem_store::{AuditLog, WriteError};
use tokio::sync::mpsc;
use tokio::time::{Instant, sleep, timeout, timeout_at};

use super::rows::{Row, Stopping, Waiting};
use crate::metrics::AuditCounts;

/// Records of one statement: mostly a few hundred kilobytes.
const MOST_AT_ONCE: usize = 128;
/// And their bytes, unless one is larger.
const MOST_BYTES_AT_ONCE: usize = 4 << 20;
/// Of records that were too slow alone, and wait to be tried again.
const MOST_BYTES_ASIDE: usize = 64 << 20;
/// So often a record is tried alone while others are written.
const MOST_FAILURES: u32 = 3;
/// How long the first record of a statement waits for others.
const GATHER_FOR: Duration = Duration::from_millis(100);
/// One attempt at one statement. The database ends the statement before that.
const ATTEMPT: Duration = Duration::from_secs(5);
/// Pauses grow from this to that, each up to twice as long by lot.
const FIRST_PAUSE: Duration = Duration::from_millis(50);
const LONGEST_PAUSE: Duration = Duration::from_millis(2_500);
/// How long a server that stops waits for a database that is away; after that, one attempt for what is left.
const PATIENCE_AT_THE_END: Duration = Duration::from_secs(10);

pub(super) struct Writer<R> {
    log: AuditLog,
    rows: mpsc::Receiver<Waiting<R>>,
    counts: AuditCounts,
    stopping: Stopping,
    /// Records that the database gave up on, each by itself.
    suspects: Vec<Suspect<R>>,
    /// Since when nothing could be written.
    failing_since: Option<Instant>,
    /// Since when the server stops.
    hurried_since: Option<Instant>,
}

impl<R: Row> Writer<R> {
    pub(super) fn new(
        log: AuditLog,
        rows: mpsc::Receiver<Waiting<R>>,
        counts: AuditCounts,
        stopping: Stopping,
    ) -> Self {
        Self { log, rows, counts, stopping, suspects: Vec::new(), failing_since: None, hurried_since: None }
    }

    pub(super) async fn run(mut self) {
        let mut batch = Vec::with_capacity(MOST_AT_ONCE);
        while self.gather_beside_suspects(&mut batch).await {
            let (rows, room): (Vec<R>, Vec<_>) = batch.drain(..).map(|waiting| (waiting.row, waiting.room)).unzip();
            self.write(rows).await;
            drop(room);
        }
        for suspect in std::mem::take(&mut self.suspects) {
            let is_over = self.failing_since.is_some_and(|since| self.is_out_of_time(since));
            let ended =
                if is_over { Err(Failed::TooSlow) } else { self.attempt(std::slice::from_ref(&suspect.row)).await };
            if let Err(failed) = ended {
                self.lose(std::slice::from_ref(&suspect.row), &failed);
            }
        }
    }

    /// The same where some records wait to be tried again: then others are not waited for long, and no more are taken than
    /// there is room for.
    async fn gather_beside_suspects(&mut self, batch: &mut Vec<Waiting<R>>) -> bool {
        if self.suspects.is_empty() {
            return self.gather(batch).await;
        }
        let bytes: usize = self.suspects.iter().map(|suspect| suspect.row.bytes()).sum();
        let is_full = self.suspects.len() >= MOST_AT_ONCE || bytes >= MOST_BYTES_ASIDE;
        if is_full && !self.stopping.hurry.is_cancelled() {
            self.pause(LONGEST_PAUSE).await;
            return true;
        }
        let gathered = timeout(LONGEST_PAUSE, self.gather(batch)).await;
        gathered.unwrap_or(true)
    }

    /// Waits for records and takes what comes within a moment. False when there are none and none will come.
    async fn gather(&mut self, batch: &mut Vec<Waiting<R>>) -> bool {
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

    /// Returns when all of them are written, counted as lost, or set aside. A statement that the database refuses, or ends
    /// because it takes too long, is tried again in halves: one record that will not do does not hold up the others, and
    /// is found in few attempts.
    async fn write(&mut self, rows: Vec<R>) {
        let mut statements = statements(rows);
        let mut slow: Vec<Suspect<R>> = Vec::new();
        let (mut is_well, mut alone) = (false, 0);
        while let Some(mut statement) = statements.pop_front() {
            match self.attempt(&statement).await {
                Ok(()) => is_well = true,
                Err(Failed::Away(reason)) => self.lose(&statement, &Failed::Away(reason)),
                Err(Failed::Refused(_) | Failed::TooSlow) if statement.len() > 1 => {
                    let second = statement.split_off(statement.len() / 2);
                    statements.push_front(second);
                    statements.push_front(statement);
                }
                Err(failed @ Failed::Refused(_)) => self.lose(&statement, &failed),
                Err(Failed::TooSlow) => {
                    slow.extend(statement.into_iter().map(|row| Suspect { row, failures: 1 }));
                    alone += 1;
                }
            }
            // Nothing at all can be written: that is the database, and no record is at fault.
            if !is_well && alone > 1 {
                self.pause(LONGEST_PAUSE).await;
            }
        }
        let before = std::mem::take(&mut self.suspects);
        for suspect in before.into_iter().chain(slow) {
            is_well |= self.try_again(suspect, is_well).await;
        }
    }

    /// A record that was too slow alone is tried again alone, behind all others. It is given up where others were written
    /// and it was not, again and again. Says whether it was written.
    async fn try_again(&mut self, mut suspect: Suspect<R>, is_well: bool) -> bool {
        match self.attempt(std::slice::from_ref(&suspect.row)).await {
            Ok(()) => return true,
            Err(Failed::TooSlow) if !is_well => self.suspects.push(suspect),
            Err(Failed::TooSlow) if suspect.failures + 1 < MOST_FAILURES => {
                suspect.failures += 1;
                self.suspects.push(suspect);
            }
            Err(failed) => self.lose(std::slice::from_ref(&suspect.row), &failed),
        }
        false
    }

    async fn pause(&self, pause: Duration) {
        tokio::select! { () = sleep(pause) => {}, () = self.stopping.hurry.cancelled() => {} }
    }

    /// Tries until the database answers, with growing pauses; a server that stops does not wait for ever.
    async fn attempt(&mut self, rows: &[R]) -> Result<(), Failed> {
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
                    self.has_ended(rows);
                    if self.failing_since.take().is_some() {
                        tracing::info!("records are written again");
                    }
                    return Ok(());
                }
                Ok(Err(WriteError::Refused(reason))) => return Err(Failed::Refused(reason)),
                Ok(Err(WriteError::TooSlow)) => {
                    tracing::warn!(records = rows.len(), "the database ended a statement of records: it took too long");
                    let since = *self.failing_since.get_or_insert_with(Instant::now);
                    let is_over = self.is_out_of_time(since);
                    return Err(if is_over { Failed::Away(WriteError::TooSlow.to_string()) } else { Failed::TooSlow });
                }
                Ok(Err(WriteError::Away(reason))) => reason,
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

    fn has_ended(&self, rows: &[R]) {
        self.counts.waiting.dec_by(i64::try_from(rows.len()).unwrap_or(i64::MAX));
    }

    /// Their ids go to the log: what is lost is at least known.
    fn lose(&self, rows: &[R], failed: &Failed) {
        self.counts.lose(rows.len());
        self.has_ended(rows);
        let request_ids: Vec<String> = rows.iter().filter_map(|row| Some(row.request_id()?.to_string())).collect();
        let reason = match failed {
            Failed::Refused(reason) | Failed::Away(reason) => reason.clone(),
            Failed::TooSlow => WriteError::TooSlow.to_string(),
        };
        tracing::error!(reason, records = rows.len(), request_ids = request_ids.join(" "), "records were lost");
    }
}

/// Why records were not written.
enum Failed {
    /// The database will not have one of them.
    Refused(String),
    /// The database ended the statement.
    TooSlow,
    /// It did not answer, and there is no more time.
    Away(String),
}

/// A record that was too slow by itself.
struct Suspect<R> {
    row: R,
    failures: u32,
}

/// In their order, as many to a statement as its bytes allow; a record that is larger has a statement of its own.
fn statements<R: Row>(rows: Vec<R>) -> VecDeque<Vec<R>> {
    let mut statements: VecDeque<Vec<R>> = VecDeque::new();
    let mut left = 0;
    for row in rows {
        let bytes = row.bytes();
        match statements.back_mut().filter(|_| bytes <= left) {
            Some(statement) => statement.push(row),
            None => {
                left = MOST_BYTES_AT_ONCE;
                statements.push_back(vec![row]);
            }
        }
        left = left.saturating_sub(bytes);
    }
    statements
}

#[cfg(test)]
mod tests {
    use async_trait::async_trait;
    use uuid::Uuid;

    use super::*;

    struct Sized(usize);

    #[async_trait]
    impl Row for Sized {
        async fn write(_: &AuditLog, _: &[Self]) -> Result<(), WriteError> {
            Ok(())
        }

        fn request_id(&self) -> Option<Uuid> {
            None
        }

        fn bytes(&self) -> usize {
            self.0
        }
    }

    #[test]
    fn a_statement_has_as_many_records_as_its_bytes_allow() {
        let cut = |bytes: &[usize]| -> Vec<usize> {
            statements(bytes.iter().copied().map(Sized).collect()).iter().map(Vec::len).collect()
        };
        let most = MOST_BYTES_AT_ONCE;
        assert_eq!(cut(&[]), Vec::<usize>::new());
        assert_eq!(cut(&[100; 128]), [128]);
        assert_eq!(cut(&[most / 2, most / 2, 1]), [2, 1]);
        assert_eq!(cut(&[1, 10 * most, 1, 1]), [1, 1, 2]);
        assert_eq!(cut(&[most; 3]), [1, 1, 1]);
    }
}
