//! `ibidem calibrate`: the threshold that answers the most while wrong answers stay under a bound, and a policy with it.

mod report;

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::Context as _;
use chrono::{SubsecRound as _, Utc};
use ibidem_engine::ask::Engine;
use ibidem_engine::policy::{CalibratedGate, CalibratedModels, Calibration as Provenance, Policy, WithOtherModels};
use ibidem_engine::turn::Asked;
use ibidem_measure::calibrate::observe::{Observed, observe};
use ibidem_measure::calibrate::questions::{self, LabelledQuestion};
use ibidem_measure::calibrate::{Bound, Calibration, Demand, Sequence, calibrate, curve, gate, written};
use ibidem_words::{CollectionName, Question, Sha256Hash};

use self::report::{HeldOut, Report};
use crate::compose::{self, Parts, model_identities};
use crate::console;
use crate::operator::ReaderAccess;
use crate::settings::Settings;

#[derive(clap::Args)]
pub(crate) struct Calibrate {
    /// Files of labelled questions: one per line as docs/calibration.md describes, a golden set, or a set in the format
    /// of SQuAD 2.0. Load their documents with `ibidem ingest` first.
    #[arg(long, required = true, num_args = 1.., value_name = "FILE")]
    labels: Vec<PathBuf>,
    /// The bound: the largest share of wrong answers among the answers given. An answer is wrong if no document answers
    /// its question, if it cites none of the right documents, or if it lacks the labelled words.
    #[arg(long, default_value_t = 0.01)]
    max_hallucination: f64,
    /// The probability with which the bound must hold.
    #[arg(long, default_value_t = 0.95)]
    confidence: f64,
    /// The statistical test. clopper-pearson is exact for answers that are either right or wrong; hoeffding-bentkus
    /// also holds for answers that are wrong in part.
    #[arg(long, value_enum, default_value_t = NamedBound::ClopperPearson)]
    bound: NamedBound,
    /// Uses this policy file in place of `policy.use`: the name of a built-in one, or a path.
    #[arg(long)]
    policy: Option<String>,
    #[command(flatten)]
    access: ReaderAccess,
    /// Searches only these collections, separated by commas. A label that names its own overrides this.
    #[arg(long, value_delimiter = ',')]
    collections: Vec<CollectionName>,
    /// Writes the calibrated policy file here. Nothing is written when no threshold keeps the bound.
    #[arg(long, value_name = "FILE")]
    output: Option<PathBuf>,
    /// Draws the risk and coverage of each threshold into this SVG file, also when no threshold keeps the bound.
    #[arg(long, value_name = "FILE")]
    svg: Option<PathBuf>,
    /// Files of further labelled questions, on which the chosen threshold is tested.
    #[arg(long, num_args = 1.., value_name = "FILE")]
    test: Vec<PathBuf>,
    /// How many questions are searched at the same time.
    #[arg(long, default_value_t = 4, value_parser = clap::value_parser!(u16).range(1..=64))]
    at_once: u16,
    /// Prints all figures as JSON.
    #[arg(long)]
    json: bool,
}

#[derive(Clone, Copy, clap::ValueEnum)]
enum NamedBound {
    ClopperPearson,
    HoeffdingBentkus,
}

impl NamedBound {
    fn bound(self) -> (Bound, &'static str) {
        match self {
            Self::ClopperPearson => (Bound::ClopperPearson, "clopper_pearson"),
            Self::HoeffdingBentkus => (Bound::HoeffdingBentkus, "hoeffding_bentkus"),
        }
    }
}

/// The labels of several files, and the digest of them all.
struct Read {
    questions: Vec<LabelledQuestion>,
    left_out: usize,
    sha256: Sha256Hash,
}

