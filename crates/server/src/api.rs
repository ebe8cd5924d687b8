//! One file for each endpoint: its parameters, its response, its description and its handler. Here is their table.

mod answers;
mod audit;
mod claims;
mod conversations;
mod cursor;
mod documents;
mod evaluations;
mod feedback;
mod groups;
mod health;
mod keys;
mod limits;
mod me;
pub(crate) mod memory;
mod metrics;
mod openapi;
mod people;
mod policies;
mod protected_resource;
mod queue;
mod receipt_keys;
pub(crate) mod search;
mod sign_in;
mod tenant_metrics;
mod terms;

use std::sync::LazyLock;

use axum::routing::{MethodRouter, get, options};
use ibidem_store::AuditedAction;
use ibidem_words::Role;
use utoipa::openapi::{OpenApi, PathItem};
use utoipa_axum::router::{OpenApiRouter, UtoipaMethodRouter};
use utoipa_axum::routes;

use crate::rules::{Bounds, Least, Recorded, Rules};
use crate::state::AppState;
use crate::{described, embedding, mcp, openai, pages};

const ANYBODY: Least = Least::Anybody;
const ASKER: Least = Least::Role(Role::Asker);
const CURATOR: Least = Least::Role(Role::Curator);
const ADMIN: Least = Least::Role(Role::Admin);
const OPERATOR: Least = Least::Operator;

/// Why an endpoint leaves no record.
const NOBODYS: &str = "it tells of the installation, not of anybody's data";
const ITSELF: &str = "it records itself what it did, when it knows for whom";
const EACH_CALL: &str = "each call of a tool is recorded as the request that it is";

macro_rules! endpoints {
    ($($handler:expr, $least:expr, $bounds:ident, $recorded:expr, $what:literal $(+ $also:ident)?;)+) => {
        vec![$({
            let (Handler(method, path, mount), bounds) = (Handler::from($handler), Bounds::$bounds);
            let (least, recorded, what) = ($least, $recorded, $what);
            let rules = Rules { method, path, least, bounds, recorded, what, is_for_foreign_pages: false };
            Endpoint(rules, mount)$(.$also())?
        }),+]
    };
}

