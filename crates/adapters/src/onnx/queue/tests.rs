use ibidem_ports::on_behalf;
use tokio::sync::Semaphore;

use super::*;

/// Pieces of so many tokens each, of one request whose caller waits.
fn waiting(lengths: &[usize]) -> (Waiting<String>, oneshot::Receiver<Reply>) {
    let (request, receiver) = request(Lane::Passages);
    let pieces = lengths.iter().enumerate().map(|(text, length)| Piece {
        request: Arc::clone(&request),
        place: WindowPosition { text, window: 0 },
        tokens: window(*length),
    });
    (Waiting { pieces: pieces.collect(), ..Waiting::default() }, receiver)
}

fn request(lane: Lane) -> (Arc<Request>, oneshot::Receiver<Reply>) {
    let permit = Arc::new(Semaphore::new(1)).try_acquire_owned().unwrap();
    let (request, receiver) = Request::new(lane, 1, permit);
    (Arc::new(request), receiver)
}

fn window(length: usize) -> Window {
    Window { ids: vec![7; length], types: vec![0; length], characters: Vec::new() }
}

fn lengths(batch: &[Piece]) -> Vec<usize> {
    batch.iter().map(|piece| piece.tokens.len()).collect()
}

#[test]
fn a_batch_is_the_oldest_piece_and_those_closest_in_length() {
    let (mut waiting, _caller) = waiting(&[10, 100, 11, 90, 9, 12]);
    let mut batches = Vec::new();
    loop {
        let batch = waiting.take_batch(40);
        if batch.is_empty() {
            break;
        }
        let mut batch = lengths(&batch);
        batch.sort_unstable();
        batches.push(batch);
    }
    assert_eq!(batches, [vec![9, 10, 11], vec![100], vec![90], vec![12]]);
}

#[test]
fn a_piece_larger_than_a_batch_goes_alone() {
    let (mut waiting, _caller) = waiting(&[50, 1]);
    assert_eq!(lengths(&waiting.take_batch(10)), [50]);
    assert_eq!(lengths(&waiting.take_batch(10)), [1]);
}

#[test]
fn queries_come_before_passages_and_reading_before_running() {
    let queue = Queue::<String>::new(100);
    let (passages, _caller) = waiting(&[5]);
    let (query, _other_caller) = request(Lane::Queries);
    let mut state = locked(&queue.state);
    state.passages = passages;
    state.queries.texts.push_back(Text { request: Arc::clone(&query), position: 0, text: "why".to_owned() });
    let piece = Piece { request: query, place: WindowPosition { text: 0, window: 0 }, tokens: window(3) };
    state.queries.pieces.push_back(piece);
    drop(state);
    assert!(matches!(queue.next(), Some(Task::Read(texts)) if texts[0].text == "why"));
    assert!(matches!(queue.next(), Some(Task::Run(batch)) if lengths(&batch) == [3]));
    assert!(matches!(queue.next(), Some(Task::Run(batch)) if lengths(&batch) == [5]));
    queue.close();
    assert!(queue.next().is_none());
}

#[test]
fn nothing_is_done_for_a_caller_who_left() {
    let queue = Queue::<String>::new(100);
    let (passages, caller) = waiting(&[5, 6]);
    let (others, _waits) = waiting(&[7]);
    drop(caller);
    let mut state = locked(&queue.state);
    state.passages = passages;
    state.passages.pieces.extend(others.pieces);
    drop(state);
    assert!(matches!(queue.next(), Some(Task::Run(batch)) if lengths(&batch) == [7]));
}

#[test]
fn a_closed_queue_lets_go_of_its_callers() {
    let queue = Queue::<String>::new(100);
    let room = Arc::new(Semaphore::new(2));
    let permit = || Arc::clone(&room).try_acquire_owned().unwrap();
    let mut waits = queue.submit(Lane::Queries, vec!["one".to_owned()], permit());
    queue.close();
    assert!(matches!(waits.try_recv(), Err(oneshot::error::TryRecvError::Closed)));
    let mut late = queue.submit(Lane::Queries, vec!["two".to_owned()], permit());
    assert!(matches!(late.try_recv(), Err(oneshot::error::TryRecvError::Closed)));
    assert_eq!(room.available_permits(), 2);
}

#[tokio::test]
async fn tenants_take_turns_whoever_came_first_and_however_many_wait() {
    let (large, small) = (TenantId::named("large"), TenantId::named("small"));
    let mut all: Waiting<String> = Waiting::default();
    let mut callers = Vec::new();
    for (tenant, lengths) in [(large, vec![5; 6]), (small, vec![6, 6])] {
        let (theirs, caller) = on_behalf::of(tenant, async { waiting(&lengths) }).await;
        all.pieces.extend(theirs.pieces);
        callers.push(caller);
    }
    let mut taken = Vec::new();
    while let Some(Task::Run(batch)) = all.take(1) {
        taken.extend(lengths(&batch));
    }
    assert_eq!(taken, [5, 6, 5, 6, 5, 5, 5, 5]);
}

#[tokio::test]
async fn nobody_waits_for_more_of_others_than_for_their_own() {
    let (large, small) = (TenantId::named("large"), TenantId::named("small"));
    let queue = Queue::<String>::new(1);
    let (theirs, _caller) = on_behalf::of(large, async { waiting(&[5; 100]) }).await;
    locked(&queue.state).queries = theirs;
    assert_eq!(queue.until(8, Some(small)), 16);
    assert_eq!(queue.until(8, Some(large)), 108);
    assert_eq!(queue.until(0, None), 0);
}
