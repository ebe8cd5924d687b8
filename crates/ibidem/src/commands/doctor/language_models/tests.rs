use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpListener;

use super::super::State;
use super::*;

/// A model server that has these models; answers as often as it is asked.
async fn serving(models: &str) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let body = format!("{{\"data\": [{models}]}}");
    tokio::spawn(async move {
        while let Ok((mut connection, _)) = listener.accept().await {
            let mut request = [0; 4096];
            let _ = connection.read(&mut request).await;
            let head = "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\nconnection: close";
            let reply = format!("{head}\r\ncontent-length: {}\r\n\r\n{body}", body.len());
            let _ = connection.write_all(reply.as_bytes()).await;
        }
    });
    format!("language_model.url=http://{address}/v1")
}

async fn found(flags: &[&str]) -> Vec<Finding> {
    // As the binary does at its start.
    let _ = rustls::crypto::ring::default_provider().install_default();
    let flags: Vec<String> = flags.iter().map(|flag| (*flag).to_owned()).collect();
    let settings = crate::settings::load(None, std::iter::empty(), &flags).unwrap();
    language_models(settings.language_model()).await
}

fn broken(findings: &[Finding]) -> Vec<&str> {
    findings.iter().filter(|finding| finding.state == State::Broken).map(|finding| finding.found.as_str()).collect()
}

#[tokio::test]
async fn every_model_that_has_a_role_must_be_served() {
    let url = serving("{\"id\": \"small\"}, {\"id\": \"large\"}").await;
    let all = found(&[&url, "language_model.name=small", "language_model.roles.planner=large"]).await;
    assert!(broken(&all).is_empty(), "{:?}", broken(&all));

    let planner = found(&[&url, "language_model.name=small", "language_model.roles.planner=tiny"]).await;
    assert_eq!(broken(&planner), ["planner: tiny is not served; served are: small, large"]);
    let judge = found(&[&url, "language_model.name=small", "language_model.roles.judge=tiny"]).await;
    assert_eq!(broken(&judge), ["judge: tiny is not served; served are: small, large"]);
    let allowed = found(&[&url, "language_model.name=small", "language_model.also_allowed=large,huge"]).await;
    assert_eq!(broken(&allowed), ["also_allowed: huge is not served; served are: small, large"]);
}

#[tokio::test]
async fn a_server_that_cannot_be_reached_is_broken_and_its_mend_is_named() {
    let findings = found(&["language_model.url=http://127.0.0.1:9/v1", "language_model.name=m"]).await;
    assert!(broken(&findings)[0].contains("cannot be reached"), "{:?}", broken(&findings));
    assert!(findings[0].mend.as_ref().is_some_and(|mend| mend.contains("`language_model.url`")));
}

#[test]
fn a_models_size_is_in_its_name() {
    for (name, size) in [
        ("qwen3:4b", Some(4.0)),
        ("Qwen/Qwen2.5-Coder-1.5B-Instruct", Some(1.5)),
        ("gemma3:270m", Some(0.27)),
        ("deepseek-r1:32b", Some(32.0)),
        ("gpt-5-mini", None),
        ("llama3.2:latest", None),
    ] {
        assert_eq!(size_of(name), size, "{name}");
    }
    for (size, file) in [(0.5, "none.yaml"), (1.5, "small.yaml"), (4.0, "small.yaml"), (8.0, "large.yaml")] {
        assert!(fitting("m", size).found.contains(file), "{size}");
    }
}

#[tokio::test]
async fn a_window_that_is_smaller_than_the_settings_say_is_broken_unless_the_server_is_asked_for_it() {
    let url = serving("{\"id\": \"m\", \"max_model_len\": 4096}").await;
    let flags = [url.as_str(), "language_model.name=m", "language_model.window=8192"];
    let findings = found(&flags).await;
    assert_eq!(broken(&findings), ["answer: m is served with a window of 4096 tokens, but the settings say 8192"]);
    assert!(findings[0].mend.as_ref().is_some_and(|mend| mend.contains("`language_model.protocol: ollama`")));
    let by_ollama = found(&[&flags[..], &["language_model.protocol=ollama"]].concat()).await;
    assert!(broken(&by_ollama).is_empty(), "{:?}", broken(&by_ollama));
}

