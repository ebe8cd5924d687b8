//! Who reads originals: this process, or one of its own for each (`child`).

use async_trait::async_trait;
use ibidem_ports::intake::Format;

use super::{ReadDocument, ReadError, extract, settled};

/// Why an original was not read, by what is to be done about it.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum ReadingError {
    /// The reader says why.
    #[error(transparent)]
    Document(#[from] ReadError),
    /// Reading it went past a limit, or ended the process that read it. It would do so again.
    #[error("{0}")]
    Fatal(String),
    /// Reading it was ended from outside, or was too slow on a busy machine. It may go better another time.
    #[error("{0}")]
    Interrupted(String),
    /// There is no process to read with. That is not this document's fault.
    #[error("documents cannot be read here: {0}; run `ibidem doctor`")]
    NoReader(String),
}

#[async_trait]
pub trait Reader: Send + Sync {
    /// Reads an original. The same bytes always give the same text.
    async fn extract(&self, original: Vec<u8>, format: Format) -> Result<ReadDocument, ReadingError>;
}

/// Reads in this process, without limits on memory and time: for originals that are trusted, and for tests.
#[derive(Clone, Copy, Debug, Default)]
pub struct InProcess;

#[async_trait]
impl Reader for InProcess {
    async fn extract(&self, original: Vec<u8>, format: Format) -> Result<ReadDocument, ReadingError> {
        let document = tokio::task::spawn_blocking(move || extract(&original, format))
            .await
            .map_err(|error| ReadingError::Fatal(format!("the reader failed on it ({error})")))??;
        checked(document)
    }
}

/// The document, if it is one that a reader can have made.
pub(super) fn checked(document: ReadDocument) -> Result<ReadDocument, ReadingError> {
    match settled::check(&document) {
        Ok(()) => Ok(document),
        Err(reason) => Err(ReadingError::Fatal(format!("what was read of it cannot be used: {reason}"))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::read::suite;

    #[tokio::test]
    async fn a_reader_in_this_process_keeps_to_the_suite() {
        suite::reads_like_the_library(&InProcess).await;
    }
}
