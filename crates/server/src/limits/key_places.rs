//! How many requests of each key are under way: no key takes all places.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use ibidem_words::Sha256Hash;

/// Keys with requests under way, by the digest of the key.
pub(super) struct KeyPlaces {
    pub(super) most: usize,
    taken: Mutex<HashMap<Sha256Hash, usize>>,
}

/// One request of a key, until this is dropped.
pub(super) struct KeyPlace {
    places: Arc<KeyPlaces>,
    key: Sha256Hash,
}

impl KeyPlaces {
    pub(super) fn new(most: usize) -> Arc<Self> {
        Arc::new(Self { most, taken: Mutex::default() })
    }

    /// None when the key has as many as it may.
    pub(super) fn take(places: &Arc<Self>, key: Sha256Hash) -> Option<KeyPlace> {
        let mut taken = places.taken.lock().unwrap_or_else(PoisonError::into_inner);
        let of_key = taken.entry(key).or_default();
        if *of_key >= places.most {
            return None;
        }
        *of_key += 1;
        Some(KeyPlace { places: places.clone(), key })
    }
}

impl Drop for KeyPlace {
    fn drop(&mut self) {
        let mut taken = self.places.taken.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(of_key) = taken.get_mut(&self.key) {
            *of_key -= 1;
            if *of_key == 0 {
                taken.remove(&self.key);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_has_its_share_and_gives_it_back() {
        let places = KeyPlaces::new(2);
        let (one, other) = (Sha256Hash::of(b"one"), Sha256Hash::of(b"other"));
        let first = KeyPlaces::take(&places, one);
        let second = KeyPlaces::take(&places, one);
        assert!(first.is_some() && second.is_some() && KeyPlaces::take(&places, one).is_none());
        let others = KeyPlaces::take(&places, other);
        assert!(others.is_some(), "another key's share is its own");
        drop(first);
        assert!(KeyPlaces::take(&places, one).is_some());
        drop((second, others));
        assert!(places.taken.lock().unwrap().is_empty(), "a key without requests is not remembered");
    }
}
