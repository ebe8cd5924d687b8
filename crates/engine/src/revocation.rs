//! Revocation: what was withdrawn since it was found is not spoken from.

use std::collections::HashSet;

use ibidem_words::PassageKey;
use ibidem_words::ports::catalogue::{Catalogue, CatalogueError};
use ibidem_words::ports::records::PoolRecord;

use crate::replay::pool_record;
use crate::sift::SiftOutcome;
use crate::sift::sift;
use crate::turn::Gathered;

/// Sifts, and has the catalogue confirm all that would be spoken from, in one batch. What is gone by then was never
/// gathered: the gates look again at what is left, and that is confirmed too.
///
/// With the outcome comes the record of the pool that it was made of.
pub(crate) async fn confirmed(
    catalogue: &dyn Catalogue,
    mut gathered: Gathered,
) -> Result<(SiftOutcome, PoolRecord), (Gathered, CatalogueError)> {
    loop {
        let outcome = sift(gathered.clone());
        let SiftOutcome::Enough(sifted) = &outcome else {
            let record = pool_record(&gathered, &outcome.sifted().evidence);
            return Ok((outcome, record));
        };
        let keys: Vec<PassageKey> = sifted.evidence.iter().map(|candidate| candidate.passage.passage).collect();
        let there = match catalogue.still_visible(&gathered.asked.scope, &keys).await {
            Ok(there) => there.into_iter().collect::<HashSet<_>>(),
            Err(error) => return Err((gathered, error)),
        };
        let gone: HashSet<PassageKey> = keys.into_iter().filter(|key| !there.contains(key)).collect();
        if gone.is_empty() {
            let record = pool_record(&gathered, &sifted.evidence);
            return Ok((outcome, record));
        }
        gathered.candidates.retain(|candidate| !gone.contains(&candidate.passage.passage));
    }
}
