//! Words that say nothing by themselves, or only deny, and that the stop words do not tell.

/// Of English, words between others and for anybody, that are no stop words.
pub(crate) const ENGLISH: &[&str] = &[
    "across",
    "among",
    "anybody",
    "anyone",
    "everyone",
    "get",
    "gets",
    "onto",
    "per",
    "since",
    "somebody",
    "someone",
    "throughout",
    "toward",
    "towards",
    "unless",
    "upon",
    "via",
    "whichever",
    "whoever",
];

/// Words that deny, of the languages of which nothing else is known. Each language by its name, with its words in lower case.
pub(crate) const DENYING: &[(&str, &[&str])] = &[
    ("arabic", &["لا", "لم", "لن", "ليس", "ليست", "غير", "بدون", "دون"]),
    ("danish", &["ikke", "aldrig", "ingen", "intet", "ingenting", "uden"]),
    ("dutch", &["niet", "geen", "nooit", "niets", "niemand", "zonder", "noch"]),
    ("finnish", &["ei", "en", "et", "emme", "ette", "eivät", "älä", "älkää", "ilman"]),
    ("greek", &["δεν", "δε", "μη", "μην", "όχι", "χωρίς", "ποτέ", "κανένας", "καμία", "κανένα"]),
    ("hungarian", &["nem", "ne", "se", "sem", "soha", "sose", "nincs", "nincsenek", "nélkül"]),
    ("italian", &["non", "né", "mai", "nessun", "nessuno", "nessuna", "niente", "nulla", "senza"]),
    ("norwegian", &["ikke", "ikkje", "aldri", "ingen", "intet", "ingenting", "uten"]),
    ("portuguese", &["não", "nunca", "jamais", "nem", "nenhum", "nenhuma", "nada", "sem"]),
    ("romanian", &["nu", "nici", "niciodată", "niciun", "nicio", "fără", "nimic"]),
    ("russian", &["не", "ни", "нет", "никогда", "нельзя", "никто", "ничего", "без"]),
    ("swedish", &["inte", "ej", "icke", "aldrig", "ingen", "inget", "inga", "utan"]),
    ("tamil", &["இல்லை", "அல்ல"]),
    ("turkish", &["değil", "yok", "hiç", "asla", "olmadan"]),
];

#[cfg(test)]
mod tests {
    use crate::language::Language;

    use super::*;

    #[test]
    fn every_line_is_of_a_language_that_is_known() {
        assert!(DENYING.iter().all(|(name, words)| name.parse::<Language>().is_ok() && !words.is_empty()));
    }
}
