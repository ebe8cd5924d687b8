//! `ibidem-workbench eval trial`: the trial's questions through this installation, or the answers of another pipeline to them,
//! judged in the same way.

mod shown;
#[cfg(test)]
mod tests;

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Instant;

use anyhow::Context as _;
use chrono::Utc;
use ibidem_engine::ask::Engine;
use ibidem_engine::listener::Nobody;
use ibidem_engine::policy::{NotesBy, Policy, SpeakMode};
use ibidem_engine::turn::Asked;
use ibidem_lab::trial::reply::Reply;
use ibidem_lab::trial::score::Report;
use ibidem_lab::trial::{Half, TrialQuestion, sample};
use ibidem_ports::catalogue::{Catalogue as _, DocumentFilter};
use ibidem_ports::degrade::Deadline;
use ibidem_store::{ActionRecord, AuditedAction};
use ibidem_words::{Identity, Question, Scope, TenantId};
use uuid::Uuid;

use crate::compose::{self, Parts};
use crate::console;
use crate::json_lines;
use crate::settings::Settings;

#[derive(clap::Args)]
pub(crate) struct Trial {
    /// The questions: a .jsonl file with one question per line.
    #[arg(default_value = "lab/data/trial.jsonl")]
    file: PathBuf,
    /// Which questions are asked. The sealed half is scored once, when the open one has no more to show: whoever looks
    /// at its answers can no longer measure by it.
    #[arg(long, value_enum, default_value_t = Halves::Open)]
    half: Halves,
    /// Asks only so many questions, taken evenly from the list.
    #[arg(long, value_name = "COUNT")]
    sample: Option<usize>,
    /// Asks the configured language model: it writes, with markers or in a form, or chooses among sentences. Without it,
    /// answers are the documents' own sentences.
    #[arg(long, value_enum, num_args = 0..=1, require_equals = true, default_missing_value = "write")]
    with_model: Option<Asks>,
    /// The documents of each corpus are looked for in the tenant of this name, a hyphen and the corpus: trial-handbook.
    #[arg(long, value_name = "NAME", default_value = "trial")]
    tenants: String,
    /// Asks nothing, and judges the replies in this file: one per line, in the form that lab/data/README.md
    /// describes.
    #[arg(long, value_name = "FILE", conflicts_with_all = ["with_model", "sample"])]
    replies: Option<PathBuf>,
    /// Writes the figures and every question with its reply into this file as JSON.
    #[arg(long, value_name = "FILE")]
    output: Option<PathBuf>,
}

#[derive(Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum Halves {
    Open,
    Sealed,
    Both,
}

/// What a language model is asked for.
#[derive(Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum Asks {
    Write,
    WriteInForm,
    Choose,
}

impl Asks {
    fn rules(asked: Option<Self>) -> (SpeakMode, NotesBy) {
        match asked {
            Some(Self::Write) => (SpeakMode::Model, NotesBy::Markers),
            Some(Self::WriteInForm) => (SpeakMode::Model, NotesBy::Schema),
            Some(Self::Choose) => (SpeakMode::Choose, NotesBy::Markers),
            None => (SpeakMode::Extractive, NotesBy::Markers),
        }
    }
}

impl Halves {
    fn has(self, half: Half) -> bool {
        match self {
            Self::Open => half == Half::Open,
            Self::Sealed => half == Half::Sealed,
            Self::Both => true,
        }
    }
}

impl Trial {
    pub(crate) fn act(&self) -> Option<ActionRecord> {
        let asks = self.replies.is_none();
        asks.then(|| ActionRecord::by_operator(AuditedAction::MeasureQuality, None))
    }

    pub(crate) async fn run(self, settings: &Settings) -> anyhow::Result<()> {
        let questions = json_lines::load::<TrialQuestion>(&self.file)?.into_iter().map(|(_, question)| question);
        let questions: Vec<TrialQuestion> = questions.filter(|question| self.half.has(question.half)).collect();
        let report = match &self.replies {
            Some(file) => handed_in(questions, file)?,
            None => self.asked(questions, settings).await?,
        };
        shown::show(&report);
        if let Some(file) = &self.output {
            let written = serde_json::to_string_pretty(&report)? + "\n";
            std::fs::write(file, written).with_context(|| format!("{} cannot be written", file.display()))?;
        }
        Ok(())
    }

