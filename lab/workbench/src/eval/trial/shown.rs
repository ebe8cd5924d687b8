//! The figures of a trial, in the terminal.

use ibidem_lab::trial::Kind;
use ibidem_lab::trial::judged::Judged;
use ibidem_lab::trial::score::{HIGH_CONFIDENCE, Report, Scored, Tally};
use ibidem_measure::reliability::interval;

use crate::console;

pub(super) fn show(report: &Report) {
    for scored in report.questions.iter().filter(|scored| scored.judged != Judged::Right) {
        console::note(&failure(scored));
    }
    let mut table = console::table(&["", "right", "wrong", "wrongly refused", "wrongly answered", "of"]);
    let mut row = |name: &str, tally: &Tally| {
        let counts = [tally.right, tally.wrong, tally.wrongly_refused, tally.wrongly_answered, tally.questions];
        table.add_row([name.to_owned()].into_iter().chain(counts.map(|count| count.to_string())));
    };
    for kind in Kind::ALL {
        if let Some(tally) = report.by_kind.get(&kind) {
            row(kind.words(), tally);
        }
    }
    for (corpus, tally) in &report.by_corpus {
        row(corpus, tally);
    }
    for (half, tally) in &report.by_half {
        row(&format!("{} half", half.as_str()), tally);
    }
    console::say(&table.to_string());
    console::say(&summary(report));
    reliability(report);
    if report.simplified > 0 {
        console::note(&format!(
            "note: in {} searches a part was skipped; these are not the figures of a whole installation",
            report.simplified
        ));
    }
}

fn failure(scored: &Scored) -> String {
    let confidence =
        scored.reply.confidence.map_or_else(String::new, |confidence| format!(", confidence {confidence}"));
    let why = scored.why.as_deref().unwrap_or_default();
    let question = &scored.question;
    format!("{} {}{confidence}: {} — {why}", question.id, scored.judged.words(), question.question)
}

fn summary(report: &Report) -> String {
    let (answerable, unanswerable) = (&report.answerable, &report.unanswerable);
    let median = |median: Option<f64>| median.map_or_else(|| "–".to_owned(), |median| format!("{median:.1}"));
    format!(
        "\nanswered by {}: {} of {} answerable questions right, {} of {} unanswerable ones answered, {} of {} greetings \
         and thanks replied to\nmedian confidence {} of right answers and {} of wrong ones; {} right and {} wrong with \
         more than {HIGH_CONFIDENCE}; area under the curve {}\nseconds for a question: {:.2} in the mean, {:.2} at the median, {:.2} at most",
        report.writer,
        answerable.right,
        answerable.questions,
        unanswerable.wrongly_answered,
        unanswerable.questions,
        report.small_talk.right,
        report.small_talk.questions,
        median(report.confidence.right_median),
        median(report.confidence.wrong_median),
        report.confidence.right_and_high,
        report.confidence.wrong_and_high,
        report.confidence.area_under_curve.map_or_else(|| "–".to_owned(), |area| format!("{area:.3}")),
        report.seconds.mean,
        report.seconds.median,
        report.seconds.most
    )
}

/// How often answers of about the same confidence are right.
fn reliability(report: &Report) {
    let mut table = console::table(&["confidence", "answers", "right", "the true share lies within"]);
    for bin in &report.confidence.reliability {
        let (low, high) = interval(bin.right, bin.count);
        table.add_row([
            format!("{:.1}", bin.confidence * 100.0),
            bin.count.to_string(),
            format!("{:.0} %", bin.right * 100.0),
            format!("{:.0} to {:.0} %", low * 100.0, high * 100.0),
        ]);
    }
    if !report.confidence.reliability.is_empty() {
        console::say(&table.to_string());
    }
}
