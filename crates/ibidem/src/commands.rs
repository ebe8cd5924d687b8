//! The commands, a file for each verb.

mod ask;
mod audit;
mod backup;
mod calibrate;
mod completions;
mod doctor;
mod document;
mod eval;
mod explain;
mod groups;
mod hand_over;
mod help;
mod ingest;
mod key;
mod login;
mod mcp;
mod memory;
mod metrics;
mod migrate;
mod models;
mod openapi;
mod policies;
mod policy;
mod reconcile;
mod reindex;
mod replay;
mod restore;
mod running_server;
mod search;
mod serve;
mod signing_key;
mod tag;
mod tenant;
mod term;
mod tools;
mod try_out;
mod verify;
mod worker;

use std::process::ExitCode;
use std::sync::LazyLock;

use clap::{FromArgMatches as _, Parser, Subcommand};

use ibidem_adapters::otlp::Otlp;
use ibidem_store::{ActionRecord, AuditedAction};
use ibidem_wiring::arguments::SettingsArguments;

use crate::{compose, logs};

/// Answers questions from an organisation's own documents; every sentence of an answer cites its source.
#[derive(Parser)]
#[command(name = "ibidem", version = version(), long_version = long_version(), propagate_version = true)]
pub(crate) struct Arguments {
    #[command(flatten)]
    settings: SettingsArguments,
    #[command(subcommand)]
    command: Command,
}

impl Arguments {
    /// What this program was called with. Wrong arguments and `--help` end it here.
    pub(crate) fn of_program() -> Self {
        let matches = help::command().get_matches();
        Self::from_arg_matches(&matches).unwrap_or_else(|error| error.exit())
    }
}

/// The release and the commit it was built from, which `IBIDEM_COMMIT` names while it is compiled.
fn version() -> &'static str {
    static VERSION: LazyLock<String> = LazyLock::new(|| {
        let built =
            option_env!("IBIDEM_COMMIT").map_or("development build".to_owned(), |commit| format!("commit {commit}"));
        format!("{} ({built})", env!("CARGO_PKG_VERSION"))
    });
    &VERSION
}

/// The same, and what this binary has inside: `-V` has one line, `--version` has all.
fn long_version() -> &'static str {
    static VERSION: LazyLock<String> = LazyLock::new(|| {
        let pages = if ibidem_server::pages_are_built() { "yes" } else { "no" };
        let (architecture, system) = (std::env::consts::ARCH, std::env::consts::OS);
        format!("{}\npages for browsers: {pages}\nreader: built in\nplatform: {architecture}-{system}", version())
    });
    &VERSION
}

