//! Tools: facts that live in other systems, asked for by name and with typed arguments.

use async_trait::async_trait;
use serde_json::{Map, Value, json};

use crate::degrade::{Blame, OwnFault, PartError};
use ibidem_words::Sha256Hash;
use ibidem_words::digest_of_json;

/// A tool as its server describes it.
#[derive(Clone, PartialEq, Debug)]
pub struct ToolDescription {
    pub name: String,
    /// Describes its arguments as JSON Schema.
    pub arguments: Value,
    /// Describes its result as JSON Schema; none where the server does not say.
    pub result: Option<Value>,
    /// Whether it only reads, as far as the server says.
    pub read_only: Option<bool>,
}

impl ToolDescription {
    /// Returns the digest that policy files pin. It covers the name, both schemas and whether the tool only reads, as
    /// canonical JSON (RFC 8785), and leaves out what a tool says of itself in words: nobody here reads that.
    pub fn pin(&self) -> Sha256Hash {
        digest_of_json(&json!({
            "name": self.name, "arguments": self.arguments, "result": self.result, "read_only": self.read_only,
        }))
    }
}

/// What a tool gave back.
#[derive(Clone, PartialEq, Debug)]
pub enum ToolReply {
    /// Its structured result, as it came: nobody has looked at it yet.
    Result(Value),
    /// It says that it failed, in words of its own: for the operator, never for the asker.
    Failed(String),
}

/// Say that the fact could not be looked up. None of them means that there is no such fact.
pub type ToolsError = PartError<ToolsFault>;

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ToolsFault {
    /// The reply is larger than it may be. It was not read to its end.
    #[error("the tool server sent more than {most_bytes} bytes")]
    TooLarge { most_bytes: usize },
    /// The reply has no structured result: text alone cannot be checked.
    #[error("the tool gave no structured result")]
    Unstructured,
    /// So many calls of this server are under way already.
    #[error("{most} calls of the tool server are under way, which is as many as may be")]
    Busy { most: usize },
}

impl OwnFault for ToolsFault {
    const PART: &'static str = "the tool server";
    const UNAVAILABLE: &'static str = "the tool server is unavailable";

    fn blame(&self) -> Blame {
        match self {
            Self::TooLarge { .. } | Self::Unstructured => Blame::Part,
            Self::Busy { .. } => Blame::Others,
        }
    }
}

/// Calls the tools of one server.
#[async_trait]
pub trait Tools: Send + Sync {
    /// Every tool, as the server describes it at this moment.
    async fn list(&self) -> Result<Vec<ToolDescription>, ToolsError>;

    /// Calls a tool. What comes back is checked by whoever calls.
    async fn call(&self, tool: &str, arguments: &Map<String, Value>) -> Result<ToolReply, ToolsError>;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pin_changes_with_either_schema_and_not_with_the_order_of_keys() {
        let described = |arguments: &str, result: &str, read_only| ToolDescription {
            name: "price".to_owned(),
            arguments: serde_json::from_str(arguments).unwrap(),
            result: Some(serde_json::from_str(result).unwrap()),
            read_only,
        };
        let pin = described(r#"{"type":"object","required":["a"]}"#, r#"{"type":"object"}"#, Some(true)).pin();
        assert_eq!(pin, described(r#"{"required":["a"],"type":"object"}"#, r#"{"type":"object"}"#, Some(true)).pin());
        for other in [
            described(r#"{"type":"object"}"#, r#"{"type":"object"}"#, Some(true)),
            described(r#"{"type":"object","required":["a"]}"#, r#"{"type":"array"}"#, Some(true)),
            described(r#"{"type":"object","required":["a"]}"#, r#"{"type":"object"}"#, Some(false)),
        ] {
            assert_ne!(pin, other.pin());
        }
    }
}
