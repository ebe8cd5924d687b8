//! The sorts of records that wait to be written, and how far the server is with stopping.

use async_trait::async_trait;
use ibidem_store::{ActionRow, AuditLog, AuditRow, WriteError};
use tokio::sync::OwnedSemaphorePermit;
use tokio_util::sync::CancellationToken;
use uuid::Uuid;

/// A sort of record.
#[async_trait]
pub(super) trait Row: Sized + Send + Sync + 'static {
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
