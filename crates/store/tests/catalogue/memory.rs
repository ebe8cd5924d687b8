//! Curated memory: written, published, recalled.

use std::sync::Arc;

use async_trait::async_trait;
use ibidem_ports::curate::{CheckedEntry, EntryDraft, Window};
use ibidem_ports::memory::Memory;
use ibidem_ports::outbox::{Outbox, Wanted};
use ibidem_ports::vectors::{NewVector, VectorShelf};
use ibidem_store::{Author, MemoryOutcome};
use ibidem_testing::fakes::FakeEmbedder;
use ibidem_testing::suites::memory::{DocumentOfSuite, MemoryWorld, memory_suite};
use ibidem_words::{MemoryId, MemoryKind, ModelHash, Reference};

use super::*;

/// The store as the suite fills it.
struct StoreWorld(Store);

#[async_trait]
impl MemoryWorld for StoreWorld {
    fn memory(&self) -> &dyn Memory {
        &self.0
    }

    async fn tenant(&self, name: &str) -> TenantId {
        self.0.ensure_tenant(name).await.unwrap()
    }

    async fn put_document(&self, tenant: TenantId, of: DocumentOfSuite<'_>) -> DocumentId {
        let mut submission = submission(tenant, of.name, &of.texts.concat(), &[]);
        submission.tags = of.tags;
        let document = submission.document_id();
        self.0.submit(tenant, Uuid::now_v7(), READING, &[submission]).await.unwrap();
        let job = Intake::claim(&self.0, 1).await.unwrap().remove(0);
        let version = NewVersion { address: of.address.map(str::to_owned), ..version(of.texts) };
        Intake::commit(&self.0, vec![(job, version)]).await.unwrap();
        publish_all(&self.0).await;
        document
    }

    async fn remove_document(&self, tenant: TenantId, document: DocumentId) {
        self.0.remove(tenant, document).await.unwrap();
    }

    async fn put_entry(&self, tenant: TenantId, id: Option<MemoryId>, draft: EntryDraft) -> MemoryId {
        let (author, checked) = (Author::operator(tenant), checked(draft));
        let Some(id) = id else { return self.0.create_entry(&author, &checked).await.unwrap() };
        assert_eq!(self.0.replace_entry(&author, id, &checked).await.unwrap(), MemoryOutcome::Done);
        id
    }

    async fn remove_entry(&self, tenant: TenantId, id: MemoryId) {
        let outcome = self.0.remove_entry(&Author::operator(tenant), id).await.unwrap();
        assert_eq!(outcome, MemoryOutcome::Done);
    }
}

fn checked(draft: EntryDraft) -> CheckedEntry {
    draft.checked(&Window { counter: Arc::new(FakeEmbedder::new(8, 64)), max_tokens: 64 }).unwrap()
}

fn note(text: &str, triggers: &[&str], audience: &[&str]) -> EntryDraft {
    EntryDraft {
        kind: MemoryKind::Note { text: text.to_owned() },
        triggers: triggers.iter().map(|trigger| (*trigger).to_owned()).collect(),
        references: vec![Reference::Address("ADR-12".to_owned())],
        tags: tags(audience),
    }
}

fn curator(tenant: TenantId, names: &[&str]) -> Author {
    let tags = tags(names).into_iter().collect();
    Author::of(&Identity::for_tests(tenant, "desk", tags).with_role(Role::Curator))
}

fn model() -> ModelHash {
    ModelHash(Sha256Hash::of(b"m"))
}

async fn wanted(store: &Store, tenant: TenantId, id: MemoryId) -> Wanted {
    store.wanted(model(), &[(tenant, id.as_document())]).await.unwrap().remove(0)
}

/// Vectors for everything that an entry lacks.
async fn embed(store: &Store, wanted: &Wanted) {
    let vectors =
        wanted.missing.iter().map(|missing| NewVector { tenant: missing.tenant, key: missing.key, vector: vec![1.0] });
    store.store(model(), vectors.collect()).await.unwrap();
}

#[tokio::test]
async fn the_store_behaves_as_a_memory() {
    let database = TestDatabase::create().await;
    memory_suite(&StoreWorld(database.store.clone())).await;
    database.drop_database().await;
}

