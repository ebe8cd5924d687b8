//! Cutting a note into passages: at paragraphs, and where one is too long, at sentences, words, characters.

use super::Window;

/// Shorter paragraphs lie together with the next: a heading or a single word alone says nothing that can be matched.
const SHORT: usize = 200;

/// Where a text may be cut, best first. Each gives the ends of its units, the text's own end last.
const BOUNDARIES: [fn(&str) -> Vec<usize>; 3] = [sentence_ends, word_ends, character_ends];

/// The passages of a note, in order: together they hold every letter and digit of it once.
pub(super) fn passages(text: &str, window: &Window) -> Vec<String> {
    let mut passages = Vec::new();
    for stretch in stretches(text) {
        cut(stretch, window, &BOUNDARIES, &mut passages);
    }
    passages
}

/// Runs of paragraphs, each long enough to stand alone.
fn stretches(text: &str) -> Vec<&str> {
    let mut stretches = Vec::new();
    let mut start = 0;
    let mut place = 0;
    for line in text.split_inclusive('\n') {
        if line.trim().is_empty() && text[start..place].trim().chars().count() >= SHORT {
            stretches.push(&text[start..place]);
            start = place;
        }
        place += line.len();
    }
    stretches.push(&text[start..]);
    stretches
}

fn cut(text: &str, window: &Window, boundaries: &[fn(&str) -> Vec<usize>], passages: &mut Vec<String>) {
    let text = text.trim();
    if !text.contains(char::is_alphanumeric) {
        return;
    }
    let Some((ends_of, finer)) = boundaries.split_first() else {
        // A single character: there is nothing left to cut.
        passages.push(text.to_owned());
        return;
    };
    if window.holds(text) {
        passages.push(text.to_owned());
        return;
    }
    let ends = ends_of(text);
    let mut start = 0;
    let mut next = 0;
    while next < ends.len() {
        let left = &ends[next..];
        // More text has more tokens, or nearly so: found by halving, then made certain.
        let mut fitting = left.partition_point(|end| window.holds(text[start..*end].trim()));
        while fitting > 0 && !window.holds(text[start..left[fitting - 1]].trim()) {
            fitting -= 1;
        }
        let taken = fitting.max(1);
        let piece = &text[start..left[taken - 1]];
        // A single unit that does not fit is cut finer.
        cut(piece, window, if fitting == 0 { finer } else { boundaries }, passages);
        start = left[taken - 1];
        next += taken;
    }
}

fn sentence_ends(text: &str) -> Vec<usize> {
    let mut before = ' ';
    let mut ends = Vec::new();
    for (place, character) in text.char_indices() {
        let closed = character.is_whitespace() && matches!(before, '.' | '!' | '?' | '…');
        // Scripts that write without spaces end a sentence with the sign itself.
        if closed || character == '\n' || matches!(before, '。' | '！' | '？') {
            ends.push(place);
        }
        before = character;
    }
    ends.push(text.len());
    ends
}

fn word_ends(text: &str) -> Vec<usize> {
    let spaces = text.char_indices().filter(|(_, character)| character.is_whitespace()).map(|(place, _)| place);
    spaces.chain([text.len()]).collect()
}

fn character_ends(text: &str) -> Vec<usize> {
    text.char_indices().map(|(place, character)| place + character.len_utf8()).collect()
}
