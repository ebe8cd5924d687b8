//! Facts that live in other systems: looked up by a tool, told in the policy's words, cited by the call.
//!
//! Only the asker's own words choose a tool and give it its arguments. What a tool, a document or an earlier answer says
//! is data, and calls nothing. A tool that is not described as the policy pins it is not called, and of its result only
//! what fits the schema, and only the fields that the policy names, are used. No model has a part in any of it. A tool that
//! changes something is called when the asker has confirmed the call ([`confirm`]).

mod arguments;
mod confirm;
mod rendered_reply;
mod result;

use ibidem_ports::clock::{self, Instant};
use ibidem_ports::degrade::{Fault as _, Part};
use ibidem_ports::records::{ToolCallRecord, ToolOutcome};
use ibidem_ports::tools::{ToolDescription, ToolReply, Tools, ToolsError, ToolsFault};
use ibidem_words::Fallback;
use ibidem_words::{
    CharSpan, Citation, CitedSource, CitedTool, GateRecord, ProposedCall, Reason, Receipt, ReceiptSource, Refusal,
    SentenceCheck, Sha256Hash, Stretch, StretchKind, SubjectId, ToolCallId, Verdict,
};
use serde_json::{Map, Value};
use uuid::Uuid;

use arguments::Given;
pub(crate) use confirm::confirmed;
pub(crate) use rendered_reply::{RenderedReply, render};

use crate::listener::Listener;
use crate::no_look_alike;
use crate::outcome::{Cited, Clarified, Decided, Outcome, Refused, Retrieval, Writing};
use crate::parts::Parts;
use crate::policy::{GatherRules, ToolRules, Topic};
use crate::turn::{Asked, TurnLog};

/// A fact's name and its value, as it is shown.
pub(crate) type Field = (String, String);

/// A tool that can be had, and what asks its server.
type Usable<'a> = (&'a ToolRules, &'a Part<dyn Tools>);

/// The tool of a topic, where its server is configured and the asker may have it called; for others it does not exist.
pub(crate) fn of_topic<'a>(
    parts: &'a Parts,
    asked: &Asked,
    rules: &'a GatherRules,
    topic: &Topic,
) -> Option<Usable<'a>> {
    let name = topic.tool.as_ref()?;
    let tool = rules.tools.iter().find(|tool| tool.name == *name)?;
    let server = parts.tools.get(&tool.server)?;
    asked.scope.sees(asked.scope.tenant(), &tool.tags).then_some((tool, server))
}

/// The tool that the question means by rule: one topic alone matches it. A question that only gives what an earlier one
/// lacked goes on with that one's tool.
pub(crate) fn asked_for<'a>(parts: &'a Parts, asked: &Asked, rules: &'a GatherRules) -> Option<Usable<'a>> {
    let by_words = |words: &str| {
        let topics = rules.topics.as_ref()?.topics.iter();
        let mut matching = topics.filter(|topic| topic.patterns.iter().any(|pattern| pattern.regex().is_match(words)));
        let topic = matching.next()?;
        matching.next().is_none().then(|| of_topic(parts, asked, rules, topic)).flatten()
    };
    by_words(&asked.question.query).or_else(|| {
        let before = arguments::previous_question(&asked.question)?;
        let (tool, server) = by_words(before)?;
        arguments::completes(&asked.question, before, tool).then_some((tool, server))
    })
}

/// Why there is no result to tell.
pub(crate) struct Stop {
    pub(crate) outcome: ToolOutcome,
    /// Explains it to the asker, with the numbers.
    pub(crate) explanation: String,
    /// For the operator: what the server or the schema said.
    failure: Option<String>,
    flags: Vec<Fallback>,
}

impl Stop {
    pub(crate) fn new(outcome: ToolOutcome, explanation: impl Into<String>) -> Self {
        Self { outcome, explanation: explanation.into(), failure: None, flags: Vec::new() }
    }

    pub(crate) fn because(self, failure: impl Into<String>) -> Self {
        Self { failure: Some(failure.into()), ..self }
    }

