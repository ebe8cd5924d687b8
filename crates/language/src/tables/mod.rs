//! What is known of each language, as data: one folder for each. Rules read these tables; no rule is in them.
//!
//! Terms in the index and recorded decisions depend on the words here. Whoever changes a stop word that the index leaves
//! out raises the revision of [`crate::bm25::Analysis`]; a test holds every such list to the revision it belongs to.

pub(crate) mod alphabet;
mod de;
pub(crate) mod en;
mod es;
mod fr;
pub(crate) mod grammar;
mod ja;
pub(crate) mod meaning;
pub(crate) mod measures;
pub(crate) mod symbols;
mod zh;

use rust_stemmers::Algorithm;

/// One language. What nobody has collected yet is empty.
#[derive(Debug)]
pub(crate) struct Tables {
    /// Its name in the settings.
    pub(crate) name: &'static str,
    /// Snowball's algorithm for it.
    pub(crate) snowball: Option<Algorithm>,
    /// Forms whose word no stemmer finds, in lower case, each with the word: `("paid", "pay")`.
    pub(crate) forms: &'static [(&'static str, &'static str)],
    /// One stop word on a line, then who leaves it out: see [`crate::stop_words`].
    pub(crate) stop_words: &'static str,
    pub(crate) spelling: Spelling,
    /// As they are written, in their order; a month with two names has them one after the other.
    pub(crate) months: &'static [&'static str],
    /// The day of a date is an ordinal with a full stop, and the month follows: `3. März`.
    pub(crate) writes_days_with_a_stop: bool,
    /// As they are written, from Monday on.
    pub(crate) weekdays: &'static [&'static str],
    pub(crate) abbreviations: Abbreviations,
    /// Words that begin sentences, and hardly ever names.
    pub(crate) sentence_starters: &'static [&'static str],
    /// Words, in lower case, that begin a sentence which says something only after the one before it.
    pub(crate) leaning: &'static [&'static str],
    /// Words that stand around an address where the document itself is asked for.
    pub(crate) around_address: &'static [&'static str],
    /// Between a question for what a document says and what it says it of: `about`.
    pub(crate) about: &'static [&'static str],
    pub(crate) aspects: &'static [Aspect],
    /// What stands between the first and the last of a range: `ADR-1 to ADR-3`.
    pub(crate) to: &'static [&'static str],
    /// What stands before the greatest of a range without a least, and before the least of one without a greatest, or
    /// behind it.
    pub(crate) at_most: &'static [&'static str],
    pub(crate) at_least: &'static [&'static str],
    /// Nouns that ask for a figure: `limit`, `fee`.
    pub(crate) amounts: &'static [&'static str],
    pub(crate) standings: Standings,
    /// Words that begin a clause.
    pub(crate) connectives: &'static [&'static str],
    pub(crate) turning: Turning,
    pub(crate) denials: Denials,
    pub(crate) talk: Talk,
    pub(crate) follow_ups: FollowUps,
    pub(crate) meaning: meaning::Meaning,
    pub(crate) measures: measures::Measures,
    /// Words that make a phrase say something: forms of "be", "may", "must" and "have", denials, quantities.
    pub(crate) asserting: &'static [&'static str],
    /// The same where words are not parted by spaces: each sign by itself.
    pub(crate) asserting_signs: &'static str,
}

/// How else a word may be written.
#[derive(Debug)]
pub(crate) struct Spelling {
    /// The letters beside a to z that its words are written with.
    pub(crate) letters: &'static str,
    /// What stands for a letter where it cannot be typed, and the letter: `("ue", "ü")`.
    pub(crate) written_for: &'static [(&'static str, &'static str)],
    /// What may stand between the parts of a compound, behind the first: `Arbeit-s-zeit`. Empty where words are not
    /// joined.
    pub(crate) linking: &'static [&'static str],
}

/// Abbreviations without their last full stop, in lower case.
#[derive(Debug)]
pub(crate) struct Abbreviations {
    /// `Dr.`, `e.g.`: something always follows.
    pub(crate) opening: &'static [&'static str],
    /// `No.`, `Dec.`: goes on if a number follows, and is a word like any other otherwise.
    pub(crate) before_number: &'static [&'static str],
    /// `etc.`, `a.m.`: may well be the last word.
    pub(crate) closing: &'static [&'static str],
    /// `Inc.`, `Jr.`: a name may follow, or a sentence.
    pub(crate) named: &'static [&'static str],
}

/// Words that a sentence turns on, by what they do. In scripts without spaces they are parts of words.
#[derive(Debug)]
pub(crate) struct Turning {
    pub(crate) denying: &'static [&'static str],
    pub(crate) demanding: &'static [&'static str],
    pub(crate) always: &'static [&'static str],
}

