//! Calls that change something: proposed to the asker, and made with the asker's own word alone.
//!
//! The word is a token that was shown to this asker for this call. It counts once, for a short time, and only as the
//! asker's whole message: no code reads one from a document, from a result or from what was said before.

use std::collections::BTreeMap;

use chrono::TimeDelta;
use ibidem_ports::clock::{self, Instant};
use ibidem_ports::confirmations::{CallToConfirm, Confirmed, Confirmer, FormerCall, Proposal};
use ibidem_ports::degrade::Part;
use ibidem_ports::records::{ToolCallRecord, ToolOutcome};
use ibidem_ports::tools::{Tools, ToolsError};
use ibidem_words::{ConfirmationToken, ProposedCall, Reason, Sha256Hash, SubjectId, ToolCallId};
use serde_json::{Map, Value};
use uuid::Uuid;

use super::arguments::Given;
use super::rendered_reply::{RenderedReply, filled};
use super::result::problem;
use super::{
    Replied, Stop, Usable, absent, arguments_for, arguments_missing, cite, described, finished, gate, record_of,
    refused, used,
};
use crate::listener::Listener;
use crate::outcome::{Clarified, Decided, Outcome, Retrieval};
use crate::parts::Parts;
use crate::policy::ToolRules;
use crate::turn::{Asked, TurnLog};

/// The name of the gate that waits for the asker's word.
const GATE: &str = "tool_confirmation";

/// Keeps the call until the asker confirms it. The tool is looked at, and not called.
pub(super) async fn proposed(
    parts: &Parts,
    (rules, server): Usable<'_>,
    by: Option<SubjectId>,
    asked: &Asked,
    given: &Given<'_>,
    record: &mut ToolCallRecord,
) -> Result<ProposedCall, Stop> {
    let (Some(confirmations), Some(asker), Some(words)) = (&parts.confirmations, by, &rules.wording.confirm) else {
        return Err(Stop::new(ToolOutcome::NotAllowed, "Tools that change something may be called (0 of 1)"));
    };
    arguments_missing(rules, given)?;
    let looked = server.call(asked.deadline, |server| fitting(server, rules, given, &mut record.pin)).await;
    let arguments = looked.map_err(|error| Stop::of(&error))??;
    let expires_at = asked.at + TimeDelta::seconds(rules.confirm_within_s.into());
    let call = CallToConfirm {
        call_id: record.call_id,
        server: rules.server.clone(),
        tool: rules.tool.clone(),
        pin: rules.pinned,
        arguments,
    };
    let proposal = Proposal { by: confirmer(asked, asker), call, expires_at };
    let kept = confirmations.propose(&proposal).await;
    let token = kept.map_err(|error| {
        Stop::new(ToolOutcome::Unavailable, "Calls that could be kept until they are confirmed (0 of 1)")
            .because(error.to_string())
    })?;
    Ok(ProposedCall {
        token: Some(token),
        server: rules.server.clone(),
        tool: rules.tool.clone(),
        arguments: given.named().map(|(name, value)| (name.to_owned(), value.to_owned())).collect(),
        effect: filled(words, |name| given.value(name)).unwrap_or_default(),
        expires_at,
    })
}

/// The arguments as the tool takes them, if it is the pinned one.
async fn fitting(
    server: &dyn Tools,
    rules: &ToolRules,
    given: &Given<'_>,
    pin: &mut Option<Sha256Hash>,
) -> Result<Result<Map<String, Value>, Stop>, ToolsError> {
    let found = described(server, rules, pin).await?;
    Ok(found.and_then(|described| arguments_for(&described, given)))
}

/// Whose word it must be. What the asker does elsewhere confirms nothing here.
fn confirmer(asked: &Asked, asker: SubjectId) -> Confirmer {
    let question = &asked.question;
    let conversation = question.session_id.clone().or_else(|| question.conversation.clone());
    Confirmer { tenant: asked.scope.tenant(), asker, conversation }
}

