//! A message of the protocol, as far as it must be understood to be passed on.

use serde_json::{Value, json};

/// In which revision of the protocol a request is written, where it says so itself.
const VERSION_OF_REQUEST: &str = "io.modelcontextprotocol/protocolVersion";

/// JSON-RPC's codes for what is no JSON, what is no message, and what could not be done.
const NOT_JSON: i32 = -32_700;
const NOT_A_MESSAGE: i32 = -32_600;
const NOT_DONE: i32 = -32_603;

/// What a line of the program holds.
pub(super) enum Received {
    /// It is answered, or taken note of, by the server.
    Message(Message),
    /// The program no longer waits for the answer to the request with this id.
    Cancelled(Value),
    /// Nothing that the server could answer: an empty line, or the answer to a question that was never asked.
    Nothing,
    /// The line that says why it cannot be passed on.
    Wrong(String),
}

/// A request or a notification.
pub(super) struct Message {
    /// As it came.
    pub(super) line: String,
    /// None of a notification, which is not answered.
    pub(super) id: Option<Value>,
    pub(super) method: String,
    /// What a tool, a prompt or a resource is called, where one is named.
    pub(super) name: Option<String>,
    /// The revision of the protocol that the message says it is written in.
    pub(super) version: Option<String>,
}

impl Received {
    pub(super) fn of(line: String) -> Self {
        if line.trim().is_empty() {
            return Self::Nothing;
        }
        let Ok(value) = serde_json::from_str::<Value>(&line) else {
            return Self::Wrong(error(&Value::Null, NOT_JSON, "the line is not a JSON document"));
        };
        let id = value.get("id").filter(|id| !id.is_null()).cloned();
        let Some(method) = value.get("method").and_then(Value::as_str).map(str::to_owned) else {
            if value.get("result").is_some() || value.get("error").is_some() {
                return Self::Nothing;
            }
            let reason = "the line is not a message of JSON-RPC 2.0; several in one line are not taken";
            return Self::Wrong(error(&id.unwrap_or(Value::Null), NOT_A_MESSAGE, reason));
        };
        let params = value.get("params");
        let text = |name: &str| params?.get(name)?.as_str().map(str::to_owned);
        if method == "notifications/cancelled" {
            let cancelled = params.and_then(|params| params.get("requestId"));
            return cancelled.cloned().map_or(Self::Nothing, Self::Cancelled);
        }
        let name = match method.as_str() {
            "tools/call" | "prompts/get" => text("name"),
            "resources/read" | "resources/subscribe" | "resources/unsubscribe" => text("uri"),
            _ => None,
        };
        let version = params.and_then(|params| params.get("_meta")?.get(VERSION_OF_REQUEST)?.as_str());
        let version = version.map(str::to_owned);
        Self::Message(Message { line, id, method, name, version })
    }
}

/// The line that says that a request could not be passed on, and what to do.
pub(super) fn not_done(id: &Value, reason: &str) -> String {
    error(id, NOT_DONE, reason)
}

fn error(id: &Value, code: i32, message: &str) -> String {
    json!({ "jsonrpc": "2.0", "id": id, "error": { "code": code, "message": message } }).to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_heard_is_a_message_a_cancellation_or_nothing() {
        let received = |value: Value| Received::of(value.to_string());
        let call = json!({ "id": 7, "method": "tools/call", "params": {
            "name": "ask", "_meta": { "io.modelcontextprotocol/protocolVersion": "2026-07-28" } } });
        let Received::Message(message) = received(call.clone()) else { panic!("it is a request") };
        assert_eq!((message.line, message.id), (call.to_string(), Some(json!(7))));
        assert_eq!((message.name.as_deref(), message.version.as_deref()), (Some("ask"), Some("2026-07-28")));
        let Received::Message(message) = received(json!({ "method": "notifications/initialized" })) else {
            panic!("it is a notification")
        };
        assert_eq!((message.id, message.name, message.version), (None, None, None));
        let cancelled = received(json!({ "method": "notifications/cancelled", "params": { "requestId": "a" } }));
        assert!(matches!(cancelled, Received::Cancelled(id) if id == "a"));
        assert!(matches!(received(json!({ "id": 1, "result": {} })), Received::Nothing));
        assert!(matches!(Received::of(" ".to_owned()), Received::Nothing));
    }

    #[test]
    fn what_cannot_be_passed_on_is_answered() {
        for (line, id, code) in [
            ("{", Value::Null, NOT_JSON),
            ("[]", Value::Null, NOT_A_MESSAGE),
            (r#"{"id": 3}"#, json!(3), NOT_A_MESSAGE),
            ("17", Value::Null, NOT_A_MESSAGE),
        ] {
            let Received::Wrong(error_line) = Received::of(line.to_owned()) else { panic!("{line}") };
            let error: Value = serde_json::from_str(&error_line).unwrap();
            assert_eq!((&error["id"], &error["error"]["code"]), (&id, &json!(code)), "{line}");
        }
    }
}
