//! The tools: what each takes, which call of the API it is, and what comes back.

use std::sync::{Arc, LazyLock};

use ibidem_words::{Answer, SourceId};
use rmcp::model::{CallToolResult, ContentBlock, JsonObject, Tool, ToolAnnotations};
use serde_json::{Value, json};

use super::calls::{ApiCall, Replied};
use crate::openai::answer_text;

const ASK: &str = "ask";
const SEARCH: &str = "search";
const READ_PASSAGE: &str = "read_passage";
const DEFINE_TERM: &str = "define_term";
const VERIFY_CLAIM: &str = "verify_claim";
const LIST_DOCUMENTS: &str = "list_documents";

/// The longest term that can be asked for, in characters.
const LONGEST_TERM: usize = 200;

/// Every tool, as agents are told of it. They are written once: no call changes them.
static ALL: LazyLock<Vec<Tool>> = LazyLock::new(written);

/// Every tool, as agents are told of it. Asking changes nothing where no tool of another system is configured; where one is,
/// it may, with a confirmation.
pub(super) fn all(only_reads: bool) -> Vec<Tool> {
    let mut tools = ALL.clone();
    if let Some(ask) = tools.iter_mut().find(|tool| tool.name == ASK && !only_reads) {
        ask.annotations = Some(ToolAnnotations::new().read_only(false).destructive(false).open_world(false));
    }
    tools
}

fn written() -> Vec<Tool> {
    let query = json!({ "type": "string", "minLength": 1, "maxLength": 4000 });
    let collections = json!({
        "type": "array", "items": { "type": "string" }, "maxItems": 100,
        "description": "Only these collections; all that you may see when left out."
    });
    let source_id = json!({ "type": "string", "description": "A passage, as {document_id}:{chunk_index}." });
    vec![
        tool(
            ASK,
            "Ask a question",
            "Answers a question from the documents, with sources, or refuses and says why. Every sentence of the answer \
             was checked against the passages that it cites.",
            &json!({
                "query": query, "collections": collections,
                "confirmation": {
                    "type": "string", "minLength": 36, "maxLength": 36,
                    "description": "The token of an answer's `confirmation`, to have done what it proposes. Give it only \
                        after the person whom you work for has agreed to that."
                }
            }),
            &["query"],
            answer_schema(),
        ),
        tool(
            SEARCH,
            "Search passages",
            "Finds passages of the documents by meaning and by keywords.",
            &json!({
                "query": query, "collections": collections,
                "limit": { "type": "integer", "minimum": 1, "maximum": 100, "default": 10 }
            }),
            &["query"],
            object(
                &json!({ "hits": { "type": "array", "items": object(&json!({
                    "source_id": { "type": "string" }, "document_name": { "type": "string" },
                    "text": { "type": "string" }
                }), &["source_id", "document_name", "text"]) } }),
                &["hits"],
            ),
        ),
        tool(
            READ_PASSAGE,
            "Read a passage",
            "Reads a passage that a citation or a search names, with its document, section and page.",
            &json!({ "source_id": source_id }),
            &["source_id"],
            object(&json!({ "source_id": { "type": "string" }, "text": { "type": "string" } }), &["source_id", "text"]),
        ),
        tool(
            DEFINE_TERM,
            "Define a term",
            "Says what a term means: by the vocabulary, or by the documents where no vocabulary has it.",
            &json!({ "term": { "type": "string", "minLength": 1, "maxLength": LONGEST_TERM } }),
            &["term"],
            answer_schema(),
        ),
        tool(
            VERIFY_CLAIM,
            "Verify a claim",
            "Says whether the documents, or texts that you bring along, support a sentence, contradict it, or do not say. \
             Without either the passages that a search finds are looked at.",
            &json!({
                "claim": { "type": "string", "minLength": 1, "maxLength": 2000 },
                "sources": { "type": "array", "items": source_id, "maxItems": 16 }, "collections": collections,
                "texts": {
                    "type": "array", "maxItems": 16,
                    "items": object(&json!({
                        "name": { "type": "string", "maxLength": 200 },
                        "text": { "type": "string", "minLength": 1, "maxLength": 20000 }
                    }), &["text"])
                }
            }),
            &["claim"],
            object(
                &json!({
                    "verdict": { "enum": ["supported", "contradicted", "unsupported", "unchecked"] },
                    "passages": { "type": "array", "items": { "type": "object" } },
                    "texts": { "type": "array", "items": { "type": "object" } }
                }),
                &["verdict", "passages", "texts"],
            ),
        ),
        tool(
            LIST_DOCUMENTS,
            "List documents",
            "Lists the documents that you may see, a page after the other: give `cursor` the `next` of the page before.",
            &json!({
                "collection": { "type": "string" }, "tag": { "type": "string" }, "status": { "type": "string" },
                "words": { "type": "string", "description": "Words of the title or the address." },
                "limit": { "type": "integer", "minimum": 1, "maximum": 100 }, "cursor": { "type": "string" }
            }),
            &[],
            object(&json!({ "documents": { "type": "array", "items": { "type": "object" } } }), &["documents"]),
        ),
    ]
}

/// The path of a list, with the arguments as its filters.
fn list_path(arguments: &JsonObject) -> Result<String, String> {
    let mut filters = Vec::new();
    for (name, value) in arguments {
        let value = match value {
            Value::String(text) => text.clone(),
            Value::Number(number) => number.to_string(),
            _ => return Err(format!("`{name}` must be a text or a number")),
        };
        filters.push((name, value));
    }
    let filters = serde_urlencoded::to_string(filters).map_err(|error| error.to_string())?;
    Ok(format!("/v1/documents?{filters}"))
}

