//! `ibidem metrics`: what a running server has counted.

use std::time::Duration;

use anyhow::Context as _;
use reqwest::StatusCode;

use super::running_server;
use crate::console;
use crate::settings::Settings;

const PATIENCE: Duration = Duration::from_secs(10);

#[derive(clap::Args)]
pub(crate) struct MetricsCommand {
    /// Prints everything in the format of Prometheus. Without it, only metrics that are not 0 are printed.
    #[arg(long)]
    dump: bool,
    /// The address of the server. Default: `server.listen`.
    #[arg(long)]
    url: Option<String>,
    /// The token of the server's `server.metrics_token`. Default: the token in the settings of this command. With
    /// `server.metrics: open` none is needed.
    #[arg(long, alias = "key")]
    token: Option<String>,
}

impl MetricsCommand {
    pub(crate) async fn run(self, settings: &Settings) -> anyhow::Result<()> {
        let server = self.url.unwrap_or_else(|| running_server::address(settings.server.listen));
        let token = self.token.or_else(|| settings.server.metrics_token.clone());
        let text = fetch(&server, token.as_deref()).await?;
        if self.dump {
            console::say(text.trim_end());
            return Ok(());
        }
        for line in text.lines().filter(|line| tells_something(line)) {
            console::say(line);
        }
        Ok(())
    }
}

async fn fetch(server: &str, token: Option<&str>) -> anyhow::Result<String> {
    let url = format!("{}/metrics", server.trim_end_matches('/'));
    let client = reqwest::Client::builder().no_proxy().timeout(PATIENCE).build()?;
    let mut request = client.get(&url);
    if let Some(token) = token {
        request = request.bearer_auth(token);
    }
    let reply = request.send().await.map_err(|error| error.without_url()).with_context(|| {
        format!("no server answers at {url}; start one with `ibidem serve`, or name another with --url")
    })?;
    match reply.status() {
        StatusCode::OK => Ok(reply.text().await?),
        StatusCode::UNAUTHORIZED => anyhow::bail!(
            "the server asks for its metrics token: give `server.metrics_token` of the server's settings with --token, or set \
             IBIDEM__SERVER__METRICS_TOKEN; an API key is not accepted"
        ),
        StatusCode::NOT_FOUND => anyhow::bail!(
            "the server gives its metrics to nobody: set `server.metrics_token` where it runs (and not `server.metrics: off`)"
        ),
        status => anyhow::bail!("the server answered {status}; the reason is in its log"),
    }
}

/// Not a comment, not a histogram's bucket, and not 0.
fn tells_something(line: &str) -> bool {
    let is_series = !line.starts_with('#') && !line.contains("_bucket{");
    let value = line.rsplit(' ').next().and_then(|value| value.parse::<f64>().ok());
    is_series && value.is_some_and(|value| value != 0.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_is_not_zero_tells_something() {
        for (line, tells) in [
            ("# TYPE rag_answer counter", false),
            ("rag_answer_total{action=\"cite\"} 3", true),
            ("rag_answer_total{action=\"route\"} 0", false),
            ("stage_latency_ms_bucket{le=\"1.0\",stage=\"turn\"} 3", false),
            ("stage_latency_ms_sum{stage=\"turn\"} 0.25", true),
            ("# EOF", false),
        ] {
            assert_eq!(tells_something(line), tells, "{line}");
        }
    }
}