impl Calibrate {
    /// Fails when no threshold keeps the bound, after saying what it would take.
    pub(crate) async fn run(self, settings: &Settings) -> anyhow::Result<ExitCode> {
        let named = self.policy.clone().unwrap_or_else(|| settings.policy.r#use.clone());
        let text = compose::policy_text(&named)?;
        let policy = compose::named_policy(&named)?;
        let Some(gate) = gate::deciding(&policy, settings.reads_passages(&policy)) else {
            anyhow::bail!(
                "the policy {} has none of the gates `answerability` (with a reranker), `top1_similarity` and \
                 `collections`, so there is no threshold to choose; add `- answerability: 0` to its sift.gates, and \
                 calibrate that",
                policy.rules.name
            );
        };
        let (labels, test) = (load(&self.labels)?, load(&self.test)?);
        let parts = Parts::ready(settings).await?;
        let models = model_identities::models_in_use(settings, parts.embedder.as_ref())?;
        let engine = parts.engine(settings).await?;
        let asked = self.access.asked(Question::new("").in_collections(self.collections.clone()), policy.clone());
        let observed = self.observed(&engine, &asked, gate, &labels.questions).await?;
        anyhow::ensure!(
            observed.points.iter().any(|point| point.score > 0.0),
            "none of the {} questions found a passage: load the documents they are about first",
            labels.questions.len()
        );
        let demand =
            Demand { max_risk: self.max_hallucination, confidence: self.confidence, bound: self.bound.bound().0 };
        let calibration = calibrate(&observed.points, demand, &Sequence::hundredths())?;
        let held_out = match &calibration.chosen {
            Some(chosen) if !test.questions.is_empty() => {
                let seen = self.observed(&engine, &asked, gate, &test.questions).await?;
                Some(HeldOut::of(&seen, chosen.threshold))
            }
            _ => None,
        };
        let provenance = self.provenance(gate, &calibration, &labels, &policy, models);
        let written = match (&provenance, &self.output) {
            (Some(provenance), Some(path)) => {
                write(path, &written::calibrated(&text, provenance)?)?;
                Some(path.clone())
            }
            _ => None,
        };
        if let Some(path) = &self.svg {
            let titled = format!("Risk and coverage of the policy {}, by {gate}", policy.rules.name);
            write(path, &curve::svg(&calibration, &titled, score_name(gate)))?;
        }
        let left_out = labels.left_out + observed.by_rule;
        let is_chosen = calibration.chosen.is_some();
        let report =
            Report { policy: policy.rules.name.clone(), gate, left_out, observed, calibration, held_out, provenance };
        console::say_json_or(self.json, &report.figures(), || report.show(written.as_deref()))?;
        Ok(if is_chosen { ExitCode::SUCCESS } else { ExitCode::FAILURE })
    }

    async fn observed(
        &self,
        engine: &Engine,
        asked: &Asked,
        gate: CalibratedGate,
        questions: &[LabelledQuestion],
    ) -> anyhow::Result<Observed> {
        let bar = console::bar(questions.len() as u64, "questions, {eta} left")?;
        let observed = observe(engine, asked, gate, questions, self.at_once.into(), || bar.inc(1)).await?;
        bar.finish_and_clear();
        Ok(observed)
    }

    fn provenance(
        &self,
        gate: CalibratedGate,
        calibration: &Calibration,
        labels: &Read,
        policy: &Policy,
        models: CalibratedModels,
    ) -> Option<Provenance> {
        let chosen = calibration.chosen.as_ref()?;
        Some(Provenance {
            gate,
            threshold: gate::number(gate, chosen.threshold),
            max_hallucination: self.max_hallucination,
            confidence: self.confidence,
            bound: self.bound.bound().1.to_owned(),
            labels: calibration.labels,
            answered: chosen.answered,
            wrong: chosen.wrong,
            observed_risk: (chosen.risk * 1e6).round() / 1e6,
            labels_sha256: labels.sha256,
            policy_sha256: policy.hash,
            at: Utc::now().trunc_subsecs(0),
            models,
            with_other_models: WithOtherModels::Refuse,
        })
    }
}

/// What the gate compares, for the axis of the picture.
fn score_name(gate: CalibratedGate) -> &'static str {
    match gate {
        CalibratedGate::Answerability => "the probability that the best passage answers",
        CalibratedGate::Top1Similarity | CalibratedGate::DistanceThreshold => "the closest passage's similarity",
    }
}

fn load(files: &[PathBuf]) -> anyhow::Result<Read> {
    let (mut all, mut left_out, mut contents) = (Vec::new(), 0, Vec::new());
    for file in files {
        let (labels, bytes) = questions::load(file)?;
        all.extend(labels.questions);
        left_out += labels.left_out;
        contents.push(bytes);
    }
    let sha256 = Sha256Hash::of_parts(contents.iter().map(Vec::as_slice));
    Ok(Read { questions: all, left_out, sha256 })
}

fn write(path: &Path, content: &str) -> anyhow::Result<()> {
    std::fs::write(path, content).with_context(|| format!("{} cannot be written", path.display()))
}
