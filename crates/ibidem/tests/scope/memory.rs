//! What curators wrote helps those it is for and nobody else, and leads them to nothing that is not theirs.

use std::collections::BTreeSet;

use ibidem_ports::curate::{EntryDraft, Window};
use ibidem_ports::embedder::Embedder as _;
use ibidem_ports::index::{Index as _, IndexQuery, Shelf};
use ibidem_ports::memory::{Memory as _, PASSAGES_OF_A_DOCUMENT};
use ibidem_store::Author;
use ibidem_words::{MemoryId, MemoryKind, PassageKey, Reference, Scope, SourceId, Tag, TenantId};
use rand::RngExt as _;
use rand::rngs::StdRng;
use rand::seq::{IndexedRandom as _, SliceRandom as _};

use crate::asking::{NO_LIMIT, TENANTS, random_asker, random_question, random_tags, random_words};
use crate::world::World;

const ENTRIES: usize = 200;

/// An entry, as it is and as it lies in the index.
pub(crate) struct Entry {
    id: MemoryId,
    tenant: TenantId,
    tags: Vec<Tag>,
    references: Vec<Reference>,
    passages: u32,
}

impl Entry {
    fn keys(&self) -> impl Iterator<Item = PassageKey> {
        let document = self.id.as_document();
        (0..self.passages).map(move |chunk_index| PassageKey { document, version: 1, chunk_index })
    }
}

/// Entries of every tenant, for all sorts of audiences, that refer to documents of their own tenant and of others.
pub(crate) async fn write_some(world: &mut World, random: &mut StdRng) -> Vec<Entry> {
    let window = Window { counter: world.embedder.clone(), max_tokens: world.embedder.model().max_tokens };
    let mut entries = Vec::new();
    for _ in 0..ENTRIES {
        let tenant = TenantId::named(TENANTS.choose(random).unwrap());
        let count = random.random_range(1..=3);
        let mut tags = random_tags(random, count);
        if random.random_bool(0.15) {
            tags.push(Tag::public());
        }
        let references = (0..random.random_range(1..=6)).map(|_| reference(world, random, tenant)).collect();
        let triggers = (0..random.random_range(1..=3)).map(|_| random_words(random, 4).join(" ")).collect();
        let text = random_words(random, 9).join(" ");
        let kind = if random.random_bool(0.5) { MemoryKind::Pin } else { MemoryKind::Note { text } };
        let checked = EntryDraft { kind, triggers, references, tags }.checked(&window).unwrap();
        let id = world.store().create_entry(&Author::operator(tenant), &checked).await.unwrap();
        let passages = u32::try_from(checked.passages().len()).unwrap();
        let EntryDraft { references, tags, .. } = checked.entry().clone();
        entries.push(Entry { id, tenant, tags, references, passages });
    }
    world.publish().await;
    entries
}

/// Mostly to a document of the entry's own tenant.
fn reference(world: &World, random: &mut StdRng, tenant: TenantId) -> Reference {
    let anywhere = random.random_bool(0.2);
    let documents = world.truth.documents.iter().filter(|document| anywhere || document.tenant == tenant);
    let document = documents.collect::<Vec<_>>().choose(random).unwrap().id;
    if random.random_bool(0.5) {
        return Reference::Document(document);
    }
    Reference::Passage(SourceId { document, chunk_index: random.random_range(0..4) })
}

/// The index alone keeps to the scope: it finds all that is for the asker, on their shelf, and nothing else.
/// Returns how many askers something was kept from.
pub(crate) async fn search(world: &World, random: &mut StdRng, entries: &[Entry], askers: usize) -> usize {
    let mut kept_from = 0;
    for _ in 0..askers {
        let scope = random_asker(random);
        let question = random_question(random, &world.embedder).await;
        let vector = Some(question.vector.clone());
        let query = IndexQuery { shelf: Shelf::Memory, vector, hits_per_lane: NO_LIMIT, ..IndexQuery::default() };
        let hits = world.index.search(&scope, vec![query]).await.unwrap().remove(0);
        let found: BTreeSet<PassageKey> = hits.iter().map(|hit| hit.passage).collect();
        let visible = entries.iter().filter(|entry| scope.sees(entry.tenant, &entry.tags));
        assert_eq!(found, visible.flat_map(Entry::keys).collect(), "{scope:?}");
        kept_from += usize::from(entries.iter().any(|entry| !scope.sees(entry.tenant, &entry.tags)));
    }
    kept_from
}

/// An entry outside the scope is never recalled, one inside it always, with what its references lead the asker to.
/// Returns how many passages were recalled, and how many references led to something hidden.
pub(crate) async fn recall(world: &World, random: &mut StdRng, entries: &[Entry], askers: usize) -> (usize, usize) {
    let mut asked: Vec<&Entry> = entries.iter().collect();
    let (mut passages, mut hidden) = (0, 0);
    for _ in 0..askers {
        let scope = random_asker(random);
        asked.shuffle(random);
        let ids: Vec<MemoryId> = asked.iter().map(|entry| entry.id).collect();
        let recalled = world.store().recall(&scope, &ids).await.unwrap();
        let visible: Vec<&Entry> =
            asked.iter().copied().filter(|entry| scope.sees(entry.tenant, &entry.tags)).collect();
        assert_eq!(
            recalled.iter().map(|recalled| recalled.entry.id).collect::<Vec<_>>(),
            visible.iter().map(|entry| entry.id).collect::<Vec<_>>(),
            "{scope:?}"
        );
        for (entry, recalled) in visible.iter().zip(recalled) {
            let led: Vec<Vec<PassageKey>> =
                entry.references.iter().map(|reference| leads_to(world, &scope, reference)).collect();
            let found: Vec<PassageKey> = recalled.passages.iter().map(|passage| passage.passage).collect();
            let mut expected: Vec<PassageKey> = Vec::new();
            for key in led.iter().flatten() {
                if !expected.contains(key) {
                    expected.push(*key);
                }
            }
            assert_eq!(found, expected, "{scope:?} {:?}", entry.references);
            assert_eq!(recalled.resolved, led.iter().filter(|led| !led.is_empty()).count());
            passages += found.len();
            hidden += led.iter().filter(|led| led.is_empty()).count();
        }
    }
    (passages, hidden)
}

/// By looking at every document.
fn leads_to(world: &World, scope: &Scope, reference: &Reference) -> Vec<PassageKey> {
    let wanted = |key: &PassageKey| match reference {
        Reference::Passage(source) => key.source_id() == *source,
        Reference::Document(document) => key.document == *document && key.chunk_index < PASSAGES_OF_A_DOCUMENT,
        Reference::Address(_) => false,
    };
    let visible = world.truth.passages().filter(|(document, _)| document.is_visible(scope));
    visible.map(|(_, passage)| passage.key).filter(wanted).collect()
}