/// Asks the asker to confirm: what will happen, by which tool, with which arguments.
pub(super) fn ask_to(proposed: ProposedCall, listener: &mut dyn Listener) -> Decided {
    let mut text = format!("{}\n\n{}: {}", proposed.effect, proposed.server, proposed.tool);
    for (name, value) in &proposed.arguments {
        text.push_str(&format!("\n- {name}: {value}"));
    }
    listener.sentence(&text, Vec::new());
    let clarified = Clarified {
        text,
        reason: Some(Reason::ToolConfirmationNeeded),
        explanation: Some("Confirmations of the asker (0) below those needed (1)".to_owned()),
        offers: Vec::new(),
        details: Vec::new(),
        quoted: None,
    };
    let log = TurnLog::of(gate(GATE, 0, 1));
    let decided = Decided::plainly(Outcome::Clarified(clarified), Retrieval::by_rule(), log);
    Decided { proposed: Some(proposed), ..decided }
}

/// Makes the call that the asker confirms, or says why it is not made.
pub(crate) async fn confirmed(
    parts: &Parts,
    by: Option<SubjectId>,
    asked: &Asked,
    token: &ConfirmationToken,
    listener: &mut dyn Listener,
) -> Decided {
    let began = clock::now();
    let taken = match (&parts.confirmations, by) {
        (Some(confirmations), Some(asker)) => confirmations.confirm(token, &confirmer(asked, asker), asked.at).await,
        _ => Ok(Confirmed::Unknown),
    };
    let (outcome, explanation, former, failure) = match taken {
        Ok(Confirmed::Call(call)) => return made(parts, asked, call, began, listener).await,
        Ok(Confirmed::Expired(former)) => {
            (ToolOutcome::ConfirmationExpired, "Confirmations in time (0 of 1): it came too late", Some(former), None)
        }
        Ok(Confirmed::Used(former)) => (
            ToolOutcome::ConfirmationUsed,
            "Confirmations not used yet (0 of 1): it was used before",
            Some(former),
            None,
        ),
        Ok(Confirmed::Unknown) => {
            let explanation = "Confirmations of this asker in this conversation (0 of 1)";
            (ToolOutcome::ConfirmationUnknown, explanation, None, None)
        }
        Err(error) => {
            let explanation = "Confirmations that could be looked up (0 of 1): nothing was called";
            (ToolOutcome::Unavailable, explanation, None, Some(error.to_string()))
        }
    };
    let stop = Stop { failure, ..Stop::new(outcome, explanation) };
    let mut decided = refused(asked, stop);
    decided.log.trace = vec![gate(GATE, 0, 1)];
    if let Some(FormerCall { call_id, server, tool }) = former {
        let mut record = record_of(&call_id_of(asked, server, tool), Vec::new());
        record.outcome = outcome;
        record.confirms = Some(call_id);
        record.took_ms = u64::try_from(began.elapsed().as_millis()).unwrap_or(u64::MAX);
        decided.tool_calls = vec![record];
    }
    decided
}

fn call_id_of(asked: &Asked, server: String, tool: String) -> ToolCallId {
    ToolCallId { server, tool, call: Uuid::new_v5(&asked.request_id, b"confirmed") }
}

