//! The ways out of the engine, each with a clock on it.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use async_trait::async_trait;
use futures::{StreamExt as _, stream};
use ibidem_language::bm25::{Analysis, TermCounts, TermId};
use ibidem_ports::catalogue::{
    AddressedDocument, Catalogue, CatalogueError, CataloguePassage, DocumentFilter, DocumentList,
};
use ibidem_ports::embedder::{EmbedError, Embedder, EmbeddingModel};
use ibidem_ports::index::{Index, IndexError, IndexHit, IndexQuery};
use ibidem_ports::language_model::{LanguageModel, LikelyToken, ModelError, Pieces, Prompt};
use ibidem_ports::word_statistics::WordStatistics;
use ibidem_words::{AddressKey, CollectionName, PassageKey, Scope};

/// Time spent outside, by question; no question is under way twice.
#[derive(Default)]
pub(super) struct Ledger {
    outside: Mutex<HashMap<String, Duration>>,
    /// Whose a vector is, by its bits: the index is asked by vectors and terms, not by questions.
    questions: Mutex<HashMap<Vec<u32>, String>>,
    /// Of each call, in milliseconds.
    catalogue: Mutex<Vec<f64>>,
}

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Ledger {
    fn spend(&self, question: &str, time: Duration) {
        let mut outside = locked(&self.outside);
        match outside.get_mut(question) {
            Some(spent) => *spent += time,
            None => {
                outside.insert(question.to_owned(), time);
            }
        }
    }

    /// What a question that is answered has spent.
    pub(super) fn settle(&self, question: &str) -> Duration {
        locked(&self.outside).remove(question).unwrap_or_default()
    }

    pub(super) fn catalogue(&self) -> Vec<f64> {
        locked(&self.catalogue).clone()
    }

    pub(super) fn forget(&self) {
        locked(&self.outside).clear();
        locked(&self.catalogue).clear();
    }
}

/// A port with a clock on it.
pub(super) struct Timed<T> {
    inner: Arc<T>,
    ledger: Arc<Ledger>,
}

impl<T> Timed<T> {
    pub(super) fn new(inner: Arc<T>, ledger: &Arc<Ledger>) -> Self {
        Self { inner, ledger: Arc::clone(ledger) }
    }
}

#[async_trait]
impl<T: Embedder> Embedder for Timed<T> {
    fn model(&self) -> &EmbeddingModel {
        self.inner.model()
    }

    async fn embed_passages(&self, texts: Vec<String>) -> Result<Vec<Vec<f32>>, EmbedError> {
        self.inner.embed_passages(texts).await
    }

    async fn embed_queries(&self, texts: Vec<String>) -> Result<Vec<Vec<f32>>, EmbedError> {
        let question = texts.first().cloned().unwrap_or_default();
        let began = Instant::now();
        let vectors = self.inner.embed_queries(texts).await;
        self.ledger.spend(&question, began.elapsed());
        if let Some(vector) = vectors.as_ref().ok().and_then(|vectors| vectors.first()) {
            locked(&self.ledger.questions).insert(bits(vector), question);
        }
        vectors
    }
}

fn bits(vector: &[f32]) -> Vec<u32> {
    vector.iter().map(|value| value.to_bits()).collect()
}

#[async_trait]
impl<T: WordStatistics> WordStatistics for Timed<T> {
    fn analysis(&self) -> &Analysis {
        self.inner.analysis()
    }

    async fn counts(&self, scope: &Scope, terms: &[TermId]) -> Result<Option<TermCounts>, CatalogueError> {
        let began = Instant::now();
        let counts = self.inner.counts(scope, terms).await;
        locked(&self.ledger.catalogue).push(began.elapsed().as_secs_f64() * 1_000.0);
        counts
    }
}

#[async_trait]
impl<T: Index> Index for Timed<T> {
    async fn search(&self, scope: &Scope, queries: Vec<IndexQuery>) -> Result<Vec<Vec<IndexHit>>, IndexError> {
        let vector = queries.first().and_then(|query| query.vector.as_deref()).map(bits);
        let question = vector.and_then(|vector| locked(&self.ledger.questions).get(&vector).cloned());
        let began = Instant::now();
        let found = self.inner.search(scope, queries).await;
        self.ledger.spend(&question.unwrap_or_default(), began.elapsed());
        found
    }
}

#[async_trait]
impl<T: Catalogue> Catalogue for Timed<T> {
    async fn visible(&self, scope: &Scope, passages: &[PassageKey]) -> Result<Vec<CataloguePassage>, CatalogueError> {
        let began = Instant::now();
        let visible = self.inner.visible(scope, passages).await;
        locked(&self.ledger.catalogue).push(began.elapsed().as_secs_f64() * 1_000.0);
        visible
    }

    async fn still_visible(&self, scope: &Scope, passages: &[PassageKey]) -> Result<Vec<PassageKey>, CatalogueError> {
        let began = Instant::now();
        let visible = self.inner.still_visible(scope, passages).await;
        locked(&self.ledger.catalogue).push(began.elapsed().as_secs_f64() * 1_000.0);
        visible
    }

    async fn addressed(
        &self,
        scope: &Scope,
        collection: Option<&CollectionName>,
        keys: &[AddressKey],
    ) -> Result<Vec<AddressedDocument>, CatalogueError> {
        self.inner.addressed(scope, collection, keys).await
    }

    async fn neighbours(
        &self,
        scope: &Scope,
        collection: Option<&CollectionName>,
        key: &AddressKey,
        most: usize,
    ) -> Result<Vec<(AddressKey, String)>, CatalogueError> {
        self.inner.neighbours(scope, collection, key, most).await
    }

    async fn tables(
        &self,
        scope: &Scope,
        collections: &[String],
        most: usize,
    ) -> Result<Vec<CataloguePassage>, CatalogueError> {
        self.inner.tables(scope, collections, most).await
    }

    async fn unseen_collections(
        &self,
        scope: &Scope,
        collections: &[CollectionName],
    ) -> Result<Vec<CollectionName>, CatalogueError> {
        self.inner.unseen_collections(scope, collections).await
    }

    async fn list(&self, scope: &Scope, filter: &DocumentFilter) -> Result<DocumentList, CatalogueError> {
        self.inner.list(scope, filter).await
    }
}

#[async_trait]
impl<T: LanguageModel> LanguageModel for Timed<T> {
    fn default_model(&self) -> &str {
        self.inner.default_model()
    }

    fn allowed(&self) -> Vec<String> {
        self.inner.allowed()
    }

    async fn write(&self, prompt: Prompt) -> Result<Pieces, ModelError> {
        let last = prompt.messages.last().map_or("", |message| message.content.as_str());
        let question = last.rsplit_once("\nQuestion: ").map_or("", |(_, question)| question).to_owned();
        let began = Instant::now();
        let pieces = self.inner.write(prompt).await;
        self.ledger.spend(&question, began.elapsed());
        let ledger = Arc::clone(&self.ledger);
        // Only the waiting counts: what is done with a piece before the next is asked for is not the model's.
        let timed = stream::unfold((pieces?, ledger, question), |(mut pieces, ledger, question)| async move {
            let began = Instant::now();
            let piece = pieces.next().await;
            ledger.spend(&question, began.elapsed());
            Some((piece?, (pieces, ledger, question)))
        });
        Ok(Box::pin(timed))
    }

    async fn first_tokens(&self, prompt: Prompt) -> Result<Vec<LikelyToken>, ModelError> {
        self.inner.first_tokens(prompt).await
    }
}
