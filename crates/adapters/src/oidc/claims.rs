//! What claims say of a person, wherever a provider puts it.

use ibidem_ports::identity_provider::{PersonClaims, ProviderError};
use serde_json::Value;

use super::token::{Claims, issued_at, refused};

/// Providers bound their ids; longer ones are none.
const LONGEST_SUBJECT: usize = 255;

/// What the userinfo endpoint says beside a token.
#[derive(Clone, Debug, Default)]
pub(super) struct UserInfo {
    pub(super) groups: Vec<String>,
    pub(super) name: Option<String>,
    pub(super) email: Option<String>,
}

impl UserInfo {
    pub(super) fn parse(claims: &Claims, groups_claim: &str) -> Self {
        Self { groups: groups(claims, groups_claim).unwrap_or_default(), name: name(claims), email: email(claims) }
    }
}

/// The person of a token, with what is known from elsewhere where the token does not say it.
pub(super) fn person(
    issuer: &str,
    claims: &Claims,
    groups: Vec<String>,
    beside: &UserInfo,
) -> Result<PersonClaims, ProviderError> {
    Ok(PersonClaims {
        issuer: issuer.to_owned(),
        subject: subject(claims)?,
        name: name(claims).or_else(|| beside.name.clone()),
        email: email(claims).or_else(|| beside.email.clone()),
        groups,
        issued_at: issued_at(claims)?,
    })
}

pub(super) fn subject(claims: &Claims) -> Result<String, ProviderError> {
    let subject = text(claims, "sub").filter(|subject| !subject.is_empty() && subject.len() <= LONGEST_SUBJECT);
    let subject = subject.filter(|subject| !subject.contains('\0'));
    subject.ok_or_else(|| refused("the token names nobody"))
}

/// The groups, under a claim of this name or at this path of names; none where there is no such claim. One group may be
/// written without a list around it.
pub(super) fn groups(claims: &Claims, path: &str) -> Option<Vec<String>> {
    let found = claims.get(path).or_else(|| {
        let (first, rest) = path.split_once('.')?;
        rest.split('.').try_fold(claims.get(first)?, |place, name| place.get(name))
    });
    match found? {
        Value::String(one) => Some(vec![one.clone()]),
        Value::Array(several) => Some(several.iter().filter_map(Value::as_str).map(str::to_owned).collect()),
        _ => None,
    }
}

fn text(claims: &Claims, name: &str) -> Option<String> {
    claims.get(name).and_then(Value::as_str).map(str::to_owned)
}

fn name(claims: &Claims) -> Option<String> {
    text(claims, "name").or_else(|| text(claims, "preferred_username"))
}

/// Only where the provider vouches for it: at some providers people write there what they like.
fn email(claims: &Claims) -> Option<String> {
    let is_verified = match claims.get("email_verified") {
        Some(Value::Bool(is_verified)) => *is_verified,
        Some(Value::String(written)) => written == "true",
        _ => false,
    };
    text(claims, "email").filter(|_| is_verified)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn claims(value: Value) -> Claims {
        match value {
            Value::Object(claims) => claims,
            _ => Claims::new(),
        }
    }

    #[test]
    fn groups_are_found_under_any_name() {
        let cases = [
            (json!({"groups": ["a", "b"]}), "groups", Some(vec!["a", "b"])),
            (json!({"realm_access": {"roles": ["a"]}}), "realm_access.roles", Some(vec!["a"])),
            (json!({"https://example.org/groups": ["a"]}), "https://example.org/groups", Some(vec!["a"])),
            (json!({"a.b": ["exact"], "a": {"b": ["nested"]}}), "a.b", Some(vec!["exact"])),
            (json!({"hd": "example.org"}), "hd", Some(vec!["example.org"])),
            (json!({"groups": []}), "groups", Some(vec![])),
            (json!({"groups": ["a", 7, null]}), "groups", Some(vec!["a"])),
            (json!({"groups": {"a": true}}), "groups", None),
            (json!({}), "groups", None),
            (json!({"realm_access": {}}), "realm_access.roles", None),
        ];
        for (value, path, expected) in cases {
            let expected = expected.map(|names: Vec<&str>| names.into_iter().map(str::to_owned).collect::<Vec<_>>());
            assert_eq!(groups(&claims(value.clone()), path), expected, "{value} {path}");
        }
    }

    #[test]
    fn an_address_counts_only_where_it_is_verified() {
        for (verified, counts) in
            [(json!(true), true), (json!("true"), true), (json!(false), false), (json!(null), false)]
        {
            let read = email(&claims(json!({"email": "a@example.org", "email_verified": verified})));
            assert_eq!(read.is_some(), counts);
        }
        assert_eq!(email(&claims(json!({"email": "a@example.org"}))), None);
    }

    #[test]
    fn a_token_names_somebody() {
        for nobody in [json!({}), json!({"sub": ""}), json!({"sub": 7}), json!({"sub": "x".repeat(256)})] {
            assert!(subject(&claims(nobody)).is_err());
        }
        assert_eq!(subject(&claims(json!({"sub": "x"}))), Ok("x".to_owned()));
    }
}
