//! What the API's description says of every operation, and of texts that have rules of their own.

use serde_json::{Value, json};
use utoipa::OpenApi as _;
use utoipa::openapi::OpenApi;
use utoipa::openapi::security::{HttpAuthScheme, HttpBuilder, SecurityScheme};

#[derive(utoipa::OpenApi)]
#[openapi(
    info(title = "Ibidem", description = "Answers from an organisation's own documents, each claim traced to its source."),
    modifiers(&ApiKey),
)]
struct Description;

struct ApiKey;

impl utoipa::Modify for ApiKey {
    fn modify(&self, openapi: &mut OpenApi) {
        let scheme = HttpBuilder::new().scheme(HttpAuthScheme::Bearer).build();
        openapi.components.get_or_insert_default().add_security_scheme("api_key", SecurityScheme::Http(scheme));
    }
}

/// The description before any operation is in it.
pub(crate) fn beginning() -> OpenApi {
    Description::openapi()
}

/// Every operation can end in what the door says, whichever it is.
const OF_THE_DOOR: [(&str, &str); 9] = [
    ("400", "The request cannot be read"),
    ("408", "The body did not arrive in time"),
    ("413", "The body is too large"),
    ("415", "The body is of another type"),
    ("422", "The request is not valid; the detail names the field"),
    ("429", "The key has as many requests under way as it may"),
    ("500", "The server has an internal error"),
    ("503", "Too many requests are under way, or a part does not answer"),
    ("504", "The request took too long"),
];

/// A character that somebody sees, as `words::is_unseen` has it.
macro_rules! seen {
    () => {
        r"[^\s\x00-\x1f\x7f-\x9f\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u2028-\u202e\u2060-\u206f\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufffb]"
    };
}

/// What is not blank.
const TEXT: &str = seen!();
/// What is not blank, and stands on one line.
const LINE: &str = concat!(r"^[^\n\r\t\x0b\x0c\x85\u2028\u2029]*", seen!(), r"[^\n\r\t\x0b\x0c\x85\u2028\u2029]*$");
/// Letters are seen, and stay letters when they are written small.
macro_rules! no_odd_letters {
    () => {
        r"(?![\s\S]*[\u0130\u115f\u1160\u3164\uffa0])"
    };
}

const NAME: &str =
    concat!("^", no_odd_letters!(), r"\s*[\p{L}\p{N}\-_.]([\p{L}\p{N}\-_. ]{0,98}[\p{L}\p{N}\-_.])?\s*$");
const TAG: &str = concat!("^", no_odd_letters!(), r"\s*[\p{L}\p{N}\-_./:]{1,64}\s*$");
const TAGS: &str = concat!("^", no_odd_letters!(), r" *[\p{L}\p{N}\-_./:]{1,64} *(, *[\p{L}\p{N}\-_./:]{1,64} *)*$");
const PASSAGE: &str = r"^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}:[0-9]{1,9}$";

/// Texts with rules of their own: where their schema is, the rule, and the most characters, unless the rule says so.
const TEXTS: [(&str, &str, Option<usize>); 22] = [
    ("/QuestionBody/properties/query", TEXT, Some(4_000)),
    ("/QuestionBody/properties/collections/items", NAME, None),
    ("/QuestionBody/properties/model", LINE, Some(200)),
    ("/QuestionBody/properties/session_id", LINE, Some(200)),
    ("/NewConversationBody/properties/title", LINE, Some(200)),
    ("/RenamingBody/properties/title", LINE, Some(200)),
    ("/Message/properties/content", TEXT, Some(16_000)),
    ("/SearchBody/properties/query", TEXT, Some(4_000)),
    ("/SearchBody/properties/collections/items", NAME, None),
    ("/PinBody/properties/triggers/items", TEXT, Some(500)),
    ("/PinBody/properties/tags/items", TAG, None),
    ("/NoteBody/properties/text", TEXT, Some(20_000)),
    ("/NoteBody/properties/triggers/items", TEXT, Some(500)),
    ("/NoteBody/properties/tags/items", TAG, None),
    ("/RewordingBody/properties/text", TEXT, Some(20_000)),
    ("/RewordingBody/properties/triggers/items", TEXT, Some(500)),
    ("/RewordingBody/properties/tags/items", TAG, None),
    ("/ReferenceBody/oneOf/0/properties/passage", PASSAGE, Some(60)),
    ("/ReferenceBody/oneOf/2/properties/address", TEXT, Some(200)),
    ("/DocumentForm/properties/collection", NAME, None),
    ("/DocumentForm/properties/tags", TAGS, None),
    ("/RetagBody/properties/tags/items", TAG, None),
];

