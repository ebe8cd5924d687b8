//! Where dates and times of day stand in a text.

use super::calendar::{Date, Half, Time, month, weekday};
use super::numbers;
use super::reading::Value;
use super::tokens::{Kind, Token};
use crate::tables::MEASURED;

type ParsedValue = Option<(Value, usize)>;

/// `2026-11-14`, `14.11.2026`, `03/04/2026`, `2026-11`.
pub(super) fn numeric(tokens: &[Token<'_>], place: usize) -> ParsedValue {
    let text = tokens[place].text;
    let dotted: Vec<&str> = text.split('.').collect();
    if let [one, two, three] = dotted[..] {
        let (date, other) = Date::numeric([one, two, three], '.')?;
        return Some((Value::Date(date, other), place + 1));
    }
    let separator = tokens.get(place + 1).filter(|sign| sign.glued && (sign.is_dash() || sign.text == "/"))?;
    let two = tokens.get(place + 2).filter(|next| next.glued && next.kind == Kind::Number)?;
    let again = tokens.get(place + 3).filter(|sign| sign.glued && sign.text == separator.text);
    let three = tokens.get(place + 4).filter(|next| next.glued && next.kind == Kind::Number);
    if let (Some(_), Some(three)) = (again, three) {
        let sign = separator.text.chars().next()?;
        let (date, other) = Date::numeric([text, two.text, three.text], sign)?;
        return Some((Value::Date(date, other), place + 5));
    }
    let month: u8 = two.text.parse().ok().filter(|month| (1..=12).contains(month) && two.text.len() == 2)?;
    let year = year(&tokens[place]).filter(|_| separator.text == "-" && again.is_none())?;
    Some((Value::Date(Date::new(Some(year), Some(month), None), None), place + 3))
}

/// `14 November 2026`, `14th of Nov.`.
pub(super) fn day_first(tokens: &[Token<'_>], place: usize) -> ParsedValue {
    let day = day(&tokens[place])?;
    let mut at = place + 1;
    if tokens.get(at).is_some_and(|next| next.glued && matches!(next.folded.as_ref(), "st" | "nd" | "rd" | "th")) {
        at += 1;
    }
    if tokens.get(at).is_some_and(|next| next.is("of")) {
        at += 1;
    }
    // `30. Juni`.
    if tokens.get(at).is_some_and(|next| next.glued && next.text == ".") {
        at += 1;
    }
    let month = named_month(tokens, at)?;
    let (year, to) = year_after(tokens, at + 1);
    Some((Value::Date(Date::new(year, Some(month), Some(day)), None), to))
}

/// `November 14, 2026`, `November 2026`, `in November`; days of the week; noon and midnight.
pub(super) fn named(tokens: &[Token<'_>], place: usize) -> ParsedValue {
    let token = &tokens[place];
    if token.is("noon") || token.is("midnight") {
        let time = Time::new(12, 0, Some(if token.is("noon") { Half::Afternoon } else { Half::Morning }))?;
        return Some((Value::Time(time), place + 1));
    }
    if token.is_capitalised()
        && let Some(weekday) = weekday(&token.folded)
    {
        return Some((Value::Weekday(weekday), place + 1));
    }
    let month = named_month(tokens, place)?;
    let mut at = place + 1;
    if tokens.get(at).is_some_and(|next| next.text == "." && next.glued) && token.text.len() <= 4 {
        at += 1;
    }
    let day = tokens.get(at).filter(|next| !next.glued).and_then(day);
    let Some(day) = day else {
        let (year, to) = year_after(tokens, place + 1);
        // `May` alone is more often a verb at the start of a sentence than a month.
        let certain = year.is_some() || place > 0 || !matches!(token.folded.as_ref(), "may" | "march");
        return certain.then(|| (Value::Date(Date::new(year, Some(month), None), None), to));
    };
    let suffixed = tokens.get(at + 1).is_some_and(|next| next.glued && next.is_word());
    let (year, to) = year_after(tokens, at + 1 + usize::from(suffixed));
    Some((Value::Date(Date::new(year, Some(month), Some(day)), None), to))
}

/// `Q3 2026`, `the third quarter of 2026`.
pub(super) fn quarter(tokens: &[Token<'_>], place: usize) -> ParsedValue {
    let token = &tokens[place];
    let short = token.folded.strip_prefix('q').and_then(|number| number.parse::<u8>().ok());
    let spelled = || {
        let next = tokens.get(place + 1).filter(|next| next.is("quarter"))?;
        let ordinal = numbers::is_ordinal(&token.folded).then(|| numbers::word(&token.folded))??;
        next.is_word().then(|| u8::try_from(ordinal).ok())?
    };
    let (quarter, after) = match short {
        Some(number) => (number, place + 1),
        None => (spelled()?, place + 2),
    };
    let of = usize::from(tokens.get(after).is_some_and(|next| next.is("of")));
    let (year, to) = year_after(tokens, after + of);
    let to = if year.is_some() { to } else { after };
    let date = Date { quarter: Some(quarter), ..Date::new(year, None, None) };
    (1..=4).contains(&quarter).then_some((Value::Date(date, None), to))
}

/// `8:00`, `08:00:30`, `8 am`, `8.30 p.m.`.
pub(super) fn time(tokens: &[Token<'_>], place: usize) -> ParsedValue {
    let text = tokens[place].text;
    let two_digits = |token: &&Token<'_>| token.glued && token.kind == Kind::Number && token.text.len() == 2;
    let colon = tokens.get(place + 1).filter(|sign| sign.glued && sign.text == ":");
    let minutes = colon.and_then(|_| tokens.get(place + 2)).filter(two_digits);
    if let Some(minutes) = minutes {
        let seconds = tokens.get(place + 3).filter(|sign| sign.glued && sign.text == ":");
        let seconds = seconds.and_then(|_| tokens.get(place + 4)).filter(two_digits);
        let end = if seconds.is_some() { place + 5 } else { place + 3 };
        let (half, to) = half(tokens, end).map_or((None, end), |(half, to)| (Some(half), to));
        let time = Time::new(text.parse().ok()?, minutes.text.parse().ok()?, half)?;
        return Some((Value::Time(time), to));
    }
    let is_clock =
        |token: &Token<'_>| MEASURED.iter().any(|language| language.measures.clock.contains(&token.folded.as_ref()));
    if tokens.get(place + 1).is_some_and(is_clock) {
        let (hour, minute) = text.split_once('.').unwrap_or((text, "0"));
        return Some((Value::Time(Time::new(hour.parse().ok()?, minute.parse().ok()?, None)?), place + 2));
    }
    let (half, to) = half(tokens, place + 1)?;
    let (hour, minute) = text.split_once('.').unwrap_or((text, "0"));
    Some((Value::Time(Time::new(hour.parse().ok()?, minute.parse().ok()?, Some(half))?), to))
}

/// `am`, `p.m.`, `in the morning` is not read.
fn half(tokens: &[Token<'_>], place: usize) -> Option<(Half, usize)> {
    let token = tokens.get(place)?;
    match token.folded.as_ref() {
        "am" => return Some((Half::Morning, place + 1)),
        "pm" => return Some((Half::Afternoon, place + 1)),
        _ => {}
    }
    let stop = tokens.get(place + 1).filter(|next| next.glued && next.text == ".");
    stop.and_then(|_| tokens.get(place + 2)).filter(|next| next.glued && next.is("m"))?;
    let to = place + 3 + usize::from(tokens.get(place + 3).is_some_and(|next| next.glued && next.text == "."));
    match token.folded.as_ref() {
        "a" => Some((Half::Morning, to)),
        "p" => Some((Half::Afternoon, to)),
        _ => None,
    }
}

/// Short names and those that are also words count only with a capital.
fn named_month(tokens: &[Token<'_>], place: usize) -> Option<u8> {
    let token = tokens.get(place).filter(|token| token.is_word())?;
    if !token.folded.starts_with(['j', 'f', 'm', 'a', 's', 'o', 'n', 'd']) {
        return None;
    }
    let ambiguous = token.text.len() <= 3 || matches!(token.folded.as_ref(), "march" | "august");
    month(&token.folded).filter(|_| !ambiguous || token.is_capitalised())
}

fn day(token: &Token<'_>) -> Option<u8> {
    let short = token.kind == Kind::Number && token.text.len() <= 2;
    short.then(|| token.text.parse().ok())?.filter(|day| (1..=31).contains(day))
}

fn year(token: &Token<'_>) -> Option<u16> {
    let whole = token.kind == Kind::Number && token.text.len() == 4;
    whole.then(|| token.text.parse().ok())?.filter(|year| (1000..=2999).contains(year))
}

/// A year, also after a comma or the full stop of a shortened month; and the first token after it.
fn year_after(tokens: &[Token<'_>], place: usize) -> (Option<u16>, usize) {
    let shortened = place.checked_sub(1).and_then(|before| tokens.get(before)).is_some_and(|name| name.text.len() <= 4);
    let sign =
        tokens.get(place).is_some_and(|sign| sign.glued && (sign.text == "," || (sign.text == "." && shortened)));
    let at = place + usize::from(sign);
    match tokens.get(at).filter(|next| !next.glued).and_then(year) {
        Some(year) => (Some(year), at + 1),
        None => (None, place),
    }
}