    fn of(error: &ToolsError) -> Self {
        let (outcome, explanation) = match error {
            ToolsError::Timeout(limit) => {
                (ToolOutcome::Timeout, format!("The tool did not answer within its time ({limit} ms)"))
            }
            ToolsError::CircuitOpen { .. } => {
                (ToolOutcome::CircuitOpen, "Tool servers that are asked (0 of 1): it failed too often".to_owned())
            }
            ToolsError::Unavailable(_) => (
                ToolOutcome::Unavailable,
                "Tool servers that answered (0 of 1): the fact could not be looked up".to_owned(),
            ),
            ToolsError::Own(ToolsFault::Busy { most }) => {
                (ToolOutcome::Busy, format!("Calls of the tool under way ({most}) are as many as may be ({most})"))
            }
            ToolsError::Own(ToolsFault::TooLarge { most_bytes }) => {
                (ToolOutcome::TooLarge, format!("The tool's reply is larger than it may be ({most_bytes} bytes)"))
            }
            ToolsError::Own(ToolsFault::Unstructured) => {
                (ToolOutcome::InvalidResult, "Structured results that the tool gave (0 of 1)".to_owned())
            }
        };
        let mut flags = Vec::new();
        error.raise_if_not_asked(&mut flags);
        Self { flags, ..Self::new(outcome, explanation).because(error.to_string()) }
    }
}

/// What a tool brought.
enum CallResult {
    Rendered(RenderedReply),
    /// It changes something: the asker is asked first.
    Proposed(ProposedCall),
}

/// Looks a fact up, and says it or why not. A call that changes something is proposed.
pub(crate) async fn looked_up(
    parts: &Parts,
    (rules, server): Usable<'_>,
    by: Option<SubjectId>,
    asked: &Asked,
    listener: &mut dyn Listener,
) -> Decided {
    let began = clock::now();
    let call = ToolCallId {
        server: rules.server.clone(),
        tool: rules.tool.clone(),
        call: Uuid::new_v5(&asked.request_id, rules.name.as_bytes()),
    };
    let given = Given::of(&asked.question, rules);
    let named = given.named().map(|(name, value)| (name.to_owned(), value.to_owned()));
    let mut record = record_of(&call, named.collect());
    let needed = gate("tool_arguments", given.count(), rules.arguments.len());
    let found = if rules.writes {
        confirm::proposed(parts, (rules, server), by, asked, &given, &mut record).await.map(CallResult::Proposed)
    } else {
        looked_at(rules, server, asked, &given, &mut record).await.map(CallResult::Rendered)
    };
    record.outcome = match &found {
        Ok(CallResult::Rendered(reply)) => reply.outcome(),
        Ok(CallResult::Proposed(_)) => ToolOutcome::ConfirmationNeeded,
        Err(stop) => stop.outcome,
    };
    let decided = match found {
        Ok(CallResult::Rendered(RenderedReply::Text { text, note })) => cite(asked, &call, &text, note, listener),
        Ok(CallResult::Rendered(RenderedReply::Absent)) => absent(rules, |name| given.value(name)),
        Ok(CallResult::Proposed(proposed)) => confirm::ask_to(proposed, listener),
        Err(stop) if stop.outcome == ToolOutcome::ArgumentsMissing => ask_for(rules, &given, stop, listener),
        Err(stop) => refused(asked, stop),
    };
    finished(decided, record, began, needed)
}

/// The record of a call that is about to be made.
fn record_of(call: &ToolCallId, arguments: Vec<(String, String)>) -> ToolCallRecord {
    ToolCallRecord {
        server: call.server.clone(),
        tool: call.tool.clone(),
        call_id: call.call,
        outcome: ToolOutcome::Answered,
        pin: None,
        arguments,
        result: Vec::new(),
        took_ms: 0,
        confirms: None,
    }
}

/// With the record of the call, and the gate that came before it.
fn finished(decided: Decided, mut record: ToolCallRecord, began: Instant, before: GateRecord) -> Decided {
    record.took_ms = u64::try_from(began.elapsed().as_millis()).unwrap_or(u64::MAX);
    let mut decided = Decided { tool_calls: vec![record], ..decided };
    decided.log.trace.insert(0, before);
    decided
}

/// What is told; each step may be the last.
async fn looked_at(
    rules: &ToolRules,
    server: &Part<dyn Tools>,
    asked: &Asked,
    given: &Given<'_>,
    record: &mut ToolCallRecord,
) -> Result<RenderedReply, Stop> {
    arguments_missing(rules, given)?;
    let replied = server.call(asked.deadline, |server| replied(server, rules, given, &mut record.pin)).await;
    used(rules, replied.map_err(|error| Stop::of(&error))??, record)
}