/// What takes no field besides its own.
const CLOSED: [&str; 4] =
    ["/ReferenceBody/oneOf/0", "/ReferenceBody/oneOf/1", "/ReferenceBody/oneOf/2", "/DocumentForm"];

/// The schema of an answer's stream.
const STREAM: &str = "/paths/~1v1~1answers/post/responses/200/content/text~1event-stream/schema";

/// One event of that stream: what it is called, and its data, which is JSON in a text.
fn event() -> Value {
    json!({
        "type": "object",
        "required": ["event", "data"],
        "properties": {
            "event": { "type": "string", "enum": ["sentence", "answer", "error"] },
            "data": {
                "type": "string",
                "contentMediaType": "application/json",
                "description": "A `SentenceEvent`, the `Answer`, or a `ProblemDocument`, in the order of the events' names."
            }
        }
    })
}

/// With what the handlers' own descriptions do not say.
pub(crate) fn in_full(description: OpenApi) -> OpenApi {
    let full = serde_json::to_value(&description).map(completed).and_then(serde_json::from_value);
    // A description that cannot be completed is still a description; a test holds that it can.
    full.unwrap_or(description)
}

fn completed(mut description: Value) -> Value {
    let operations = description["paths"].as_object_mut().into_iter().flatten();
    let operations = operations.filter_map(|(_, item)| item.as_object_mut()).flatten();
    for (_, operation) in operations {
        let needs_credentials = operation.get("security").is_some();
        let Some(responses) = operation.get_mut("responses").and_then(Value::as_object_mut) else { continue };
        let problem = json!({ "schema": { "$ref": "#/components/schemas/ProblemDocument" } });
        let content = json!({ "application/problem+json": problem });
        if needs_credentials {
            responses.entry("401").or_insert_with(|| json!({ "content": content }));
        }
        for (status, meaning) in OF_THE_DOOR {
            responses.entry(status).or_insert_with(|| json!({ "description": meaning, "content": content }));
        }
    }
    if let Some(stream) = description.pointer_mut(STREAM) {
        *stream = event();
    }
    let schemas = &mut description["components"]["schemas"];
    for (place, pattern, most) in TEXTS {
        if let Some(text) = schemas.pointer_mut(place).and_then(Value::as_object_mut) {
            text.insert("pattern".to_owned(), pattern.into());
            text.insert("minLength".to_owned(), 1.into());
            if let Some(most) = most {
                text.insert("maxLength".to_owned(), most.into());
            }
        }
    }
    for place in CLOSED {
        if let Some(closed) = schemas.pointer_mut(place).and_then(Value::as_object_mut) {
            closed.insert("additionalProperties".to_owned(), false.into());
        }
    }
    description
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn everything_that_has_a_rule_is_described_with_it() {
        let description = serde_json::to_value(crate::openapi()).unwrap();
        let schemas = &description["components"]["schemas"];
        for (place, pattern, _) in TEXTS {
            assert_eq!(schemas.pointer(place).map(|text| &text["pattern"]), Some(&pattern.into()), "{place}");
        }
        for place in CLOSED {
            let closed = schemas.pointer(place).map(|closed| &closed["additionalProperties"]);
            assert_eq!(closed, Some(&false.into()), "{place}");
        }
        assert_eq!(description.pointer(STREAM).unwrap()["required"], json!(["event", "data"]));
        assert!(description["paths"]["/v1/search"]["post"]["responses"]["429"].is_object());
    }
}
