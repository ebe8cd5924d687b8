//! Tools of servers of the Model Context Protocol: programs on standard input and output, or servers over HTTP.
//!
//! A connection is made when it is first needed, and made anew when it has ended. A server's own requests (to ask a model,
//! to ask the user, to list folders) are refused: it is asked, and asks nothing.

mod bounded;
mod http;
mod stdio;

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

use async_trait::async_trait;
use ibidem_ports::tools::{ToolDescription, ToolReply, Tools, ToolsError, ToolsFault};
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, ClientCapabilities, ClientConfig, ClientRequest, ContentBlock,
    Implementation, ListToolsRequest, PaginatedRequestParams, ServerResult, Tool,
};
use rmcp::service::{Peer, RunningService, ServiceError};
use rmcp::{RoleClient, serve_client};
use serde_json::{Map, Value};
use tokio::sync::{Mutex, Semaphore};

use bounded::Overflow;

/// A server that lists more tools than fit on so many pages is not asked further.
const MOST_PAGES: usize = 20;

/// What a server says of a failure is kept for the operator, as far as this, in characters.
const LONGEST_REASON: usize = 500;

/// One tool server.
#[derive(Clone, PartialEq, Eq)]
pub struct McpSettings {
    pub reached: Reached,
    /// Calls under way at the same time. One more is refused.
    pub at_once: usize,
    /// The largest message that is read.
    pub most_bytes: usize,
}

/// How a server is reached.
#[derive(Clone, PartialEq, Eq)]
pub enum Reached {
    /// A program, with its arguments. Its environment is this one and nothing else.
    Program { command: Vec<String>, environment: BTreeMap<String, String> },
    /// An address, perhaps with a token that is sent as a bearer.
    Url { url: String, token: Option<String> },
}

impl fmt::Debug for McpSettings {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        // The environment, the token and the address may hold secrets.
        let reached = match &self.reached {
            Reached::Program { command, .. } => command.first().map_or("", String::as_str),
            Reached::Url { .. } => "a server over HTTP",
        };
        formatter.debug_struct("McpSettings").field("reached", &reached).finish_non_exhaustive()
    }
}

/// The tools of one server, in no bounded time of its own.
pub struct McpTools {
    settings: McpSettings,
    places: Semaphore,
    connection: Mutex<Option<Arc<Connection>>>,
}

/// Ends, and its program with it, when nobody holds it any more.
struct Connection {
    client: RunningService<RoleClient, ClientConfig>,
    overflow: Overflow,
    /// Killed when it is dropped.
    _program: Option<tokio::process::Child>,
}

impl McpTools {
    pub fn new(settings: McpSettings) -> Self {
        Self { places: Semaphore::new(settings.at_once), settings, connection: Mutex::default() }
    }

    /// The connection that there is, or a new one.
    async fn connection(&self) -> Result<Arc<Connection>, ToolsError> {
        let mut kept = self.connection.lock().await;
        if let Some(connection) = kept.as_ref().filter(|kept| !kept.client.is_closed() && !kept.overflow.happened()) {
            return Ok(Arc::clone(connection));
        }
        *kept = None;
        let connection = Arc::new(self.connected().await?);
        *kept = Some(Arc::clone(&connection));
        Ok(connection)
    }

    async fn connected(&self) -> Result<Connection, ToolsError> {
        let overflow = Overflow::above(self.settings.most_bytes);
        let client =
            ClientConfig::new(ClientCapabilities::default(), Implementation::new("ibidem", env!("CARGO_PKG_VERSION")));
        let (served, program) = match &self.settings.reached {
            Reached::Program { command, environment } => {
                let (program, transport) =
                    stdio::started(command, environment, &overflow).map_err(ToolsError::Unavailable)?;
                (serve_client(client, transport).await, Some(program))
            }
            Reached::Url { url, token } => {
                let transport = http::transport(url, token.as_deref(), &overflow).map_err(ToolsError::Unavailable)?;
                (serve_client(client, transport).await, None)
            }
        };
        let client = served.map_err(|error| overflow.error().unwrap_or_else(|| unavailable(&error)))?;
        Ok(Connection { client, overflow, _program: program })
    }

