//! Numbers together with what they count: units, currencies, rates, and what they number.

use super::numbers::{self, Number};
use super::reading::{Quantity, Value};
use super::tokens::{Kind, Token};
use super::units::{self, Unit};
use crate::tables::{Language, MEASURED};

type ParsedValue = Option<(Value, usize)>;

/// A number in digits: `1,000`, `1 000`, `5k`, `1.5 million`, `-3 °C`, `30-day`, `200 requests per minute`.
pub(super) fn in_digits(tokens: &[Token<'_>], place: usize) -> ParsedValue {
    let token = &tokens[place];
    let (mut number, mut to) = grouped(tokens, place)
        .or_else(|| numbers::parse(token.text).map(|number| (number, place + 1)))
        .or_else(|| Some((numbers::parse(token.text.split([',', '.']).next()?)?, place + 1)))?;
    if is_negative(tokens, place) {
        number = number.negated();
    }
    let mut quantity = Quantity::bare(number);
    quantity.other = numbers::in_thousands(token.text);
    (quantity.label, quantity.exact) = label(tokens, place);
    if let Some(next) = tokens.get(to).filter(|next| next.glued && next.is_word()) {
        match next.folded.as_ref() {
            "st" | "nd" | "rd" | "th" => {
                quantity.ordinal = true;
                return Some((Value::Quantity(quantity), to + 1));
            }
            "s" if token.text.len() == 4 => return Some((Value::Quantity(quantity), to + 1)),
            "x" => return Some((Value::Quantity(quantity), to + 1)),
            "k" => {
                quantity.number = number.times(1_000)?;
                to += 1;
            }
            "m" => quantity.other = number.times(1_000_000),
            _ => {}
        }
    }
    finish(tokens, quantity, to)
}

/// A number in words; `one` only where it counts.
pub(super) fn in_words(tokens: &[Token<'_>], place: usize) -> ParsedValue {
    let first = tokens[place].folded.as_ref();
    if first == "half" && !tokens.get(place + 1).is_some_and(Token::is_dash) {
        let half = numbers::parse("0.5")?;
        return finish(tokens, Quantity::bare(half), place + 1);
    }
    if numbers::word(first).is_none() && (numbers::magnitude(first).is_none() || is_vague(first)) {
        return None;
    }
    if is_no_count(tokens, place) {
        return None;
    }
    // Hyphens inside a number in words say nothing: each word is taken with its place.
    let words: Vec<(usize, &str)> = (place..tokens.len())
        .take_while(|at| tokens[*at].is_word() || (tokens[*at].is_dash() && tokens[*at].glued))
        .filter(|at| tokens[*at].is_word())
        .take(12)
        .map(|at| (at, tokens[at].folded.as_ref()))
        .collect();
    let (read, number) = numbers::in_words(words.iter().map(|(_, word)| *word))?;
    let (last, last_word) = *words.get(read.checked_sub(1)?)?;
    let mut quantity = Quantity::bare(number);
    (quantity.label, quantity.exact) = label(tokens, place);
    if numbers::is_ordinal(last_word) {
        quantity.ordinal = true;
        return Some((Value::Quantity(quantity), last + 1));
    }
    finish(tokens, quantity, last + 1)
}

/// `an hour`, `a week`: one of it, said without a number.
pub(super) fn by_article(tokens: &[Token<'_>], place: usize) -> ParsedValue {
    if !matches!(tokens[place].folded.as_ref(), "a" | "an" | "single") {
        return None;
    }
    let (unit, to) = unit_at(tokens, place + 1)?;
    let certain = unit.is_time() && unit.0 != "second" && unit.0 != "quarter" && tokens[to - 1].text.len() > 2;
    let quantity = Quantity { unit: Some(unit), article: true, ..Quantity::bare(Number::ONE) };
    certain.then_some((Value::Quantity(quantity), to))
}

/// A currency before its amount: `$5`, `EUR 500`, `US$ 3 million`.
pub(super) fn money(tokens: &[Token<'_>], place: usize) -> ParsedValue {
    let sign = &tokens[place];
    let dollars = sign.is("us") && tokens.get(place + 1).is_some_and(|next| next.glued && next.text == "$");
    let at = if dollars { place + 2 } else { place + 1 };
    let unit = if dollars { units::currency("$") } else { units::currency(sign.text) }?;
    let amount = tokens.get(at).filter(|amount| amount.kind == Kind::Number)?;
    let (mut number, mut to) =
        grouped(tokens, at).or_else(|| numbers::parse(amount.text).map(|number| (number, at + 1)))?;
    if let Some(next) = tokens.get(to).filter(|next| next.is_word()) {
        let factor = match next.folded.as_ref() {
            "k" if next.glued => Some(1_000),
            "m" => Some(1_000_000),
            folded => numbers::magnitude(folded),
        };
        if let Some(factor) = factor {
            number = number.times(factor)?;
            to += 1;
        }
    }
    let quantity = Quantity { unit: Some(unit), ..Quantity::bare(number) };
    let (per, to) = rate(tokens, to).map_or((None, to), |(per, to)| (Some(per), to));
    Some((Value::Quantity(Quantity { per, ..quantity }), to))
}

/// `½` and its like.
pub(super) fn fraction(tokens: &[Token<'_>], place: usize) -> ParsedValue {
    let number = numbers::parse(match tokens[place].text {
        "½" => "0.5",
        "¼" => "0.25",
        "¾" => "0.75",
        _ => return None,
    })?;
    finish(tokens, Quantity::bare(number), place + 1)
}

/// Magnitude, unit and rate after a number.
fn finish(tokens: &[Token<'_>], mut quantity: Quantity, mut to: usize) -> ParsedValue {
    while let Some(factor) = tokens.get(to).and_then(|next| numbers::magnitude(&next.folded)) {
        quantity.number = quantity.number.times(factor)?;
        quantity.other = None;
        to += 1;
    }
    let after_dash = tokens.get(to).filter(|next| next.is_dash() && next.glued).map(|_| to + 1);
    let unit = unit_at(tokens, to).or_else(|| unit_at(tokens, after_dash?).filter(|(_, end)| tokens[end - 1].glued));
    if let Some((unit, end)) = unit {
        quantity.unit = Some(unit);
        quantity.label = None;
        to = end;
    }
    if let Some((per, end)) = rate(tokens, to) {
        quantity.per = Some(per);
        to = end;
    }
    Some((Value::Quantity(quantity), to))
}

/// A unit that begins with this token, and the first token after it.
pub(super) fn unit_at(tokens: &[Token<'_>], place: usize) -> Option<(Unit, usize)> {
    let token = tokens.get(place)?;
    let word = |at: usize| tokens.get(at).filter(|next| next.is_word()).map(|next| next.folded.as_ref());
    // `working-day` reads as `working day`.
    let plain: Vec<(usize, &str)> = (place..place + 5).filter_map(|at| Some((at, word(at)?))).take(3).collect();
    let words: Vec<&str> = plain.iter().map(|(_, word)| *word).collect();
    if let Some((count, unit)) = units::several(&words).filter(|_| token.is_word()) {
        return Some((unit, plain.get(count - 1)?.0 + 1));
    }
    let next = tokens.get(place + 1).filter(|next| next.glued);
    if let Some(next) = next {
        let together = |more: &str| units::single(&format!("{}{}{more}", token.text, next.text));
        // `°C`, and `km/h`, which is one unit.
        let after = tokens.get(place + 2).filter(|after| after.glued && next.text == "/");
        if let Some(unit) = after.and_then(|after| together(after.text)) {
            return Some((unit, place + 3));
        }
        if let Some(unit) = together("").filter(|_| token.text == "°" || next.kind == Kind::Number) {
            return Some((unit, place + 2));
        }
    }
    let usable = token.is_word() || matches!(token.text, "%" | "‰" | "°" | "€" | "$" | "£" | "¥" | "″" | "℃" | "℉");
    let unit = usable.then(|| units::single(token.text))??;
    // A single letter is a unit only when nothing is joined to it (`5 A-grade`, `3 m-long`).
    let alone = token.text.len() > 1 || next.is_none_or(|next| !next.is_word() && !next.is_dash()) || !token.is_word();
    alone.then_some((unit, place + 1))
}

/// `per minute`, `/s`, `a day`, `each month`, also after a word or two: `200 requests per minute`.
fn rate(tokens: &[Token<'_>], place: usize) -> Option<(Unit, usize)> {
    for at in place..place + 3 {
        let token = tokens.get(at)?;
        let is_per = MEASURED.iter().any(|language| language.measures.per.contains(&token.folded.as_ref()));
        if is_per || token.is("/") {
            let calendar = tokens.get(at + 1).is_some_and(|next| next.is("calendar") || next.is("working"));
            let (unit, to) = unit_at(tokens, at + 1).or_else(|| unit_at(tokens, at + 2).filter(|_| calendar))?;
            let time = unit.is_time() || matches!(token.folded.as_ref(), "per" | "pro" | "/");
            return time.then_some((unit, to));
        }
        if let Some(unit) = units::adverb(&token.folded) {
            return Some((unit, at + 1));
        }
        if !token.is_word() || is_connector(&token.folded) {
            return None;
        }
    }
    None
}

fn is_connector(folded: &str) -> bool {
    matches!(
        folded,
        "and" | "or" | "of" | "to" | "the" | "for" | "in" | "at" | "by" | "from" | "on" | "is" | "are" | "was" | "were"
    )
}

/// Digits in groups of three with ordinary spaces between them.
fn grouped(tokens: &[Token<'_>], place: usize) -> Option<(Number, usize)> {
    let short = |token: &Token<'_>| token.kind == Kind::Number && token.text.bytes().all(|byte| byte.is_ascii_digit());
    let first = tokens.get(place).filter(|first| short(first) && first.text.len() <= 3)?;
    let mut to = place + 1;
    let mut text = first.text.to_owned();
    while let Some(next) = tokens.get(to).filter(|next| {
        next.kind == Kind::Number && !next.glued && next.text.split(['.', ',']).next().is_some_and(|g| g.len() == 3)
    }) {
        text.push_str(next.text);
        to += 1;
        if !short(next) {
            break;
        }
    }
    (to > place + 1).then(|| numbers::parse(&text).map(|number| (number, to)))?
}

fn is_negative(tokens: &[Token<'_>], place: usize) -> bool {
    let Some(before) = place.checked_sub(1).map(|at| &tokens[at]) else { return false };
    before.is("minus") || (before.is_dash() && tokens[place].glued && !before.glued)
}

/// What the number is the number of, and whether it must be written the same.
fn label(tokens: &[Token<'_>], place: usize) -> (Option<String>, bool) {
    let Some(before) = place.checked_sub(1).map(|at| &tokens[at]).filter(|before| before.is_word()) else {
        return (None, false);
    };
    let name = before.folded.strip_suffix('s').unwrap_or(&before.folded);
    let dotted = tokens[place].text.contains('.');
    if Language::English.tables().numbered.contains(&name) {
        return (Some(name.to_owned()), dotted);
    }
    if before.is_acronym() && units::currency(before.text).is_none() {
        return (Some(name.to_owned()), dotted);
    }
    (None, dotted && before.is_capitalised() && place > 1)
}

/// `hundreds of`, `dozens`: no number that could be looked up.
fn is_vague(folded: &str) -> bool {
    folded.ends_with('s')
}

/// `one of them`, `no one`, `the second` of time: words that look like numbers and count nothing.
fn is_no_count(tokens: &[Token<'_>], place: usize) -> bool {
    let before = place.checked_sub(1).map_or("", |at| tokens[at].folded.as_ref());
    let after = tokens.get(place + 1).map_or("", |next| next.folded.as_ref());
    match tokens[place].folded.as_ref() {
        "one" => {
            matches!(before, "no" | "any" | "every" | "the" | "this" | "that" | "another" | "each" | "which" | "some")
                || tokens.get(place + 1).is_none_or(|next| !next.is_word() && !next.is_dash())
                || matches!(after, "of" | "another" | "is" | "can" | "must" | "may" | "should" | "who" | "that" | "or")
        }
        "second" => matches!(before, "per" | "a" | "each" | "every" | "/"),
        "third" => after == "party" || after == "parties" || after == "-",
        _ => false,
    }
}
