//! `GET /auth/me`: who the caller is here, and what they may do.

use axum::Json;
use ibidem_ports::intake::Format;
use ibidem_words::Tag;
use serde::Serialize;
use utoipa::ToSchema;

use crate::identity::Caller;
use crate::problem::ProblemDocument;

/// The caller, as this server knows them at this moment.
#[derive(Serialize, ToSchema)]
pub(crate) struct MeBody {
    /// `key:` and the key's id, or `person:` and the person's id.
    subject_id: String,
    /// The name of the key or the person, for people to read.
    name: String,
    /// `asker`, `curator` or `admin`
    role: &'static str,
    /// Documents with one of these tags are visible, besides public ones and those with your `subject_id` as a tag.
    tags: Vec<String>,
    /// How names of files end that can be handed in, for instance `.md`.
    file_endings: Vec<String>,
}

/// Reads who you are here, your role and your tags.
///
/// A person's role and tags come from their groups, and are read again at every request.
#[utoipa::path(get, path = "/auth/me", operation_id = "me", tag = "sign-in", security(("api_key" = [])),
    responses(
        (status = 200, body = MeBody),
        (status = 403, body = ProblemDocument, content_type = "application/problem+json"),
    ))]
pub(crate) async fn read(Caller(identity): Caller) -> Json<MeBody> {
    let endings = Format::ALL.iter().flat_map(|format| format.endings());
    Json(MeBody {
        subject_id: identity.subject().id().to_string(),
        name: identity.subject().name().to_owned(),
        role: identity.role().as_str(),
        tags: identity.tags().iter().map(Tag::as_str).map(str::to_owned).collect(),
        file_endings: endings.map(|ending| format!(".{ending}")).collect(),
    })
}
