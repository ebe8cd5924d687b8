//! Where routed questions are handed to, from the settings.

use anyhow::Context as _;
use ibidem_adapters::hand_over::{HandOverTarget, MailFolder, Secret, Smtp, SmtpSettings, Webhook};
use ibidem_server::{HandOverPlace, HandOverRules};
use ibidem_words::TenantId;

use crate::settings::{HandOverTargetSettings, SecretSource, Settings};

/// Which owners' questions are queued. It needs no secret: a worker sends them.
pub fn rules(settings: &Settings) -> HandOverRules {
    let targets = settings.hand_over.targets.iter().flat_map(|(name, target)| {
        let place = HandOverPlace { tenant: target.tenant().to_owned(), target: name.clone() };
        let tenant = TenantId::named(target.tenant());
        target.owners().into_iter().map(move |owner| ((tenant, owner), place.clone()))
    });
    HandOverRules {
        targets: targets.collect(),
        most_in_a_day: settings.hand_over.per_asker_a_day.get(),
        public_url: settings.public_url(),
    }
}

/// A target that can be sent to. Secrets that are in files are read here.
pub fn target(name: &str, settings: &Settings) -> anyhow::Result<HandOverTarget> {
    let target = &settings.hand_over.targets[name];
    made(target, settings).with_context(|| format!("check `hand_over.targets.{name}`"))
}

fn made(target: &HandOverTargetSettings, settings: &Settings) -> anyhow::Result<HandOverTarget> {
    let from = target.from.0.clone().unwrap_or_default();
    if let Some(url) = target.webhook.0.clone() {
        let secret = read(target.secret())?.context("the secret is missing")?;
        let shortest = SecretSource::SHORTEST;
        anyhow::ensure!(secret.len() >= shortest, "the secret must have at least {shortest} characters");
        return Ok(HandOverTarget::Webhook(Webhook::new(url, secret)?));
    }
    if let Some(folder) = &target.mail_folder {
        return Ok(HandOverTarget::MailFolder(MailFolder::new(settings.sources.data(folder), &from)?));
    }
    let user = target.user.0.clone().zip(read(target.password())?);
    let url = target.smtp.0.clone().unwrap_or_default();
    Ok(HandOverTarget::Smtp(Smtp::new(&SmtpSettings { url, user, from })?))
}

fn read(source: Option<SecretSource>) -> anyhow::Result<Option<Secret>> {
    match source {
        Some(SecretSource::File(file)) => {
            let read = std::fs::read_to_string(&file);
            Ok(Some(Secret::new(read.with_context(|| format!("{} cannot be read", file.display()))?.trim())))
        }
        Some(SecretSource::Given(secret)) => Ok(Some(secret)),
        None => Ok(None),
    }
}