#[tokio::test]
async fn an_entry_is_wanted_in_its_tenants_memory_triggers_first_and_then_the_note() {
    with_store(|store, tenant| async move {
        let draft = note("Payers are billed monthly.", &["Who pays?", "When?"], &["finance"]);
        let id = store.create_entry(&Author::operator(tenant), &checked(draft)).await.unwrap();
        let claimed = Outbox::claim(&store, 10).await.unwrap();
        assert_eq!(
            claimed.iter().map(|done| (done.tenant, done.document)).collect::<Vec<_>>(),
            [(tenant, id.as_document())]
        );
        let lacking = wanted(&store, tenant, id).await;
        assert_eq!((lacking.document.points.len(), lacking.missing.len()), (0, 3));
        assert!(lacking.missing.iter().all(|missing| missing.tenant == tenant), "vectors are the tenant's own");
        embed(&store, &lacking).await;

        let Wanted { document, missing } = wanted(&store, tenant, id).await;
        assert!(missing.is_empty());
        assert_eq!((document.tenant, document.collection.as_str()), (tenant.memory(), "memory"));
        assert_eq!(document.tags, tags(&["finance"]));
        let points: Vec<_> = document.points.iter().map(|point| (point.passage, point.words.as_str())).collect();
        let at = |chunk_index| key(id.as_document(), 1, chunk_index);
        assert_eq!(points, [(at(0), "Who pays?"), (at(1), "When?"), (at(2), "Payers are billed monthly.")]);
        // An entry is no document of its tenant, and nobody else's entry.
        assert!(store.wanted(model(), &[(tenant.memory(), id.as_document())]).await.unwrap().is_empty());
    })
    .await;
}

#[tokio::test]
async fn a_changed_entry_is_published_again_under_its_new_version_and_a_removed_one_disappears() {
    with_store(|store, tenant| async move {
        let author = Author::operator(tenant);
        let id = store.create_entry(&author, &checked(note("Old text.", &["Who pays?"], &["public"]))).await.unwrap();
        embed(&store, &wanted(&store, tenant, id).await).await;
        store.acknowledge(&Outbox::claim(&store, 10).await.unwrap()).await.unwrap();

        let reworded = checked(note("New text.", &["Who pays?"], &["finance"]));
        assert_eq!(store.replace_entry(&author, id, &reworded).await.unwrap(), MemoryOutcome::Done);
        assert_eq!(Outbox::claim(&store, 10).await.unwrap().len(), 1);
        let changed = wanted(&store, tenant, id).await;
        assert_eq!(changed.document.points[0].passage, key(id.as_document(), 2, 0), "the trigger's vector is known");
        assert_eq!(changed.missing[0].text, "New text.");

        assert_eq!(store.remove_entry(&author, id).await.unwrap(), MemoryOutcome::Done);
        let removed = wanted(&store, tenant, id).await;
        assert!(removed.document.points.is_empty() && removed.missing.is_empty());
        assert_eq!(removed.document.tenant, tenant.memory());
        assert_eq!(store.remove_entry(&author, id).await.unwrap(), MemoryOutcome::NotFound);
        assert_eq!(store.replace_entry(&author, id, &reworded).await.unwrap(), MemoryOutcome::NotFound);
        assert_eq!(store.entry(&scope(tenant, &["finance"]), id).await.unwrap(), None);
    })
    .await;
}

