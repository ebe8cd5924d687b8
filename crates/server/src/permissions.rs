//! Who may do what: the one table. It decides at the door, and docs/roles.md is made of it.

use std::fmt::Write as _;

use axum::extract::MatchedPath;
use axum::http::Method;
use axum::http::request::Parts;
use ibidem_store::KeyEmbedding;
use ibidem_words::{Identity, Role};

use crate::problem::Problem;

/// Whom a route is for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Least {
    /// Whoever reaches the port: it tells nothing of anybody's data, or checks itself what it is shown.
    Anybody,
    /// This role and those above it, in the own tenant.
    Role(Role),
    /// Whoever shows the operator's token, as `server.metrics` says. No tenant's key or person does.
    Operator,
}

/// What may be done beside calling a route.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Power {
    GiveForeignTags,
}

/// A method, a path, the least that a caller must be, and what it does.
type Route = (&'static str, &'static str, Least, &'static str);

const ANYBODY: Least = Least::Anybody;
const ASKER: Least = Least::Role(Role::Asker);
const CURATOR: Least = Least::Role(Role::Curator);
const ADMIN: Least = Least::Role(Role::Admin);

/// Every route. One that stands not here is let in by nobody, and a test says so.
pub const ROUTES: &[Route] = &[
    ("POST", "/v1/answers", ASKER, "ask"),
    ("GET", "/v1/answers/{request_id}", ASKER, "read an own answer again"),
    ("POST", "/v1/answers/{request_id}/feedback", ASKER, "say what an own answer is worth"),
    ("POST", "/v1/conversations", ASKER, "begin a conversation"),
    ("GET", "/v1/conversations", ASKER, "list own conversations"),
    ("GET", "/v1/conversations/{id}", ASKER, "read an own conversation"),
    ("PATCH", "/v1/conversations/{id}", ASKER, "rename an own conversation"),
    ("DELETE", "/v1/conversations/{id}", ASKER, "erase an own conversation"),
    ("GET", "/v1/conversations/{id}/export", ASKER, "export an own conversation"),
    ("POST", "/v1/chat/completions", ASKER, "ask in OpenAI's form"),
    ("GET", "/v1/models", ASKER, "list what a chat program may choose"),
    ("POST", "/v1/search", ASKER, "search"),
    ("POST", "/v1/claims", ASKER, "hold a claim against the documents"),
    ("POST", "/mcp", ASKER, "call tools as an agent; each is a call of this API"),
    ("GET", "/v1/documents", ASKER, "list the documents that one may see"),
    ("GET", "/v1/documents/{id}", ASKER, "read a document that one may see"),
    ("GET", "/v1/documents/{id}/passages/{chunk_index}", ASKER, "read a passage of it"),
    ("GET", "/v1/documents/{id}/original", ASKER, "download its original"),
    ("GET", "/auth/me", ASKER, "read who one is here"),
    ("GET", "/auth/sessions", ASKER, "list own sessions"),
    ("DELETE", "/auth/sessions/{id}", ASKER, "end an own session"),
    ("POST", "/auth/logout", ASKER, "sign out"),
    ("GET", "/openapi.json", ASKER, "read the description of the API"),
    ("POST", "/v1/documents", CURATOR, "hand in a document, to collections that one may write"),
    (
        "PATCH",
        "/v1/documents/{id}",
        CURATOR,
        "change a document's tags, of those that one carries, in such collections",
    ),
    ("GET", "/v1/feedback", CURATOR, "read what askers said of answers"),
    ("GET", "/v1/memory", CURATOR, "list curated memory"),
    ("GET", "/v1/memory/{id}", CURATOR, "read an entry of curated memory"),
    ("POST", "/v1/memory/pins", CURATOR, "pin a question to sources"),
    ("POST", "/v1/memory/notes", CURATOR, "write a background note"),
    ("PUT", "/v1/memory/{id}", CURATOR, "reword an entry"),
    ("DELETE", "/v1/memory/{id}", CURATOR, "remove an entry"),
    ("GET", "/v1/terms", ASKER, "list or search terms of the vocabularies"),
    ("GET", "/v1/concepts", ASKER, "read a concept of a vocabulary"),
    ("DELETE", "/v1/documents/{id}", ADMIN, "remove or erase a document"),
    ("GET", "/v1/audit/{request_id}", ADMIN, "read the record of a question"),
    ("GET", "/v1/audit/actions", ADMIN, "read the record of actions"),
    ("GET", "/v1/keys", ADMIN, "list API keys"),
    ("POST", "/v1/keys", ADMIN, "create an API key"),
    ("DELETE", "/v1/keys/{id}", ADMIN, "revoke an API key"),
    ("GET", "/v1/groups", ADMIN, "list what groups give"),
    ("PUT", "/v1/groups", ADMIN, "give a group a role and tags"),
    ("DELETE", "/v1/groups/{id}", ADMIN, "take away what a group gives"),
    ("GET", "/v1/people", ADMIN, "list people"),
    ("PUT", "/v1/people/{id}", ADMIN, "keep a person out, or let them in again"),
    ("GET", "/v1/policies", ADMIN, "list which policy files are in force"),
    ("PUT", "/v1/policies", ADMIN, "put a policy file in force for the tenant or a collection"),
    ("DELETE", "/v1/policies", ADMIN, "take a policy file back"),
    ("POST", "/v1/policies/what-if", ADMIN, "see which of the last decisions other thresholds would flip"),
    ("GET", "/v1/queue", ADMIN, "read how far the intake of documents is"),
    ("GET", "/v1/limits", ADMIN, "read the limits and what is used of them"),
    ("GET", "/v1/evaluations", ADMIN, "read what evaluation runs measured"),
    ("GET", "/v1/metrics", ADMIN, "read the numbers of the own tenant"),
    ("GET", "/metrics", Least::Operator, "read the metrics of all tenants"),
    ("GET", "/", ANYBODY, "open the pages"),
    ("GET", "/assets/{file}", ANYBODY, "load what the pages consist of"),
    ("GET", "/embed.js", ANYBODY, "load the widget for pages of other sites"),
    ("GET", "/auth/login", ANYBODY, "begin to sign in"),
    ("GET", "/auth/callback", ANYBODY, "come back from the identity provider"),
    ("POST", "/auth/backchannel-logout", ANYBODY, "show a logout token of the identity provider"),
    ("GET", "/healthz", ANYBODY, "ask whether the process lives"),
    ("GET", "/readyz", ANYBODY, "ask whether it can serve"),
    ("GET", "/.well-known/ibidem-receipt-keys.json", ANYBODY, "read the public keys of receipts"),
    ("GET", "/.well-known/oauth-protected-resource", ANYBODY, "read where access tokens for the API come from"),
    ("GET", "/.well-known/oauth-protected-resource/mcp", ANYBODY, "read where agents get access tokens"),
];

/// What goes beyond a route.
pub const POWERS: &[(Power, Role, &str)] =
    &[(Power::GiveForeignTags, Role::Admin, "give a document tags that one does not carry")];

/// All that a key for pages of other sites may call, whatever its role: everybody who opens such a page can read the key.
pub const EMBEDDED: &[(&str, &str)] = &[("POST", "/v1/answers")];

/// Whether a caller may call the route that they called. A route without a row is a mistake of this program.
pub(crate) fn check(parts: &Parts, identity: &Identity) -> Result<(), Problem> {
    let path = parts.extensions.get::<MatchedPath>().map_or("", MatchedPath::as_str);
    // Whoever may read something may ask how long it is.
    let called = if parts.method == Method::HEAD { Method::GET.as_str() } else { parts.method.as_str() };
    if parts.extensions.get::<KeyEmbedding>().is_some() && !EMBEDDED.contains(&(called, path)) {
        return Err(Problem::forbidden("A key for pages of other sites can only ask: `POST /v1/answers`."));
    }
    let row = ROUTES.iter().find(|(method, at, ..)| (called, path) == (*method, *at));
    match row.map(|(_, _, least, _)| *least) {
        Some(Least::Anybody) => Ok(()),
        Some(Least::Role(least)) if identity.role() >= least => Ok(()),
        Some(Least::Role(least)) => {
            let (least, role) = (least.as_str(), identity.role().as_str());
            Err(Problem::forbidden(format!("It needs the role {least}; you have the role {role}.")))
        }
        Some(Least::Operator) => Err(Problem::unauthenticated()),
        None => {
            tracing::error!(method = %parts.method, path, "a route stands not in the table of permissions");
            Err(Problem::internal())
        }
    }
}

/// Whether somebody may do what goes beyond a route.
pub(crate) fn may(identity: &Identity, power: Power) -> bool {
    POWERS.iter().any(|(of, least, _)| *of == power && identity.role() >= *least)
}

/// The tables of docs/roles.md.
pub fn tables() -> String {
    let roles = [None, Some(Role::Asker), Some(Role::Curator), Some(Role::Admin)];
    let mut page = String::from(
        "| what | route | nobody | asker | curator | admin | operator's token |\n|---|---|---|---|---|---|---|\n",
    );
    let mark = |may: bool| if may { "yes" } else { "–" };
    for (method, path, least, what) in ROUTES {
        let may = |role: Option<Role>| match least {
            Least::Anybody => true,
            Least::Role(least) => role.is_some_and(|role| role >= *least),
            Least::Operator => false,
        };
        let cells: Vec<&str> = roles.iter().map(|role| mark(may(*role))).collect();
        let operator = mark(matches!(least, Least::Anybody | Least::Operator));
        // Writing to a string does not fail.
        let _ = writeln!(page, "| {what} | `{method} {path}` | {} | {operator} |", cells.join(" | "));
    }
    page.push_str("\n| beyond a route | asker | curator | admin |\n|---|---|---|---|\n");
    for (_, least, what) in POWERS {
        let cells: Vec<&str> = roles.iter().flatten().map(|role| mark(role >= least)).collect();
        let _ = writeln!(page, "| {what} | {} |", cells.join(" | "));
    }
    page
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_tables_stand_in_the_documentation() {
        let page = include_str!("../../../docs/roles.md");
        assert!(page.contains(&tables()), "docs/roles.md should hold:\n{}", tables());
    }
}
