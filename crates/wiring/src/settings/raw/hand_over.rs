//! The section `hand_over`.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use std::time::Duration;

use ibidem_adapters::hand_over::Secret;
use ibidem_store::Retries;
use ibidem_words::TenantId;
use serde::Deserialize;

use super::{Problems, Sources};
use crate::settings::checked::{HandOverSettings, HandOverTargetSettings, HandOverWay, SecretSource};

/// Shorter ones can be found by trying.
const SHORTEST_SECRET: usize = 32;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct RawHandOver {
    targets: BTreeMap<String, RawTarget>,
    public_url: Option<String>,
    timeout_ms: u64,
    attempts: u32,
    retry_ms: u64,
    per_asker_a_day: u32,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RawTarget {
    #[serde(default = "default_tenant")]
    tenant: String,
    owners: Vec<String>,
    #[serde(default)]
    webhook: Option<String>,
    #[serde(default)]
    secret: Option<String>,
    #[serde(default)]
    secret_file: Option<PathBuf>,
    #[serde(default)]
    mail_folder: Option<PathBuf>,
    #[serde(default)]
    smtp: Option<String>,
    #[serde(default)]
    from: Option<String>,
    #[serde(default)]
    user: Option<String>,
    #[serde(default)]
    password: Option<String>,
    #[serde(default)]
    password_file: Option<PathBuf>,
}

fn default_tenant() -> String {
    "default".to_owned()
}

impl RawHandOver {
    /// `public_url` is where browsers reach the server, by the settings of sign-in.
    pub(super) fn check(
        self,
        public_url: Option<String>,
        lease: Duration,
        sources: &Sources,
        problems: &mut Problems,
    ) -> HandOverSettings {
        problems.at_least("hand_over.timeout_ms", self.timeout_ms, 1);
        problems.at_least("hand_over.attempts", self.attempts.into(), 1);
        problems.at_least("hand_over.per_asker_a_day", self.per_asker_a_day.into(), 1);
        let timeout = Duration::from_millis(self.timeout_ms);
        if !self.targets.is_empty() && timeout >= lease {
            let problem = "must be less than `jobs.lease_ms`: else two workers send the same question";
            problems.note("hand_over.timeout_ms", problem);
        }
        let own_url = given(self.public_url);
        if let Some(url) = &own_url {
            problems.url("hand_over.public_url", url, &["http://", "https://"]);
        }
        let mut owners = BTreeSet::new();
        let targets = self.targets.into_iter().filter_map(|(name, target)| {
            let key = format!("hand_over.targets.{name}");
            let is_name = |sign: char| sign.is_ascii_alphanumeric() || "-_.".contains(sign);
            if name.is_empty() || !name.chars().all(is_name) {
                problems.note(&key, "is no name; use letters, digits, '-', '_' and '.'");
            }
            let target = target.check(&key, sources, problems)?;
            for owner in &target.owners {
                if !owners.insert((target.tenant.clone(), owner.clone())) {
                    let problem = format!("has {owner:?}, which another target of the same tenant has too");
                    problems.note(&format!("{key}.owners"), &problem);
                }
            }
            Some((name, target))
        });
        let targets: BTreeMap<String, HandOverTargetSettings> = targets.collect();
        HandOverSettings {
            targets,
            public_url: own_url.or(public_url).map(|url| url.trim_end_matches('/').to_owned()),
            timeout,
            retries: Retries { most: self.attempts, first_pause: Duration::from_millis(self.retry_ms) },
            most_in_a_day: self.per_asker_a_day,
        }
    }
}

impl RawTarget {
    fn check(self, key: &str, sources: &Sources, problems: &mut Problems) -> Option<HandOverTargetSettings> {
        let at = |setting: &str| format!("{key}.{setting}");
        if self.owners.is_empty() {
            problems
                .note(&at("owners"), "is empty; write the e-mail addresses of owners, as `ibidem tag own` sets them");
        }
        if self.owners.iter().any(|owner| !owner.contains('@')) {
            problems.note(&at("owners"), "has something that is no e-mail address; write name@host");
        }
        let way = match (given(self.webhook), self.mail_folder, given(self.smtp)) {
            (Some(url), None, None) => {
                problems.url(&at("webhook"), &url, &["http://", "https://"]);
                let secret = secret(&at("secret"), given(self.secret), self.secret_file, problems);
                if secret.is_none() {
                    problems.note(key, "needs one of `secret` and `secret_file`: it signs what is sent to the webhook");
                }
                HandOverWay::Webhook { url, secret: secret? }
            }
            (None, Some(folder), None) => {
                HandOverWay::MailFolder { folder: sources.data(&folder), from: from(key, self.from, problems)? }
            }
            (None, None, Some(url)) => {
                problems.url(&at("smtp"), &url, &["smtp://", "smtps://"]);
                let is_encrypted = url.starts_with("smtps://") || url.ends_with("?tls=required");
                if url.contains('@') {
                    problems.note(&at("smtp"), "holds a user; write it as `user`, with `password_file`");
                }
                if url.contains('?') && !url.ends_with("?tls=required") {
                    problems.note(&at("smtp"), "may end in ?tls=required and in nothing else");
                }
                let user = given(self.user);
                let password =
                    secret_of_any_length(&at("password"), given(self.password), self.password_file, problems);
                if user.is_some() != password.is_some() {
                    problems.note(key, "needs `user` and one of `password` and `password_file` together, or neither");
                }
                if user.is_some() && !is_encrypted {
                    let problem = "sends a password unencrypted; write smtps://, or end it with ?tls=required";
                    problems.note(&at("smtp"), problem);
                }
                HandOverWay::Smtp { url, user: user.zip(password), from: from(key, self.from, problems)? }
            }
            _ => {
                problems.note(key, "needs one of `webhook`, `mail_folder` and `smtp`, and no second one");
                return None;
            }
        };
        let owners = self.owners.iter().map(|owner| owner.to_lowercase()).collect();
        Some(HandOverTargetSettings { tenant_id: TenantId::named(&self.tenant), tenant: self.tenant, owners, way })
    }
}

fn given(value: Option<String>) -> Option<String> {
    value.filter(|value| !value.is_empty())
}

fn from(key: &str, from: Option<String>, problems: &mut Problems) -> Option<String> {
    let from = given(from).filter(|from| from.contains('@'));
    if from.is_none() {
        problems.note(&format!("{key}.from"), "must be the e-mail address that messages come from");
    }
    from
}

fn secret(key: &str, word: Option<String>, file: Option<PathBuf>, problems: &mut Problems) -> Option<SecretSource> {
    if word.as_ref().is_some_and(|word| word.len() < SHORTEST_SECRET) {
        problems.note(key, &format!("must have at least {SHORTEST_SECRET} characters"));
    }
    secret_of_any_length(key, word, file, problems)
}

fn secret_of_any_length(
    key: &str,
    word: Option<String>,
    file: Option<PathBuf>,
    problems: &mut Problems,
) -> Option<SecretSource> {
    let file = file.filter(|file| !file.as_os_str().is_empty());
    if word.is_some() && file.is_some() {
        problems.note(key, &format!("is set beside `{key}_file`; set one of them"));
    }
    word.map(|word| SecretSource::Given(Secret::new(word))).or(file.map(SecretSource::File))
}
