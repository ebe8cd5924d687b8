//! `ibidem eval promote`: answers that somebody reviewed, added to the golden set.

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::Context as _;
use ibidem_measure::golden::{Problem, by_rule, text};
use ibidem_measure::promote::{CitedDocument, Review, ReviewVerdict, StoredTurn, add, promote};
use ibidem_ports::catalogue::Catalogue as _;
use ibidem_store::{Feedback, FeedbackReason, Store, Thumb};
use ibidem_words::{Answer, CitedSource, DocumentId, PassageKey, TenantId};
use uuid::Uuid;

use crate::operator::ReaderAccess;
use crate::settings::Settings;
use crate::{compose, console, json_lines};

#[derive(clap::Args)]
pub(crate) struct Promote {
    /// Reviews, one per line: `request_id`, `verdict` (right, wrong or should_refuse), `category`, and `expected`, as
    /// in the golden set, where the verdict alone does not say what is expected.
    #[arg(required_unless_present = "feedback")]
    reviews: Option<PathBuf>,
    /// Takes what askers said of answers (POST /v1/answers/{id}/feedback) as reviews: the thumb up makes an answer
    /// right, and `should_have_refused` makes it one that must be refused. What else is wrong needs a review that says
    /// what is expected, and is only listed.
    #[arg(long, conflicts_with = "reviews")]
    feedback: bool,
    /// The golden set to which they are added.
    #[arg(long, default_value = "demo/architecture/golden_queries.jsonl")]
    golden: PathBuf,
    /// The policy file whose rules recognise questions about terms, addresses and lists.
    #[arg(long, default_value = "architecture")]
    policy: String,
    #[command(flatten)]
    access: ReaderAccess,
    /// Shows what would be added, and writes nothing.
    #[arg(long)]
    dry_run: bool,
}

impl Promote {
    /// All of them, or none: fails after naming everything that is wrong.
    pub(crate) async fn run(self, settings: &Settings) -> anyhow::Result<ExitCode> {
        let rules = &compose::named_policy(&self.policy)?.rules.gather;
        let store = compose::ready_store(settings).await?;
        let reviews = match &self.reviews {
            Some(file) => json_lines::load::<Review>(file)?,
            None => self.given(&store).await?,
        };
        let mut queries = Vec::new();
        let mut refused = false;
        for (line, review) in reviews {
            match self.promoted(&store, &review).await {
                Ok(query) => queries.push(query),
                Err(error) => {
                    refused = true;
                    console::complain(&format!("line {line}, request {}: {error:#}", review.request_id));
                }
            }
        }
        let addition = add(&text(&self.golden)?, queries);
        let of_rules: Vec<Problem> = by_rule::check(&addition.added, rules);
        let problems = addition.text.as_ref().err().into_iter().flatten().chain(&of_rules);
        for problem in problems {
            refused = true;
            console::complain(&problem.to_string());
        }
        for id in &addition.there_already {
            console::say(&format!("{id}: the set has this question already"));
        }
        let Some(text) = addition.text.ok().filter(|_| !refused) else {
            console::say("nothing was added");
            return Ok(ExitCode::FAILURE);
        };
        for added in &addition.added {
            console::say(&format!("{}: {} ({})", added.query.id, added.query.query, added.query.category));
        }
        if self.dry_run || addition.added.is_empty() {
            console::say("nothing was written");
            return Ok(ExitCode::SUCCESS);
        }
        write_whole(&self.golden, &text)?;
        console::say(&format!("{} added to {}", addition.added.len(), self.golden.display()));
        Ok(ExitCode::SUCCESS)
    }

