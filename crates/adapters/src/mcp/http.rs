//! A tool server over HTTP (streamable HTTP of the Model Context Protocol), each response within a bound.

use std::borrow::Cow;
use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use futures::stream::BoxStream;
use futures::{StreamExt as _, TryStreamExt as _};
use reqwest::header::{ACCEPT, CONTENT_TYPE, HeaderName, HeaderValue};
use reqwest::{Client, Response, StatusCode};
use rmcp::model::{ClientJsonRpcMessage, ServerJsonRpcMessage};
use rmcp::transport::StreamableHttpClientTransport;
use rmcp::transport::streamable_http_client::{
    SseError, StreamableHttpClient, StreamableHttpClientTransportConfig, StreamableHttpError,
    StreamableHttpPostResponse,
};
use sse_stream::{Sse, SseStream};

use super::bounded::Overflow;

const JSON: &str = "application/json";
const EVENTS: &str = "text/event-stream";
const SESSION: &str = "mcp-session-id";

/// To find out whether somebody is there.
const CONNECT_PATIENCE: Duration = Duration::from_secs(5);

type Failed = StreamableHttpError<reqwest::Error>;

/// Reads no response beyond the bound, and follows no redirect.
#[derive(Clone)]
pub(super) struct Bounded {
    client: Client,
    overflow: Overflow,
}

pub(super) fn transport(
    url: &str,
    token: Option<&str>,
    overflow: &Overflow,
) -> Result<StreamableHttpClientTransport<Bounded>, String> {
    let client = Client::builder()
        .connect_timeout(CONNECT_PATIENCE)
        // Never to another host than the one that was configured.
        .redirect(reqwest::redirect::Policy::none())
        .build()
        .map_err(|error| error.to_string())?;
    let mut config = StreamableHttpClientTransportConfig::with_uri(url);
    config.auth_header = token.map(str::to_owned);
    config.max_sse_event_size = overflow.most_bytes();
    let bounded = Bounded { client, overflow: overflow.clone() };
    Ok(StreamableHttpClientTransport::with_client(bounded, config))
}

impl Bounded {
    /// All of a body, if it is not too large.
    async fn body(&self, response: Response) -> Result<Vec<u8>, Failed> {
        let mut body = Vec::new();
        let mut pieces = response.bytes_stream();
        while let Some(piece) = pieces.next().await {
            body.extend_from_slice(&piece.map_err(StreamableHttpError::Client)?);
            if body.len() > self.overflow.most_bytes() {
                return Err(self.overflow.note().into());
            }
        }
        Ok(body)
    }

    /// The events of a response, of which all together may be so large.
    fn events(&self, response: Response) -> BoxStream<'static, Result<Sse, SseError>> {
        let overflow = self.overflow.clone();
        let mut read = 0_usize;
        let pieces = response.bytes_stream().map_err(std::io::Error::other).and_then(move |piece| {
            read += piece.len();
            std::future::ready(if read > overflow.most_bytes() { Err(overflow.note()) } else { Ok(piece) })
        });
        SseStream::from_bytes_stream(pieces).boxed()
    }
}

impl StreamableHttpClient for Bounded {
    type Error = reqwest::Error;

    async fn post_message(
        &self,
        uri: Arc<str>,
        message: ClientJsonRpcMessage,
        session_id: Option<Arc<str>>,
        auth_header: Option<String>,
        custom_headers: HashMap<HeaderName, HeaderValue>,
    ) -> Result<StreamableHttpPostResponse, Failed> {
        let had_session = session_id.is_some();
        let mut request = self.client.post(uri.as_ref()).header(ACCEPT, format!("{EVENTS}, {JSON}"));
        request = custom_headers.into_iter().fold(request, |request, (name, value)| request.header(name, value));
        if let Some(token) = auth_header {
            request = request.bearer_auth(token);
        }
        if let Some(session) = session_id {
            request = request.header(SESSION, session.as_ref());
        }
        let response = request.json(&message).send().await.map_err(StreamableHttpError::Client)?;
        let status = response.status();
        if matches!(status, StatusCode::ACCEPTED | StatusCode::NO_CONTENT) {
            return Ok(StreamableHttpPostResponse::Accepted);
        }
        if status == StatusCode::NOT_FOUND && had_session {
            return Err(StreamableHttpError::SessionExpired);
        }
        let header = |name: HeaderName| response.headers().get(name).and_then(|value| value.to_str().ok());
        let kind = header(CONTENT_TYPE).unwrap_or_default().to_owned();
        let session = header(HeaderName::from_static(SESSION)).map(str::to_owned);
        if kind.starts_with(EVENTS) && status.is_success() {
            return Ok(StreamableHttpPostResponse::Sse(self.events(response), session));
        }
        if !kind.starts_with(JSON) {
            // What stands in the body of an error is the server's business.
            return Err(StreamableHttpError::UnexpectedServerResponse(Cow::Owned(format!("HTTP {status}"))));
        }
        let is_asked = matches!(message, ClientJsonRpcMessage::Request(_));
        match serde_json::from_slice::<ServerJsonRpcMessage>(&self.body(response).await?) {
            Ok(reply) if status.is_success() || matches!(reply, ServerJsonRpcMessage::Error(_)) => {
                Ok(StreamableHttpPostResponse::Json(reply, session))
            }
            Err(_) if status.is_success() && !is_asked => Ok(StreamableHttpPostResponse::Accepted),
            _ => Err(StreamableHttpError::UnexpectedServerResponse(Cow::Owned(format!("HTTP {status}, no message")))),
        }
    }

    async fn delete_session(
        &self,
        uri: Arc<str>,
        session_id: Arc<str>,
        auth_header: Option<String>,
        _: HashMap<HeaderName, HeaderValue>,
    ) -> Result<(), Failed> {
        let request = self.client.delete(uri.as_ref()).header(SESSION, session_id.as_ref());
        let request = match auth_header {
            Some(token) => request.bearer_auth(token),
            None => request,
        };
        request.send().await.map_err(StreamableHttpError::Client)?;
        Ok(())
    }

    /// Nothing that a server says unasked is listened to.
    async fn get_stream(
        &self,
        _: Arc<str>,
        _: Option<Arc<str>>,
        _: Option<String>,
        _: Option<String>,
        _: HashMap<HeaderName, HeaderValue>,
    ) -> Result<BoxStream<'static, Result<Sse, SseError>>, Failed> {
        Err(StreamableHttpError::ServerDoesNotSupportSse)
    }
}
