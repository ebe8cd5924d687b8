//! A plot: two axes and what is drawn between them, as SVG.

use super::{escaped, put};

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
    drawn: String,
}

impl Plot {
    pub(super) fn new(across: Axis, up: Axis) -> Self {
        Self { across, up, drawn: String::new() }
    }

    fn x(&self, value: f64) -> f64 {
        LEFT + self.across.place(value) * (WIDTH - LEFT - RIGHT)
    }

    fn y(&self, value: f64) -> f64 {
        HEIGHT - BOTTOM - self.up.place(value) * (HEIGHT - TOP - BOTTOM)
    }

    pub(super) fn line(&mut self, class: &str, points: &[(f64, f64)]) {
        let points: Vec<String> = points.iter().map(|(x, y)| format!("{:.1},{:.1}", self.x(*x), self.y(*y))).collect();
        let points = points.join(" ");
        put(&mut self.drawn, format_args!("<polyline class=\"{class}\" points=\"{points}\"/>\n"));
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
        let (x, y) = (self.x(x), self.y(y));
        put(&mut self.drawn, format_args!("<circle class=\"point\" cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"4\"/>\n"));
    }

    fn words(&mut self, x: f64, y: f64, anchor: &str, words: &str) {
        let words = escaped(words);
        put(
            &mut self.drawn,
            format_args!("<text class=\"soft\" x=\"{x:.1}\" y=\"{y:.1}\" text-anchor=\"{anchor}\">{words}</text>\n"),
        );
    }

    /// The plot with a title for those who cannot see it, and a caption for everybody.
    pub(super) fn figure(&self, title: &str, caption: &str) -> String {
        let mut svg = format!(
            "<figure>\n<svg viewBox=\"0 0 {WIDTH} {HEIGHT}\" role=\"img\" aria-label=\"{title}\" \
             xmlns=\"http://www.w3.org/2000/svg\">\n"
        );
        self.axes(&mut svg);
        svg.push_str(&self.drawn);
        put(&mut svg, format_args!("</svg>\n<figcaption><b>{title}.</b> {caption}</figcaption>\n</figure>\n"));
        svg
    }

    fn axes(&self, svg: &mut String) {
        let (left, right) = (LEFT, WIDTH - RIGHT);
        let (top, bottom) = (TOP, HEIGHT - BOTTOM);
        for (value, label) in &self.up.ticks {
            let y = self.y(*value);
            put(
                svg,
                format_args!(
                    "<line class=\"grid\" x1=\"{left}\" y1=\"{y:.1}\" x2=\"{right}\" y2=\"{y:.1}\"/><text \
                     class=\"soft\" x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"end\">{label}</text>\n",
                    left - 8.0,
                    y + 4.0
                ),
            );
        }
        for (value, label) in &self.across.ticks {
            let x = self.x(*value);
            put(
                svg,
                format_args!(
                    "<line class=\"axis\" x1=\"{x:.1}\" y1=\"{bottom}\" x2=\"{x:.1}\" y2=\"{:.1}\"/><text \
                     class=\"soft\" x=\"{x:.1}\" y=\"{:.1}\" text-anchor=\"middle\">{label}</text>\n",
                    bottom + 4.0,
                    bottom + 18.0
                ),
            );
        }
        put(
            svg,
            format_args!(
                "<polyline class=\"axis\" points=\"{left},{top} {left},{bottom} {right},{bottom}\"/>\n<text x=\"{:.1}\" \
                 y=\"{:.1}\" text-anchor=\"middle\">{}</text>\n<text x=\"14\" y=\"{:.1}\" text-anchor=\"middle\" \
                 transform=\"rotate(-90 14 {:.1})\">{}</text>\n",
                f64::midpoint(left, right),
                HEIGHT - 8.0,
                self.across.name,
                f64::midpoint(top, bottom),
                f64::midpoint(top, bottom),
                self.up.name
            ),
        );
    }
}
