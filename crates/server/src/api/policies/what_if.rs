//! `POST /v1/policies/what-if`: the last decisions made again with other thresholds, before these are in force.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use axum::Json;
use axum::extract::State;
use chrono::{DateTime, Utc};
use ibidem_engine::policy::{MoveError, Policy, Threshold};
use ibidem_engine::replay::{Change, Flip, Replay};
use ibidem_ports::records::DecisionRecord;
use ibidem_store::{ActionObject, LastDecision, LastDecisionsOf};
use ibidem_words::{Action, CollectionName, GateRecord, Reason};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;
use uuid::Uuid;

use crate::audit::Act;
use crate::identity::Caller;
use crate::json::Sent;
use crate::problem::{Problem, ProblemDocument};
use crate::state::AppState;

/// So many decisions are looked at.
const MOST_DECISIONS: u16 = 1_000;
/// Read at once: a record with all its scores may be large.
const PAGE: u16 = 100;
/// After this time what was reached is told.
const MOST_TIME: Duration = Duration::from_secs(10);
/// More flips are counted and not listed.
const MOST_LISTED: usize = 200;
/// No policy file has more thresholds.
const MOST_CHANGES: usize = 200;

/// Thresholds to try.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct WhatIfBody {
    /// The collection whose policy file is meant; that of the tenant as a whole when left out.
    #[serde(default)]
    #[schema(value_type = Option<String>)]
    collection: Option<CollectionName>,
    /// The new number of each threshold that is moved, by its setting. With none, the reply lists the thresholds and says
    /// how many decisions can be made again.
    #[serde(default)]
    changes: BTreeMap<String, f64>,
}

/// A threshold of the policy file in force.
#[derive(Serialize, ToSchema)]
pub(crate) struct ThresholdBody {
    /// Its setting, as `ibidem policy diff` names it: `sift.top1_similarity`.
    setting: String,
    /// What is in force.
    value: f64,
    /// It may be moved from 0 to this.
    most: f64,
}

impl From<Threshold> for ThresholdBody {
    fn from(Threshold { setting, value, most }: Threshold) -> Self {
        Self { setting, value, most }
    }
}

/// Why decisions were not made again, with how many.
#[derive(Serialize, ToSchema, Default)]
pub(crate) struct NotReplayedBody {
    /// They were made under another policy file than the one in force.
    other_policy: usize,
    /// Their records cannot be read by this version.
    unreadable: usize,
    /// With the thresholds in force they do not come out as they did: an older version made them.
    not_the_same: usize,
    /// The time for this request was over.
    out_of_time: usize,
}

/// What becomes of a question.
#[derive(Serialize, ToSchema)]
pub(crate) struct OutcomeBody {
    /// `cite`, `refuse`, `clarify` or `route`; null where the question would be answered, and only a language model could
    /// tell how that ends.
    #[schema(value_type = Option<Action>)]
    action: Option<Action>,
    /// Why it is not answered.
    #[schema(value_type = Option<Reason>)]
    reason: Option<Reason>,
}

impl OutcomeBody {
    fn of(outcome: Option<(Action, Option<Reason>)>) -> Self {
        let (action, reason) = outcome.unzip();
        Self { action, reason: reason.flatten() }
    }
}

/// A decision that would come out otherwise.
#[derive(Serialize, ToSchema)]
pub(crate) struct FlipBody {
    request_id: Uuid,
    asked_at: DateTime<Utc>,
    /// The question; null where questions are not kept in words.
    question: Option<String>,
    /// What became of it.
    before: OutcomeBody,
    /// What would become of it.
    after: OutcomeBody,
    /// The gate that decides it; empty where what was written is judged otherwise.
    gate: String,
    /// The gate's numbers as they were; null where it did not look.
    #[schema(value_type = Option<GateRecord>)]
    was: Option<GateRecord>,
    /// The gate's numbers as they would be; null where it would not look, or where that is not known.
    #[schema(value_type = Option<GateRecord>)]
    would_be: Option<GateRecord>,
}

/// What other thresholds would change.
#[derive(Serialize, ToSchema)]
pub(crate) struct WhatIfReply {
    /// What the policy file in force calls itself.
    policy: String,
    policy_sha256: String,
    /// Its thresholds, in the order in which they count.
    thresholds: Vec<ThresholdBody>,
    /// The last decisions of the tenant that were looked at, at most 1,000.
    decisions: usize,
    /// Those of them that were made again.
    replayed: usize,
    not_replayed: NotReplayedBody,
    /// Questions that were answered and would not be.
    lost: usize,
    /// Questions that were not answered and would be.
    won: usize,
    /// Questions that would not be answered as before, for another reason.
    other_reason: usize,
    /// Questions that would still be answered, from other passages or in other words.
    reworded: usize,
    /// The decisions that would come out otherwise, the newest first, at most 200.
    flips: Vec<FlipBody>,
    /// The text of the policy file with these numbers, for `PUT /v1/policies`, without comments; null when nothing is
    /// changed, or where thresholds come from a file of their own.
    policy_text: Option<String>,
}

