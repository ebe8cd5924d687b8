//! Texts waiting for the model, and the threads that work them off: queries first, passages in small batches.

use std::collections::VecDeque;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};

use ibidem_engine::ports::embedder::EmbedError;
use tokio::sync::{OwnedSemaphorePermit, oneshot};

use super::session::{Encoder, normalise};
use super::tokens::{Tokens, Window};

/// Texts tokenised in one go; between two goes a query may overtake.
const TEXTS_READ_TOGETHER: usize = 16;

pub(super) type Reply = Result<Vec<Vec<f32>>, EmbedError>;

/// Which queue a text waits in, and what becomes of it beyond the model's window.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Lane {
    /// Goes first; embedded window by window.
    Queries,
    /// Waits for queries; refused when too long.
    Passages,
}

/// A request whose vectors are being made, by any number of workers.
struct Request {
    lane: Lane,
    progress: Mutex<Progress>,
}

struct Progress {
    /// For each text the vectors of its windows.
    texts: Vec<TextProgress>,
    /// Texts not finished yet.
    missing: usize,
    /// Gone once answered.
    caller: Option<oneshot::Sender<Reply>>,
    /// Room in the queue, given back when the request ends.
    _room: OwnedSemaphorePermit,
}

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
    fn answer(&self, reply: Reply) {
        if let Some(caller) = locked(&self.progress).caller.take() {
            // A caller who left does not want to know.
            let _ = caller.send(reply);
        }
    }

    /// Nobody waits for it: answered already, or the caller left.
    fn is_over(&self) -> bool {
        locked(&self.progress).caller.as_ref().is_none_or(oneshot::Sender::is_closed)
    }

    fn expect_windows(&self, text: usize, windows: usize) {
        let mut progress = locked(&self.progress);
        progress.texts[text] = TextProgress { windows: (0..windows).map(|_| None).collect(), missing: windows };
    }

    fn accept(&self, piece: &Piece, vector: Vec<f32>) {
        let mut progress = locked(&self.progress);
        let text = &mut progress.texts[piece.text];
        text.windows[piece.window] = Some(WindowVector { tokens: piece.tokens.len(), vector });
        text.missing -= 1;
        if text.missing > 0 {
            return;
        }
        progress.missing -= 1;
        if progress.missing > 0 {
            return;
        }
        let vectors: Reply = progress.texts.drain(..).map(|text| joined(text.windows).map_err(unavailable)).collect();
        drop(progress);
        self.answer(vectors);
    }
}

/// The mean of a text's windows, each weighing as much as it has tokens, in their order:
/// floating-point sums depend on it.
fn joined(windows: Vec<Option<WindowVector>>) -> Result<Vec<f32>, String> {
    let mut windows = windows.into_iter().flatten();
    let first = windows.next().ok_or("a text has no window")?;
    let Some(second) = windows.next() else { return Ok(first.vector) };
    let mut sum = vec![0.0_f32; first.vector.len()];
    for window in [first, second].into_iter().chain(windows) {
        #[expect(clippy::cast_precision_loss, reason = "a window has far fewer tokens than a float has digits")]
        let weight = window.tokens as f32;
        sum.iter_mut().zip(&window.vector).for_each(|(sum, value)| *sum += weight * value);
    }
    normalise(&mut sum)?;
    Ok(sum)
}

struct Text {
    request: Arc<Request>,
    position: usize,
    text: String,
}

/// One window of one text, ready for the model.
struct Piece {
    request: Arc<Request>,
    text: usize,
    window: usize,
    tokens: Window,
}

#[derive(Default)]
struct Waiting {
    texts: VecDeque<Text>,
    pieces: VecDeque<Piece>,
}

#[derive(Default)]
struct State {
    queries: Waiting,
    passages: Waiting,
    closed: bool,
}

enum Task {
    Read(Vec<Text>),
    Embed(Vec<Piece>),
}

pub(super) struct Queue {
    state: Mutex<State>,
    changed: Condvar,
    /// Most tokens in a batch, padding included.
    batch_tokens: usize,
}

impl Queue {
    pub(super) fn new(batch_tokens: usize) -> Self {
        Self { state: Mutex::default(), changed: Condvar::new(), batch_tokens }
    }

    /// Hands texts over; the receiver hears of their vectors, or of a sender that disappeared with the workers.
    pub(super) fn submit(
        &self,
        lane: Lane,
        texts: Vec<String>,
        room: OwnedSemaphorePermit,
    ) -> oneshot::Receiver<Reply> {
        let (caller, receiver) = oneshot::channel();
        let progress = Progress {
            texts: texts.iter().map(|_| TextProgress::default()).collect(),
            missing: texts.len(),
            caller: Some(caller),
            _room: room,
        };
        let request = Arc::new(Request { lane, progress: Mutex::new(progress) });
        let texts = texts.into_iter().enumerate();
        let texts = texts.map(|(position, text)| Text { request: Arc::clone(&request), position, text });
        let mut state = locked(&self.state);
        if !state.closed {
            state.waiting(lane).texts.extend(texts);
            self.changed.notify_all();
        }
        receiver
    }

