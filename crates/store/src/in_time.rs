//! Reads that a question waits for: a database that hangs is one that does not answer.

use ibidem_ports::catalogue::CatalogueError;

use crate::{Store, unavailable};

pub(crate) trait InTime<T> {
    /// The outcome, within the time that a read has.
    fn in_time(self, store: &Store) -> impl Future<Output = Result<T, CatalogueError>> + Send;
}

impl<T, Read: Future<Output = Result<T, sqlx::Error>> + Send> InTime<T> for Read {
    async fn in_time(self, store: &Store) -> Result<T, CatalogueError> {
        let limit = store.read_timeout;
        match tokio::time::timeout(limit, self).await {
            Ok(outcome) => outcome.map_err(unavailable),
            Err(_) => Err(CatalogueError::Unavailable(format!("no answer within {} ms", limit.as_millis()))),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;
    use crate::StoreSettings;

    #[tokio::test]
    async fn a_read_that_hangs_ends_as_one_of_a_database_that_does_not_answer() {
        let store = Store::new(&StoreSettings {
            url: "postgres://app@127.0.0.1:1/nowhere".to_owned(),
            max_connections: 2,
            acquire_timeout: Duration::from_secs(60),
            read_timeout: Duration::from_millis(30),
            lease: Duration::from_secs(60),
            analysis: ibidem_language::bm25::Analysis::default(),
        })
        .unwrap();
        let hanging = std::future::pending::<Result<(), sqlx::Error>>().in_time(&store).await;
        assert_eq!(hanging.unwrap_err().to_string(), "the catalogue is unavailable: no answer within 30 ms");
        let answered = std::future::ready(Ok::<_, sqlx::Error>(7)).in_time(&store).await;
        assert_eq!(answered.unwrap(), 7);
    }
}
