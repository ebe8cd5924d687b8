//! Whatever a model writes and however it is cut into pieces: only minted markers come out, and always the same ones.
//!
//! The first byte says how many notes were minted, the second where the stream is cut, the rest is what the model wrote.

#![no_main]

use ibidem_engine::speak::gauntlet::Gauntlet;
use ibidem_language::sentences::Passed;
use libfuzzer_sys::fuzz_target;

fn run(minted: u32, pieces: impl Iterator<Item = Vec<u8>>) -> (Vec<Passed>, u32) {
    let mut gauntlet = Gauntlet::new(minted);
    let mut passed: Vec<Passed> = Vec::new();
    for piece in pieces {
        passed.extend(gauntlet.push(&piece));
    }
    passed.extend(gauntlet.finish());
    (joined(passed), gauntlet.counts().expanded)
}

/// Text that came in several pieces, as one.
fn joined(passed: Vec<Passed>) -> Vec<Passed> {
    let mut whole: Vec<Passed> = Vec::new();
    for passed in passed {
        match (whole.last_mut(), passed) {
            (Some(Passed::Text(before)), Passed::Text(text)) => before.push_str(&text),
            (_, passed) => whole.push(passed),
        }
    }
    whole.retain(|passed| *passed != Passed::Text(String::new()));
    whole
}

fuzz_target!(|input: &[u8]| {
    let [minted, cut, text @ ..] = input else { return };
    let minted = u32::from(minted % 8);
    let (whole, expanded) = run(minted, std::iter::once(text.to_vec()));
    let (by_byte, _) = run(minted, text.iter().map(|byte| vec![*byte]));
    assert_eq!(whole, by_byte, "a piece for each byte");
    let size = usize::from(*cut) % 7 + 2;
    let (by_piece, _) = run(minted, text.chunks(size).map(<[u8]>::to_vec));
    assert_eq!(whole, by_piece, "pieces of {size}");

    let mut cited = 0;
    for passed in &whole {
        match passed {
            Passed::Citation(number) => {
                assert!((1..=minted).contains(number), "{number} was not minted");
                cited += 1;
            }
            // What looks like a marker to a reader or to a later pass must not come out as text.
            Passed::Text(text) => {
                assert!(!text.contains("[^"), "{text:?}");
                assert!(!text.contains(['【', '】', '［', '］', '〔', '〕']), "{text:?}");
            }
        }
    }
    let texts = whole.iter().map(|passed| if let Passed::Text(text) = passed { text.as_str() } else { "" });
    assert!(!texts.collect::<String>().contains("[^"), "a citation taken out left a marker behind");
    assert_eq!(cited, expanded);
});
