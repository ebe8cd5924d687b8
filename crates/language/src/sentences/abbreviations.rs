//! What a word before a full stop is: the end of a sentence, or an abbreviation that goes on.

/// How a word stands to the full stop after it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Word {
    /// A word like any other.
    Plain,
    /// So short that, with a small letter after it, it is rather somebody's abbreviation than a sentence's last word.
    Short,
    /// `Dr.`, `e.g.`: something always follows.
    Opening,
    /// `No.`, `Dec.`: goes on if a number follows, and is a word like any other otherwise.
    BeforeNumber,
    /// `etc.`, `a.m.`: may well be the last word.
    Closing,
    /// `U.S.`, `Inc.`, an initial: a name may follow, or a sentence.
    Named,
    /// One or two digits: in some languages that is an ordinal, and a month follows.
    Ordinal,
}

const OPENING: &[&str] = &[
    // English
    "dr", "mr", "mrs", "ms", "prof", "rev", "messrs", "e.g", "eg", "i.e", "ie", "cf", "vs", "approx", "viz", "resp",
    "incl", "excl", "esp", "fig", "figs", "eq", "eqs", "nos", "vol", "vols", "pp", "dept", "st", "mt",
    // German
    "z.b", "d.h", "u.a", "v.a", "i.d.r", "bzw", "vgl", "sog", "ggf", "evtl", "inkl", "exkl", "zzgl", "ca", "nr", "abs",
    "abschn", "fr", "dipl", "bspw", // French and Spanish
    "mme", "mlle", "p.ex", "sra", "núm", "pág",
];

const BEFORE_NUMBER: &[&str] = &[
    "no", "art", "sec", "ch", "p", "tab", "ref", "max", "min", "ed", "est", "kap", "ziff", "jan", "feb", "mar", "mär",
    "apr", "jun", "jul", "aug", "sep", "sept", "oct", "okt", "nov", "dec", "dez",
];

const CLOSING: &[&str] = &["etc", "usw", "al", "a.m", "p.m", "a.d", "b.c", "u.s.w", "dgl", "o.ä"];

const NAMED: &[&str] = &["inc", "ltd", "co", "corp", "jr", "sr", "bros", "ph.d", "llc", "plc"];

const MONTHS: &[&str] = &[
    "Januar",
    "Jänner",
    "Februar",
    "März",
    "April",
    "Mai",
    "Juni",
    "Juli",
    "August",
    "September",
    "Oktober",
    "November",
    "Dezember",
];

const WEEKDAYS: &[&str] = &["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"];

/// Words that begin sentences, and hardly ever names.
const STARTERS: &[&str] = &[
    "A", "After", "All", "Although", "An", "And", "Any", "As", "At", "Because", "Before", "But", "By", "Each", "Every",
    "For", "From", "He", "Her", "Here", "His", "How", "However", "I", "If", "In", "It", "Its", "No", "Not", "On",
    "Once", "Only", "Or", "Our", "She", "Since", "So", "That", "The", "Their", "Then", "There", "These", "They",
    "This", "Those", "To", "Under", "Until", "We", "What", "When", "Where", "Which", "While", "Who", "Why", "With",
    "Without", "You", "Your", // German
    "Aber", "Alle", "Am", "Auf", "Bei", "Das", "Dem", "Den", "Der", "Des", "Die", "Diese", "Dieser", "Dieses", "Ein",
    "Eine", "Er", "Es", "Für", "Im", "Ist", "Kein", "Keine", "Mit", "Nach", "Sie", "Und", "Vor", "Wenn", "Wer", "Wir",
    "Zu", // French
    "Ce", "Ces", "Cette", "Dans", "Elle", "En", "Et", "Il", "Ils", "Je", "La", "Le", "Les", "Lorsque", "Mais", "Nous",
    "Pour", "Si", "Un", "Une", "Vous",
];

impl Word {
    /// Of the word as it stands before the stop, with what is around it.
    pub(super) fn before_stop(word: &str) -> Self {
        const LONGEST_SHORT: usize = 4;
        let word = word.trim_start_matches(|sign: char| !sign.is_alphanumeric()).to_lowercase();
        let is = |list: &[&str]| list.contains(&word.as_str());
        let letters = word.chars().count();
        let initials = word.split('.').all(|part| part.chars().count() == 1) && word.chars().all(is_letter_or_dot);
        match () {
            () if is(OPENING) => Self::Opening,
            () if is(BEFORE_NUMBER) => Self::BeforeNumber,
            () if is(CLOSING) => Self::Closing,
            () if is(NAMED) || initials => Self::Named,
            () if (1..=2).contains(&letters) && word.chars().all(|sign| sign.is_ascii_digit()) => Self::Ordinal,
            () if (1..=LONGEST_SHORT).contains(&letters) && word.chars().all(char::is_alphabetic) => Self::Short,
            () => Self::Plain,
        }
    }
}

fn is_letter_or_dot(sign: char) -> bool {
    // Scripts without small letters write whole words with one sign.
    sign == '.' || sign.is_lowercase()
}

/// How a word that is still being read stands to a list.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Known {
    No,
    /// Some word of the list begins so.
    Perhaps,
    Whole,
}

pub(super) fn begins_sentences(word: &str) -> Known {
    known(STARTERS, word)
}

pub(super) fn is_month(word: &str) -> Known {
    known(MONTHS, word)
}

pub(super) fn is_weekday(word: &str) -> Known {
    known(WEEKDAYS, word)
}

fn known(list: &[&str], word: &str) -> Known {
    if list.contains(&word) {
        return Known::Whole;
    }
    if list.iter().any(|known| known.starts_with(word)) { Known::Perhaps } else { Known::No }
}
