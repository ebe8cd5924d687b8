//! Documents of several tenants, each with a mark that nothing else has.

use ibidem_ports::intake::NewVersion;
use ibidem_testing::fakes::FakeEmbedder;
use ibidem_words::{Scope, Tag, TenantId};
use rand::RngExt as _;
use rand::rngs::StdRng;
use rand::seq::IndexedRandom as _;

use crate::asking::{COLLECTIONS, TAGS, TENANTS, random_words};
use crate::drawn::{self, Handed};

const DOCUMENTS: usize = 60;
/// Of those that there are: the fewer, the more of a tenant's documents are hidden by tags alone.
const OF_TENANTS: usize = 3;
const OF_TAGS: usize = 4;
pub(super) const ADDRESSES: u32 = 30;

/// A document, and the word that stands in it alone.
#[derive(Clone)]
pub(super) struct Marked {
    pub(super) handed: Handed,
    pub(super) mark: String,
}

impl Marked {
    pub(super) fn is_seen_by(&self, scope: &Scope) -> bool {
        scope.sees(self.handed.0.tenant, &self.handed.0.tags)
    }
}

pub(super) fn random_tenant(random: &mut StdRng) -> &'static str {
    TENANTS[..OF_TENANTS].choose(random).unwrap()
}

pub(super) fn random_tags(random: &mut StdRng, most: usize) -> Vec<Tag> {
    let count = random.random_range(0..=most);
    TAGS[..OF_TAGS].sample(random, count).map(|name| name.parse().unwrap()).collect()
}

pub(super) fn random_documents(random: &mut StdRng) -> Vec<Marked> {
    let counter = FakeEmbedder::new(64, 256);
    (0..DOCUMENTS).map(|number| random_document(random, number, &counter)).collect()
}

fn random_document(random: &mut StdRng, number: usize, counter: &FakeEmbedder) -> Marked {
    let mark = format!("qd{number}x");
    let mut tags = random_tags(random, 2);
    if random.random_bool(0.25) {
        tags.push(Tag::public());
    }
    let version = marked_version(random, &mark, counter);
    let tenant = TenantId::named(random_tenant(random));
    let collection = COLLECTIONS.choose(random).unwrap().parse().unwrap();
    let submission = drawn::submission(tenant, collection, format!("{mark}.md"), version.text.as_bytes(), tags);
    Marked { handed: (submission, version), mark }
}

fn marked_version(random: &mut StdRng, mark: &str, counter: &FakeEmbedder) -> NewVersion {
    let title = format!("{} {mark}", random_words(random, 2).join(" "));
    let passages: Vec<_> = (0..random.random_range(1..=2))
        .map(|_| {
            let words = random_words(random, 4);
            let passage = format!(
                "The {} of the {} is kept for five days. Every {} has a {}, and its mark is {mark}.",
                words[0], words[1], words[2], words[3]
            );
            (None, passage)
        })
        .collect();
    let address = format!("DOC-{:03}", random.random_range(0..ADDRESSES));
    drawn::version(counter, title, address, passages)
}
