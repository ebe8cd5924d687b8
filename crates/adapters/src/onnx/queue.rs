//! Texts waiting for the model, and the threads that work them off: queries first, passages in small batches.

use std::collections::VecDeque;
use std::sync::{Arc, Condvar, Mutex, PoisonError};

use ibidem_engine::ports::embedder::EmbedError;
use tokio::sync::{OwnedSemaphorePermit, oneshot};

use super::request::{Place, Reply, Request, locked};
use super::session::Encoder;
use super::tokens::{Tokens, Window};

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

/// A text not looked at yet.
struct Text {
    request: Arc<Request>,
    position: usize,
    text: String,
}

/// One window of one text, ready for the model.
struct Piece {
    request: Arc<Request>,
    place: Place,
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
            request.answer(Err(EmbedError::Unavailable(reason)));
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
    windows
        .map(|(window, tokens)| {
            let place = Place { text: position, window };
            Piece { request: Arc::clone(&request), place, tokens }
        })
        .collect()
}

fn embed(pieces: &[Piece], encoder: &mut Encoder) {
    let windows: Vec<&Window> = pieces.iter().map(|piece| &piece.tokens).collect();
    match encoder.embed(&windows) {
        Ok(vectors) => {
            for (piece, vector) in pieces.iter().zip(vectors) {
                piece.request.accept(piece.place, piece.tokens.len(), vector);
            }
        }
        Err(reason) => {
            for piece in pieces {
                piece.request.answer(Err(EmbedError::Unavailable(reason.clone())));
            }
        }
    }
}

#[cfg(test)]
mod tests;
