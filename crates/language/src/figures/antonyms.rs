//! Pairs of words of which one denies the other.

use std::collections::HashMap;
use std::sync::LazyLock;

use crate::stems::of_a_statement as stem;
use crate::tables::{Language, Opposites};

/// What a word stands for when it is compared with its opposite.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Opposed {
    /// The same for a word and its opposite.
    pub(super) root: &'static str,
    pub(super) negative: bool,
    /// It compares: faster, more, first, increase.
    pub(super) compares: bool,
}

static TABLE: LazyLock<HashMap<String, Opposed>> = LazyLock::new(|| {
    let mut table = HashMap::new();
    let opposites = opposites();
    for (pairs, compares) in [(opposites.pairs, false), (opposites.directions, true)] {
        for (one, other) in pairs {
            let root = one.split(' ').next().unwrap_or(one);
            for (words, negative) in [(one, false), (other, true)] {
                for word in words.split(' ') {
                    table.insert(stem(word), Opposed { root, negative, compares });
                }
            }
        }
    }
    table
});

fn opposites() -> &'static Opposites {
    &Language::English.tables().opposites
}

pub(super) fn opposed(stem: &str) -> Option<Opposed> {
    TABLE.get(stem).copied()
}

/// The word that a prefix denies: `unsupported`, `inactive`, `disconnect`.
pub(super) fn denied_by_prefix(word: &str) -> Option<&str> {
    let opposites = opposites();
    let behind = |(prefix, least): &(&str, usize)| word.strip_prefix(prefix).filter(|rest| rest.len() >= *least);
    let rest = opposites.denying_prefixes.iter().find_map(behind)?;
    (!opposites.not_denied.iter().any(|whole| word.starts_with(whole))).then_some(rest)
}
