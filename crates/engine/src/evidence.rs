//! From a question that is searched for to evidence that the gates and the catalogue let through.

use ibidem_ports::clock;

use tracing::{Instrument as _, trace_span};

use crate::gather::gather;
use crate::parts::Parts;
use crate::revocation;
use crate::sift::SiftOutcome;
use crate::turn::{Asked, NamedDocuments, SearchFailed, SearchRecord};

/// What gathering and sifting ended in, and how.
pub(crate) struct SiftedSearch {
    pub(crate) outcome: SiftOutcome,
    pub(crate) search: SearchRecord,
    pub(crate) reranked: bool,
}

/// Gathers and sifts, confirmed by the catalogue; a pool that is thin and not hopeless is gathered once more, wider.
pub(crate) async fn evidence(
    parts: &Parts,
    asked: Asked,
    named: &NamedDocuments,
) -> Result<SiftedSearch, SearchFailed> {
    let mut asked = asked;
    let mut round = 0;
    let mut earlier = SearchRecord::default();
    loop {
        let mut gathered = match gather(parts, asked, named, round).await {
            Ok(gathered) => gathered,
            Err(mut failed) => {
                failed.search.follow(earlier);
                return Err(failed);
            }
        };
        // Sifting needs no more of the record than the round, and may look several times.
        let of_round = SearchRecord { round, ..SearchRecord::default() };
        let mut search = std::mem::replace(&mut gathered.search, of_round);
        search.follow(std::mem::take(&mut earlier));
        let reranked = gathered.reranked;
        let began = clock::now();
        let confirmed = revocation::confirmed(parts.searcher.catalogue.as_ref(), gathered);
        let confirmed = confirmed.instrument(trace_span!("sift")).await;
        search.stages.push(("sift", began.elapsed()));
        let outcome = match confirmed {
            Ok((outcome, pool)) => {
                search.pools.push(pool);
                outcome
            }
            Err((gathered, error)) => {
                return Err(SearchFailed { asked: gathered.asked, error: error.into(), search });
            }
        };
        match outcome {
            SiftOutcome::TooThin { sifted, .. } if round == 0 => {
                asked = sifted.asked;
                round += 1;
                earlier = search;
            }
            outcome => return Ok(SiftedSearch { outcome, search, reranked }),
        }
    }
}
