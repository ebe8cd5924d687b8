//! What is aimed at on the golden set.

use serde::{Deserialize, Serialize};

use super::score::Metrics;

#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Target {
    pub name: String,
    pub observed: f64,
    pub aim: f64,
    /// How `observed` must stand to `aim`: `>`, `<` or `=`.
    pub sign: String,
    pub reached: bool,
}

impl Target {
    fn new(name: &str, observed: f64, sign: &str, aim: f64) -> Self {
        let reached = match sign {
            ">" => observed > aim,
            "<" => observed < aim,
            _ => (observed - aim).abs() < 1e-9,
        };
        Self { name: name.to_owned(), observed, aim, sign: sign.to_owned(), reached }
    }
}

pub fn targets(metrics: &Metrics) -> Vec<Target> {
    let overall = &metrics.overall;
    vec![
        Target::new("precision", overall.precision.unwrap_or(0.0), ">", 0.85),
        Target::new("recall", overall.recall.unwrap_or(0.0), ">", 0.80),
        Target::new("terminology hallucination", metrics.terminology_hallucination.rate, "=", 0.0),
        Target::new("citation compliance", metrics.citation_compliance.rate, "=", 1.0),
        Target::new("false refusals", metrics.false_refusals.rate, "<", 0.10),
        Target::new("hallucinations", metrics.hallucinations.rate, "<", 0.01),
    ]
}
