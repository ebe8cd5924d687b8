//! Our client with the reference servers of the Model Context Protocol: *everything* and *filesystem*.
//!
//! `just lab tool-servers` installs them and runs this. `IBIDEM_TOOL_SERVERS` is the folder that has them.

use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::Duration;

use ibidem_adapters::mcp::{McpSettings, McpTools, Reached};
use ibidem_ports::records::ToolOutcome;
use ibidem_ports::tools::{ToolDescription, ToolReply, Tools as _, ToolsError, ToolsFault};
use ibidem_testing::database::TestDatabase;
use ibidem_words::{Action, Reason};
use serde_json::{Map, Value, json};
use uuid::Uuid;

use crate::world::{SUPPORT, World, program};

const PATIENCE: Duration = Duration::from_secs(60);

/// A program of the reference servers.
fn server(name: &str) -> String {
    let folder =
        std::env::var("IBIDEM_TOOL_SERVERS").expect("run `just lab tool-servers`, which sets IBIDEM_TOOL_SERVERS");
    format!("{folder}/node_modules/@modelcontextprotocol/server-{name}/dist/index.js")
}

/// Programs are started without a PATH.
fn node() -> String {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let found = std::env::split_paths(&path).map(|folder| folder.join("node")).find(|node| node.is_file());
    found.expect("node is in the PATH").to_str().unwrap().to_owned()
}

fn started(name: &str, arguments: &[&str]) -> Reached {
    let arguments: Vec<String> =
        std::iter::once(server(name)).chain(arguments.iter().map(|argument| (*argument).to_owned())).collect();
    program(&node(), &arguments.iter().map(String::as_str).collect::<Vec<_>>(), &[])
}

fn tools(reached: Reached, most_bytes: usize) -> McpTools {
    let _ = rustls::crypto::ring::default_provider().install_default();
    McpTools::new(McpSettings { reached, at_once: 4, most_bytes })
}

fn given(arguments: Value) -> Map<String, Value> {
    serde_json::from_value(arguments).unwrap()
}

async fn described(tools: &McpTools, name: &str) -> ToolDescription {
    tools.list().await.unwrap().into_iter().find(|tool| tool.name == name).unwrap()
}

/// A folder that goes with the test.
struct Folder(PathBuf);

impl Folder {
    fn new() -> Self {
        let folder = std::env::temp_dir().join(format!("tool-servers-{}", Uuid::new_v4().simple()));
        std::fs::create_dir(&folder).unwrap();
        // The server compares real paths.
        Self(folder.canonicalize().unwrap())
    }