    async fn asked(&self, mut questions: Vec<TrialQuestion>, settings: &Settings) -> anyhow::Result<Report> {
        if let Some(most) = self.sample {
            questions = sample(questions, most);
        }
        let writer = match (self.with_model.is_some(), settings.language_model()) {
            (false, _) => "extractive".to_owned(),
            (true, Some(models)) => models.answer().to_owned(),
            (true, None) => anyhow::bail!("--with-model needs `language_model.url`"),
        };
        let parts = Parts::ready(settings).await?;
        let engine = parts.engine(settings).await?;
        let engine = if self.with_model.is_some() { engine } else { engine.with(|parts| parts.roles = Arc::default()) };
        let asker = Asker { policies: self.policies(&questions)?, engine, parts: &parts, tenants: &self.tenants };
        asker.check_documents(&questions).await?;
        let bar = console::bar(questions.len() as u64, "questions, {eta} left")?;
        let mut replies = Vec::with_capacity(questions.len());
        for question in questions {
            let reply = asker.ask(&question).await.with_context(|| question.id.clone())?;
            replies.push((question, reply));
            bar.inc(1);
        }
        bar.finish_and_clear();
        Ok(Report::of(writer, replies))
    }

    /// Every policy that a question is asked under, by its name.
    fn policies(&self, questions: &[TrialQuestion]) -> anyhow::Result<BTreeMap<String, Arc<Policy>>> {
        let mut policies = BTreeMap::new();
        for question in questions {
            if policies.contains_key(&question.policy) {
                continue;
            }
            let mut policy = Policy::clone(&*compose::named_policy(&question.policy)?);
            (policy.rules.speak.mode, policy.rules.speak.notes_by) = Asks::rules(self.with_model);
            policies.insert(question.policy.clone(), Arc::new(policy));
        }
        Ok(policies)
    }
}

/// Replies of another pipeline to these questions. It may leave questions out; they are not counted.
fn handed_in(questions: Vec<TrialQuestion>, file: &Path) -> anyhow::Result<Report> {
    let replies = json_lines::load::<Reply>(file)?;
    let mut replies: BTreeMap<String, Reply> =
        replies.into_iter().map(|(_, reply)| (reply.id.clone(), reply)).collect();
    let of_question = |question: TrialQuestion| replies.remove(&question.id).map(|reply| (question, reply));
    let answered: Vec<(TrialQuestion, Reply)> = questions.into_iter().filter_map(of_question).collect();
    anyhow::ensure!(!answered.is_empty(), "{} has no reply to any of these questions", file.display());
    Ok(Report::of(file.display().to_string(), answered))
}

/// Somebody of each organisation who asks.
struct Asker<'a> {
    engine: Engine,
    parts: &'a Parts,
    policies: BTreeMap<String, Arc<Policy>>,
    tenants: &'a str,
}

impl Asker<'_> {
    fn identity(&self, corpus: &str) -> Identity {
        Identity::operator(TenantId::named(&format!("{}-{corpus}", self.tenants)), Default::default())
    }

    /// Without its documents a corpus would be refused as a whole, and look as if it were asked in vain.
    async fn check_documents(&self, questions: &[TrialQuestion]) -> anyhow::Result<()> {
        for corpus in questions.iter().map(|question| question.corpus.as_str()).collect::<BTreeSet<_>>() {
            let scope = Scope::of(&self.identity(corpus));
            let one = DocumentFilter { most: 1, ..DocumentFilter::default() };
            anyhow::ensure!(
                self.parts.store.list(&scope, &one).await?.total > 0,
                "the tenant {}-{corpus} has no document; load its documents first, as `just lab trial` does",
                self.tenants
            );
        }
        Ok(())
    }

    /// What POST /v1/answers does with a question, but for the record of it.
    async fn ask(&self, question: &TrialQuestion) -> anyhow::Result<Reply> {
        let identity = self.identity(&question.corpus);
        let scope = Scope::of(&identity);
        let policy = self.policies.get(&question.policy).context("a policy that was not read")?;
        let asked = Asked {
            request_id: Uuid::new_v4(),
            at: Utc::now(),
            scope: scope.clone(),
            policy: Arc::clone(policy),
            question: Question::new(question.question.clone()).after(question.history.clone()),
            deadline: Deadline::NONE,
        };
        let began = Instant::now();
        let (answer, _) = self.engine.turn(&identity, asked, &mut Nobody).await?;
        let seconds = began.elapsed().as_secs_f64();
        Ok(Reply::of(&question.id, &answer, seconds, &self.parts.store, &scope).await?)
    }
}
