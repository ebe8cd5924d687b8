//! What can go wrong with what, alone and in pairs.

use std::collections::BTreeMap;

use rand::SeedableRng as _;
use rand::rngs::StdRng;
use rand::seq::SliceRandom as _;
use tokio::sync::watch;

/// A part that is reached by network.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) enum Dependency {
    Index,
    Embedding,
    Model,
    Entailment,
    Reranker,
    Vocabulary,
    Database,
}

impl Dependency {
    pub(crate) const ALL: [Self; 7] =
        [Self::Index, Self::Embedding, Self::Model, Self::Entailment, Self::Reranker, Self::Vocabulary, Self::Database];

    /// As its breaker is called.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Index => "index",
            Self::Embedding => "embedding",
            Self::Model => "model",
            Self::Entailment => "entailment",
            Self::Reranker => "reranker",
            Self::Vocabulary => "vocabulary",
            Self::Database => "database",
        }
    }
}

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) enum Fault {
    Refuse,
    Hang,
    Slow,
    Failing,
    Garbage,
    Reset,
    Kill,
}

impl Fault {
    pub(crate) const ALL: [Self; 7] =
        [Self::Refuse, Self::Hang, Self::Slow, Self::Failing, Self::Garbage, Self::Reset, Self::Kill];

    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Refuse => "refuse",
            Self::Hang => "hang",
            Self::Slow => "slow by 2 s",
            Self::Failing => "500",
            Self::Garbage => "garbage",
            Self::Reset => "reset mid-body",
            Self::Kill => "kill, restart",
        }
    }

    /// Whether nothing at all comes from a part while it lasts. A reply may be whole before its connection breaks, who
    /// was killed comes back, and the database is waited for as long as the request has time.
    pub(crate) fn is_total_for(self, dependency: Dependency) -> bool {
        match self {
            Self::Reset | Self::Kill => false,
            Self::Slow => dependency != Dependency::Database,
            Self::Refuse | Self::Hang | Self::Failing | Self::Garbage => true,
        }
    }
}

/// One or two parts, each with what is wrong with it.
pub(crate) type Case = Vec<(Dependency, Fault)>;

pub(crate) fn named(case: &Case) -> String {
    let parts = case.iter().map(|(dependency, fault)| format!("{}: {}", dependency.name(), fault.name()));
    parts.collect::<Vec<_>>().join(" + ")
}

pub(crate) fn alone() -> Vec<Case> {
    let faults = |dependency| Fault::ALL.into_iter().map(move |fault| vec![(dependency, fault)]);
    Dependency::ALL.into_iter().flat_map(faults).collect()
}

/// Every fault of every part with every fault of every other, in an order that the seed decides.
pub(crate) fn pairs(seed: u64) -> Vec<Case> {
    let all = alone();
    let mut pairs: Vec<Case> = Vec::new();
    for (place, one) in all.iter().enumerate() {
        let others = all[place..].iter().filter(|other| other[0].0 != one[0].0);
        pairs.extend(others.map(|other| vec![one[0], other[0]]));
    }
    pairs.shuffle(&mut StdRng::seed_from_u64(seed));
    pairs
}

/// What is wrong at the moment, for whoever stands before a part.
pub(crate) struct Faults(watch::Sender<BTreeMap<Dependency, Fault>>);

impl Faults {
    pub(crate) fn none() -> Self {
        Self(watch::channel(BTreeMap::new()).0)
    }

    pub(crate) fn begin(&self, case: &Case) {
        self.0.send_replace(case.iter().copied().collect());
    }

    /// One part is well again; the others are as they are.
    pub(crate) fn end_of(&self, dependency: Dependency) {
        self.0.send_modify(|faults| {
            faults.remove(&dependency);
        });
    }

    pub(crate) fn end(&self) {
        self.0.send_replace(BTreeMap::new());
    }

    pub(crate) fn watched(&self) -> watch::Receiver<BTreeMap<Dependency, Fault>> {
        self.0.subscribe()
    }
}

#[test]
fn every_pair_of_faults_of_two_parts_is_there_once() {
    let (alone, pairs) = (alone(), pairs(1));
    assert_eq!((alone.len(), pairs.len()), (7 * 7, 21 * 49));
    let names: std::collections::BTreeSet<String> = pairs.iter().map(named).collect();
    assert_eq!(names.len(), pairs.len());
    assert!(pairs.iter().all(|pair| pair[0].0 != pair[1].0));
    assert_eq!(pairs, self::pairs(1), "the seed decides");
    assert_ne!(pairs, self::pairs(2));
}
