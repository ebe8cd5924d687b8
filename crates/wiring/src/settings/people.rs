//! Who asks, and who is told: the sections `sign_in`, `agents` and `hand_over`.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use std::time::Duration;

use ibidem_adapters::hand_over::Secret;
use ibidem_adapters::oidc::{OidcSettings, by_public_key, is_private};
use ibidem_store::Retries;
use serde::de::Error as _;
use serde::{Deserialize, Deserializer};

use super::Settings;
use super::read::Problems;
use super::value::{AtLeast, Given, HttpUrl, Millis, SecretSource, checked, has_scheme};

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SignInSettings {
    /// Nobody signs in without one.
    issuer: Given<String>,
    client_id: Given<String>,
    client_secret: Given<Secret>,
    /// The client for programs without a browser, where it is another.
    pub device_client_id: Given<String>,
    public_url: Given<String>,
    pub tenant: String,
    audiences: Vec<String>,
    #[serde(deserialize_with = "groups_claim")]
    groups_claim: String,
    #[serde(deserialize_with = "scopes")]
    scopes: Vec<String>,
    #[serde(deserialize_with = "algorithms")]
    algorithms: Vec<String>,
    #[serde(deserialize_with = "leeway")]
    leeway_seconds: u64,
    timeout_ms: Millis,
    session_idle_minutes: AtLeast<u64, 2>,
    session_hours: AtLeast<u64, 1>,
}

fn groups_claim<'de, D: Deserializer<'de>>(deserializer: D) -> Result<String, D::Error> {
    let problem = "is empty; write the name of the claim that lists a person's groups";
    checked(deserializer, |claim: &String| !claim.is_empty(), problem)
}

fn scopes<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<String>, D::Error> {
    let has_openid = |scopes: &Vec<String>| scopes.iter().any(|scope| scope == "openid");
    checked(deserializer, has_openid, "must have openid among them")
}

fn algorithms<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<String>, D::Error> {
    let problem = "is empty, so that no token would count";
    let names = checked(deserializer, |names: &Vec<String>| !names.is_empty(), problem)?;
    names.iter().try_for_each(|name| by_public_key(name).map(drop)).map(|()| names).map_err(D::Error::custom)
}

fn leeway<'de, D: Deserializer<'de>>(deserializer: D) -> Result<u64, D::Error> {
    let problem = "must be at most 300: a token should not count long after it expired";
    checked(deserializer, |seconds| *seconds <= 300, problem)
}

impl SignInSettings {
    pub(super) fn check(&self, problems: &mut Problems) {
        const PRIVATE: &str =
            "must begin with https://, or with http://127.0.0.1 or http://localhost for a server on this machine";
        let Some(issuer) = self.issuer.as_deref() else { return };
        problems.unless(is_private(issuer), "sign_in.issuer", PRIVATE);
        problems.unless(
            self.client_id.is_some(),
            "sign_in.client_id",
            "is needed with `sign_in.issuer`: the provider shows it for the registered client",
        );
        problems.unless(
            self.public_url.is_some(),
            "sign_in.public_url",
            "is needed with `sign_in.issuer`: write where browsers reach this server, for example https://ibidem.example.org",
        );
        problems.unless(self.public_url.as_deref().is_none_or(is_private), "sign_in.public_url", PRIVATE);
    }

    /// Where browsers reach the server, without a final slash.
    pub fn public_url(&self) -> String {
        self.public_url.as_deref().unwrap_or_default().trim_end_matches('/').to_owned()
    }

    /// After how long without use, and after how long at most, a session ends.
    pub fn session(&self) -> (Duration, Duration) {
        let (minutes, hours) = (self.session_idle_minutes.get(), self.session_hours.get());
        (Duration::from_secs(minutes.saturating_mul(60)), Duration::from_secs(hours.saturating_mul(3_600)))
    }

    pub fn oidc(&self) -> OidcSettings {
        OidcSettings {
            issuer: self.issuer.0.clone().unwrap_or_default(),
            client_id: self.client_id.0.clone().unwrap_or_default(),
            client_secret: self.client_secret.as_ref().map(|secret| secret.as_str().to_owned()),
            audiences: self.audiences.clone(),
            groups_claim: self.groups_claim.clone(),
            scopes: self.scopes.clone(),
            algorithms: self.algorithms.clone(),
            leeway: Duration::from_secs(self.leeway_seconds),
            timeout: self.timeout_ms.get(),
        }
    }
}

impl Settings {
    /// None when nobody signs in.
    pub fn sign_in(&self) -> Option<&SignInSettings> {
        self.sign_in.issuer.as_ref().map(|_| &self.sign_in)
    }
}

/// The running server that `ibidem mcp` passes messages on to.
#[derive(Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AgentSettings {
    /// None: where `server.listen` is reached from here.
    pub server: Given<HttpUrl>,
    key: Given<Secret>,
    key_file: Given<PathBuf>,
    /// For one call of the server.
    pub timeout_ms: Millis,
}

impl AgentSettings {
    pub(super) fn check(&self, problems: &mut Problems) {
        let is_one = self.key.is_none() || self.key_file.is_none();
        problems.unless(is_one, "agents.key_file", "is set beside `agents.key`; set one of them");
    }

    /// What the server is shown: an API key, or an access token.
    pub fn credential(&self) -> Option<SecretSource> {
        SecretSource::of(&self.key, &self.key_file)
    }
}

