//! Model servers and the forms they speak: each a file that says what the server replies, written from its documentation
//! and from the errors that its issue tracker shows, and what the client must make of that.
//!
//! The table in docs/model_servers.md is made of the same files; `IBIDEM_WRITE=1` writes it anew.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "all of this is tests")]

mod fake;

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::time::Duration;

use futures::StreamExt as _;
use ibidem_adapters::openai::{
    Connection, OpenAiModel, OpenAiSettings, Protocol, RerankScale, SentAlong, ServerKind, Thinking,
};
use ibidem_ports::language_model::{
    Cut, LanguageModel as _, ModelError, ModelFault, Piece, Prompt, PromptMessage, ReplyForm,
};
use ibidem_words::Speaker;
use serde::Deserialize;
use serde_json::json;

use fake::Reply;

const TIMEOUT: Duration = Duration::from_secs(10);
/// The window that is asked for where the asker says it.
const WINDOW: u32 = 16_384;

/// A server, and what it shows.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Scenario {
    server: String,
    /// What its replies were written from.
    from: String,
    /// Where the program itself is asked, if it is.
    #[serde(default)]
    itself: Option<String>,
    /// What stands behind the address: path, and query.
    base: String,
    #[serde(default)]
    protocol: Option<Protocol>,
    #[serde(default)]
    key_header: Option<String>,
    #[serde(default)]
    thinking: Option<Thinking>,
    model: String,
    shows: Shows,
    replies: Vec<Reply>,
}

/// The cells of the table; none where the server has nothing of the kind.
#[derive(Deserialize, PartialEq, Eq, Debug, Default)]
#[serde(deny_unknown_fields, default)]
struct Shows {
    kind: ServerKind,
    /// How many requests were refused before one was not.
    chat: Option<usize>,
    stream: Option<usize>,
    /// What binds a reply to a form: schema, grammar, json or nothing.
    schema: Option<String>,
    /// Whether what it thinks is never text.
    thinking: bool,
    window: Option<u32>,
    rerank: Option<String>,
    embeddings: Option<usize>,
    /// What becomes of the errors that it is known for.
    errors: Vec<String>,
}

impl Scenario {
    fn all() -> Vec<(String, Self)> {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/servers");
        let mut files: Vec<PathBuf> = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
        files.retain(|file| file.extension().is_some_and(|extension| extension == "json"));
        files.sort();
        let read = |file: PathBuf| {
            let name = file.file_stem().unwrap().to_string_lossy().into_owned();
            let text = std::fs::read_to_string(&file).unwrap();
            let scenario = serde_json::from_str(&text).unwrap_or_else(|error| panic!("{name}: {error}"));
            (name, scenario)
        };
        files.into_iter().map(read).collect()
    }

    /// The server's client, and what the server is asked.
    async fn client(&self) -> (OpenAiModel, std::sync::Arc<std::sync::Mutex<Vec<(String, String)>>>) {
        // As the binary does at its start.
        let _ = rustls::crypto::ring::default_provider().install_default();
        let (address, asked) = fake::serve(self.replies.clone()).await;
        let connection = Connection {
            protocol: self.protocol.unwrap_or_default(),
            api_key: self.key_header.as_ref().map(|_| "sesame".to_owned()),
            api_key_header: self.key_header.clone(),
            ..Connection::to(format!("{address}{}", self.base))
        };
        let settings =
            OpenAiSettings { connection, model: self.model.clone(), also_allowed: Vec::new(), timeout: TIMEOUT };
        let sent_along = SentAlong { window: Some(WINDOW), thinking: self.thinking };
        (OpenAiModel::new(settings).unwrap().sending(sent_along), asked)
    }
}

fn prompt(content: &str) -> Prompt {
    let message = PromptMessage { role: Speaker::User, content: content.to_owned() };
    Prompt { model: None, messages: vec![message], temperature: 0.0, max_tokens: 24, form: None }
}

fn form() -> ReplyForm {
    let numbers = json!({ "type": "array", "items": { "type": "integer", "enum": [1, 2] } });
    let schema = json!({ "type": "object", "properties": { "sentences": numbers }, "required": ["sentences"],
        "additionalProperties": false });
    ReplyForm { name: "chosen_sentences", schema }
}

