//! Where a reader finds the answer: the best stretch of tokens, as characters of the passage.

use super::tokens::Window;

/// An answer is not longer than this: beyond it a model strings two answers together.
const MOST_TOKENS: usize = 30;

/// The stretch of the passage with the highest sum of its start's and its end's logit, as characters from `start` to
/// before `end`. `None` where the window has nothing of a passage.
pub(super) fn best_span(window: &Window, starts: &[f32], ends: &[f32]) -> Option<(usize, usize)> {
    let places = window.second_text();
    let mut best: Option<(f32, usize, usize)> = None;
    for (at, start) in places.iter().enumerate() {
        for end in places[at..].iter().take(MOST_TOKENS) {
            let sum = starts[*start] + ends[*end];
            if best.is_none_or(|(highest, ..)| sum > highest) {
                best = Some((sum, *start, *end));
            }
        }
    }
    let (_, start, end) = best?;
    Some((window.characters[start].0, window.characters[end].1))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `[CLS] who [SEP] it was me [SEP]`
    fn window() -> Window {
        Window {
            ids: vec![1, 10, 2, 20, 21, 22, 2],
            types: vec![0, 0, 0, 1, 1, 1, 1],
            characters: vec![(0, 0), (0, 0), (0, 0), (0, 2), (3, 6), (7, 9), (0, 0)],
        }
    }

    #[test]
    fn the_best_stretch_is_given_in_characters_of_the_passage() {
        let starts = [9.0, 9.0, 9.0, 0.0, 2.0, 1.0, 9.0];
        let ends = [9.0, 9.0, 9.0, 3.0, 0.0, 2.0, 9.0];
        assert_eq!(best_span(&window(), &starts, &ends), Some((3, 9)), "was me: it may not end before it starts");
    }

    #[test]
    fn a_window_without_a_passage_has_no_answer() {
        let alone = Window { ids: vec![1, 10, 2], types: vec![0, 0, 0], characters: vec![(0, 0), (0, 0), (0, 0)] };
        assert_eq!(best_span(&alone, &[0.0; 3], &[0.0; 3]), None);
    }

    #[test]
    fn an_answer_has_at_most_thirty_tokens() {
        let many = 40;
        let window = Window {
            ids: vec![7; many],
            types: vec![1; many],
            characters: (0..many).map(|place| (place * 2, place * 2 + 1)).collect(),
        };
        let mut starts = vec![0.0; many];
        let mut ends = vec![0.0; many];
        (starts[0], ends[many - 1], ends[29]) = (5.0, 5.0, 1.0);
        assert_eq!(best_span(&window, &starts, &ends), Some((0, 59)));
    }
}
