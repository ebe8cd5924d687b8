//! `ibidem-workbench eval detect`: how much of what is made up the configured verifier finds, and what it takes for made up.

use std::path::PathBuf;

use ibidem_lab::detect::begin::replies;
use ibidem_lab::detect::check::{CheckedAnswer, CheckedSentence, check_answer, check_text};
use ibidem_lab::detect::errors::{ErrorClass, error_classes};
use ibidem_lab::detect::floor::{Floor, floors};
use ibidem_lab::detect::ragtruth::{MarkedAnswer, marked_answers};
use ibidem_lab::detect::score::{Agreement, area_under_curve, of_answers, of_characters, share};
use ibidem_measure::metrics::percentile;
use ibidem_ports::degrade::Part;
use ibidem_ports::entailment::Entailment;
use indicatif::ProgressBar;
use serde::Serialize;

use crate::compose;
use crate::console;
use crate::settings::Settings;

mod shown;

#[derive(clap::Args)]
pub(crate) struct Detect {
    /// Answers in the format of RAGTruth, one per line. They are test data: choose no setting by them.
    answers: PathBuf,
    /// Also measures on this file in the format of BEGIN.
    #[arg(long)]
    begin: Option<PathBuf>,
    /// The least support that counts, from 0 to 1, as `speak.verification.least_support` of a policy file.
    #[arg(long, default_value_t = 0.5)]
    least_support: f64,
    /// Prints the figures as JSON.
    #[arg(long)]
    json: bool,
}

#[derive(Serialize)]
struct Report {
    verifier: String,
    least_support: f64,
    answers: usize,
    hallucinated: usize,
    sentences: usize,
    of_answers: Agreement,
    of_characters: Agreement,
    /// Answers flagged for their figures alone, and for what the entailment model says alone.
    by_figures: Agreement,
    by_entailment: Agreement,
    ms_per_sentence: Percentiles,
    floors: Vec<Floor>,
    /// For information: the threshold in force was chosen on other data.
    at_other_thresholds: Vec<AtThreshold>,
    errors: Vec<ErrorClass>,
    begin: Option<Attribution>,
}

#[derive(Serialize)]
struct Percentiles {
    p50: f64,
    p95: f64,
}

#[derive(Serialize)]
struct AtThreshold {
    least_support: f64,
    of_answers: Agreement,
    of_characters: Agreement,
}

/// Whether replies are found attributable where people found them so.
#[derive(Serialize)]
struct Attribution {
    replies: usize,
    attributable: usize,
    accuracy: f64,
    /// Of finding the attributable.
    attributable_found: Agreement,
    area_under_curve: f64,
}

impl Detect {
    pub(crate) async fn run(self, settings: &Settings) -> anyhow::Result<()> {
        let answers = marked_answers(&self.answers)?;
        let begin = self.begin.as_deref().map(replies).transpose()?;
        let embedder = compose::embedder(settings).await?;
        let entailment = compose::entailment(settings, Some(Part::bare(embedder as _))).await?;
        let length = answers.len() + begin.as_ref().map_or(0, Vec::len);
        let bar = console::bar(length as u64, "answers, {eta} left")?;
        let mut checked = Vec::with_capacity(answers.len());
        for answer in answers {
            let found = check_answer(&entailment, &answer).await?;
            checked.push((answer, found));
            bar.inc(1);
        }
        let begin = match begin {
            Some(replies) => Some(self.attribution(&entailment, replies, &bar).await?),
            None => None,
        };
        bar.finish_and_clear();
        let report = self.report(entailment.port().name(), &checked, begin);
        if self.json {
            return console::say_json(&report);
        }
        shown::show(&report);
        Ok(())
    }

    async fn attribution(
        &self,
        entailment: &Part<dyn Entailment>,
        replies: Vec<ibidem_lab::detect::begin::BeginReply>,
        bar: &ProgressBar,
    ) -> anyhow::Result<Attribution> {
        let mut found = Vec::with_capacity(replies.len());
        for reply in &replies {
            let sentences = check_text(entailment, &reply.reply, &[&reply.knowledge]).await?;
            let of_sentence = sentences.iter().map(|sentence| match sentence.findings.is_empty() {
                true if sentence.aside.is_some() => 1.0,
                true => sentence.support,
                false => 0.0,
            });
            let support = of_sentence.fold(1.0, f64::min);
            found.push((reply.attributable, support));
            bar.inc(1);
        }
        let passed = |support: f64| support >= self.least_support;
        let right = found.iter().filter(|(attributable, support)| *attributable == passed(*support)).count();
        Ok(Attribution {
            replies: found.len(),
            attributable: found.iter().filter(|(attributable, _)| *attributable).count(),
            accuracy: share(right, found.len()),
            attributable_found: Agreement::over(found.iter().map(|(is_so, support)| (passed(*support), *is_so))),
            area_under_curve: area_under_curve(&found),
        })
    }

    fn report(&self, verifier: &str, checked: &[(MarkedAnswer, CheckedAnswer)], begin: Option<Attribution>) -> Report {
        let answers: Vec<CheckedAnswer> = checked.iter().map(|(_, checked)| checked.clone()).collect();
        let sentences = || answers.iter().flat_map(|answer| &answer.sentences);
        let mut times: Vec<f64> = sentences().map(|sentence| sentence.milliseconds).collect();
        let at = |least_support: f64| AtThreshold {
            least_support,
            of_answers: of_answers(&answers, least_support),
            of_characters: of_characters(&answers, least_support),
        };
        let by = |flags: &dyn Fn(&CheckedSentence) -> bool| {
            let each = answers.iter().map(|answer| (answer.sentences.iter().any(flags), !answer.marked.is_empty()));
            Agreement::over(each)
        };
        Report {
            verifier: verifier.to_owned(),
            least_support: self.least_support,
            answers: answers.len(),
            hallucinated: answers.iter().filter(|answer| !answer.marked.is_empty()).count(),
            sentences: sentences().count(),
            of_answers: of_answers(&answers, self.least_support),
            of_characters: of_characters(&answers, self.least_support),
            by_figures: by(&|sentence| !sentence.findings.is_empty()),
            by_entailment: by(&|sentence| sentence.is_unsupported(self.least_support)),
            ms_per_sentence: Percentiles { p50: percentile(&mut times, 0.5), p95: percentile(&mut times, 0.95) },
            floors: floors(&checked.iter().map(|(given, _)| given).collect::<Vec<_>>()),
            at_other_thresholds: [0.0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9].map(at).into(),
            errors: error_classes(checked, self.least_support),
            begin,
        }
    }
}
