//! `ibidem migrate`: the database and the index in the shape this version needs.

use anyhow::Context as _;

use crate::settings::Settings;
use crate::{compose, console};

pub(crate) async fn run(settings: &Settings) -> anyhow::Result<()> {
    let store = compose::store(settings)?;
    let version = store.ping().await.context("check `database.url`")?;
    let applied = store.migrate().await?;
    store.ensure_tenant("default").await?;
    console::say(&format!("database: PostgreSQL {version}, {applied} migrations applied"));

    let embedder = compose::embedder(settings).await?;
    let index = compose::index(settings, embedder.as_ref())?;
    let version = index.version().await.context("check `index.url`: it is Qdrant's gRPC address")?;
    index.ensure_collection().await?;
    console::say(&format!("index: Qdrant {version}, collection {} ready", index.target()));
    Ok(())
}
