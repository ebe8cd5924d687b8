//! What a setting can hold: each type knows its unit and its bounds.
//!
//! What a type says of a wrong value goes on where the setting's key ends: `server.max_in_flight` "is 0; it must be at
//! least 1".

use std::fmt::Display;
use std::ops::Deref;
use std::path::PathBuf;
use std::str::FromStr;
use std::time::Duration;

use ibidem_adapters::hand_over::Secret;
use serde::de::{DeserializeOwned, Error as _, IntoDeserializer as _};
use serde::{Deserialize, Deserializer};
use serde_json::Value;

/// A whole number from `LEAST` to `MOST`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Within<T, const LEAST: u64, const MOST: u64>(T);

pub type AtLeast<T, const LEAST: u64> = Within<T, LEAST, { u64::MAX }>;

impl<T: Copy, const LEAST: u64, const MOST: u64> Within<T, LEAST, MOST> {
    pub fn get(self) -> T {
        self.0
    }
}

impl<'de, T, const LEAST: u64, const MOST: u64> Deserialize<'de> for Within<T, LEAST, MOST>
where
    T: Deserialize<'de> + Copy + Display + TryInto<u64>,
{
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let value = T::deserialize(deserializer)?;
        let problem = match MOST {
            u64::MAX => format!("is {value}; it must be at least {LEAST}"),
            _ => format!("is {value}; it must be from {LEAST} to {MOST}"),
        };
        let is_within = value.try_into().is_ok_and(|number| (LEAST..=MOST).contains(&number));
        is_within.then_some(Self(value)).ok_or_else(|| D::Error::custom(problem))
    }
}

/// A time in milliseconds, of at least `LEAST`.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Deserialize)]
#[serde(transparent)]
pub struct Millis<const LEAST: u64 = 1>(AtLeast<u64, LEAST>);

impl<const LEAST: u64> Millis<LEAST> {
    pub fn get(self) -> Duration {
        Duration::from_millis(self.0.get())
    }
}

/// One of a few words. YAML takes `on` and `off` for true and false, as its reader pleases.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Word<T>(T);

impl<T: Copy> Word<T> {
    pub fn get(self) -> T {
        self.0
    }
}

impl<'de, T: Deserialize<'de>> Deserialize<'de> for Word<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let read = |word: String| T::deserialize(word.into_deserializer()).map(Self);
        match Value::deserialize(deserializer)? {
            Value::Bool(true) => read("on".to_owned()).or_else(|_| read("true".to_owned())),
            Value::Bool(false) => read("off".to_owned()),
            written => String::deserialize(written).map_err(D::Error::custom).and_then(read),
        }
    }
}

/// The address of a server. It is in no message and no log: it may hold a password.
#[derive(Clone, PartialEq, Eq, Deserialize)]
#[serde(try_from = "String")]
pub struct HttpUrl(String);

impl HttpUrl {
    /// Without a slash at its end, so that a path can follow.
    pub fn base(&self) -> &str {
        self.0.trim_end_matches('/')
    }
}

impl TryFrom<String> for HttpUrl {
    type Error = String;

    fn try_from(url: String) -> Result<Self, String> {
        has_scheme(&url, &["http://", "https://"]).map(|()| Self(url))
    }
}

impl std::fmt::Debug for HttpUrl {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str("HttpUrl(…)")
    }
}

impl Deref for HttpUrl {
    type Target = str;

    fn deref(&self) -> &str {
        &self.0
    }
}

/// What is wrong is told without the value: an address may hold a password.
pub(super) fn has_scheme(url: &str, schemes: &[&str]) -> Result<(), String> {
    let has_one = schemes.iter().any(|scheme| url.strip_prefix(scheme).is_some_and(|rest| !rest.is_empty()));
    has_one.then_some(()).ok_or_else(|| format!("must begin with {}", schemes.join(" or ")))
}

/// A value that an empty text takes away: so an environment variable can unset what a file sets.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Given<T>(pub Option<T>);

impl<T> Default for Given<T> {
    fn default() -> Self {
        Self(None)
    }
}

impl<T> Deref for Given<T> {
    type Target = Option<T>;

    fn deref(&self) -> &Option<T> {
        &self.0
    }
}

impl<'de, T: DeserializeOwned> Deserialize<'de> for Given<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let value = Value::deserialize(deserializer)?;
        let is_nothing = value.is_null() || value.as_str().is_some_and(|text| text.trim().is_empty());
        let given = (!is_nothing).then(|| serde_json::from_value(value));
        given.transpose().map(Self).map_err(D::Error::custom)
    }
}

/// A secret, or the file that holds it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum SecretSource {
    Given(Secret),
    File(PathBuf),
}

impl SecretSource {
    /// Shorter ones can be found by trying.
    pub const SHORTEST: usize = 32;

    pub(super) fn of(secret: &Given<Secret>, file: &Given<PathBuf>) -> Option<Self> {
        secret.0.clone().map(Self::Given).or_else(|| file.0.clone().map(Self::File))
    }
}

/// A value that is refused unless it is right.
pub(super) fn checked<'de, D: Deserializer<'de>, T: Deserialize<'de>>(
    deserializer: D,
    is_right: impl FnOnce(&T) -> bool,
    problem: &str,
) -> Result<T, D::Error> {
    let value = T::deserialize(deserializer)?;
    if is_right(&value) { Ok(value) } else { Err(D::Error::custom(problem)) }
}

/// What a text stands for.
pub(super) fn parsed<'de, D: Deserializer<'de>, T: FromStr<Err: Display>>(deserializer: D) -> Result<T, D::Error> {
    String::deserialize(deserializer)?.parse().map_err(D::Error::custom)
}
