//! What a chat program gets: the answer's text with its markers and sources, whole or in pieces.

use axum::http::header::HOST;
use axum::http::{HeaderMap, HeaderName};
use ibidem_engine::plain::{Offers, refusal, texts_of, whom_to_ask};
use ibidem_engine::texts::Around;
use ibidem_language::markers::quoted;
use ibidem_words::{Answer, Citation, CitedSource, NearestMiss};
use serde::Serialize;
use utoipa::ToSchema;
use uuid::Uuid;

use super::numbering::{MarkerPlace, Numbering};

/// So much of its digest tells a version of a document from the others.
const DIGITS_OF_VERSION: usize = 12;

/// A chat completion in OpenAI's form.
#[derive(Serialize, ToSchema)]
pub(crate) struct Completion {
    id: String,
    /// `chat.completion`
    object: &'static str,
    /// When it was made, in seconds since 1970.
    created: i64,
    model: String,
    /// Always one.
    choices: Vec<Choice>,
    usage: Usage,
    /// The whole answer with its decision, reason and receipt, as `POST /v1/answers` gives it. Null for a chat
    /// program's own prompts.
    ibidem: Option<Answer>,
}

/// The reply.
#[derive(Serialize, ToSchema)]
pub(crate) struct Choice {
    index: u32,
    message: ReplyMessage,
    /// Always `stop`.
    finish_reason: &'static str,
}

/// The message of the reply.
#[derive(Serialize, ToSchema)]
pub(crate) struct ReplyMessage {
    /// Always `assistant`.
    role: &'static str,
    /// The answer with markers such as `[1]`, and the list of its sources; or the refusal, with what came nearest, why,
    /// whom to ask and what can be asked instead.
    content: String,
    annotations: Vec<Annotation>,
}

/// A source, where the text cites it.
#[derive(Clone, Serialize, ToSchema)]
pub(crate) struct Annotation {
    /// Always `url_citation`.
    #[serde(rename = "type")]
    kind: &'static str,
    url_citation: UrlCitation,
}

/// A source, where the text cites it.
#[derive(Clone, Serialize, ToSchema)]
pub(crate) struct UrlCitation {
    /// Where the marker begins in the text, in characters.
    start_index: usize,
    /// Where it ends.
    end_index: usize,
    /// The document's name and section.
    title: String,
    /// The page that shows the passage, or the concept of a vocabulary.
    url: String,
}

/// How much the model read. What it wrote is not counted.
#[derive(Clone, Copy, Default, Serialize, ToSchema)]
pub(crate) struct Usage {
    /// The tokens of the passages that the model was given.
    prompt_tokens: u64,
    /// Always 0.
    completion_tokens: u64,
    total_tokens: u64,
}

impl Usage {
    pub(super) fn of(answer: &Answer) -> Self {
        let prompt_tokens = answer.context_tokens_used;
        Self { prompt_tokens, completion_tokens: 0, total_tokens: prompt_tokens }
    }
}

/// A piece of a completion.
#[derive(Serialize, ToSchema)]
pub(crate) struct Chunk {
    id: String,
    /// `chat.completion.chunk`
    object: &'static str,
    created: i64,
    model: String,
    /// One; none in the piece that has the usage.
    choices: Vec<ChunkChoice>,
    #[serde(skip_serializing_if = "Option::is_none")]
    usage: Option<Usage>,
    /// The whole answer, in the piece that ends the text.
    #[serde(skip_serializing_if = "Option::is_none")]
    ibidem: Option<Answer>,
}

/// What is new in a piece.
#[derive(Serialize, ToSchema)]
pub(crate) struct ChunkChoice {
    index: u32,
    delta: Delta,
    /// `stop` in the piece that ends the text.
    finish_reason: Option<&'static str>,
}

/// What is new in a piece.
#[derive(Default, Serialize, ToSchema)]
pub(crate) struct Delta {
    #[serde(skip_serializing_if = "Option::is_none")]
    role: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    content: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    annotations: Option<Vec<Annotation>>,
}

/// What all pieces of one completion say of it.
#[derive(Clone)]
pub(super) struct Head {
    pub(super) request_id: Uuid,
    pub(super) created: i64,
    pub(super) model: String,
}

