//! How long a sentence is held after the model has written it.

use std::time::{Duration, Instant};

use crate::asking::{Asker, QUESTION, ingest_handbook};
use crate::installation::with_installation;
use crate::model_server::{NAME, PacedServer};

const SENTENCES: usize = 20;
const PIECES_A_SENTENCE: usize = 12;
const EVERY: Duration = Duration::from_millis(20);
const TIMES: usize = 5;

/// Sentences of twelve pieces, each ended and cited by the last: the model's first sentence ends with the twelfth piece.
fn pieces() -> Vec<String> {
    let words = ["Five", " days", " of", " leave", " may", " be", " carried", " over", " into", " the", " next"];
    let sentence = |number: usize| {
        let before = if number == 0 { "" } else { " " };
        let first = format!("{before}{}", words[0]);
        let rest = words[1..].iter().map(|word| (*word).to_owned());
        std::iter::once(first).chain(rest).chain([" year.[^1]".to_owned()]).collect::<Vec<_>>()
    };
    (0..SENTENCES).flat_map(sentence).collect()
}

#[tokio::test]
async fn the_first_sentence_is_released_soon_after_the_model_has_written_it() {
    with_installation(async |installation| {
        ingest_handbook(installation).await;
        let pieces = pieces();
        assert_eq!(pieces.len(), SENTENCES * PIECES_A_SENTENCE);
        let model = PacedServer::writing(pieces, EVERY).await;
        let settings = [("IBIDEM__LANGUAGE_MODEL__URL", model.url.as_str()), ("IBIDEM__LANGUAGE_MODEL__NAME", NAME)];
        let served = installation.serve(&settings).await;
        let asker = Asker::before(installation, &served).await;
        let mut ratios = Vec::new();
        for _ in 0..TIMES {
            let began = Instant::now();
            let events = asker.listen(QUESTION).await;
            let sentences = events.iter().filter(|event| event.name == "sentence").count();
            // A claim is said once, however often the model writes it.
            assert_eq!(sentences, 1, "{:?}", events.last());
            let sent = model.sent.lock().unwrap().pop().unwrap();
            // Both from when the model was asked: what searching takes before that is not the verifier's doing.
            let models_own = sent[PIECES_A_SENTENCE] - sent[0];
            let released = (began + events[0].after) - sent[0];
            let ratio = released.as_secs_f64() / models_own.as_secs_f64();
            eprintln!(
                "the model's first sentence ended after {:.0} ms, was released after {:.0} ms ({ratio:.2} times); \
                 asked {:.0} ms before; all {SENTENCES} within {:.0} ms",
                models_own.as_secs_f64() * 1e3,
                released.as_secs_f64() * 1e3,
                (sent[0] - began).as_secs_f64() * 1e3,
                events.last().unwrap().after.as_secs_f64() * 1e3,
            );
            ratios.push(ratio);
        }
        ratios.sort_by(f64::total_cmp);
        let median = ratios[TIMES / 2];
        eprintln!("median of {TIMES}: {median:.2} times the model's own; wanted is 1.25");
        // Machines are busy: what is asserted is only that a sentence does not wait for the next one's end.
        assert!(median < 2.0, "{ratios:?}");
        served.stop().await;
    })
    .await;
}
