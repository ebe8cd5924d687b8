//! One budget of time for a request: what is late within it is gone without, and nothing outlives it.

use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use ibidem_engine::ask::{Engine, Spoken};
use ibidem_engine::roles::{NamedModel, Roles};
use ibidem_engine::search::Searcher;
use ibidem_ports::catalogue::{
    AddressedDocument, Catalogue, CatalogueError, CataloguePassage, DocumentFilter, DocumentList,
};
use ibidem_ports::degrade::{Deadline, Part};
use ibidem_ports::index::{Index, IndexError, IndexHit, IndexQuery};
use ibidem_ports::language_model::{LanguageModel, LikelyToken, ModelError, Pieces, Prompt};
use ibidem_ports::reranker::{RerankError, Reranker};
use ibidem_words::{Action, AddressKey, CollectionName, PassageKey, Reason, Scope};

use crate::world::{QUESTION, TEXT, World};

/// Time is paused, and passes only while everybody waits.
const BUDGET: Duration = Duration::from_millis(1_500);
const PATIENT: Duration = Duration::from_secs(600);

/// Never answers.
struct Hangs;

#[async_trait]
impl Index for Hangs {
    async fn search(&self, _: &Scope, _: Vec<IndexQuery>) -> Result<Vec<Vec<IndexHit>>, IndexError> {
        std::future::pending().await
    }
}

#[async_trait]
impl Reranker for Hangs {
    fn name(&self) -> &str {
        "hangs"
    }

    async fn score(&self, _: &str, _: Vec<String>) -> Result<Vec<f32>, RerankError> {
        std::future::pending().await
    }
}

#[async_trait]
impl LanguageModel for Hangs {
    fn default_model(&self) -> &str {
        "hangs"
    }

    fn allowed(&self) -> Vec<String> {
        vec!["hangs".to_owned()]
    }

    async fn write(&self, _: Prompt) -> Result<Pieces, ModelError> {
        Ok(Box::pin(futures::stream::pending()))
    }

    async fn first_tokens(&self, _: Prompt) -> Result<Vec<LikelyToken>, ModelError> {
        std::future::pending().await
    }
}

#[async_trait]
impl Catalogue for Hangs {
    async fn visible(&self, _: &Scope, _: &[PassageKey]) -> Result<Vec<CataloguePassage>, CatalogueError> {
        std::future::pending().await
    }

    async fn still_visible(&self, _: &Scope, _: &[PassageKey]) -> Result<Vec<PassageKey>, CatalogueError> {
        std::future::pending().await
    }

    async fn addressed(
        &self,
        _: &Scope,
        _: Option<&CollectionName>,
        _: &[AddressKey],
    ) -> Result<Vec<AddressedDocument>, CatalogueError> {
        std::future::pending().await
    }

    async fn neighbours(
        &self,
        _: &Scope,
        _: Option<&CollectionName>,
        _: &AddressKey,
        _: usize,
    ) -> Result<Vec<(AddressKey, String)>, CatalogueError> {
        std::future::pending().await
    }

    async fn unseen_collections(&self, _: &Scope, _: &[CollectionName]) -> Result<Vec<CollectionName>, CatalogueError> {
        std::future::pending().await
    }

    async fn tables(&self, _: &Scope, _: &[String], _: usize) -> Result<Vec<CataloguePassage>, CatalogueError> {
        std::future::pending().await
    }

    async fn list(&self, _: &Scope, _: &DocumentFilter) -> Result<DocumentList, CatalogueError> {
        std::future::pending().await
    }
}

fn with(world: &World, searcher: impl FnOnce(Searcher) -> Searcher) -> Engine {
    let engine = world.engine.clone();
    engine.with(|parts| {
        parts.searcher = searcher(parts.searcher.clone());
    })
}

async fn ask_in_time(world: &World, engine: &Engine) -> Spoken {
    world.ask_of(engine, QUESTION, Deadline::after(BUDGET)).await
}

#[tokio::test(start_paused = true)]
async fn a_model_that_hangs_leaves_the_request_time_for_the_sources_own_sentences() {
    let world = World::new().await;
    let hangs: Part<dyn LanguageModel> = Part::guarded(Arc::new(Hangs), world.breakers.of("model", PATIENT));
    let engine = world.engine.clone().with(|parts| {
        parts.roles = Arc::new(Roles::answering(NamedModel::of(hangs)));
    });
    let answer = ask_in_time(&world, &engine).await.answer;
    assert_eq!((answer.action, answer.answer), (Action::Cite, format!("{TEXT}[1]")));
    assert_eq!(answer.retrieval_quality.fallback_reasons, ["extractive"]);
    assert_eq!(world.breaker("model"), (0, 0), "it had not the time that is due to it");
}

#[tokio::test(start_paused = true)]
async fn a_reader_that_takes_the_whole_time_leaves_a_refusal_that_says_so() {
    let world = World::new().await;
    let hangs: Part<dyn Reranker> = Part::guarded(Arc::new(Hangs), world.breakers.of("reranker", PATIENT));
    let engine = world.engine.clone().with(|parts| {
        parts.reranker = Some(hangs);
    });
    let answer = ask_in_time(&world, &engine).await.answer;
    assert_eq!((answer.action, answer.reason), (Action::Refuse, Some(Reason::Deadline)));
    assert_eq!(answer.refusal_reason.as_deref(), Some("The time of the request (1500 ms) was over"));
    // Nothing that would take time is begun any more.
    assert_eq!(world.model.calls(), 0);
}

#[tokio::test(start_paused = true)]
async fn without_evidence_by_the_deadline_the_deadline_is_the_reason() {
    let world = World::new().await;
    let hangs: Part<dyn Index> = Part::guarded(Arc::new(Hangs), world.breakers.of("index", PATIENT));
    let engine = with(&world, |searcher| Searcher { index: hangs, ..searcher });
    let spoken = ask_in_time(&world, &engine).await;
    let answer = spoken.answer;
    assert_eq!((answer.action, answer.reason), (Action::Refuse, Some(Reason::Deadline)));
    assert_eq!(answer.refusal_reason.as_deref(), Some("The time of the request (1500 ms) was over"));
    assert_eq!(answer.answer, "The time for this question was up before an answer was found.");
    assert!(spoken.failure.is_some_and(|failure| failure.contains("did not answer within 1500 ms")));
}

#[tokio::test(start_paused = true)]
async fn a_part_that_keeps_no_time_is_left_behind_soon_after_the_deadline() {
    let world = World::new().await;
    let engine = with(&world, |searcher| Searcher { catalogue: Arc::new(Hangs), ..searcher });
    let answer = ask_in_time(&world, &engine).await.answer;
    assert_eq!((answer.action, answer.reason), (Action::Refuse, Some(Reason::Deadline)));
}

#[tokio::test(start_paused = true)]
async fn an_index_that_is_down_while_there_is_time_is_not_a_matter_of_time() {
    let world = World::new().await;
    world.index.set_down(true);
    let answer = world.ask_of(&world.engine, QUESTION, Deadline::after(PATIENT)).await.answer;
    assert_eq!(answer.reason, Some(Reason::RetrievalUnavailable));
}
