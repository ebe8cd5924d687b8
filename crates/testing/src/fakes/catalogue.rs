//! A catalogue in memory, with the current version of each document.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Mutex, MutexGuard, PoisonError};

use async_trait::async_trait;
use ibidem_language::bm25::{Analysis, TermCounts, TermId};
use ibidem_language::{same_word, significant_terms};

use ibidem_ports::catalogue::{
    AddressedDocument, Catalogue, CatalogueError, CataloguePassage, DocumentFilter, DocumentList, ListedDocument,
};
use ibidem_ports::owners::{OwnedTag, Owner, Owners};
use ibidem_ports::word_statistics::WordStatistics;
use ibidem_words::{AddressKey, CollectionName, DocumentId, PassageKey, Scope, Tag, TenantId, passage_in_context};

#[derive(Default)]
pub struct FakeCatalogue {
    shelf: Mutex<BTreeMap<PassageKey, Shelved>>,
    /// Passages of versions that newer ones took the place of.
    former: Mutex<BTreeSet<PassageKey>>,
    owners: Mutex<BTreeMap<(TenantId, Tag), String>>,
    analysis: Analysis,
}

#[derive(Clone)]
struct Shelved {
    tenant: TenantId,
    tags: Vec<Tag>,
    passage: CataloguePassage,
}

impl FakeCatalogue {
    /// A passage of a newer version takes the place of all passages of older ones.
    pub fn put(&self, tenant: TenantId, tags: Vec<Tag>, passage: CataloguePassage) {
        let new = passage.passage;
        let is_older = |key: &PassageKey| key.document == new.document && key.version < new.version;
        let older: Vec<PassageKey> = self.shelf().keys().copied().filter(is_older).collect();
        self.shelf().retain(|key, _| !is_older(key));
        self.former().extend(older);
        self.shelf().insert(passage.passage, Shelved { tenant, tags, passage });
    }

    /// Takes a document away, whatever its version.
    pub fn remove(&self, document: DocumentId) {
        self.shelf().retain(|key, _| key.document != document);
        self.former().retain(|key| key.document != document);
    }

    /// Changes who sees a document.
    pub fn retag(&self, document: DocumentId, tags: &[Tag]) {
        let mut shelf = self.shelf();
        for shelved in shelf.values_mut().filter(|shelved| shelved.passage.passage.document == document) {
            shelved.tags = tags.to_vec();
        }
    }

    /// Makes somebody the owner of a tag.
    pub fn own(&self, tenant: TenantId, tag: Tag, email: &str) {
        self.owners.lock().unwrap_or_else(PoisonError::into_inner).insert((tenant, tag), email.to_owned());
    }

    fn shelf(&self) -> MutexGuard<'_, BTreeMap<PassageKey, Shelved>> {
        self.shelf.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn former(&self) -> MutexGuard<'_, BTreeSet<PassageKey>> {
        self.former.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The first passage of each document that is visible, with how many it has.
    fn documents(&self, scope: &Scope) -> Vec<(CataloguePassage, u32, String)> {
        let mut documents: BTreeMap<DocumentId, (CataloguePassage, u32, String)> = BTreeMap::new();
        for shelved in self.shelf().values().filter(|shelved| scope.sees(shelved.tenant, &shelved.tags)) {
            let passage = &shelved.passage;
            let known = documents.entry(passage.passage.document);
            let known = known.or_insert_with(|| (passage.clone(), 0, passage.title.clone()));
            known.1 += 1;
            known.2 = format!("{} {}", known.2, passage.text);
        }
        documents.into_values().collect()
    }

    fn named(&self, scope: &Scope, collection: Option<&CollectionName>) -> Vec<AddressedDocument> {
        let documents = self.documents(scope).into_iter();
        let within =
            documents.filter(|(first, ..)| collection.is_none_or(|collection| first.collection == *collection));
        let mut named: Vec<AddressedDocument> = within
            .filter_map(|(first, passages, _)| {
                let address = first.address?;
                Some(AddressedDocument {
                    key: AddressKey::of(&address)?,
                    address,
                    collection: first.collection,
                    document: first.passage.document,
                    version: first.passage.version,
                    passages,
                })
            })
            .collect();
        named.sort_by(|one, other| (&one.key, one.document).cmp(&(&other.key, other.document)));
        named
    }
}

fn is_named_so(collection: &CollectionName, name: &str) -> bool {
    collection.as_str().to_lowercase() == name.to_lowercase()
}

