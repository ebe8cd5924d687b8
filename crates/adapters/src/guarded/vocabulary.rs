//! A vocabulary behind its breaker. It stands behind the cache: what is remembered is said, however the server is.

use std::sync::Arc;

use async_trait::async_trait;
use ibidem_words::degrade::ServiceBreaker;
use ibidem_words::ports::vocabulary::{Lookup, Vocabulary, VocabularyError, checked};

use super::guarded;

pub struct GuardedVocabulary {
    inner: Arc<dyn Vocabulary>,
    breaker: ServiceBreaker,
}

impl GuardedVocabulary {
    pub fn new(inner: Arc<dyn Vocabulary>, breaker: ServiceBreaker) -> Self {
        Self { inner, breaker }
    }
}

#[async_trait]
impl Vocabulary for GuardedVocabulary {
    async fn lookup(&self, term: &str) -> Result<Lookup, VocabularyError> {
        // What cannot be looked up anywhere is no question for the breaker.
        checked(term)?;
        guarded(&self.breaker, self.inner.lookup(term)).await
    }

    /// A kindness, which is gone without: it is asked for only of a server that is well, and says nothing about it.
    async fn closest(&self, term: &str, limit: usize) -> Result<Vec<String>, VocabularyError> {
        self.breaker.check().map_err(super::refused::<VocabularyError>)?;
        self.inner.closest(term, limit).await
    }
}
