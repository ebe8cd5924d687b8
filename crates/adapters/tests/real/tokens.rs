//! Tokens by a tokenizer's file, by a real model server, by servers that do not count, and by no tokenizer at all.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use ibidem_adapters::openai::Connection;
use ibidem_adapters::tokens::{ServerTokenizer, ServerTokenizerSettings, TokenizerFile};
use ibidem_engine::candidate::Candidate;
use ibidem_engine::policy::Policy;
use ibidem_engine::roles::NamedModel;
use ibidem_engine::speak::budget::allot;
use ibidem_engine::speak::footnotes::Footnotes;
use ibidem_engine::speak::prompt::prompt;
use ibidem_ports::catalogue::CataloguePassage;
use ibidem_ports::degrade::{Deadline, Part};
use ibidem_ports::language_model::Estimate;
use ibidem_ports::language_model::{ModelLimits, PromptMessage, Tokenizer};
use ibidem_testing::fakes::{FakeModel, passage};
use ibidem_testing::suites::tokenizer::{TEXTS, check};
use ibidem_words::{Message, Question, Speaker};
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpListener;

use crate::loopback::{fixed_bytes, nobody};
use crate::setting;

fn server(url: String, timeout: Duration) -> ServerTokenizer {
    // As the binary does at its start.
    let _ = rustls::crypto::ring::default_provider().install_default();
    ServerTokenizer::new(ServerTokenizerSettings { connection: Connection::to(url), timeout }).unwrap()
}

fn real_server() -> ServerTokenizer {
    server(setting("IBIDEM__LANGUAGE_MODEL__URL"), Duration::from_secs(60))
}

fn texts() -> Vec<String> {
    TEXTS.iter().map(|text| (*text).to_owned()).collect()
}

fn estimates() -> Vec<usize> {
    TEXTS.iter().map(|text| Estimate::count(text)).collect()
}

#[tokio::test]
async fn a_file_and_a_real_server_behave_as_tokenizers() {
    check(&TokenizerFile::load(Path::new(&setting("IBIDEM__EMBEDDING__TOKENIZER"))).unwrap()).await;
    check(&real_server()).await;
    let error = TokenizerFile::load(Path::new("no/such.json")).err().unwrap();
    assert!(error.to_string().starts_with("the tokenizer no/such.json cannot be used: "), "{error}");
}

#[tokio::test]
async fn the_estimate_is_never_less_than_a_real_count() {
    let file = TokenizerFile::load(Path::new(&setting("IBIDEM__EMBEDDING__TOKENIZER"))).unwrap();
    let counters: [(&str, &dyn Tokenizer); 2] = [("words and pieces", &file), ("bytes and pairs", &real_server())];
    for (what, tokenizer) in counters {
        let counted = tokenizer.count(texts()).await;
        let sums: (usize, usize) = (estimates().iter().sum(), counted.iter().sum());
        eprintln!("{what}: {} estimated, {} counted", sums.0, sums.1);
        for ((text, estimate), tokens) in TEXTS.iter().zip(estimates()).zip(counted) {
            assert!(estimate >= tokens, "{what}: {estimate} estimated, {tokens} counted: {text:?}");
        }
    }
}

#[tokio::test]
async fn what_a_server_does_not_count_is_estimated_in_time() {
    let page = "HTTP/1.1 404 X\r\ncontent-length: 0\r\nconnection: close\r\n\r\n";
    let babble = "HTTP/1.1 200 OK\r\ncontent-length: 2\r\nconnection: close\r\n\r\n{}";
    let urls = [fixed_bytes(page, false).await, fixed_bytes(babble, false).await, nobody().await];
    for url in urls {
        assert_eq!(server(url, Duration::from_secs(20)).count(texts()).await, estimates());
    }
    let hangs = fixed_bytes("", true).await;
    assert_eq!(server(hangs, Duration::from_millis(200)).count(texts()).await, estimates());
}

#[tokio::test]
async fn a_text_is_counted_by_the_server_once() {
    // It answers ten times, and is not there for an eleventh.
    let reply = "HTTP/1.1 200 OK\r\ncontent-length: 18\r\nconnection: close\r\n\r\n{\"tokens\":[7,8,9]}";
    let tokenizer = server(fixed_bytes(reply, false).await, Duration::from_secs(20));
    for _ in 0..30 {
        assert_eq!(tokenizer.count(vec!["Oil.".to_owned(), "Gearbox.".to_owned()]).await, [3, 3]);
    }
}