/// Which call of the API a tool is; none if there is no such tool. What the arguments lack is for the API to say, where
/// it reads them itself.
pub(super) fn call(tool: &str, arguments: JsonObject) -> Option<Result<ApiCall, String>> {
    let text = |name: &str| arguments.get(name).and_then(Value::as_str);
    Some(match tool {
        ASK => Ok(ApiCall::post("/v1/answers", Value::Object(arguments))),
        SEARCH => Ok(ApiCall::post("/v1/search", Value::Object(arguments))),
        VERIFY_CLAIM => Ok(ApiCall::post("/v1/claims", Value::Object(arguments))),
        READ_PASSAGE => text("source_id")
            .and_then(|id| SourceId::try_from(id.to_owned()).ok())
            .map(|id| ApiCall::get(id.link()))
            .ok_or_else(|| "`source_id` must read {document_id}:{chunk_index}".to_owned()),
        DEFINE_TERM => text("term")
            .map(str::trim)
            .filter(|term| !term.is_empty() && term.chars().count() <= LONGEST_TERM)
            .map(|term| ApiCall::post("/v1/answers", json!({ "query": format!("What is {term}?") })))
            .ok_or_else(|| format!("`term` must have 1 to {LONGEST_TERM} characters")),
        LIST_DOCUMENTS => list_path(&arguments).map(ApiCall::get),
        _ => return None,
    })
}

/// What an agent gets: the API's reply as it is, and the same as text for those who read no structure. A refusal is an
/// answer; only what could not be done is an error.
pub(super) fn result(tool: &str, replied: Replied) -> CallToolResult {
    let Replied { is_success, body } = replied;
    if !is_success {
        let detail = body.get("detail").and_then(Value::as_str).unwrap_or("It could not be done.");
        let title = body.get("title").and_then(Value::as_str).map(|title| format!("{title}. ")).unwrap_or_default();
        return CallToolResult::error(vec![ContentBlock::text(format!("{title}{detail}"))]);
    }
    let shown = matches!(tool, ASK | DEFINE_TERM)
        .then(|| serde_json::from_value::<Answer>(body.clone()).ok())
        .flatten()
        .map(|answer| answer_text(&answer));
    let mut result = CallToolResult::structured(body);
    if let Some(text) = shown {
        result.content = vec![ContentBlock::text(text)];
    }
    result
}

fn tool(
    name: &'static str,
    title: &str,
    description: &'static str,
    properties: &Value,
    required: &[&str],
    output: Value,
) -> Tool {
    let mut input = object(properties, required);
    input["additionalProperties"] = Value::Bool(false);
    Tool::new(name, description, schema(input))
        .with_title(title)
        .with_raw_output_schema(schema(output))
        .with_annotations(ToolAnnotations::new().read_only(true).open_world(false))
}

fn object(properties: &Value, required: &[&str]) -> Value {
    json!({ "type": "object", "properties": properties, "required": required })
}

fn schema(value: Value) -> Arc<JsonObject> {
    match value {
        Value::Object(schema) => Arc::new(schema),
        _ => Arc::default(),
    }
}

fn answer_schema() -> Value {
    object(
        &json!({
            "request_id": { "type": "string" },
            "action": { "type": "string", "description": "What became of the question: cite, refuse, clarify or route." },
            "answer": { "type": "string", "description": "The answer with markers such as [1], or the refusal." },
            "refused": { "type": "boolean" },
            "reason": { "type": ["string", "null"], "description": "Why there is no answer, as a code." },
            "why": { "type": ["string", "null"], "description": "Why there is no answer, in a sentence." },
            "nearest": {
                "type": "array", "items": { "type": "object" },
                "description": "What came nearest to an answer that was refused. Read it with read_passage and its source_id."
            },
            "suggestions": {
                "type": "array", "items": { "type": "string" },
                "description": "What to do or ask instead, in words."
            },
            "offers": {
                "type": "array",
                "items": object(&json!({ "text": { "type": "string" }, "query": { "type": "string" } }), &["text", "query"]),
                "description": "What can be asked instead, or to choose between: ask `query`. Each led to an answer when \
                    it was offered."
            },
            "details": {
                "type": "array", "items": { "type": "string" },
                "description": "What the asker is asked to say: ask again with it."
            },
            "route_to": { "type": ["object", "null"], "description": "Somebody who may know." },
            "citations": { "type": "array", "items": { "type": "object" } },
            "confirmation": {
                "type": "object",
                "description": "What would be done in another system, with which arguments, and the token that confirms it. \
                    Nothing was done yet."
            }
        }),
        &["request_id", "action", "answer", "refused", "citations"],
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn arguments(value: &Value) -> JsonObject {
        value.as_object().cloned().unwrap_or_default()
    }

    #[test]
    fn every_tool_has_schemas_of_objects_and_a_call() {
        for tool in all(true) {
            for schema in [Some(&tool.input_schema), tool.output_schema.as_ref()] {
                assert_eq!(schema.and_then(|schema| schema.get("type")), Some(&json!("object")), "{}", tool.name);
            }
            assert!(call(&tool.name, JsonObject::new()).is_some(), "{}", tool.name);
        }
        assert!(call("refund", JsonObject::new()).is_none());
    }

    #[test]
    fn what_no_call_can_be_made_of_is_said() {
        for (tool, given) in [
            (READ_PASSAGE, json!({})),
            (READ_PASSAGE, json!({ "source_id": "../keys" })),
            (DEFINE_TERM, json!({ "term": "  " })),
            (DEFINE_TERM, json!({ "term": "x".repeat(LONGEST_TERM + 1) })),
        ] {
            let Some(Err(said)) = call(tool, arguments(&given)) else { panic!("{tool} took {given}") };
            let result = result(tool, Replied::wrong(&said));
            assert_eq!(result.is_error, Some(true));
        }
    }
}
