//! A small library, somebody who asks, and a model that follows a script.

use std::sync::Arc;

use chrono::DateTime;
use ibidem_engine::ask::{AskError, Engine};
use ibidem_engine::fakes::{FakeCatalogue, FakeEmbedder, FakeIndex, FakeModel, Script};
use ibidem_engine::policy::Policy;
use ibidem_engine::ports::catalogue::CataloguePassage;
use ibidem_engine::ports::embedder::Embedder;
use ibidem_engine::ports::index::{IndexDocument, IndexPoint, IndexWriter as _};
use ibidem_engine::search::Searcher;
use ibidem_engine::speak::{Nobody, Spoken};
use ibidem_engine::turn::Asked;
use ibidem_engine::words::{
    CharSpan, DocumentId, Identity, PassageKey, Question, Role, Scope, Sha256Hash, Tag, TenantId,
};
use uuid::Uuid;

pub(crate) const BOOK: &str = include_str!("../../../../policies/book.yaml");
const TENANT: &str = "secret-tenant";
const TAG: &str = "secret-tag";

/// A document of one passage.
pub(crate) struct Book {
    pub(crate) title: String,
    pub(crate) source_location: String,
    pub(crate) text: String,
    /// Where it lies; by its text when there is none.
    pub(crate) vector: Option<Vec<f32>>,
}

impl Book {
    /// In a path that no model may ever see.
    pub(crate) fn of(text: &str) -> Self {
        let source_location = "secret-folder/secret-file.pdf".to_owned();
        Self { title: "Manual".to_owned(), source_location, text: text.to_owned(), vector: None }
    }
}

pub(crate) struct World {
    pub(crate) engine: Engine,
    pub(crate) model: Arc<FakeModel>,
    pub(crate) index: Arc<FakeIndex>,
    pub(crate) tenant: TenantId,
    pub(crate) policy: Arc<Policy>,
}

impl World {
    pub(crate) async fn with(script: Script, texts: &[&str]) -> Self {
        let books = texts.iter().map(|text| Book::of(text)).collect();
        Self::of(script, books, Arc::new(FakeEmbedder::new(64, 256)), BOOK).await
    }

    pub(crate) async fn of(script: Script, books: Vec<Book>, embedder: Arc<dyn Embedder>, policy: &str) -> Self {
        let tenant = TenantId::named(TENANT);
        let tags: Vec<Tag> = vec![TAG.parse().unwrap()];
        let index = Arc::new(FakeIndex::new(embedder.model().dimensions));
        let catalogue = FakeCatalogue::default();
        for (number, book) in (1_u128..).zip(books) {
            let document = DocumentId(Uuid::from_u128(number << 64));
            let passage = PassageKey { document, version: 1, chunk_index: 0 };
            let vector = match book.vector {
                Some(vector) => vector,
                None => embedder.embed_passages(vec![book.text.clone()]).await.unwrap().remove(0),
            };
            let points = vec![IndexPoint { passage, vector, words: book.text.clone() }];
            let collection = "Book".parse().unwrap();
            let published = IndexDocument { tenant, document, collection, kind: None, tags: tags.clone(), points };
            index.publish(vec![published]).await.unwrap();
            let shelved = CataloguePassage {
                passage,
                collection: "Book".parse().unwrap(),
                kind: None,
                title: book.title,
                address: None,
                source_location: book.source_location,
                updated_at: DateTime::UNIX_EPOCH,
                section: Some("Oil".to_owned()),
                page: Some(7),
                span: CharSpan { start: 0, end: 10 },
                document_sha256: Sha256Hash::of(book.text.as_bytes()),
                text: book.text,
                tokens: 8,
            };
            catalogue.put(tenant, tags.clone(), shelved);
        }
        let model = Arc::new(FakeModel::new(script));
        let searcher = Searcher { embedder, index: index.clone(), catalogue: Arc::new(catalogue) };
        let engine = Engine { searcher, model: Some(model.clone()), vocabulary: None };
        Self { engine, model, index, tenant, policy: Arc::new(Policy::parse(policy).unwrap()) }
    }

    pub(crate) async fn ask(&self, query: &str) -> Spoken {
        self.put(Question::new(query)).await.unwrap()
    }

    pub(crate) async fn put(&self, question: Question) -> Result<Spoken, AskError> {
        let tags = [TAG.parse().unwrap()].into();
        let identity = Identity { tenant: self.tenant, subject: "s".to_owned(), role: Role::Asker, tags };
        let asked = Asked {
            request_id: Uuid::from_u128(1),
            at: DateTime::UNIX_EPOCH,
            scope: Scope::of(&identity),
            question,
            policy: self.policy.clone(),
        };
        self.engine.ask(asked, &mut Nobody).await
    }

    pub(crate) fn model_calls(&self) -> usize {
        self.model.prompts().len()
    }
}
