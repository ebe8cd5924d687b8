//! A tool server in memory that can be late, down or another one than it was.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

use async_trait::async_trait;
use serde_json::{Map, Value};

use ibidem_ports::tools::{ToolDescription, ToolReply, Tools, ToolsError};

type Replying = Box<dyn Fn(&Map<String, Value>) -> ToolReply + Send + Sync>;

/// Tools that reply as they were told.
#[derive(Default)]
pub struct FakeTools {
    tools: Mutex<Vec<(ToolDescription, Replying)>>,
    failure: Mutex<Option<ToolsError>>,
    lists: AtomicUsize,
    calls: AtomicUsize,
}

impl FakeTools {
    #[must_use]
    pub fn with(
        self,
        tool: ToolDescription,
        reply: impl Fn(&Map<String, Value>) -> ToolReply + Send + Sync + 'static,
    ) -> Self {
        self.tools.lock().unwrap_or_else(PoisonError::into_inner).push((tool, Box::new(reply)));
        self
    }

    /// From now on every call ends in this error: `ToolsError::Timeout` for a server that is late.
    pub fn fail(&self, error: ToolsError) {
        *self.failure.lock().unwrap_or_else(PoisonError::into_inner) = Some(error);
    }

    /// From now on every tool is described otherwise.
    pub fn change(&self, change: impl Fn(&mut ToolDescription)) {
        for (tool, _) in self.tools.lock().unwrap_or_else(PoisonError::into_inner).iter_mut() {
            change(tool);
        }
    }

    /// How often a tool was called.
    pub fn calls(&self) -> usize {
        self.calls.load(Ordering::Relaxed)
    }

    /// How often the tools were listed.
    pub fn lists(&self) -> usize {
        self.lists.load(Ordering::Relaxed)
    }

    fn failed(&self) -> Result<(), ToolsError> {
        self.failure.lock().unwrap_or_else(PoisonError::into_inner).clone().map_or(Ok(()), Err)
    }
}

#[async_trait]
impl Tools for FakeTools {
    async fn list(&self) -> Result<Vec<ToolDescription>, ToolsError> {
        self.lists.fetch_add(1, Ordering::Relaxed);
        self.failed()?;
        let tools = self.tools.lock().unwrap_or_else(PoisonError::into_inner);
        Ok(tools.iter().map(|(tool, _)| tool.clone()).collect())
    }

    async fn call(&self, tool: &str, arguments: &Map<String, Value>) -> Result<ToolReply, ToolsError> {
        self.calls.fetch_add(1, Ordering::Relaxed);
        self.failed()?;
        let tools = self.tools.lock().unwrap_or_else(PoisonError::into_inner);
        let found = tools.iter().find(|(described, _)| described.name == tool);
        Ok(found.map_or_else(|| ToolReply::Failed(format!("there is no tool {tool}")), |(_, reply)| reply(arguments)))
    }
}

#[cfg(test)]
mod tests {
    use crate::suites;

    #[tokio::test]
    async fn it_does_what_every_tool_server_must() {
        suites::tools::check(&suites::tools::desk()).await;
    }
}