impl Turning {
    pub(crate) fn lists(&self) -> [&'static [&'static str]; 3] {
        [self.denying, self.demanding, self.always]
    }
}

/// How somebody says that the sources do not say something.
#[derive(Debug)]
pub(crate) struct Denials {
    /// Beginnings of words for the sources, for a denial, and for what sources do. A sentence that has one of each denies
    /// that they say something. English has rules of its own instead: see [`crate::denials`].
    pub(crate) sources: &'static [&'static str],
    pub(crate) denying: &'static [&'static str],
    pub(crate) saying: &'static [&'static str],
    /// Phrases that are said only of not knowing, whatever stands around them.
    pub(crate) confessions: &'static [&'static str],
}

/// Among the headings of an aspect: what replaced the document is asked for, and so is the document that did.
pub const SUCCESSOR: &str = "superseded by";

/// A part that documents of a kind have: the words that ask for it, and the headings it has. All in lower case.
#[derive(Debug)]
pub(crate) struct Aspect {
    pub(crate) words: &'static [&'static str],
    pub(crate) headings: &'static [&'static str],
}

/// How documents say whether they are in force, in lower case: what a sentence about it begins with, and the labels.
#[derive(Debug)]
pub(crate) struct Standings {
    /// Headings and labels of what a document says about it.
    pub(crate) labels: &'static [&'static str],
    pub(crate) in_force: &'static [&'static str],
    pub(crate) superseded: &'static [&'static str],
    pub(crate) rejected: &'static [&'static str],
    pub(crate) deprecated: &'static [&'static str],
    pub(crate) draft: &'static [&'static str],
    pub(crate) expired: &'static [&'static str],
    /// The address of what replaced it follows.
    pub(crate) replaced_by: &'static [&'static str],
    /// The address of what it replaces follows.
    pub(crate) replaces: &'static [&'static str],
    /// The address of what it changes in part follows; the rest of that stands.
    pub(crate) amends: &'static [&'static str],
    pub(crate) valid_from: &'static [&'static str],
    pub(crate) valid_to: &'static [&'static str],
}

const NO_STANDINGS: Standings = Standings {
    labels: &[],
    in_force: &[],
    superseded: &[],
    rejected: &[],
    deprecated: &[],
    draft: &[],
    expired: &[],
    replaced_by: &[],
    replaces: &[],
    amends: &[],
    valid_from: &[],
    valid_to: &[],
};

/// What is said to somebody rather than asked of documents, and how questions begin. In lower case, without signs.
#[derive(Debug)]
pub(crate) struct Talk {
    pub(crate) greetings: &'static [&'static str],
    pub(crate) thanks: &'static [&'static str],
    /// What is asked about the assistant itself, word for word.
    pub(crate) about_assistant: &'static [&'static str],
    /// What stands beside a greeting or thanks and asks for nothing.
    pub(crate) beside: &'static [&'static str],
    /// How a question begins that asks how something is done.
    pub(crate) how_to: &'static [&'static str],
    /// How a question begins that leans on what was said before.
    pub(crate) leaning: &'static [&'static str],
}

