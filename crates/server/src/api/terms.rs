//! `GET /v1/terms` and `GET /v1/concepts`: the vocabularies, for those who read or look after them.

use axum::extract::rejection::QueryRejection;
use axum::extract::{Query, State};
use axum::{Extension, Json};
use ibidem_ports::degrade::Deadline;
use ibidem_ports::thesaurus::{Entry, Thesaurus, WordList, described};
use ibidem_ports::vocabulary::{
    Concept, Connected, Definition, Description, LONGEST_TERM, LabelKind, Lookup, VocabularyError, folded,
};
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

use crate::identity::Caller;
use crate::problem::{Problem, ProblemDocument};
use crate::state::AppState;

const MOST_A_PAGE: u16 = 200;
const LONGEST_URI: usize = 2_000;
/// So many terms are suggested for one that is not there.
const SUGGESTED: usize = 5;

#[derive(Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub(crate) struct TermsPage {
    /// Part of a label, in any case, up to 500 characters; without it all terms are listed.
    #[param(max_length = 500)]
    query: Option<String>,
    /// Only terms of this vocabulary.
    #[param(max_length = 200)]
    vocabulary: Option<String>,
    /// Labels and definitions in this language where there are any, such as `en`.
    #[param(max_length = 35)]
    language: Option<String>,
    /// How many terms to skip.
    #[serde(default)]
    #[param(minimum = 0, maximum = 4294967295_u64, default = 0)]
    offset: u32,
    /// How many, 1 to 200.
    #[serde(default = "default_limit")]
    #[param(minimum = 1, maximum = 200, default = 50)]
    limit: u16,
}

fn default_limit() -> u16 {
    50
}

#[derive(Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub(crate) struct ConceptOf {
    /// The address of the concept, as a term or a citation names it.
    #[param(max_length = 2000)]
    uri: String,
    /// Labels and definitions in this language where there are any, such as `en`.
    #[param(max_length = 35)]
    language: Option<String>,
}

/// A vocabulary.
#[derive(Serialize, ToSchema)]
pub(crate) struct VocabularyBody {
    id: String,
    title: Option<String>,
    /// How many terms it has.
    terms: usize,
}

/// A term.
#[derive(Serialize, ToSchema)]
pub(crate) struct TermBody {
    /// The address of its concept.
    uri: String,
    /// The id of its vocabulary.
    vocabulary: String,
    /// What the concept is called.
    label: String,
    /// Another label of it, which the query is part of.
    matched: Option<String>,
    /// What it means, where the vocabulary says so.
    definition: Option<String>,
}

/// Terms of the vocabularies.
#[derive(Serialize, ToSchema)]
pub(crate) struct TermsBody {
    /// `files`: everything is here and can be listed; `server`: a vocabulary server is asked for single terms, by their
    /// whole label; `none`: no vocabulary is configured.
    source: &'static str,
    /// Those in files.
    vocabularies: Vec<VocabularyBody>,
    terms: Vec<TermBody>,
    /// How many terms there are in all that fit.
    total: usize,
    /// The closest terms, where none fits.
    suggestions: Vec<String>,
}

/// A concept that another one is connected to.
#[derive(Serialize, ToSchema)]
pub(crate) struct ConnectedBody {
    uri: String,
    label: String,
}

/// A text with its language.
#[derive(Serialize, ToSchema)]
pub(crate) struct TaggedText {
    text: String,
    /// As the vocabulary tags it; null where it does not.
    language: Option<String>,
}

/// All that a vocabulary says of a concept.
#[derive(Serialize, ToSchema)]
pub(crate) struct ConceptBody {
    uri: String,
    /// The id of its vocabulary; empty where a server does not say.
    vocabulary: String,
    /// What it is called.
    label: String,
    /// Its names in other languages, and its other names.
    other_labels: Vec<TaggedText>,
    definitions: Vec<TaggedText>,
    broader: Vec<ConnectedBody>,
    narrower: Vec<ConnectedBody>,
    related: Vec<ConnectedBody>,
    /// It was withdrawn, and is found by nobody who asks.
    deprecated: bool,
}

