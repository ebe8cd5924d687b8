//! How long questions took.

use maud::Markup;

use super::plot::{Axis, Plot};
use crate::golden::results::Results;

pub(super) fn figure(results: &Results) -> Markup {
    let mut times: Vec<f64> = results.questions.iter().map(|one| one.latency_ms.max(0.1)).collect();
    times.sort_by(f64::total_cmp);
    let decade = |time: f64| time.log10();
    let first = times.first().map_or(0.0, |time| decade(*time).floor());
    let last = times.last().map_or(1.0, |time| decade(*time).ceil()).max(first + 1.0);
    let mut ticks = Vec::new();
    let mut at = first;
    while at <= last + 1e-9 {
        ticks.push((at, in_words(10_f64.powf(at))));
        at += 1.0;
    }
    let across = Axis { name: "milliseconds", from: first, to: last, ticks };
    let mut plot = Plot::new(across, Axis::shares("questions answered by then", 0.0, 1.0));
    let count = times.len().max(1) as f64;
    let points: Vec<(f64, f64)> =
        times.iter().enumerate().map(|(place, time)| (decade(*time), (place + 1) as f64 / count)).collect();
    plot.line("curve", &points);
    let latency = &results.metrics.latency;
    let caption = format!(
        "p50 {:.0} ms, p95 {:.0} ms, p99 {:.0} ms, longest {:.0} ms, one question after the other on the machine of \
         this run. No check compares them.",
        latency.p50, latency.p95, latency.p99, latency.max
    );
    plot.figure("How long questions took", &caption)
}

fn in_words(milliseconds: f64) -> String {
    if milliseconds < 1.0 { format!("{milliseconds:.1}") } else { format!("{milliseconds:.0}") }
}