#[derive(Subcommand)]
enum Command {
    /// Starts everything on this machine, to try it: PostgreSQL, Qdrant, the server, the pages and demo documents.
    ///
    /// It prints a link that signs a browser in. Everything is on loopback addresses and ends with Ctrl-C; the data stays for
    /// the next time. It needs no settings, and PostgreSQL and Qdrant need not be installed where a bundle has them.
    Try(try_out::Try),
    #[command(hide = true)]
    RunChild(try_out::child::RunChild),
    /// Checks every part of the installation and says how to fix what is wrong.
    ///
    /// It checks the database, the folder of originals, the models, the index, the vocabulary, the policy file, the
    /// tool servers, the targets of hand-over, the audit, sign-in and the traces. It exits with 1 when a part is broken; a warning does not count.
    Doctor(doctor::Doctor),
    /// Lists the models in use, the hashes of their files, and how fast they are on this machine.
    Models(models::Models),
    /// Creates the database tables and the index, or updates them to this version.
    ///
    /// Run it once after installing and after every upgrade. Running it again changes nothing.
    Migrate,
    /// Creates, lists and revokes API keys.
    #[command(subcommand)]
    Key(key::Key),
    /// Signs in at the identity provider by a code in any browser, and prints an access token for the HTTP API.
    Login(login::Login),
    /// Says what groups of the identity provider give their members: a role and tags.
    #[command(subcommand)]
    Groups(groups::Groups),
    /// Loads documents: a file, a folder, or a .jsonl file with one document per line.
    ///
    /// Documents are put into a queue, and `ibidem worker` reads and indexes them; with --wait this command does it
    /// itself. A document that was loaded before gets a new version if it changed, and is skipped if it did not.
    Ingest(ingest::Ingest),
    /// Lists, shows, retags, removes and erases documents.
    #[command(subcommand)]
    Document(document::Document),
    /// Manages curated memory: questions pinned to their sources, and background notes.
    ///
    /// Both are used for similar questions, for everybody who has one of their tags.
    #[command(subcommand)]
    Memory(memory::Memory),
    /// Checks, compares and explains policy files.
    ///
    /// A policy file lists the gates (rules that drop weak passages or refuse a question), their thresholds, and the
    /// texts of refusals. These commands need no server and no settings.
    #[command(subcommand)]
    Policy(policy::PolicyCommand),
    /// Sets which policy file is in force for a tenant (organisation) and for its collections.
    #[command(subcommand)]
    Policies(policies::Policies),
    /// Erases a tenant (an organisation) with all its data.
    #[command(subcommand)]
    Tenant(tenant::Tenant),
    /// Sets the owner of a tag.
    #[command(subcommand)]
    Tag(tag::Tag),
    /// Shows how many questions wait to be handed over to owners, were sent, and were given up.
    ///
    /// It lists those that could not be sent yet, with the reason and without their words. Each is deleted 30 days after it
    /// was asked. docs/how_to/hand_over.md explains it.
    HandOver(hand_over::HandOver),
    /// Answers a question from the documents with a citation for each sentence, or says why not.
    Ask(ask::Ask),
    /// Checks the receipt of an answer against the documents as they are now.
    ///
    /// A receipt is the signed record of each sentence of an answer with its sources. This needs the database, but no
    /// index and no model server. It exits with 1 when anything does not hold.
    Verify(verify::Verify),
    /// Lists and replaces the keys that sign receipts.
    #[command(subcommand)]
    SigningKey(signing_key::SigningKeyCommand),
    /// Re-runs logged questions and lists which of them another policy file would decide differently.
    ///
    /// Without --policy it checks that each question is decided as it was logged. No model is called and nothing is
    /// searched: the scores come from the log. Use it before you change a threshold.
    Replay(replay::Replay),
    /// Shows the steps of a question: every passage found, all its scores, and what dropped it.
    ///
    /// Use it to find out why a question was refused, or why a passage is not cited.
    Explain(explain::Explain),
    /// Finds passages by meaning (embeddings) and by keywords (BM25).
    Search(search::Search),
    /// Looks up a term in the configured vocabulary.
    Term(term::Term),
    /// Lists the tools of the configured tool servers, with the digests by which policy files pin them.
    Tools(tools::Tools),
    /// Runs the HTTP API.
    Serve(serve::Serve),
    /// Connects a program that starts its own server of the Model Context Protocol to a running server.
    ///
    /// It passes each message from standard input on to POST /mcp of the server, with your API key, and writes the
    /// reply to standard output. docs/agents.md has settings for common programs.
    Mcp(mcp::Mcp),
    /// Prints the metrics of a running server, as GET /metrics does.
    Metrics(metrics::MetricsCommand),
    /// Runs the worker that reads and indexes loaded documents, until it is stopped.
    Worker(worker::Work),
    /// Builds a new index beside the old one and switches over without downtime.
    ///
    /// Needed after a change of the embedding model, of `index.language`, or of the settings of a collection (shards,
    /// replicas, quantization). Stored vectors are used again where the embedding model is the same.
    Reindex(reindex::Reindex),
    /// Compares the database with the index and repairs the index.
    ///
    /// Normally nothing differs. Use it after the index was restored from a backup, or when `ibidem doctor` advises it.
    Reconcile(reconcile::Reconcile),
    /// Copies everything that must not be lost into a folder, while the installation is in use.
    ///
    /// That is the database and the originals, with checksums. The index is made from the database and is not copied.
    Backup(backup::Backup),
    /// Brings a backup back into an empty database, and fills the index.
    Restore(restore::Restore),
    /// Measures quality on the golden set: questions with known outcomes.
    #[command(subcommand)]
    Eval(eval::Eval),
    /// Lists who did what to which data, and deletes old records.
    #[command(subcommand)]
    Audit(audit::Audit),
    /// Chooses the threshold of a policy file from labelled questions, with a bound on wrong answers.
    ///
    /// With the stated confidence, at most the stated share of the questions that pass the threshold should have been
    /// refused. When the labels are too few for that, it says about how many more are needed, writes nothing and exits
    /// with 1. docs/calibration.md explains it.
    Calibrate(calibrate::Calibrate),
    /// Prints the OpenAPI description of the HTTP API.
    Openapi,
    /// Prints the script by which a shell completes commands and options.
    ///
    /// For bash: `ibidem completions bash > ~/.local/share/bash-completion/completions/ibidem`. For zsh, into a folder of
    /// `fpath` as `_ibidem`. For fish: `~/.config/fish/completions/ibidem.fish`.
    Completions(completions::Completions),
}

impl Command {
    /// Whether it answers requests or reads documents: only these are traced.
    fn makes_traces(&self) -> bool {
        matches!(self, Self::Serve(_) | Self::Worker(_) | Self::Ingest(_))
    }