/// A server that has these models, and writes in the form of the protocol that it is asked in.
async fn writing(models: &str) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let models = format!("{{\"data\": [{models}]}}");
    tokio::spawn(async move {
        while let Ok((mut connection, _)) = listener.accept().await {
            let mut request = [0; 65536];
            let read = connection.read(&mut request).await.unwrap_or(0);
            let request = String::from_utf8_lossy(&request[..read]).into_owned();
            let body = match request.split_whitespace().nth(1).unwrap_or_default() {
                "/api/chat" => {
                    "{\"message\":{\"content\":\"Oil.\"},\"done\":false}\n{\"done\":true,\"done_reason\":\"stop\"}\n"
                }
                path if path.ends_with("/chat/completions") => {
                    "data: {\"choices\":[{\"delta\":{\"content\":\"Oil.\"},\"finish_reason\":\"stop\"}]}\n\ndata: [DONE]\n\n"
                }
                "/v1/models" => &models,
                _ => "",
            };
            let status = if body.is_empty() { "404 Not Found" } else { "200 OK" };
            let head = format!("HTTP/1.1 {status}\r\nconnection: close\r\ncontent-length: {}", body.len());
            let _ = connection.write_all(format!("{head}\r\n\r\n{body}").as_bytes()).await;
        }
    });
    format!("language_model.url=http://{address}/v1")
}

/// Each file of settings for a size of model, with the names of the models that it is for, and what its policy file says.
#[tokio::test]
async fn the_settings_for_each_size_of_model_work_with_a_server_of_its_form() {
    use ibidem_engine::policy::{NotesBy, Policy, SpeakMode};
    use ibidem_ports::language_model::{LanguageModel as _, Prompt, PromptMessage};
    // As the binary does at its start.
    let _ = rustls::crypto::ring::default_provider().install_default();
    let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    for (file, model, mode, notes_by) in [
        ("small", Some("qwen3:4b"), SpeakMode::Choose, NotesBy::Markers),
        ("large", Some("Qwen/Qwen3-8B"), SpeakMode::Model, NotesBy::Schema),
        ("hosted", Some("gpt-5-mini"), SpeakMode::Model, NotesBy::Schema),
        ("none", None, SpeakMode::Model, NotesBy::Markers),
    ] {
        let path = root.join(format!("config/models/{file}.yaml"));
        let url = writing(&format!("{{\"id\": \"{}\"}}", model.unwrap_or_default())).await;
        let flags: Vec<String> = model.iter().map(|_| url.clone()).collect();
        let settings = crate::settings::load(Some(&path), std::iter::empty(), &flags).unwrap();
        let findings = language_models(settings.language_model()).await;
        assert!(broken(&findings).is_empty(), "{file}: {:?}", broken(&findings));
        if let Some(model) = model {
            let settings = settings.language_model().unwrap();
            assert_eq!(settings.answer(), model);
            let message = PromptMessage { role: ibidem_words::Speaker::User, content: "Say oil.".to_owned() };
            let prompt = Prompt { model: None, messages: vec![message], temperature: 0.0, max_tokens: 8, form: None };
            let mut pieces = compose::roles::model(settings, model).unwrap().write(prompt).await.unwrap();
            let first = futures::StreamExt::next(&mut pieces).await.unwrap().unwrap();
            assert_eq!(first, ibidem_ports::language_model::Piece::Text(b"Oil.".to_vec()), "{file}");
        }
        let policy = root.join(format!("config/models/{}_policy.yaml", if file == "hosted" { "large" } else { file }));
        if let Ok(policy) = std::fs::read_to_string(policy) {
            let rules = Policy::parse(&policy).unwrap().rules.speak;
            assert_eq!((rules.mode, rules.notes_by), (mode, notes_by), "{file}");
        }
    }
}