/// The pieces of text, and how it ended.
async fn written(model: &OpenAiModel, prompt: Prompt) -> (Vec<String>, Result<Option<Cut>, ModelError>) {
    let mut pieces = match model.write(prompt).await {
        Ok(pieces) => pieces,
        Err(error) => return (Vec::new(), Err(error)),
    };
    let mut texts = Vec::new();
    while let Some(piece) = pieces.next().await {
        match piece {
            Ok(Piece::Text(text)) => texts.push(String::from_utf8(text).unwrap()),
            Ok(Piece::Done { cut, .. }) => return (texts, Ok(cut)),
            Err(error) => return (texts, Err(error)),
        }
    }
    panic!("the stream ended without an end")
}

/// What the prompts of a scenario's errors are, by the word that the replies look for.
const ERRORS: [&str; 5] = ["TOO-LONG", "NO-MODEL", "OVERLOADED", "BREAKS", "CUT"];

fn named(ended: &Result<Option<Cut>, ModelError>) -> String {
    match ended {
        Ok(None) => "no error".to_owned(),
        Ok(Some(Cut::Length)) => "cut by length".to_owned(),
        Ok(Some(Cut::Filter)) => "cut by a filter".to_owned(),
        Err(ModelError::Own(ModelFault::TooLong(_))) => "too long".to_owned(),
        Err(ModelError::Own(ModelFault::NotServed { .. })) => "no such model".to_owned(),
        Err(ModelError::Own(ModelFault::Failed(_))) => "failed".to_owned(),
        Err(other) => format!("{other:?}"),
    }
}

