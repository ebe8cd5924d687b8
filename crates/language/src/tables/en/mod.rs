//! English: also the tables that only the rules for English read.

pub(crate) mod denials;
pub(crate) mod endings;
mod follow_ups;
pub(crate) mod numbers;
pub(crate) mod opposites;
pub(crate) mod units;

use rust_stemmers::Algorithm;

use super::{Abbreviations, Denials, NOTHING, Tables, Turning};

pub(super) const TABLES: Tables = Tables {
    name: "english",
    snowball: Some(Algorithm::English),
    stop_words: include_str!("stop_words.txt"),
    months: &[
        "January",
        "February",
        "March",
        "April",
        "May",
        "June",
        "July",
        "August",
        "September",
        "October",
        "November",
        "December",
    ],
    weekdays: &["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"],
    abbreviations: Abbreviations {
        opening: &[
            "dr", "mr", "mrs", "ms", "prof", "rev", "messrs", "e.g", "eg", "i.e", "ie", "cf", "vs", "approx", "viz",
            "resp", "incl", "excl", "esp", "fig", "figs", "eq", "eqs", "nos", "vol", "vols", "pp", "dept", "st", "mt",
        ],
        before_number: &[
            "no", "art", "sec", "ch", "p", "tab", "ref", "max", "min", "ed", "est", "jan", "feb", "mar", "apr", "jun",
            "jul", "aug", "sep", "sept", "oct", "nov", "dec",
        ],
        closing: &["etc", "al", "a.m", "p.m", "a.d", "b.c"],
        named: &["inc", "ltd", "co", "corp", "jr", "sr", "bros", "ph.d", "llc", "plc"],
    },
    sentence_starters: &[
        "A", "After", "All", "Although", "An", "And", "Any", "As", "At", "Because", "Before", "But", "By", "Each",
        "Every", "For", "From", "He", "Her", "Here", "His", "How", "However", "I", "If", "In", "It", "Its", "No",
        "Not", "On", "Once", "Only", "Or", "Our", "She", "Since", "So", "That", "The", "Their", "Then", "There",
        "These", "They", "This", "Those", "To", "Under", "Until", "We", "What", "When", "Where", "Which", "While",
        "Who", "Why", "With", "Without", "You", "Your",
    ],
    connectives: &[
        "although",
        "and",
        "because",
        "but",
        "consequently",
        "except",
        "hence",
        "however",
        "if",
        "namely",
        "or",
        "provided",
        "since",
        "so",
        "then",
        "therefore",
        "though",
        "thus",
        "unless",
        "until",
        "when",
        "where",
        "whereas",
        "which",
        "while",
        "who",
        "whose",
        "yet",
    ],
    turning: Turning {
        denying: &[
            "not", "no", "nor", "never", "cannot", "without", "none", "neither", "isn", "aren", "don", "doesn", "won",
            "mustn",
        ],
        demanding: &["must", "shall"],
        always: &["always", "everything", "everybody", "nobody", "nothing"],
    },
    denials: Denials {
        confessions: &[
            "i don't know",
            "i don’t know",
            "i do not know",
            "don't have enough information",
            "not enough information",
            "insufficient information",
            "i'm not sure",
            "i’m not sure",
            "i am not sure",
            "i'm sorry",
            "i’m sorry",
            "i am sorry",
            "i cannot answer",
            "i can't answer",
            "i can’t answer",
            "i am unable",
            "i'm unable",
            "i’m unable",
        ],
        ..NOTHING.denials
    },
    follow_ups: follow_ups::FOLLOW_UPS,
    asserting: &[
        "all",
        "allowed",
        "always",
        "am",
        "any",
        "are",
        "aren't",
        "be",
        "because",
        "been",
        "being",
        "can",
        "can't",
        "cannot",
        "could",
        "did",
        "didn't",
        "do",
        "does",
        "doesn't",
        "don't",
        "every",
        "except",
        "forbidden",
        "had",
        "has",
        "have",
        "is",
        "isn't",
        "less",
        "may",
        "might",
        "more",
        "must",
        "mustn't",
        "need",
        "needs",
        "neither",
        "never",
        "no",
        "none",
        "nor",
        "not",
        "nothing",
        "only",
        "ought",
        "shall",
        "should",
        "unless",
        "was",
        "wasn't",
        "were",
        "will",
        "without",
        "won't",
        "would",
        "wouldn't",
        "yes",
    ],
    ..NOTHING
};

/// Short names of months beside the first three letters, each with its month's place.
pub(crate) const SHORT_MONTHS: &[(&str, usize)] = &[("sept", 8)];
/// Short names of weekdays beside the first three letters.
pub(crate) const SHORT_WEEKDAYS: &[&str] = &["tues", "thur", "thurs"];

/// Words so common that a text which has one of them is English.
pub(crate) const COMMONEST: &[&str] = &["the", "is", "are", "of", "and", "there", "to", "it"];

/// Words that lead through an answer and say nothing of its matter.
pub(crate) const LEADING: &[&str] =
    &["addition", "case", "fact", "general", "hand", "note", "result", "short", "step", "steps", "yes"];

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
