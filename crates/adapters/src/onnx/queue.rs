//! Texts waiting for a model, and the threads that work them off: queries first, passages in small batches, and each
//! tenant in its turn.

mod turns;

use std::collections::{HashMap, VecDeque};
use std::sync::{Arc, Condvar, Mutex, PoisonError};

use ibidem_words::TenantId;
use tokio::sync::{OwnedSemaphorePermit, oneshot};

use super::request::{Reply, Request, Trouble, WindowPosition, locked};
use super::tokens::Window;
use turns::Turns;

/// Texts tokenised in one go; between two goes a query may overtake.
const TEXTS_READ_TOGETHER: usize = 16;

/// Which queue a text waits in, and what becomes of it beyond the model's window.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Lane {
    /// Goes first; embedded window by window.
    Queries,
    /// Waits for queries; refused when too long.
    Passages,
}

/// What a worker thread has: it reads texts of one kind, and puts windows of them through a model.
pub(super) trait Model<T>: Send + 'static {
    /// At least one window.
    fn read(&self, lane: Lane, position: usize, text: T) -> Result<Vec<Window>, Trouble>;

    /// What the model says of each window, in their order.
    fn run(&mut self, windows: &[&Window]) -> Result<Vec<Vec<f32>>, String>;
}

/// A text not looked at yet.
struct Text<T> {
    request: Arc<Request>,
    position: usize,
    text: T,
}

/// One window of one text, ready for the model.
struct Piece {
    request: Arc<Request>,
    place: WindowPosition,
    tokens: Window,
}

struct Waiting<T> {
    texts: VecDeque<Text<T>>,
    pieces: VecDeque<Piece>,
    turns: Turns,
}

struct State<T> {
    queries: Waiting<T>,
    passages: Waiting<T>,
    closed: bool,
}

impl<T> Default for Waiting<T> {
    fn default() -> Self {
        Self { texts: VecDeque::new(), pieces: VecDeque::new(), turns: Turns::default() }
    }
}

impl<T> Default for State<T> {
    fn default() -> Self {
        Self { queries: Waiting::default(), passages: Waiting::default(), closed: false }
    }
}

enum Task<T> {
    Read(Vec<Text<T>>),
    Run(Vec<Piece>),
}

pub(super) struct Queue<T> {
    state: Mutex<State<T>>,
    changed: Condvar,
    /// Most tokens in a batch, padding included.
    batch_tokens: usize,
}

impl<T> Queue<T> {
    pub(super) fn new(batch_tokens: usize) -> Self {
        Self { state: Mutex::default(), changed: Condvar::new(), batch_tokens }
    }

    /// Hands texts over; the receiver hears what the model says of them, or of a sender that disappeared with the workers.
    pub(super) fn submit(&self, lane: Lane, texts: Vec<T>, room: OwnedSemaphorePermit) -> oneshot::Receiver<Reply> {
        let (request, receiver) = Request::new(lane, texts.len(), room);
        let request = Arc::new(request);
        let texts = texts.into_iter().enumerate();
        let texts = texts.map(|(position, text)| Text { request: Arc::clone(&request), position, text });
        let mut state = locked(&self.state);
        if !state.closed {
            state.waiting(lane).texts.extend(texts);
            self.changed.notify_all();
        }
        receiver
    }

    /// How many queries are answered until so many more of this tenant's are: what it has waiting, and of each other tenant
    /// at most as much, as they take turns.
    pub(super) fn until(&self, more: usize, tenant: Option<TenantId>) -> usize {
        let state = locked(&self.state);
        let mut waiting: HashMap<Option<TenantId>, usize> = HashMap::from([(tenant, more)]);
        let Waiting { texts, pieces, .. } = &state.queries;
        let requests = texts.iter().map(|text| &text.request).chain(pieces.iter().map(|piece| &piece.request));
        for request in requests {
            *waiting.entry(request.tenant).or_default() += 1;
        }
        let own = waiting.get(&tenant).copied().unwrap_or_default();
        waiting.into_values().map(|others| others.min(own)).sum()
    }

