//! One caller's texts on their way through a model, in any number of windows, batches and threads.

use std::sync::{Mutex, MutexGuard, PoisonError};

use ibidem_ports::on_behalf;
use ibidem_words::TenantId;
use tokio::sync::{OwnedSemaphorePermit, oneshot};

use super::encoder::normalise;
use super::queue::Lane;

/// What the model says of each text.
pub(super) type Reply = Result<Vec<Vec<f32>>, Trouble>;

/// Why texts did not get through the model; each port says it in words of its own.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Trouble {
    TooLong { index: usize, tokens: usize, limit: usize },
    Failed(String),
}

pub(super) struct Request {
    pub(super) lane: Lane,
    /// Whose work it is.
    pub(super) tenant: Option<TenantId>,
    progress: Mutex<Progress>,
}

/// Where in a request a vector belongs.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct WindowPosition {
    pub(super) text: usize,
    pub(super) window: usize,
}

struct Progress {
    texts: Vec<TextProgress>,
    /// Texts not finished yet.
    missing: usize,
    /// Gone once answered.
    caller: Option<oneshot::Sender<Reply>>,
    /// Room in the queue, given back when the request ends.
    _room: OwnedSemaphorePermit,
}

/// The vectors of a text's windows.
#[derive(Default)]
struct TextProgress {
    windows: Vec<Option<WindowVector>>,
    missing: usize,
}

struct WindowVector {
    tokens: usize,
    vector: Vec<f32>,
}

impl Request {
    pub(super) fn new(lane: Lane, texts: usize, room: OwnedSemaphorePermit) -> (Self, oneshot::Receiver<Reply>) {
        let (caller, receiver) = oneshot::channel();
        let texts: Vec<TextProgress> = (0..texts).map(|_| TextProgress::default()).collect();
        let progress = Progress { missing: texts.len(), texts, caller: Some(caller), _room: room };
        (Self { lane, tenant: on_behalf::tenant(), progress: Mutex::new(progress) }, receiver)
    }

    pub(super) fn answer(&self, reply: Reply) {
        if let Some(caller) = locked(&self.progress).caller.take() {
            // A caller who left does not want to know.
            let _ = caller.send(reply);
        }
    }

    /// Nobody waits for it: answered already, or the caller left.
    pub(super) fn is_over(&self) -> bool {
        locked(&self.progress).caller.as_ref().is_none_or(oneshot::Sender::is_closed)
    }

    /// Says of how many windows a text is, before any of them is accepted.
    pub(super) fn expect_windows(&self, text: usize, windows: usize) {
        let expected = TextProgress { windows: (0..windows).map(|_| None).collect(), missing: windows };
        locked(&self.progress).texts[text] = expected;
    }

    /// Answers the caller when this was the last.
    pub(super) fn accept(&self, place: WindowPosition, tokens: usize, vector: Vec<f32>) {
        let mut progress = locked(&self.progress);
        let text = &mut progress.texts[place.text];
        text.windows[place.window] = Some(WindowVector { tokens, vector });
        text.missing -= 1;
        if text.missing > 0 {
            return;
        }
        progress.missing -= 1;
        if progress.missing > 0 {
            return;
        }
        let texts = std::mem::take(&mut progress.texts);
        drop(progress);
        self.answer(texts.into_iter().map(|text| joined(text.windows)).collect());
    }
}

/// The mean of a text's windows, each weighing as much as it has tokens, in their order:
/// floating-point sums depend on it.
fn joined(windows: Vec<Option<WindowVector>>) -> Result<Vec<f32>, Trouble> {
    let mut windows: Vec<WindowVector> = windows.into_iter().flatten().collect();
    if windows.len() == 1 {
        return Ok(windows.remove(0).vector);
    }
    let mut sum = vec![0.0_f32; windows.first().map_or(0, |window| window.vector.len())];
    for window in windows {
        #[expect(clippy::cast_precision_loss, reason = "a window has far fewer tokens than a float has digits")]
        let weight = window.tokens as f32;
        sum.iter_mut().zip(&window.vector).for_each(|(sum, value)| *sum += weight * value);
    }
    normalise(&mut sum).map_err(Trouble::Failed)?;
    Ok(sum)
}

/// A thread that panicked while holding a lock leaves nothing half-written that matters here.
pub(super) fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use tokio::sync::Semaphore;

    use super::*;

    #[test]
    fn windows_are_joined_by_their_tokens_whatever_order_they_arrive_in() {
        let room = Arc::new(Semaphore::new(1));
        let permit = Arc::clone(&room).try_acquire_owned().unwrap();
        let (request, mut reply) = Request::new(Lane::Queries, 2, permit);
        request.expect_windows(0, 2);
        request.expect_windows(1, 1);
        request.accept(WindowPosition { text: 0, window: 1 }, 4, vec![0.0, 1.0]);
        request.accept(WindowPosition { text: 1, window: 0 }, 9, vec![1.0, 0.0]);
        assert!(reply.try_recv().is_err());
        request.accept(WindowPosition { text: 0, window: 0 }, 3, vec![1.0, 0.0]);
        assert_eq!(reply.try_recv().unwrap().unwrap(), [vec![0.6, 0.8], vec![1.0, 0.0]]);
        assert!(request.is_over());
        assert_eq!(room.available_permits(), 0);
        drop(request);
        assert_eq!(room.available_permits(), 1);
    }

    #[test]
    fn a_request_is_over_once_its_caller_leaves() {
        let room = Arc::new(Semaphore::new(1));
        let (request, reply) = Request::new(Lane::Passages, 1, room.try_acquire_owned().unwrap());
        assert!(!request.is_over());
        drop(reply);
        assert!(request.is_over());
        request.answer(Err(Trouble::Failed("too late".to_owned())));
    }
}
