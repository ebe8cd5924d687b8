//! The vectors of the questions that say by example what a topic is about.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use ibidem_ports::degrade::{Deadline, Part};
use ibidem_ports::embedder::{EmbedError, Embedder};
use ibidem_words::Sha256Hash;

use crate::policy::TopicRules;

/// Caches the exemplars' vectors, so that they are embedded once for each policy.
#[derive(Default)]
pub struct Exemplars(Mutex<HashMap<Sha256Hash, Arc<Vec<TopicVectors>>>>);

/// The vectors of one topic's exemplars: a question is as close to the topic as to the closest of them.
pub(crate) type TopicVectors = Vec<Vec<f32>>;

/// Policies whose exemplars are kept: a replayed or tried one must not pile up.
const MOST_POLICIES: usize = 16;

impl Exemplars {
    pub(crate) async fn of(
        &self,
        embedder: &Part<dyn Embedder>,
        policy: Sha256Hash,
        rules: &TopicRules,
        deadline: Deadline,
    ) -> Result<Arc<Vec<TopicVectors>>, EmbedError> {
        if let Some(known) = self.0.lock().unwrap_or_else(PoisonError::into_inner).get(&policy) {
            return Ok(known.clone());
        }
        let mut vectors = Vec::with_capacity(rules.topics.len());
        for topic in &rules.topics {
            let exemplars = topic.exemplars.clone();
            vectors.push(embedder.call(deadline, |embedder| embedder.embed_queries(exemplars)).await?);
        }
        let vectors = Arc::new(vectors);
        let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if kept.len() >= MOST_POLICIES {
            kept.clear();
        }
        kept.insert(policy, vectors.clone());
        Ok(vectors)
    }
}
