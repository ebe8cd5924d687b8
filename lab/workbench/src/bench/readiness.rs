//! A server under measurement is not asked whether it is ready.

use async_trait::async_trait;
use ibidem_server::Readiness;

pub(super) struct AlwaysReady;

#[async_trait]
impl Readiness for AlwaysReady {
    async fn missing(&self) -> Vec<(&'static str, String)> {
        Vec::new()
    }
}
