//! The cited passages, read once: where each number, date, identifier and word of them stands.

use std::cell::OnceCell;
use std::collections::{HashMap, HashSet};

use super::identifiers::labelled;
use super::numbers::{self, Number};
use super::quantities::unit_at;
use super::reading::{Figure, Quantity, Value, figures, written};
use super::tokens::{Token, fold, tokens};
use super::units::{self, Unit};

/// One passage.
pub(super) struct Source<'a> {
    pub(super) text: &'a str,
    pub(super) tokens: Vec<Token<'a>>,
    pub(super) figures: Vec<Figure>,
    /// The text in lower case, once somebody asks for it.
    folded: OnceCell<String>,
}

/// All cited passages of a sentence.
pub(super) struct Sources<'a> {
    pub(super) each: Vec<Source<'a>>,
    /// Where each number stands: the passage, and the figure in it.
    numbers: HashMap<Number, Vec<(usize, usize)>>,
    pub(super) identifiers: HashSet<String>,
    /// Labels with their numbers: `tls`, and what follows it.
    pub(super) labels: HashMap<String, HashSet<Number>>,
    /// Every word in lower case, without `'s`.
    pub(super) words: HashSet<String>,
    /// Units by which something is counted: `per minute`, `daily`.
    pub(super) rates: HashSet<Unit>,
    /// Every unit that is named at all.
    pub(super) units: HashSet<Unit>,
}

impl<'a> Sources<'a> {
    pub(super) fn parse(passages: &[&'a str]) -> Self {
        let mut sources = Self {
            each: Vec::with_capacity(passages.len()),
            numbers: HashMap::new(),
            identifiers: HashSet::new(),
            labels: HashMap::new(),
            words: HashSet::new(),
            rates: HashSet::new(),
            units: HashSet::new(),
        };
        for text in passages {
            let tokens = tokens(text);
            let figures = figures(&tokens);
            sources.add(Source { text, tokens, figures, folded: OnceCell::new() });
        }
        sources
    }

    fn add(&mut self, source: Source<'a>) {
        let passage = self.each.len();
        for (place, figure) in source.figures.iter().enumerate() {
            match &figure.value {
                Value::Quantity(quantity) => {
                    for number in [Some(quantity.number), quantity.other].into_iter().flatten() {
                        self.numbers.entry(number).or_default().push((passage, place));
                    }
                    if let Some(label) = &quantity.label {
                        self.labels.entry(label.clone()).or_default().insert(quantity.number);
                        self.identifiers.insert(label_with(label, source.tokens[figure.from].text));
                    }
                    self.rates.extend(quantity.per);
                    self.units.extend(quantity.unit);
                    self.units.extend(quantity.per);
                }
                Value::Identifier(identifier) => {
                    if let Some((label, number)) = labelled(identifier)
                        && let Some(number) = numbers::parse(number)
                    {
                        self.labels.entry(label.to_owned()).or_default().insert(number);
                        self.numbers.entry(number).or_default().push((passage, place));
                    }
                    self.identifiers.insert(identifier.clone());
                }
                Value::Date(..) | Value::Weekday(_) | Value::Time(_) => {}
            }
        }
        for (place, token) in source.tokens.iter().enumerate().filter(|(_, token)| token.is_word()) {
            let word = token.folded.strip_suffix("'s").unwrap_or(&token.folded);
            if !self.words.contains(word) {
                self.words.insert(word.to_owned());
                self.units.extend(units::adverb(word));
                self.rates.extend(units::adverb(word));
                if token.text.len() > 1 {
                    self.units.extend(units::single(token.text));
                }
            }
            if matches!(word, "per" | "each" | "every" | "a" | "an" | "pro" | "je" | "am" | "im") {
                self.rates.extend(unit_at(&source.tokens, place + 1).map(|(unit, _)| unit));
            }
        }
        self.each.push(source);
    }

    /// Every place where a number stands.
    pub(super) fn places(&self, number: Number) -> &[(usize, usize)] {
        self.numbers.get(&number).map_or(&[], Vec::as_slice)
    }

    pub(super) fn figure(&self, (passage, place): (usize, usize)) -> Option<(&Source<'a>, &Figure)> {
        let source = self.each.get(passage)?;
        Some((source, source.figures.get(place)?))
    }

    pub(super) fn quantity(&self, at: (usize, usize)) -> Option<&Quantity> {
        match &self.figure(at)?.1.value {
            Value::Quantity(quantity) => Some(quantity),
            _ => None,
        }
    }

    pub(super) fn written(&self, at: (usize, usize)) -> String {
        self.figure(at).map(|(source, figure)| written(source.text, &source.tokens, figure)).unwrap_or_default()
    }

    pub(super) fn values(&self) -> impl Iterator<Item = (&Source<'a>, &Figure)> {
        self.each.iter().flat_map(|source| source.figures.iter().map(move |figure| (source, figure)))
    }

    pub(super) fn has_word(&self, words: &[&str]) -> bool {
        words.iter().any(|word| self.words.contains(*word))
    }

    /// The text stands in a passage with nothing of a word or number right before or after it.
    pub(super) fn has_text(&self, folded: &str) -> bool {
        self.each.iter().any(|source| is_within(source.folded.get_or_init(|| fold(source.text).into_owned()), folded))
    }

    /// A unit is named near a number that stands alone, as in a table or `timeout in ms: 500`.
    pub(super) fn is_named_near(&self, at: (usize, usize), unit: Unit) -> bool {
        const NEAR: usize = 10;
        let Some((source, figure)) = self.figure(at) else { return false };
        let tokens = &source.tokens;
        let around = figure.from.saturating_sub(NEAR)..(figure.to + NEAR).min(tokens.len());
        let free = |place: usize| {
            let before = source.figures.partition_point(|figure| figure.from <= place);
            before.checked_sub(1).is_none_or(|at| source.figures[at].to <= place)
        };
        let named = |place: usize| unit_at(tokens, place).is_some_and(|(named, _)| named == unit);
        let table = source.text.contains('|');
        let places = if table { 0..tokens.len() } else { around };
        places.filter(|place| named(*place)).any(free)
    }
}

fn label_with(label: &str, number: &str) -> String {
    let bare = number.trim_start_matches('0');
    format!("{label}-{}", if bare.is_empty() { "0" } else { bare })
}

/// Whether the part stands in the whole as a piece of its own.
pub(super) fn is_within(whole: &str, part: &str) -> bool {
    if part.is_empty() {
        return false;
    }
    let outside = |c: Option<char>| c.is_none_or(|c| !c.is_alphanumeric());
    whole.match_indices(part).any(|(start, _)| {
        let end = start + part.len();
        let mut after = whole[end..].chars();
        let next = after.next();
        // `1.2` is not in `1.2.3`.
        let goes_on = next == Some('.') && after.next().is_some_and(|c| c.is_ascii_digit());
        outside(whole[..start].chars().next_back()) && outside(next) && !goes_on
    })
}