/// The address of a server that counts three tokens for every second request, and ends the other connections once it has
/// read what was asked.
async fn ends_every_other() -> String {
    let reply = "HTTP/1.1 200 OK\r\ncontent-length: 18\r\nconnection: close\r\n\r\n{\"tokens\":[7,8,9]}";
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    tokio::spawn(async move {
        for turn in 0..40 {
            let Ok((mut connection, _)) = listener.accept().await else { return };
            let mut request = [0_u8; 4096];
            let _ = connection.read(&mut request).await;
            if turn % 2 == 1 {
                let _ = connection.write_all(reply.as_bytes()).await;
            }
        }
    });
    url
}

#[tokio::test]
async fn a_connection_that_the_server_ends_is_no_reason_to_estimate() {
    let tokenizer = server(ends_every_other().await, Duration::from_secs(20));
    for number in 0..10 {
        assert_eq!(tokenizer.count(vec![format!("Text {number}.")]).await, [3]);
    }
}

fn candidate(number: u128, text: &str) -> Candidate {
    let passage =
        CataloguePassage { title: "Manual".to_owned(), tokens: 1, ..passage(number, &"Book".parse().unwrap(), text) };
    Candidate { cosine: Some(0.9), ..Candidate::unscored(passage) }
}

/// The prompt as the server writes it for the model.
async fn written_out(messages: &[PromptMessage]) -> String {
    let said = |message: &PromptMessage| json!({ "role": message.role, "content": message.content });
    let body = json!({ "messages": messages.iter().map(said).collect::<Vec<_>>() });
    let url = setting("IBIDEM__LANGUAGE_MODEL__URL").replace("/v1", "/apply-template");
    let reply = reqwest::Client::new().post(url).json(&body).send().await.unwrap();
    reply.json::<Value>().await.unwrap()["prompt"].as_str().unwrap().to_owned()
}

#[tokio::test]
async fn a_real_server_counts_no_more_than_was_allotted_however_it_was_counted() {
    let policy = Policy::parse(include_str!("../../../../policies/default.yaml")).unwrap();
    let rules = &policy.rules.speak;
    let server = Arc::new(real_server());
    let model = NamedModel::unknown(Arc::new(FakeModel::saying(&[])));
    // Not everything fits.
    let limits = ModelLimits { window: 1_500, response: 100 };
    let said = |(number, text): (usize, &&str)| Message {
        role: if number % 2 == 0 { Speaker::User } else { Speaker::Assistant },
        content: (*text).to_owned(),
        timestamp: None,
    };
    let history = TEXTS.iter().enumerate().map(said).collect();
    let question = Question::new("How many days of leave may be carried over?").after(history);
    let evidence: Vec<_> = (1..).zip(TEXTS).map(|(number, text)| candidate(number, text)).collect();
    let background = ["Our chief dislikes red cars in the yard.".to_owned()];
    let tokenizers: [Arc<dyn Tokenizer>; 2] = [server.clone(), Arc::new(Estimate)];
    for tokenizer in tokenizers {
        let model = NamedModel { limits, tokenizer: Part::bare(tokenizer), ..model.clone() };
        let allotted = allot(rules, &model, &question, &evidence, &background, Deadline::NONE).await.unwrap();
        let kept = allotted.part(evidence.clone()).0;
        let prompt = prompt(rules, &allotted, &question, &Footnotes::mint(&kept), &background);
        let counted = server.ask(&written_out(&prompt.messages).await).await.unwrap();
        let budgeted = allotted.tokens.prompt();
        eprintln!(
            "{}: {budgeted} allotted, {counted} counted by the server, {} of {} messages, {} of {} passages",
            model.tokenizer.port().name(),
            allotted.history.len(),
            question.history.len(),
            kept.len(),
            evidence.len()
        );
        assert!(counted <= budgeted, "{counted} counted, {budgeted} allotted");
        assert!(budgeted <= (limits.window - limits.response) as usize);
    }
}
