//! A plot: two axes and what is drawn between them, as SVG.

use maud::{Markup, html};

const WIDTH: f64 = 480.0;
const HEIGHT: f64 = 320.0;
const LEFT: f64 = 58.0;
const RIGHT: f64 = 20.0;
const TOP: f64 = 16.0;
const BOTTOM: f64 = 48.0;

/// One axis: its name, its ends, and the values that are written beside it, each with its label.
pub(super) struct Axis {
    pub(super) name: &'static str,
    pub(super) from: f64,
    pub(super) to: f64,
    pub(super) ticks: Vec<(f64, String)>,
}

impl Axis {
    /// An axis of shares, in steps that give a handful of ticks.
    pub(super) fn shares(name: &'static str, from: f64, to: f64) -> Self {
        let step = if to - from > 0.55 { 0.2 } else { 0.1 };
        let mut ticks = Vec::new();
        let mut at = from;
        while at <= to + 1e-9 {
            ticks.push((at, format!("{at:.1}")));
            at += step;
        }
        Self { name, from, to, ticks }
    }

    /// Where a value lies between the ends, 0 to 1.
    fn place(&self, value: f64) -> f64 {
        ((value - self.from) / (self.to - self.from)).clamp(0.0, 1.0)
    }
}

pub(super) struct Plot {
    across: Axis,
    up: Axis,
    drawn: Vec<Markup>,
}

impl Plot {
    pub(super) fn new(across: Axis, up: Axis) -> Self {
        Self { across, up, drawn: Vec::new() }
    }

    fn x(&self, value: f64) -> f64 {
        LEFT + self.across.place(value) * (WIDTH - LEFT - RIGHT)
    }

    fn y(&self, value: f64) -> f64 {
        HEIGHT - BOTTOM - self.up.place(value) * (HEIGHT - TOP - BOTTOM)
    }

    pub(super) fn line(&mut self, class: &str, points: &[(f64, f64)]) {
        let points: Vec<String> = points.iter().map(|(x, y)| format!("{:.1},{:.1}", self.x(*x), self.y(*y))).collect();
        self.drawn.push(html! { polyline class=(class) points=(points.join(" ")) {} });
    }

    /// A point with a few words beside it.
    pub(super) fn point(&mut self, x: f64, y: f64, label: &str) {
        // On the side where there is room.
        let (dx, anchor) = if self.x(x) > WIDTH - RIGHT - 60.0 { (-8.0, "end") } else { (8.0, "start") };
        self.marked(x, y);
        self.words(self.x(x) + dx, self.y(y) + 4.0, anchor, label);
    }

    /// The last point of a curve that climbs, with its words above it.
    pub(super) fn last_point(&mut self, x: f64, y: f64, label: &str) {
        self.marked(x, y);
        self.words(self.x(x), self.y(y) - 10.0, "middle", label);
    }

    fn marked(&mut self, x: f64, y: f64) {
        let (x, y) = (at(self.x(x)), at(self.y(y)));
        self.drawn.push(html! { circle.point cx=(x) cy=(y) r="4" {} });
    }

    fn words(&mut self, x: f64, y: f64, anchor: &str, words: &str) {
        self.drawn.push(html! { text.soft x=(at(x)) y=(at(y)) text-anchor=(anchor) { (words) } });
    }

    /// The plot with a title for those who cannot see it, and a caption for everybody.
    pub(super) fn figure(&self, title: &str, caption: &str) -> Markup {
        html! {
            figure {
                svg viewBox=(format!("0 0 {WIDTH} {HEIGHT}")) role="img" aria-label=(title)
                    xmlns="http://www.w3.org/2000/svg" {
                    (self.axes())
                    @for drawn in &self.drawn { (drawn) }
                }
                figcaption { b { (title) "." } " " (caption) }
            }
        }
    }

    fn axes(&self) -> Markup {
        let (left, right) = (LEFT, WIDTH - RIGHT);
        let (top, bottom) = (TOP, HEIGHT - BOTTOM);
        let (middle, centre) = (f64::midpoint(left, right), f64::midpoint(top, bottom));
        html! {
            @for (value, label) in &self.up.ticks {
                @let y = self.y(*value);
                line.grid x1=(left) y1=(at(y)) x2=(right) y2=(at(y)) {}
                text.soft x=(at(left - 8.0)) y=(at(y + 4.0)) text-anchor="end" { (label) }
            }
            @for (value, label) in &self.across.ticks {
                @let x = at(self.x(*value));
                line.axis x1=(x) y1=(bottom) x2=(x) y2=(at(bottom + 4.0)) {}
                text.soft x=(x) y=(at(bottom + 18.0)) text-anchor="middle" { (label) }
            }
            polyline.axis points=(format!("{left},{top} {left},{bottom} {right},{bottom}")) {}
            text x=(at(middle)) y=(at(HEIGHT - 8.0)) text-anchor="middle" { (self.across.name) }
            text x="14" y=(at(centre)) text-anchor="middle" transform=(format!("rotate(-90 14 {centre:.1})")) {
                (self.up.name)
            }
        }
    }
}

/// A place in the picture.
fn at(place: f64) -> String {
    format!("{place:.1}")
}
