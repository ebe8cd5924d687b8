//! Reading each passage of the pool together with the question. The reranker's score decides the order, alone or beside
//! the rank in the search; it drops nothing by itself.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};

use crate::candidate::Candidate;
use ibidem_language::{same_word, significant_terms};
use ibidem_ports::clock::{self, Instant};
use ibidem_ports::degrade::{Deadline, Part};
use ibidem_ports::reranker::{Relevance, RerankError, RerankFault, Reranker};
use ibidem_words::{CharSpan, DocumentKind, PassageKey, Promise, characters_above, passage_in_context};

use super::alone::{ReadAlone, named_rows, shared_sentences};
use super::second_reading::{self, may_read_again};
use crate::parts::SecondReader;
use crate::policy::bounds::MOST_RERANKED;
use crate::policy::{RerankRules, UnrankedOrder};
use crate::turn::Asked;

/// So many sentences are read by themselves, unless a passage is as likely to answer as this.
const MOST_SENTENCES: usize = 32;
const LIKELY: f32 = 2.0 / 3.0;
/// The most rows that are read by themselves, and the most parts of a question that are read beside the whole: what a
/// question takes is bounded here, whatever a policy says.
const MOST_ROWS: usize = 256;
const MOST_PARTS: usize = 8;

/// So many passages are handed to the reranker in one go. Between two goes the others who ask have their turn, so that
/// many questions at once are each read a little rather than a few of them whole and the others not at all.
const READ_TOGETHER: usize = 8;

/// How far the candidates were read.
#[derive(Debug)]
pub(super) struct Read {
    /// Why the least promising, or rows, sentences and parts of the question, were not read any more; none where all were.
    pub(super) cut_short: Option<RerankError>,
    /// The weights that read them, by name: each once, those of a second reading last.
    pub(super) by: String,
}

/// What a reader finds of a candidate, for the whole question or for a part of it.
#[derive(Clone)]
pub(super) struct Found {
    pub(super) relevance: Relevance,
    /// The row that counts for its passage, as it was read by itself; none where the passage was read as a whole, or a
    /// sentence of it counts.
    pub(super) row: Option<String>,
}

impl Found {
    fn of(relevance: Relevance) -> Self {
        Self { relevance, row: None }
    }
}

/// Whoever reads for one question, and until when: all of its reading shares the time that is due to one call.
#[derive(Clone, Copy)]
struct Reading<'a> {
    reranker: &'a Part<dyn Reranker>,
    asked: &'a Asked,
    ends: Option<Instant>,
    by_words_alone: bool,
}

impl Reading<'_> {
    /// What is left for whatever is read beside the first passages. A part that had no time for it has not failed.
    fn rest(&self) -> Deadline {
        self.ends.map_or(self.asked.deadline, |ends| self.asked.deadline.or_at(ends))
    }
}

/// Gives the candidates their scores and, where the reranker says so, the place of the answer: all of them, or where the
/// time is too short the most promising; or it fails, and none has a score. Where the question was taken apart, the best
/// that a candidate was read for counts. Where there is a second reader, it reads the best of all again and decides about
/// them: where not all could be found and read, that has failed.
pub(super) async fn read(
    (reranker, second): (&Part<dyn Reranker>, Option<&SecondReader>),
    asked: &Asked,
    parts: &[String],
    by_words_alone: bool,
    candidates: &mut [Candidate],
) -> Result<Read, RerankError> {
    let second = second.filter(|second| may_read_again(second, &asked.question.query, candidates));
    if second.is_some() && by_words_alone {
        return Err(RerankError::Own(RerankFault::NotAll));
    }
    prepare(reranker, asked, candidates).await;
    let ends = reranker.patience().and_then(|patience| clock::now().checked_add(patience));
    let reading = Reading { reranker, asked, ends, by_words_alone };
    let (whole, mut cut_short) = read_for(reading, &asked.question.query, candidates).await?;
    let mut found = vec![whole];
    for part in parts.iter().take(MOST_PARTS) {
        if cut_short.is_some() {
            break;
        }
        match read_for(reading, part, candidates).await {
            Ok((read, None)) => found.push(read),
            Ok((_, Some(error))) | Err(error) => cut_short = Some(error),
        }
    }
    if cut_short.is_some() {
        // What was not read for all of its parts counts by the whole alone.
        found.truncate(1);
    }
    let mut by = weights(reranker, &asked.question.query, candidates, &found[0]);
    if let Some(second) = second {
        if let Some(error) = cut_short {
            return Err(error);
        }
        let texts: Vec<&str> = std::iter::once(&asked.question.query).chain(parts).map(String::as_str).collect();
        by.extend(second_reading::read_again(second, asked, &texts, candidates, &mut found).await?);
    }
    for (place, candidate) in candidates.iter_mut().enumerate() {
        let readings: Vec<Relevance> =
            found.iter().filter_map(|read| read.get(place)?.as_ref().map(|found| found.relevance)).collect();
        let best = best_of(&readings);
        candidate.rerank = best.map(|best| best.score);
        candidate.answer = best.and_then(|best| best.answer);
        candidate.readings = if found.len() == 1 { Vec::new() } else { readings };
    }
    Ok(Read { cut_short, by: by.join("+") })
}

