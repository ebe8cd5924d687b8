//! A reply without what is different each time: ids of requests and conversations, times, and the digests that hold
//! them. Only fields of these names are masked, and of them only ids, times, digests and numbers.

use uuid::Uuid;

/// Fields whose value is different each time.
const CHANGING: [&str; 26] = [
    "request_id",
    "id",
    "subject_id",
    "subject",
    "asked_at",
    "created_at",
    "changed_at",
    "given_at",
    "taken_in_at",
    "acted_at",
    "recorded_at",
    "last_used_at",
    "first_seen_at",
    "last_seen_at",
    "session_id",
    "timestamp",
    "expires_at",
    "created",
    "duration_ms",
    "generation_time_ms",
    "milliseconds",
    "took_ms",
    // Of the whole receipt, with its request and its time; every other digest is compared.
    "sha256",
    "receipt_sha256",
    "duration",
    // [stage, milliseconds], in order.
    "stages",
];

/// The reply's own bytes, with `~` for the value of every such field.
pub(super) fn masked(reply: &str) -> String {
    let mut kept = String::with_capacity(reply.len());
    let mut rest = reply;
    while let Some(quote) = rest.find('"') {
        let (before, from) = rest.split_at(quote);
        kept.push_str(before);
        let field = CHANGING.iter().find(|name| from[1..].starts_with(&format!("{name}\":")));
        let Some(field) = field else {
            kept.push('"');
            rest = &from[1..];
            continue;
        };
        let value = &from[field.len() + 3..];
        kept.push_str(&format!("\"{field}\":~"));
        rest = &value[length_of(value)..];
    }
    kept.push_str(rest);
    without_minutes(&without_requests(&kept))
}

/// How long an id, a time, a digest or a number is that a text begins with. Anything else is kept.
fn length_of(value: &str) -> usize {
    match value.as_bytes().first() {
        // None of these values has a quotation mark in it.
        Some(b'"') => value[1..].find('"').filter(|end| is_changing(&value[1..=*end])).map_or(0, |end| end + 2),
        Some(b'[') => value.find("]]").map_or(0, |end| end + 2),
        Some(b'0'..=b'9' | b'-') => value.find([',', '}', ']']).unwrap_or(value.len()),
        _ => 0,
    }
}

fn is_changing(text: &str) -> bool {
    let last = text.get(text.len().saturating_sub(36)..).unwrap_or_default();
    let is_digest = text.len() == 64 && text.bytes().all(|byte| byte.is_ascii_hexdigit());
    is_digest || Uuid::try_parse(last).is_ok() || chrono::DateTime::parse_from_rfc3339(text).is_ok()
}

/// Errors in OpenAI's form name their request in the message.
fn without_requests(text: &str) -> String {
    const BEFORE: &str = "(request ";
    let mut pieces = text.split(BEFORE);
    let mut kept = pieces.next().unwrap_or_default().to_owned();
    for piece in pieces {
        let id = piece.get(..36).filter(|id| Uuid::try_parse(id).is_ok());
        kept.push_str(BEFORE);
        kept.push_str(id.map_or(piece, |id| &piece[id.len()..]));
    }
    kept
}

/// An exported conversation says to the minute when something was asked.
fn without_minutes(text: &str) -> String {
    let mut kept = text.to_owned();
    while let Some(at) = kept.find(" UTC\n").filter(|at| *at >= 16) {
        kept.replace_range(at - 16..at + 4, "~");
    }
    kept
}

#[test]
fn only_what_is_named_is_masked() {
    let id = "00000000-0000-0000-0000-000000000007";
    let of_request = format!(r#"{{"request_id":"{id}","answer":"\"id\":","took_ms":3}}"#);
    let of_document = format!(r#"{{"document_id":"{id}","asked_at":"2026-11-17T01:02:03Z","id":"ibidem/Vault"}}"#);
    for (reply, expected) in [
        (of_request.as_str(), r#"{"request_id":~,"answer":"\"id\":","took_ms":~}"#.to_owned()),
        (&of_document, format!(r#"{{"document_id":"{id}","asked_at":~,"id":~"ibidem/Vault"}}"#)),
        (&format!("No. (request {id}) (request it)"), "No. (request ) (request it)".to_owned()),
        ("\n2026-11-17 01:02 UTC\n", "\n~\n".to_owned()),
    ] {
        assert_eq!(masked(reply), expected);
    }
}
