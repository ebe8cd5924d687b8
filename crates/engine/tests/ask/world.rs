//! A small library, somebody who asks, and a model that follows a script.

use std::sync::Arc;

use chrono::DateTime;
use ibidem_engine::ask::{AskError, Engine};
use ibidem_engine::explain::Explanation;
use ibidem_engine::policy::Policy;
use ibidem_engine::roles::Planner;
use ibidem_engine::roles::{NamedModel, Roles};
use ibidem_engine::search::Searcher;
use ibidem_engine::turn::Asked;
use ibidem_engine::{ask::Spoken, listener::Nobody};
use ibidem_ports::catalogue::CataloguePassage;
use ibidem_ports::degrade::{Deadline, Part};
use ibidem_ports::embedder::Embedder;
use ibidem_ports::index::{IndexDocument, IndexPoint, IndexWriter as _};
use ibidem_ports::records::TurnRecord;
use ibidem_testing::fakes::{FakeCatalogue, FakeEmbedder, FakeIndex, FakeModel, Script};
use ibidem_words::{
    Answer, CharSpan, CollectionName, DocumentId, DocumentKind, Identity, PassageKey, Question, Scope, Sha256Hash, Tag,
    TenantId,
};
use uuid::Uuid;

pub(crate) const BOOK: &str = include_str!("../../../../policies/book.yaml");
const TENANT: &str = "secret-tenant";
pub(crate) const TAG: &str = "secret-tag";

/// A document of one passage.
pub(crate) struct Book {
    pub(crate) title: String,
    pub(crate) source_location: String,
    pub(crate) text: String,
    /// Where it lies; by its text when there is none.
    pub(crate) vector: Option<Vec<f32>>,
    pub(crate) collection: String,
    pub(crate) address: Option<String>,
    pub(crate) kind: Option<DocumentKind>,
}

impl Book {
    /// In a path that no model may ever see.
    pub(crate) fn of(text: &str) -> Self {
        let source_location = "secret-folder/secret-file.pdf".to_owned();
        Self {
            title: "Manual".to_owned(),
            source_location,
            text: text.to_owned(),
            vector: None,
            collection: "Book".to_owned(),
            address: None,
            kind: None,
        }
    }
}

pub(crate) struct World {
    pub(crate) engine: Engine,
    pub(crate) model: Arc<FakeModel>,
    pub(crate) index: Arc<FakeIndex>,
    pub(crate) catalogue: Arc<FakeCatalogue>,
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
        let catalogue = Arc::new(FakeCatalogue::default());
        for (number, book) in (1_u128..).zip(books) {
            let document = DocumentId(Uuid::from_u128(number << 64));
            let passage = PassageKey { document, version: 1, chunk_index: 0 };
            let vector = match book.vector {
                Some(vector) => vector,
                None => embedder.embed_passages(vec![book.text.clone()]).await.unwrap().remove(0),
            };
            let points = vec![IndexPoint { passage, vector, words: book.text.clone() }];
            let collection: CollectionName = book.collection.parse().unwrap();
            let published = IndexDocument {
                tenant,
                document,
                collection: collection.clone(),
                kind: None,
                tags: tags.clone(),
                points,
            };
            index.publish(vec![published]).await.unwrap();
            let shelved = CataloguePassage {
                passage,
                collection,
                kind: book.kind,
                title: book.title,
                address: book.address,
                source_location: book.source_location,
                updated_at: DateTime::UNIX_EPOCH,
                section: Some("Oil".to_owned()),
                page: Some(7),
                span: CharSpan { start: 0, end: u32::try_from(book.text.chars().count()).unwrap() },
                document_sha256: Sha256Hash::of(book.text.as_bytes()),
                text: book.text,
                above: Default::default(),
                validity: Default::default(),
                tokens: 8,
            };
            catalogue.put(tenant, tags.clone(), shelved);
        }
        let model = Arc::new(FakeModel::new(script));
        let searcher = Searcher {
            embedder: Part::bare(embedder),
            index: Part::bare(index.clone()),
            catalogue: catalogue.clone(),
            words: catalogue.clone(),
        };
        let roles = Roles::answering(NamedModel::unknown(model.clone()));
        let engine = Engine::new(searcher).with(|parts| {
            parts.roles = Arc::new(roles);
        });
        Self { engine, model, index, catalogue, tenant, policy: Arc::new(Policy::parse(policy).unwrap()) }
    }

    pub(crate) async fn ask(&self, query: &str) -> Spoken {
        self.put(Question::new(query)).await.unwrap()
    }

    pub(crate) async fn put(&self, question: Question) -> Result<Spoken, AskError> {
        self.engine.ask(self.asked(question), &mut Nobody).await
    }

    /// A turn as every way in takes it, with its record.
    pub(crate) async fn turn(&self, identity: &Identity, query: &str) -> (Answer, TurnRecord) {
        let asked = Asked { scope: Scope::of(identity), ..self.asked(Question::new(query)) };
        self.engine.turn(identity, asked, &mut Nobody).await.unwrap()
    }

    pub(crate) fn asked(&self, question: Question) -> Asked {
        let tags = [TAG.parse().unwrap()].into();
        let identity = Identity::for_tests(self.tenant, "s", tags);
        Asked {
            request_id: Uuid::from_u128(1),
            at: DateTime::UNIX_EPOCH,
            scope: Scope::of(&identity),
            question,
            policy: self.policy.clone(),
            deadline: Deadline::NONE,
        }
    }

    pub(crate) async fn explain(&self, query: &str) -> Explanation {
        self.engine.explain(self.asked(Question::new(query))).await.unwrap()
    }

    /// Gives somebody the role of the planner.
    pub(crate) fn plan_with(&mut self, planner: FakeModel) {
        let planner = Planner::new(NamedModel::unknown(Arc::new(planner)));
        let roles = Roles { planner: Some(Arc::new(planner)), ..Roles::clone(&self.engine.parts.roles) };
        self.engine.parts.roles = Arc::new(roles);
    }

    pub(crate) fn model_calls(&self) -> usize {
        self.model.prompts().len()
    }
}
