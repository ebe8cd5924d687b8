//! What was found, for people and for programs.

use std::path::Path;

use ibidem_engine::policy::{CalibratedGate, Calibration as Provenance};
use ibidem_measure::calibrate::observe::Observed;
use ibidem_measure::calibrate::{Calibration, LabelsNeeded, Step, gate};
use serde::Serialize;
use serde_json::{Value, json};

use crate::console;

pub(super) struct Report {
    pub(super) policy: String,
    pub(super) gate: CalibratedGate,
    /// Labels that a rule decides, whatever the threshold.
    pub(super) left_out: usize,
    pub(super) observed: Observed,
    pub(super) calibration: Calibration,
    pub(super) held_out: Option<HeldOut>,
    pub(super) provenance: Option<Provenance>,
}

/// The chosen threshold on questions it was not chosen by.
#[derive(Serialize)]
pub(super) struct HeldOut {
    labels: usize,
    answered: usize,
    wrong: usize,
}

impl HeldOut {
    pub(super) fn of(observed: &Observed, threshold: f64) -> Self {
        let answered = || observed.points.iter().filter(|point| point.score >= threshold);
        Self {
            labels: observed.points.len(),
            answered: answered().count(),
            wrong: answered().filter(|point| point.wrong).count(),
        }
    }
}

impl Report {
    pub(super) fn figures(&self) -> Value {
        json!({
            "policy": self.policy,
            "gate": self.gate,
            "left_out": self.left_out,
            "refused_otherwise": self.observed.refused_otherwise,
            "not_answerable": self.observed.not_answerable,
            "wrong_source": self.observed.wrong_source,
            "wrong_answer": self.observed.wrong_answer,
            "calibration": self.calibration,
            "held_out": self.held_out,
            "provenance": self.provenance,
        })
    }

    pub(super) fn show(&self, written: Option<&Path>) {
        let Observed { points, refused_otherwise, not_answerable, wrong_source, wrong_answer, .. } = &self.observed;
        console::say(&format!(
            "policy {}, gate {}: {} labelled questions were searched for, {} more are decided by a rule and left out.",
            self.policy,
            self.gate,
            points.len(),
            self.left_out
        ));
        console::say(&format!(
            "With this gate open {refused_otherwise} are refused. Of the rest {not_answerable} are not answerable, \
             {wrong_source} are answered from no right document, and {wrong_answer} without the right words.\n"
        ));
        console::say(&format!("{}\n", self.table()));
        match (&self.calibration.chosen, &self.calibration.needed) {
            (Some(chosen), _) => self.show_chosen(chosen, written),
            (None, needed) => self.show_needed(needed.as_ref()),
        }
    }

    /// Every twentieth, and the chosen one.
    fn table(&self) -> comfy_table::Table {
        let gate = self.gate.to_string();
        let mut table = console::table(&[&gate, "answered", "wrong", "coverage", "risk", "at most", "keeps the bound"]);
        let chosen = self.calibration.chosen.map(|step| step.threshold);
        for (place, step) in self.calibration.steps.iter().enumerate() {
            let is_chosen = chosen == Some(step.threshold);
            if step.answered == 0 || !(is_chosen || (place + 1) % 5 == 0) {
                continue;
            }
            let keeps = if is_chosen {
                "yes, chosen"
            } else if step.passed {
                "yes"
            } else {
                ""
            };
            table.add_row([
                format!("{:.2}", gate::number(self.gate, step.threshold)),
                step.answered.to_string(),
                step.wrong.to_string(),
                format!("{:.4}", step.coverage),
                format!("{:.4}", step.risk),
                format!("{:.4}", self.calibration.upper_bound(step)),
                keeps.to_owned(),
            ]);
        }
        table
    }

    fn show_chosen(&self, chosen: &Step, written: Option<&Path>) {
        let demand = &self.calibration.demand;
        console::say(&format!(
            "{} = {:.2}: {} of {} questions are answered, {} of them wrongly ({:.4}); with confidence {} at most {} are, \
             on questions like these.",
            self.gate,
            gate::number(self.gate, chosen.threshold),
            chosen.answered,
            self.calibration.labels,
            chosen.wrong,
            chosen.risk,
            demand.confidence,
            demand.max_risk
        ));
        if let Some(HeldOut { labels, answered, wrong }) = &self.held_out {
            console::say(&format!(
                "On questions it was not chosen by: {answered} of {labels} answered, {wrong} of them wrongly."
            ));
        }
        match written {
            Some(path) => console::say(&format!("written: {}", path.display())),
            None => console::say("nothing was written; --output FILE writes the policy"),
        }
    }

    fn show_needed(&self, needed: Option<&LabelsNeeded>) {
        let demand = &self.calibration.demand;
        let what = match needed {
            Some(LabelsNeeded::More { labels, threshold }) => {
                let seen = self.calibration.steps.iter().find(|step| step.threshold == *threshold);
                let seen = seen.map_or_else(String::new, |step| {
                    format!(", where {} were answered and {} of them wrongly", step.answered, step.wrong)
                });
                format!(
                    "about {labels} more labels should do, if they turn out like these (by what was observed at {} = \
                     {:.2}{seen}); or ask for less",
                    self.gate,
                    gate::number(self.gate, *threshold)
                )
            }
            _ => "at no threshold were answers better than that, so no number of labels would help: it takes a better \
                  score (another reader or embedding model) or a looser bound"
                .to_owned(),
        };
        console::complain(&format!(
            "no threshold keeps wrong answers at most {} with confidence {}: {what}. Nothing was written.",
            demand.max_risk, demand.confidence
        ));
    }
}