/// Stops where the asker has not given all that the tool needs.
fn arguments_missing(rules: &ToolRules, given: &Given<'_>) -> Result<(), Stop> {
    if given.count() < rules.arguments.len() {
        let explanation = format!("Arguments given ({}) below those needed ({})", given.count(), rules.arguments.len());
        return Err(Stop::new(ToolOutcome::ArgumentsMissing, explanation));
    }
    Ok(())
}

type Replied = (ToolDescription, ToolReply);

/// What is told of a reply, as far as it can be relied on.
fn used(rules: &ToolRules, (described, reply): Replied, record: &mut ToolCallRecord) -> Result<RenderedReply, Stop> {
    let result = match reply {
        ToolReply::Result(result) => result,
        ToolReply::Failed(reason) => {
            return Err(Stop::new(ToolOutcome::Failed, "Tools that did not fail (0 of 1)").because(reason));
        }
    };
    record.result = result::fields(rules, described.result.as_ref(), &result)?;
    render(rules, &record.result)
}

/// Looks at the tool as its server describes it at this moment, and calls it if it is the pinned one. Both are one call to
/// the breaker: a server that can only describe its tools is of no use.
async fn replied(
    server: &dyn Tools,
    rules: &ToolRules,
    given: &Given<'_>,
    pin: &mut Option<Sha256Hash>,
) -> Result<Result<Replied, Stop>, ToolsError> {
    let found = described(server, rules, pin).await?;
    let fitting = found.and_then(|described| Ok((arguments_for(&described, given)?, described)));
    Ok(match fitting {
        Ok((arguments, described)) => Ok((described, server.call(&rules.tool, &arguments).await?)),
        Err(stop) => Err(stop),
    })
}

/// The tool as its server describes it at this moment, if it is the pinned one.
async fn described(
    server: &dyn Tools,
    rules: &ToolRules,
    pin: &mut Option<Sha256Hash>,
) -> Result<Result<ToolDescription, Stop>, ToolsError> {
    let Some(described) = server.list().await?.into_iter().find(|tool| tool.name == rules.tool) else {
        let explanation = "Tools of this name (0 of 1): it is not there any more";
        return Ok(Err(Stop::new(ToolOutcome::Changed, explanation)));
    };
    *pin = Some(described.pin());
    Ok(unchanged(rules, &described).map(|()| described))
}

/// Only what somebody has looked at is called.
fn unchanged(rules: &ToolRules, described: &ToolDescription) -> Result<(), Stop> {
    let pin = described.pin();
    if pin != rules.pinned {
        let failure = format!("{} is described by {pin} now, and the policy pins {}", rules.tool, rules.pinned);
        let explanation = "Descriptions of the tool that are as pinned (0 of 1): it was not called";
        return Err(Stop::new(ToolOutcome::Changed, explanation).because(failure));
    }
    match described.read_only {
        Some(false) if !rules.writes => {
            let failure = format!("{} changes something, by what its server says", rules.tool);
            let explanation = "Tools that change something may be called (0 of 1)";
            Err(Stop::new(ToolOutcome::NotAllowed, explanation).because(failure))
        }
        _ => Ok(()),
    }
}

/// What the schema does not take is asked for again: it was read from the question by a pattern, and may be mistyped.
fn arguments_for(described: &ToolDescription, given: &Given<'_>) -> Result<Map<String, Value>, Stop> {
    let arguments = given.typed(&described.arguments);
    let value = Value::Object(arguments.clone());
    match result::problem(&described.arguments, &value) {
        None => Ok(arguments),
        Some(problem) => {
            let explanation = "Arguments that the tool takes (0 of 1 set)";
            Err(Stop::new(ToolOutcome::ArgumentsMissing, explanation).because(problem))
        }
    }
}

fn cite(asked: &Asked, call: &ToolCallId, text: &str, note: String, listener: &mut dyn Listener) -> Decided {
    let text = format!("{text}[1]");
    let citation = citation(asked, call, note);
    listener.sentence(&text, vec![citation.clone()]);
    let check = SentenceCheck { by: "tool".to_owned(), ..SentenceCheck::verbatim() };
    let sources = vec![ReceiptSource::from(&citation)];
    let receipt = Receipt::unsealed(None, vec![Stretch { text, kind: StretchKind::Claim, check, sources }]);
    let writing = Writing { passages: 1, ..Writing::default() };
    let cited = Cited { receipt, citations: vec![citation], confidence: None, writing };
    let retrieval = Retrieval { base: 1.0, is_by_rule: true };
    Decided::plainly(Outcome::Cited(cited), retrieval, TurnLog::of(gate("tool", 1, 1)))
}

