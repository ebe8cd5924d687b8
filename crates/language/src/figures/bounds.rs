//! Which way a figure bounds: at least or at most, before or after. The same figure may not change sides.

use super::reading::{Figure, Quantity, Value, is_enumerator, written};
use super::sources::Sources;
use super::tokens::{Kind, Token};
use super::{Finding, FindingKind};

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Bound {
    /// At least, more than, after.
    Up,
    /// At most, less than, within, before.
    Down,
}

impl Bound {
    fn turned(self) -> Self {
        match self {
            Self::Up => Self::Down,
            Self::Down => Self::Up,
        }
    }
}

/// What is bounded. Only bounds of one kind can be each other's opposite: `after five attempts` does not deny `at most
/// five attempts`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Of {
    Amount,
    Time,
    /// `within`, which is of both.
    Either,
}

/// A bound, and the words that set it.
struct Bounded {
    bound: Bound,
    of: Of,
    words: String,
}

impl Bounded {
    fn new(bound: Bound, of: Of, words: String) -> Self {
        Self { bound, of, words }
    }

    fn is_opposite_of(&self, other: &Self) -> bool {
        let comparable = self.of == other.of || self.of == Of::Either || other.of == Of::Either;
        self.bound != other.bound && comparable
    }
}

/// Tokens before a figure that can belong to its bound.
const BEFORE: usize = 9;

pub(super) fn check(text: &str, tokens: &[Token<'_>], figures: &[Figure], sources: &Sources<'_>) -> Vec<Finding> {
    let mut findings = Vec::new();
    for figure in figures.iter().filter(|figure| !is_enumerator(tokens, figure)) {
        let Some(claimed) = bound_of(tokens, figure) else { continue };
        let mut agrees = false;
        let mut opposite = None;
        for (passage, found) in same_figures(figure, sources) {
            let Some(source) = sources.each.get(passage) else { continue };
            let Some(bounded) = bound_of(&source.tokens, found) else { continue };
            agrees |= bounded.bound == claimed.bound;
            // `under 18 is not accepted` and `at least 18 is accepted` are one.
            let turned = is_denied_after(tokens, figure.to) != is_denied_after(&source.tokens, found.to);
            if bounded.is_opposite_of(&claimed) && !turned {
                opposite.get_or_insert_with(|| (bounded.words, written(source.text, &source.tokens, found)));
            }
        }
        if let Some((words, found)) = opposite.filter(|_| !agrees) {
            let figure = written(text, tokens, figure);
            let explanation = format!("the passage says {words} {found}, the sentence {} {figure}", claimed.words);
            findings.push(Finding::new(FindingKind::Comparison, &figure, explanation));
        }
    }
    findings
}

/// Where the figure stands in the passages: the passage, and the figure in it.
pub(super) fn same_figures<'s>(figure: &Figure, sources: &'s Sources<'_>) -> Vec<(usize, &'s Figure)> {
    let all = || {
        let each = sources.each.iter().enumerate();
        each.flat_map(|(passage, source)| source.figures.iter().map(move |found| (passage, found)))
    };
    match &figure.value {
        Value::Quantity(quantity) => sources
            .places(quantity.number)
            .iter()
            .filter(|at| sources.quantity(**at).is_some_and(|found| same_unit(quantity, found)))
            .filter_map(|at| Some((at.0, sources.figure(*at)?.1)))
            .collect(),
        Value::Date(date, _) => {
            let same = |value: &Value| matches!(value, Value::Date(found, _) if date.is_said_by(*found));
            all().filter(|(_, found)| same(&found.value)).collect()
        }
        Value::Time(time) => {
            let same = |value: &Value| matches!(value, Value::Time(found) if time.same(*found));
            all().filter(|(_, found)| same(&found.value)).collect()
        }
        Value::Weekday(_) => all().filter(|(_, found)| found.value == figure.value).collect(),
        Value::Identifier(_) => Vec::new(),
    }
}

fn same_unit(one: &Quantity, other: &Quantity) -> bool {
    one.unit.is_none() || other.unit.is_none() || one.unit == other.unit
}

