//! Characters from bytes that arrive in any pieces.

/// Holds back the beginning of a character until the rest of it arrives.
#[derive(Clone, Debug, Default)]
pub(super) struct Utf8Pieces {
    begun: Vec<u8>,
}

impl Utf8Pieces {
    /// The characters that are whole now; what can never become one is replaced, as everywhere.
    pub(super) fn push(&mut self, piece: &[u8]) -> String {
        self.begun.extend_from_slice(piece);
        let mut text = String::new();
        let mut rest = self.begun.as_slice();
        loop {
            match std::str::from_utf8(rest) {
                Ok(whole) => {
                    text.push_str(whole);
                    rest = &[];
                }
                Err(error) => {
                    let (whole, after) = rest.split_at(error.valid_up_to());
                    text.push_str(&String::from_utf8_lossy(whole));
                    rest = after;
                    if let Some(broken) = error.error_len() {
                        text.push(char::REPLACEMENT_CHARACTER);
                        rest = &rest[broken..];
                        continue;
                    }
                }
            }
            self.begun = rest.to_vec();
            return text;
        }
    }

    /// Half a character at the end is a broken one.
    pub(super) fn finish(&mut self) -> String {
        let begun = std::mem::take(&mut self.begun);
        String::from_utf8_lossy(&begun).into_owned()
    }
}