    /// Reviews of what askers said, oldest first, numbered as lines are.
    async fn given(&self, store: &Store) -> anyhow::Result<Vec<(usize, Review)>> {
        let mut given = Vec::new();
        let mut after = None;
        loop {
            let page = store.feedback(&self.access.scope(), true, after, FEEDBACK_A_PAGE).await?;
            let Some(last) = page.last() else { break };
            after = Some((last.given_at, last.request_id));
            given.extend(page);
        }
        given.reverse();
        let mut reviews = Vec::new();
        for feedback in given {
            match Review::of_feedback(feedback.request_id, verdict_of(&feedback.feedback)) {
                Some(review) => reviews.push((reviews.len() + 1, review)),
                None => {
                    let reason = feedback.feedback.reason.map_or("down", FeedbackReason::as_str);
                    let question = feedback.question.unwrap_or_else(|| "(its words were not kept)".to_owned());
                    console::say(&format!("{} {reason}: {question}: write a review for it", feedback.request_id));
                }
            }
        }
        Ok(reviews)
    }

    async fn promoted(&self, store: &Store, review: &Review) -> anyhow::Result<ibidem_measure::golden::GoldenQuery> {
        let tenant = self.access.operator.tenant_id();
        let turn = stored(store, tenant, review.request_id).await?.with_context(|| {
            format!(
                "there is no record of it for the tenant {:?}; was it kept long enough?",
                self.access.operator.tenant
            )
        })?;
        let cited = self.cited(store, &turn.answer).await?;
        Ok(promote(review, &turn, &cited)?)
    }

    /// The documents that an answer cites, as the catalogue has them now for somebody who sees this much.
    async fn cited(&self, store: &Store, answer: &Answer) -> anyhow::Result<Vec<CitedDocument>> {
        let passages = answer.citations.iter().filter(|cited| matches!(cited.source_id, CitedSource::Passage(_)));
        let keys: BTreeSet<PassageKey> = passages
            .map(|cited| PassageKey {
                document: DocumentId(cited.document_id),
                version: cited.version,
                chunk_index: cited.chunk_index,
            })
            .collect();
        let keys: Vec<PassageKey> = keys.into_iter().collect();
        let found = store.visible(&self.access.scope(), &keys).await?;
        anyhow::ensure!(
            found.len() == keys.len(),
            "{} of the {} passages it cites are not there any more, or not visible (--tags)",
            keys.len() - found.len(),
            keys.len()
        );
        let document = |passage: ibidem_ports::catalogue::CataloguePassage| CitedDocument {
            collection: passage.collection.to_string(),
            address: passage.address,
        };
        Ok(found.into_iter().map(document).collect())
    }
}

/// Read at once.
const FEEDBACK_A_PAGE: u16 = 500;

/// What a reviewer would say; none where that takes more than the asker said.
fn verdict_of(feedback: &Feedback) -> Option<ReviewVerdict> {
    match (feedback.thumb, feedback.reason) {
        (Thumb::Up, _) => Some(ReviewVerdict::Right),
        (Thumb::Down, Some(FeedbackReason::ShouldHaveRefused)) => Some(ReviewVerdict::ShouldRefuse),
        (Thumb::Down, _) => None,
    }
}

/// The last record of a request.
async fn stored(store: &Store, tenant: TenantId, request_id: Uuid) -> anyhow::Result<Option<StoredTurn>> {
    let Some(record) = store.audit(tenant, request_id).await?.pop() else { return Ok(None) };
    let answer: Answer =
        serde_json::from_value(record.answer).context("its record is not an answer of this version")?;
    let is_hashed = record.texts == "hashed";
    // A question that went on with another is kept as it was searched for: so it stands by itself.
    let asked = || record.question["query"].as_str().filter(|_| !is_hashed).map(str::to_owned);
    let query = answer.rewritten_question.clone().filter(|_| !is_hashed).or_else(asked);
    Ok(Some(StoredTurn { is_hashed, query, answer }))
}

/// Beside the old file first, so that there is always a whole one.
fn write_whole(path: &std::path::Path, text: &str) -> anyhow::Result<()> {
    let beside = path.with_extension("jsonl.new");
    std::fs::write(&beside, text).with_context(|| format!("{} cannot be written", beside.display()))?;
    std::fs::rename(&beside, path).with_context(|| format!("{} cannot be replaced", path.display()))
}