    fn file(&self, name: &str) -> String {
        self.0.join(name).to_str().unwrap().to_owned()
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// The policy file `support` with this tool in place of the one that opens a case.
fn policy(pin: &str, tool: &str, writes: bool, rest: &str) -> String {
    let (before, after) = SUPPORT.split_once("    # It opens a case.").unwrap();
    let (_, after) = after.split_once("\nsift:\n").unwrap();
    let before = before.replace(r"'i was overcharged\b.*'", r"'(?:what is the weather|note down)\b.*'");
    format!(
        "{before}    - name: refund\n      server: desk\n      tool: {tool}\n      pinned: {pin}\n      tags: [public]\n      \
         writes: {writes}\n{rest}\nsift:\n{after}"
    )
}

const WEATHER: &str = r#"      arguments:
        - {name: location, pattern: 'in (?P<value>new york|chicago|los angeles)', ask: the city}
      wording:
        answer: "The temperature there is {temperature}, the humidity {humidity}."
        absent: "There is no such city."
        missing: "To look that up I need:"
"#;

#[tokio::test]
#[ignore = "needs the reference servers: `just lab tool-servers`"]
async fn everything_on_standard_input_and_over_http_is_listed_and_called_alike() {
    let listen = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let _child = tokio::process::Command::new(node())
        .args([server("everything").as_str(), "streamableHttp"])
        .env("PORT", listen.port().to_string())
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .kill_on_drop(true)
        .spawn()
        .unwrap();
    let over_http = tools(Reached::Url { url: format!("http://{listen}/mcp"), token: None }, 1 << 20);
    let mut tries = 0;
    while let Err(error) = over_http.list().await {
        tries += 1;
        assert!(tries < 300, "the server does not serve: {error}");
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
    let on_stdio = tools(started("everything", &["stdio"]), 1 << 20);
    let pins = async |tools: &McpTools| {
        let mut pins: Vec<_> = tools.list().await.unwrap().iter().map(|tool| (tool.name.clone(), tool.pin())).collect();
        pins.sort();
        pins
    };
    let listed = pins(&on_stdio).await;
    assert!(listed.len() >= 10, "{listed:?}");
    assert_eq!((pins(&on_stdio).await, pins(&over_http).await), (listed.clone(), listed), "the same, each time");
    for tools in [&on_stdio, &over_http] {
        let found = tools.call("get-structured-content", &given(json!({"location": "Chicago"}))).await.unwrap();
        let ToolReply::Result(found) = found else { panic!("{found:?}") };
        assert!(found["temperature"].is_number() && found["conditions"].is_string(), "{found}");
        // Text alone cannot be checked, so it is no result.
        for (tool, arguments) in [("echo", json!({"message": "hi"})), ("get-sum", json!({"a": 1, "b": 2}))] {
            let text = tools.call(tool, &given(arguments)).await;
            assert_eq!(text, Err(ToolsFault::Unstructured.into()), "{tool}");
        }
        for (tool, arguments) in [("get-structured-content", json!({"location": "Atlantis"})), ("refund", json!({}))] {
            let failed = tools.call(tool, &given(arguments)).await.unwrap();
            assert!(matches!(failed, ToolReply::Failed(_)), "{tool}: {failed:?}");
        }
    }
}

#[tokio::test]
#[ignore = "needs the reference servers: `just lab tool-servers`"]
async fn a_question_is_answered_from_everything_and_a_slow_tool_is_not_waited_for() {
    let described = described(&tools(started("everything", &["stdio"]), 1 << 20), "get-structured-content").await;
    let text = policy(&described.pin().to_string(), "get-structured-content", false, WEATHER);
    let world = World::of(started("everything", &["stdio"]), PATIENCE).under(&text);
    let answer = world.ask("What is the weather in Chicago?").await.answer;
    assert_eq!(answer.action, Action::Cite, "{answer:#?}");
    assert!(answer.answer.starts_with("The temperature there is") && answer.citations[0].tool.is_some(), "{answer:#?}");
    let missing = world.ask("What is the weather?").await.answer;
    assert_eq!(missing.reason, Some(Reason::ToolArgumentsMissing), "{missing:#?}");
    let odd = world.ask("What is the weather in chicago?").await;
    assert_eq!(odd.tool_calls[0].outcome, ToolOutcome::ArgumentsMissing, "its schema has no such name");

    let slow =
        McpTools::new(McpSettings { reached: started("everything", &["stdio"]), at_once: 4, most_bytes: 1 << 20 });
    slow.list().await.unwrap();
    let long = given(json!({"duration": 30, "steps": 3}));
    let call = tokio::time::timeout(Duration::from_secs(1), slow.call("trigger-long-running-operation", &long)).await;
    assert!(call.is_err(), "it takes 30 seconds: {call:?}");
    let found = slow.call("get-structured-content", &given(json!({"location": "New York"}))).await.unwrap();
    assert!(matches!(found, ToolReply::Result(_)), "the next call is not behind it: {found:?}");
}

#[tokio::test]
#[ignore = "needs the reference servers: `just lab tool-servers`"]
async fn filesystem_reads_its_folder_alone_and_what_is_too_large_is_said_to_be() {
    let folder = Folder::new();
    std::fs::write(folder.file("a.txt"), "okapis are striped").unwrap();
    std::fs::write(folder.file("large.txt"), "x".repeat(200_000)).unwrap();
    let tools = tools(started("filesystem", &[folder.0.to_str().unwrap()]), 100_000);
    let read = async |path: &str| tools.call("read_text_file", &given(json!({ "path": path }))).await;
    assert_eq!(read(&folder.file("a.txt")).await, Ok(ToolReply::Result(json!({"content": "okapis are striped"}))));
    for outside in ["/etc/passwd", "../../etc/passwd", &folder.file("../../etc/passwd"), &folder.file("not-there.txt")]
    {
        let failed = read(outside).await.unwrap();
        assert!(matches!(failed, ToolReply::Failed(_)), "{outside}: {failed:?}");
    }
    let large = read(&folder.file("large.txt")).await;
    assert_eq!(large, Err(ToolsError::Own(ToolsFault::TooLarge { most_bytes: 100_000 })));
    assert!(matches!(read(&folder.file("a.txt")).await, Ok(ToolReply::Result(_))), "it is reached again after that");
}

const NOTE: &str = r#"      arguments:
        - {name: content, pattern: 'note down (?P<value>[a-z ]+) in file', ask: what to note}
        - {name: path, pattern: 'file (?P<value>/[a-z0-9/._-]+)', ask: the file}
      wording:
        answer: "The server says: {content}."
        absent: "There is no such file."
        missing: "I need:"
        confirm: "This would write {content} to {path}."
        unsure: "I do not know whether it was written."
"#;

#[tokio::test]
#[ignore = "needs the reference servers: `just lab tool-servers`"]
async fn filesystem_writes_a_file_when_the_asker_has_confirmed_it_and_not_before() {
    let (folder, database) = (Folder::new(), TestDatabase::create().await);
    let reached = || started("filesystem", &[folder.0.to_str().unwrap()]);
    let described = described(&tools(reached(), 1 << 20), "write_file").await;
    assert_eq!(described.read_only, Some(false));
    let pin = described.pin().to_string();
    // A policy that takes it for a tool that reads does not call it.
    let reads = NOTE.lines().filter(|line| !line.contains("confirm:") && !line.contains("unsure:"));
    let reads = policy(&pin, "write_file", false, &(reads.collect::<Vec<_>>().join("\n") + "\n"));
    let path = folder.file("note.txt");
    let request = format!("Note down okapis are striped in file {path}");
    let answer = World::of(reached(), PATIENCE).under(&reads).ask(&request).await.answer;
    assert_eq!(answer.reason, Some(Reason::ToolNotAllowed), "{answer:#?}");

    let text = policy(&pin, "write_file", true, NOTE);
    let world = World::of(reached(), PATIENCE).under(&text).confirming(database.store.clone());
    world.prepare(&database.store).await;
    let proposed = world.turn(&request).await;
    assert_eq!(proposed.reason, Some(Reason::ToolConfirmationNeeded), "{proposed:#?}");
    assert!(!Path::new(&path).exists(), "nothing is written yet");
    let sentence = proposed.confirmation.unwrap().sentence().unwrap();
    let done = world.turn(&sentence).await;
    assert_eq!(done.action, Action::Cite, "{done:#?}");
    assert_eq!(std::fs::read_to_string(&path).unwrap(), "okapis are striped");
    std::fs::remove_file(&path).unwrap();
    assert_eq!(world.turn(&sentence).await.reason, Some(Reason::ToolConfirmationUsed));
    assert!(!Path::new(&path).exists(), "and it is not written again");
}
