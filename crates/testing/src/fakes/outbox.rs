//! An outbox in memory, with the current and the next version of each document and a clock that moves only when it is
//! told to.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use async_trait::async_trait;
use uuid::Uuid;

use super::FakeVectors;
use ibidem_ports::catalogue::CatalogueError;
use ibidem_ports::index::{IndexDocument, IndexPoint};
use ibidem_ports::intake::NewPassage;
use ibidem_ports::outbox::{ClaimedOf, Outbox, Publication, Wanted};
use ibidem_ports::vectors::MissingVector;
use ibidem_words::{
    CollectionName, DocumentId, DocumentKind, ModelHash, PassageKey, Tag, TenantId, passage_in_context,
};

/// How long a lease lasts, by the fake's own clock.
pub(super) const LEASE: Duration = Duration::from_secs(60);

type Key = (TenantId, DocumentId);

/// Whoever puts a document into it asks for its publication, as the real catalogue does.
#[derive(Default)]
pub struct FakeOutbox {
    vectors: Arc<FakeVectors>,
    state: Mutex<State>,
}

/// A document, as one version of it is.
#[derive(Clone, Debug)]
pub struct FakeDocument {
    pub collection: CollectionName,
    pub kind: Option<DocumentKind>,
    pub tags: Vec<Tag>,
    pub title: String,
    pub passages: Vec<NewPassage>,
}

#[derive(Default)]
struct State {
    now: Duration,
    documents: BTreeMap<Key, Shelved>,
    waiting: BTreeMap<Key, Waiting>,
    /// How often anything was asked for or leased.
    count: u64,
}

struct Shelved {
    document: FakeDocument,
    version: u32,
    is_removed: bool,
    /// What takes the document's place once the index has it.
    next: Option<(FakeDocument, u32)>,
}

struct Waiting {
    place: u64,
    generation: i64,
    held: Option<Held>,
}

/// A lease and its end.
pub(super) struct Held {
    pub(super) lease: Uuid,
    pub(super) until: Duration,
}

impl FakeOutbox {
    /// With the vectors that it wants documents with.
    pub fn new(vectors: Arc<FakeVectors>) -> Self {
        Self { vectors, state: Mutex::default() }
    }

    /// Makes this the document's next version, or its current one where it has none, and asks for its publication. Who
    /// sees it changes at once.
    pub fn put(&self, tenant: TenantId, id: DocumentId, document: FakeDocument) {
        let mut state = self.state();
        match state.documents.get_mut(&(tenant, id)) {
            Some(older) if !older.is_removed => {
                let number = older.next.as_ref().map_or(older.version, |(_, number)| *number) + 1;
                older.document.tags = Tag::of_both(&older.document.tags, &document.tags);
                older.next = Some((document, number));
            }
            older => {
                let version = older.map_or(1, |older| older.version + 1);
                state.documents.insert((tenant, id), Shelved { document, version, is_removed: false, next: None });
            }
        }
        state.ask((tenant, id));
    }

    /// Changes who sees a document. Says whether it is there.
    pub fn retag(&self, tenant: TenantId, id: DocumentId, tags: &[Tag]) -> bool {
        let mut state = self.state();
        let Some(shelved) = state.documents.get_mut(&(tenant, id)).filter(|shelved| !shelved.is_removed) else {
            return false;
        };
        shelved.document.tags = tags.to_vec();
        if let Some((next, _)) = &mut shelved.next {
            next.tags = tags.to_vec();
        }
        state.ask((tenant, id));
        true
    }

    /// Takes a document away. Says whether it was there.
    pub fn remove(&self, tenant: TenantId, id: DocumentId) -> bool {
        let mut state = self.state();
        let Some(shelved) = state.documents.get_mut(&(tenant, id)).filter(|shelved| !shelved.is_removed) else {
            return false;
        };
        shelved.is_removed = true;
        shelved.document.passages.clear();
        shelved.next = None;
        state.ask((tenant, id));
        true
    }

    /// The document as it was handed in last, unless it was removed.
    pub fn document(&self, tenant: TenantId, id: DocumentId) -> Option<FakeDocument> {
        let state = self.state();
        let shelved = state.documents.get(&(tenant, id)).filter(|shelved| !shelved.is_removed)?;
        Some(shelved.next.as_ref().map_or(&shelved.document, |(next, _)| next).clone())
    }

    /// What is not published yet, leased or not.
    pub fn waiting(&self) -> Vec<(TenantId, DocumentId)> {
        self.state().waiting.keys().copied().collect()
    }

    /// Moves the clock on.
    pub fn pass(&self, time: Duration) {
        self.state().now += time;
    }

