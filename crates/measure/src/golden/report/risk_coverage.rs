//! What it would cost, and save, to give only the surer answers.

use maud::Markup;

use super::plot::{Axis, Plot};
use crate::golden::judged::Judged;
use crate::golden::run::Measured;

/// A point for every least confidence: the share of questions answered, and the share of those answers that are wrong.
pub(super) fn curve(questions: &[Measured]) -> Vec<(f64, f64)> {
    let searched = questions.iter().filter(|one| was_searched(one)).count();
    let mut sure: Vec<(f64, bool)> = answers(questions);
    sure.sort_by(|one, other| other.0.total_cmp(&one.0));
    let mut points = Vec::new();
    let mut wrong = 0;
    for (place, (confidence, right)) in sure.iter().enumerate() {
        wrong += usize::from(!right);
        // Answers that are equally sure are given together or not at all.
        if sure.get(place + 1).is_none_or(|next| next.0 < *confidence) {
            let given = place + 1;
            points.push((given as f64 / searched as f64, wrong as f64 / given as f64));
        }
    }
    points
}

/// Confidence and whether it was right, of each answer that was searched for.
pub(super) fn answers(questions: &[Measured]) -> Vec<(f64, bool)> {
    let answered = questions.iter().filter(|one| was_searched(one) && one.actual.is_answered());
    answered.filter_map(|one| Some((one.confidence?, one.judged == Judged::Answered))).collect()
}

/// Terms, lists and bare addresses are answered by rule: how sure is no question there.
fn was_searched(one: &Measured) -> bool {
    one.trace.iter().any(|record| record.gate == "evidence")
}

pub(super) fn figure(questions: &[Measured]) -> Markup {
    let points = curve(questions);
    let highest = points.iter().map(|(_, risk)| *risk).fold(0.0, f64::max);
    let up = Axis::shares("wrong, of the answers given", 0.0, (highest * 10.0).ceil().max(3.0) / 10.0);
    let mut plot = Plot::new(Axis::shares("questions answered", 0.0, 1.0), up);
    plot.line("curve", &points);
    if let Some((coverage, risk)) = points.last() {
        plot.last_point(*coverage, *risk, "as it is");
    }
    plot.figure(
        "Risk and coverage",
        "How wrong the answers would be if only the surest were given. Of questions that are searched for; terms, lists \
         and bare addresses are answered by rule.",
    )
}
