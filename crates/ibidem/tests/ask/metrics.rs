//! `ibidem metrics`, and the log in JSON, of a server that really runs.

use super::installation::with_installation;

#[tokio::test]
async fn what_a_server_counted_is_printed_as_prometheus_reads_it_or_it_is_said_why_not() {
    with_installation(async |installation| {
        let nobody = installation.run(&["metrics", "--dump", "--url", "http://127.0.0.1:9"]).await;
        assert_eq!((nobody.code, nobody.out.as_str()), (Some(1), ""));
        assert!(nobody.err.contains("ibidem serve"), "{}", nobody.err);

        installation.succeed(&["migrate"]).await;
        const TOKEN: &str = "a token that nobody guesses";
        let token = TOKEN.replace(' ', "-");
        let served = installation.serve(&[("IBIDEM__SERVER__METRICS_TOKEN", &token)]).await;
        let dump =
            async |key: &str| installation.run(&["metrics", "--dump", "--url", &served.url, "--token", key]).await;
        let without = installation.run(&["metrics", "--dump", "--url", &served.url]).await;
        assert!(without.code == Some(1) && without.err.contains("server.metrics_token"), "{without:?}");
        let key = async |role: &str| {
            let output = installation.succeed(&["key", "create", "--name", role, "--role", role]).await;
            output.out.trim().to_owned()
        };
        let admin = dump(&key("admin").await).await;
        assert!(admin.code == Some(1) && admin.err.contains("an API key is not accepted"), "{admin:?}");
        let admin = dump(&token).await;
        assert_eq!(admin.code, Some(0), "{admin:?}");
        assert!(admin.out.contains("\nrag_answer_total{action=\"cite\"} 0\n"), "{}", admin.out);
        assert!(admin.out.contains("\ncircuit_breaker_state{service=\"index\"} 0\n"), "{}", admin.out);
        assert!(admin.out.ends_with("# EOF\n"), "{}", admin.out);
        served.stop().await;
    })
    .await;
}
