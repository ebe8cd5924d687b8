//! Policies in files: read within bounds, and followed while they change.

use std::io::Read as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use ibidem_engine::policy::{CalibratedModels, Policy, PolicyError};
use ibidem_words::Sha256Hash;
use tokio::sync::watch;

/// A policy is a few pages of text; what is larger is something else.
const MOST_BYTES: u64 = 1 << 20;

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum PolicyFileError {
    #[error("{} cannot be read: {reason}", .path.display())]
    Unreadable { path: PathBuf, reason: String },
    #[error("{} is larger than {MOST_BYTES} bytes; a policy is a few pages of YAML", .path.display())]
    TooLarge { path: PathBuf },
    #[error("{} is not text in UTF-8: the byte at {at} belongs to no character", .path.display())]
    NotText { path: PathBuf, at: usize },
    #[error("{}: {error}", .path.display())]
    Wrong { path: PathBuf, error: PolicyError },
}

/// Where a policy comes from.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct PolicySource {
    pub policy: PolicyText,
    /// Thresholds of single collections, laid over the policy's.
    pub thresholds: Option<PathBuf>,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub enum PolicyText {
    /// One that comes with the binary.
    Shipped(&'static str),
    File(PathBuf),
}

impl PolicySource {
    /// Whether it can be another one tomorrow.
    pub fn is_in_files(&self) -> bool {
        self.thresholds.is_some() || matches!(self.policy, PolicyText::File(_))
    }

    /// Reads it, which must be in order.
    pub fn policy(&self) -> Result<Policy, PolicyFileError> {
        self.parsed(&self.texts(load)?)
    }

    fn texts(&self, load: impl Fn(&Path) -> Result<String, PolicyFileError>) -> Result<Texts, PolicyFileError> {
        let policy = match &self.policy {
            PolicyText::Shipped(text) => (*text).to_owned(),
            PolicyText::File(path) => load(path)?,
        };
        Ok(Texts { policy, thresholds: self.thresholds.as_deref().map(load).transpose()? })
    }

    fn parsed(&self, texts: &Texts) -> Result<Policy, PolicyFileError> {
        let name = match &self.policy {
            PolicyText::Shipped(_) => Path::new("the policy"),
            PolicyText::File(path) => path,
        };
        let policy =
            Policy::parse(&texts.policy).map_err(|error| PolicyFileError::Wrong { path: name.to_owned(), error })?;
        match (&self.thresholds, &texts.thresholds) {
            (Some(path), Some(thresholds)) => {
                policy.overlaid(thresholds).map_err(|error| PolicyFileError::Wrong { path: path.clone(), error })
            }
            _ => Ok(policy),
        }
    }
}

/// What the files say.
struct Texts {
    policy: String,
    thresholds: Option<String>,
}

impl Texts {
    fn digest(&self) -> Digest {
        let of = |text: &String| Sha256Hash::of(text.as_bytes());
        (of(&self.policy), self.thresholds.as_ref().map(of))
    }
}

/// A policy file's text.
pub fn load(path: &Path) -> Result<String, PolicyFileError> {
    let unreadable =
        |error: std::io::Error| PolicyFileError::Unreadable { path: path.to_owned(), reason: error.to_string() };
    let mut bytes = Vec::new();
    let file = std::fs::File::open(path).map_err(unreadable)?;
    file.take(MOST_BYTES + 1).read_to_end(&mut bytes).map_err(unreadable)?;
    if bytes.len() as u64 > MOST_BYTES {
        return Err(PolicyFileError::TooLarge { path: path.to_owned() });
    }
    String::from_utf8(bytes)
        .map_err(|error| PolicyFileError::NotText { path: path.to_owned(), at: error.utf8_error().valid_up_to() })
}

/// What looking at the file again led to.
#[derive(Clone, PartialEq, Debug)]
pub enum Look {
    /// As it was dealt with before.
    Same,
    /// Different from the last look: somebody may be in the middle of writing it.
    Unsettled,
    /// Its policy is in force now.
    Taken(Arc<Policy>),
    /// It cannot be used; the policy before it stays in force.
    Kept(PolicyFileError),
}

/// A policy in files, and those who ask for the policy in force.
///
/// A changed file counts when two looks in a row find the same: an editor that writes in two steps never puts half a
/// policy in force.
pub struct PolicyFile {
    source: PolicySource,
    in_force: watch::Sender<Arc<Policy>>,
    /// A policy that was calibrated with others is not taken. None: nobody said which are in use.
    models: Option<CalibratedModels>,
    last_seen: Seen,
    dealt_with: Seen,
}

/// Of the policy's text, and of the thresholds'.
type Digest = (Sha256Hash, Option<Sha256Hash>);

/// The digests of what was read, or why there are none.
type Seen = Result<Digest, PolicyFileError>;

impl PolicyFile {
    /// Reads the policy, which must be in order: there is none before it.
    pub fn open(source: PolicySource) -> Result<(Self, watch::Receiver<Arc<Policy>>), PolicyFileError> {
        let texts = source.texts(read_regular)?;
        let policy = source.parsed(&texts)?;
        let seen = Ok(texts.digest());
        let (in_force, taken_from) = watch::channel(Arc::new(policy));
        Ok((Self { source, in_force, models: None, last_seen: seen.clone(), dealt_with: seen }, taken_from))
    }

    /// From now on only policies whose numbers hold with these models are taken.
    pub fn only_with(self, models: CalibratedModels) -> Self {
        Self { models: Some(models), ..self }
    }

    /// Looks at the files once. What is in them counts, not when it was written.
    pub fn look(&mut self) -> Look {
        let texts = self.source.texts(read_regular);
        let seen = texts.as_ref().map(Texts::digest).map_err(Clone::clone);
        if seen != self.last_seen {
            self.last_seen = seen;
            return Look::Unsettled;
        }
        if seen == self.dealt_with {
            return Look::Same;
        }
        self.dealt_with = seen;
        match texts.and_then(|texts| self.fitting(&texts)) {
            Ok(policy) => {
                let policy = Arc::new(policy);
                self.in_force.send_replace(policy.clone());
                Look::Taken(policy)
            }
            Err(error) => Look::Kept(error),
        }
    }

    fn fitting(&self, texts: &Texts) -> Result<Policy, PolicyFileError> {
        let policy = self.source.parsed(texts)?;
        let checked = self.models.as_ref().map_or(Ok(()), |models| policy.check_models(models));
        let path = match &self.source.policy {
            PolicyText::Shipped(_) => PathBuf::from("the policy"),
            PolicyText::File(path) => path.clone(),
        };
        checked.map_err(|error| PolicyFileError::Wrong { path, error })?;
        Ok(policy)
    }

    /// Looks again and again, and logs what changes, until nobody asks for the policy any more.
    pub async fn follow(mut self, every: Duration) {
        while !self.in_force.is_closed() {
            tokio::time::sleep(every).await;
            let looked = tokio::task::spawn_blocking(move || {
                let look = self.look();
                (self, look)
            });
            let Ok((file, look)) = looked.await else {
                tracing::error!("the policy file is not followed any more; restart to put a change in force");
                return;
            };
            self = file;
            self.tell(&look);
        }
    }

    fn tell(&self, look: &Look) {
        let policy_sha256 = self.in_force.borrow().hash.to_string();
        match look {
            Look::Same | Look::Unsettled => {}
            Look::Taken(policy) => {
                let policy = &policy.rules.name;
                tracing::info!(policy, policy_sha256, "the policy was changed, and is in force");
            }
            Look::Kept(error) => {
                // The first line says where and what; those after it show the file.
                let error = error.to_string();
                let error = error.lines().next().unwrap_or_default();
                tracing::error!(error, policy_sha256, "the policy's file cannot be used: the old policy is kept");
            }
        }
    }
}

/// Waiting for what a pipe may bring one day would end the following.
fn read_regular(path: &Path) -> Result<String, PolicyFileError> {
    let unreadable = |reason: String| PolicyFileError::Unreadable { path: path.to_owned(), reason };
    let metadata = std::fs::metadata(path).map_err(|error| unreadable(error.to_string()))?;
    if !metadata.is_file() {
        return Err(unreadable("it is no regular file".to_owned()));
    }
    load(path)
}

#[cfg(test)]
mod tests;
