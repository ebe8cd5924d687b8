//! Making the vectors that are not there yet, and only those.

use std::collections::HashSet;

use ibidem_ports::catalogue::CatalogueError;
use ibidem_ports::embedder::{EmbedError, Embedder};
use ibidem_ports::vectors::{MissingVector, NewVector, VectorShelf};

use crate::progress::Progress;

/// How many passages are embedded before their vectors are stored: what a crash can cost at most.
const PASSAGES_A_SLICE: usize = 256;

#[derive(Debug, thiserror::Error)]
pub enum EmbedMissingError {
    #[error(transparent)]
    Embed(#[from] EmbedError),
    #[error(transparent)]
    Store(#[from] CatalogueError),
}

/// Embeds what has no vector of this model yet, slice by slice, storing each slice at once.
pub async fn embed_missing(
    embedder: &dyn Embedder,
    shelf: &dyn VectorShelf,
    wanted: Vec<MissingVector>,
    progress: &Progress,
) -> Result<(), EmbedMissingError> {
    let model = embedder.model().hash;
    for slice in wanted.chunks(PASSAGES_A_SLICE) {
        let keys: Vec<_> = slice.iter().map(|wanted| (wanted.tenant, wanted.key)).collect();
        let mut there: HashSet<_> = shelf.stored(model, &keys).await?.into_iter().collect();
        // The same text twice in one slice is embedded once.
        let missing: Vec<_> = slice.iter().filter(|wanted| there.insert((wanted.tenant, wanted.key))).collect();
        if missing.is_empty() {
            continue;
        }
        let texts = missing.iter().map(|wanted| wanted.text.clone()).collect();
        let vectors = embedder.embed_passages(texts).await?;
        let made = missing.into_iter().zip(vectors).map(|(wanted, vector)| NewVector {
            tenant: wanted.tenant,
            key: wanted.key,
            vector,
        });
        let made: Vec<_> = made.collect();
        progress.embedded(made.len());
        shelf.store(model, made).await?;
    }
    Ok(())
}
