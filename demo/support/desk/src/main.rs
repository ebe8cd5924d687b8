//! A small service desk as a server of the Model Context Protocol, over PostgreSQL: what tools for facts are tried with.

mod database;
mod tools;

use std::net::SocketAddr;
use std::sync::Arc;

use anyhow::Context as _;
use clap::Parser;
use rmcp::ServiceExt as _;
use rmcp::transport::io::stdio;
use rmcp::transport::streamable_http_server::session::never::NeverSessionManager;
use rmcp::transport::streamable_http_server::{StreamableHttpServerConfig, StreamableHttpService};

use tools::Desk;

/// Serves plans, subscriptions, cases and orders of a service desk that does not exist, as tools of the Model Context
/// Protocol.
#[derive(Parser)]
#[command(name = "ibidem-support-desk", version)]
struct Arguments {
    /// The database. The desk keeps its tables in a schema of its own, `support_desk`, and makes and fills them where they
    /// are not there yet.
    #[arg(long, env = "SUPPORT_DESK_DATABASE_URL", hide_env_values = true)]
    database_url: String,
    /// Serves streamable HTTP at /mcp of this address, on loopback. Without it the desk speaks on standard input and output.
    #[arg(long)]
    listen: Option<SocketAddr>,
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> anyhow::Result<()> {
    // The one cryptography library, for databases that are reached by TLS.
    let _ = rustls::crypto::ring::default_provider().install_default();
    let arguments = Arguments::parse();
    let pool = database::ready(&arguments.database_url).await.context("the desk's database")?;
    let desk = Desk::new(pool)?;
    let Some(listen) = arguments.listen else {
        desk.serve(stdio()).await?.waiting().await?;
        return Ok(());
    };
    let config = StreamableHttpServerConfig::default().with_legacy_session_mode(false).with_json_response(true);
    let service =
        StreamableHttpService::new(move || Ok(desk.clone()), Arc::new(NeverSessionManager::default()), config);
    let listener = tokio::net::TcpListener::bind(listen).await?;
    axum::serve(listener, axum::Router::new().nest_service("/mcp", service)).await?;
    Ok(())
}
