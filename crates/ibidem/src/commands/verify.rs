//! `ibidem verify`: an old answer, checked again against the documents as they are now.

use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;

use anyhow::Context as _;
use ibidem_engine::receipts::{Presented, Proof, Report, Witnesses, proof, verify};
use ibidem_ports::degrade::Part;
use ibidem_ports::embedder::Embedder;
use ibidem_ports::vocabulary::Vocabulary;
use ibidem_store::{ActionRecord, AuditedAction};
use ibidem_words::{KeySet, PublicKeys, SignatureOutcome, StretchKind};

use crate::operator::ReaderAccess;
use crate::settings::Settings;
use crate::{compose, console};

/// Longer sentences are cut in the table.
const LONGEST_CELL: usize = 100;

#[derive(clap::Args)]
pub(crate) struct Verify {
    /// A file with a receipt or a whole answer, as JSON; - reads standard input.
    receipt: PathBuf,
    #[command(flatten)]
    access: ReaderAccess,
    /// Checks only the signature, against the public keys in this file; no database is needed. The file is a JSON Web
    /// Key Set, as an installation publishes it at /.well-known/ibidem-receipt-keys.json. Use it when you have a
    /// receipt but not the documents.
    #[arg(long, value_name = "FILE")]
    keys: Option<PathBuf>,
    /// Prints JSON.
    #[arg(long)]
    json: bool,
}

impl Verify {
    pub(crate) fn act(&self) -> ActionRecord {
        self.access.operator.act(AuditedAction::VerifyAnswer)
    }

    /// Fails when anything does not hold, so that scripts can tell. Needs the database; no index, no model server.
    pub(crate) async fn run(self, settings: &Settings) -> anyhow::Result<ExitCode> {
        let text = self.load().with_context(|| format!("cannot read {}", self.receipt.display()))?;
        let presented = Presented::parse(&text)?;
        if let Some(file) = &self.keys {
            return by_signature(&presented, &public_keys_in(file)?, self.json);
        }
        let store = compose::ready_store(settings).await?;
        let corpus = store.texts(&self.access.scope(), &presented.receipt.documents()).await?;
        let vocabulary = compose::vocabulary(settings)?;
        let vocabulary = vocabulary.map(|vocabulary| Part::bare(Arc::new(vocabulary) as Arc<dyn Vocabulary>));
        // As the sentences were judged before; where there is no embedding model, words alone judge.
        let embedder = compose::embedder(settings).await.ok().map(|embedder| Part::bare(embedder as Arc<dyn Embedder>));
        let entailment = compose::entailment(settings, embedder).await?;
        let keys = store.public_keys().await?;
        let witnesses =
            Witnesses { keys: &keys, corpus: &corpus, entailment: Some(&entailment), vocabulary: vocabulary.as_ref() };
        let report = verify(&presented, &witnesses).await;
        console::say_json_or(self.json, &report, || show(&report))?;
        Ok(if report.holds { ExitCode::SUCCESS } else { ExitCode::FAILURE })
    }

    fn load(&self) -> std::io::Result<String> {
        match self.receipt.as_os_str() == "-" {
            true => std::io::read_to_string(std::io::stdin()),
            false => std::fs::read_to_string(&self.receipt),
        }
    }
}

fn public_keys_in(file: &Path) -> anyhow::Result<PublicKeys> {
    let reading = || format!("cannot read a JSON Web Key Set from {}", file.display());
    let set: KeySet =
        serde_json::from_str(&std::fs::read_to_string(file).with_context(reading)?).with_context(reading)?;
    PublicKeys::from_set(&set).with_context(reading)
}

/// What the public keys alone tell.
#[derive(serde::Serialize)]
struct BySignature<'a> {
    holds: bool,
    #[serde(flatten)]
    proof: Proof,
    signature: SignatureOutcome,
    tampered: &'a [String],
}

/// Whether the installation with these keys made this receipt, and nothing was changed since.
fn by_signature(presented: &Presented, keys: &PublicKeys, as_json: bool) -> anyhow::Result<ExitCode> {
    let receipt = &presented.receipt;
    let signature = keys.check(receipt.sha256, receipt.asked_at, receipt.signature.as_ref());
    let holds = matches!(signature, SignatureOutcome::Valid { .. }) && presented.tampered.is_empty();
    let proof = proof(presented, &signature);
    if as_json {
        let tampered = &presented.tampered;
        let report = BySignature { holds, proof, signature, tampered };
        console::say_json(&report)?;
    } else {
        say_tampered(&presented.tampered);
        let sources = if holds { "; whether its sources still say so needs the documents" } else { "" };
        console::say(&format!("{}{sources}", signed(&signature)));
        console::say(&proof.proves);
    }
    Ok(if holds { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

fn say_tampered(tampered: &[String]) {
    for line in tampered {
        console::say(&format!("tampered: {line}"));
    }
}

/// What the signature is worth, in a sentence.
fn signed(signature: &SignatureOutcome) -> String {
    match signature {
        SignatureOutcome::Valid { key } => format!("signed by this installation (key {key})"),
        SignatureOutcome::Unsigned => "not signed: nobody vouches for it".to_owned(),
        SignatureOutcome::UnknownKey { key } => format!("signed by a key that is not known here ({key})"),
        SignatureOutcome::Forged { key } => format!("not signed by the key that it names ({key})"),
        SignatureOutcome::OutOfTime { key } => {
            format!("signed by a key of this installation ({key}) with a date at which that key did not sign")
        }
        SignatureOutcome::Revoked { key, at } => {
            format!("signed by a key that was revoked on {} ({key}): anybody may have signed it", at.format("%F"))
        }
    }
}

fn show(report: &Report) {
    say_tampered(&report.tampered);
    let mut table = console::table(&["", "text", "outcome", "why"]);
    for (number, stretch) in (1..).zip(&report.stretches) {
        let (outcome, why) = (stretch.outcome.as_str().to_owned(), stretch.why.clone());
        table.add_row([number.to_string(), shortened(&stretch.text), outcome, why]);
    }
    if !report.stretches.is_empty() {
        console::say(&table.to_string());
    }
    let claims = || report.stretches.iter().filter(|stretch| stretch.kind == StretchKind::Claim);
    let held = claims().filter(|stretch| stretch.outcome.holds()).count();
    let whole = if report.tampered.is_empty() { "the receipt is whole" } else { "the receipt was changed" };
    console::say(&format!("{whole}, {}; {held} of {} claims hold", signed(&report.signature), claims().count()));
    console::say(&report.proof.proves);
    let mut mends: Vec<&str> = report.stretches.iter().filter_map(|stretch| stretch.mend).collect();
    mends.dedup();
    for mend in mends {
        console::say(&format!("Next: {mend}"));
    }
}

/// In one line.
fn shortened(text: &str) -> String {
    let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
    match text.char_indices().nth(LONGEST_CELL) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text,
    }
}
