//! Curated memory in memory, and the documents that its entries refer to.

use std::collections::{BTreeMap, HashSet};
use std::sync::{Mutex, MutexGuard, PoisonError};

use async_trait::async_trait;

use ibidem_ports::catalogue::{CatalogueError, CataloguePassage};
use ibidem_ports::memory::{Memory, PASSAGES_OF_A_DOCUMENT, Remembered};
use ibidem_words::{AddressKey, DocumentId, MemoryEntry, MemoryId, Reference, Scope, Tag, TenantId};

#[derive(Default)]
pub struct FakeMemory(Mutex<Kept>);

#[derive(Default)]
struct Kept {
    documents: BTreeMap<(TenantId, DocumentId), Shelved>,
    entries: BTreeMap<(TenantId, MemoryId), (u32, MemoryEntry)>,
}

struct Shelved {
    tags: Vec<Tag>,
    /// Of the current version, in order.
    passages: Vec<CataloguePassage>,
}

impl FakeMemory {
    /// The passages of a document's current version, in place of any former one.
    pub fn put_document(&self, tenant: TenantId, tags: Vec<Tag>, passages: Vec<CataloguePassage>) {
        if let Some(first) = passages.first() {
            self.kept().documents.insert((tenant, first.passage.document), Shelved { tags, passages });
        }
    }

    pub fn remove_document(&self, tenant: TenantId, document: DocumentId) {
        self.kept().documents.remove(&(tenant, document));
    }

    /// Keeps an entry, in place of any former one of its id. Returns its version.
    pub fn put(&self, tenant: TenantId, entry: MemoryEntry) -> u32 {
        let mut kept = self.kept();
        let key = (tenant, entry.id);
        let version = kept.entries.get(&key).map_or(1, |(version, _)| version + 1);
        kept.entries.insert(key, (version, entry));
        version
    }

    pub fn remove(&self, tenant: TenantId, id: MemoryId) {
        self.kept().entries.remove(&(tenant, id));
    }

    fn kept(&self) -> MutexGuard<'_, Kept> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Kept {
    fn resolve(&self, scope: &Scope, reference: &Reference) -> Vec<CataloguePassage> {
        let mut visible = self.documents.iter().filter(|((tenant, _), shelved)| scope.sees(*tenant, &shelved.tags));
        let found = match reference {
            Reference::Passage(source) => visible.find(|((_, id), _)| *id == source.document),
            Reference::Document(document) => visible.find(|((_, id), _)| id == document),
            Reference::Address(address) => {
                let asked = AddressKey::of(address);
                visible.find(|(_, shelved)| {
                    let address = shelved.passages.first().and_then(|passage| passage.address.as_deref());
                    asked.is_some() && address.and_then(AddressKey::of) == asked
                })
            }
        };
        let wanted = |chunk: u32| match reference {
            Reference::Passage(source) => chunk == source.chunk_index,
            Reference::Document(_) | Reference::Address(_) => chunk < PASSAGES_OF_A_DOCUMENT,
        };
        let passages = found.into_iter().flat_map(|(_, shelved)| &shelved.passages);
        passages.filter(|passage| wanted(passage.passage.chunk_index)).cloned().collect()
    }
}

#[async_trait]
impl Memory for FakeMemory {
    async fn recall(&self, scope: &Scope, entries: &[MemoryId]) -> Result<Vec<Remembered>, CatalogueError> {
        let kept = self.kept();
        let mut asked = HashSet::new();
        let found = entries.iter().filter(|id| asked.insert(**id)).filter_map(|id| {
            let (version, entry) = kept.entries.get(&(scope.tenant(), *id))?;
            scope.sees(scope.tenant(), &entry.tags).then_some((*version, entry))
        });
        let remembered = found.map(|(version, entry)| {
            let resolved: Vec<_> = entry.references.iter().map(|reference| kept.resolve(scope, reference)).collect();
            let mut known = HashSet::new();
            Remembered {
                entry: entry.clone(),
                version,
                resolved: resolved.iter().filter(|passages| !passages.is_empty()).count(),
                passages: resolved.into_iter().flatten().filter(|passage| known.insert(passage.passage)).collect(),
            }
        });
        Ok(remembered.collect())
    }
}

#[cfg(test)]
mod tests {
    use chrono::DateTime;
    use uuid::Uuid;

    use super::*;
    use crate::suites::memory::{DocumentOfSuite, MemoryWorld, memory_suite};
    use ibidem_ports::curate::EntryDraft;
    use ibidem_words::{CharSpan, PassageKey, Sha256Hash};

    fn passage(of: &DocumentOfSuite<'_>, passage: PassageKey, text: &str) -> CataloguePassage {
        CataloguePassage {
            passage,
            collection: "ADR".parse().unwrap(),
            kind: None,
            title: of.name.to_owned(),
            address: of.address.map(str::to_owned),
            source_location: of.name.to_owned(),
            updated_at: DateTime::UNIX_EPOCH,
            section: None,
            page: None,
            span: CharSpan { start: 0, end: 0 },
            text: text.to_owned(),
            above: Default::default(),
            validity: Default::default(),
            tokens: 1,
            document_sha256: Sha256Hash::of(text.as_bytes()),
        }
    }

    #[async_trait]
    impl MemoryWorld for FakeMemory {
        fn memory(&self) -> &dyn Memory {
            self
        }

        async fn tenant(&self, name: &str) -> TenantId {
            TenantId::named(name)
        }

        async fn put_document(&self, tenant: TenantId, of: DocumentOfSuite<'_>) -> DocumentId {
            let document = DocumentId::at(tenant, &"ADR".parse().unwrap(), of.name);
            let former = self.kept().documents.get(&(tenant, document)).map(|shelved| shelved.passages[0].passage);
            let version = former.map_or(1, |former| former.version + 1);
            let keys = (0..).map(|chunk_index| PassageKey { document, version, chunk_index });
            let passages = of.texts.iter().zip(keys).map(|(text, key)| passage(&of, key, text)).collect();
            FakeMemory::put_document(self, tenant, of.tags, passages);
            document
        }

        async fn remove_document(&self, tenant: TenantId, document: DocumentId) {
            FakeMemory::remove_document(self, tenant, document);
        }

        async fn put_entry(&self, tenant: TenantId, id: Option<MemoryId>, draft: EntryDraft) -> MemoryId {
            let EntryDraft { kind, triggers, references, tags } = draft;
            let id = id.unwrap_or_else(|| MemoryId(Uuid::now_v7()));
            self.put(tenant, MemoryEntry { id, kind, triggers, references, tags });
            id
        }

        async fn remove_entry(&self, tenant: TenantId, id: MemoryId) {
            self.remove(tenant, id);
        }
    }

    #[tokio::test]
    async fn the_fake_behaves_as_a_memory() {
        memory_suite(&FakeMemory::default()).await;
    }
}
