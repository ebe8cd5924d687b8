//! Revocation: what was withdrawn since it was found is not spoken from.

use std::collections::HashSet;
use std::time::Duration;

use crate::candidate::Candidate;
use ibidem_ports::catalogue::{Catalogue, CatalogueError};
use ibidem_ports::records::PoolRecord;
use ibidem_words::PassageKey;

use crate::replay::pool_record;
use crate::sift::SiftOutcome;
use crate::sift::sift;
use crate::turn::Gathered;

/// What the catalogue confirmed so short a time ago it is not asked for again: a withdrawal takes as long to get from one
/// machine to another. Whoever reads candidates or asks a model in between takes longer.
const AS_GOOD_AS_NOW: Duration = Duration::from_millis(20);

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
        let gone = match &outcome {
            SiftOutcome::Enough(sifted) => withdrawn(catalogue, &gathered, &sifted.evidence).await,
            _ => Ok(HashSet::new()),
        };
        match gone {
            Ok(gone) if gone.is_empty() => {
                let record = pool_record(&gathered, &outcome.sifted().evidence);
                return Ok((outcome, record));
            }
            Ok(gone) => gathered.candidates.retain(|candidate| !gone.contains(&candidate.passage.passage)),
            Err(error) => return Err((gathered, error)),
        }
    }
}

/// What of the evidence is not there any more, or not for this asker.
async fn withdrawn(
    catalogue: &dyn Catalogue,
    gathered: &Gathered,
    evidence: &[Candidate],
) -> Result<HashSet<PassageKey>, CatalogueError> {
    if gathered.confirmed_since.is_some_and(|moment| moment.elapsed() <= AS_GOOD_AS_NOW) {
        return Ok(HashSet::new());
    }
    let keys: Vec<PassageKey> = evidence.iter().map(|candidate| candidate.passage.passage).collect();
    let there: HashSet<PassageKey> = catalogue.still_visible(&gathered.asked.scope, &keys).await?.into_iter().collect();
    Ok(keys.into_iter().filter(|key| !there.contains(key)).collect())
}