#[async_trait]
impl Owners for FakeCatalogue {
    async fn owned_tags(&self, scope: &Scope, documents: &[DocumentId]) -> Result<Vec<OwnedTag>, CatalogueError> {
        let owners = self.owners.lock().unwrap_or_else(PoisonError::into_inner).clone();
        let mut found = BTreeMap::new();
        for shelved in self.shelf().values().filter(|shelved| scope.sees(shelved.tenant, &shelved.tags)) {
            let document = shelved.passage.passage.document;
            let carried = shelved.tags.iter().filter(|tag| scope.tags().any(|own| own == *tag));
            for tag in carried.filter(|_| documents.contains(&document)) {
                let email = owners.get(&(shelved.tenant, tag.clone())).cloned();
                let owner = email.map(|email| Owner { user: uuid::Uuid::nil(), email });
                found.insert((document, tag.clone()), OwnedTag { document, tag: tag.clone(), owner });
            }
        }
        Ok(found.into_values().collect())
    }
}

#[async_trait]
impl WordStatistics for FakeCatalogue {
    fn analysis(&self) -> &Analysis {
        &self.analysis
    }

    async fn counts(&self, scope: &Scope, terms: &[TermId]) -> Result<Option<TermCounts>, CatalogueError> {
        let mut counts = TermCounts::default();
        for shelved in self.shelf().values().filter(|shelved| scope.sees(shelved.tenant, &shelved.tags)) {
            let passage = &shelved.passage;
            let words = passage_in_context(&passage.title, passage.section.as_deref(), &passage.text);
            counts.passages += 1;
            for term in self.analysis.distinct(&words).into_iter().filter(|term| terms.contains(term)) {
                *counts.with_term.entry(term).or_default() += 1;
            }
        }
        Ok(Some(counts))
    }
}

#[async_trait]
impl Catalogue for FakeCatalogue {
    async fn visible(&self, scope: &Scope, passages: &[PassageKey]) -> Result<Vec<CataloguePassage>, CatalogueError> {
        let shelf = self.shelf();
        let found = passages.iter().filter_map(|key| shelf.get(key));
        let visible = found.filter(|shelved| scope.sees(shelved.tenant, &shelved.tags));
        Ok(visible.map(|shelved| shelved.passage.clone()).collect())
    }

    async fn still_visible(&self, scope: &Scope, passages: &[PassageKey]) -> Result<Vec<PassageKey>, CatalogueError> {
        let (shelf, former) = (self.shelf(), self.former());
        let is_seen = |document: DocumentId| {
            let mut seen = shelf.values().filter(|shelved| scope.sees(shelved.tenant, &shelved.tags));
            seen.any(|shelved| shelved.passage.passage.document == document)
        };
        let is_there = |key: &&PassageKey| (shelf.contains_key(*key) || former.contains(*key)) && is_seen(key.document);
        Ok(passages.iter().filter(is_there).copied().collect())
    }

    async fn addressed(
        &self,
        scope: &Scope,
        collection: Option<&CollectionName>,
        keys: &[AddressKey],
    ) -> Result<Vec<AddressedDocument>, CatalogueError> {
        let mut named = self.named(scope, collection);
        named.retain(|document| keys.contains(&document.key));
        Ok(named)
    }

    async fn neighbours(
        &self,
        scope: &Scope,
        collection: Option<&CollectionName>,
        key: &AddressKey,
        most: usize,
    ) -> Result<Vec<(AddressKey, String)>, CatalogueError> {
        let mut named = self.named(scope, collection);
        named.dedup_by(|one, other| one.key == other.key);
        let named = named.into_iter().map(|document| (document.key, document.address));
        let (before, after): (Vec<_>, Vec<_>) = named
            .filter(|(other, _)| other != key && other.series() == key.series() && other.last_number().is_some())
            .partition(|(other, _)| other < key);
        let first = before.len().saturating_sub(most);
        Ok(before.into_iter().skip(first).chain(after.into_iter().take(most)).collect())
    }

    async fn unseen_collections(
        &self,
        scope: &Scope,
        collections: &[CollectionName],
    ) -> Result<Vec<CollectionName>, CatalogueError> {
        let seen = self.documents(scope);
        let is_seen =
            |name: &CollectionName| seen.iter().any(|(first, ..)| is_named_so(&first.collection, name.as_str()));
        Ok(collections.iter().filter(|name| !is_seen(name)).cloned().collect())
    }

