//! A second reading: a larger reader reads the best few again, and decides about them.

use ibidem_ports::clock;
use ibidem_ports::reranker::{Relevance, RerankError};

use super::rerank::{Found, best_of, in_place, in_text, relevances};
use crate::candidate::Candidate;
use crate::parts::SecondReader;
use crate::turn::Asked;

/// Whether any of these is for the second reader to read.
pub(super) fn may_read_again(second: &SecondReader, question: &str, candidates: &[Candidate]) -> bool {
    candidates.iter().any(|candidate| second.reads(question, &in_place(candidate)))
}

/// Reads the best of each text again, the question and its parts, in turns and as many as may be in all; at least one of
/// each text. What is read again has the probability that it is given now. What is not, and could have been, has at most
/// the least of these: it does not decide. The names of the weights that read.
pub(super) async fn read_again(
    second: &SecondReader,
    asked: &Asked,
    texts: &[&str],
    candidates: &mut [Candidate],
    found: &mut [Vec<Option<Found>>],
) -> Result<Option<String>, RerankError> {
    let ends = second.reader.patience().and_then(|patience| clock::now().checked_add(patience));
    let mut deadline = asked.deadline;
    let read_first: Vec<Option<f32>> = (0..candidates.len()).map(|place| best_score(found, place)).collect();
    let ranked: Vec<Vec<(usize, String)>> =
        texts.iter().zip(found.iter()).map(|(text, found)| ranked(second, text, candidates, found)).collect();
    let mut by = None;
    for ((question, (ranked, again)), found) in
        texts.iter().zip(ranked.iter().zip(shares(&ranked, second.best))).zip(found.iter_mut())
    {
        let (again, others) = ranked.split_at(again);
        let read = again.iter().map(|(_, text)| text.clone()).collect::<Vec<_>>();
        if read.is_empty() {
            continue;
        }
        let read = relevances(&second.reader, deadline, question, read).await?;
        deadline = ends.map_or(asked.deadline, |ends| asked.deadline.or_at(ends));
        let least = read.iter().map(|read| read.score).fold(f32::INFINITY, f32::min);
        for ((place, text), read) in again.iter().zip(read) {
            by = by.or_else(|| second.reader.port().weights_for(question, text).map(str::to_owned));
            if let Some(found) = found[*place].as_mut() {
                found.relevance = decided(found, read, &candidates[*place]);
            }
        }
        for (place, _) in others {
            if let Some(found) = found[*place].as_mut() {
                found.relevance.score = found.relevance.score.min(least);
            }
        }
    }
    for (place, _) in ranked.iter().flatten() {
        candidates[*place].read_first = read_first[*place];
    }
    Ok(by)
}

/// What it is now. Of one that does not say where a text answers, the place that was found first stays.
fn decided(found: &Found, read: Relevance, candidate: &Candidate) -> Relevance {
    let answer = match (read.answer, &found.row) {
        (Some(answer), None) => in_text(answer, candidate),
        _ => found.relevance.answer,
    };
    Relevance { score: read.score, answer }
}

/// What the second reader may read for a text, the likeliest first, with what it is given to read: the row that counts for
/// its passage, or else the passage.
fn ranked(
    second: &SecondReader,
    question: &str,
    candidates: &[Candidate],
    found: &[Option<Found>],
) -> Vec<(usize, String)> {
    let read = candidates.iter().zip(found).enumerate();
    let mut ranked: Vec<(usize, f32, String)> = read
        .filter_map(|(place, (candidate, found))| {
            let found = found.as_ref()?;
            let text = found.row.clone().unwrap_or_else(|| in_place(candidate));
            second.reads(question, &text).then_some((place, found.relevance.score, text))
        })
        .collect();
    ranked
        .sort_by(|(one, score, _), (other, other_score, _)| other_score.total_cmp(score).then_with(|| one.cmp(other)));
    ranked.into_iter().map(|(place, _, text)| (place, text)).collect()
}

/// How many of each text are read again: in turns, so many in all, and at least one of each.
fn shares(ranked: &[Vec<(usize, String)>], most: usize) -> Vec<usize> {
    let mut shares = vec![0; ranked.len()];
    let mut left = most.max(ranked.len());
    while left > 0 {
        let mut is_over = true;
        for (share, ranked) in shares.iter_mut().zip(ranked) {
            if left > 0 && *share < ranked.len() {
                (*share, left, is_over) = (*share + 1, left - 1, false);
            }
        }
        if is_over {
            break;
        }
    }
    shares
}

fn best_score(found: &[Vec<Option<Found>>], place: usize) -> Option<f32> {
    let readings: Vec<Relevance> =
        found.iter().filter_map(|found| found.get(place)?.as_ref().map(|found| found.relevance)).collect();
    best_of(&readings).map(|best| best.score)
}

#[cfg(test)]
mod tests;
