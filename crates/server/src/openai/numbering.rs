//! Citation markers for chat programs: 1, 2, 3 … in the order in which a reader meets them.

use ibidem_words::Citation;

/// The numbers that were given so far. A text that comes in pieces gets the numbers that it would have in one.
#[derive(Default)]
pub(super) struct Numbering {
    /// The answer's own markers, in the order of their new numbers.
    given: Vec<u32>,
}

/// Where a marker stands in a text, in characters.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct MarkerPlace {
    /// Its new number.
    pub(super) number: usize,
    pub(super) start: usize,
    pub(super) end: usize,
}

impl Numbering {
    /// The text with new numbers. Brackets that are none of these citations stay as they are.
    pub(super) fn renumber(&mut self, text: &str, citations: &[Citation]) -> String {
        self.placed(text, citations).0
    }

    /// The same, and where each marker stands in the new text.
    pub(super) fn placed(&mut self, text: &str, citations: &[Citation]) -> (String, Vec<MarkerPlace>) {
        let (mut shown, mut places) = (String::with_capacity(text.len()), Vec::new());
        let mut characters = 0;
        let mut rest = text;
        while let Some((before, bracket)) = rest.split_once('[') {
            shown.push_str(before);
            characters += before.chars().count();
            let digits = bracket.bytes().take_while(u8::is_ascii_digit).count();
            let marker = bracket[..digits].parse().ok().filter(|_| bracket[digits..].starts_with(']'));
            match marker.filter(|marker| citations.iter().any(|citation| citation.marker == *marker)) {
                Some(marker) => {
                    let number = self.number(marker);
                    let written = format!("[{number}]");
                    places.push(MarkerPlace { number, start: characters, end: characters + written.len() });
                    characters += written.len();
                    shown.push_str(&written);
                    rest = &bracket[digits + 1..];
                }
                None => {
                    shown.push('[');
                    characters += 1;
                    rest = bracket;
                }
            }
        }
        shown.push_str(rest);
        (shown, places)
    }

    /// The new number of a marker.
    pub(super) fn number(&mut self, marker: u32) -> usize {
        let known = self.given.iter().position(|given| *given == marker);
        known.unwrap_or_else(|| {
            self.given.push(marker);
            self.given.len() - 1
        }) + 1
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::openai::tests::citation;

    #[test]
    fn markers_are_counted_from_one_in_the_order_of_the_text() {
        let citations = [citation(7), citation(3), citation(12)];
        let mut numbering = Numbering::default();
        let (text, places) = numbering.placed("Ä first.[7][3] Then [9] and x[1].[7] Last.[12]", &citations);
        assert_eq!(text, "Ä first.[1][2] Then [9] and x[1].[1] Last.[3]");
        let characters: Vec<char> = text.chars().collect();
        for place in &places {
            let written: String = characters[place.start..place.end].iter().collect();
            assert_eq!(written, format!("[{}]", place.number));
        }
        assert_eq!(places.iter().map(|place| place.number).collect::<Vec<_>>(), [1, 2, 1, 3]);
    }

    #[test]
    fn a_text_in_pieces_has_the_numbers_of_the_whole() {
        let citations = [citation(5), citation(2)];
        let pieces = ["One.[5] ", "Two.[2][5] ", "Three.[2]"];
        let mut by_pieces = Numbering::default();
        let joined: String = pieces.iter().map(|piece| by_pieces.renumber(piece, &citations)).collect();
        assert_eq!(joined, Numbering::default().renumber(&pieces.concat(), &citations));
        assert_eq!(joined, "One.[1] Two.[2][1] Three.[2]");
    }

    #[test]
    fn brackets_that_close_nothing_or_hold_no_number_stay() {
        let citations = [citation(1)];
        for text in ["[", "[1", "[]", "[x]", "a[1 ]", "[99999999999999]", "[é]"] {
            assert_eq!(Numbering::default().renumber(text, &citations), text);
        }
    }
}