    /// What went wrong; a connection that cannot be used again is given up.
    async fn failed(&self, connection: &Arc<Connection>, error: &ServiceError) -> ToolsError {
        let overflowed = connection.overflow.error();
        let is_over = overflowed.is_some()
            || matches!(error, ServiceError::TransportClosed | ServiceError::TransportSend(_))
            || connection.client.is_closed();
        if is_over {
            let mut kept = self.connection.lock().await;
            if kept.as_ref().is_some_and(|kept| Arc::ptr_eq(kept, connection)) {
                *kept = None;
            }
        }
        overflowed.unwrap_or_else(|| unavailable(error))
    }

    fn place(&self) -> Result<tokio::sync::SemaphorePermit<'_>, ToolsError> {
        self.places.try_acquire().map_err(|_| ToolsFault::Busy { most: self.settings.at_once }.into())
    }
}

#[async_trait]
impl Tools for McpTools {
    async fn list(&self) -> Result<Vec<ToolDescription>, ToolsError> {
        let _place = self.place()?;
        let connection = self.connection().await?;
        match listed(connection.client.peer()).await {
            Ok(tools) => Ok(tools),
            // The server may have been started anew since the last call. Listing twice changes nothing.
            Err(error @ (ServiceError::TransportClosed | ServiceError::TransportSend(_))) => {
                let failed = self.failed(&connection, &error).await;
                if matches!(failed, ToolsError::Own(_)) {
                    return Err(failed);
                }
                let connection = self.connection().await?;
                match listed(connection.client.peer()).await {
                    Ok(tools) => Ok(tools),
                    Err(error) => Err(self.failed(&connection, &error).await),
                }
            }
            Err(error) => Err(self.failed(&connection, &error).await),
        }
    }

    async fn call(&self, tool: &str, arguments: &Map<String, Value>) -> Result<ToolReply, ToolsError> {
        let _place = self.place()?;
        let connection = self.connection().await?;
        let request = CallToolRequestParams::new(tool.to_owned()).with_arguments(arguments.clone());
        match connection.client.peer().call_tool_once(request).await {
            Ok(CallToolResponse::Complete(result)) => {
                if result.is_error == Some(true) {
                    return Ok(ToolReply::Failed(words(&result.content)));
                }
                result.structured_content.map(ToolReply::Result).ok_or_else(|| ToolsFault::Unstructured.into())
            }
            // It wants to ask something, or to be asked again later.
            Ok(_) => Ok(ToolReply::Failed("the tool did not finish by itself".to_owned())),
            Err(ServiceError::McpError(error)) => Ok(ToolReply::Failed(cut(&error.message))),
            Err(error) => Err(self.failed(&connection, &error).await),
        }
    }
}

/// Asked anew each time: what a server says of how long its list holds is not believed.
async fn listed(peer: &Peer<RoleClient>) -> Result<Vec<ToolDescription>, ServiceError> {
    let mut tools = Vec::new();
    let mut cursor = None;
    for _ in 0..MOST_PAGES {
        let page = PaginatedRequestParams::default().with_cursor(cursor.take());
        let request = ClientRequest::ListToolsRequest(ListToolsRequest::with_param(page));
        let ServerResult::ListToolsResult(page) = peer.send_request(request).await? else {
            return Err(ServiceError::UnexpectedResponse);
        };
        tools.extend(page.tools.into_iter().map(described));
        cursor = page.next_cursor;
        if cursor.is_none() {
            break;
        }
    }
    Ok(tools)
}

fn described(tool: Tool) -> ToolDescription {
    let schema = |schema: Arc<Map<String, Value>>| Value::Object(Arc::unwrap_or_clone(schema));
    ToolDescription {
        name: tool.name.into_owned(),
        arguments: schema(tool.input_schema),
        result: tool.output_schema.map(schema),
        read_only: tool.annotations.and_then(|annotations| annotations.read_only_hint),
    }
}

fn words(content: &[ContentBlock]) -> String {
    let texts = content.iter().filter_map(|block| block.as_text()).map(|text| text.text.as_str());
    cut(&texts.collect::<Vec<_>>().join(" "))
}

fn cut(text: &str) -> String {
    text.chars().take(LONGEST_REASON).collect()
}

fn unavailable(error: &impl fmt::Display) -> ToolsError {
    ToolsError::Unavailable(cut(&error.to_string()))
}