/// There is no such thing: the system knows that, and it is said so.
fn absent<'a>(rules: &ToolRules, value: impl Fn(&str) -> Option<&'a str>) -> Decided {
    let text = rendered_reply::filled(&rules.wording.absent, value).unwrap_or_default();
    let refusal = Refusal {
        reason: Reason::EntityNotFound,
        explanation: "Entries that the tool found (0) below threshold (1)".to_owned(),
        suggestions: Vec::new(),
    };
    Decided::refused_by_rule(Refused::saying(text, refusal), gate("tool", 0, 1))
}

/// Asks for what is missing.
fn ask_for(rules: &ToolRules, given: &Given<'_>, stop: Stop, listener: &mut dyn Listener) -> Decided {
    let mut asking: Vec<&str> = given.missing().map(|argument| argument.ask.as_str()).collect();
    if asking.is_empty() {
        // All of it was there, and the tool does not take it.
        asking = rules.arguments.iter().map(|argument| argument.ask.as_str()).collect();
    }
    let mut text = rules.wording.missing.trim().to_owned();
    for ask in &asking {
        text.push_str("\n- ");
        text.push_str(ask.trim());
    }
    listener.sentence(&text, Vec::new());
    let clarified = Clarified {
        text,
        reason: Some(Reason::ToolArgumentsMissing),
        explanation: Some(stop.explanation),
        offers: Vec::new(),
        details: asking.iter().map(|ask| ask.trim().to_owned()).collect(),
        quoted: None,
    };
    let decided = Decided::plainly(Outcome::Clarified(clarified), Retrieval::by_rule(), TurnLog::default());
    Decided { failure: stop.failure, ..decided }
}

fn refused(asked: &Asked, stop: Stop) -> Decided {
    let suggestions = match stop.outcome {
        ToolOutcome::Timeout | ToolOutcome::CircuitOpen | ToolOutcome::Busy | ToolOutcome::Unavailable => {
            vec![asked.policy.rules.wording.texts().again.clone()]
        }
        _ => Vec::new(),
    };
    let reason = stop.outcome.reason().unwrap_or(Reason::ToolUnavailable);
    let refusal = Refusal { reason, explanation: stop.explanation, suggestions };
    let log = TurnLog { fallback_reasons: stop.flags, ..TurnLog::of(gate("tool", 0, 1)) };
    let refused = Outcome::Refused(Refused::under(&asked.policy, refusal));
    Decided { failure: stop.failure, ..Decided::plainly(refused, Retrieval::by_rule(), log) }
}

/// How many there were, of how many.
pub(crate) fn gate(name: &str, observed: usize, threshold: usize) -> GateRecord {
    let verdict = if observed >= threshold { Verdict::Pass } else { Verdict::Stop };
    GateRecord { gate: name.to_owned(), verdict, observed: observed as f64, threshold: threshold as f64 }
}

/// The result of a call as a source: the call in place of a passage.
fn citation(asked: &Asked, call: &ToolCallId, note: String) -> Citation {
    let length = u32::try_from(note.chars().count()).unwrap_or(u32::MAX);
    Citation {
        marker: 1,
        source_id: CitedSource::Tool(call.clone()),
        document_id: call.call,
        document_name: format!("{}: {}", call.server, call.tool),
        version: 1,
        updated_at: asked.at,
        chunk_index: 0,
        page_number: None,
        section: None,
        cells: None,
        relevance_score: 1.0,
        snippet: no_look_alike::snippet_of(&note),
        span: CharSpan { start: 0, end: length },
        document_sha256: Sha256Hash::of(note.as_bytes()),
        snippet_full: note,
        address: None,
        collection: None,
        file: None,
        link: None,
        status: None,
        replaced_by: Vec::new(),
        tool: Some(CitedTool {
            server: call.server.clone(),
            tool: call.tool.clone(),
            call_id: call.call,
            called_at: asked.at,
        }),
    }
}
