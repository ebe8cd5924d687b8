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