/// The first of equals: the whole before its parts.
pub(super) fn best_of(readings: &[Relevance]) -> Option<Relevance> {
    readings.iter().copied().reduce(|best, other| if other.score > best.score { other } else { best })
}

/// What must be loaded before these can be read is waited for beside the time that is due to reading.
async fn prepare(reranker: &Part<dyn Reranker>, asked: &Asked, candidates: &[Candidate]) {
    let texts: Vec<String> = candidates.iter().map(in_place).collect();
    let preparing = reranker.port().prepare(&asked.question.query, &texts);
    match asked.deadline.budget() {
        Some((_, ends)) => clock::by(ends, preparing).await.unwrap_or_default(),
        None => preparing.await,
    }
}

/// The weights that read these candidates, by name.
fn weights(
    reranker: &Part<dyn Reranker>,
    question: &str,
    candidates: &[Candidate],
    found: &[Option<Found>],
) -> Vec<String> {
    let read = candidates.iter().zip(found).filter(|(_, found)| found.is_some());
    let names: BTreeSet<String> = read
        .filter_map(|(candidate, _)| Some(reranker.port().weights_for(question, &in_place(candidate))?.to_owned()))
        .collect();
    // Where nothing was found there was nothing to read: then it is the name of all of them.
    if names.is_empty() { vec![reranker.port().name().to_owned()] } else { names.into_iter().collect() }
}

/// As a passage is read: under its title and heading.
pub(super) fn in_place(candidate: &Candidate) -> String {
    passage_in_context(&title(candidate), candidate.passage.section.as_deref(), &candidate.passage.text)
}

/// What was found of each candidate, none of those that there was no time for, and why there was none. What names the
/// question's rows, and sentences by themselves, is read where all candidates were: it can only raise a score.
async fn read_for(
    reading: Reading<'_>,
    question: &str,
    candidates: &[Candidate],
) -> Result<(Vec<Option<Found>>, Option<RerankError>), RerankError> {
    let (found, cut_short) = in_turns(reading, question, candidates).await?;
    let rows = reading.asked.policy.rules.gather.rerank.as_ref().map_or(0, |rules| rules.rows);
    if cut_short.is_some() || rows == 0 {
        return Ok((found, cut_short));
    }
    let mut read: Vec<Found> = found.into_iter().flatten().collect();
    let mut beside = read_rows(reading, question, rows, candidates, &mut read).await;
    // Sentences are read where no passage is likely to answer. What the search would have brought by meaning may be.
    if beside.is_ok() && !reading.by_words_alone {
        beside = read_sentences(reading, question, rows, candidates, &mut read).await;
    }
    Ok((read.into_iter().map(Some).collect(), beside.err()))
}

/// A few passages after the other, the most promising first. It fails where not even the first were read.
async fn in_turns(
    reading: Reading<'_>,
    question: &str,
    candidates: &[Candidate],
) -> Result<(Vec<Option<Found>>, Option<RerankError>), RerankError> {
    let mut found: Vec<Option<Found>> = vec![None; candidates.len()];
    let places = most_promising_first(candidates, reading.asked.policy.rules.gather.order);
    let mut deadline = reading.asked.deadline;
    for places in places.chunks(READ_TOGETHER) {
        let texts = places.iter().map(|place| in_place(&candidates[*place])).collect();
        match relevances(reading.reranker, deadline, question, texts).await {
            Ok(read) => {
                for (place, read) in places.iter().zip(read) {
                    let answer = read.answer.and_then(|answer| in_text(answer, &candidates[*place]));
                    found[*place] = Some(Found::of(Relevance { answer, ..read }));
                }
            }
            Err(error) if found.iter().all(Option::is_none) => return Err(error),
            Err(error) => return Ok((found, Some(error))),
        }
        deadline = reading.rest();
    }
    Ok((found, None))
}

