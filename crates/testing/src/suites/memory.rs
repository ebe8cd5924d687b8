//! What every memory does, whoever keeps the documents that its entries refer to. Each case has tenants of its own.

use async_trait::async_trait;
use uuid::Uuid;

use ibidem_ports::curate::EntryDraft;
use ibidem_ports::memory::{Memory, Remembered};
use ibidem_words::{DocumentId, Identity, MemoryId, MemoryKind, Reference, Scope, SourceId, Tag, TenantId};

/// A document for the suite: a passage for each text.
#[derive(Clone, Debug)]
pub struct DocumentOfSuite<'a> {
    /// Of one name, a new version takes the former one's place.
    pub name: &'a str,
    pub tags: Vec<Tag>,
    pub address: Option<&'a str>,
    pub texts: &'a [&'a str],
}

/// How the suite fills the memory under test.
#[async_trait]
pub trait MemoryWorld: Send + Sync {
    fn memory(&self) -> &dyn Memory;
    async fn tenant(&self, name: &str) -> TenantId;
    async fn put_document(&self, tenant: TenantId, document: DocumentOfSuite<'_>) -> DocumentId;
    async fn remove_document(&self, tenant: TenantId, document: DocumentId);
    /// A new entry, or another wording of one.
    async fn put_entry(&self, tenant: TenantId, id: Option<MemoryId>, draft: EntryDraft) -> MemoryId;
    async fn remove_entry(&self, tenant: TenantId, id: MemoryId);
}

/// # Panics
/// When the memory does not behave as the port says.
pub async fn memory_suite(world: &dyn MemoryWorld) {
    an_entry_is_recalled_as_it_was_written(world).await;
    what_is_not_visible_is_not_recalled(world).await;
    entries_come_in_the_order_asked_each_once(world).await;
    references_resolve_in_their_order_each_passage_once(world).await;
    references_outside_the_scope_do_not_resolve(world).await;
    references_to_what_is_gone_do_not_resolve(world).await;
    an_address_is_found_in_every_spelling(world).await;
    a_new_wording_is_a_new_version_and_a_removed_entry_is_gone(world).await;
}

async fn an_entry_is_recalled_as_it_was_written(world: &dyn MemoryWorld) {
    let tenant = world.tenant("written").await;
    let draft = EntryDraft {
        kind: MemoryKind::Note { text: "Payers are billed monthly.\n\nNever weekly.".to_owned() },
        triggers: vec!["Who pays?".to_owned(), "When is it billed?".to_owned()],
        references: vec![
            Reference::Address("ADR-0012".to_owned()),
            Reference::Document(DocumentId(Uuid::from_u128(1))),
            Reference::Passage(SourceId { document: DocumentId(Uuid::from_u128(2)), chunk_index: 3 }),
        ],
        tags: tags(&["finance", "public"]),
    };
    let id = world.put_entry(tenant, None, draft.clone()).await;
    let remembered = recalled(world, &asker(tenant, &[]), &[id]).await.remove(0);
    assert_eq!((remembered.entry.id, remembered.version), (id, 1));
    assert_eq!(remembered.entry.kind, draft.kind);
    assert_eq!(remembered.entry.triggers, draft.triggers);
    assert_eq!(remembered.entry.references, draft.references);
    assert_eq!(remembered.entry.tags, draft.tags);
    assert_eq!((remembered.passages.len(), remembered.resolved), (0, 0));
}

async fn what_is_not_visible_is_not_recalled(world: &dyn MemoryWorld) {
    let (tenant, other) = (world.tenant("visible").await, world.tenant("visible other").await);
    let entry = world.put_entry(tenant, None, pin(&["finance", "legal"], &[])).await;
    let unknown = MemoryId(Uuid::from_u128(7));
    for (scope, expected) in [
        (asker(tenant, &["finance"]), vec![entry]),
        (asker(tenant, &["legal", "security"]), vec![entry]),
        (asker(tenant, &[]), Vec::new()),
        (asker(tenant, &["security"]), Vec::new()),
        (asker(other, &["finance", "legal"]), Vec::new()),
        (asker(tenant.memory(), &["finance"]), Vec::new()),
    ] {
        let found = recalled(world, &scope, &[unknown, entry]).await;
        assert_eq!(ids(&found), expected, "{scope:?}");
    }
    assert_eq!(recalled(world, &asker(tenant, &["finance"]), &[]).await, []);
}

async fn entries_come_in_the_order_asked_each_once(world: &dyn MemoryWorld) {
    let tenant = world.tenant("order").await;
    let document = put(world, tenant, "a", &["public"], None, &["First."]).await;
    let mut entries = Vec::new();
    for number in 0..4 {
        // Some with references and some without, so that none gets another's.
        let references = if number % 2 == 0 { vec![Reference::Document(document)] } else { Vec::new() };
        let audience = if number == 2 { "others" } else { "public" };
        entries.push(world.put_entry(tenant, None, pin(&[audience], &references)).await);
    }
    let asked = [entries[3], entries[0], entries[2], entries[1], entries[0]];
    let found = recalled(world, &asker(tenant, &[]), &asked).await;
    assert_eq!(ids(&found), [entries[3], entries[0], entries[1]]);
    assert_eq!(found.iter().map(|found| found.passages.len()).collect::<Vec<_>>(), [0, 1, 0]);
}

async fn references_resolve_in_their_order_each_passage_once(world: &dyn MemoryWorld) {
    let tenant = world.tenant("references").await;
    let long = put(world, tenant, "long", &["public"], None, &["L0.", "L1.", "L2.", "L3.", "L4."]).await;
    let short = put(world, tenant, "short", &["public"], Some("ADR-0007"), &["S0.", "S1."]).await;
    let source = |document, chunk_index| Reference::Passage(SourceId { document, chunk_index });
    let references = [
        source(long, 4),
        Reference::Address("ADR-0007".to_owned()),
        Reference::Document(long),
        source(short, 1),
        source(short, 9),
    ];
    let entry = world.put_entry(tenant, None, pin(&["public"], &references)).await;
    let remembered = recalled(world, &asker(tenant, &[]), &[entry]).await.remove(0);
    assert_eq!(texts(&remembered), ["L4.", "S0.", "S1.", "L0.", "L1.", "L2."]);
    assert_eq!(remembered.resolved, 4, "one names a passage that does not exist");
    let address = &remembered.passages[1];
    assert_eq!((address.passage.document, address.address.as_deref()), (short, Some("ADR-0007")));
}

async fn references_outside_the_scope_do_not_resolve(world: &dyn MemoryWorld) {
    let (tenant, other) = (world.tenant("outside").await, world.tenant("outside other").await);
    let hidden = put(world, tenant, "hidden", &["finance"], Some("ADR-0001"), &["Hidden."]).await;
    let foreign = put(world, other, "foreign", &["public"], Some("ADR-0002"), &["Foreign."]).await;
    let references = [
        Reference::Document(hidden),
        Reference::Passage(SourceId { document: hidden, chunk_index: 0 }),
        Reference::Address("ADR-0001".to_owned()),
        Reference::Document(foreign),
        Reference::Address("ADR-0002".to_owned()),
        Reference::Address("ADR-9999".to_owned()),
    ];
    let entry = world.put_entry(tenant, None, pin(&["public"], &references)).await;
    let outside = recalled(world, &asker(tenant, &["legal"]), &[entry]).await.remove(0);
    assert_eq!((texts(&outside), outside.resolved), (Vec::new(), 0));
    let inside = recalled(world, &asker(tenant, &["finance"]), &[entry]).await.remove(0);
    assert_eq!((texts(&inside), inside.resolved), (vec!["Hidden."], 3));

    // A hidden document at the same address does not stand in the way of a visible one.
    put(world, tenant, "seen", &["legal"], Some("adr 1"), &["Seen."]).await;
    let outside = recalled(world, &asker(tenant, &["legal"]), &[entry]).await.remove(0);
    assert_eq!((texts(&outside), outside.resolved), (vec!["Seen."], 1));
}

async fn references_to_what_is_gone_do_not_resolve(world: &dyn MemoryWorld) {
    let tenant = world.tenant("gone").await;
    let document = put(world, tenant, "a", &["public"], Some("ADR-0003"), &["Old 0.", "Old 1."]).await;
    let removed = put(world, tenant, "b", &["public"], Some("ADR-0004"), &["Removed."]).await;
    let references = [
        Reference::Passage(SourceId { document, chunk_index: 1 }),
        Reference::Document(document),
        Reference::Address("ADR-0003".to_owned()),
        Reference::Document(removed),
        Reference::Address("ADR-0004".to_owned()),
    ];
    let entry = world.put_entry(tenant, None, pin(&["public"], &references)).await;
    put(world, tenant, "a", &["public"], None, &["New."]).await;
    world.remove_document(tenant, removed).await;
    let remembered = recalled(world, &asker(tenant, &[]), &[entry]).await.remove(0);
    assert_eq!((texts(&remembered), remembered.resolved), (vec!["New."], 1));
    assert_eq!(remembered.passages[0].passage.version, 2);
}

async fn an_address_is_found_in_every_spelling(world: &dyn MemoryWorld) {
    let tenant = world.tenant("spelling").await;
    put(world, tenant, "a", &["public"], Some("ADR-0031"), &["Thirty-one."]).await;
    for written in ["adr.31", "ADR 31", "Adr31"] {
        let references = [Reference::Address(written.to_owned())];
        let entry = world.put_entry(tenant, None, pin(&["public"], &references)).await;
        let remembered = recalled(world, &asker(tenant, &[]), &[entry]).await.remove(0);
        assert_eq!(texts(&remembered), ["Thirty-one."], "{written}");
    }
}

async fn a_new_wording_is_a_new_version_and_a_removed_entry_is_gone(world: &dyn MemoryWorld) {
    let tenant = world.tenant("wording").await;
    let scope = asker(tenant, &[]);
    let id = world.put_entry(tenant, None, pin(&["public"], &[])).await;
    let reworded = EntryDraft { triggers: vec!["Who is billed?".to_owned()], ..pin(&["public"], &[]) };
    assert_eq!(world.put_entry(tenant, Some(id), reworded.clone()).await, id);
    let remembered = recalled(world, &scope, &[id]).await.remove(0);
    assert_eq!((remembered.version, remembered.entry.triggers), (2, reworded.triggers));
    world.put_entry(tenant, Some(id), pin(&["finance"], &[])).await;
    assert_eq!(recalled(world, &scope, &[id]).await, [], "its audience changed");
    world.remove_entry(tenant, id).await;
    assert_eq!(recalled(world, &asker(tenant, &["finance"]), &[id]).await, []);
}

fn tags(names: &[&str]) -> Vec<Tag> {
    names.iter().map(|name| name.parse().unwrap()).collect()
}

fn asker(tenant: TenantId, names: &[&str]) -> Scope {
    let tags = tags(names).into_iter().collect();
    Scope::of(&Identity::for_tests(tenant, "someone", tags))
}

/// A pin to these, or to a document that does not exist.
fn pin(audience: &[&str], references: &[Reference]) -> EntryDraft {
    let nowhere = [Reference::Document(DocumentId(Uuid::from_u128(9)))];
    let references = if references.is_empty() { &nowhere } else { references };
    EntryDraft {
        kind: MemoryKind::Pin,
        triggers: vec!["Who pays?".to_owned()],
        references: references.to_vec(),
        tags: tags(audience),
    }
}

async fn put(
    world: &dyn MemoryWorld,
    tenant: TenantId,
    name: &str,
    audience: &[&str],
    address: Option<&str>,
    texts: &[&str],
) -> DocumentId {
    world.put_document(tenant, DocumentOfSuite { name, tags: tags(audience), address, texts }).await
}

async fn recalled(world: &dyn MemoryWorld, scope: &Scope, entries: &[MemoryId]) -> Vec<Remembered> {
    world.memory().recall(scope, entries).await.unwrap()
}

fn ids(remembered: &[Remembered]) -> Vec<MemoryId> {
    remembered.iter().map(|remembered| remembered.entry.id).collect()
}

fn texts(remembered: &Remembered) -> Vec<&str> {
    remembered.passages.iter().map(|passage| passage.text.as_str()).collect()
}