    /// Ends the workers after what they have in hand, and drops what is still waiting.
    pub(super) fn close(&self) {
        let mut state = locked(&self.state);
        *state = State { closed: true, ..State::default() };
        self.changed.notify_all();
    }

    /// What to do next; waits for it. `None` when the queue is closed.
    fn next(&self) -> Option<Task> {
        let mut state = locked(&self.state);
        loop {
            if state.closed {
                return None;
            }
            if let Some(task) = state.take(self.batch_tokens) {
                return Some(task);
            }
            state = self.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
    }

    fn return_read(&self, pieces: Vec<Piece>) {
        let mut state = locked(&self.state);
        if state.closed {
            return;
        }
        for piece in pieces {
            state.waiting(piece.request.lane).pieces.push_back(piece);
        }
        self.changed.notify_all();
    }
}

impl State {
    fn waiting(&mut self, lane: Lane) -> &mut Waiting {
        match lane {
            Lane::Queries => &mut self.queries,
            Lane::Passages => &mut self.passages,
        }
    }

    fn take(&mut self, batch_tokens: usize) -> Option<Task> {
        [&mut self.queries, &mut self.passages].into_iter().find_map(|waiting| waiting.take(batch_tokens))
    }
}

impl Waiting {
    /// Reading comes first: the more lengths are known, the better they can be matched.
    fn take(&mut self, batch_tokens: usize) -> Option<Task> {
        self.texts.retain(|text| !text.request.is_over());
        if !self.texts.is_empty() {
            let together = self.texts.len().min(TEXTS_READ_TOGETHER);
            return Some(Task::Read(self.texts.drain(..together).collect()));
        }
        self.pieces.retain(|piece| !piece.request.is_over());
        let batch = self.take_batch(batch_tokens);
        (!batch.is_empty()).then_some(Task::Embed(batch))
    }

    /// The oldest piece with those closest to it in length, so that little of the batch is padding
    /// and nothing waits for ever.
    fn take_batch(&mut self, batch_tokens: usize) -> Vec<Piece> {
        let Some(oldest) = self.pieces.pop_front() else { return Vec::new() };
        let mut longest = oldest.tokens.len();
        let mut batch = vec![oldest];
        let mut by_distance: Vec<usize> = (0..self.pieces.len()).collect();
        by_distance.sort_by_key(|&position| self.pieces[position].tokens.len().abs_diff(longest));
        let mut chosen = Vec::new();
        for position in by_distance {
            let padded = longest.max(self.pieces[position].tokens.len());
            if padded * (batch.len() + chosen.len() + 1) > batch_tokens {
                break;
            }
            longest = padded;
            chosen.push(position);
        }
        chosen.sort_unstable();
        for position in chosen.into_iter().rev() {
            batch.extend(self.pieces.remove(position));
        }
        batch
    }
}

/// What a worker thread does until the queue is closed.
pub(super) fn work(queue: &Queue, tokens: &Tokens, encoder: &mut Encoder) {
    while let Some(task) = queue.next() {
        match task {
            Task::Read(texts) => queue.return_read(texts.into_iter().flat_map(|text| read(text, tokens)).collect()),
            Task::Embed(pieces) => embed(&pieces, encoder),
        }
    }
}

fn read(text: Text, tokens: &Tokens) -> Vec<Piece> {
    let Text { request, position, text } = text;
    let windows = match request.lane {
        Lane::Queries => tokens.windows(&text),
        Lane::Passages => tokens.whole(&text).map(|window| vec![window]),
    };
    let windows = match windows {
        Ok(windows) => windows,
        Err(reason) => {
            request.answer(Err(unavailable(reason)));
            return Vec::new();
        }
    };
    if let Some(window) = windows.iter().find(|window| window.len() > tokens.max_tokens) {
        let too_long = EmbedError::TooLong { index: position, tokens: window.len(), limit: tokens.max_tokens };
        request.answer(Err(too_long));
        return Vec::new();
    }
    request.expect_windows(position, windows.len());
    let windows = windows.into_iter().enumerate();
    windows.map(|(window, tokens)| Piece { request: Arc::clone(&request), text: position, window, tokens }).collect()
}

fn embed(pieces: &[Piece], encoder: &mut Encoder) {
    let windows: Vec<&Window> = pieces.iter().map(|piece| &piece.tokens).collect();
    match encoder.embed(&windows) {
        Ok(vectors) => pieces.iter().zip(vectors).for_each(|(piece, vector)| piece.request.accept(piece, vector)),
        Err(reason) => pieces.iter().for_each(|piece| piece.request.answer(Err(unavailable(reason.clone())))),
    }
}

fn unavailable(reason: String) -> EmbedError {
    EmbedError::Unavailable(reason)
}

/// A thread that panicked while holding a lock leaves nothing half-written that matters here.
fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