/// The places of what the asker named and a curator chose, and then of the others as they stand unread.
fn most_promising_first(candidates: &[Candidate], unranked: UnrankedOrder) -> Vec<usize> {
    let best_rank = candidates.iter().map(|candidate| candidate.fused).fold(0.0, f64::max);
    let rank = |place: &usize| {
        let candidate = &candidates[*place];
        (candidate.addressed || candidate.curated.is_some(), unranked_score(candidate, unranked, best_rank))
    };
    let mut places: Vec<usize> = (0..candidates.len()).collect();
    places.sort_by(|one, other| {
        let ((is_chosen, one), (is_other_chosen, other)) = (rank(one), rank(other));
        is_other_chosen.cmp(&is_chosen).then_with(|| other.total_cmp(&one))
    });
    places
}

/// Why nothing was read, as the asker is told: without hosts and files.
pub(super) fn why(error: &RerankError) -> String {
    match error {
        RerankError::Timeout(_)
        | RerankError::CircuitOpen { .. }
        | RerankError::Own(RerankFault::Busy | RerankFault::NotAll) => error.to_string(),
        RerankError::Unavailable(_) | RerankError::Own(_) => "the reranker does not answer".to_owned(),
    }
}

/// Reads the rows that the question names by themselves. One that is likelier to answer than its passage counts for it.
async fn read_rows(
    reading: Reading<'_>,
    question: &str,
    most: usize,
    candidates: &[Candidate],
    read: &mut [Found],
) -> Result<(), RerankError> {
    let rows: Vec<_> =
        in_context(candidates, |candidate| named_rows(question, candidate, most)).take(MOST_ROWS).collect();
    let texts: Vec<String> = rows.iter().map(|(_, row)| row.text.clone()).collect();
    for ((place, span, row), text) in read_alone(reading, question, rows).await?.into_iter().zip(texts) {
        // What does not say where a text answers does not say which row does.
        let is_likelier = |whole: &&mut Found| row.score > whole.relevance.score && row.answer.is_some();
        if let Some(whole) = read.get_mut(place).filter(is_likelier) {
            let relevance = Relevance { score: row.score, answer: Some(span) };
            *whole = Found { relevance, row: Some(text) };
        }
    }
    Ok(())
}

/// Where no passage is likely to answer, reads sentences by themselves that share words with the question: among others a
/// reader overlooks the one that answers. One that is likelier than its passage counts for it, by half its odds: of many
/// sentences one looks right by chance. When it is done does not depend on a gate of the policy: a stricter gate must not
/// bring an answer.
async fn read_sentences(
    reading: Reading<'_>,
    question: &str,
    most: usize,
    candidates: &[Candidate],
    read: &mut [Found],
) -> Result<(), RerankError> {
    // What does not say where a text answers does not say which sentence does.
    let is_read = read.iter().any(|read| read.relevance.answer.is_some());
    if !is_read || read.iter().any(|read| read.relevance.score >= LIKELY) {
        return Ok(());
    }
    let sentences = in_context(candidates, |candidate| shared_sentences(question, candidate, most));
    let sentences = sentences.take(MOST_SENTENCES).collect();
    for (place, span, sentence) in read_alone(reading, question, sentences).await? {
        let odds = sentence.score / (1.0 - sentence.score).max(f32::EPSILON) / 2.0;
        let score = odds / (1.0 + odds);
        let is_in_it = sentence.answer.is_some_and(|answer| in_text(answer, &candidates[place]).is_some());
        if let Some(whole) = read.get_mut(place).filter(|whole| is_in_it && score > whole.relevance.score) {
            *whole = Found::of(Relevance { score, answer: Some(span) });
        }
    }
    Ok(())
}

/// What is read by itself of each candidate, under its title and heading, with the candidate's place.
fn in_context<'a>(
    candidates: &'a [Candidate],
    alone: impl Fn(&'a Candidate) -> Vec<ReadAlone> + 'a,
) -> impl Iterator<Item = (usize, ReadAlone)> + 'a {
    candidates.iter().enumerate().flat_map(move |(place, candidate)| {
        alone(candidate).into_iter().map(move |one| {
            let text = passage_in_context(&title(candidate), candidate.passage.section.as_deref(), &one.text);
            (place, ReadAlone { text, ..one })
        })
    })
}

