//! The threads of a model: started together, ended together, and with a bounded queue before them.

use std::sync::Arc;
use std::thread::JoinHandle;

use ibidem_ports::on_behalf;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use super::queue::{self, Lane, Model, Queue};
use super::request::{Reply, Trouble};

/// Threads that work a queue off. Dropping them ends them.
pub(super) struct Workers<T> {
    queue: Arc<Queue<T>>,
    threads: Vec<JoinHandle<()>>,
}

impl<T: Send + 'static> Workers<T> {
    /// One thread for each model; `name` is the threads'.
    pub(super) fn start(name: &str, batch_tokens: usize, models: Vec<impl Model<T>>) -> Result<Self, String> {
        let mut workers = Self { queue: Arc::new(Queue::new(batch_tokens)), threads: Vec::new() };
        for mut model in models {
            let queue = Arc::clone(&workers.queue);
            let thread = std::thread::Builder::new().name(name.to_owned());
            let thread = thread.spawn(move || {
                // Callers must hear of a worker that died, not wait for it.
                let _closes = CloseOnPanic(&queue);
                queue::work(&queue, &mut model);
            });
            workers.threads.push(thread.map_err(|error| error.to_string())?);
        }
        Ok(workers)
    }

    /// How many queries are answered until so many more of whoever asks now are.
    pub(super) fn until(&self, more: usize) -> usize {
        self.queue.until(more, on_behalf::tenant())
    }

    /// What the model says of each text, in their order.
    pub(super) async fn ask(&self, lane: Lane, texts: Vec<T>, room: OwnedSemaphorePermit) -> Reply {
        let reply = self.queue.submit(lane, texts, room);
        reply.await.unwrap_or_else(|_| Err(Trouble::Failed("its worker threads have ended".to_owned())))
    }
}

impl<T> Drop for Workers<T> {
    fn drop(&mut self) {
        self.queue.close();
        for thread in self.threads.drain(..) {
            // A worker that panicked has been reported by the panic itself.
            let _ = thread.join();
        }
    }
}

struct CloseOnPanic<'a, T>(&'a Queue<T>);

impl<T> Drop for CloseOnPanic<'_, T> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            self.0.close();
        }
    }
}

/// How many texts may wait. A request larger than that takes all the room there is.
pub(super) struct Room {
    permits: Arc<Semaphore>,
    size: u32,
}

impl Room {
    pub(super) fn new(size: usize) -> Self {
        let size = size.min(Semaphore::MAX_PERMITS);
        Self { permits: Arc::new(Semaphore::new(size)), size: u32::try_from(size).unwrap_or(u32::MAX) }
    }

    fn needed(&self, texts: usize) -> u32 {
        u32::try_from(texts).unwrap_or(u32::MAX).min(self.size)
    }

    pub(super) async fn wait_for(&self, texts: usize) -> Result<OwnedSemaphorePermit, Trouble> {
        let permit = Arc::clone(&self.permits).acquire_many_owned(self.needed(texts)).await;
        permit.map_err(|error| Trouble::Failed(error.to_string()))
    }

    /// `None` when there is not enough of it now.
    pub(super) fn take(&self, texts: usize) -> Option<OwnedSemaphorePermit> {
        Arc::clone(&self.permits).try_acquire_many_owned(self.needed(texts)).ok()
    }
}
