//! The nodes of one cluster: any of them answers for all, and one is asked until it does not.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use qdrant_client::{Qdrant, QdrantError};

use super::QdrantSettings;

#[derive(Clone)]
struct Node {
    reader: Qdrant,
    writer: Qdrant,
}

/// Cheap to clone: clones share their connections, and know together which node is asked.
#[derive(Clone)]
pub(super) struct Nodes {
    nodes: Arc<[Node]>,
    asked: Arc<AtomicUsize>,
}

/// A node as it was asked.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct NodeNumber(usize);

impl Nodes {
    /// Connects when first used.
    pub(super) fn of(settings: &QdrantSettings) -> Result<Self, QdrantError> {
        let urls = std::iter::once(&settings.url).chain(&settings.also_at);
        let nodes = urls.map(|url| {
            let reader = connect(url, settings, settings.search_timeout)?;
            Ok(Node { reader, writer: connect(url, settings, settings.write_timeout)? })
        });
        Ok(Self { nodes: nodes.collect::<Result<_, QdrantError>>()?, asked: Arc::default() })
    }

    pub(super) fn count(&self) -> usize {
        self.nodes.len()
    }

    pub(super) fn current(&self) -> NodeNumber {
        NodeNumber(self.asked.load(Ordering::Relaxed))
    }

    pub(super) fn reader(&self, node: NodeNumber) -> &Qdrant {
        &self.nodes[node.0].reader
    }

    pub(super) fn writer(&self, node: NodeNumber) -> &Qdrant {
        &self.nodes[node.0].writer
    }

    /// Asks the next one from now on; unless somebody else has seen to that already.
    pub(super) fn leave(&self, node: NodeNumber) {
        let next = (node.0 + 1) % self.count();
        let left = self.asked.compare_exchange(node.0, next, Ordering::Relaxed, Ordering::Relaxed);
        if left.is_ok() && next != node.0 {
            tracing::warn!(
                node = node.0 + 1,
                next = next + 1,
                "a node of the index does not answer; the next is asked"
            );
        }
    }
}

fn connect(url: &str, settings: &QdrantSettings, timeout: Duration) -> Result<Qdrant, QdrantError> {
    let mut client = Qdrant::from_url(url)
        .api_key(settings.api_key.clone())
        .timeout(timeout)
        .connect_timeout(timeout.min(Duration::from_secs(5)))
        .keep_alive_while_idle()
        // It prints to standard output, which belongs to the command line.
        .skip_compatibility_check();
    client.pool_size = settings.connections;
    client.build()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_node_that_many_find_silent_is_left_once_and_the_last_leads_to_the_first() {
        let also_at = vec!["http://127.0.0.1:2".to_owned(), "http://127.0.0.1:3".to_owned()];
        let nodes = Nodes::of(&QdrantSettings { also_at, ..QdrantSettings::at("http://127.0.0.1:1") }).unwrap();
        let (first, elsewhere) = (nodes.current(), nodes.clone());
        nodes.leave(first);
        elsewhere.leave(first);
        assert_eq!((nodes.current(), elsewhere.current()), (NodeNumber(1), NodeNumber(1)));
        nodes.leave(nodes.current());
        nodes.leave(nodes.current());
        assert_eq!(nodes.current(), first);
        let alone = Nodes::of(&QdrantSettings::at("http://127.0.0.1:1")).unwrap();
        alone.leave(alone.current());
        assert_eq!(alone.current(), first);
    }
}