    /// What is put on record of it, with the outcome to come. A command that touches nobody's data, or whose parts record
    /// themselves, has none.
    fn act(&self) -> Option<ActionRecord> {
        let act = match self {
            Self::Try(_)
            | Self::RunChild(_)
            | Self::Completions(_)
            | Self::Doctor(_)
            | Self::Models(_)
            | Self::Policy(_)
            | Self::Login(_)
            | Self::Term(_)
            | Self::Tools(_)
            | Self::HandOver(_)
            | Self::Serve(_)
            | Self::Mcp(_)
            | Self::Metrics(_)
            | Self::Worker(_)
            | Self::Openapi => return None,
            Self::Migrate => ActionRecord::by_operator(AuditedAction::Migrate, None),
            Self::Reindex(_) => ActionRecord::by_operator(AuditedAction::Reindex, None),
            Self::Reconcile(_) => ActionRecord::by_operator(AuditedAction::Reconcile, None),
            Self::Backup(_) => ActionRecord::by_operator(AuditedAction::Backup, None),
            Self::Restore(_) => ActionRecord::by_operator(AuditedAction::Restore, None),
            Self::Calibrate(_) => ActionRecord::by_operator(AuditedAction::MeasureQuality, None),
            Self::Eval(command) => return command.act(),
            Self::Key(command) => command.act(),
            Self::Groups(command) => command.act(),
            Self::Policies(command) => command.act(),
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
        Command::Completions(command) => {
            command.run();
            return Ok(ExitCode::SUCCESS);
        }
        Command::Try(command) => return command.run(&arguments.settings),
        Command::RunChild(command) => return command.run(),
        command => command,
    };
    let settings = arguments.settings.load()?;
    let traces = command.makes_traces().then(|| logs::traces(&settings)).transpose()?.flatten();
    logs::start(&settings.log, traces.as_ref());
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    let ended = runtime.block_on(async {
        let done = |result: anyhow::Result<()>| result.map(|()| ExitCode::SUCCESS);
        let mut act = command.act();
        let result = match command {
            Command::Doctor(command) => command.run(&settings).await,
            Command::Models(command) => command.run(&settings).await,
            Command::Migrate => done(migrate::run(&settings).await),
            Command::Key(command) => done(command.run(&settings, &mut act).await),
            Command::Login(command) => done(command.run(&settings).await),
            Command::Groups(command) => done(command.run(&settings, &mut act).await),
            Command::Policies(command) => done(command.run(&settings, &mut act).await),
            Command::Ingest(command) => command.run(&settings, &mut act).await,
            Command::Document(command) => done(command.run(&settings, &mut act).await),
            Command::Memory(command) => done(command.run(&settings, &mut act).await),
            Command::Tenant(command) => done(command.run(&settings, &mut act).await),
            Command::Tag(command) => done(command.run(&settings).await),
            Command::HandOver(command) => done(command.run(&settings).await),
            Command::Ask(command) => command.run(&settings).await,
            Command::Verify(command) => command.run(&settings).await,
            Command::SigningKey(command) => done(command.run(&settings).await),
            Command::Replay(command) => command.run(&settings).await,
            Command::Explain(command) => done(command.run(&settings).await),
            Command::Search(command) => done(command.run(&settings).await),
            Command::Term(command) => command.run(&settings).await,
            Command::Tools(command) => done(command.run(&settings).await),
            Command::Serve(command) => {
                let spans_lost = traces.as_ref().map(Otlp::lost).unwrap_or_default();
                done(command.run(&settings, spans_lost).await)
            }
            Command::Mcp(command) => done(command.run(&settings).await),
            Command::Metrics(command) => done(command.run(&settings).await),
            Command::Worker(command) => done(command.run(&settings).await),
            Command::Reindex(command) => done(command.run(&settings).await),
            Command::Reconcile(command) => done(command.run(&settings).await),
            Command::Backup(command) => done(command.run(&settings).await),
            Command::Restore(command) => done(command.run(&settings).await),
            Command::Eval(command) => command.run(&settings).await,
            Command::Audit(command) => done(command.run(&settings).await),
            Command::Calibrate(command) => command.run(&settings).await,
            Command::Openapi
            | Command::Policy(_)
            | Command::Completions(_)
            | Command::Try(_)
            | Command::RunChild(_) => Ok(ExitCode::SUCCESS),
        };
        if let Some(mut act) = act {
            if result.is_err() {
                act.outcome = "failed".into();
            }
            compose::audit::record(&settings, act).await;
        }
        result
    });
    if let Some(traces) = traces {
        traces.finish();
    }
    ended
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory as _;

    use super::Arguments;

    #[test]
    fn the_version_says_what_the_binary_has_inside() {
        let command = Arguments::command();
        let (short, long) = (command.render_version(), command.render_long_version());
        assert_eq!(short.lines().count(), 1, "{short}");
        assert!(short.contains(env!("CARGO_PKG_VERSION")), "{short}");
        assert!(long.starts_with(short.trim_end()), "{long}");
        assert!(long.contains("\npages for browsers: ") && long.contains("\nreader: built in"), "{long}");
    }
}