impl Head {
    fn id(&self) -> String {
        format!("chatcmpl-{}", self.request_id)
    }

    /// The whole completion.
    pub(super) fn completion(self, text: ShownText, answer: Option<Answer>) -> Completion {
        let message = ReplyMessage { role: "assistant", content: text.content, annotations: text.annotations };
        Completion {
            id: self.id(),
            object: "chat.completion",
            created: self.created,
            model: self.model,
            choices: vec![Choice { index: 0, message, finish_reason: "stop" }],
            usage: answer.as_ref().map(Usage::of).unwrap_or_default(),
            ibidem: answer,
        }
    }

    fn chunk(&self, delta: Delta, finish_reason: Option<&'static str>) -> Chunk {
        Chunk {
            id: self.id(),
            object: "chat.completion.chunk",
            created: self.created,
            model: self.model.clone(),
            choices: vec![ChunkChoice { index: 0, delta, finish_reason }],
            usage: None,
            ibidem: None,
        }
    }

    /// Every stream begins with it.
    pub(super) fn opening(&self) -> Chunk {
        self.chunk(Delta { role: Some("assistant"), content: Some(String::new()), annotations: None }, None)
    }

    pub(super) fn piece(&self, text: String) -> Chunk {
        self.chunk(Delta { content: Some(text), ..Delta::default() }, None)
    }

    pub(super) fn annotated(&self, annotations: Vec<Annotation>) -> Chunk {
        self.chunk(Delta { annotations: Some(annotations), ..Delta::default() }, None)
    }

    pub(super) fn end(&self, answer: Option<Answer>) -> Chunk {
        Chunk { ibidem: answer, ..self.chunk(Delta::default(), Some("stop")) }
    }

    pub(super) fn usage(&self, usage: Usage) -> Chunk {
        Chunk { choices: Vec::new(), usage: Some(usage), ..self.chunk(Delta::default(), None) }
    }
}

/// An answer as a chat program shows it.
#[derive(Default)]
pub(super) struct ShownText {
    /// The answer, then its sources.
    pub(super) content: String,
    pub(super) annotations: Vec<Annotation>,
}

impl ShownText {
    pub(super) fn plain(content: String) -> Self {
        Self { content, annotations: Vec::new() }
    }

    /// For a chat program, which opens addresses.
    pub(super) fn of(answer: &Answer, links: &Links) -> Self {
        let place = |miss: &NearestMiss| links.to_passage(miss);
        Self::with(answer, links, &Offers { place: &place, search: None })
    }

    /// For an agent, which reads passages by their ids and has a tool that searches.
    pub(super) fn for_agent(answer: &Answer) -> Self {
        let place = |miss: &NearestMiss| String::from(miss.source_id.clone());
        let search = Some(texts_of(answer).around.search_tool.clone());
        Self::with(answer, &Links { base: String::new() }, &Offers { place: &place, search })
    }

    fn with(answer: &Answer, links: &Links, offers: &Offers<'_>) -> Self {
        if answer.refused {
            return Self::plain(refusal(answer, offers) + &below(answer));
        }
        let around = &texts_of(answer).around;
        let mut numbering = Numbering::default();
        let (text, places) = numbering.placed(&answer.answer, &answer.citations);
        let sources = numbered(&mut numbering, &answer.citations);
        let annotations = places.iter().filter_map(|place| annotation(*place, &sources, links, around)).collect();
        Self { content: text + &source_list(&sources, around) + &whom_to_ask(answer) + &below(answer), annotations }
    }

    /// What follows the answer's own text.
    pub(super) fn sources(answer: &Answer) -> String {
        let mut numbering = Numbering::default();
        numbering.placed(&answer.answer, &answer.citations);
        let around = &texts_of(answer).around;
        source_list(&numbered(&mut numbering, &answer.citations), around) + &whom_to_ask(answer) + &below(answer)
    }
}

/// What stands below the sources.
fn below(answer: &Answer) -> String {
    let note = &texts_of(answer).around.note;
    let notices = answer.notices().into_iter();
    let notes: String = notices.map(|notice| format!("\n\n{}", note.replace("{notice}", notice))).collect();
    notes + &how_to_confirm(answer)
}