/// Shows which of the last decisions other thresholds would flip.
///
/// The last 1,000 decisions of the tenant are made again from their records, first with the thresholds in force, then with
/// those that are sent. No model is asked and nothing is put in force.
#[utoipa::path(post, path = "/v1/policies/what-if", operation_id = "what_if", tag = "policies",
    request_body = WhatIfBody, security(("api_key" = [])),
    responses(
        (status = 200, body = WhatIfReply),
        (status = 403, body = ProblemDocument, content_type = "application/problem+json"),
        (status = 422, body = ProblemDocument, content_type = "application/problem+json"),
    ))]
pub(crate) async fn try_out(
    State(state): State<AppState>,
    act: Act,
    caller: Caller,
    Sent(WhatIfBody { collection, changes }): Sent<WhatIfBody>,
) -> Result<Json<WhatIfReply>, Problem> {
    if changes.len() > MOST_CHANGES {
        return Err(Problem::invalid(format!("changes: at most {MOST_CHANGES} thresholds can be moved at once.")));
    }
    let tenant = caller.0.tenant();
    let named: Vec<CollectionName> = collection.into_iter().collect();
    let own = state.policy_for(tenant, None, &named).await?;
    let moved = own.moved(&changes).map_err(|error| match error {
        MoveError::Unknown(_) => Problem::invalid(format!("changes: {error}; the reply to no changes lists them.")),
        MoveError::Policy(error) => Problem::invalid(format!("changes: {error}")),
    })?;
    for policy in [&own, &moved] {
        Replay::under(policy).map_err(|error| Problem::invalid(format!("changes: {error}.")))?;
    }
    act.on(ActionObject::new("policy", own.hash));
    act.detail("changes", changes.len());
    // One at a time: the records are large, and making decisions again takes a processor.
    let _turn = state.what_ifs.acquire().await.map_err(|_| Problem::internal())?;
    let until = Instant::now() + MOST_TIME;
    let policy_text = (!changes.is_empty() && own.texts.thresholds.is_none()).then(|| moved.texts.policy.clone());
    let reply = WhatIfReply::before(&own, policy_text);
    let mut trial = Trial { own: Policy::clone(&own), moved, until, reply };
    let mut of = LastDecisionsOf { tenant, policy_sha256: own.hash, before: None, most: PAGE };
    while trial.reply.decisions < usize::from(MOST_DECISIONS) {
        let page = state.store.last_decisions(of).await?;
        let Some(last) = page.last() else { break };
        of.before = Some((last.asked_at, last.id));
        let is_last = page.len() < usize::from(PAGE);
        let taken = tokio::task::spawn_blocking(move || {
            for decision in page {
                trial.take(decision);
            }
            trial
        });
        trial = taken.await.map_err(|_| Problem::internal())?;
        if is_last || Instant::now() >= until {
            break;
        }
    }
    Ok(Json(trial.reply))
}

/// Decisions made again under both policies.
struct Trial {
    own: Policy,
    moved: Policy,
    until: Instant,
    reply: WhatIfReply,
}

impl Trial {
    fn take(&mut self, last: LastDecision) {
        let found = &mut self.reply;
        found.decisions += 1;
        let Some(written) = &last.decision else {
            found.not_replayed.other_policy += 1;
            return;
        };
        if Instant::now() >= self.until {
            found.not_replayed.out_of_time += 1;
            return;
        }
        let (Ok(own), Ok(moved), Ok(record)) =
            (Replay::under(&self.own), Replay::under(&self.moved), serde_json::from_str::<DecisionRecord>(written))
        else {
            found.not_replayed.unreadable += 1;
            return;
        };
        if !own.again(&record).is_as_recorded(&record) {
            found.not_replayed.not_the_same += 1;
            return;
        }
        found.replayed += 1;
        match Change::of(&record, &moved.again(&record)) {
            Change::None => {}
            Change::Reworded(_) => found.reworded += 1,
            Change::Flip(flip) => found.flipped(last, flip),
        }
    }
}

impl WhatIfReply {
    /// Before any decision was looked at.
    fn before(policy: &Policy, policy_text: Option<String>) -> Self {
        Self {
            policy: policy.rules.name.clone(),
            policy_sha256: policy.hash.to_string(),
            thresholds: policy.thresholds().into_iter().map(ThresholdBody::from).collect(),
            decisions: 0,
            replayed: 0,
            not_replayed: NotReplayedBody::default(),
            lost: 0,
            won: 0,
            other_reason: 0,
            reworded: 0,
            flips: Vec::new(),
            policy_text,
        }
    }

    fn flipped(&mut self, last: LastDecision, Flip { from, to, gate, was, would_be }: Flip) {
        let is_answered = |outcome: Option<(Action, Option<Reason>)>| {
            // Where only a model could tell, it would be answered.
            outcome.is_none_or(|(action, _)| action == Action::Cite)
        };
        match (from.0 == Action::Cite, is_answered(to)) {
            (true, false) => self.lost += 1,
            (false, true) => self.won += 1,
            _ => self.other_reason += 1,
        }
        if self.flips.len() == MOST_LISTED {
            return;
        }
        self.flips.push(FlipBody {
            request_id: last.request_id,
            asked_at: last.asked_at,
            question: last.question,
            before: OutcomeBody::of(Some(from)),
            after: OutcomeBody::of(to),
            gate,
            was,
            would_be,
        });
    }
}