    /// Ends the workers after what they have in hand, and drops what is still waiting.
    pub(super) fn close(&self) {
        let mut state = locked(&self.state);
        *state = State { closed: true, ..State::default() };
        self.changed.notify_all();
    }

    /// What to do next; waits for it. `None` when the queue is closed.
    fn next(&self) -> Option<Task<T>> {
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

impl<T> State<T> {
    fn waiting(&mut self, lane: Lane) -> &mut Waiting<T> {
        match lane {
            Lane::Queries => &mut self.queries,
            Lane::Passages => &mut self.passages,
        }
    }

    fn take(&mut self, batch_tokens: usize) -> Option<Task<T>> {
        [&mut self.queries, &mut self.passages].into_iter().find_map(|waiting| waiting.take(batch_tokens))
    }
}

impl<T> Waiting<T> {
    /// Reading comes first: the more lengths are known, the better they can be matched.
    fn take(&mut self, batch_tokens: usize) -> Option<Task<T>> {
        self.texts.retain(|text| !text.request.is_over());
        if !self.texts.is_empty() {
            let together = self.texts.len().min(TEXTS_READ_TOGETHER);
            return Some(Task::Read(self.texts.drain(..together).collect()));
        }
        self.pieces.retain(|piece| !piece.request.is_over());
        let batch = self.take_batch(batch_tokens);
        for piece in &batch {
            self.turns.note(piece.request.tenant, piece.tokens.len());
        }
        (!batch.is_empty()).then_some(Task::Run(batch))
    }

    /// The oldest piece of the tenant whose turn it is, with those closest to it in length, so that little of the batch is
    /// padding and nothing waits for ever.
    fn take_batch(&mut self, batch_tokens: usize) -> Vec<Piece> {
        let Some(tenant) = self.turns.first(self.pieces.iter().map(|piece| piece.request.tenant)) else {
            return Vec::new();
        };
        let oldest = self.pieces.iter().position(|piece| piece.request.tenant == tenant);
        let Some(oldest) = oldest.and_then(|oldest| self.pieces.remove(oldest)) else { return Vec::new() };
        let mut longest = oldest.tokens.len();
        let mut batch = vec![oldest];
        // Nothing would fit beside it, however many wait.
        if longest >= batch_tokens {
            return batch;
        }
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
pub(super) fn work<T>(queue: &Queue<T>, model: &mut impl Model<T>) {
    while let Some(task) = queue.next() {
        match task {
            Task::Read(texts) => queue.return_read(texts.into_iter().flat_map(|text| read(text, model)).collect()),
            Task::Run(pieces) => run(&pieces, model),
        }
    }
}

fn read<T>(text: Text<T>, model: &impl Model<T>) -> Vec<Piece> {
    let Text { request, position, text } = text;
    let windows = match model.read(request.lane, position, text) {
        Ok(windows) => windows,
        Err(trouble) => {
            request.answer(Err(trouble));
            return Vec::new();
        }
    };
    request.expect_windows(position, windows.len());
    let windows = windows.into_iter().enumerate();
    windows
        .map(|(window, tokens)| {
            let place = WindowPosition { text: position, window };
            Piece { request: Arc::clone(&request), place, tokens }
        })
        .collect()
}

fn run<T>(pieces: &[Piece], model: &mut impl Model<T>) {
    let windows: Vec<&Window> = pieces.iter().map(|piece| &piece.tokens).collect();
    match model.run(&windows) {
        Ok(vectors) => {
            for (piece, vector) in pieces.iter().zip(vectors) {
                piece.request.accept(piece.place, piece.tokens.len(), vector);
            }
        }
        Err(reason) => {
            for piece in pieces {
                piece.request.answer(Err(Trouble::Failed(reason.clone())));
            }
        }
    }
}

#[cfg(test)]
mod tests;
