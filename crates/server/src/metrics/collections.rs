//! Collections as label values: a name that somebody makes up in a question must not become a series of its own.

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::sync::{Mutex, PoisonError};

use ibidem_ports::records::SearchNumbers;

/// Beyond so many, the rest are counted together.
const MOST: usize = 50;

/// The collections that something was found in: those exist.
#[derive(Default)]
pub(super) struct Collections(Mutex<BTreeSet<String>>);

impl Collections {
    pub(super) fn label(&self, search: &SearchNumbers) -> Cow<'static, str> {
        let name = match search.collections.as_slice() {
            [] => return Cow::Borrowed("all"),
            [name] => name.as_str(),
            _ => return Cow::Borrowed("several"),
        };
        let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if search.found > 0 && known.len() < MOST {
            known.insert(name.to_owned());
        }
        if known.contains(name) { Cow::Owned(name.to_owned()) } else { Cow::Borrowed("other") }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn search(names: &[&str], found: usize) -> SearchNumbers {
        let collections = names.iter().map(|name| name.parse().unwrap()).collect();
        SearchNumbers { collections, found, ..SearchNumbers::default() }
    }

    #[test]
    fn a_collection_is_named_once_something_was_found_in_it() {
        let collections = Collections::default();
        for (names, found, label) in [
            (&[][..], 3, "all"),
            (&["ADR", "Policy"], 3, "several"),
            (&["ADR"], 0, "other"),
            (&["ADR"], 2, "ADR"),
            (&["ADR"], 0, "ADR"),
            (&["made up"], 0, "other"),
        ] {
            assert_eq!(collections.label(&search(names, found)), label, "{names:?} {found}");
        }
    }

    #[test]
    fn there_are_never_more_labels_than_the_most() {
        let collections = Collections::default();
        let name = |number: usize| format!("Collection {number}");
        let labels: BTreeSet<_> =
            (0..10 * MOST).map(|number| collections.label(&search(&[&name(number)], 1))).collect();
        assert_eq!(labels.len(), MOST + 1);
        assert!(labels.contains("other"));
    }
}
