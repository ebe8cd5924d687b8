//! French.

use rust_stemmers::Algorithm;

use super::{Abbreviations, Denials, NOTHING, Tables, Turning};

pub(super) const TABLES: Tables = Tables {
    name: "french",
    snowball: Some(Algorithm::French),
    stop_words: include_str!("stop_words.txt"),
    abbreviations: Abbreviations { opening: &["mme", "mlle", "p.ex"], ..NOTHING.abbreviations },
    sentence_starters: &[
        "Ce", "Ces", "Cette", "Dans", "Elle", "En", "Et", "Il", "Ils", "Je", "La", "Le", "Les", "Lorsque", "Mais",
        "Nous", "Pour", "Si", "Un", "Une", "Vous",
    ],
    connectives: &[
        "ainsi",
        "car",
        "cependant",
        "donc",
        "dont",
        "et",
        "lorsque",
        "mais",
        "ou",
        "où",
        "parce",
        "puisque",
        "quand",
        "qui",
    ],
    turning: Turning {
        denying: &["ne", "n", "pas", "jamais", "aucun", "aucune", "rien", "sans", "ni"],
        demanding: &["doit", "doivent", "faut"],
        always: &["toujours"],
    },
    denials: Denials {
        sources: &["document", "source", "note", "texte", "passage", "extrait", "contexte", "information"],
        denying: &["ne", "n", "pas", "aucun", "rien"],
        saying: &[
            "mention", "précis", "dis", "dit", "indiqu", "contien", "parl", "répond", "fourni", "donn", "trouv",
            "expliqu", "spécifi", "a",
        ],
        confessions: &["je ne sais pas", "je l'ignore", "je l’ignore", "je ne peux pas répondre", "je suis désolé"],
    },
    asserting: &[
        "aucun",
        "aucune",
        "doit",
        "doivent",
        "est",
        "jamais",
        "moins",
        "ne",
        "obligatoire",
        "ont",
        "pas",
        "peut",
        "peuvent",
        "plus",
        "rien",
        "sans",
        "seulement",
        "sont",
        "toujours",
        "tous",
        "tout",
        "toute",
        "toutes",
        "était",
        "être",
    ],
    ..NOTHING
};
