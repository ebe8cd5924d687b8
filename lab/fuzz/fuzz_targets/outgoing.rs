//! Whatever a model writes and however it is cut into pieces: what goes out is supported by notes, or its words are a
//! note's or the question's; there is no markup in it; and it is the same however the stream was cut.
//!
//! The first byte says which library is asked and whether a sentence that its note supports stands above or below, the
//! second where the stream is cut, the rest is what the model wrote.

#![no_main]

use std::sync::OnceLock;

use ibidem_testing::suites::outgoing::{Asker, LIBRARIES};
use libfuzzer_sys::fuzz_target;

static ASKERS: OnceLock<Vec<Asker>> = OnceLock::new();

fuzz_target!(|input: &[u8]| {
    let [first, cut, text @ ..] = input else { return };
    let askers = ASKERS.get_or_init(|| LIBRARIES.map(Asker::of).into());
    let language = usize::from(*first) % askers.len();
    let (asker, library) = (&askers[language], LIBRARIES[language]);
    let known = format!("{}{}[^1]", library.known, library.stop).into_bytes();
    let written = match first / 64 {
        0 => text.to_vec(),
        1 => [text, b"\n\n", &known].concat(),
        2 => [&known, &b" "[..], text].concat(),
        _ => [&known, &b"\n"[..], text, &b"\n"[..], &known].concat(),
    };
    let shown = String::from_utf8_lossy(&written);
    let released = asker.released(vec![written.clone()]);
    asker.assert_checked(&released, &shown);
    let size = usize::from(*cut) % 9 + 1;
    let in_pieces = asker.released(written.chunks(size).map(<[u8]>::to_vec).collect());
    assert_eq!(in_pieces.received, released.received, "pieces of {size} of {shown:?}");
});
