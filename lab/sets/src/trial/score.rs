//! The figures of a trial, and every question with what became of it, the worst first.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::judged::{Judged, judge};
use super::reply::Reply;
use super::{Expect, Half, Kind, TrialQuestion};
use crate::metrics::{area_under_curve, mean};
use ibidem_measure::metrics::percentile;
use ibidem_measure::reliability::{Bin, bins};

/// Whoever reads a confidence above this relies on the answer.
pub const HIGH_CONFIDENCE: f64 = 80.0;
/// Points of a hundred that answers of about the same confidence lie within.
const BIN_WIDTH: f64 = 10.0;

/// How many questions became what.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct Tally {
    pub questions: usize,
    pub right: usize,
    pub wrong: usize,
    pub wrongly_refused: usize,
    pub wrongly_answered: usize,
}

impl Tally {
    fn of<'a>(questions: impl Iterator<Item = &'a Scored>) -> Self {
        let mut tally = Self::default();
        for question in questions {
            tally.questions += 1;
            match question.judged {
                Judged::Right => tally.right += 1,
                Judged::Wrong => tally.wrong += 1,
                Judged::WronglyRefused => tally.wrongly_refused += 1,
                Judged::WronglyAnswered => tally.wrongly_answered += 1,
            }
        }
        tally
    }
}

/// Whether the confidence tells right answers from wrong ones.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct ConfidenceFigures {
    /// The median of right answers; null where none states one.
    pub right_median: Option<f64>,
    /// The median of wrong answers, also of those to questions that nothing answers.
    pub wrong_median: Option<f64>,
    /// Wrong answers with a confidence above 80.
    pub wrong_and_high: usize,
    /// Right ones with as much.
    #[serde(default)]
    pub right_and_high: usize,
    /// How often a right answer is surer than a wrong one; null where there are not both.
    #[serde(default)]
    pub area_under_curve: Option<f64>,
    /// How many answers of about the same confidence are right.
    #[serde(default)]
    pub reliability: Vec<Bin>,
}

#[derive(Clone, Copy, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct Seconds {
    pub mean: f64,
    pub median: f64,
    pub most: f64,
}

/// A question, and what became of it.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Scored {
    pub question: TrialQuestion,
    pub judged: Judged,
    /// What is wrong, where something is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub why: Option<String>,
    pub reply: Reply,
}

/// What a trial leaves behind.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Report {
    /// What answered: `extractive`, or the name of a model.
    pub writer: String,
    /// The questions that the documents answer.
    pub answerable: Tally,
    /// Those that they do not answer.
    pub unanswerable: Tally,
    pub small_talk: Tally,
    pub by_kind: BTreeMap<Kind, Tally>,
    pub by_corpus: BTreeMap<String, Tally>,
    pub by_half: BTreeMap<Half, Tally>,
    pub confidence: ConfidenceFigures,
    /// Searches in which a part was skipped: with them the figures are not those of a whole installation.
    pub simplified: usize,
    pub seconds: Seconds,
    /// Wrong ones first, the most confident of them first; then those wrongly refused; then the right ones.
    pub questions: Vec<Scored>,
}

impl Report {
    /// Of questions with what came back to each of them.
    pub fn of(writer: String, replies: Vec<(TrialQuestion, Reply)>) -> Self {
        let mut questions: Vec<Scored> = replies.into_iter().map(scored).collect();
        questions.sort_by(|one, other| {
            let place = |scored: &Scored| (badness(scored.judged), std::cmp::Reverse(thousandths(scored)));
            place(one).cmp(&place(other)).then_with(|| one.question.id.cmp(&other.question.id))
        });
        let expecting = |expect: Expect| Tally::of(questions.iter().filter(|scored| scored.question.expect == expect));
        let mut seconds: Vec<f64> = questions.iter().map(|scored| scored.reply.seconds).collect();
        Self {
            writer,
            answerable: expecting(Expect::Answer),
            unanswerable: expecting(Expect::Refuse),
            small_talk: expecting(Expect::Reply),
            by_kind: by(&questions, |question| question.kind),
            by_corpus: by(&questions, |question| question.corpus.clone()),
            by_half: by(&questions, |question| question.half),
            confidence: confidence(&questions),
            simplified: questions.iter().filter(|scored| !scored.reply.simplified.is_empty()).count(),
            seconds: Seconds {
                mean: rounded(mean(seconds.iter().copied())),
                median: rounded(median(&mut seconds).unwrap_or_default()),
                most: rounded(seconds.last().copied().unwrap_or_default()),
            },
            questions,
        }
    }
}

fn scored((question, reply): (TrialQuestion, Reply)) -> Scored {
    let (judged, why) = judge(&question, &reply);
    Scored { question, judged, why, reply }
}

fn by<K: Ord>(questions: &[Scored], key: impl Fn(&TrialQuestion) -> K) -> BTreeMap<K, Tally> {
    let mut groups: BTreeMap<K, Vec<&Scored>> = BTreeMap::new();
    for scored in questions {
        groups.entry(key(&scored.question)).or_default().push(scored);
    }
    groups.into_iter().map(|(key, group)| (key, Tally::of(group.into_iter()))).collect()
}

/// What misleads comes before what only disappoints.
fn badness(judged: Judged) -> u8 {
    match judged {
        Judged::Wrong | Judged::WronglyAnswered => 0,
        Judged::WronglyRefused => 1,
        Judged::Right => 2,
    }
}

/// The confidence, so that it can be sorted by.
#[expect(clippy::cast_possible_truncation, reason = "a confidence is between 0 and 100")]
fn thousandths(scored: &Scored) -> i64 {
    scored.reply.confidence.map_or(-1, |confidence| (confidence * 1_000.0) as i64)
}

fn confidence(questions: &[Scored]) -> ConfidenceFigures {
    let stated = |wanted: &[Judged]| -> Vec<f64> {
        let wanted = questions.iter().filter(|scored| wanted.contains(&scored.judged));
        wanted.filter_map(|scored| scored.reply.confidence).collect()
    };
    let mut right = stated(&[Judged::Right]);
    let mut wrong = stated(&[Judged::Wrong, Judged::WronglyAnswered]);
    let answers: Vec<(f64, bool)> =
        right.iter().map(|confidence| (*confidence, true)).chain(wrong.iter().map(|one| (*one, false))).collect();
    let high = |stated: &[f64]| stated.iter().filter(|confidence| **confidence > HIGH_CONFIDENCE).count();
    ConfidenceFigures {
        right_and_high: high(&right),
        wrong_and_high: high(&wrong),
        right_median: median(&mut right),
        wrong_median: median(&mut wrong),
        area_under_curve: area_under_curve(&answers).map(rounded),
        reliability: bins(answers, BIN_WIDTH),
    }
}

fn median(values: &mut [f64]) -> Option<f64> {
    let median = percentile(values, 0.5);
    (!median.is_nan()).then_some(median)
}

fn rounded(number: f64) -> f64 {
    (number * 1_000.0).round() / 1_000.0
}
