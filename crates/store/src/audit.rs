//! The audit: what was asked, what decided and what was answered, one record for each question.

mod cut;
mod decisions;
mod hashed;
mod months;
mod read;
mod row;
mod stored;
mod write;

use async_trait::async_trait;
use ibidem_ports::catalogue::CatalogueError;
use ibidem_ports::records::{Records, TurnRecord};

use crate::Store;
pub use cut::bytes_left_out;
pub use decisions::{DecisionsOf, KeptDecision, LastDecision, LastDecisionsOf};
pub use hashed::HashKey;
pub use months::{Months, Pruned};
pub use read::AuditRecord;
pub use row::{AuditRow, CitationCheck};
pub(crate) use row::{storable, without_nul};
pub use stored::StoredAnswer;
pub(crate) use stored::{ERASED, without_reasons, without_replies};
pub use write::WriteError;
pub(crate) use write::bounded_transaction;

/// What becomes of the words that people and models wrote.
#[derive(Clone, Debug)]
pub enum Texts {
    Plain,
    /// Keyed digests stand in their place: the same words have the same digest, and nobody reads them back.
    Hashed(HashKey),
}

/// Where records are kept, and how. Cheap to clone.
#[derive(Clone, Debug)]
pub struct AuditLog {
    pub store: Store,
    pub texts: Texts,
}

impl AuditLog {
    /// The record as it will be written. `None` where the citations could not be checked, or were not.
    pub fn row(&self, record: TurnRecord, citations: Option<CitationCheck>) -> Result<AuditRow, CatalogueError> {
        AuditRow::of(record, citations, &self.texts)
    }

    /// Writes all of them, or none. A record that is there already is left as it is, so that a write of which nobody
    /// knows whether it succeeded can be tried again.
    pub async fn write(&self, rows: &[AuditRow]) -> Result<(), WriteError> {
        self.store.write_audit(rows).await
    }
}

#[async_trait]
impl Records for AuditLog {
    async fn keep(&self, record: TurnRecord) -> Result<(), CatalogueError> {
        Ok(self.write(&[self.row(record, None)?]).await?)
    }
}