/// The token is used up by now: whatever happens, this call is made at most once.
async fn made(
    parts: &Parts,
    asked: &Asked,
    call: CallToConfirm,
    began: Instant,
    listener: &mut dyn Listener,
) -> Decided {
    let arguments: BTreeMap<&str, String> =
        call.arguments.iter().map(|(name, value)| (name.as_str(), render(value))).collect();
    let id = call_id_of(asked, call.server.clone(), call.tool.clone());
    let named = arguments.iter().map(|(name, value)| ((*name).to_owned(), value.clone()));
    let mut record = ToolCallRecord { confirms: Some(call.call_id), ..record_of(&id, named.collect()) };
    let given = gate(GATE, 1, 1);
    let (rules, server) = match allowed(parts, asked, &call) {
        Ok(usable) => usable,
        Err(stop) => {
            record.outcome = stop.outcome;
            return finished(refused(asked, stop), record, began, given);
        }
    };
    let mut is_sent = false;
    let rendered = called(rules, server, asked, &call, &mut record, &mut is_sent).await;
    record.outcome = rendered.as_ref().map_or_else(|stop| stop.outcome, RenderedReply::outcome);
    let decided = match rendered {
        Ok(RenderedReply::Text { text, note }) => cite(asked, &id, &text, note, listener),
        Ok(RenderedReply::Absent) => absent(rules, |name| arguments.get(name).map(String::as_str)),
        Err(stop) if is_sent => unsure(asked, rules, stop),
        Err(stop) => refused(asked, stop),
    };
    finished(decided, record, began, given)
}

/// The policy and the asker's tags as they are now: what was allowed when it was proposed may not be any more.
fn allowed<'a>(parts: &'a Parts, asked: &'a Asked, call: &CallToConfirm) -> Result<Usable<'a>, Stop> {
    let mut tools = asked.policy.rules.gather.tools.iter();
    let rules = tools.find(|rules| rules.server == call.server && rules.tool == call.tool);
    let rules = rules.filter(|rules| {
        let is_seen = asked.scope.sees(asked.scope.tenant(), &rules.tags);
        rules.writes && rules.wording.confirm.is_some() && is_seen
    });
    let usable = rules.zip(parts.tools.get(&call.server));
    let (rules, server) = usable.ok_or_else(|| {
        Stop::new(ToolOutcome::NotAllowed, "Tools that may be called (0 of 1): it is not allowed any more")
    })?;
    if rules.pinned != call.pin {
        let explanation = "Descriptions of the tool that are as shown (0 of 1): it was not called";
        return Err(Stop::new(ToolOutcome::Changed, explanation));
    }
    Ok((rules, server))
}

async fn called(
    rules: &ToolRules,
    server: &Part<dyn Tools>,
    asked: &Asked,
    call: &CallToConfirm,
    record: &mut ToolCallRecord,
    is_sent: &mut bool,
) -> Result<RenderedReply, Stop> {
    let sending = server.call(asked.deadline, |server| sent(server, rules, call, &mut record.pin, is_sent));
    let replied = sending.await.map_err(|error| Stop::of(&error))??;
    used(rules, replied, record)
}

/// Calls the tool if it is still the one that the asker was shown.
async fn sent(
    server: &dyn Tools,
    rules: &ToolRules,
    call: &CallToConfirm,
    pin: &mut Option<Sha256Hash>,
    is_sent: &mut bool,
) -> Result<Result<Replied, Stop>, ToolsError> {
    let described = match described(server, rules, pin).await? {
        Ok(described) => described,
        Err(stop) => return Ok(Err(stop)),
    };
    if let Some(problem) = problem(&described.arguments, &Value::Object(call.arguments.clone())) {
        let explanation = "Arguments that the tool takes (0 of 1 set): it was not called";
        return Ok(Err(Stop::new(ToolOutcome::Changed, explanation).because(problem)));
    }
    *is_sent = true;
    let reply = server.call(&rules.tool, &call.arguments).await?;
    Ok(Ok((described, reply)))
}

/// The call went out, and nobody knows what became of it. That is what is said.
fn unsure(asked: &Asked, rules: &ToolRules, stop: Stop) -> Decided {
    let words = rules.wording.unsure.as_deref().map(|words| words.trim().to_owned());
    let mut decided = refused(asked, stop);
    if let Outcome::Refused(refused) = &mut decided.outcome {
        refused.text = words.unwrap_or_else(|| std::mem::take(&mut refused.text));
        refused.refusal.suggestions =
            vec!["Look in the other system whether it was done before you ask for it again.".to_owned()];
    }
    decided
}

/// An argument as the asker was shown it.
fn render(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}
