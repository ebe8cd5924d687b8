//! What is known of each language, as data: a folder for each, which the README beside this file describes. Rules read
//! these tables; no rule is in them.
//!
//! Terms in the index and recorded decisions depend on the words here. Whoever changes a stop word that the index leaves
//! out raises the revision of [`crate::bm25::Analysis`]; a test holds every such list to the revision it belongs to.

pub(crate) mod alphabet;
mod list;
pub(crate) mod meaning;
mod measures;
mod stop_words;

use std::sync::LazyLock;

use rust_stemmers::Algorithm;
use serde::Deserialize;

pub(crate) use list::{List, Pair};
use list::{by_key, read};
pub(crate) use measures::Measures;
pub(crate) use stop_words::StopWords;

macro_rules! languages {
    ($($(#[$attribute:meta])* $language:ident: $folder:literal,)*) => {
        /// The language of the documents, for stemming and stop words.
        #[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
        pub enum Language {
            $($(#[$attribute])* $language,)*
            /// Words as they are written.
            None,
            /// Each text by the language that it is written in: for corpora of several languages.
            Auto,
        }

        impl Language {
            pub(crate) const ALL: &[Self] = &[$(Self::$language,)* Self::None, Self::Auto];

            pub(crate) fn tables(self) -> &'static Tables {
                static TABLES: [LazyLock<Tables>; Language::ALL.len()] = [
                    $(LazyLock::new(|| tables!($folder)),)*
                    LazyLock::new(|| Tables { name: "none", ..Tables::default() }),
                    LazyLock::new(|| Tables { name: "auto", ..Tables::default() }),
                ];
                &TABLES[self as usize]
            }
        }
    };
}

/// The tables in a folder.
macro_rules! tables {
    ($folder:literal) => {
        Tables {
            stop_words: StopWords::of(include_str!(concat!("tables/", $folder, "/stop_words.txt"))),
            ..read(include_str!(concat!("tables/", $folder, "/words.yaml")))
        }
    };
}

languages! {
    Arabic: "ar",
    Danish: "da",
    Dutch: "nl",
    #[default]
    English: "en",
    Finnish: "fi",
    French: "fr",
    German: "de",
    Greek: "el",
    Hungarian: "hu",
    Italian: "it",
    Norwegian: "no",
    Portuguese: "pt",
    Romanian: "ro",
    Russian: "ru",
    Spanish: "es",
    Swedish: "sv",
    Tamil: "ta",
    Turkish: "tr",
}

/// The languages of which more is known than stems and stop words, and whose words are parted by spaces.
pub(crate) static WITH_SPACES: LazyLock<[&Tables; 4]> =
    LazyLock::new(|| [Language::English, Language::German, Language::French, Language::Spanish].map(Language::tables));
/// Those that are written without spaces. The index knows no terms of theirs.
pub(crate) static WITHOUT_SPACES: LazyLock<[Tables; 2]> = LazyLock::new(|| [tables!("zh"), tables!("ja")]);
/// The languages whose numbers, units and dates are known.
pub(crate) static MEASURED: LazyLock<[&Tables; 2]> =
    LazyLock::new(|| [Language::English, Language::German].map(Language::tables));
/// Symbols of units and currencies, which no language owns, in the case they are written in.
pub(crate) static SYMBOLS: LazyLock<Measures> = LazyLock::new(|| read(include_str!("tables/symbols.yaml")));

/// One language. What nobody has collected yet is empty.
#[derive(Default, Deserialize, Debug)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct Tables {
    /// Its name in the settings.
    pub(crate) name: &'static str,
    /// Snowball's algorithm for it.
    pub(crate) snowball: Option<Algorithm>,
    /// Forms whose word no stemmer finds, in lower case, each with the word: `paid: pay`.
    #[serde(deserialize_with = "by_key")]
    pub(crate) forms: List<Pair>,
    /// From a file of their own.
    #[serde(skip)]
    pub(crate) stop_words: StopWords,
    pub(crate) spelling: Spelling,
    /// As they are written, in their order; a month with two names has them one after the other.
    pub(crate) months: List,
    /// The day of a date is an ordinal with a full stop, and the month follows: `3. März`.
    pub(crate) writes_days_with_a_stop: bool,
    /// As they are written, from Monday on.
    pub(crate) weekdays: List,
    pub(crate) abbreviations: Abbreviations,
    /// Words that begin sentences, and hardly ever names.
    pub(crate) sentence_starters: List,
    /// Words, in lower case, that begin a sentence which says something only after the one before it.
    pub(crate) leaning: List,
    /// Words that stand around an address where the document itself is asked for.
    pub(crate) around_address: List,
    /// Between a question for what a document says and what it says it of: `about`.
    pub(crate) about: List,
    pub(crate) aspects: List<Aspect>,
    /// What stands between the first and the last of a range: `ADR-1 to ADR-3`.
    pub(crate) to: List,
    /// What stands before the greatest of a range without a least, and before the least of one without a greatest, or
    /// behind it.
    pub(crate) at_most: List,
    pub(crate) at_least: List,
    /// Nouns that ask for a figure: `limit`, `fee`.
    pub(crate) amounts: List,
    pub(crate) validity: ValidityPhrases,
    /// Words that begin a clause.
    pub(crate) connectives: List,
    pub(crate) turning: Turning,
    pub(crate) denials: Denials,
    pub(crate) talk: Talk,
    pub(crate) follow_ups: FollowUps,
    pub(crate) meaning: meaning::Meaning,
    pub(crate) measures: Measures,
    /// Words that make a phrase say something: forms of "be", "may", "must" and "have", denials, quantities.
    pub(crate) asserting: List,
    /// The same where words are not parted by spaces: each sign by itself.
    pub(crate) asserting_signs: &'static str,
    /// Short names of weekdays beside the first three letters.
    pub(crate) short_weekdays: List,
    /// Words so common that a text which has one of them is of this language.
    pub(crate) commonest: List,
    /// Words that lead through an answer and say nothing of its matter.
    pub(crate) leading: List,
    /// Words between others and for anybody, that are no stop words.
    pub(crate) joining: List,
    /// Words that stand before the number of what they name: `step 3`.
    pub(crate) numbered: List,
    pub(crate) absences: Absences,
    pub(crate) endings: Endings,
    pub(crate) opposites: Opposites,
    pub(crate) computing: Computing,
}

/// What a question asks to be done with the cells of a table.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Deserialize, Debug)]
#[serde(rename_all = "snake_case")]
pub enum Function {
    Count,
    Sum,
    Average,
    Greatest,
    Least,
    /// The rows themselves.
    List,
    /// So many rows, those with the greatest figures first.
    Top,
}

/// How a cell stands to the figure that a question names.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Deserialize, Debug)]
#[serde(rename_all = "snake_case")]
pub enum Comparison {
    Above,
    Below,
    AtLeast,
    AtMost,
    Between,
}

/// The words of questions for a figure that is computed from a table, in lower case: see [`crate::computing`].
#[derive(Default, Deserialize, Debug)]
#[serde(default, deny_unknown_fields, bound(deserialize = "'de: 'static"))]
pub(crate) struct Computing {
    #[serde(deserialize_with = "by_key")]
    pub(crate) functions: List<(Function, List)>,
    #[serde(deserialize_with = "by_key")]
    pub(crate) comparisons: List<(Comparison, List)>,
    pub(crate) or: List,
    /// They mean the column of money, whatever it is called.
    pub(crate) money: List,
    /// They mean the rows of a table.
    pub(crate) rows: List,
    pub(crate) sorted_by: List,
    pub(crate) descending: List,
    pub(crate) ascending: List,
    /// They ask for nothing by themselves. A word that changes what is asked ("not", "per", "each") is never here.
    pub(crate) neutral: List,
    /// The labels of rows that repeat what other rows say.
    pub(crate) totals: List,
    /// Decimals follow a comma.
    pub(crate) decimal_comma: bool,
}

/// How else a word may be written.
#[derive(Default, Deserialize, Debug)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct Spelling {
    /// The letters beside a to z that its words are written with.
    pub(crate) letters: &'static str,
    /// What stands for a letter where it cannot be typed, and the letter: `[ue, ü]`.
    pub(crate) written_for: List<Pair>,
    /// What may stand between the parts of a compound, behind the first: `Arbeit-s-zeit`. Empty where words are not
    /// joined.
    pub(crate) linking: List,
}

/// Abbreviations without their last full stop, in lower case.
#[derive(Default, Deserialize, Debug)]
#[serde(default, deny_unknown_fields, bound(deserialize = "'de: 'static"))]
pub(crate) struct Abbreviations {
    /// `Dr.`, `e.g.`: something always follows.
    pub(crate) opening: List,
    /// `No.`, `Dec.`: goes on if a number follows, and is a word like any other otherwise.
    pub(crate) before_number: List,
    /// `etc.`, `a.m.`: may well be the last word.
    pub(crate) closing: List,
    /// `Inc.`, `Jr.`: a name may follow, or a sentence.
    pub(crate) named: List,
}

/// Words that a sentence turns on, by what they do. In scripts without spaces they are parts of words.
#[derive(Default, Deserialize, Debug)]
#[serde(default, deny_unknown_fields, bound(deserialize = "'de: 'static"))]
pub(crate) struct Turning {
    pub(crate) denying: List,
    pub(crate) demanding: List,
    pub(crate) always: List,
}

impl Turning {
    pub(crate) fn lists(&self) -> [List; 3] {
        [self.denying, self.demanding, self.always]
    }
}

/// How somebody says that the sources do not say something.
#[derive(Default, Deserialize, Debug)]
#[serde(default, deny_unknown_fields, bound(deserialize = "'de: 'static"))]
pub(crate) struct Denials {
    /// Beginnings of words for the sources, for a denial, and for what sources do. A sentence that has one of each denies
    /// that they say something. English has rules of its own instead: see [`crate::denials`].
    pub(crate) sources: List,
    pub(crate) denying: List,
    pub(crate) saying: List,
    /// Phrases that are said only of not knowing, whatever stands around them.
    pub(crate) confessions: List,
}

/// Among the headings of an aspect: what replaced the document is asked for, and so is the document that did.
pub const SUCCESSOR: &str = "superseded by";

/// A part that documents of a kind have: the words that ask for it, and the headings it has. All in lower case.
#[derive(Default, Deserialize, Debug)]
#[serde(default, deny_unknown_fields, bound(deserialize = "'de: 'static"))]
pub(crate) struct Aspect {
    pub(crate) words: List,
    pub(crate) headings: List,
}

/// How documents say whether they are in force, in lower case: what a sentence about it begins with, and the labels.
#[derive(Default, Deserialize, Debug)]
#[serde(default, deny_unknown_fields, bound(deserialize = "'de: 'static"))]
pub(crate) struct ValidityPhrases {
    /// Headings and labels of what a document says about it.
    pub(crate) labels: List,
    pub(crate) in_force: List,
    pub(crate) superseded: List,
    pub(crate) rejected: List,
    pub(crate) deprecated: List,
    pub(crate) draft: List,
    pub(crate) expired: List,
    /// The address of what replaced it follows.
    pub(crate) replaced_by: List,
    /// The address of what it replaces follows.
    pub(crate) replaces: List,
    /// The address of what it changes in part follows; the rest of that stands.
    pub(crate) amends: List,
    pub(crate) valid_from: List,
    pub(crate) valid_to: List,
}

/// What is said to somebody rather than asked of documents, and how questions begin. In lower case, without signs.
#[derive(Default, Deserialize, Debug)]
#[serde(default, deny_unknown_fields, bound(deserialize = "'de: 'static"))]
pub(crate) struct Talk {
    pub(crate) greetings: List,
    pub(crate) thanks: List,
    /// What is asked about the assistant itself, word for word.
    pub(crate) about_assistant: List,
    /// What stands beside a greeting or thanks and asks for nothing.
    pub(crate) beside: List,
    /// How a question begins that asks how something is done.
    pub(crate) how_to: List,
    /// How a question begins that leans on what was said before.
    pub(crate) leaning: List,
}

/// How somebody goes on with what they asked before, and the words that a question is put together with. In lower case.
#[derive(Default, Deserialize, Debug)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct FollowUps {
    /// What a question that goes on begins with, before it says with what: "what about …".
    pub(crate) openings: List,
    /// "Does the same apply to …": what follows takes the place of something in the question before.
    pub(crate) same: List,
    /// They stand for what was spoken of.
    pub(crate) pronouns: List,
    pub(crate) possessives: List,
    /// They stand for what was spoken of, alone or before a noun.
    pub(crate) demonstratives: List,
    /// Before an auxiliary or at the end it stands for what was spoken of; before a noun it is an article.
    pub(crate) article_pronouns: List,
    /// At the end of a question it stands for what was spoken of as a place: "there". With the preposition that a place
    /// has.
    pub(crate) place_pronoun: &'static str,
    pub(crate) at_place: &'static str,
    /// At the end of a question it stands for what was spoken of as a case: "then".
    pub(crate) case_pronoun: &'static str,
    /// "This year" is no year that was spoken of.
    pub(crate) moments: List,
    /// What a pronoun behind one of these stands for is in the same question.
    pub(crate) subordinators: List,
    pub(crate) asking: List,
    /// "How long", "how many": the words of measure.
    pub(crate) measures: List,
    pub(crate) auxiliaries: List,
    pub(crate) prepositions: List,
    pub(crate) determiners: List,
    /// Words for a part, a limit or a consequence of something: alone they say it of what was spoken of.
    pub(crate) relational: List,
    /// Participles that no ending shows, and verbs that stand at the end of a question.
    pub(crate) participles: List,
    /// Which of several.
    pub(crate) choosing: List,
    /// Joins two questions into one.
    pub(crate) and: List,
    /// What follows is asked of too: "compared with".
    pub(crate) compared: List,
    /// What is said of things that are held against each other: "how do A and B differ".
    pub(crate) differ: List,
    /// Stands before the other thing: "differ from".
    pub(crate) differ_from: &'static str,
    /// Stands before what they differ in.
    pub(crate) differ_in: &'static str,
    /// Both things follow: "the difference between".
    pub(crate) difference: List,
    /// Asks for one thing, and for several: "what is", "what are".
    pub(crate) what_is: [&'static str; 2],
    /// Whose: "of".
    pub(crate) of_which: &'static str,
    /// What a thing has of a matter: "the {matter} of {thing}".
    pub(crate) matter_of: &'static str,
    /// Words that say when, where or how by themselves: "afterwards".
    pub(crate) adverbs: List,
    /// What a question for things of a kind begins with: "what are".
    pub(crate) asking_for_things: List,
    /// What the names of several things end in.
    pub(crate) plural: &'static str,
    /// They ask for somebody or something, and a verb may follow: "who pays …".
    pub(crate) asking_for_subject: List,
    /// Puts a phrase behind a question: "for".
    pub(crate) for_whom: &'static str,
    pub(crate) or: &'static str,
    /// What most participles end in, and no other word does.
    pub(crate) participle_ending: &'static str,
    /// A verb that is not the first of a question stands at its end.
    pub(crate) verb_comes_last: bool,
}

/// Words of sentences that say what the sources do not say.
#[derive(Default, Deserialize, Debug)]
#[serde(default, deny_unknown_fields, bound(deserialize = "'de: 'static"))]
pub(crate) struct Absences {
    /// How an answer speaks of what it was made from.
    pub(crate) sources: List,
    /// What sources do, or do not do.
    pub(crate) saying: List,
    /// What was not done.
    pub(crate) said: List,
    /// What nobody can do.
    pub(crate) finding: List,
    /// What there is none of.
    pub(crate) told: List,
}

/// Endings, for the two stemmers that are not Snowball's: see [`crate::stems`].
#[derive(Default, Deserialize, Debug)]
#[serde(default, deny_unknown_fields, bound(deserialize = "'de: 'static"))]
pub(crate) struct Endings {
    /// Endings that make another word of a statement's word, and the letters that are left at least.
    #[serde(deserialize_with = "by_key")]
    pub(crate) of_statements: List<(&'static str, usize)>,
    /// Endings of a plural that loses two letters.
    pub(crate) of_plurals: List,
    /// The commonest endings, in the order they are tried on a claim's word.
    pub(crate) of_claims: List,
}

/// Words of which one denies the other.
#[derive(Default, Deserialize, Debug)]
#[serde(default, deny_unknown_fields, bound(deserialize = "'de: 'static"))]
pub(crate) struct Opposites {
    /// Words of one side, and of the other. A pair stands here only if nobody uses both for the same fact: `retained for
    /// 30 days` and `deleted after 30 days` do not deny each other.
    #[serde(deserialize_with = "by_key")]
    pub(crate) pairs: List<Pair>,
    /// The same for words that compare.
    #[serde(deserialize_with = "by_key")]
    pub(crate) directions: List<Pair>,
    /// Prefixes that deny the word behind them, and the letters it has at least.
    #[serde(deserialize_with = "by_key")]
    pub(crate) denying_prefixes: List<(&'static str, usize)>,
    /// Beginnings of words that only look like it.
    pub(crate) not_denied: List,
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;
    use std::path::Path;

    use super::*;

    #[test]
    fn every_file_can_be_read() {
        let folders = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/tables");
        let files = folders.read_dir().unwrap().map(|entry| entry.unwrap().path().join("words.yaml"));
        let files: Vec<_> = files.filter(|file| file.exists()).collect();
        assert_eq!(files.len(), Language::ALL.len(), "chinese and japanese have one, none and auto have not");
        for file in files {
            let text: &'static str = std::fs::read_to_string(&file).unwrap().leak();
            let tables: Tables = serde_saphyr::from_str(text).unwrap_or_else(|error| panic!("{file:?}: {error}"));
            let cues: Vec<&str> = tables.meaning.cues.into_iter().flat_map(|(_, phrases)| *phrases).copied().collect();
            assert_eq!(cues.iter().collect::<HashSet<_>>().len(), cues.len(), "{file:?} has a phrase twice");
        }
        assert!(SYMBOLS.units.len() > 50);
    }
}