    pub(super) fn now(&self) -> Duration {
        self.state().now
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    fn ask(&mut self, key: Key) {
        self.count += 1;
        let place = self.count;
        let asked = self.waiting.entry(key).or_insert(Waiting { place, generation: 0, held: None });
        asked.generation += 1;
    }

    /// The entry of a publication, if its lease is still the one that the entry has.
    fn held(&mut self, publication: &Publication) -> Option<&mut Waiting> {
        let waiting = self.waiting.get_mut(&(publication.tenant, publication.document))?;
        let is_ours = waiting.held.as_ref().is_some_and(|held| held.lease == publication.lease);
        is_ours.then_some(waiting)
    }
}

#[async_trait]
impl Outbox for FakeOutbox {
    async fn claim(&self, limit: usize) -> Result<Vec<Publication>, CatalogueError> {
        let mut state = self.state();
        state.count += 1;
        let (now, lease) = (state.now, Uuid::from_u128(state.count.into()));
        let is_free = |waiting: &Waiting| waiting.held.as_ref().is_none_or(|held| held.until < now);
        let mut free: Vec<_> = state.waiting.iter_mut().filter(|(_, waiting)| is_free(waiting)).collect();
        free.sort_by_key(|(_, waiting)| waiting.place);
        let mut turns: BTreeMap<TenantId, usize> = BTreeMap::new();
        let in_turn = free.into_iter().map(|((tenant, document), waiting)| {
            let turn = turns.entry(*tenant).or_default();
            *turn += 1;
            (*turn, (tenant, document), waiting)
        });
        let mut in_turn: Vec<_> = in_turn.collect();
        in_turn.sort_by_key(|(turn, _, waiting)| (*turn, waiting.place));
        let taken = in_turn.into_iter().take(limit).map(|(_, (tenant, document), waiting)| {
            waiting.held = Some(Held { lease, until: now + LEASE });
            Publication { tenant: *tenant, document: *document, generation: waiting.generation, lease }
        });
        Ok(taken.collect())
    }

    async fn claim_of(&self, documents: &[(TenantId, DocumentId)]) -> Result<ClaimedOf, CatalogueError> {
        let mut state = self.state();
        state.count += 1;
        let (now, lease) = (state.now, Uuid::from_u128(state.count.into()));
        let mut claimed = ClaimedOf::default();
        for (key, waiting) in state.waiting.iter_mut().filter(|(key, _)| documents.contains(key)) {
            if waiting.held.as_ref().is_some_and(|held| held.until >= now) {
                claimed.others += 1;
                continue;
            }
            waiting.held = Some(Held { lease, until: now + LEASE });
            let (tenant, document) = *key;
            claimed.publications.push(Publication { tenant, document, generation: waiting.generation, lease });
        }
        Ok(claimed)
    }

    async fn wanted(
        &self,
        model: ModelHash,
        documents: &[(TenantId, DocumentId)],
    ) -> Result<Vec<Wanted>, CatalogueError> {
        let state = self.state();
        let known = state.documents.iter().filter(|(key, _)| documents.contains(key));
        Ok(known.map(|((tenant, id), shelved)| self.wanted_of(model, *tenant, *id, shelved)).collect())
    }

    async fn renew(&self, held: &[Publication]) -> Result<(), CatalogueError> {
        let mut state = self.state();
        let until = state.now + LEASE;
        for publication in held {
            if let Some(held) = state.held(publication).and_then(|waiting| waiting.held.as_mut()) {
                held.until = until;
            }
        }
        Ok(())
    }

    async fn acknowledge(&self, done: &[Publication]) -> Result<(), CatalogueError> {
        let mut state = self.state();
        for publication in done {
            let key = (publication.tenant, publication.document);
            match state.held(publication) {
                Some(waiting) if waiting.generation == publication.generation => {
                    let shelved = state.documents.get_mut(&key);
                    match shelved.and_then(|shelved| shelved.next.take().map(|next| (shelved, next))) {
                        None => drop(state.waiting.remove(&key)),
                        Some((shelved, (document, version))) => {
                            (shelved.document, shelved.version) = (document, version);
                            state.ask(key);
                            if let Some(waiting) = state.waiting.get_mut(&key) {
                                waiting.held = None;
                            }
                        }
                    }
                }
                Some(changed) => changed.held = None,
                None => state.ask(key),
            }
        }
        Ok(())
    }

    async fn release(&self, held: &[Publication]) -> Result<(), CatalogueError> {
        let mut state = self.state();
        for publication in held {
            if let Some(waiting) = state.held(publication) {
                waiting.held = None;
            }
        }
        Ok(())
    }
}

impl FakeOutbox {
    fn wanted_of(&self, model: ModelHash, tenant: TenantId, id: DocumentId, shelved: &Shelved) -> Wanted {
        let document = &shelved.document;
        let (mut points, mut missing) = (Vec::new(), Vec::new());
        let next = shelved.next.iter().map(|(next, version)| (next, *version));
        for (document, version) in std::iter::once((document, shelved.version)).chain(next) {
            for (chunk_index, passage) in (0..).zip(&document.passages) {
                let words = passage_in_context(&document.title, passage.section.as_deref(), &passage.text);
                match self.vectors.vector(model, tenant, passage.embedding_key) {
                    Some(vector) => {
                        let passage = PassageKey { document: id, version, chunk_index };
                        points.push(IndexPoint { passage, vector, words });
                    }
                    None => missing.push(MissingVector { tenant, key: passage.embedding_key, text: words }),
                }
            }
        }
        let document = IndexDocument {
            tenant,
            document: id,
            collection: document.collection.clone(),
            kind: document.kind.clone(),
            tags: document.tags.clone(),
            points,
        };
        Wanted { document, missing }
    }
}
