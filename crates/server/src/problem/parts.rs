//! What parts of the server report: a question that cannot be asked, and parts that do not answer.

use axum::http::StatusCode;
use ibidem_engine::ask::AskError;
use ibidem_engine::search::{SearchError, UnknownCollections};
use ibidem_ports::catalogue::CatalogueError;
use ibidem_ports::embedder::{EmbedError, EmbedFault};
use ibidem_ports::index::{IndexError, IndexFault};
use ibidem_ports::language_model::{ModelError, ModelFault};
use ibidem_ports::originals::OriginalsError;
use ibidem_ports::vocabulary::VocabularyError;
use ibidem_store::EraseError;
use ibidem_words::InvalidQuestion;

use super::Problem;
use crate::policy_places::PlaceError;

impl Problem {
    /// The reason goes to the log, not to the caller: it may name hosts, files or other tenants' business.
    pub(super) fn unavailable(kind: &'static str, title: &'static str, reason: &str) -> Self {
        tracing::error!(kind, reason, "a part is unavailable");
        Self::new(
            StatusCode::SERVICE_UNAVAILABLE,
            kind,
            title,
            "Try again in a moment; the operator can run `ibidem doctor`.",
        )
    }

    pub(crate) fn vocabulary_away(error: &VocabularyError) -> Self {
        Self::unavailable("vocabulary_unavailable", "The vocabulary does not answer", &error.to_string())
    }

    /// What becomes of a question that cannot be asked.
    pub(crate) fn of(error: &AskError) -> Self {
        let detail = error.to_string();
        let error = match error {
            AskError::Model(error) => error,
            AskError::Collections(unknown) => return unknown.clone().into(),
        };
        match error {
            ModelError::Own(ModelFault::NotAllowed { .. }) => {
                Self::new(StatusCode::UNPROCESSABLE_ENTITY, "model_not_allowed", "This model is not allowed", detail)
            }
            ModelError::Own(ModelFault::NotServed { .. }) => {
                Self::new(StatusCode::SERVICE_UNAVAILABLE, "model_not_served", "This model is not loaded", detail)
            }
            other => Self::unavailable("model_unavailable", "The language model does not answer", &other.to_string()),
        }
    }
}

impl From<InvalidQuestion> for Problem {
    fn from(error: InvalidQuestion) -> Self {
        Self::invalid(error.to_string())
    }
}

impl From<CatalogueError> for Problem {
    fn from(error: CatalogueError) -> Self {
        if let CatalogueError::Refused(reason) = &error {
            tracing::warn!(reason, "the catalogue refused what was handed in");
            return Self::invalid(
                "Part of the request cannot be stored, for example a text with a NUL character or a name that is too long.",
            );
        }
        Self::unavailable("catalogue_unavailable", "The database does not answer", &error.to_string())
    }
}

impl From<PlaceError> for Problem {
    fn from(error: PlaceError) -> Self {
        match error {
            PlaceError::Store(error) => error.into(),
            PlaceError::Unusable { .. } => Self::unavailable(
                "policy_unusable",
                "The policy file that is set here cannot be used by this server",
                &error.to_string(),
            ),
        }
    }
}

impl From<OriginalsError> for Problem {
    fn from(error: OriginalsError) -> Self {
        Self::unavailable("originals_unavailable", "The store of original files does not answer", &error.to_string())
    }
}

impl From<EraseError> for Problem {
    fn from(error: EraseError) -> Self {
        match error {
            EraseError::Catalogue(error) => error.into(),
            EraseError::Originals(error) => error.into(),
        }
    }
}

impl From<SearchError> for Problem {
    fn from(error: SearchError) -> Self {
        match error {
            SearchError::Catalogue(error) => error.into(),
            SearchError::Embed(EmbedError::Own(EmbedFault::Overloaded)) => Self::overloaded(),
            SearchError::Embed(error) => {
                Self::unavailable("embedding_unavailable", "The embedding model does not answer", &error.to_string())
            }
            SearchError::Index(IndexError::Own(IndexFault::Rejected(reason))) => {
                tracing::error!(reason, "the index rejected a search");
                Self::internal()
            }
            SearchError::Index(error) => {
                Self::unavailable("retrieval_unavailable", "The index does not answer", &error.to_string())
            }
        }
    }
}

impl From<UnknownCollections> for Problem {
    fn from(unknown: UnknownCollections) -> Self {
        let detail = unknown.to_string();
        Self::new(StatusCode::UNPROCESSABLE_ENTITY, "unknown_collection", "There is no such collection", detail)
    }
}

impl From<AskError> for Problem {
    fn from(error: AskError) -> Self {
        Self::of(&error)
    }
}
