//! Short names for what has a long one.

pub(super) const SKOS: &str = "http://www.w3.org/2004/02/skos/core#";
pub(super) const TYPE: &str = "http://www.w3.org/1999/02/22-rdf-syntax-ns#type";

/// Prefixes that need no telling.
pub(super) const PREFIXES: [(&str, &str); 6] = [
    ("skos", SKOS),
    ("isothes", "http://purl.org/iso25964/skos-thes#"),
    ("rdfs", "http://www.w3.org/2000/01/rdf-schema#"),
    ("owl", "http://www.w3.org/2002/07/owl#"),
    ("dct", "http://purl.org/dc/terms/"),
    ("dc11", "http://purl.org/dc/elements/1.1/"),
];

/// With a prefix, where there is one for it.
pub(super) fn short(iri: &str) -> String {
    let prefixed = |(prefix, long): &(&str, &str)| iri.strip_prefix(long).map(|name| format!("{prefix}:{name}"));
    PREFIXES.iter().find_map(prefixed).unwrap_or_else(|| iri.to_owned())
}

/// What comes after the last `#` or `/`.
pub(super) fn local(iri: &str) -> &str {
    iri.rsplit(['#', '/']).next().unwrap_or(iri)
}
