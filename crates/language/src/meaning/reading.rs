//! Reads a text into sentences and clauses: which words say something, and what the small ones do to them.

use std::collections::HashMap;
use std::ops::Range;

use crate::figures::number_key;
use crate::sentences::sentences_of;
use crate::stems::{by_beginning, for_the_index};
use crate::tables::Tables;
use crate::tables::meaning::Cue;

/// A word, or a phrase that does something.
#[derive(Clone, Debug)]
pub(super) struct Token {
    /// In lower case.
    pub(super) text: String,
    pub(super) sort: Sort,
    /// The clause of its sentence that it stands in.
    pub(super) clause: usize,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Sort {
    /// It says something: what its forms share, or its number.
    Content {
        root: String,
        is_figure: bool,
        is_noun: bool,
    },
    Cue(Cue),
    Plain,
}

impl Token {
    pub(super) fn root(&self) -> Option<&str> {
        match &self.sort {
            Sort::Content { root, .. } => Some(root),
            Sort::Cue(_) | Sort::Plain => None,
        }
    }

    pub(super) fn is_figure(&self) -> bool {
        matches!(self.sort, Sort::Content { is_figure: true, .. })
    }

    pub(super) fn is_noun(&self) -> bool {
        matches!(self.sort, Sort::Content { is_noun: true, .. })
    }

    pub(super) fn is(&self, cue: Cue) -> bool {
        self.sort == Sort::Cue(cue)
    }

    /// The same word in this or another form; a figure is another figure if one digit is.
    pub(super) fn is_same(&self, other: &Self) -> bool {
        let (Some(one), Some(two)) = (self.root(), other.root()) else { return false };
        one == two || (!self.is_figure() && !other.is_figure() && by_beginning(&self.text, &other.text) == Some(true))
    }
}

/// One sentence, row of a table or item of a list.
#[derive(Clone, Debug, Default)]
pub(super) struct Sentence {
    pub(super) tokens: Vec<Token>,
    pub(super) clauses: usize,
    /// It says something by itself: a heading does not.
    pub(super) is_whole: bool,
    /// What follows stands under it: the head of a table, what leads a list in.
    pub(super) is_lead: bool,
    /// A verb stands behind its first clause, as where German puts a condition first: `Ist sie ungültig, antwortet es`.
    pub(super) begins_with_verb: bool,
}

impl Sentence {
    pub(super) fn content(&self) -> impl Iterator<Item = &Token> {
        self.tokens.iter().filter(|token| token.root().is_some())
    }

    pub(super) fn has(&self, token: &Token) -> bool {
        self.tokens.iter().any(|own| own.is_same(token))
    }

    pub(super) fn has_cue(&self, cue: Cue) -> bool {
        self.tokens.iter().any(|token| token.is(cue))
    }

    pub(super) fn clause(&self, clause: usize) -> &[Token] {
        let from = self.tokens.partition_point(|token| token.clause < clause);
        let to = self.tokens.partition_point(|token| token.clause <= clause);
        &self.tokens[from..to]
    }
}

/// What a language's words do, ready to be looked up.
pub(super) struct Words {
    pub(super) tables: &'static Tables,
    /// By the first word: the words of each phrase, the longest first, and what it does.
    cues: HashMap<&'static str, Vec<(Vec<&'static str>, Cue)>>,
}

impl Words {
    pub(super) fn of(tables: &'static Tables) -> Self {
        let mut cues: HashMap<&str, Vec<(Vec<&str>, Cue)>> = HashMap::new();
        for (phrase, cue) in tables.meaning.phrases() {
            let words: Vec<&str> = phrase.split(' ').collect();
            if let Some(first) = words.first() {
                cues.entry(first).or_default().push((words, cue));
            }
        }
        for phrases in cues.values_mut() {
            phrases.sort_by_key(|(words, _)| std::cmp::Reverse(words.len()));
        }
        Self { tables, cues }
    }

