//! The curve of risk and coverage as a picture: what each threshold would give, and what it would cost.

use maud::{Markup, html};

use super::{Calibration, Step};
use crate::html::finished;

const WIDTH: f64 = 760.0;
const HEIGHT: f64 = 460.0;
const LEFT: f64 = 70.0;
const RIGHT: f64 = 30.0;
const TOP: f64 = 60.0;
const BOTTOM: f64 = 90.0;

/// An SVG with the observed risk and its upper bound over the share of questions answered, the bound that was asked
/// for, and the threshold that was chosen. `titled` says what it is of, `by` what the threshold is.
pub fn svg(calibration: &Calibration, titled: &str, by: &str) -> String {
    let steps: Vec<&Step> = calibration.steps.iter().filter(|step| step.answered > 0).collect();
    // Bounds of a handful of answers say nothing, and would flatten all the rest.
    let observed = steps.iter().filter(|step| step.coverage > 0.02).map(|step| step.risk);
    let seen = observed.chain([calibration.demand.max_risk]).fold(0.0, f64::max) * 1.3;
    // A twentieth, or several: then the lines stand at whole hundredths.
    let top = ((seen * 20.0).ceil() / 20.0).clamp(0.05, 1.0);
    let plot = Plot { top };
    let max_risk = calibration.demand.max_risk;

    let bounds = steps.iter().map(|step| (step.coverage, calibration.upper_bound(step)));
    let bound: Vec<_> = bounds.filter(|(_, bound)| *bound <= top).map(|(share, bound)| plot.at(share, bound)).collect();
    let risk: Vec<_> = steps.iter().map(|step| plot.at(step.coverage, step.risk)).collect();
    let legend = [
        ("#1f5fa8", "", "wrong among those answered".to_owned()),
        ("#888", "2 3", format!("at most, each by itself ({})", calibration.demand.confidence)),
        ("#c0392b", "6 4", format!("asked for: at most {max_risk}")),
    ];
    finished(html! {
        svg xmlns="http://www.w3.org/2000/svg" viewBox=(format!("0 0 {WIDTH} {HEIGHT}")) font-family="sans-serif"
            font-size="13" fill="#222" {
            rect width=(WIDTH) height=(HEIGHT) fill="#fff" {}
            (text(LEFT, 26.0, "start", 16, titled))
            (text(LEFT, 46.0, "start", 12, &summary(calibration, by)))
            (plot.axes())
            (line(&[plot.at(0.0, max_risk), plot.at(1.0, max_risk)], "#c0392b", "6 4", 1.5))
            (line(&bound, "#888", "2 3", 1.5))
            (line(&risk, "#1f5fa8", "", 2.5))
            @if let Some(chosen) = &calibration.chosen {
                @let (x, y) = plot.at(chosen.coverage, chosen.risk);
                circle cx=(place(x)) cy=(place(y)) r="6" fill="#1f5fa8" stroke="#fff" stroke-width="2" {}
            }
            @for (number, (colour, dashes, what)) in (0_u8..).zip(&legend) {
                @let x = LEFT + f64::from(number) * 235.0;
                (line(&[(x, HEIGHT - 18.0), (x + 24.0, HEIGHT - 18.0)], colour, dashes, 2.5))
                (text(x + 30.0, HEIGHT - 14.0, "start", 11, what))
            }
        }
    })
}

fn summary(calibration: &Calibration, by: &str) -> String {
    match &calibration.chosen {
        Some(chosen) => format!(
            "chosen: {by} from {:.2} on; {} of {} answered, {} of them wrong",
            chosen.threshold, chosen.answered, calibration.labels, chosen.wrong
        ),
        None => format!("no threshold on {by} keeps the bound, by {} labels", calibration.labels),
    }
}

struct Plot {
    /// The risk at the upper edge.
    top: f64,
}

impl Plot {
    fn at(&self, coverage: f64, risk: f64) -> (f64, f64) {
        let x = LEFT + coverage * (WIDTH - LEFT - RIGHT);
        let y = HEIGHT - BOTTOM - (risk / self.top).min(1.0) * (HEIGHT - TOP - BOTTOM);
        (x, y)
    }

    fn axes(&self) -> Markup {
        let middle = f64::midpoint(LEFT, WIDTH - RIGHT);
        let centre = f64::midpoint(TOP, HEIGHT - BOTTOM);
        html! {
            @for fifth in (0..=5_u8).map(|fifth| f64::from(fifth) / 5.0) {
                @let (x, y) = self.at(fifth, fifth * self.top);
                (line(&[(LEFT, y), (WIDTH - RIGHT, y)], "#ddd", "", 1.0))
                (text(LEFT - 8.0, y + 4.0, "end", 12, &format!("{:.2}", fifth * self.top)))
                (text(x, HEIGHT - BOTTOM + 18.0, "middle", 12, &format!("{fifth:.1}")))
            }
            (text(middle, HEIGHT - BOTTOM + 38.0, "middle", 13, "share of the questions answered"))
            text x="20" y=(centre) text-anchor="middle" transform=(format!("rotate(-90 20 {centre})")) {
                "wrong among those answered"
            }
        }
    }
}

fn line(points: &[(f64, f64)], colour: &str, dashes: &str, width: f64) -> Markup {
    let points: Vec<_> = points.iter().map(|(x, y)| format!("{x:.1},{y:.1}")).collect();
    html! {
        polyline points=(points.join(" ")) fill="none" stroke=(colour) stroke-width=(width) stroke-dasharray=(dashes) {}
    }
}

fn text(x: f64, y: f64, anchor: &str, size: u8, content: &str) -> Markup {
    html! { text x=(place(x)) y=(place(y)) text-anchor=(anchor) font-size=(size) { (content) } }
}

/// A place in the picture.
fn place(place: f64) -> String {
    format!("{place:.1}")
}

#[cfg(test)]
mod tests {
    use super::super::{Bound, Demand, Labelled, Sequence, calibrate};
    use super::*;

    #[test]
    fn the_chosen_threshold_is_drawn_where_there_is_one_and_nothing_falls_out_of_the_picture() {
        let point = |score: f64, wrong: bool| Labelled { score, wrong };
        let mut points = vec![point(0.9, false); 200];
        points.extend(vec![point(0.2, true); 100]);
        let demand = Demand { max_risk: 0.05, confidence: 0.95, bound: Bound::ClopperPearson };
        let chosen = svg(&calibrate(&points, demand, &Sequence::hundredths()).unwrap(), "A <policy>", "similarity");
        assert!(chosen.contains("<circle") && chosen.contains("A &lt;policy&gt;"), "{chosen}");
        assert!(chosen.contains("200 of 300 answered, 0 of them wrong"), "{chosen}");
        assert!(!chosen.contains("NaN") && !chosen.contains("inf"), "{chosen}");
        let none = svg(&calibrate(&points[200..], demand, &Sequence::hundredths()).unwrap(), "B", "similarity");
        assert!(!none.contains("<circle") && none.contains("keeps the bound, by 100 labels"), "{none}");
        let nothing = svg(&calibrate(&[], demand, &Sequence::hundredths()).unwrap(), "C", "similarity");
        assert!(!nothing.contains("NaN"), "{nothing}");
    }
}
