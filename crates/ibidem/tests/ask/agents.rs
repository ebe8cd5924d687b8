//! `ibidem mcp`: what a program on standard input and output is told is what `POST /mcp` says.

use serde_json::{Value, json};

use super::installation::{CommandOutput, Installation, NO_MODEL, with_installation};

const QUESTION: &str = "How many days of leave may be carried over?";

/// The messages of a program that begins, looks around and asks.
fn messages() -> Vec<Value> {
    let request = |id: u64, method: &str, params: Value| json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params });
    let hello =
        json!({ "protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": { "name": "p", "version": "1" } });
    // The newest revision has no beginning: each request says itself how it is written.
    let by_itself = json!({ "_meta": {
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientInfo": { "name": "p", "version": "1" },
        "io.modelcontextprotocol/clientCapabilities": {} } });
    let mut search = by_itself.clone();
    search["name"] = "search".into();
    search["arguments"] = json!({ "query": "leave", "limit": 3 });
    vec![
        request(1, "initialize", hello),
        json!({ "jsonrpc": "2.0", "method": "notifications/initialized" }),
        request(2, "tools/list", json!({})),
        request(3, "tools/call", json!({ "name": "ask", "arguments": { "query": QUESTION } })),
        request(4, "tools/call", json!({ "name": "read_passage", "arguments": { "source_id": "x" } })),
        request(5, "tools/call", json!({ "name": "refund" })),
        request(6, "tools/list", by_itself),
        request(7, "tools/call", search),
    ]
}

/// The replies, by the ids of their requests. They come in the order in which they are ready.
fn replies(output: &CommandOutput) -> Vec<Value> {
    let mut replies: Vec<Value> = output.out.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    replies.sort_by_key(|reply| reply["id"].as_u64());
    replies
}

async fn fed(installation: &Installation, url: &str, key: &str, messages: &[Value]) -> CommandOutput {
    let lines: String = messages.iter().map(|message| format!("{message}\n")).collect();
    let output = installation.feed(&["mcp", "--url", url], &[("IBIDEM__AGENTS__KEY", key)], &lines).await;
    assert_eq!(output.code, Some(0), "{output:?}");
    output
}

/// What the server itself says to a request.
async fn posted(url: &str, key: &str, message: &Value) -> Value {
    let _ = rustls::crypto::ring::default_provider().install_default();
    let client = reqwest::Client::builder().no_proxy().build().unwrap();
    let version = message.pointer("/params/_meta/io.modelcontextprotocol~1protocolVersion").and_then(Value::as_str);
    let mut request = client
        .post(format!("{url}/mcp"))
        .bearer_auth(key)
        .header("accept", "application/json, text/event-stream")
        .header("mcp-protocol-version", version.unwrap_or("2025-11-25"))
        .header("mcp-method", message["method"].as_str().unwrap());
    if let Some(name) = message["params"]["name"].as_str() {
        request = request.header("mcp-name", name);
    }
    request.json(message).send().await.unwrap().json().await.unwrap()
}

/// An answer's id and receipt are its own.
fn without_what_is_of_one_turn(mut reply: Value) -> Value {
    if let Some(answer) = reply.pointer_mut("/result/structuredContent").and_then(Value::as_object_mut) {
        answer.retain(|name, _| ["action", "answer", "citations", "refused", "hits"].contains(&name.as_str()));
    }
    // The text of a search is its structure once more.
    let text = reply.pointer_mut("/result/content/0/text");
    if let Some(text) = text.filter(|text| text.as_str().is_some_and(|text| text.contains("request_id"))) {
        *text = Value::Null;
    }
    reply
}

#[tokio::test]
async fn a_program_on_standard_input_is_told_what_the_server_says() {
    with_installation(async |installation| {
        let folder = tempfile::tempdir().unwrap();
        let text = "# Leave\n\nFive days of leave may be carried over to the next year.\n";
        std::fs::write(folder.path().join("leave.md"), text).unwrap();
        installation.ingest(folder.path()).await;
        // No model writes, and none is late: both ways of asking are answered alike on any machine.
        let served = installation.serve(&[NO_MODEL.as_slice(), &[("IBIDEM__RERANKER__USE", "none")]].concat()).await;
        let key = installation.succeed(&["key", "create", "--name", "agent"]).await.out.trim().to_owned();

        let messages = messages();
        let answers = replies(&fed(installation, &served.url, &key, &messages).await);
        let requests: Vec<&Value> = messages.iter().filter(|message| message["id"].is_u64()).collect();
        assert_eq!(answers.len(), requests.len(), "{answers:?}");
        for (reply, request) in answers.iter().zip(requests) {
            let own = posted(&served.url, &key, request).await;
            let [reply, own] = [reply.clone(), own].map(without_what_is_of_one_turn);
            assert_eq!(reply, own, "{request}");
        }
        let answer = &answers[2]["result"]["structuredContent"];
        assert!(answer["answer"].as_str().unwrap().contains("Five days"), "{answer}");

        // The key may stand in a file, and be renewed there.
        let file = folder.path().join("key");
        std::fs::write(&file, format!("{key}\n")).unwrap();
        let arguments = ["mcp", "--url", &served.url, "--key-file", file.to_str().unwrap()];
        let list = format!("{}\n", messages[2]);
        let listed = installation.feed(&arguments, &[], &list).await;
        assert_eq!(replies(&listed)[0]["result"]["tools"].as_array().map(Vec::len), Some(6), "{listed:?}");

        // Whoever is not let in is told why, and nothing else.
        let wrong = replies(&fed(installation, &served.url, "ibk_wrong", &messages[..3]).await);
        assert_eq!(wrong.len(), 2, "{wrong:?}");
        for reply in wrong {
            let message = reply["error"]["message"].as_str().unwrap();
            assert!(message.contains("IBIDEM__AGENTS__KEY") && !message.contains("ibk_wrong"), "{message}");
        }
        let keyless = installation.feed(&["mcp", "--url", &served.url], &[], &list).await;
        assert_eq!((keyless.code, keyless.out.as_str()), (Some(1), ""));
        assert!(keyless.err.contains("IBIDEM__AGENTS__KEY"), "{}", keyless.err);
        served.stop().await;
    })
    .await;
}
