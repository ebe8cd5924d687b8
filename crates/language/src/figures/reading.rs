//! The figures of a text: every number, date, time and identifier, with what belongs to it.

use super::calendar::{Date, Time};
use super::identifiers::canonical;
use super::numbers::Number;
use super::quantities;
use super::tokens::{Kind, Token};
use super::units::Unit;
use super::{dates, numbers};

#[derive(Clone, PartialEq, Debug)]
pub(super) enum Value {
    Quantity(Quantity),
    /// With the other reading, where day and month could be either way round.
    Date(Date, Option<Date>),
    Weekday(u8),
    Time(Time),
    /// In the form in which identifiers are compared.
    Identifier(String),
}

#[derive(Clone, PartialEq, Debug)]
pub(super) struct Quantity {
    pub(super) number: Number,
    /// What the number may also mean: `5` of `5–10 million`, `5m`.
    pub(super) other: Option<Number>,
    pub(super) unit: Option<Unit>,
    /// The unit stands at the last number of the list or range.
    pub(super) inherited: bool,
    /// `per minute`, `a day`.
    pub(super) per: Option<Unit>,
    pub(super) ordinal: bool,
    /// `an hour`: said by an article, not by a number.
    pub(super) article: bool,
    /// What it numbers: `section` of `Section 4`, `tls` of `TLS 1.3`.
    pub(super) label: Option<String>,
    /// Versions and the numbers of sections are compared as they are written: 1.10 is not 1.1.
    pub(super) exact: bool,
}

impl Quantity {
    pub(super) fn bare(number: Number) -> Self {
        Self {
            number,
            other: None,
            unit: None,
            inherited: false,
            per: None,
            ordinal: false,
            article: false,
            label: None,
            exact: false,
        }
    }
}

/// A figure and the tokens it is made of.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct Figure {
    pub(super) value: Value,
    pub(super) from: usize,
    /// The first token after it.
    pub(super) to: usize,
}

/// All figures, from left to right.
pub(super) fn figures(tokens: &[Token<'_>]) -> Vec<Figure> {
    let mut found = Vec::new();
    let mut place = 0;
    while place < tokens.len() {
        match figure_at(tokens, place) {
            Some(figure) => {
                place = figure.to.max(place + 1);
                found.push(figure);
            }
            None => place += 1,
        }
    }
    inherit(tokens, &mut found);
    found
}

fn figure_at(tokens: &[Token<'_>], place: usize) -> Option<Figure> {
    let token = &tokens[place];
    let figure = |(value, to)| Figure { value, from: place, to };
    match token.kind {
        Kind::Break => None,
        Kind::Identifier => Some(figure(
            dates::quarter(tokens, place).unwrap_or_else(|| (Value::Identifier(canonical(token.text)), place + 1)),
        )),
        Kind::Number => dates::numeric(tokens, place)
            .or_else(|| dates::day_first(tokens, place))
            .or_else(|| dates::time(tokens, place))
            .or_else(|| quantities::in_digits(tokens, place))
            .map(figure),
        Kind::Word => dates::named(tokens, place)
            .or_else(|| dates::quarter(tokens, place))
            .or_else(|| quantities::money(tokens, place))
            .or_else(|| quantities::in_words(tokens, place))
            .or_else(|| quantities::by_article(tokens, place))
            .map(figure),
        Kind::Sign => quantities::money(tokens, place).or_else(|| quantities::fraction(tokens, place)).map(figure),
    }
}

/// In `5–10 km`, `5, 10 and 15 km` and `TLS 1.2 and 1.3` the unit or the label stands only once.
fn inherit(tokens: &[Token<'_>], figures: &mut [Figure]) {
    for place in (1..figures.len()).rev() {
        let [.., before, after] = &mut figures[..=place] else { return };
        let joined = joined(tokens, before.to, after.from);
        let (Value::Quantity(before), Value::Quantity(after)) = (&mut before.value, &after.value) else { continue };
        if joined && before.unit.is_none() && !before.ordinal {
            before.unit = after.unit;
            before.per = before.per.or(after.per);
            before.inherited = after.unit.is_some();
            before.other = before.other.or(after.number.shared_magnitude(before.number));
        }
    }
    for place in 1..figures.len() {
        let [.., before, after] = &mut figures[..=place] else { return };
        let joined = joined(tokens, before.to, after.from);
        let (Value::Quantity(before), Value::Quantity(after)) = (&before.value, &mut after.value) else { continue };
        if joined && after.label.is_none() && after.unit.is_none() {
            after.label.clone_from(&before.label);
        }
    }
}

/// Nothing but what joins the members of a list or the ends of a range.
fn joined(tokens: &[Token<'_>], from: usize, to: usize) -> bool {
    let joins = |token: &Token<'_>| {
        token.is_dash() || matches!(token.folded.as_ref(), "," | "to" | "and" | "or" | "through" | "&" | "/" | "bis")
    };
    from < to && to - from <= 2 && tokens[from..to].iter().all(joins)
}

/// What a figure looks like in its text, on one line.
pub(super) fn written(text: &str, tokens: &[Token<'_>], figure: &Figure) -> String {
    let (Some(first), Some(last)) = (tokens.get(figure.from), tokens.get(figure.to.saturating_sub(1))) else {
        return String::new();
    };
    let end = last.end().max(first.end());
    text[first.start..end].split_whitespace().collect::<Vec<_>>().join(" ")
}

/// The number of a list item, a step in brackets: it counts the writing, not the world.
pub(super) fn is_enumerator(tokens: &[Token<'_>], figure: &Figure) -> bool {
    let Some(token) = tokens.get(figure.from) else { return false };
    if token.kind != Kind::Number || token.text.len() > 3 {
        return false;
    }
    let before = &tokens[..figure.from];
    let after = tokens.get(figure.from + 1);
    let closes = |signs: &[&str]| after.is_some_and(|next| next.glued && signs.contains(&next.text));
    let ends = tokens.get(figure.from + 2).is_none_or(|next| !next.glued);
    let opening = before.iter().all(|token| token.kind == Kind::Break || matches!(token.text, "-" | "*" | "•" | "#"));
    let in_brackets = before.last().is_some_and(|token| token.is("(")) && closes(&[")"]);
    (opening && closes(&[".", ")"]) && ends)
        || (in_brackets && numbers::parse(token.text).is_some_and(|number| number.as_small(20).is_some()))
}
