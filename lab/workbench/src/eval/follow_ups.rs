//! `ibidem-workbench eval follow-ups`: conversations whose questions go on with one another, asked and compared.

use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::Context as _;
use ibidem_engine::listener::Nobody;
use ibidem_lab::follow_ups::{AskedChain, by_kind, judged, parse};
use ibidem_words::{Action, Message, Question, Speaker};

use crate::compose::{self, Parts};
use crate::console;
use crate::operator::ReaderAccess;
use crate::settings::Settings;

#[derive(clap::Args)]
pub(crate) struct FollowUps {
    /// Chains of questions, one chain on each line, with what each answer must have.
    #[arg(long, default_value = "lab/data/follow_ups.jsonl")]
    chains: PathBuf,
    /// Asks only the chains about this corpus. Load its documents first.
    #[arg(long)]
    corpus: String,
    #[command(flatten)]
    access: ReaderAccess,
    /// Uses this policy file in place of `policy.use`: the name of a built-in one, or a path.
    #[arg(long)]
    policy: Option<String>,
    /// Exits with 1 when fewer chains than this are right.
    #[arg(long, default_value_t = 0)]
    least: usize,
    /// Prints every question and answer as JSON.
    #[arg(long)]
    json: bool,
}

impl FollowUps {
    pub(crate) async fn run(self, settings: &Settings) -> anyhow::Result<ExitCode> {
        let file = self.chains.display();
        let text = std::fs::read_to_string(&self.chains).with_context(|| format!("{file} cannot be read"))?;
        let chains = parse(&text).map_err(|error| anyhow::anyhow!("{file}: {error}"))?;
        let policy = compose::policy(settings, self.policy.as_deref())?;
        let parts = Parts::ready(settings).await?;
        parts.check(settings, &policy)?;
        let engine = parts.engine(settings).await?;
        let mut asked = Vec::new();
        for chain in chains.into_iter().filter(|chain| chain.corpus == self.corpus) {
            let mut history: Vec<Message> = Vec::new();
            let mut turns = Vec::new();
            for turn in &chain.turns {
                let question = Question::new(turn.ask.clone()).after(history.clone());
                let spoken = engine.ask(self.access.asked(question, policy.clone()), &mut Nobody).await?;
                let answer = spoken.answer;
                turns.push(judged(turn, &answer));
                // As a conversation has it: only what was answered is gone on with.
                if answer.action == Action::Cite {
                    let question = answer.rewritten_question.unwrap_or_else(|| turn.ask.clone());
                    let message = |role, content| Message { role, content, timestamp: None };
                    history.extend([message(Speaker::User, question), message(Speaker::Assistant, answer.answer)]);
                }
            }
            asked.push(AskedChain { id: chain.id, kind: chain.kind, turns });
        }
        anyhow::ensure!(!asked.is_empty(), "{file} has no chain about the corpus {:?}", self.corpus);
        self.show(&asked)
    }

    fn show(&self, asked: &[AskedChain]) -> anyhow::Result<ExitCode> {
        let right = asked.iter().filter(|chain| chain.is_right()).count();
        if self.json {
            console::say_json(&asked)?;
        } else {
            for chain in asked.iter().filter(|chain| !chain.is_right()) {
                for turn in &chain.turns {
                    let rewritten = turn.rewritten.as_ref().map(|text| format!(" → {text}")).unwrap_or_default();
                    let wrong = turn.wrong.as_deref().unwrap_or("right");
                    console::say(&format!("{} {} {}{rewritten}: {wrong}", chain.id, chain.kind, turn.ask));
                    console::say(&format!("    {}", turn.answer.replace('\n', " ")));
                }
            }
            for (kind, (right, all)) in by_kind(asked) {
                console::say(&format!("{kind}: {right} of {all}"));
            }
            console::say(&format!("chains that are right: {right} of {}", asked.len()));
        }
        Ok(if right >= self.least { ExitCode::SUCCESS } else { ExitCode::FAILURE })
    }
}