/// How somebody goes on with what they asked before, and the words that a question is put together with. In lower case.
#[derive(Debug)]
pub(crate) struct FollowUps {
    /// What a question that goes on begins with, before it says with what: "what about …".
    pub(crate) openings: &'static [&'static str],
    /// "Does the same apply to …": what follows takes the place of something in the question before.
    pub(crate) same: &'static [&'static str],
    /// They stand for what was spoken of.
    pub(crate) pronouns: &'static [&'static str],
    pub(crate) possessives: &'static [&'static str],
    /// They stand for what was spoken of, alone or before a noun.
    pub(crate) demonstratives: &'static [&'static str],
    /// Before an auxiliary or at the end it stands for what was spoken of; before a noun it is an article.
    pub(crate) article_pronouns: &'static [&'static str],
    /// At the end of a question it stands for what was spoken of as a place: "there". With the preposition that a place
    /// has.
    pub(crate) place_pronoun: &'static str,
    pub(crate) at_place: &'static str,
    /// At the end of a question it stands for what was spoken of as a case: "then".
    pub(crate) case_pronoun: &'static str,
    /// "This year" is no year that was spoken of.
    pub(crate) moments: &'static [&'static str],
    /// What a pronoun behind one of these stands for is in the same question.
    pub(crate) subordinators: &'static [&'static str],
    pub(crate) asking: &'static [&'static str],
    /// "How long", "how many": the words of measure.
    pub(crate) measures: &'static [&'static str],
    pub(crate) auxiliaries: &'static [&'static str],
    pub(crate) prepositions: &'static [&'static str],
    pub(crate) determiners: &'static [&'static str],
    /// Words for a part, a limit or a consequence of something: alone they say it of what was spoken of.
    pub(crate) relational: &'static [&'static str],
    /// Participles that no ending shows, and verbs that stand at the end of a question.
    pub(crate) participles: &'static [&'static str],
    /// Which of several.
    pub(crate) choosing: &'static [&'static str],
    /// Joins two questions into one.
    pub(crate) and: &'static [&'static str],
    /// What follows is asked of too: "compared with".
    pub(crate) compared: &'static [&'static str],
    /// What is said of things that are held against each other: "how do A and B differ".
    pub(crate) differ: &'static [&'static str],
    /// Stands before the other thing: "differ from".
    pub(crate) differ_from: &'static str,
    /// Stands before what they differ in.
    pub(crate) differ_in: &'static str,
    /// Both things follow: "the difference between".
    pub(crate) difference: &'static [&'static str],
    /// Asks for one thing, and for several: "what is", "what are".
    pub(crate) what_is: [&'static str; 2],
    /// Whose: "of".
    pub(crate) of_which: &'static str,
    /// What a thing has of a matter: "the {matter} of {thing}".
    pub(crate) matter_of: &'static str,
    /// Words that say when, where or how by themselves: "afterwards".
    pub(crate) adverbs: &'static [&'static str],
    /// What a question for things of a kind begins with: "what are".
    pub(crate) asking_for_things: &'static [&'static str],
    /// What the names of several things end in.
    pub(crate) plural: &'static str,
    /// They ask for somebody or something, and a verb may follow: "who pays …".
    pub(crate) asking_for_subject: &'static [&'static str],
    /// Puts a phrase behind a question: "for".
    pub(crate) for_whom: &'static str,
    pub(crate) or: &'static str,
}

const NO_FOLLOW_UPS: FollowUps = FollowUps {
    openings: &[],
    same: &[],
    pronouns: &[],
    possessives: &[],
    demonstratives: &[],
    article_pronouns: &[],
    place_pronoun: "",
    at_place: "",
    case_pronoun: "",
    moments: &[],
    subordinators: &[],
    asking: &[],
    measures: &[],
    auxiliaries: &[],
    prepositions: &[],
    determiners: &[],
    relational: &[],
    participles: &[],
    choosing: &[],
    and: &[],
    compared: &[],
    differ: &[],
    differ_from: "",
    differ_in: "",
    difference: &[],
    what_is: ["", ""],
    of_which: "",
    matter_of: "",
    adverbs: &[],
    asking_for_things: &[],
    plural: "",
    asking_for_subject: &[],
    for_whom: "",
    or: "",
};

const NO_SPELLING: Spelling = Spelling { letters: "", written_for: &[], linking: &[] };

const NOTHING: Tables = Tables {
    name: "none",
    snowball: None,
    forms: &[],
    stop_words: "",
    spelling: NO_SPELLING,
    months: &[],
    writes_days_with_a_stop: false,
    weekdays: &[],
    abbreviations: Abbreviations { opening: &[], before_number: &[], closing: &[], named: &[] },
    sentence_starters: &[],
    leaning: &[],
    around_address: &[],
    about: &[],
    aspects: &[],
    to: &[],
    at_most: &[],
    at_least: &[],
    amounts: &[],
    standings: NO_STANDINGS,
    connectives: &[],
    turning: Turning { denying: &[], demanding: &[], always: &[] },
    denials: Denials { sources: &[], denying: &[], saying: &[], confessions: &[] },
    talk: Talk { greetings: &[], thanks: &[], about_assistant: &[], beside: &[], how_to: &[], leaning: &[] },
    follow_ups: NO_FOLLOW_UPS,
    meaning: meaning::NO_MEANING,
    measures: measures::NO_MEASURES,
    asserting: &[],
    asserting_signs: "",
};

/// A language of which only stems and stop words are known, and perhaps how its words are written.
const fn for_the_index(name: &'static str, snowball: Algorithm, stop_words: &'static str) -> Tables {
    Tables { name, snowball: Some(snowball), stop_words, ..NOTHING }
}

const fn spelled(tables: Tables, spelling: Spelling) -> Tables {
    Tables { spelling, ..tables }
}

