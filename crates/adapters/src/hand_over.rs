//! Where routed questions go: a signed webhook, a folder of message files, or a mail server.

mod mail;
mod webhook;

use std::fmt;
use std::time::Duration;

use ibidem_words::HandOver;
use serde::Deserialize;

pub use self::mail::{MailFolder, Smtp, SmtpSettings};
pub use self::webhook::{ID_HEADER, SIGNATURE_HEADER, Webhook, signature};

/// Why a question was not handed over. It names no secret and repeats nothing that the other side said.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("{0}")]
pub struct HandOverError(String);

impl HandOverError {
    fn because(reason: impl fmt::Display) -> Self {
        Self(reason.to_string())
    }
}

/// A word that only this side and the other one know.
#[derive(Clone, PartialEq, Eq, Deserialize)]
#[serde(transparent)]
pub struct Secret(String);

impl Secret {
    pub fn new(word: impl Into<String>) -> Self {
        Self(word.into())
    }

    /// In bytes.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Secret(…)")
    }
}

/// One place that questions are handed to.
pub enum HandOverTarget {
    Webhook(Webhook),
    MailFolder(MailFolder),
    Smtp(Smtp),
}

impl HandOverTarget {
    /// Sends a question, in bounded time. Sent again it has the same id.
    pub async fn send(&self, hand_over: &HandOver, patience: Duration) -> Result<(), HandOverError> {
        let sending = async {
            match self {
                Self::Webhook(webhook) => webhook.send(hand_over).await,
                Self::MailFolder(folder) => folder.send(hand_over).await,
                Self::Smtp(smtp) => smtp.send(hand_over).await,
            }
        };
        in_time(sending, patience).await
    }

    /// Whether it can be used, without a question: what was found, in a few words.
    pub async fn check(&self, patience: Duration) -> Result<String, HandOverError> {
        let checking = async {
            match self {
                Self::Webhook(webhook) => webhook.check().await,
                Self::MailFolder(folder) => folder.check().await,
                Self::Smtp(smtp) => smtp.check().await,
            }
        };
        in_time(checking, patience).await
    }
}

async fn in_time<T>(
    outcome: impl Future<Output = Result<T, HandOverError>>,
    patience: Duration,
) -> Result<T, HandOverError> {
    let late = || HandOverError::because(format!("no answer within {} ms", patience.as_millis()));
    tokio::time::timeout(patience, outcome).await.unwrap_or_else(|_| Err(late()))
}

#[cfg(test)]
mod tests;
