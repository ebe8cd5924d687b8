//! The commands, a file for each verb.

mod ask;
mod audit;
mod bench;
mod calibrate;
mod doctor;
mod document;
mod eval;
mod explain;
mod ingest;
mod key;
mod memory;
mod metrics;
mod migrate;
mod models;
mod openapi;
mod policy;
pub(crate) mod read_original;
mod reconcile;
mod reindex;
mod replay;
mod search;
mod serve;
mod signing_key;
mod tag;
mod tenant;
mod term;
mod verify;
mod vocabulary;
mod worker;

use std::path::PathBuf;
use std::process::ExitCode;

use clap::{Parser, Subcommand};

use ibidem_store::{ActionRecord, AuditedAction};

use crate::{compose, logs, settings};

/// Answers from an organisation's own documents, each claim traced to its source.
#[derive(Parser)]
#[command(name = "ibidem", version, propagate_version = true)]
pub(crate) struct Arguments {
    /// A settings file; config/ibidem.yaml describes every setting and its default.
    #[arg(long, global = true, env = "IBIDEM_CONFIG", value_name = "FILE")]
    config: Option<PathBuf>,
    /// One setting, over file and environment; may be repeated.
    #[arg(long = "set", global = true, value_name = "SECTION.KEY=VALUE")]
    set: Vec<String>,
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Checks every part and says how to mend what is wrong.
    Doctor(doctor::Doctor),
    /// Shows which models are in use, their digests, and how fast they are here.
    Models(models::Models),
    /// Brings the database and the index to the shape this version needs.
    Migrate,
    /// Makes, lists and revokes API keys.
    #[command(subcommand)]
    Key(key::Key),
    /// Takes documents in: a folder, a file, or a .jsonl file with a document on each line.
    Ingest(ingest::Ingest),
    /// Lists, shows, retags, removes and erases documents.
    #[command(subcommand)]
    Document(document::Document),
    /// Pins questions to sources and keeps background notes.
    #[command(subcommand)]
    Memory(memory::Memory),
    /// Checks, compares and explains policies.
    #[command(subcommand)]
    Policy(policy::PolicyCommand),
    /// Erases a tenant.
    #[command(subcommand)]
    Tenant(tenant::Tenant),
    /// Says who owns a tag.
    #[command(subcommand)]
    Tag(tag::Tag),
    /// Answers a question from the documents, each sentence with its source, or says why not.
    Ask(ask::Ask),
    /// Checks an old answer's receipt against the documents as they are now; needs no index and no model.
    Verify(verify::Verify),
    /// Lists and replaces the keys that sign receipts.
    #[command(subcommand)]
    SigningKey(signing_key::SigningKeyCommand),
    /// Makes recorded decisions again, and tells which another policy would flip. No model is asked.
    Replay(replay::Replay),
    /// Tells what a question goes through: the lanes, every candidate with its scores, and what dropped it.
    Explain(explain::Explain),
    /// Finds passages by meaning and by words.
    Search(search::Search),
    /// Looks a term up in the configured vocabulary.
    Term(term::Term),
    /// Serves SKOS files as Skosmos does.
    #[command(subcommand)]
    Vocabulary(vocabulary::VocabularyCommand),
    /// Serves the HTTP API.
    Serve(serve::Serve),
    /// Prints what a running server has counted, as GET /metrics does.
    Metrics(metrics::MetricsCommand),
    /// Reads and publishes the documents that were handed in, until it is stopped.
    Worker(worker::Work),
    /// Builds the index anew beside the old one and swaps them, without downtime.
    Reindex(reindex::Reindex),
    /// Finds and mends differences between the catalogue and the index.
    Reconcile(reconcile::Reconcile),
    /// Measures quality on sets of questions with known answers.
    #[command(subcommand)]
    Eval(eval::Eval),
    /// Measures speed beside the bare parts, in a database and an index of its own.
    #[command(subcommand)]
    Bench(bench::Bench),
    /// Shows who did what, and removes old records of what was asked, answered and done.
    #[command(subcommand)]
    Audit(audit::Audit),
    /// Chooses a policy's threshold by labelled questions, so that wrong answers stay under a bound with a confidence.
    Calibrate(calibrate::Calibrate),
    /// Prints the API's description.
    Openapi,
}

