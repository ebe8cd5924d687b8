//! Whatever passes the gauntlet, and however it is cut into pieces: the sentences are the same, all of them together are
//! the text, and none is held for ever.
//!
//! The first byte says where the stream is cut, the rest is what the model wrote.

#![no_main]

use ibidem_engine::speak::gauntlet::run;
use ibidem_language::sentences::{Passed, Sentence, SentenceHolder, sentences_of};
use libfuzzer_sys::fuzz_target;

/// A sentence is let go at 4,000 characters, or with the word that it is in then.
const LONGEST: usize = 4_500;

fn held(passed: impl Iterator<Item = Passed>) -> Vec<Sentence> {
    let mut holder = SentenceHolder::default();
    let mut whole: Vec<Sentence> = passed.flat_map(|passed| holder.push(passed)).collect();
    whole.extend(holder.finish());
    whole
}

fn cut(passed: Vec<Passed>, size: usize) -> impl Iterator<Item = Passed> {
    passed.into_iter().flat_map(move |passed| match passed {
        Passed::Citation(_) => vec![passed],
        Passed::Text(text) => {
            let characters: Vec<char> = text.chars().collect();
            characters.chunks(size).map(|piece| Passed::Text(piece.iter().collect())).collect()
        }
    })
}

fuzz_target!(|input: &[u8]| {
    let [size, text @ ..] = input else { return };
    let text = String::from_utf8_lossy(text);
    let (passed, _) = run(4, &text);
    let whole = held(passed.clone().into_iter());
    for size in [1, usize::from(*size) % 7 + 2] {
        assert_eq!(held(cut(passed.clone(), size)), whole, "pieces of {size}");
    }
    let written = passed.iter().map(|passed| match passed {
        Passed::Text(text) => text.replace('\0', "\u{fffd}"),
        Passed::Citation(number) => format!("[{number}]"),
    });
    let together: String = whole.iter().map(|sentence| sentence.text.as_str()).collect();
    assert_eq!(together, written.collect::<String>());
    for sentence in &whole {
        assert!(sentence.text.chars().count() <= LONGEST);
        assert!(!sentence.text.is_empty());
    }
    for sentence in sentences_of(&text) {
        assert!(text.contains(sentence) && sentence.trim() == sentence);
    }
});