/// Every endpoint: its handler, whom it is for, what bounds it, what the audit calls it, and what it does. Its method and
/// its path are in the handler's description. The router is made of these rows, and whoever stands before the handlers
/// asks them; so is docs/roles.md, in this order.
fn table() -> Vec<Endpoint> {
    use AuditedAction::*;
    use Recorded::{As, Not};

    endpoints! {
        routes!(answers::ask),                        ASKER,    Ordinary, As(Ask),                "ask" + for_foreign_pages;
        routes!(answers::read),                       ASKER,    Ordinary, As(ReadAnswer),         "read an own answer again";
        routes!(feedback::give),                      ASKER,    Ordinary, As(GiveFeedback),       "say what an own answer is worth";
        routes!(conversations::write::create),        ASKER,    Ordinary, As(CreateConversation), "begin a conversation";
        routes!(conversations::read::list),           ASKER,    Ordinary, As(ListConversations),  "list own conversations";
        routes!(conversations::read::read),           ASKER,    Ordinary, As(ReadConversation),   "read an own conversation";
        routes!(conversations::write::rename),        ASKER,    Ordinary, As(RenameConversation), "rename an own conversation";
        routes!(conversations::write::remove),        ASKER,    Ordinary, As(EraseConversation),  "erase an own conversation";
        routes!(conversations::read::export),         ASKER,    Ordinary, As(ExportConversation), "export an own conversation";
        routes!(openai::completions::complete),       ASKER,    Ordinary, As(Ask),                "ask in OpenAI's form";
        routes!(openai::models::list),                ASKER,    Ordinary, As(ListCollections),    "list what a chat program may choose";
        routes!(search::search),                      ASKER,    Ordinary, As(Search),             "search";
        routes!(claims::verify),                      ASKER,    Ordinary, As(VerifyClaim),        "hold a claim against the documents";
        ("POST", mcp::PATH, MethodRouter::new()),     ASKER,    Agents,   Not(EACH_CALL),         "call tools as an agent; each is a call of this API";
        routes!(documents::list::list),               ASKER,    Ordinary, As(ListDocuments),      "list the documents that one may see";
        routes!(documents::read::document),           ASKER,    Ordinary, As(ReadDocument),       "read a document that one may see";
        routes!(documents::read::passage),            ASKER,    Ordinary, As(ReadDocument),       "read a passage of it";
        routes!(documents::read::original),           ASKER,    Ordinary, As(ReadDocument),       "download its original";
        routes!(me::read),                            ASKER,    Ordinary, As(ReadSelf),           "read who one is here";
        routes!(sign_in::sessions::list),             ASKER,    Ordinary, As(ListSessions),       "list own sessions";
        routes!(sign_in::sessions::end),              ASKER,    Ordinary, As(EndSession),         "end an own session";
        routes!(sign_in::logout::logout),             ASKER,    Ordinary, As(SignOut),            "sign out";
        ("GET", "/openapi.json", get(openapi::read)), ASKER,    Ordinary, Not(NOBODYS),           "read the description of the API";
        routes!(documents::submit),                   CURATOR,  Upload,   As(SubmitDocument),     "hand in a document, to collections that one may write";
        routes!(documents::retag::retag),             CURATOR,  Ordinary, As(RetagDocument),      "change a document's tags, of those that one carries, in such collections";
        routes!(feedback::list),                      CURATOR,  Ordinary, As(ListFeedback),       "read what askers said of answers";
        routes!(memory::read::list),                  CURATOR,  Ordinary, As(ListEntries),        "list curated memory";
        routes!(memory::read::get),                   CURATOR,  Ordinary, As(ReadEntry),          "read an entry of curated memory";
        routes!(memory::write::pin),                  CURATOR,  Ordinary, As(Pin),                "pin a question to sources";
        routes!(memory::write::note),                 CURATOR,  Ordinary, As(WriteNote),          "write a background note";
        routes!(memory::write::replace),              CURATOR,  Ordinary, As(ReplaceEntry),       "reword an entry";
        routes!(memory::write::remove),               CURATOR,  Ordinary, As(RemoveEntry),        "remove an entry";
        routes!(terms::list),                         ASKER,    Ordinary, As(ListTerms),          "list or search terms of the vocabularies";
        routes!(terms::read),                         ASKER,    Ordinary, As(ReadTerm),           "read a concept of a vocabulary";
        routes!(documents::remove::remove),           ADMIN,    Ordinary, As(RemoveDocument),     "remove or erase a document";
        routes!(audit::read),                         ADMIN,    Ordinary, As(ReadAudit),          "read the record of a question";
        routes!(audit::actions::list),                ADMIN,    Ordinary, As(ListActions),        "read the record of actions";
        routes!(keys::list),                          ADMIN,    Ordinary, As(ListKeys),           "list API keys";
        routes!(keys::create),                        ADMIN,    Ordinary, As(CreateKey),          "create an API key";
        routes!(keys::revoke),                        ADMIN,    Ordinary, As(RevokeKey),          "revoke an API key";
        routes!(groups::list),                        ADMIN,    Ordinary, As(ListGroups),         "list what groups give";
        routes!(groups::map),                         ADMIN,    Ordinary, As(MapGroup),           "give a group a role and tags";
        routes!(groups::remove),                      ADMIN,    Ordinary, As(RemoveGroup),        "take away what a group gives";
        routes!(people::list),                        ADMIN,    Ordinary, As(ListPeople),         "list people";
        routes!(people::set),                         ADMIN,    Ordinary, As(SetPerson),          "keep a person out, or let them in again";
        routes!(policies::list),                      ADMIN,    Ordinary, As(ListPolicies),       "list which policy files are in force";
        routes!(policies::set),                       ADMIN,    Ordinary, As(SetPolicy),          "put a policy file in force for the tenant or a collection";
        routes!(policies::unset),                     ADMIN,    Ordinary, As(UnsetPolicy),        "take a policy file back";
        routes!(policies::what_if::try_out),          ADMIN,    Ordinary, As(ReplayDecisions),    "see which of the last decisions other thresholds would flip";
        routes!(queue::read),                         ADMIN,    Ordinary, As(ReadQueue),          "read how far the intake of documents is";
        routes!(limits::read),                        ADMIN,    Ordinary, As(ReadLimits),         "read the limits and what is used of them";
        routes!(evaluations::list),                   ADMIN,    Ordinary, As(ListEvaluations),    "read what evaluation runs measured";
        routes!(tenant_metrics::read),                ADMIN,    Ordinary, As(ReadMetrics),        "read the numbers of the own tenant";
        routes!(metrics::read_metrics),               OPERATOR, Probe,    Not(NOBODYS),           "read the metrics of all tenants";
        ("GET", "/", get(pages::index)),              ANYBODY,  Ordinary, Not(NOBODYS),           "open the pages";
        ("GET", "/assets/{file}", get(pages::asset)), ANYBODY,  Ordinary, Not(NOBODYS),           "load what the pages consist of";
        ("GET", "/embed.js", get(pages::widget)),     ANYBODY,  Ordinary, Not(NOBODYS),           "load the widget for pages of other sites";
        routes!(sign_in::login::login),               ANYBODY,  Ordinary, Not(ITSELF),            "begin to sign in";
        routes!(sign_in::link::open),                 ANYBODY,  Ordinary, Not(ITSELF),            "sign in by a link that works once";
        routes!(sign_in::callback::callback),         ANYBODY,  Ordinary, Not(ITSELF),            "come back from the identity provider";
        routes!(sign_in::logout::backchannel),        ANYBODY,  Ordinary, Not(ITSELF),            "show a logout token of the identity provider";
        routes!(health::healthz),                     ANYBODY,  Probe,    Not(NOBODYS),           "ask whether the process lives";
        routes!(health::readyz),                      ANYBODY,  Probe,    Not(NOBODYS),           "ask whether it can serve";
        routes!(receipt_keys::read),                  ANYBODY,  Ordinary, Not(NOBODYS),           "read the public keys of receipts";
        routes!(protected_resource::of_api),          ANYBODY,  Ordinary, Not(NOBODYS),           "read where access tokens for the API come from";
        routes!(protected_resource::of_agents),       ANYBODY,  Ordinary, Not(NOBODYS),           "read where agents get access tokens";
    }
}