/// The bound around a figure.
fn bound_of(tokens: &[Token<'_>], figure: &Figure) -> Option<Bounded> {
    let from = before(tokens, figure.from);
    let words: Vec<&str> = tokens[from..figure.from].iter().map(|token| token.folded.as_ref()).collect();
    let dated = matches!(figure.value, Value::Date(..) | Value::Time(_) | Value::Weekday(_));
    after(tokens, figure.to).or_else(|| near(&words, dated)).or_else(|| far(&words))
}

/// Where the clause of the figure begins, at most so many tokens back.
fn before(tokens: &[Token<'_>], place: usize) -> usize {
    let least = place.saturating_sub(BEFORE);
    let ends = |token: &Token<'_>| {
        token.kind == Kind::Break
            || matches!(token.text, ";" | "." | "!" | "?" | ",")
            || token.is("but")
            || token.is("and")
    };
    (least..place).rev().find(|at| ends(&tokens[*at])).map_or(least, |at| at + 1)
}

/// `5 or more`, `5 at most`, `5+`.
fn after(tokens: &[Token<'_>], to: usize) -> Option<Bounded> {
    let word = |ahead: usize| tokens.get(to + ahead).map_or("", |token| token.folded.as_ref());
    let bound = match (word(0), word(1)) {
        (
            "or" | "and",
            "more" | "above" | "higher" | "greater" | "longer" | "later" | "over" | "older" | "larger" | "up",
        ) => Bound::Up,
        (
            "or" | "and",
            "less" | "fewer" | "below" | "lower" | "earlier" | "under" | "younger" | "shorter" | "smaller",
        ) => Bound::Down,
        ("at", "least") => Bound::Up,
        ("at", "most") | ("at", "the") if word(1) == "most" || word(2) == "latest" || word(2) == "most" => Bound::Down,
        _ => match word(0) {
            "minimum" => return Some(Bounded::new(Bound::Up, Of::Amount, word(0).to_owned())),
            "onwards" | "onward" => return Some(Bounded::new(Bound::Up, Of::Time, word(0).to_owned())),
            "maximum" => return Some(Bounded::new(Bound::Down, Of::Amount, word(0).to_owned())),
            "+" if tokens.get(to).is_some_and(|sign| sign.glued) => {
                return Some(Bounded::new(Bound::Up, Of::Amount, "+".to_owned()));
            }
            _ => return None,
        },
    };
    Some(Bounded::new(bound, Of::Either, format!("{} {}", word(0), word(1))))
}

/// A bound right before the figure: `at least`, `no more than`, `not be kept for longer than`.
fn near(words: &[&str], dated: bool) -> Option<Bounded> {
    let filler = |word: &&str| {
        matches!(*word, "a" | "an" | "the" | "of" | "about" | "around" | "approximately" | "$" | "€" | "£")
    };
    let end = words.len() - words.iter().rev().take_while(|word| filler(word)).count();
    let words = &words[..end];
    let (last, second) = (words.last()?, words.len().checked_sub(2).map_or("", |at| words[at]));
    let (bound, length) = match (second, *last) {
        ("at", "least") => (Bound::Up, 2),
        ("at", "most") => (Bound::Down, 2),
        ("up", "to") => (Bound::Down, 2),
        ("later", "than") => (Bound::Up, 2),
        ("earlier" | "sooner", "than") => (Bound::Down, 2),
        (
            "more" | "greater" | "higher" | "longer" | "larger" | "bigger" | "older" | "further" | "heavier" | "taller",
            "than",
        ) => (Bound::Up, 2),
        ("less" | "fewer" | "lower" | "shorter" | "smaller" | "younger" | "lighter", "than") => (Bound::Down, 2),
        ("prior", "to") => (Bound::Down, 2),
        ("limited" | "restricted" | "capped", "to" | "at") => (Bound::Down, 2),
        (_, "exceed" | "exceeds" | "exceeding" | "exceeded" | "over" | "above" | "beyond" | ">" | "≥") => {
            (Bound::Up, 1)
        }
        (_, "under" | "below" | "within" | "<" | "≤") => (Bound::Down, 1),
        (_, "minimum" | "least") => (Bound::Up, 1),
        (_, "maximum" | "most" | "limit" | "cap" | "ceiling") => (Bound::Down, 1),
        (_, "after" | "since") => (Bound::Up, 1),
        (_, "before" | "until" | "till") => (Bound::Down, 1),
        (_, "from") if dated => (Bound::Up, 1),
        (_, "by") if dated => (Bound::Down, 1),
        _ => return None,
    };
    let from = words.len() - length;
    let timely = matches!(*last, "after" | "since" | "before" | "until" | "till" | "from" | "by" | "within");
    let of = match (second, *last) {
        (_, "within") => Of::Either,
        ("later" | "earlier" | "sooner" | "prior", _) => Of::Time,
        _ if timely => Of::Time,
        _ => Of::Amount,
    };
    let fixed =
        matches!(*last, "minimum" | "maximum" | "limit" | "cap" | "ceiling") || second == "at" || second == "up";
    // A negation counts up to the next verb: in `what is not tested is kept for more than a year` it is over.
    let predicate =
        |word: &&str| matches!(*word, "is" | "are" | "was" | "were" | "has" | "have" | "will" | "must" | "may");
    let negated = words[..from].iter().rposition(|word| is_negation(word));
    let negated = negated.filter(|at| !words[at + 1..from].iter().any(predicate));
    match negated {
        // `not before Monday` bounds the other way; `does not run after five` does not bound at all.
        Some(at) if timely && at + 1 < from => None,
        Some(at) if !fixed || at + 1 == from => Some(Bounded::new(bound.turned(), of, words[at..].join(" "))),
        _ => Some(Bounded::new(bound, of, words[from..].join(" "))),
    }
}

/// `the maximum session length is 5 hours`.
fn far(words: &[&str]) -> Option<Bounded> {
    let passes = |word: &&str| {
        matches!(
            *word,
            "exceed" | "exceeds" | "exceeding" | "over" | "above" | "beyond" | "reach" | "reaches" | "below"
        )
    };
    if words.iter().any(|word| passes(word) || is_negation(word)) {
        return None;
    }
    let (at, bound) = words.iter().enumerate().rev().find_map(|(at, word)| match *word {
        "maximum" | "max" | "limit" | "limits" | "cap" | "ceiling" | "longest" | "highest" | "largest" => {
            Some((at, Bound::Down))
        }
        "minimum" | "min" | "floor" | "shortest" | "lowest" | "smallest" => Some((at, Bound::Up)),
        _ => None,
    })?;
    Some(Bounded::new(bound, Of::Amount, words[at].to_owned()))
}

/// What is said of the bound is denied: the rest of the clause has a negation.
fn is_denied_after(tokens: &[Token<'_>], to: usize) -> bool {
    const AFTER: usize = 8;
    let rest = tokens.get(to..).unwrap_or_default().iter().take(AFTER);
    let mut clause = rest.take_while(|token| !matches!(token.text, "." | "," | ";" | "!" | "?") && !token.is("and"));
    clause.any(|token| is_negation(&token.folded) || matches!(token.folded.as_ref(), "rejected" | "refused" | "banned"))
}

fn is_negation(word: &str) -> bool {
    matches!(
        word,
        "not" | "no" | "never" | "cannot" | "nor" | "neither" | "none" | "without" | "prohibited" | "forbidden"
    ) || word.ends_with("n't")
}
