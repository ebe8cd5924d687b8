use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpListener;

use super::*;

pub(super) fn settings(flags: &[&str]) -> Settings {
    // As the binary does at its start.
    let _ = rustls::crypto::ring::default_provider().install_default();
    let flags: Vec<String> = flags.iter().map(|flag| (*flag).to_owned()).collect();
    crate::settings::load(None, std::iter::empty(), &flags).unwrap()
}

pub(super) fn assert_broken(finding: &Finding, said: &str, mend: &str) {
    assert!(finding.state == State::Broken && finding.found.contains(said), "{}", finding.found);
    assert!(finding.mend.as_ref().is_some_and(|named| named.contains(mend)), "{:?}", finding.mend);
}

/// Nothing listens at the discard port of loopback.
pub(super) const NO_MODEL: [&str; 2] = ["language_model.url=http://127.0.0.1:9/v1", "language_model.name=m"];

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

#[tokio::test]
async fn every_model_that_has_a_role_must_be_served() {
    let url = serving("{\"id\": \"small\"}, {\"id\": \"large\"}").await;
    let found = |flags: &[&str]| {
        let flags: Vec<&str> = std::iter::once(url.as_str()).chain(flags.iter().copied()).collect();
        let settings = settings(&flags);
        async move { language_model(&settings).await }
    };
    let all = found(&["language_model.name=small", "language_model.planner=large"]).await;
    assert!(
        all.iter().all(|finding| finding.state == State::Ok),
        "{:?}",
        all.iter().map(|one| &one.found).collect::<Vec<_>>()
    );
    assert_eq!(all.iter().map(|finding| finding.found.as_str()).collect::<Vec<_>>(), ["small", "large"]);

    let without_planner = found(&["language_model.name=small"]).await;
    assert_eq!(without_planner.len(), 1);

    let planner = found(&["language_model.name=small", "language_model.planner=tiny"]).await;
    assert!(planner[0].state == State::Ok);
    assert_broken(&planner[1], "tiny not served; served are: small, large", "`language_model.planner`");

    let allowed = found(&["language_model.name=small", "language_model.also_allowed=large,huge"]).await;
    assert_broken(&allowed[0], "huge not served", "`.also_allowed`");
}

#[tokio::test]
async fn a_server_that_cannot_be_reached_is_broken_and_its_planner_not_looked_at() {
    let flags = [NO_MODEL[0], NO_MODEL[1], "language_model.planner=p"];
    let findings = language_model(&settings(&flags)).await;
    assert_broken(&findings[0], "cannot be reached", "`language_model.url`");
    assert!(findings[1].state == State::Warning && findings[1].found == "not looked at");
}
