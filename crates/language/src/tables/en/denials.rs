//! English words of sentences that say what the sources do not say.

/// What sources do, or do not do.
pub(crate) const SAYING: [&str; 24] = [
    "address",
    "answer",
    "contain",
    "cover",
    "define",
    "describe",
    "directly",
    "discuss",
    "explain",
    "explicitly",
    "give",
    "have",
    "include",
    "indicate",
    "list",
    "mention",
    "name",
    "offer",
    "provide",
    "say",
    "specifically",
    "specify",
    "state",
    "tell",
];

/// What was not done.
pub(crate) const SAID: [&str; 16] = [
    "addressed",
    "answered",
    "clear",
    "contained",
    "covered",
    "described",
    "discussed",
    "explained",
    "found",
    "given",
    "included",
    "indicated",
    "mentioned",
    "provided",
    "specified",
    "stated",
];

/// What nobody can do.
pub(crate) const FINDING: [&str; 8] = ["answer", "determine", "find", "help", "provide", "say", "specify", "tell"];

/// What there is none of.
pub(crate) const TOLD: [&str; 9] =
    ["answer", "data", "details", "evidence", "indication", "information", "mention", "reference", "specific"];
