//! Who may do what: it decides at the door, and docs/roles.md is made of it.

use axum::http::request::Parts;
use ibidem_store::KeyEmbedding;
use ibidem_words::{Identity, Role};

use crate::problem::Problem;
use crate::rules::{Least, Rules};

/// What may be done beside calling an endpoint.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Power {
    GiveForeignTags,
}

/// What goes beyond an endpoint.
pub const POWERS: &[(Power, Role, &str)] =
    &[(Power::GiveForeignTags, Role::Admin, "give a document tags that one does not carry")];

/// Whether a caller may call the endpoint that they called. One without rules is a mistake of this program.
pub(crate) fn check(parts: &Parts, identity: &Identity) -> Result<(), Problem> {
    let Some(rules) = parts.extensions.get::<&'static Rules>() else {
        tracing::error!(method = %parts.method, path = parts.uri.path(), "an endpoint stands not in the table");
        return Err(Problem::internal());
    };
    if parts.extensions.get::<KeyEmbedding>().is_some() && !rules.is_for_foreign_pages {
        return Err(Problem::forbidden("A key for pages of other sites can only ask: `POST /v1/answers`."));
    }
    match rules.least {
        Least::Anybody => Ok(()),
        Least::Role(least) if identity.role() >= least => Ok(()),
        Least::Role(least) => {
            let (least, role) = (least.as_str(), identity.role().as_str());
            Err(Problem::forbidden(format!("It needs the role {least}; you have the role {role}.")))
        }
        Least::Operator => Err(Problem::unauthenticated()),
    }
}

/// Whether somebody may do what goes beyond an endpoint.
pub(crate) fn may(identity: &Identity, power: Power) -> bool {
    POWERS.iter().any(|(of, least, _)| *of == power && identity.role() >= *least)
}

#[cfg(test)]
mod tests {
    use std::fmt::Write as _;

    use super::*;
    use crate::api::endpoints;

    /// The tables of docs/roles.md.
    fn tables() -> String {
        let roles = [None, Some(Role::Asker), Some(Role::Curator), Some(Role::Admin)];
        let mut page = String::from(
            "| what | route | nobody | asker | curator | admin | operator's token |\n|---|---|---|---|---|---|---|\n",
        );
        let mark = |may: bool| if may { "yes" } else { "–" };
        for Rules { method, path, least, what, .. } in endpoints() {
            let may = |role: Option<Role>| match least {
                Least::Anybody => true,
                Least::Role(least) => role.is_some_and(|role| role >= *least),
                Least::Operator => false,
            };
            let cells: Vec<&str> = roles.iter().map(|role| mark(may(*role))).collect();
            let operator = mark(matches!(least, Least::Anybody | Least::Operator));
            writeln!(page, "| {what} | `{method} {path}` | {} | {operator} |", cells.join(" | ")).unwrap();
        }
        page.push_str("\n| beyond a route | asker | curator | admin |\n|---|---|---|---|\n");
        for (_, least, what) in POWERS {
            let cells: Vec<&str> = roles.iter().flatten().map(|role| mark(role >= least)).collect();
            writeln!(page, "| {what} | {} |", cells.join(" | ")).unwrap();
        }
        page
    }

    #[test]
    fn the_tables_stand_in_the_documentation() {
        let page = include_str!("../../../docs/roles.md");
        assert!(page.contains(&tables()), "docs/roles.md should hold:\n{}", tables());
    }
}
