//! What a threshold on the best passage's similarity lets through: the evidence behind `top1_similarity`.

use ibidem_engine::search::{Lanes, SearchError, SearchRequest, Searcher};
use ibidem_words::{CollectionName, Scope};
use serde::Serialize;

use ibidem_measure::squad::SquadQuestion;

/// Passages asked for: more than any article has, so that something is left when an article is taken away.
const PASSAGES: usize = 100;

/// The best similarity found for a question.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Observed {
    pub answerable: bool,
    /// In the whole corpus.
    pub top1: f64,
    /// In the corpus without the article the question is about: then nothing answers it.
    pub top1_elsewhere: f64,
}

/// What a threshold does, as shares of the questions.
#[derive(Clone, Copy, PartialEq, Debug, Serialize)]
pub struct Passed {
    pub threshold: f64,
    /// Answerable questions that are refused all the same.
    pub false_refusals: f64,
    /// Questions let through that the article asks for but does not answer: what later gates are for.
    pub unanswerable_passed: f64,
    /// Questions let through whose article is not there at all.
    pub elsewhere_passed: f64,
}

/// Looks each question up in a collection of paragraphs whose titles are their articles'.
pub async fn observe(
    searcher: &Searcher,
    scope: &Scope,
    collection: &CollectionName,
    questions: &[SquadQuestion],
    mut done: impl FnMut(),
) -> Result<Vec<Observed>, SearchError> {
    let scale = searcher.embedder.port().model().scale;
    let mut observed = Vec::with_capacity(questions.len());
    for question in questions {
        let request = SearchRequest::new(&question.text, vec![collection.clone()], PASSAGES, Lanes::Dense);
        let hits = searcher.search(scope, &request).await?.hits;
        let best = |among: &dyn Fn(&str) -> bool| {
            let among = hits.iter().filter(|hit| among(&hit.passage.title));
            among.filter_map(|hit| hit.cosine).map(|cosine| scale.similarity(f64::from(cosine))).fold(0.0, f64::max)
        };
        observed.push(Observed {
            answerable: question.answerable,
            top1: best(&|_| true),
            top1_elsewhere: best(&|title| title != question.article),
        });
        done();
    }
    Ok(observed)
}

pub fn passed(observed: &[Observed], threshold: f64) -> Passed {
    let share = |counts: &dyn Fn(&&Observed) -> bool, holds: &dyn Fn(&&Observed) -> bool| {
        let (all, held) = observed
            .iter()
            .filter(counts)
            .fold((0_u32, 0_u32), |(all, held), observed| (all + 1, held + u32::from(holds(&observed))));
        if all == 0 { 0.0 } else { f64::from(held) / f64::from(all) }
    };
    Passed {
        threshold,
        false_refusals: share(&|observed| observed.answerable, &|observed| observed.top1 < threshold),
        unanswerable_passed: share(&|observed| !observed.answerable, &|observed| observed.top1 >= threshold),
        elsewhere_passed: share(&|_| true, &|observed| observed.top1_elsewhere >= threshold),
    }
}

/// The strictest of the thresholds 0, 0.01, … 1 that refuses at most this share of the answerable questions.
pub fn strictest(observed: &[Observed], most_false_refusals: f64) -> f64 {
    let thresholds = (0..=100).rev().map(|hundredths| f64::from(hundredths) / 100.0);
    let mut fit = thresholds.filter(|threshold| passed(observed, *threshold).false_refusals <= most_false_refusals);
    fit.next().unwrap_or(0.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn observed(answerable: bool, top1: f64, top1_elsewhere: f64) -> Observed {
        Observed { answerable, top1, top1_elsewhere }
    }

    #[test]
    fn shares_are_of_the_questions_they_are_about() {
        let all = [
            observed(true, 0.8, 0.2),
            observed(true, 0.5, 0.3),
            observed(true, 0.4, 0.6),
            observed(true, 0.3, 0.1),
            observed(false, 0.7, 0.5),
            observed(false, 0.2, 0.1),
        ];
        let at_half = passed(&all, 0.5);
        assert!((at_half.false_refusals - 0.5).abs() < 1e-9);
        assert!((at_half.unanswerable_passed - 0.5).abs() < 1e-9);
        assert!((at_half.elsewhere_passed - 2.0 / 6.0).abs() < 1e-9);
        assert!((strictest(&all, 0.25) - 0.4).abs() < 1e-9);
        assert!((strictest(&all, 0.0) - 0.3).abs() < 1e-9);
    }
}