fn bounded(named: &str, written: &str, most: usize) -> Result<(), Problem> {
    let fits = written.chars().count() <= most && !written.contains('\0');
    if fits { Ok(()) } else { Err(Problem::invalid(format!("{named}: send up to {most} characters"))) }
}

/// Lists or searches the terms of the vocabularies.
#[utoipa::path(get, path = "/v1/terms", operation_id = "list_terms", tag = "terms", params(TermsPage),
    security(("api_key" = [])),
    responses(
        (status = 200, body = TermsBody),
        (status = 422, body = ProblemDocument, content_type = "application/problem+json"),
    ))]
pub(crate) async fn list(
    State(state): State<AppState>,
    _caller: Caller,
    Extension(deadline): Extension<Deadline>,
    page: Result<Query<TermsPage>, QueryRejection>,
) -> Result<Json<TermsBody>, Problem> {
    let Query(page) = page.map_err(|rejection| Problem::malformed(rejection.status(), rejection.body_text()))?;
    if !(1..=MOST_A_PAGE).contains(&page.limit) {
        return Err(Problem::invalid(format!("limit: ask for 1 to {MOST_A_PAGE} terms at once")));
    }
    let query = page.query.as_deref().unwrap_or_default().trim();
    bounded("query", query, LONGEST_TERM)?;
    bounded("language", page.language.as_deref().unwrap_or_default(), 35)?;
    if let Some(thesaurus) = &state.thesaurus {
        return Ok(Json(listed(thesaurus.as_ref(), query, &page)));
    }
    let nothing =
        |source| TermsBody { source, vocabularies: Vec::new(), terms: Vec::new(), total: 0, suggestions: Vec::new() };
    let Some(vocabulary) = &state.engine.parts.vocabulary else { return Ok(Json(nothing("none"))) };
    if query.is_empty() {
        return Ok(Json(nothing("server")));
    }
    let unavailable = |error: VocabularyError| Problem::vocabulary_away(&error);
    let lookup = vocabulary.call(deadline, |vocabulary| vocabulary.lookup(query)).await;
    let concepts = match lookup.map_err(unavailable)? {
        Lookup::Found { concept, see_also } => [vec![concept], see_also].concat(),
        Lookup::Ambiguous(concepts) => concepts,
        Lookup::Unknown => Vec::new(),
    };
    let suggestions = match concepts.is_empty() {
        true => vocabulary.aside(deadline, |own| own.closest(query, SUGGESTED)).await.unwrap_or_default(),
        false => Vec::new(),
    };
    let terms: Vec<TermBody> = concepts.into_iter().map(TermBody::from).collect();
    Ok(Json(TermsBody { total: terms.len(), terms, suggestions, ..nothing("server") }))
}

impl From<Concept> for TermBody {
    fn from(concept: Concept) -> Self {
        Self {
            uri: concept.uri,
            vocabulary: concept.vocabulary,
            label: concept.label,
            matched: None,
            definition: concept.definition.map(|definition| definition.text),
        }
    }
}

fn listed(thesaurus: &dyn Thesaurus, query: &str, page: &TermsPage) -> TermsBody {
    let lists = thesaurus.word_lists();
    let language = page.language.as_deref().unwrap_or("en");
    let wanted = folded(query);
    let is_wanted = |list: &&WordList| page.vocabulary.as_deref().is_none_or(|id| list.id == id);
    let mut found: Vec<(u8, String, TermBody)> = Vec::new();
    for list in lists.iter().filter(is_wanted) {
        for entry in list.entries.values().filter(|entry| !entry.deprecated) {
            let Some((rank, matched)) = fit(entry, &wanted) else { continue };
            let label = entry.label_in(language);
            let matched = matched.filter(|matched| *matched != label).map(str::to_owned);
            let term = TermBody {
                uri: entry.uri.clone(),
                vocabulary: list.id.clone(),
                label: label.to_owned(),
                matched,
                definition: Definition::best(&entry.definitions, &[language, "en"]).map(|best| best.text),
            };
            found.push((rank, folded(label), term));
        }
    }
    found.sort_by(|(rank, label, term), (other_rank, other_label, other)| {
        (rank, label, &term.uri).cmp(&(other_rank, other_label, &other.uri))
    });
    let total = found.len();
    let terms = found.into_iter().map(|(.., term)| term);
    let terms = terms.skip(page.offset as usize).take(page.limit.into()).collect();
    let vocabularies = lists.iter().map(|list| VocabularyBody {
        id: list.id.clone(),
        title: list.title(language).map(str::to_owned),
        terms: list.entries.values().filter(|entry| !entry.deprecated).count(),
    });
    TermsBody { source: "files", vocabularies: vocabularies.collect(), terms, total, suggestions: Vec::new() }
}