/// How likely each answers, with its candidate's place and its own in the passage. Nobody is asked about nothing.
async fn read_alone(
    reading: Reading<'_>,
    question: &str,
    alone: Vec<(usize, ReadAlone)>,
) -> Result<Vec<(usize, CharSpan, Relevance)>, RerankError> {
    if alone.is_empty() {
        return Ok(Vec::new());
    }
    let mut found = Vec::with_capacity(alone.len());
    for together in alone.chunks(READ_TOGETHER) {
        let texts = together.iter().map(|(_, one)| one.text.clone()).collect();
        let read = relevances(reading.reranker, reading.rest(), question, texts).await?;
        found.extend(together.iter().zip(read).map(|((place, one), read)| (*place, one.span, read)));
    }
    Ok(found)
}

/// One for each text.
pub(super) async fn relevances(
    reranker: &Part<dyn Reranker>,
    deadline: Deadline,
    question: &str,
    texts: Vec<String>,
) -> Result<Vec<Relevance>, RerankError> {
    let count = texts.len();
    let read = reranker.call(deadline, |reranker| reranker.read(question, texts)).await?;
    if read.len() != count {
        let failed = format!("{} scores for {count} texts", read.len());
        return Err(RerankError::Own(RerankFault::Failed(failed)));
    }
    Ok(read)
}

/// Puts the best of each part before all others, in the order of the parts, where it is likelier to answer the part than
/// not: a part that few passages answer is not crowded out by one that many do.
pub(super) fn best_of_parts_first(candidates: &mut Vec<Candidate>) {
    let parts = candidates.iter().map(|candidate| candidate.readings.len()).max().unwrap_or(0);
    for part in (1..parts).rev() {
        let score = |candidate: &Candidate| candidate.readings.get(part).map_or(0.0, |read| read.score);
        let mut best: Option<usize> = None;
        for (place, candidate) in candidates.iter().enumerate() {
            if best.is_none_or(|best| score(candidate) > score(&candidates[best])) {
                best = Some(place);
            }
        }
        if let Some(place) = best.filter(|place| candidates[*place].as_read_for(part).is_likely_to_answer()) {
            let best = candidates.remove(place);
            candidates.insert(0, best);
        }
    }
}

/// A document that the question names is read under the name that it was called by, so that the two can be told to be
/// one.
fn title(candidate: &Candidate) -> Cow<'_, str> {
    let passage = &candidate.passage;
    match passage.address.as_ref().filter(|_| candidate.addressed && candidate.on_its_text) {
        Some(address) => Cow::Owned(format!("{address} {}", passage.title)),
        None => Cow::Borrowed(&passage.title),
    }
}

/// Of the passage's own text: nothing where the answer stands in the line above it.
pub(super) fn in_text(answer: CharSpan, candidate: &Candidate) -> Option<CharSpan> {
    let passage = &candidate.passage;
    let above = u32::try_from(characters_above(&title(candidate), passage.section.as_deref())).ok()?;
    Some(CharSpan { start: answer.start.checked_sub(above)?, end: answer.end.checked_sub(above)? })
}

/// The kinds that the question asks for by their words.
pub(super) fn asked_kinds<'a>(question: &str, rules: &'a RerankRules) -> Vec<&'a DocumentKind> {
    let asked = significant_terms(question);
    let is_asked =
        |words: &[String]| words.iter().any(|word| asked.iter().any(|term| same_word(term, &word.to_lowercase())));
    rules.kinds.iter().filter(|(_, words)| is_asked(words)).map(|(kind, _)| kind).collect()
}