#[tokio::test]
async fn a_rebuilt_index_learns_of_entries_removed_ones_included_and_their_vectors_are_kept() {
    with_store(|store, tenant| async move {
        let author = Author::operator(tenant);
        let document = take_in(&store, submission(tenant, "a.md", "one", &["public"]), &["First."]).await;
        let mut entries = Vec::new();
        for text in ["One.", "Two."] {
            let checked = checked(note(text, &["Who pays?"], &["public"]));
            entries.push(store.create_entry(&author, &checked).await.unwrap());
        }
        embed(&store, &wanted(&store, tenant, entries[0]).await).await;
        store.remove_entry(&author, entries[1]).await.unwrap();

        let mut all = Vec::new();
        while let Some(next) = store.page_of_documents(all.last().copied(), None, 1).await.unwrap().pop() {
            all.push(next);
        }
        let mut expected = [document, entries[0].as_document(), entries[1].as_document()].map(|id| (tenant, id));
        expected.sort_unstable();
        assert_eq!(all, expected);
        let now = store.now().await.unwrap();
        assert!(store.page_of_documents(None, Some(now), 10).await.unwrap().is_empty());

        let mut states = store.page_of_states(None, 2).await.unwrap();
        let last = states.last().map(|state| (state.tenant, state.document));
        states.extend(store.page_of_states(last, 2).await.unwrap());
        for (id, version, passages) in [(entries[0], 1, 2), (entries[1], 2, 0)] {
            let state = states.iter().find(|state| state.document == id.as_document()).unwrap();
            assert_eq!((state.tenant, state.shelf), (tenant, tenant.memory()));
            assert_eq!((state.version, state.passages), (version, passages));
            assert_eq!(state.stamp, wanted(&store, tenant, id).await.document.stamp().to_string());
        }
        assert_eq!(states.len(), 3);

        assert_eq!(store.prune_vectors(model()).await.unwrap(), 0);
        store.remove_entry(&author, entries[0]).await.unwrap();
        assert_eq!(store.prune_vectors(model()).await.unwrap(), 2);
    })
    .await;
}

#[tokio::test]
async fn entries_are_listed_oldest_first_page_by_page_within_the_scope() {
    with_store(|store, tenant| async move {
        let author = curator(tenant, &["finance"]);
        let mut entries = Vec::new();
        for audience in ["public", "finance", "public"] {
            let checked = checked(note("Text.", &["Who pays?"], &[audience]));
            entries.push(store.create_entry(&author, &checked).await.unwrap());
        }
        let list = async |names: &[&str], after: Option<MemoryId>, limit| {
            let rows = store.list_entries(&scope(tenant, names), after, limit).await.unwrap();
            rows.iter().map(|row| row.entry.id).collect::<Vec<_>>()
        };
        assert_eq!(list(&["finance"], None, 2).await, entries[..2]);
        assert_eq!(list(&["finance"], Some(entries[1]), 2).await, entries[2..]);
        assert_eq!(list(&[], None, 10).await, [entries[0], entries[2]]);
        let row = store.entry(&scope(tenant, &["finance"]), entries[1]).await.unwrap().unwrap();
        assert_eq!((row.created_by.as_str(), row.version), ("desk", 1));
        assert_eq!(store.entry(&scope(tenant, &[]), entries[1]).await.unwrap(), None);
    })
    .await;
}

#[tokio::test]
async fn nobody_changes_what_is_also_for_those_they_share_no_tag_with() {
    with_store(|store, tenant| async move {
        let other = store.ensure_tenant("other").await.unwrap();
        let draft = checked(note("Text.", &["Who pays?"], &["finance", "legal"]));
        let id = store.create_entry(&Author::operator(tenant), &draft).await.unwrap();
        let foreign = MemoryOutcome::Foreign("legal".parse().unwrap());
        for (author, expected) in [
            (curator(tenant, &["finance"]), foreign),
            (curator(tenant, &["security"]), MemoryOutcome::NotFound),
            (curator(other, &["finance", "legal"]), MemoryOutcome::NotFound),
            (Author::operator(other), MemoryOutcome::NotFound),
            (curator(tenant, &["finance", "legal"]), MemoryOutcome::Done),
        ] {
            assert_eq!(store.replace_entry(&author, id, &draft).await.unwrap(), expected, "{author:?}");
            assert_eq!(store.remove_entry(&author, id).await.unwrap(), expected, "{author:?}");
        }
    })
    .await;
}

#[tokio::test]
async fn references_that_lead_nowhere_are_named() {
    with_store(|store, tenant| async move {
        let document = take_in(&store, submission(tenant, "a.md", "one", &["finance"]), &["First."]).await;
        let references = ["adr 1", "ADR-2", &format!("{document}:0"), &format!("{document}:1"), &document.to_string()];
        let references: Vec<Reference> = references.iter().map(|written| written.parse().unwrap()).collect();
        let nowhere = store.leading_nowhere(&scope(tenant, &["finance"]), &references).await.unwrap();
        assert_eq!(nowhere, [references[1].clone(), references[3].clone()]);
        assert_eq!(store.leading_nowhere(&scope(tenant, &[]), &references).await.unwrap(), references);
    })
    .await;
}
