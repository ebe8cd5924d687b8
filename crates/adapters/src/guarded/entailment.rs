//! An entailment model behind its breaker.

use std::sync::Arc;

use async_trait::async_trait;
use ibidem_words::degrade::ServiceBreaker;
use ibidem_words::ports::entailment::{Entailment, EntailmentError, Judgement, Pair};

use super::guarded;

pub struct GuardedEntailment {
    inner: Arc<dyn Entailment>,
    breaker: ServiceBreaker,
}

impl GuardedEntailment {
    pub fn new(inner: Arc<dyn Entailment>, breaker: ServiceBreaker) -> Self {
        Self { inner, breaker }
    }
}

#[async_trait]
impl Entailment for GuardedEntailment {
    fn name(&self) -> &str {
        self.inner.name()
    }

    async fn judge(&self, pairs: Vec<Pair>) -> Result<Vec<Judgement>, EntailmentError> {
        guarded(&self.breaker, self.inner.judge(pairs)).await
    }
}
