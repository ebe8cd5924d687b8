//! Revocation: what was withdrawn since it was found is not spoken from.

use std::collections::HashSet;

use crate::ports::catalogue::{Catalogue, CatalogueError};
use crate::sift::sift;
use crate::turn::{Gathered, Sieve};
use crate::words::PassageKey;

/// Sifts, and has the catalogue confirm all that would be spoken from, in one batch. What is gone by then was never
/// gathered: the gates look again at what is left, and that is confirmed too.
pub async fn confirmed(catalogue: &dyn Catalogue, mut gathered: Gathered) -> Result<Sieve, (Gathered, CatalogueError)> {
    loop {
        let sifted = match sift(gathered.clone()) {
            Sieve::Through(sifted) => sifted,
            stopped => return Ok(stopped),
        };
        let keys: Vec<PassageKey> = sifted.evidence.iter().map(|candidate| candidate.passage.passage).collect();
        let there = match catalogue.still_visible(&gathered.asked.scope, &keys).await {
            Ok(there) => there.into_iter().collect::<HashSet<_>>(),
            Err(error) => return Err((gathered, error)),
        };
        let gone: HashSet<PassageKey> = keys.into_iter().filter(|key| !there.contains(key)).collect();
        if gone.is_empty() {
            return Ok(Sieve::Through(sifted));
        }
        gathered.candidates.retain(|candidate| !gone.contains(&candidate.passage.passage));
    }
}
