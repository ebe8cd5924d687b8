//! Words for what an answer is made from.

/// How an answer speaks of what it was made from.
pub const SOURCES: [&str; 15] = [
    "article",
    "articles",
    "context",
    "document",
    "documents",
    "excerpt",
    "excerpts",
    "information",
    "note",
    "notes",
    "passage",
    "passages",
    "source",
    "sources",
    "text",
];