/// A row of the table: what holds for an endpoint, and how its handler comes into the router.
struct Endpoint(Rules, Mount);

type Mount = Box<dyn FnOnce(OpenApiRouter<AppState>) -> OpenApiRouter<AppState>>;

impl Endpoint {
    /// A key for pages of other sites may call it too. A browser asks first whether a page may.
    fn for_foreign_pages(self) -> Self {
        let Self(rules, mount) = self;
        let path = rules.path.clone();
        let mount: Mount = Box::new(move |router| mount(router).route(&path, options(embedding::preflight)));
        Self(Rules { is_for_foreign_pages: true, ..rules }, mount)
    }
}

/// The method and the path at which something is called, and how it comes into the router.
struct Handler(&'static str, String, Mount);

impl From<UtoipaMethodRouter<AppState>> for Handler {
    /// Part of the API, as its description says.
    fn from(described: UtoipaMethodRouter<AppState>) -> Self {
        let places = described.1.paths.iter().flat_map(|(path, item)| {
            let PathItem { get, post, put, patch, delete, .. } = item;
            let methods = [("GET", get), ("POST", post), ("PUT", put), ("PATCH", patch), ("DELETE", delete)];
            methods.into_iter().filter(|(_, operation)| operation.is_some()).map(|(method, _)| (method, path.clone()))
        });
        let (method, path) = places.last().unwrap_or_default();
        Self(method, path, Box::new(|router| router.routes(described)))
    }
}

impl From<(&'static str, &'static str, MethodRouter<AppState>)> for Handler {
    /// Beside the API.
    fn from((method, path, handler): (&'static str, &'static str, MethodRouter<AppState>)) -> Self {
        Self(method, path.to_owned(), Box::new(|router| router.route(path, handler)))
    }
}

/// What holds for each endpoint, in the order of docs/roles.md.
pub fn endpoints() -> &'static [Rules] {
    static RULES: LazyLock<Vec<Rules>> =
        LazyLock::new(|| table().into_iter().map(|Endpoint(rules, _)| rules).collect());
    &RULES
}

/// The handlers of the endpoints of which this holds.
pub(crate) fn handlers(is_one: impl Fn(&Rules) -> bool) -> OpenApiRouter<AppState> {
    let beginning = OpenApiRouter::with_openapi(described::beginning());
    let mounts = table().into_iter().filter(|Endpoint(rules, _)| is_one(rules)).map(|Endpoint(_, mount)| mount);
    mounts.fold(beginning, |router, mount| mount(router))
}

/// The API's description, as served at `/openapi.json`.
pub fn openapi() -> OpenApi {
    described::in_full(handlers(|_| true).into_openapi())
}