/// How well a concept fits, the best first, and by which of its names: the whole of one, its beginning, or a part.
fn fit<'a>(entry: &'a Entry, wanted: &str) -> Option<(u8, Option<&'a str>)> {
    if wanted.is_empty() {
        return Some((0, None));
    }
    let names = entry.labels.iter().filter(|label| label.kind != LabelKind::Hidden);
    let ranked = names.filter_map(|label| {
        let name = folded(&label.text);
        let rank = if name == wanted {
            0
        } else if name.starts_with(wanted) {
            1
        } else if name.contains(wanted) {
            2
        } else {
            return None;
        };
        Some((rank, label))
    });
    let best = ranked.min_by_key(|(rank, label)| (*rank, label.kind));
    best.map(|(rank, label)| (rank, Some(label.text.as_str())))
}

/// Reads a concept of a vocabulary, in files or on the server that is configured: its names, definitions, and broader,
/// narrower and related concepts, up to 200 of each.
#[utoipa::path(get, path = "/v1/concepts", operation_id = "read_concept", tag = "terms", params(ConceptOf),
    security(("api_key" = [])),
    responses(
        (status = 200, body = ConceptBody),
        (status = 404, body = ProblemDocument, content_type = "application/problem+json"),
        (status = 422, body = ProblemDocument, content_type = "application/problem+json"),
    ))]
pub(crate) async fn read(
    State(state): State<AppState>,
    _caller: Caller,
    Extension(deadline): Extension<Deadline>,
    wanted: Result<Query<ConceptOf>, QueryRejection>,
) -> Result<Json<ConceptBody>, Problem> {
    let Query(ConceptOf { uri, language }) =
        wanted.map_err(|rejection| Problem::malformed(rejection.status(), rejection.body_text()))?;
    bounded("uri", &uri, LONGEST_URI)?;
    let language = language.as_deref().unwrap_or("en");
    bounded("language", language, 35)?;
    let found = match (&state.thesaurus, &state.engine.parts.vocabulary) {
        (Some(thesaurus), _) => described(thesaurus.word_lists(), &uri, language),
        (None, Some(vocabulary)) => {
            let asked = vocabulary.aside(deadline, |own| own.describe(&uri, language)).await;
            asked.map_err(|error: VocabularyError| Problem::vocabulary_away(&error))?
        }
        (None, None) => None,
    };
    let no_such =
        || Problem::no_such("There is no such concept here", "`GET /v1/terms` finds terms and their addresses.");
    found.map(|found| Json(ConceptBody::from(found))).ok_or_else(no_such)
}

impl From<Description> for ConceptBody {
    fn from(found: Description) -> Self {
        let connected = |all: Vec<Connected>| {
            all.into_iter().map(|Connected { uri, label }| ConnectedBody { uri, label }).collect()
        };
        let others = found.other_labels.into_iter().map(|(text, language)| TaggedText { text, language });
        let definitions =
            found.definitions.into_iter().map(|Definition { text, language }| TaggedText { text, language });
        Self {
            uri: found.uri,
            vocabulary: found.vocabulary,
            label: found.label,
            other_labels: others.collect(),
            definitions: definitions.collect(),
            broader: connected(found.broader),
            narrower: connected(found.narrower),
            related: connected(found.related),
            deprecated: found.deprecated,
        }
    }
}