    /// What begins with the first of these words, and how many of them it takes.
    fn cue(&self, words: &[Raw]) -> Option<(Cue, usize)> {
        let first = words.first()?;
        // `longer than oak` compares, `longer than 5 hours` bounds.
        let compares = |phrase: &[&str]| phrase.len() > 1 && phrase.last().is_some_and(|last| self.is_than(last));
        let counts = |words: &[Raw]| words.iter().take(2).any(|word| self.number(word).is_some());
        let fits = |(phrase, _): &&(Vec<&str>, Cue)| {
            let is_it =
                phrase.len() <= words.len() && phrase.iter().zip(words).all(|(wanted, word)| word.lower == *wanted);
            is_it && (!compares(phrase) || counts(&words[phrase.len()..]))
        };
        self.cues.get(first.lower.as_str())?.iter().find(fits).map(|(phrase, cue)| (*cue, phrase.len()))
    }

    fn is_than(&self, word: &str) -> bool {
        self.tables.meaning.phrases().any(|(phrase, cue)| cue == Cue::Than && phrase == word)
    }

    fn sort(&self, word: &Raw) -> Sort {
        if let Some(root) = self.number(word) {
            return Sort::Content { root, is_figure: true, is_noun: false };
        }
        // `Service A` is not `a`.
        let is_letter = word.lower.chars().nth(1).is_none() && word.is_capital && !word.is_first;
        let compares = |(one, other): &(&str, &str)| [*one, *other].contains(&word.lower.as_str());
        let is_comparative = self.tables.meaning.opposites.iter().any(compares);
        let is_plain = !is_letter
            && !is_comparative
            && (self.tables.stop_words.index.contains(word.lower.as_str())
                || self.tables.meaning.plain.contains(&word.lower.as_str())
                || word.lower.chars().nth(1).is_none());
        if is_plain {
            return Sort::Plain;
        }
        if is_letter {
            return Sort::Content { root: word.lower.to_uppercase(), is_figure: false, is_noun: true };
        }
        let root = for_the_index(self.tables)
            .map_or_else(|| word.lower.clone(), |stemmer| stemmer.stem(&word.lower).into_owned());
        Sort::Content { root, is_figure: false, is_noun: word.is_capital && !word.is_first }
    }

    /// A number in digits or in a word, in the one form in which numbers are compared.
    fn number(&self, word: &Raw) -> Option<String> {
        let in_digits = word.lower.starts_with(|sign: char| sign.is_ascii_digit());
        number_key(&word.lower, &self.tables.measures).or_else(|| in_digits.then(|| word.lower.clone()))
    }

    pub(super) fn parse(&self, text: &str) -> Vec<Sentence> {
        let lines: Vec<&str> = sentences_of(text).into_iter().flat_map(str::lines).collect();
        let mut sentences: Vec<Sentence> = lines.iter().map(|line| self.sentence(line)).collect();
        for (place, sentence) in sentences.iter_mut().enumerate() {
            let is_row = |place: usize| lines.get(place).is_some_and(|line| line.trim_start().starts_with('|'));
            let begins_table = is_row(place) && !place.checked_sub(1).is_some_and(is_row);
            sentence.is_lead = begins_table || lines[place].trim_end().ends_with(':');
        }
        sentences
    }

    fn sentence(&self, line: &str) -> Sentence {
        let raw = raw_words(line);
        let is_row = line.trim_start().starts_with('|');
        let is_whole = is_row || line.trim_end().ends_with(['.', '!', '?', ';', ':']) || line.contains(',');
        let mut sentence = Sentence { is_whole, ..Sentence::default() };
        let mut at = 0;
        while let Some(word) = raw.get(at) {
            let found = self.cue(&raw[at..]);
            let (sort, length) = match found {
                Some((cue, length)) => (Sort::Cue(self.in_place(cue, &raw, at)), length),
                None => (self.sort(word), 1),
            };
            let begins = !is_row && at > 0 && self.begins_clause(&sort, word);
            sentence.clauses += usize::from(begins);
            sentence.tokens.push(Token { text: word.lower.clone(), sort, clause: sentence.clauses });
            at += length.max(1);
        }
        sentence.clauses += 1;
        let second = sentence.tokens.iter().position(|token| token.clause == 1);
        let verb = second.and_then(|place| sentence.tokens.get(place)).filter(|_| line.contains(','));
        let is_verb =
            |token: &Token| !matches!(token.sort, Sort::Cue(_)) && token.text.ends_with('t') && !token.is_noun();
        sentence.begins_with_verb = verb.is_some_and(is_verb);
        sentence
    }

