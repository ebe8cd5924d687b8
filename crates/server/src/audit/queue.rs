//! Records on their way to the database: a bounded queue for each sort, from which one task writes.

use std::sync::Arc;

use ibidem_ports::records::TurnRecord;
use ibidem_store::{ActionRecord, ActionRow, AuditLog, AuditRow, CitationCheck};
use tokio::sync::{Mutex, Semaphore, mpsc};
use tokio::task::JoinHandle;

use super::rows::{Row, Stopping, Waiting};
use super::writer::Writer;
use crate::metrics::AuditCounts;

/// Records that may wait. When there are more, turns wait whose answers have gone out; they keep their places, so that
/// a database that stays away turns questions away instead of filling the memory.
const MOST_WAITING: usize = 1_024;

/// Their bytes together, in kilobytes: a thousand large records would fill the memory as well.
const MOST_KILOBYTES_WAITING: u32 = 64 * 1024;

fn kilobytes(row: &impl Row) -> u32 {
    u32::try_from(row.bytes() / 1024 + 1).unwrap_or(u32::MAX).min(MOST_KILOBYTES_WAITING)
}

/// Where records of one sort are left.
pub(super) struct Queue<R> {
    log: AuditLog,
    rows: mpsc::Sender<Waiting<R>>,
    room: Arc<Semaphore>,
    counts: AuditCounts,
    stopping: Stopping,
    writer: Mutex<Option<JoinHandle<()>>>,
}

impl<R: Row> Queue<R> {
    /// Starts the task that writes; it ends when the queue does.
    pub(super) fn start(log: AuditLog, counts: AuditCounts) -> Arc<Self> {
        let (rows, taken) = mpsc::channel(MOST_WAITING);
        let stopping = Stopping::default();
        let writer = Writer::new(log.clone(), taken, counts.clone(), stopping.clone());
        let writer = Mutex::new(Some(tokio::spawn(writer.run())));
        let room = Arc::new(Semaphore::new(MOST_KILOBYTES_WAITING as usize));
        Arc::new(Self { log, rows, room, counts, stopping, writer })
    }

    /// Returns when the record is in the queue, which is at once unless it is full.
    async fn send(&self, row: R) {
        self.counts.waiting.inc();
        // The semaphore is never closed; the queue is, after the last.
        let room = self.room.clone().acquire_many_owned(kilobytes(&row)).await;
        let is_sent = match room {
            Ok(room) => self.rows.send(Waiting { row, room }).await.is_ok(),
            Err(_) => false,
        };
        if !is_sent {
            self.counts.waiting.dec();
            self.counts.lose(1);
            tracing::error!("something was not recorded: its record came after the last was written");
        }
    }

    /// The server has begun to stop: records still come, and a database that is away is waited for only so long.
    pub(super) fn hurry(&self) {
        self.stopping.hurry.cancel();
    }

    /// Returns when everything is written, or given up and counted. Nothing may be put after this.
    pub(super) async fn finish(&self) {
        self.hurry();
        self.stopping.last.cancel();
        if let Some(writer) = self.writer.lock().await.take()
            && let Err(error) = writer.await
        {
            tracing::error!(%error, "the task that writes records failed");
        }
    }
}

impl Queue<AuditRow> {
    /// Returns when the record is in the queue, which is at once unless it is full.
    pub(super) async fn put(&self, record: TurnRecord, citations: Option<CitationCheck>) {
        match self.log.row(record, citations) {
            Ok(row) => self.send(row).await,
            Err(error) => {
                self.counts.lose(1);
                tracing::error!(%error, "a turn was not recorded");
            }
        }
    }
}

impl Queue<ActionRow> {
    /// Puts it into the queue, if there is room; else hands it back.
    pub(super) fn try_put(&self, record: ActionRecord) -> Result<(), Box<ActionRow>> {
        let row = self.log.action_row(record);
        let Ok(room) = self.room.clone().try_acquire_many_owned(kilobytes(&row)) else { return Err(Box::new(row)) };
        match self.rows.try_send(Waiting { row, room }) {
            Ok(()) => {
                self.counts.waiting.inc();
                Ok(())
            }
            Err(mpsc::error::TrySendError::Full(full) | mpsc::error::TrySendError::Closed(full)) => {
                Err(Box::new(full.row))
            }
        }
    }

    /// Returns when there was room for it.
    pub(super) async fn put_row(&self, row: Box<ActionRow>) {
        self.send(*row).await;
    }
}
