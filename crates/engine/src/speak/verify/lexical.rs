//! Support by words and vectors, where no entailment model is configured: which words of a claim a premise has, how
//! they stand together, how near the two are in meaning, and whether the one turns the other round.
//!
//! It reads words, not sense: what is made up from the premise's own words gets past it, and a free paraphrase may not.

mod signs;
mod similarity;
pub(super) mod text;
mod weights;

use std::collections::HashMap;

use async_trait::async_trait;
use ibidem_language::figures;
use ibidem_ports::degrade::Part;
use ibidem_ports::embedder::Embedder;
use ibidem_ports::entailment::{Classification, Entailment, EntailmentError, Pair, Support};

pub use self::signs::Signs;
use self::similarity::{Similarity, Vectors};
use self::text::{Kind, Premise, Word, words_of};
use self::weights::{BY_WORDS, WITH_SIMILARITY};

/// From here on a claim is supported.
const HALF: f64 = 0.5;

#[derive(Default)]
pub struct LexicalEntailment {
    similarity: Option<Similarity>,
}

impl LexicalEntailment {
    pub fn by_words() -> Self {
        Self::default()
    }

    /// Weighs meaning too. While the model does not answer, nothing is near in meaning, and a claim that needs that is
    /// not supported.
    pub fn with_embedder(embedder: Part<dyn Embedder>) -> Self {
        Self { similarity: Some(Similarity::new(embedder)) }
    }

    /// What each pair is judged by, similarity included where there is an embedding model. None for a claim without a
    /// word that could be supported.
    pub async fn signs(&self, pairs: &[Pair]) -> Vec<Option<Signs>> {
        let mut signs = signs_by_words(pairs);
        let all: Vec<usize> = (0..pairs.len()).collect();
        if let Some(vectors) = self.vectors(pairs, &all).await {
            add_similarity(&mut signs, pairs, &all, &vectors);
        }
        signs
    }

    async fn vectors(&self, pairs: &[Pair], chosen: &[usize]) -> Option<Vectors> {
        let claims: Vec<&str> = chosen.iter().map(|at| pairs[*at].claim.as_str()).collect();
        let premises: Vec<&str> = chosen.iter().map(|at| pairs[*at].premise.as_str()).collect();
        self.similarity.as_ref()?.vectors(&claims, &premises).await.ok()
    }

    /// The score of each pair. Meaning is asked for only where it can turn the verdict, or where a word is missing:
    /// which pairs those are depends on each pair alone.
    async fn scores(&self, pairs: &[Pair]) -> Vec<Option<f64>> {
        let mut signs = signs_by_words(pairs);
        let mut open = Vec::new();
        for (at, signs) in signs.iter_mut().enumerate() {
            let Some(found) = signs else { continue };
            let at_best = found.with_similarity(1.0);
            if found.is_covered() {
                *found = at_best;
            } else if WITH_SIMILARITY.score(&at_best) < HALF {
                *found = found.with_similarity(0.0);
            } else {
                open.push(at);
            }
        }
        let is_weighed = match self.similarity {
            None => false,
            Some(_) if open.is_empty() => true,
            Some(_) => match self.vectors(pairs, &open).await {
                Some(vectors) => {
                    add_similarity(&mut signs, pairs, &open, &vectors);
                    true
                }
                // With none at all, what the model would have told apart is not supported.
                None => {
                    for at in open {
                        signs[at] = signs[at].map(|found| found.with_similarity(0.0));
                    }
                    true
                }
            },
        };
        let weights = if is_weighed { WITH_SIMILARITY } else { BY_WORDS };
        let score = |signs: &Signs| {
            let score = weights.score(signs);
            // What is mostly made of other words is not supported by words, however the weights fall.
            if signs.is_mostly_found() { score } else { score.min(HALF - 1e-3) }
        };
        signs.iter().map(|signs| signs.as_ref().map(score)).collect()
    }
}

#[async_trait]
impl Entailment for LexicalEntailment {
    fn name(&self) -> &str {
        "lexical"
    }

