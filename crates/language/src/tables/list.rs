//! Lists that are read from the files of the tables.

use std::fmt;
use std::marker::PhantomData;
use std::ops::Deref;
use std::slice::Iter;

use serde::de::{MapAccess, Visitor};
use serde::{Deserialize, Deserializer};

/// What stands in a list of a file, in its order. It is read once and kept as long as the program runs, so that it can be
/// borrowed like text of the program.
#[derive(Debug)]
pub(crate) struct List<T: 'static = &'static str>(&'static [T]);

pub(crate) type Pair = (&'static str, &'static str);

/// What a file says. A test reads every file, so that none is empty in a release because of an error in it.
pub(super) fn read<T: Deserialize<'static> + Default>(file: &'static str) -> T {
    serde_saphyr::from_str(file).unwrap_or_default()
}

/// A list that a file has as keys and values.
pub(super) fn by_key<'de, D, K, V>(deserializer: D) -> Result<List<(K, V)>, D::Error>
where
    D: Deserializer<'de>,
    K: Deserialize<'de>,
    V: Deserialize<'de>,
{
    struct Rows<K, V>(PhantomData<(K, V)>);

    impl<'de, K: Deserialize<'de>, V: Deserialize<'de>> Visitor<'de> for Rows<K, V> {
        type Value = Vec<(K, V)>;

        fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
            formatter.write_str("keys and values")
        }

        fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
            std::iter::from_fn(|| map.next_entry().transpose()).collect()
        }
    }

    let rows = deserializer.deserialize_map(Rows(PhantomData))?;
    Ok(List(rows.leak()))
}

impl<'de, T: Deserialize<'de>> Deserialize<'de> for List<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Ok(Self(Vec::deserialize(deserializer)?.leak()))
    }
}

impl<T> Clone for List<T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Copy for List<T> {}

impl<T> Default for List<T> {
    fn default() -> Self {
        Self(&[])
    }
}

impl<T> Deref for List<T> {
    type Target = [T];

    fn deref(&self) -> &[T] {
        self.0
    }
}

impl<T> IntoIterator for List<T> {
    type Item = &'static T;
    type IntoIter = Iter<'static, T>;

    fn into_iter(self) -> Iter<'static, T> {
        self.0.iter()
    }
}
