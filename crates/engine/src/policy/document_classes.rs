//! What the documents of the configured collections are called.

use std::collections::BTreeMap;

use serde::Deserialize;

/// The words by which the configured collections' documents are called, in lower case: `adr`, `adrs`, `policy`, …
/// Each with the name of its collection.
#[derive(Clone, PartialEq, Eq, Debug, Default, Deserialize)]
#[serde(from = "Vec<String>")]
pub struct DocumentClasses(BTreeMap<String, String>);

impl From<Vec<String>> for DocumentClasses {
    fn from(names: Vec<String>) -> Self {
        Self::named(names.iter().map(String::as_str))
    }
}

impl DocumentClasses {
    /// Each name, and its plural.
    pub fn named<'a>(names: impl IntoIterator<Item = &'a str>) -> Self {
        let forms = names.into_iter().flat_map(|name| {
            let form = name.to_lowercase();
            [(plural(&form), name.to_owned()), (form, name.to_owned())]
        });
        Self(forms.filter(|(form, _)| !form.is_empty()).collect())
    }

    pub(crate) fn has(&self, word: &str) -> bool {
        self.0.contains_key(word)
    }

    /// The collection that is called so.
    pub fn collection(&self, word: &str) -> Option<&str> {
        self.0.get(word).map(String::as_str)
    }
}

fn plural(name: &str) -> String {
    match name.strip_suffix('y') {
        Some(stem) if !stem.ends_with(['a', 'e', 'i', 'o', 'u']) && !stem.is_empty() => format!("{stem}ies"),
        _ if name.is_empty() || name.ends_with('s') => name.to_owned(),
        _ => format!("{name}s"),
    }
}