/// How routed questions reach their owners.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct HandOverSettings {
    /// By name; empty when nothing is handed over.
    pub targets: BTreeMap<String, HandOverTargetSettings>,
    public_url: Given<HttpUrl>,
    /// For sending one question.
    pub timeout_ms: Millis,
    attempts: AtLeast<u32, 1>,
    retry_ms: Millis<0>,
    /// How many questions of one asker are handed over within 24 hours.
    pub per_asker_a_day: AtLeast<u32, 1>,
}

/// One place that questions are handed to: a webhook, a folder, or a mail server.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct HandOverTargetSettings {
    tenant: Option<String>,
    owners: Vec<String>,
    pub webhook: Given<String>,
    secret: Given<Secret>,
    secret_file: Given<PathBuf>,
    pub mail_folder: Option<PathBuf>,
    pub smtp: Given<String>,
    pub from: Given<String>,
    pub user: Given<String>,
    password: Given<Secret>,
    password_file: Given<PathBuf>,
}

impl HandOverSettings {
    pub(super) fn check(&self, lease: Duration, problems: &mut Problems) {
        let is_in_time = self.targets.is_empty() || self.timeout_ms.get() < lease;
        let problem = "must be less than `jobs.lease_ms`: else two workers send the same question";
        problems.unless(is_in_time, "hand_over.timeout_ms", problem);
        let mut known = BTreeSet::new();
        for (name, target) in &self.targets {
            let key = format!("hand_over.targets.{name}");
            problems.name(&key, name);
            target.check(&key, problems);
            for owner in target.owners() {
                let problem = format!("has {owner:?}, which another target of the same tenant has too");
                problems.unless(known.insert((target.tenant(), owner)), &format!("{key}.owners"), &problem);
            }
        }
    }

    pub fn retries(&self) -> Retries {
        Retries { most: self.attempts.get(), first_pause: self.retry_ms.get() }
    }
}

impl HandOverTargetSettings {
    pub fn tenant(&self) -> &str {
        self.tenant.as_deref().unwrap_or("default")
    }

    /// E-mail addresses of those whose questions it gets, in small letters.
    pub fn owners(&self) -> BTreeSet<String> {
        self.owners.iter().map(|owner| owner.to_lowercase()).collect()
    }

    /// What signs messages to the webhook.
    pub fn secret(&self) -> Option<SecretSource> {
        SecretSource::of(&self.secret, &self.secret_file)
    }

    /// What the mail server asks for.
    pub fn password(&self) -> Option<SecretSource> {
        SecretSource::of(&self.password, &self.password_file)
    }

    fn check(&self, key: &str, problems: &mut Problems) {
        let mut unless = |is_right: bool, setting: &str, problem: &str| {
            problems.unless(is_right, &format!("{key}{setting}"), problem);
        };
        let none = "is empty; write the e-mail addresses of owners, as `ibidem tag own` sets them";
        unless(!self.owners.is_empty(), ".owners", none);
        let are_addresses = self.owners.iter().all(|owner| owner.contains('@'));
        unless(are_addresses, ".owners", "has something that is no e-mail address; write name@host");
        match (self.webhook.as_deref(), &self.mail_folder, self.smtp.as_deref()) {
            (Some(url), None, None) => {
                let url = has_scheme(url, &["http://", "https://"]);
                unless(url.is_ok(), ".webhook", &url.err().unwrap_or_default());
                let is_long = self.secret.as_ref().is_none_or(|secret| secret.len() >= SecretSource::SHORTEST);
                unless(is_long, ".secret", &format!("must have at least {} characters", SecretSource::SHORTEST));
                let is_one = self.secret.is_none() || self.secret_file.is_none();
                unless(is_one, ".secret", &format!("is set beside `{key}.secret_file`; set one of them"));
                let needed = "needs one of `secret` and `secret_file`: it signs what is sent to the webhook";
                unless(self.secret().is_some(), "", needed);
                return;
            }
            (None, Some(_), None) => {}
            (None, None, Some(url)) => self.check_smtp(url, key, &mut unless),
            _ => return unless(false, "", "needs one of `webhook`, `mail_folder` and `smtp`, and no second one"),
        }
        let is_address = self.from.as_ref().is_some_and(|from| from.contains('@'));
        unless(is_address, ".from", "must be the e-mail address that messages come from");
    }

    fn check_smtp(&self, url: &str, key: &str, unless: &mut impl FnMut(bool, &str, &str)) {
        let known = has_scheme(url, &["smtp://", "smtps://"]);
        unless(known.is_ok(), ".smtp", &known.err().unwrap_or_default());
        unless(!url.contains('@'), ".smtp", "holds a user; write it as `user`, with `password_file`");
        let must_be_encrypted = url.ends_with("?tls=required");
        let is_whole = must_be_encrypted || !url.contains('?');
        unless(is_whole, ".smtp", "may end in ?tls=required and in nothing else");
        let is_one = self.password.is_none() || self.password_file.is_none();
        unless(is_one, ".password", &format!("is set beside `{key}.password_file`; set one of them"));
        let are_both = self.user.is_some() == self.password().is_some();
        unless(are_both, "", "needs `user` and one of `password` and `password_file` together, or neither");
        let is_safe = self.user.is_none() || must_be_encrypted || url.starts_with("smtps://");
        unless(is_safe, ".smtp", "sends a password unencrypted; write smtps://, or end it with ?tls=required");
    }
}

impl Settings {
    /// Where browsers reach the server, without a slash at its end: for links in what is sent.
    pub fn public_url(&self) -> Option<String> {
        let own = self.hand_over.public_url.as_ref().map(|url| url.base().to_owned());
        own.or_else(|| self.sign_in().map(SignInSettings::public_url))
    }
}
