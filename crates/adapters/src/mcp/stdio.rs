//! A tool server that is a program of its own, spoken to on standard input and output.

use std::collections::BTreeMap;
use std::process::Stdio;

use rmcp::RoleClient;
use rmcp::transport::async_rw::AsyncRwTransport;
use tokio::process::{Child, ChildStdin, ChildStdout, Command};

use super::bounded::{BoundedLines, Overflow};

type Transport = AsyncRwTransport<RoleClient, BoundedLines<ChildStdout>, ChildStdin>;

/// Starts the program. It gets the environment that was configured and nothing of this process's own, which holds secrets.
/// What it writes on standard error is lost.
pub(super) fn started(
    command: &[String],
    environment: &BTreeMap<String, String>,
    overflow: &Overflow,
) -> Result<(Child, Transport), String> {
    let (program, arguments) = command.split_first().ok_or("no command is configured")?;
    let mut child = Command::new(program)
        .args(arguments)
        .env_clear()
        .envs(environment)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .kill_on_drop(true)
        .spawn()
        .map_err(|error| format!("{program} cannot be started: {error}"))?;
    let (Some(input), Some(output)) = (child.stdin.take(), child.stdout.take()) else {
        return Err(format!("{program} has no standard input and output"));
    };
    let lines = BoundedLines::new(output, overflow.clone());
    // The bound above ends the connection; this one would wait for the end of the line.
    Ok((child, AsyncRwTransport::new(lines, input).with_max_line_length(usize::MAX)))
}
