//! Which existing terms are near to one that does not exist.

use std::collections::BTreeSet;

use super::folded;

/// Below this share of equal letters, two spellings are different words.
const SIMILAR: f64 = 0.6;
/// Letters are counted in this many heaps.
const HEAPS: usize = 32;

/// Labels, prepared for finding those that are near to a term.
#[derive(Clone, Debug, Default)]
pub struct Labels(Vec<Spelling>);

#[derive(Clone, Debug)]
struct Spelling {
    label: String,
    folded: String,
    words: BTreeSet<String>,
    letters: usize,
    /// How many letters are on each heap, up to 255.
    heaps: [u8; HEAPS],
}

impl Labels {
    pub fn new<'a>(labels: impl IntoIterator<Item = &'a str>) -> Self {
        Self(labels.into_iter().map(Spelling::of).collect())
    }

    /// Returns the labels nearest to a term, best first; each once, however it is spelt. A label is near when it is
    /// spelt much alike or shares words with the term.
    pub fn closest(&self, term: &str, limit: usize) -> Vec<String> {
        let term = Spelling::of(term);
        let near = self.0.iter().map(|label| (term.nearness(label), label));
        let mut near: Vec<(f64, &Spelling)> = near.filter(|(nearness, _)| *nearness > 0.0).collect();
        near.sort_by(|(nearness, label), (other_nearness, other)| {
            // Another label may have all words of the term, and yet not be the term itself.
            let is_another = |label: &Spelling| label.folded != term.folded;
            let itself = is_another(label).cmp(&is_another(other));
            let alphabetical = || (&label.folded, &label.label).cmp(&(&other.folded, &other.label));
            other_nearness.total_cmp(nearness).then(itself).then_with(alphabetical)
        });
        let mut named = BTreeSet::new();
        near.retain(|(_, label)| named.insert(label.folded.as_str()));
        near.into_iter().take(limit).map(|(_, label)| label.label.clone()).collect()
    }
}

/// Returns the nearest of these labels. It is for labels that are asked about once: see [`Labels::closest`].
pub fn closest_labels<'a>(term: &str, labels: impl IntoIterator<Item = &'a str>, limit: usize) -> Vec<String> {
    Labels::new(labels).closest(term, limit)
}

impl Spelling {
    fn of(label: &str) -> Self {
        let folded = folded(label);
        let words = folded.split(|letter: char| !letter.is_alphanumeric());
        // Articles and prepositions bring nothing near.
        let words = words.filter(|word| word.chars().count() > 2).map(str::to_owned).collect();
        let mut heaps = [0_u8; HEAPS];
        for letter in folded.chars() {
            if let Some(heap) = heaps.get_mut(letter as usize % HEAPS) {
                *heap = heap.saturating_add(1);
            }
        }
        Self { label: label.to_owned(), letters: folded.chars().count(), words, heaps, folded }
    }

    /// From 0, nothing in common, to 1, the same.
    fn nearness(&self, label: &Self) -> f64 {
        let longest = as_f64(self.letters.max(label.letters));
        // Most labels cannot be spelt alike by their letters alone, whatever their order.
        let spelling = if longest - self.fewest_changes(label) < SIMILAR * longest {
            0.0
        } else {
            1.0 - as_f64(strsim::osa_distance(&self.folded, &label.folded)) / longest
        };
        let spelling = if spelling < SIMILAR { 0.0 } else { spelling };
        spelling.max(self.shared_words(label))
    }

    /// At least as many letters must be put in or taken out as one has more of than the other.
    fn fewest_changes(&self, label: &Self) -> f64 {
        let (mut more, mut fewer) = (0_usize, 0_usize);
        for (own, other) in self.heaps.iter().zip(&label.heaps) {
            more += usize::from(own.saturating_sub(*other));
            fewer += usize::from(other.saturating_sub(*own));
        }
        as_f64(more.max(fewer))
    }

    /// The words in both, as a share of the words in either.
    fn shared_words(&self, label: &Self) -> f64 {
        let shared = self.words.iter().filter(|word| label.words.contains(*word)).count();
        let either = self.words.len() + label.words.len() - shared;
        if either == 0 { 0.0 } else { as_f64(shared) / as_f64(either) }
    }
}

fn as_f64(count: usize) -> f64 {
    f64::from(u32::try_from(count).unwrap_or(u32::MAX))
}
