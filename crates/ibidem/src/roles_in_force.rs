//! The models in force, followed while the settings file changes.

use std::sync::Arc;
use std::time::Duration;

use ibidem_engine::roles::Roles;
use ibidem_ports::degrade::{Breakers, Deadline};
use ibidem_ports::language_model::{ModelError, ModelFault};
use ibidem_words::Sha256Hash;
use tokio::sync::watch;

use crate::compose;
use crate::settings::{LanguageModelSettings, Settings, Sources};

/// The settings file, and those who ask for the models in force.
///
/// As with a policy, a changed file counts when two looks in a row find the same. Of the settings only the section
/// `language_model` is taken: everything else holds until a restart.
pub(crate) struct RolesInForce {
    sources: Sources,
    taken: Option<LanguageModelSettings>,
    /// New models are asked, whatever the old ones of their roles had come to.
    breakers: Breakers,
    in_force: watch::Sender<Arc<Roles>>,
    last_seen: Seen,
    dealt_with: Seen,
}

/// The digest of the file's text, or why there is none.
type Seen = Result<Option<Sha256Hash>, String>;

/// What looking at the file again led to.
enum Look {
    /// As it was dealt with before, or in the middle of being written.
    Nothing,
    /// It says something else now.
    Changed(Result<Box<Settings>, String>),
}

/// What became of a change.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Outcome {
    /// Nothing about models was changed.
    Same,
    Taken {
        /// The server could not be asked whether it has them.
        unchecked: Option<String>,
    },
    /// It cannot be used; the models before it stay in force.
    Kept(String),
}

impl RolesInForce {
    /// The models of these settings, which must be in order.
    pub(crate) async fn open(
        settings: &Settings,
        breakers: &Breakers,
    ) -> anyhow::Result<(Self, watch::Receiver<Arc<Roles>>)> {
        let roles = compose::roles::roles(settings.language_model()).await?;
        let roles = compose::guards::roles(roles, settings.language_model(), breakers);
        let sources = settings.sources.clone();
        let seen = digest(&sources.text().map_err(|error| error.to_string()));
        let (in_force, taken_from) = watch::channel(Arc::new(roles));
        let taken = settings.language_model().cloned();
        let breakers = breakers.clone();
        Ok((Self { sources, taken, breakers, in_force, last_seen: seen.clone(), dealt_with: seen }, taken_from))
    }

    /// Whether there is a file that could change.
    pub(crate) fn is_in_a_file(&self) -> bool {
        self.sources.file.is_some()
    }

    fn look(&mut self) -> Look {
        let text = self.sources.text().map_err(|error| error.to_string());
        let seen = digest(&text);
        if seen != self.last_seen {
            self.last_seen = seen;
            return Look::Nothing;
        }
        if seen == self.dealt_with {
            return Look::Nothing;
        }
        self.dealt_with = seen;
        Look::Changed(text.and_then(|text| {
            let settings = self.sources.load(text.as_deref()).map_err(|error| error.to_string())?;
            Ok(Box::new(settings))
        }))
    }

    /// Puts the models of these settings in force, unless the server says that it does not have them.
    async fn take(&mut self, settings: &Settings) -> Outcome {
        if settings.language_model() == self.taken.as_ref() {
            return Outcome::Same;
        }
        let roles = match compose::roles::roles(settings.language_model()).await {
            Ok(roles) => roles,
            Err(error) => return Outcome::Kept(format!("{error:#}")),
        };
        let unchecked = match not_served(&roles).await {
            Err(error) => Some(error.to_string()),
            Ok(missing) if missing.is_empty() => None,
            Ok(missing) => return Outcome::Kept(missing.join("; ")),
        };
        let roles = compose::guards::roles(roles, settings.language_model(), &self.breakers);
        self.taken = settings.language_model().cloned();
        self.in_force.send_replace(Arc::new(roles));
        Outcome::Taken { unchecked }
    }

    /// Looks again and again, and logs what changes, until nobody asks for the models any more.
    pub(crate) async fn follow(mut self, every: Duration) {
        while !self.in_force.is_closed() {
            tokio::time::sleep(every).await;
            let looked = tokio::task::spawn_blocking(move || {
                let look = self.look();
                (self, look)
            });
            let Ok((roles, look)) = looked.await else {
                tracing::error!("the settings file is not followed any more; restart to put a change in force");
                return;
            };
            self = roles;
            match look {
                Look::Nothing => {}
                Look::Changed(Err(error)) => tell(&Outcome::Kept(error)),
                Look::Changed(Ok(settings)) => tell(&self.take(&settings).await),
            }
        }
    }
}

fn digest(text: &Result<Option<String>, String>) -> Seen {
    let text = text.as_ref().map_err(Clone::clone)?;
    Ok(text.as_ref().map(|text| Sha256Hash::of(text.as_bytes())))
}

fn tell(outcome: &Outcome) {
    match outcome {
        Outcome::Same => {
            tracing::info!("the settings file was changed; what is not in `language_model` takes a restart");
        }
        Outcome::Taken { unchecked: None } => tracing::info!("the models were changed, and are in force"),
        Outcome::Taken { unchecked: Some(error) } => {
            tracing::warn!(error, "the models were changed, and are in force; the model server does not answer");
        }
        Outcome::Kept(error) => {
            tracing::error!(error, "the settings file cannot be used: the old models are kept");
        }
    }
}

/// What is wrong with each role whose model is not served. Fails when the server cannot be asked.
pub(crate) async fn not_served(roles: &Roles) -> Result<Vec<String>, ModelError> {
    let mut missing = Vec::new();
    for (role, model) in roles.filled() {
        match model.check_served(Deadline::NONE).await {
            Ok(()) => {}
            Err(error @ ModelError::Own(ModelFault::NotServed { .. })) => missing.push(format!("{role}: {error}")),
            Err(error) => return Err(error),
        }
    }
    Ok(missing)
}

/// Tells in the log what a question would find out.
pub(crate) async fn log_not_served(roles: &Roles) {
    match not_served(roles).await {
        Ok(missing) => {
            for error in missing {
                tracing::error!(error, "a model is not there");
            }
        }
        Err(error) => tracing::warn!(%error, "the model server does not answer"),
    }
}

#[cfg(test)]
mod tests;