/// Best first: by the reranker where there was one, alone or beside the rank in the search, else as the policy says.
/// Ties break by passage.
pub(super) fn order(
    candidates: &mut [Candidate],
    rules: Option<&RerankRules>,
    asked: &[&DocumentKind],
    unranked: UnrankedOrder,
) {
    let best_rank = candidates.iter().map(|candidate| candidate.fused).fold(0.0, f64::max);
    let in_search = |candidate: &Candidate| unranked_score(candidate, unranked, best_rank);
    let gain = |candidate: &Candidate| {
        let is_asked = candidate.passage.kind.as_ref().is_some_and(|kind| asked.contains(&kind));
        rules.filter(|_| is_asked).map_or(0.0, |rules| rules.kind_boost)
    };
    let score_weight = rules.and_then(|rules| rules.score_weight);
    let Some(weight) = score_weight.filter(|_| candidates.iter().any(|candidate| candidate.rerank.is_some())) else {
        sort_by_rank(candidates, |candidate| {
            candidate.rerank.map_or_else(|| in_search(candidate), f64::from) + gain(candidate)
        });
        return;
    };
    sort_by_rank(candidates, in_search);
    let beside_rank = |(rank, candidate): (u32, &Candidate)| {
        let score = candidate.rerank.map_or(0.0, |score| log_odds(f64::from(score) + gain(candidate)));
        let weighed = if candidate.addressed { f64::INFINITY } else { weight * score - f64::from(rank).ln() };
        (candidate.passage.passage, weighed)
    };
    let ranks: BTreeMap<PassageKey, f64> = (1..).zip(candidates.iter()).map(beside_rank).collect();
    let rank_of = |candidate: &Candidate| ranks.get(&candidate.passage.passage).copied();
    sort_by_rank(candidates, |candidate| rank_of(candidate).unwrap_or(f64::NEG_INFINITY));
}

fn sort_by_rank(candidates: &mut [Candidate], rank: impl Fn(&Candidate) -> f64) {
    candidates.sort_by(|one, other| {
        let by_cosine = || other.cosine.unwrap_or(0.0).total_cmp(&one.cosine.unwrap_or(0.0));
        let by_words = || other.bm25.unwrap_or(0.0).total_cmp(&one.bm25.unwrap_or(0.0));
        rank(other)
            .total_cmp(&rank(one))
            .then_with(|| other.similarity().total_cmp(&one.similarity()))
            .then_with(by_cosine)
            .then_with(by_words)
            .then_with(|| one.passage.passage.cmp(&other.passage.passage))
    });
}

/// Of a probability. Certainty counts as one in a million.
fn log_odds(probability: f64) -> f64 {
    let probability = probability.clamp(1e-6, 1.0 - 1e-6);
    (probability / (1.0 - probability)).ln()
}

/// 0 to 1. What the asker named and what a curator chose count by that in either order.
fn unranked_score(candidate: &Candidate, order: UnrankedOrder, best_rank: f64) -> f64 {
    match order {
        UnrankedOrder::Fused if !candidate.addressed && best_rank > 0.0 => {
            (candidate.fused / best_rank).max(candidate.curated.unwrap_or(0.0))
        }
        _ => candidate.similarity(),
    }
}

/// The best, with the places that are reserved for some kinds, for what else was promised one and, where no reranker has
/// read them, for what was forced. What is kept stays in order; the others come back apart.
pub(super) fn keep(
    mut candidates: Vec<Candidate>,
    rules: &RerankRules,
    asked: &[&DocumentKind],
) -> (Vec<Candidate>, Vec<Candidate>) {
    let mut reserved: BTreeMap<&DocumentKind, usize> =
        rules.reserves.iter().map(|(kind, least)| (kind, *least)).collect();
    for kind in asked {
        let least = reserved.entry(kind).or_default();
        *least = (*least).max(rules.kind_minimum);
    }
    let mut chosen = vec![false; candidates.len()];
    let mut places = rules.keep.min(MOST_RERANKED);
    for (is_chosen, candidate) in chosen.iter_mut().zip(&mut candidates) {
        let due = candidate.passage.kind.as_ref().and_then(|kind| reserved.get_mut(kind)).filter(|due| **due > 0);
        let is_forced = candidate.promised == Some(Promise::Words) || (candidate.forced && candidate.rerank.is_none());
        if places == 0 || !(due.is_some() || is_forced) {
            continue;
        }
        if let Some(due) = due {
            *due -= 1;
            candidate.promised = candidate.promised.max(Some(Promise::Kind));
        }
        *is_chosen = true;
        places -= 1;
    }
    for is_chosen in chosen.iter_mut().filter(|is_chosen| !**is_chosen).take(places) {
        *is_chosen = true;
    }
    let mut chosen = chosen.into_iter();
    candidates.into_iter().partition(|_| chosen.next().unwrap_or(false))
}

#[cfg(test)]
mod tests;