impl Command {
    /// What is put on record of it, with the outcome to come. A command that touches nobody's data, or whose parts record
    /// themselves, has none.
    fn act(&self) -> Option<ActionRecord> {
        let act = match self {
            Self::Doctor(_)
            | Self::Models(_)
            | Self::Policy(_)
            | Self::Term(_)
            | Self::Vocabulary(_)
            | Self::Serve(_)
            | Self::Metrics(_)
            | Self::Worker(_)
            | Self::Bench(_)
            | Self::Openapi => return None,
            Self::Migrate => ActionRecord::by_operator(AuditedAction::Migrate, None),
            Self::Reindex(_) => ActionRecord::by_operator(AuditedAction::Reindex, None),
            Self::Reconcile(_) => ActionRecord::by_operator(AuditedAction::Reconcile, None),
            Self::Calibrate(_) => ActionRecord::by_operator(AuditedAction::MeasureQuality, None),
            Self::Eval(command) => return command.act(),
            Self::Key(command) => command.act(),
            Self::SigningKey(command) => command.act()?,
            Self::Ingest(command) => command.act(),
            Self::Document(command) => command.act(),
            Self::Memory(command) => command.act(),
            Self::Tenant(command) => command.act(),
            Self::Tag(command) => command.act(),
            Self::Ask(command) => command.act(),
            Self::Verify(command) => command.act(),
            Self::Replay(command) => command.act(),
            Self::Explain(command) => command.act(),
            Self::Search(command) => command.act(),
            Self::Audit(command) => command.act(),
        };
        Some(act)
    }
}

pub(crate) fn run(arguments: Arguments) -> anyhow::Result<ExitCode> {
    // These need no settings, and work where the settings are wrong.
    let command = match arguments.command {
        Command::Openapi => return openapi::run().map(|()| ExitCode::SUCCESS),
        Command::Policy(command) => return command.run(),
        command => command,
    };
    let settings = settings::load(arguments.config.as_deref(), std::env::vars(), &arguments.set)?;
    logs::start(&settings.log);
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    runtime.block_on(async {
        let done = |result: anyhow::Result<()>| result.map(|()| ExitCode::SUCCESS);
        let mut act = command.act();
        let result = match command {
            Command::Doctor(command) => command.run(&settings).await,
            Command::Models(command) => command.run(&settings).await,
            Command::Migrate => done(migrate::run(&settings).await),
            Command::Key(command) => done(command.run(&settings, &mut act).await),
            Command::Ingest(command) => command.run(&settings, &mut act).await,
            Command::Document(command) => done(command.run(&settings, &mut act).await),
            Command::Memory(command) => done(command.run(&settings, &mut act).await),
            Command::Tenant(command) => done(command.run(&settings, &mut act).await),
            Command::Tag(command) => done(command.run(&settings).await),
            Command::Ask(command) => done(command.run(&settings).await),
            Command::Verify(command) => command.run(&settings).await,
            Command::SigningKey(command) => done(command.run(&settings).await),
            Command::Replay(command) => command.run(&settings).await,
            Command::Explain(command) => done(command.run(&settings).await),
            Command::Search(command) => done(command.run(&settings).await),
            Command::Term(command) => command.run(&settings).await,
            Command::Vocabulary(command) => done(command.run(&settings).await),
            Command::Serve(command) => done(command.run(&settings).await),
            Command::Metrics(command) => done(command.run(&settings).await),
            Command::Worker(command) => done(command.run(&settings).await),
            Command::Reindex(command) => done(command.run(&settings).await),
            Command::Reconcile(command) => done(command.run(&settings).await),
            Command::Eval(command) => command.run(&settings).await,
            Command::Bench(command) => done(command.run(&settings).await),
            Command::Audit(command) => done(command.run(&settings).await),
            Command::Calibrate(command) => command.run(&settings).await,
            Command::Openapi | Command::Policy(_) => Ok(ExitCode::SUCCESS),
        };
        if let Some(mut act) = act {
            if result.is_err() {
                act.outcome = "failed".into();
            }
            compose::audit::record(&settings, act).await;
        }
        result
    })
}
