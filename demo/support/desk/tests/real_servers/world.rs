//! An engine with a tool server and no documents.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use chrono::Utc;
use ibidem_adapters::mcp::{McpSettings, McpTools, Reached};
use ibidem_engine::ask::{Engine, Spoken};
use ibidem_engine::listener::Nobody;
use ibidem_engine::policy::Policy;
use ibidem_engine::search::Searcher;
use ibidem_engine::turn::Asked;
use ibidem_ports::degrade::{BreakerSettings, Breakers, Deadline, Part};
use ibidem_ports::tools::Tools;
use ibidem_store::Store;
use ibidem_testing::fakes::{FakeCatalogue, FakeEmbedder, FakeIndex};
use ibidem_words::{Answer, Identity, Question, Scope, TenantId};
use uuid::Uuid;

pub(crate) const SUPPORT: &str = include_str!("../../../../../policies/support.yaml");

pub(crate) struct World {
    engine: Engine,
    policy: Arc<Policy>,
    pub(crate) tools: Arc<McpTools>,
}

impl World {
    pub(crate) fn of(reached: Reached, patience: Duration) -> Self {
        let _ = rustls::crypto::ring::default_provider().install_default();
        let settings = McpSettings { reached, at_once: 4, most_bytes: 1 << 20 };
        let tools = Arc::new(McpTools::new(settings));
        let breakers = Breakers::new(BreakerSettings::default());
        let part = Part::guarded(tools.clone() as Arc<dyn Tools>, breakers.of("tools_desk", patience));
        let catalogue = Arc::new(FakeCatalogue::default());
        let searcher = Searcher {
            embedder: Part::bare(Arc::new(FakeEmbedder::new(64, 256))),
            index: Part::bare(Arc::new(FakeIndex::new(64))),
            catalogue: catalogue.clone(),
            words: catalogue,
        };
        let engine = Engine::new(searcher).with(|parts| parts.tools = [("desk".to_owned(), part)].into());
        Self { engine, policy: Arc::new(Policy::parse(SUPPORT).unwrap()), tools }
    }

    /// The same under another policy file.
    pub(crate) fn under(mut self, policy: &str) -> Self {
        self.policy = Arc::new(Policy::parse(policy).unwrap());
        self
    }

    /// The same, with a database in which calls wait to be confirmed.
    pub(crate) fn confirming(mut self, store: Store) -> Self {
        self.engine = self.engine.with(|parts| parts.confirmations = Some(Arc::new(store)));
        self
    }

    /// The tenant of those who ask.
    pub(crate) async fn prepare(&self, store: &Store) {
        assert_eq!(store.ensure_tenant("t").await.unwrap(), TenantId::named("t"));
    }

    /// A turn as every way in takes it.
    pub(crate) async fn turn(&self, query: &str) -> Answer {
        let asked = self.asked(Question::new(query));
        self.engine.turn(&staff(), asked, &mut Nobody).await.unwrap().0
    }

    pub(crate) async fn ask(&self, query: &str) -> Spoken {
        self.put(Question::new(query)).await
    }

    pub(crate) async fn put(&self, question: Question) -> Spoken {
        self.engine.ask(self.asked(question), &mut Nobody).await.unwrap()
    }

    fn asked(&self, question: Question) -> Asked {
        Asked {
            request_id: Uuid::new_v4(),
            at: Utc::now(),
            scope: Scope::of(&staff()),
            question,
            policy: self.policy.clone(),
            deadline: Deadline::NONE,
        }
    }
}

fn staff() -> Identity {
    Identity::for_tests(TenantId::named("t"), "s", ["support-desk".parse().unwrap()].into())
}

/// A program with these arguments and variables.
pub(crate) fn program(program: &str, arguments: &[&str], environment: &[(&str, &str)]) -> Reached {
    let command = std::iter::once(program).chain(arguments.iter().copied()).map(str::to_owned).collect();
    let environment: BTreeMap<String, String> =
        environment.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
    Reached::Program { command, environment }
}
