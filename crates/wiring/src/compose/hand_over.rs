//! Where routed questions are handed to, from the settings.

use anyhow::Context as _;
use ibidem_adapters::hand_over::{HandOverTarget, MailFolder, Secret, Smtp, SmtpSettings, Webhook};
use ibidem_server::{HandOverPlace, HandOverRules};

use crate::settings::{HandOverSettings, HandOverTargetSettings, HandOverWay, SecretSource};

/// Which owners' questions are queued. It needs no secret: a worker sends them.
pub fn rules(settings: &HandOverSettings) -> HandOverRules {
    let targets = settings.targets.iter().flat_map(|(name, target)| {
        let place = HandOverPlace { tenant: target.tenant.clone(), target: name.clone() };
        target.owners.iter().map(move |owner| ((target.tenant_id, owner.clone()), place.clone()))
    });
    HandOverRules {
        targets: targets.collect(),
        most_in_a_day: settings.most_in_a_day,
        public_url: settings.public_url.clone(),
    }
}

/// A target that can be sent to. Secrets that are in files are read here.
pub fn target(name: &str, settings: &HandOverTargetSettings) -> anyhow::Result<HandOverTarget> {
    made(&settings.way).with_context(|| format!("check `hand_over.targets.{name}`"))
}

fn made(way: &HandOverWay) -> anyhow::Result<HandOverTarget> {
    const SHORTEST: usize = 32;
    Ok(match way {
        HandOverWay::Webhook { url, secret } => {
            let secret = read(secret)?;
            anyhow::ensure!(secret.len() >= SHORTEST, "the secret must have at least {SHORTEST} characters");
            HandOverTarget::Webhook(Webhook::new(url.clone(), secret)?)
        }
        HandOverWay::MailFolder { folder, from } => HandOverTarget::MailFolder(MailFolder::new(folder.clone(), from)?),
        HandOverWay::Smtp { url, user, from } => {
            let user = match user {
                Some((user, password)) => Some((user.clone(), read(password)?)),
                None => None,
            };
            HandOverTarget::Smtp(Smtp::new(&SmtpSettings { url: url.clone(), user, from: from.clone() })?)
        }
    })
}

fn read(source: &SecretSource) -> anyhow::Result<Secret> {
    match source {
        SecretSource::Given(secret) => Ok(secret.clone()),
        SecretSource::File(file) => {
            let read = std::fs::read_to_string(file);
            Ok(Secret::new(read.with_context(|| format!("{} cannot be read", file.display()))?.trim()))
        }
    }
}