    async fn tables(
        &self,
        scope: &Scope,
        collections: &[String],
        most: usize,
    ) -> Result<Vec<CataloguePassage>, CatalogueError> {
        let shelf = self.shelf();
        let is_in = |collection: &CollectionName| {
            collections.is_empty() || collections.iter().any(|name| is_named_so(collection, name))
        };
        let begins = |passage: &&CataloguePassage| passage.above.rows.as_ref().is_some_and(|rows| rows.before == 0);
        let seen = shelf.values().filter(|shelved| scope.sees(shelved.tenant, &shelved.tags));
        let mut tables: Vec<CataloguePassage> = seen
            .map(|shelved| &shelved.passage)
            .filter(begins)
            .filter(|first| is_in(&first.collection))
            .cloned()
            .collect();
        tables.sort_by_cached_key(|first| (first.collection.clone(), first.title.clone(), first.passage));
        // A row that was cut begins its table with its first part.
        let table =
            |first: &CataloguePassage| (first.passage.document, first.above.rows.as_ref().map(|rows| rows.table));
        tables.dedup_by(|next, first| table(next) == table(first));
        tables.truncate(most);
        Ok(tables)
    }

    async fn list(&self, scope: &Scope, filter: &DocumentFilter) -> Result<DocumentList, CatalogueError> {
        let about = filter.about.as_deref().map(significant_terms).unwrap_or_default();
        let is_in = |collection: &CollectionName| {
            filter.collections.is_empty() || filter.collections.iter().any(|name| is_named_so(collection, name))
        };
        let has_all = |text: &str| {
            let words = significant_terms(text);
            about.iter().all(|term| words.iter().any(|word| same_word(word, term)))
        };
        let documents = self.documents(scope).into_iter();
        let mut listed: Vec<ListedDocument> = documents
            .filter(|(first, _, text)| is_in(&first.collection) && has_all(text))
            .map(|(first, ..)| ListedDocument {
                document: first.passage.document,
                version: first.passage.version,
                collection: first.collection,
                address: first.address,
                title: first.title,
            })
            .collect();
        listed.sort_by_cached_key(|listed| {
            let key = listed.address.as_deref().and_then(AddressKey::of);
            (listed.collection.clone(), key.is_none(), key, listed.title.clone(), listed.document)
        });
        let total = listed.len() as u64;
        listed.truncate(filter.most);
        Ok(DocumentList { documents: listed, total })
    }
}

#[cfg(test)]
mod tests {
    use chrono::DateTime;

    use super::*;
    use crate::suites::catalogue::{Library, NewDocument, catalogue_suite};
    use crate::suites::owners::owners_suite;
    use crate::suites::word_statistics::word_statistics_suite;
    use ibidem_words::{CharSpan, Sha256Hash};

    #[async_trait]
    impl Library for FakeCatalogue {
        async fn put(&self, tenant: &str, new: NewDocument) -> DocumentId {
            let tenant = TenantId::named(tenant);
            let document = DocumentId::at(tenant, &new.collection, &new.source_location);
            let known = self.shelf().keys().filter(|key| key.document == document).map(|key| key.version).max();
            let version = known.unwrap_or(0) + 1;
            for (chunk_index, text) in (0..).zip(new.passages) {
                let passage = CataloguePassage {
                    passage: PassageKey { document, version, chunk_index },
                    collection: new.collection.clone(),
                    kind: None,
                    title: new.title.clone(),
                    address: new.address.clone(),
                    source_location: new.source_location.clone(),
                    updated_at: DateTime::UNIX_EPOCH,
                    section: None,
                    page: None,
                    span: CharSpan { start: 0, end: 1 },
                    text,
                    above: Default::default(),
                    validity: Default::default(),
                    tokens: 1,
                    document_sha256: Sha256Hash::of(b""),
                };
                FakeCatalogue::put(self, tenant, new.tags.clone(), passage);
            }
            document
        }

        async fn own(&self, tenant: &str, tag: &str, email: &str) {
            FakeCatalogue::own(self, TenantId::named(tenant), tag.parse().unwrap(), email);
        }

        async fn remove(&self, _: &str, document: DocumentId) {
            FakeCatalogue::remove(self, document);
        }

        async fn retag(&self, _: &str, document: DocumentId, tags: Vec<Tag>) {
            FakeCatalogue::retag(self, document, &tags);
        }
    }

    #[tokio::test]
    async fn the_fake_behaves_as_a_catalogue() {
        let fake = FakeCatalogue::default();
        catalogue_suite(&fake, &fake).await;
        owners_suite(&fake, &fake).await;
        word_statistics_suite(&fake, &fake).await;
    }
}