async fn shown(scenario: &Scenario) -> Shows {
    let (model, asked) = scenario.client().await;
    let chats = || asked.lock().unwrap().iter().filter(|(asked, _)| asked.contains("chat")).count();
    let mut shows = Shows { kind: model.about().await.kind, ..Shows::default() };
    let (texts, ended) = written(&model, prompt("Say OIL.")).await;
    if ended.is_ok() {
        assert_eq!(texts.concat(), "Oil.", "{}", scenario.server);
        shows.chat = Some(chats() - 1);
        shows.stream = Some(texts.len());
        // A grammar that bound nothing is noticed by its reply.
        let choice = || Prompt { form: Some(form()), ..prompt("CHOOSE.") };
        written(&model, choice()).await.1.unwrap();
        let (texts, ended) = written(&model, choice()).await;
        assert_eq!((texts.concat().replace(' ', "").as_str(), ended), (r#"{"sentences":[2]}"#, Ok(None)));
        shows.schema = Some(bound_by(&asked.lock().unwrap().last().unwrap().1));
        let (texts, ended) = written(&model, prompt("THINK, and say OIL.")).await;
        // A thought that has no beginning is an error once, and read rightly from then on.
        let texts = if ended.is_err() { written(&model, prompt("THINK, and say OIL.")).await.0 } else { texts };
        shows.thinking = texts.concat() == "Oil.";
        for error in ERRORS {
            let (_, ended) = written(&model, prompt(error)).await;
            let named = named(&ended);
            if named != "no error" && !shows.errors.contains(&named) {
                shows.errors.push(named);
            }
        }
    }
    let listed = model.listed().await.unwrap().unwrap_or_default();
    shows.window = listed.iter().find(|(name, _)| *name == scenario.model).and_then(|(_, window)| *window);
    shows.rerank = model.reranks().await.map(|reranks| {
        let scale = match reranks.scale {
            RerankScale::Probabilities => "0 to 1",
            RerankScale::Logits => "logits",
            RerankScale::Useless => "useless",
        };
        format!("{}, {scale}", reranks.form)
    });
    shows.embeddings = model.embedding_dimensions().await;
    shows
}

fn bound_by(body: &str) -> String {
    let body: serde_json::Value = serde_json::from_str(body).unwrap();
    let by = match body["response_format"]["type"].as_str() {
        _ if body["format"].is_object() => "schema",
        Some("json_schema") => "schema",
        _ if body["grammar"].is_string() => "grammar",
        Some("json_object") => "JSON",
        _ => "nothing",
    };
    by.to_owned()
}

#[tokio::test]
async fn each_server_is_understood_as_its_file_says() {
    let all = Scenario::all();
    assert!(all.len() >= 14, "{} servers and forms", all.len());
    for (name, scenario) in all {
        assert_eq!(shown(&scenario).await, scenario.shows, "{name}");
    }
}

#[tokio::test]
async fn ollama_is_asked_for_the_window_and_told_how_much_to_think() {
    let (_, scenario) = Scenario::all().into_iter().find(|(name, _)| name == "ollama").unwrap();
    let (model, asked) = scenario.client().await;
    written(&model, prompt("Say OIL.")).await.1.unwrap();
    let body: serde_json::Value = serde_json::from_str(&asked.lock().unwrap()[0].1).unwrap();
    let options = json!({ "num_ctx": WINDOW, "num_predict": 24, "temperature": 0.0, "seed": 0 });
    assert_eq!((&body["options"], &body["think"]), (&options, &json!(false)));
    let likely = model.first_tokens(prompt("LIKELY?")).await.unwrap();
    assert_eq!(likely[0].text, "Yes");
}

#[tokio::test]
async fn a_key_goes_into_the_header_that_a_server_wants_and_its_query_behind_every_path() {
    let (_, scenario) = Scenario::all().into_iter().find(|(name, _)| name == "azure").unwrap();
    let (model, asked) = scenario.client().await;
    written(&model, prompt("Say OIL.")).await.1.unwrap();
    assert!(asked.lock().unwrap().iter().all(|(asked, _)| asked.ends_with("?api-version=2024-10-21")));
}

/// A cell, or a dash where the server has nothing of the kind.
fn cell(said: Option<String>) -> String {
    said.unwrap_or_else(|| "–".to_owned())
}

fn table() -> String {
    let mut table = "| server or form | asked itself | chat | stream | schema | thoughts | window | rerank | embeddings | errors |\n\
                     |---|---|---|---|---|---|---|---|---|---|\n"
        .to_owned();
    for (name, Scenario { server, itself, shows, .. }) in Scenario::all() {
        let writes = shows.chat.is_some();
        let chat = shows.chat.map(|refused| match refused {
            0 => "yes".to_owned(),
            1 => "yes, learns 1 refusal".to_owned(),
            more => format!("yes, learns {more} refusals"),
        });
        let thoughts = writes.then(|| if shows.thinking { "never text".to_owned() } else { "LEAK".to_owned() });
        let cells = [
            cell(chat),
            cell(shows.stream.map(|_| "yes".to_owned())),
            cell(shows.schema),
            cell(thoughts),
            cell(shows.window.map(|window| window.to_string())),
            cell(shows.rerank),
            cell(shows.embeddings.map(|_| "yes".to_owned())),
            cell((!shows.errors.is_empty()).then(|| shows.errors.join("; "))),
        ];
        let itself = if itself.is_some() { "yes" } else { "no" };
        let file = format!("../crates/adapters/tests/servers/{name}.json");
        let _ = writeln!(table, "| [{server}]({file}) | {itself} | {} |", cells.join(" | "));
    }
    table
}

#[test]
fn the_documented_table_is_that_of_the_files() {
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/model_servers.md");
    let written = std::fs::read_to_string(&page).unwrap();
    let (begin, end) = ("<!-- servers -->\n", "<!-- /servers -->");
    let (before, rest) = written.split_once(begin).unwrap();
    let (_, after) = rest.split_once(end).unwrap();
    let expected = format!("{before}{begin}{}{end}{after}", table());
    if std::env::var_os("IBIDEM_WRITE").is_some() {
        std::fs::write(&page, &expected).unwrap();
    } else {
        assert_eq!(written, expected, "run it with IBIDEM_WRITE=1");
    }
}

#[test]
fn each_file_says_what_it_was_written_from_and_where_the_program_itself_is_asked() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    for (name, scenario) in Scenario::all() {
        assert!(!scenario.from.trim().is_empty(), "{name}");
        if let Some(file) = scenario.itself {
            assert!(root.join(&file).exists(), "{name}: {file}");
        }
    }
}
