//! Spanish.

use rust_stemmers::Algorithm;

use super::{Abbreviations, Denials, NOTHING, Spelling, Tables, Turning};

pub(super) const TABLES: Tables = Tables {
    name: "spanish",
    snowball: Some(Algorithm::Spanish),
    stop_words: include_str!("stop_words.txt"),
    spelling: Spelling {
        letters: "áéíóúüñ",
        written_for: &[("a", "á"), ("e", "é"), ("i", "í"), ("o", "ó"), ("u", "ú"), ("u", "ü"), ("n", "ñ")],
        linking: &[],
    },
    abbreviations: Abbreviations { opening: &["sra", "núm", "pág"], ..NOTHING.abbreviations },
    connectives: &["así", "aunque", "cuando", "mientras", "o", "pero", "porque", "pues", "y"],
    turning: Turning {
        denying: &["nunca", "jamás", "ningún", "ninguna", "nada", "tampoco", "no"],
        demanding: &["debe", "deben"],
        always: &["siempre", "todo"],
    },
    denials: Denials {
        sources: &["documento", "fuente", "nota", "texto", "pasaje", "contexto", "información", "informacion"],
        denying: &["no", "ningun", "ningún", "nada", "sin"],
        saying: &[
            "mencion",
            "especific",
            "dic",
            "indic",
            "contien",
            "habl",
            "respond",
            "proporcion",
            "encuentr",
            "hay",
            "ofrec",
            "explic",
        ],
        confessions: &[
            "no lo sé",
            "no lo se",
            "no sé",
            "lo siento",
            "no puedo responder",
            "no tengo información",
            "desconozco",
            "no dispongo de información",
        ],
    },
    asserting: &[
        "debe", "deben", "es", "estan", "está", "están", "hay", "jamás", "nada", "ninguna", "ningún", "nunca",
        "porque", "puede", "pueden", "siempre", "sin", "solo", "son", "sólo", "tiene", "tienen", "todo", "todos",
    ],
    ..NOTHING
};
