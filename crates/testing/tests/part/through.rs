//! A part as its own port, so that the ports' suites can be run on it.

use async_trait::async_trait;

use super::{NO_DEADLINE, Part};
use ibidem_ports::embedder::{EmbedError, Embedder, EmbeddingModel};
use ibidem_ports::entailment::{Classification, Entailment, EntailmentError, Pair};
use ibidem_ports::index::{Index, IndexError, IndexHit, IndexQuery};
use ibidem_ports::language_model::{LanguageModel, LikelyToken, ModelError, Pieces, Prompt};
use ibidem_ports::reranker::{RerankError, Reranker};
use ibidem_ports::vocabulary::{Description, Lookup, Vocabulary, VocabularyError};
use ibidem_words::Scope;

pub(super) struct Through<Port: ?Sized>(pub(super) Part<Port>);

#[async_trait]
impl Embedder for Through<dyn Embedder> {
    fn model(&self) -> &EmbeddingModel {
        self.0.port().model()
    }

    async fn embed_passages(&self, texts: Vec<String>) -> Result<Vec<Vec<f32>>, EmbedError> {
        self.0.call(NO_DEADLINE, |embedder| embedder.embed_passages(texts)).await
    }

    async fn embed_queries(&self, texts: Vec<String>) -> Result<Vec<Vec<f32>>, EmbedError> {
        self.0.call(NO_DEADLINE, |embedder| embedder.embed_queries(texts)).await
    }
}

#[async_trait]
impl Reranker for Through<dyn Reranker> {
    fn name(&self) -> &str {
        self.0.port().name()
    }

    async fn score(&self, question: &str, texts: Vec<String>) -> Result<Vec<f32>, RerankError> {
        self.0.call(NO_DEADLINE, |reranker| reranker.score(question, texts)).await
    }
}

#[async_trait]
impl Entailment for Through<dyn Entailment> {
    fn name(&self) -> &str {
        self.0.port().name()
    }

    async fn classify(&self, pairs: Vec<Pair>) -> Result<Vec<Classification>, EntailmentError> {
        self.0.call(NO_DEADLINE, |entailment| entailment.classify(pairs)).await
    }

    async fn surest_of_each(&self, groups: Vec<Vec<Pair>>) -> Result<Vec<Option<Classification>>, EntailmentError> {
        self.0.call(NO_DEADLINE, |entailment| entailment.surest_of_each(groups)).await
    }
}

#[async_trait]
impl LanguageModel for Through<dyn LanguageModel> {
    fn default_model(&self) -> &str {
        self.0.port().default_model()
    }

    fn allowed(&self) -> Vec<String> {
        self.0.port().allowed()
    }

    async fn served(&self) -> Result<Vec<String>, ModelError> {
        self.0.aside(NO_DEADLINE, |model| model.served()).await
    }

    async fn write(&self, prompt: Prompt) -> Result<Pieces, ModelError> {
        self.0.write(NO_DEADLINE, prompt).await
    }

    async fn first_tokens(&self, prompt: Prompt) -> Result<Vec<LikelyToken>, ModelError> {
        self.0.call(NO_DEADLINE, |model| model.first_tokens(prompt)).await
    }
}

#[async_trait]
impl Vocabulary for Through<dyn Vocabulary> {
    async fn lookup(&self, term: &str) -> Result<Lookup, VocabularyError> {
        self.0.call(NO_DEADLINE, |vocabulary| vocabulary.lookup(term)).await
    }

    async fn closest(&self, term: &str, limit: usize) -> Result<Vec<String>, VocabularyError> {
        self.0.aside(NO_DEADLINE, |vocabulary| vocabulary.closest(term, limit)).await
    }

    async fn describe(&self, uri: &str, language: &str) -> Result<Option<Description>, VocabularyError> {
        self.0.aside(NO_DEADLINE, |vocabulary| vocabulary.describe(uri, language)).await
    }
}

#[async_trait]
impl Index for Through<dyn Index> {
    async fn search(&self, scope: &Scope, queries: Vec<IndexQuery>) -> Result<Vec<Vec<IndexHit>>, IndexError> {
        self.0.call(NO_DEADLINE, |index| index.search(scope, queries)).await
    }
}
