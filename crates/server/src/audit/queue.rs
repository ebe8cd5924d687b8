//! Records on their way to the database: a bounded queue for each sort, from which one task writes.

use std::sync::Arc;

use async_trait::async_trait;
use ibidem_ports::records::TurnRecord;
use ibidem_store::{ActionRecord, ActionRow, AuditLog, AuditRow, CitationCheck, WriteError};
use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::gauge::Gauge;
use tokio::sync::{Mutex, OwnedSemaphorePermit, Semaphore, mpsc};
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;
use uuid::Uuid;

use super::writer::Writer;

/// Records that may wait. When there are more, turns wait whose answers have gone out; they keep their places, so that
/// a database that stays away turns questions away instead of filling the memory.
const MOST_WAITING: usize = 1_024;

/// Their bytes together, in kilobytes: a thousand large records would fill the memory as well.
const MOST_KILOBYTES_WAITING: u32 = 64 * 1024;

/// A sort of record.
#[async_trait]
pub(crate) trait Row: Sized + Send + Sync + 'static {
    /// Writes all of them, or none; doing it again changes nothing.
    async fn write(log: &AuditLog, rows: &[Self]) -> Result<(), WriteError>;

    fn request_id(&self) -> Option<Uuid>;

    /// About how many it takes.
    fn bytes(&self) -> usize;
}

#[async_trait]
impl Row for AuditRow {
    async fn write(log: &AuditLog, rows: &[Self]) -> Result<(), WriteError> {
        log.write(rows).await
    }

    fn request_id(&self) -> Option<Uuid> {
        Some(self.request_id())
    }

    fn bytes(&self) -> usize {
        self.bytes()
    }
}

#[async_trait]
impl Row for ActionRow {
    async fn write(log: &AuditLog, rows: &[Self]) -> Result<(), WriteError> {
        log.write_actions(rows).await
    }

    fn request_id(&self) -> Option<Uuid> {
        self.request_id()
    }

    fn bytes(&self) -> usize {
        self.bytes()
    }
}

/// What is counted of the queue.
#[derive(Clone, Debug, Default)]
pub(crate) struct AuditCounts {
    /// Records that were made and are not written yet.
    pub(crate) waiting: Gauge,
    pub(crate) written: Counter,
    pub(crate) lost: Counter,
}

impl AuditCounts {
    pub(super) fn lose(&self, records: usize) {
        self.lost.inc_by(records as u64);
    }
}

/// How far the server is with stopping.
#[derive(Clone, Debug, Default)]
pub(super) struct Stopping {
    pub(super) hurry: CancellationToken,
    /// No more records come.
    pub(super) last: CancellationToken,
}

/// A record in the queue, with its room there.
pub(super) struct Waiting<R> {
    pub(super) row: R,
    pub(super) room: OwnedSemaphorePermit,
}

fn kilobytes(row: &impl Row) -> u32 {
    u32::try_from(row.bytes() / 1024 + 1).unwrap_or(u32::MAX).min(MOST_KILOBYTES_WAITING)
}

/// Where records of one sort are left.
pub(crate) struct Queue<R> {
    log: AuditLog,
    rows: mpsc::Sender<Waiting<R>>,
    room: Arc<Semaphore>,
    counts: AuditCounts,
    stopping: Stopping,
    writer: Mutex<Option<JoinHandle<()>>>,
}

impl<R: Row> Queue<R> {
    /// Starts the task that writes; it ends when the queue does.
    pub(crate) fn start(log: AuditLog, counts: AuditCounts) -> Arc<Self> {
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
    pub(crate) fn hurry(&self) {
        self.stopping.hurry.cancel();
    }

    /// Returns when everything is written, or given up and counted. Nothing may be put after this.
    pub(crate) async fn finish(&self) {
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
    pub(crate) async fn put(&self, record: TurnRecord, citations: Option<CitationCheck>) {
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
    pub(crate) fn try_put(&self, record: ActionRecord) -> Result<(), Box<ActionRow>> {
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
    pub(crate) async fn put_row(&self, row: Box<ActionRow>) {
        self.send(*row).await;
    }
}
