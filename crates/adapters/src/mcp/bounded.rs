//! No message of a server is read beyond a bound: a server must not fill the memory.

use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::{Context, Poll, ready};

use ibidem_ports::tools::{ToolsError, ToolsFault};
use tokio::io::{AsyncRead, ReadBuf};

/// Whether a message was too large. Clones share it.
#[derive(Clone)]
pub(super) struct Overflow {
    most_bytes: usize,
    happened: Arc<AtomicBool>,
}

impl Overflow {
    pub(super) fn above(most_bytes: usize) -> Self {
        Self { most_bytes, happened: Arc::default() }
    }

    pub(super) fn most_bytes(&self) -> usize {
        self.most_bytes
    }

    pub(super) fn happened(&self) -> bool {
        self.happened.load(Ordering::Relaxed)
    }

    pub(super) fn error(&self) -> Option<ToolsError> {
        self.happened().then(|| ToolsFault::TooLarge { most_bytes: self.most_bytes }.into())
    }

    /// Notes that it happened.
    pub(super) fn note(&self) -> io::Error {
        self.happened.store(true, Ordering::Relaxed);
        io::Error::other(format!("a message of more than {} bytes", self.most_bytes))
    }
}

/// Lines of a server, each within the bound. A longer one ends the connection.
pub(super) struct BoundedLines<R> {
    lines: R,
    line_bytes: usize,
    overflow: Overflow,
}

impl<R> BoundedLines<R> {
    pub(super) fn new(lines: R, overflow: Overflow) -> Self {
        Self { lines, line_bytes: 0, overflow }
    }
}

impl<R: AsyncRead + Unpin> AsyncRead for BoundedLines<R> {
    fn poll_read(mut self: Pin<&mut Self>, context: &mut Context<'_>, into: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        let before = into.filled().len();
        ready!(Pin::new(&mut self.lines).poll_read(context, into))?;
        let mut is_too_long = false;
        for part in into.filled()[before..].split_inclusive(|byte| *byte == b'\n') {
            self.line_bytes += part.len();
            is_too_long |= self.line_bytes > self.overflow.most_bytes;
            if part.ends_with(b"\n") {
                self.line_bytes = 0;
            }
        }
        if is_too_long {
            // Whoever fails has read nothing.
            into.set_filled(before);
            return Poll::Ready(Err(self.overflow.note()));
        }
        Poll::Ready(Ok(()))
    }
}

#[cfg(test)]
mod tests {
    use tokio::io::AsyncReadExt as _;

    use super::*;

    #[tokio::test]
    async fn many_short_lines_are_read_and_one_long_one_is_not() {
        let overflow = Overflow::above(8);
        let mut read = String::new();
        BoundedLines::new("1234567\n1234567\n".repeat(100).as_bytes(), overflow.clone())
            .read_to_string(&mut read)
            .await
            .unwrap();
        assert!(!overflow.happened() && overflow.error().is_none());
        let mut long = BoundedLines::new(&b"123\n12345678\n"[..], overflow.clone());
        assert!(long.read_to_string(&mut read).await.is_err() && overflow.happened());
        assert_eq!(overflow.error(), Some(ToolsFault::TooLarge { most_bytes: 8 }.into()));
    }
}