/// How to confirm what the answer proposes, for programs that show text alone.
fn how_to_confirm(answer: &Answer) -> String {
    let proposed = answer.confirmation.as_ref();
    let sentence = proposed.and_then(|proposed| Some((proposed.sentence()?, proposed.expires_at.format("%H:%M"))));
    sentence.map_or_else(String::new, |(sentence, end)| {
        let confirm = &texts_of(answer).around.confirm;
        format!("\n\n{}", confirm.replace("{end}", &end.to_string()).replace("{sentence}", &sentence))
    })
}

/// The citations in the order of their numbers. What no marker of the text names comes last.
fn numbered<'c>(numbering: &mut Numbering, citations: &'c [Citation]) -> Vec<(usize, &'c Citation)> {
    let mut sources: Vec<_> = citations.iter().map(|citation| (numbering.number(citation.marker), citation)).collect();
    sources.sort_by_key(|(number, _)| *number);
    sources
}

/// A line for each source, for programs that show neither markers nor annotations.
fn source_list(sources: &[(usize, &Citation)], around: &Around) -> String {
    if sources.is_empty() {
        return String::new();
    }
    let lines = sources.iter().map(|(number, citation)| format!("\n[{number}] {}", named(citation, around)));
    std::iter::once(format!("\n\n{}", around.sources)).chain(lines).collect()
}

fn annotation(
    place: MarkerPlace,
    sources: &[(usize, &Citation)],
    links: &Links,
    around: &Around,
) -> Option<Annotation> {
    let (_, citation) = sources.iter().find(|(number, _)| *number == place.number)?;
    let url_citation = UrlCitation {
        start_index: place.start,
        end_index: place.end,
        title: named(citation, around),
        url: links.to(citation),
    };
    Some(Annotation { kind: "url_citation", url_citation })
}

/// The document, and where in it.
fn named(citation: &Citation, around: &Around) -> String {
    let section = citation.section.iter().map(String::clone);
    let page = citation.page_number.iter().map(|page| around.page.replace("{page}", &page.to_string()));
    let cells = citation.cells.iter().cloned();
    let parts = std::iter::once(citation.document_name.clone()).chain(section).chain(page).chain(cells);
    // Together they could make what a program takes for a citation.
    quoted(&parts.collect::<Vec<_>>().join(", ")).into_owned()
}

/// Where sources are read: on the pages of this server.
pub(super) struct Links {
    pub(super) base: String,
}

impl Links {
    /// Below `public_url` where it is known: a chat program reaches this server by another address than a browser does.
    /// Else below the address under which the caller reached it. A proxy in front of the server passes `Host` on, and says
    /// in `X-Forwarded-Proto` that it was reached by HTTPS. Without a `Host` that can stand in an address, links begin at
    /// the path.
    pub(super) fn for_caller(headers: &HeaderMap, public_url: Option<&str>) -> Self {
        if let Some(url) = public_url {
            return Self { base: url.to_owned() };
        }
        let text = |name: HeaderName| headers.get(name).and_then(|value| value.to_str().ok());
        let fits = |host: &&str| host.bytes().all(|b| b.is_ascii_alphanumeric() || b".:-[]".contains(&b));
        let by_https = text(HeaderName::from_static("x-forwarded-proto")) == Some("https");
        let scheme = if by_https { "https" } else { "http" };
        let base = text(HOST).filter(fits).map(|host| format!("{scheme}://{host}")).unwrap_or_default();
        Self { base }
    }

    /// A passage that came near, as it is now.
    fn to_passage(&self, miss: &NearestMiss) -> String {
        match &miss.source_id {
            CitedSource::Passage(source) => format!("{}{}", self.base, source.page()),
            _ => String::new(),
        }
    }

    fn to(&self, citation: &Citation) -> String {
        match &citation.source_id {
            // The page says so where the document is another by then.
            CitedSource::Passage(source) => {
                let version = citation.document_sha256.short(DIGITS_OF_VERSION);
                format!("{}{}?of={version}", self.base, source.page())
            }
            _ => citation.link.clone().unwrap_or_else(|| self.base.clone()),
        }
    }
}
