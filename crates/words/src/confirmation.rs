//! The asker's word that a tool may change something: a token that is shown once and works once.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fmt;

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};

use super::Sha256Hash;

/// Starts every token, so that one is recognised wherever it turns up.
const PREFIX: &str = "ibc_";

/// How many hexadecimal digits follow: 128 bits, which nobody guesses.
const DIGITS: usize = 32;

/// Stands where a token stood.
const MASK: &str = "ibc_…";

/// Opens one call of one tool, for one asker, once. It is a secret: it is in no record and in no log.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct ConfirmationToken(String);

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("is no confirmation token: it reads {PREFIX} and {DIGITS} digits from 0 to f")]
pub struct InvalidToken;

impl ConfirmationToken {
    /// Makes a token of random bytes. They come from outside, so that this crate stays without randomness.
    pub fn of(random: [u8; DIGITS / 2]) -> Self {
        Self(format!("{PREFIX}{}", hex::encode(random)))
    }

    /// What is kept of it.
    pub fn digest(&self) -> Sha256Hash {
        Sha256Hash::of(self.0.as_bytes())
    }

    /// Returns the token in full. Only the asker may see it: whoever has it can confirm the call.
    pub fn revealed(&self) -> &str {
        &self.0
    }

    /// The token of a message that confirms and says nothing else: `confirm with ibc_…`, or the token alone.
    pub fn confirming(message: &str) -> Option<Self> {
        let words: Vec<String> = message.split_whitespace().map(str::to_lowercase).collect();
        let words: Vec<&str> = words.iter().map(String::as_str).collect();
        let token = match words.as_slice() {
            [token] | ["confirm", "with", token] | ["please" | "i", "confirm", "with", token] => token,
            _ => return None,
        };
        let quotes = ['.', '!', '"', '\'', '`', '“', '”'];
        token.trim_matches(quotes).to_owned().try_into().ok()
    }
}

impl TryFrom<String> for ConfirmationToken {
    type Error = InvalidToken;

    fn try_from(written: String) -> Result<Self, Self::Error> {
        let written = written.trim().to_lowercase();
        match written.strip_prefix(PREFIX) {
            Some(digits) if digits.len() == DIGITS && digits.bytes().all(|b| b.is_ascii_hexdigit()) => {
                Ok(Self(written))
            }
            _ => Err(InvalidToken),
        }
    }
}

impl From<ConfirmationToken> for String {
    fn from(token: ConfirmationToken) -> Self {
        token.0
    }
}

impl fmt::Debug for ConfirmationToken {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(MASK)
    }
}

/// Removes every token from a text before it is recorded, logged, searched for or shown to a model.
pub fn without_tokens(text: &str) -> Cow<'_, str> {
    // Lower-casing letters of ASCII moves nothing.
    let lower = text.to_ascii_lowercase();
    if !lower.contains(PREFIX) {
        return Cow::Borrowed(text);
    }
    let mut masked = String::with_capacity(text.len());
    let mut from = 0;
    while let Some(found) = lower[from..].find(PREFIX) {
        let start = from + found;
        let digits = start + PREFIX.len();
        let length = lower[digits..].bytes().take_while(u8::is_ascii_hexdigit).count();
        masked.push_str(&text[from..start]);
        if length >= DIGITS {
            masked.push_str(MASK);
        } else {
            masked.push_str(&text[start..digits + length]);
        }
        from = digits + length;
    }
    masked.push_str(&text[from..]);
    Cow::Owned(masked)
}

/// A call that changes something in another system and waits for the asker's word. Nothing was called yet.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct ProposedCall {
    /// What confirms the call: sent back in `confirmation`, or as the message `confirm with` and the token. It works once,
    /// for the same asker in the same conversation. Left out where the answer is read again.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schema(value_type = Option<String>))]
    pub token: Option<ConfirmationToken>,
    /// The server, as the settings name it.
    pub server: String,
    /// The tool, as its server names it.
    pub tool: String,
    /// What the tool will be given, by name.
    pub arguments: BTreeMap<String, String>,
    /// What will happen, in the words of the policy file.
    pub effect: String,
    /// When the token expires. After this it confirms nothing.
    pub expires_at: DateTime<Utc>,
}

impl ProposedCall {
    /// The same as it may be kept.
    #[must_use]
    pub fn without_token(self) -> Self {
        Self { token: None, ..self }
    }

    /// The sentence with which it is confirmed, for whoever reads text alone; none where the token is not known any more.
    pub fn sentence(&self) -> Option<String> {
        self.token.as_ref().map(|token| format!("confirm with {}", token.revealed()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn token() -> ConfirmationToken {
        ConfirmationToken::of([0xa7; 16])
    }

    #[test]
    fn only_a_message_that_is_nothing_but_a_confirmation_confirms() {
        let written = token().revealed().to_owned();
        for message in [
            format!("confirm with {written}"),
            format!(" Confirm  with {}. ", written.to_uppercase()),
            format!("Please confirm with `{written}`"),
            format!("I confirm with {written}!"),
            written.clone(),
        ] {
            assert_eq!(ConfirmationToken::confirming(&message), Some(token()), "{message}");
        }
        for message in [
            "yes".to_owned(),
            "confirm".to_owned(),
            "confirm with".to_owned(),
            "confirm with ibc_12".to_owned(),
            format!("do not confirm with {written}"),
            format!("The article says: confirm with {written}"),
            format!("confirm with {written} and call refund"),
            format!("confirm with {written}0"),
            format!("confirm with {written} {written}"),
            format!("confirm {written}"),
        ] {
            assert_eq!(ConfirmationToken::confirming(&message), None, "{message}");
        }
    }

    #[test]
    fn a_token_is_masked_wherever_it_stands_and_shows_in_no_debug_output() {
        let written = token().revealed().to_owned();
        let text = format!("Ä {written}, IBC_{} and ibc_12 or ibc_", "AB".repeat(16));
        assert_eq!(without_tokens(&text), "Ä ibc_…, ibc_… and ibc_12 or ibc_");
        assert_eq!(without_tokens(&format!("{written}ffff")), "ibc_…", "nothing of a longer one is left");
        assert!(matches!(without_tokens("What is ibc?"), Cow::Borrowed(_)));
        assert_eq!(format!("{:?}", token()), "ibc_…");
        let read: ConfirmationToken = serde_json::from_str(&format!("\"{written}\"")).unwrap();
        assert_eq!((read.digest(), serde_json::to_value(&read).unwrap()), (token().digest(), written.into()));
    }
}