pub(crate) static ARABIC: Tables = for_the_index("arabic", Algorithm::Arabic, include_str!("ar/stop_words.txt"));
pub(crate) static CHINESE: Tables = zh::TABLES;
pub(crate) static DANISH: Tables = spelled(
    for_the_index("danish", Algorithm::Danish, include_str!("da/stop_words.txt")),
    Spelling { letters: "æøå", written_for: &[("ae", "æ"), ("oe", "ø"), ("aa", "å")], linking: &["", "s", "e"] },
);
pub(crate) static DUTCH: Tables = spelled(
    for_the_index("dutch", Algorithm::Dutch, include_str!("nl/stop_words.txt")),
    Spelling { letters: "ëïé", written_for: &[("e", "ë"), ("i", "ï")], linking: &["", "s", "en", "e"] },
);
pub(crate) static ENGLISH: Tables = en::TABLES;
pub(crate) static FINNISH: Tables = spelled(
    for_the_index("finnish", Algorithm::Finnish, include_str!("fi/stop_words.txt")),
    Spelling { letters: "äö", written_for: &[("a", "ä"), ("o", "ö")], linking: &["", "n"] },
);
pub(crate) static FRENCH: Tables = fr::TABLES;
pub(crate) static GERMAN: Tables = de::TABLES;
pub(crate) static GREEK: Tables = for_the_index("greek", Algorithm::Greek, include_str!("el/stop_words.txt"));
pub(crate) static HUNGARIAN: Tables = spelled(
    for_the_index("hungarian", Algorithm::Hungarian, include_str!("hu/stop_words.txt")),
    Spelling {
        letters: "áéíóöőúüű",
        written_for: &[
            ("a", "á"),
            ("e", "é"),
            ("i", "í"),
            ("o", "ó"),
            ("o", "ö"),
            ("o", "ő"),
            ("u", "ú"),
            ("u", "ü"),
            ("u", "ű"),
        ],
        linking: &[""],
    },
);
pub(crate) static ITALIAN: Tables = spelled(
    for_the_index("italian", Algorithm::Italian, include_str!("it/stop_words.txt")),
    Spelling {
        letters: "àèéìòù",
        written_for: &[("a", "à"), ("e", "è"), ("e", "é"), ("i", "ì"), ("o", "ò"), ("u", "ù")],
        linking: &[],
    },
);
pub(crate) static JAPANESE: Tables = ja::TABLES;
pub(crate) static NORWEGIAN: Tables = spelled(
    for_the_index("norwegian", Algorithm::Norwegian, include_str!("no/stop_words.txt")),
    Spelling { letters: "æøå", written_for: &[("ae", "æ"), ("oe", "ø"), ("aa", "å")], linking: &["", "s", "e"] },
);
pub(crate) static PORTUGUESE: Tables = spelled(
    for_the_index("portuguese", Algorithm::Portuguese, include_str!("pt/stop_words.txt")),
    Spelling {
        letters: "áâãàçéêíóôõú",
        written_for: &[
            ("a", "á"),
            ("a", "ã"),
            ("a", "â"),
            ("c", "ç"),
            ("e", "é"),
            ("e", "ê"),
            ("i", "í"),
            ("o", "ó"),
            ("o", "õ"),
            ("o", "ô"),
            ("u", "ú"),
        ],
        linking: &[],
    },
);
pub(crate) static ROMANIAN: Tables = spelled(
    for_the_index("romanian", Algorithm::Romanian, include_str!("ro/stop_words.txt")),
    Spelling {
        letters: "ăâîșț",
        written_for: &[("a", "ă"), ("a", "â"), ("i", "î"), ("s", "ș"), ("t", "ț")],
        linking: &[],
    },
);
pub(crate) static RUSSIAN: Tables = for_the_index("russian", Algorithm::Russian, include_str!("ru/stop_words.txt"));
pub(crate) static SPANISH: Tables = es::TABLES;
pub(crate) static SWEDISH: Tables = spelled(
    for_the_index("swedish", Algorithm::Swedish, include_str!("sv/stop_words.txt")),
    Spelling { letters: "åäö", written_for: &[("a", "å"), ("a", "ä"), ("o", "ö")], linking: &["", "s"] },
);
pub(crate) static TAMIL: Tables = for_the_index("tamil", Algorithm::Tamil, include_str!("ta/stop_words.txt"));
pub(crate) static TURKISH: Tables = spelled(
    for_the_index("turkish", Algorithm::Turkish, include_str!("tr/stop_words.txt")),
    Spelling {
        letters: "çğıöşü",
        written_for: &[("c", "ç"), ("g", "ğ"), ("i", "ı"), ("o", "ö"), ("s", "ş"), ("u", "ü")],
        linking: &[],
    },
);
/// Words as they are written, whatever their language.
pub(crate) static NONE: Tables = NOTHING;
/// Each text by the language that it is written in.
pub(crate) static AUTO: Tables = Tables { name: "auto", ..NOTHING };

/// The languages of which more is known than stems and stop words, and whose words are parted by spaces.
pub(crate) static WITH_SPACES: [&Tables; 4] = [&ENGLISH, &GERMAN, &FRENCH, &SPANISH];
/// Those that are written without spaces.
pub(crate) static WITHOUT_SPACES: [&Tables; 2] = [&CHINESE, &JAPANESE];
