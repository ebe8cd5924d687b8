//! Replies of other servers, read as far as a limit and no further, whatever the server goes on to send.

use futures::{Stream, StreamExt as _};

/// Why a reply was not read to its end.
#[derive(Debug, thiserror::Error)]
pub(crate) enum ReadError {
    #[error(transparent)]
    Connection(#[from] reqwest::Error),
    #[error("its reply is longer than {0} bytes")]
    TooLong(usize),
    #[error("its reply has a line of more than {0} bytes")]
    LongLine(usize),
}

/// The whole body. One that is longer is given up, and with it the connection.
pub(crate) async fn body(mut reply: reqwest::Response, most: usize) -> Result<Vec<u8>, ReadError> {
    let mut body = Vec::new();
    while let Some(piece) = reply.chunk().await? {
        if body.len() + piece.len() > most {
            return Err(ReadError::TooLong(most));
        }
        body.extend_from_slice(&piece);
    }
    Ok(body)
}

/// The body piece by piece: so many bytes of it, and lines no longer than this, since whoever looks for the end of a line
/// keeps all of it.
pub(crate) fn pieces(
    reply: reqwest::Response,
    most: usize,
    longest_line: usize,
) -> impl Stream<Item = Result<impl AsRef<[u8]>, ReadError>> {
    let (mut taken, mut line) = (0_usize, 0_usize);
    reply.bytes_stream().map(move |piece| {
        let piece = piece?;
        taken = taken.saturating_add(piece.len());
        if taken > most {
            return Err(ReadError::TooLong(most));
        }
        for (place, part) in piece.split(|byte| *byte == b'\n').enumerate() {
            line = if place == 0 { line + part.len() } else { part.len() };
            if line > longest_line {
                return Err(ReadError::LongLine(longest_line));
            }
        }
        Ok(piece)
    })
}
