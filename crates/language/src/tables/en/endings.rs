//! English endings, for the two stemmers that are not Snowball's: see [`crate::stems`].

/// Endings that make another word of a statement's word, and the letters that are left at least.
pub(crate) const OF_STATEMENTS: [(&str, usize); 14] = [
    ("izations", 4),
    ("ization", 4),
    ("isation", 4),
    ("ication", 3),
    ("ations", 4),
    ("ation", 4),
    ("ments", 4),
    ("ment", 4),
    ("ing", 3),
    ("ied", 2),
    ("ed", 3),
    ("ion", 4),
    ("al", 5),
    ("ly", 4),
];

/// Endings of a plural that loses two letters.
pub(crate) const OF_PLURALS: [&str; 5] = ["sses", "shes", "ches", "xes", "zes"];

/// The commonest endings, in the order they are tried on a claim's word.
pub(crate) const OF_CLAIMS: [&str; 10] = ["ingly", "edly", "ing", "ies", "ied", "ed", "es", "ly", "s", "e"];