    /// Some words do what they do only where they stand: `die` begins a clause behind a comma, and is an article elsewhere.
    fn in_place(&self, cue: Cue, raw: &[Raw], at: usize) -> Cue {
        let before = at.checked_sub(1).and_then(|before| raw.get(before));
        match cue {
            Cue::Relative if self.tables.meaning.has_capital_nouns => {
                if raw[at].is_apart && ends_in_verb(&raw[at..]) {
                    Cue::Relative
                } else {
                    Cue::Nothing
                }
            }
            Cue::Than => {
                let is_comparative = |word: &Raw| {
                    let meaning = &self.tables.meaning;
                    let named =
                        meaning.opposites.iter().any(|(one, other)| [*one, *other].contains(&word.lower.as_str()));
                    named || word.lower.ends_with(meaning.comparative) && word.lower.chars().count() > 4
                };
                let from = at.saturating_sub(6);
                if raw[from..at].iter().any(is_comparative) { Cue::Than } else { Cue::Nothing }
            }
            // `by Friday` is a time, `by the office` is not.
            Cue::By if before.is_none() => Cue::Nothing,
            _ => cue,
        }
    }

    fn begins_clause(&self, sort: &Sort, word: &Raw) -> bool {
        word.is_apart || matches!(sort, Sort::Cue(Cue::And | Cue::If | Cue::Because | Cue::Therefore | Cue::Relative))
    }
}

/// Whether the clause from here to the next sign ends in a verb, as clauses do in German that say something of a noun.
fn ends_in_verb(words: &[Raw]) -> bool {
    let clause = words.iter().skip(1).take_while(|word| !word.is_apart);
    let Some(last) = clause.last() else { return false };
    let verb = ["t", "en", "n", "st", "ist", "sind", "war"].iter().any(|ending| last.lower.ends_with(ending));
    verb && !last.is_capital
}

struct Raw {
    lower: String,
    is_capital: bool,
    is_first: bool,
    /// A sign that parts clauses stands before it.
    is_apart: bool,
}

/// Words and numbers, and where signs part them. A point or comma between digits belongs to the number.
fn raw_words(line: &str) -> Vec<Raw> {
    let mut words: Vec<Raw> = Vec::new();
    let mut is_apart = false;
    for Range { start, end } in word_places(line) {
        let before = words.last().map_or(0, |_| previous_end(line, start));
        is_apart |= line[before..start].contains([',', ';', ':', '(', ')', '|', '—', '–']);
        let text = &line[start..end];
        let lower = text.to_lowercase().replace('’', "'");
        let is_capital = text.starts_with(char::is_uppercase);
        words.push(Raw { lower, is_capital, is_first: words.is_empty(), is_apart });
        is_apart = false;
    }
    words
}

fn previous_end(line: &str, start: usize) -> usize {
    line[..start]
        .char_indices()
        .rev()
        .find(|(_, sign)| sign.is_alphanumeric())
        .map_or(0, |(at, sign)| at + sign.len_utf8())
}

fn word_places(line: &str) -> Vec<Range<usize>> {
    let mut places = Vec::new();
    let mut from: Option<usize> = None;
    let signs: Vec<(usize, char)> = line.char_indices().collect();
    for (place, (at, sign)) in signs.iter().enumerate() {
        let near = |ahead: isize| {
            let place = place.checked_add_signed(ahead)?;
            signs.get(place).map(|(_, sign)| *sign)
        };
        let between_digits = matches!(sign, '.' | ',')
            && near(-1).is_some_and(|sign| sign.is_ascii_digit())
            && near(1).is_some_and(|sign| sign.is_ascii_digit());
        let in_word = matches!(sign, '\'' | '’')
            && near(-1).is_some_and(char::is_alphabetic)
            && near(1).is_some_and(char::is_alphabetic);
        if sign.is_alphanumeric() || between_digits || in_word {
            from.get_or_insert(*at);
        } else if let Some(start) = from.take() {
            places.push(start..*at);
        }
    }
    places.extend(from.map(|start| start..line.len()));
    places
}