    async fn classify(&self, pairs: Vec<Pair>) -> Result<Vec<Classification>, EntailmentError> {
        let scores = self.scores(&pairs).await;
        Ok(pairs.iter().zip(scores).map(|(pair, score)| classification(pair, score.unwrap_or_default())).collect())
    }

    /// Whether a claim turns its premise round takes longest to find out, and can only make its score smaller: pairs with
    /// smaller scores than one that does not are not looked at.
    async fn surest_of_each(&self, groups: Vec<Vec<Pair>>) -> Result<Vec<Option<Classification>>, EntailmentError> {
        let sizes: Vec<usize> = groups.iter().map(Vec::len).collect();
        let pairs: Vec<Pair> = groups.into_iter().flatten().collect();
        let scores = self.scores(&pairs).await;
        let mut scored = pairs.iter().zip(scores).map(|(pair, score)| (pair, score.unwrap_or_default()));
        Ok(sizes.into_iter().map(|size| surest(&scored.by_ref().take(size).collect::<Vec<_>>())).collect())
    }
}

/// The best score that is not taken back is the surest. Where every one is, all of them are compared.
fn surest(scored: &[(&Pair, f64)]) -> Option<Classification> {
    let mut best_first: Vec<usize> = (0..scored.len()).filter(|place| scored[*place].1 >= HALF).collect();
    best_first.sort_by(|one, other| scored[*other].1.total_cmp(&scored[*one].1));
    let mut known = HashMap::new();
    for place in best_first {
        let (pair, score) = scored[place];
        let found = classification(pair, score);
        if found.support == Support::Supported {
            return Some(found);
        }
        known.insert(place, found);
    }
    let found = |(place, (pair, score)): (usize, &(&Pair, f64))| {
        known.get(&place).copied().unwrap_or_else(|| classification(pair, *score))
    };
    Classification::surest(scored.iter().enumerate().map(found))
}

/// A claim that would be supported, but turns its premise round, is contradicted by it.
fn classification(pair: &Pair, score: f64) -> Classification {
    let is_turned = || figures::check(&pair.claim, &[&pair.premise]).iter().any(|finding| finding.kind.contradicts());
    #[expect(clippy::cast_possible_truncation, reason = "a score needs no more digits")]
    let as_score = |score: f64| score as f32;
    if score < HALF {
        return Classification { support: Support::Unknown, score: as_score(score) };
    }
    if is_turned() {
        return Classification { support: Support::Contradicted, score: as_score((1.0 - score).min(HALF - 1e-3)) };
    }
    Classification { support: Support::Supported, score: as_score(score) }
}

/// Each distinct claim is read once, and so is each line of a premise: no word goes on in the next line, so that a premise
/// has the words that its lines have.
fn signs_by_words(pairs: &[Pair]) -> Vec<Option<Signs>> {
    let mut claims: HashMap<&str, Vec<Word>> = HashMap::new();
    let mut lines: HashMap<&str, Premise> = HashMap::new();
    let mut of_lines: HashMap<(&str, &str), Vec<bool>> = HashMap::new();
    let each = pairs.iter().map(|pair| {
        let claim = claims.entry(&pair.claim).or_insert_with(|| words_of(&pair.claim));
        let mut has = vec![false; claim.len()];
        for line in pair.premise.split('\n') {
            let of_line = of_lines.entry((&pair.claim, line)).or_insert_with(|| {
                let line = lines.entry(line).or_insert_with(|| Premise::parse(line));
                claim.iter().map(|word| word.kind != Kind::Plain && line.has(word)).collect()
            });
            has.iter_mut().zip(of_line).for_each(|(has, of_line)| *has |= *of_line);
        }
        Signs::of(claim, &has)
    });
    each.collect()
}

fn add_similarity(signs: &mut [Option<Signs>], pairs: &[Pair], chosen: &[usize], vectors: &Vectors) {
    for at in chosen {
        let similarity = vectors.similarity(&pairs[*at].claim, &pairs[*at].premise);
        if let Some(signs) = &mut signs[*at] {
            *signs = signs.with_similarity(similarity);
        }
    }
}

#[cfg(test)]
mod tests;
