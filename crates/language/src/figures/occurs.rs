//! Whether each figure of a sentence occurs in its passages.

use super::calendar::{Date, weekday_name};
use super::numbers::{self, Number};
use super::reading::{Figure, Quantity, Value, is_enumerator, written};
use super::sources::Sources;
use super::tokens::{Token, fold};
use super::units::Unit;
use super::{Finding, FindingKind};

/// One finding for each figure that the passages do not have.
pub(super) fn check(text: &str, tokens: &[Token<'_>], figures: &[Figure], sources: &Sources<'_>) -> Vec<Finding> {
    let mut findings = Vec::new();
    for figure in figures.iter().filter(|figure| !is_enumerator(tokens, figure)) {
        let claimed = written(text, tokens, figure);
        let missing = match &figure.value {
            Value::Quantity(quantity) => missing_quantity(quantity, &claimed, sources),
            Value::Date(date, other) => missing_date(*date, *other, &claimed, sources),
            Value::Weekday(day) => missing_weekday(*day, &claimed, sources),
            Value::Time(time) => {
                let same = |value: &Value| matches!(value, Value::Time(other) if time.same(*other));
                let found = sources.values().any(|(_, figure)| same(&figure.value));
                (!found).then(|| absent(FindingKind::Date, &claimed))
            }
            Value::Identifier(identifier) => missing_identifier(identifier, &claimed, sources),
        };
        findings.extend(missing);
    }
    findings
}

fn absent(kind: FindingKind, claimed: &str) -> Finding {
    Finding::new(kind, claimed, format!("{claimed} stands in none of the cited passages"))
}

fn missing_quantity(quantity: &Quantity, claimed: &str, sources: &Sources<'_>) -> Option<Finding> {
    let unit = quantity.unit.map(|unit| unit.0);
    if quantity.article {
        let known = quantity.unit.is_none_or(|unit| sources.units.contains(&unit));
        return (!known).then(|| absent(FindingKind::Unit, claimed));
    }
    let mut places: Vec<(usize, usize)> = sources.places(quantity.number).to_vec();
    places.extend(quantity.other.map(|other| sources.places(other)).unwrap_or_default());
    if quantity.exact {
        let number = claimed.split_whitespace().next().unwrap_or(claimed);
        return (!sources.has_text(&fold(number))).then(|| absent(FindingKind::Identifier, claimed));
    }
    if places.is_empty() {
        let found = unit.is_none_or(|unit| unit == "percent") && is_said_otherwise(quantity, sources);
        return (!found).then(|| absent(FindingKind::Number, claimed));
    }
    if let Some(finding) = quantity.unit.and_then(|unit| wrong_unit(unit, quantity, claimed, &places, sources)) {
        return Some(finding);
    }
    if let Some(per) = quantity.per.filter(|per| !has_rate(*per, quantity, &places, sources)) {
        let explanation = format!("{claimed}: the cited passages do not say {} per {}", first_word(claimed), per.0);
        return Some(Finding::new(FindingKind::Unit, claimed, explanation));
    }
    let label = quantity.label.as_ref().filter(|_| unit.is_none())?;
    let numbered = sources.labels.get(label)?;
    (!numbered.contains(&quantity.number)).then(|| {
        let explanation = format!("the cited passages have {label} with other numbers, not {label} {claimed}");
        Finding::new(FindingKind::Identifier, claimed, explanation)
    })
}

fn wrong_unit(
    unit: Unit,
    quantity: &Quantity,
    claimed: &str,
    places: &[(usize, usize)],
    sources: &Sources<'_>,
) -> Option<Finding> {
    let with = |at: &&(usize, usize)| sources.quantity(**at).and_then(|found| found.unit);
    let same = |at: &(usize, usize)| with(&at).is_some_and(|found| is_same(unit, found));
    let bare = |at: &&(usize, usize)| with(at).is_none();
    let named_near = |at: &(usize, usize)| sources.is_named_near(*at, unit);
    if places.iter().any(same) || places.iter().filter(bare).any(named_near) {
        return None;
    }
    // What is only counted may go unnamed, and a unit taken over from the next number may not be meant.
    if (unit.is_counted() || quantity.inherited) && places.iter().any(|at| bare(&at)) {
        return None;
    }
    let explanation = match places.iter().find(|at| with(at).is_some()) {
        Some(other) => format!("the passage says {}, the sentence {claimed}", sources.written(*other)),
        None => format!("{claimed} stands in none of the cited passages: the number is there without {}", unit.0),
    };
    Some(Finding::new(FindingKind::Unit, claimed, explanation))
}

/// A sentence may leave out that days are calendar days, since days are; it may not leave out that they are working days.
fn is_same(claimed: Unit, found: Unit) -> bool {
    claimed == found
        || (claimed.0 == "day" && found.0 == "calendar day")
        // The word is the same for the weight and for the money.
        || matches!((claimed.0, found.0), ("pound sterling", "pound") | ("pound", "pound sterling"))
}

/// The number is counted by that unit where it stands, or stands alone and the unit is spoken of.
fn has_rate(per: Unit, quantity: &Quantity, places: &[(usize, usize)], sources: &Sources<'_>) -> bool {
    let rates = places
        .iter()
        .filter_map(|at| sources.quantity(*at))
        .filter(|found| quantity.unit.is_none() || found.unit.is_none() || found.unit == quantity.unit);
    let mut alone = false;
    for found in rates {
        match found.per {
            Some(found) if found == per => return true,
            Some(_) => {}
            None => alone = true,
        }
    }
    alone && sources.rates.contains(&per)
}

/// A small number may be said in a word that is none: both, twice, half, single, none.
fn is_said_otherwise(quantity: &Quantity, sources: &Sources<'_>) -> bool {
    let is = |text: &str| numbers::parse(text) == Some(quantity.number);
    let percent = quantity.unit.is_some();
    let half = ["half", "halve", "halved", "halves", "halving"];
    if percent {
        return is("50") && sources.has_word(&half);
    }
    if is("0.5") {
        let fifty = sources.places(Number::whole(50)).iter().filter_map(|at| sources.quantity(*at));
        return sources.has_word(&half) || fifty.into_iter().any(|found| found.unit == Some(Unit("percent")));
    }
    if let Some(whole) = quantity.number.as_small(2999) {
        let year = |date: &Date| date.year.is_some_and(|year| u64::from(year) == whole);
        let day = |date: &Date| quantity.ordinal && date.day.is_some_and(|day| u64::from(day) == whole);
        let quarter = |date: &Date| date.quarter.is_some_and(|quarter| u64::from(quarter) == whole);
        let dated = sources.values().any(
            |(_, figure)| matches!(&figure.value, Value::Date(date, _) if year(date) || day(date) || quarter(date)),
        );
        if dated {
            return true;
        }
    }
    match quantity.number.as_small(3) {
        Some(0) => sources.has_word(&["no", "none", "nothing", "never", "not", "without", "nil"]),
        Some(1) => sources.has_word(&[
            "a",
            "an",
            "single",
            "sole",
            "only",
            "once",
            "each",
            "every",
            "initial",
            "initially",
            "original",
            "earliest",
            "before",
            "begin",
            "begins",
            "start",
            "starts",
            "the",
            "per",
        ]),
        Some(2) => sources.has_word(&[
            "both", "twice", "double", "doubled", "doubles", "pair", "pairs", "couple", "dual", "either", "neither",
            "second",
        ]),
        Some(3) => sources.has_word(&["thrice", "triple", "tripled", "triples"]),
        _ => false,
    }
}

fn missing_date(date: Date, other: Option<Date>, claimed: &str, sources: &Sources<'_>) -> Option<Finding> {
    let mut nearest = None;
    for (source, figure) in sources.values() {
        let Value::Date(found, found_other) = &figure.value else { continue };
        for claimed in [Some(date), other].into_iter().flatten() {
            for found in [Some(*found), *found_other].into_iter().flatten() {
                // The year may stand elsewhere in the passage.
                let year_elsewhere = found.year.is_none() && claimed.year.is_some_and(|year| has_year(year, sources));
                let wanted = if year_elsewhere { Date { year: None, ..claimed } } else { claimed };
                if wanted.is_said_by(found) {
                    return None;
                }
            }
        }
        nearest.get_or_insert_with(|| written(source.text, &source.tokens, figure));
    }
    let explanation = match nearest {
        Some(nearest) => format!("{claimed} stands in none of the cited passages; they say {nearest}"),
        None => format!("{claimed} stands in none of the cited passages"),
    };
    Some(Finding::new(FindingKind::Date, claimed, explanation))
}

fn has_year(year: u16, sources: &Sources<'_>) -> bool {
    let in_date = |value: &Value| matches!(value, Value::Date(date, _) if date.year == Some(year));
    !sources.places(Number::whole(u64::from(year))).is_empty()
        || sources.values().any(|(_, figure)| in_date(&figure.value))
}

fn missing_weekday(day: u8, claimed: &str, sources: &Sources<'_>) -> Option<Finding> {
    let named = sources.values().any(|(_, figure)| figure.value == Value::Weekday(day));
    let in_words = sources.has_word(&[weekday_name(day).as_str()]);
    (!named && !in_words).then(|| absent(FindingKind::Date, claimed))
}

fn missing_identifier(identifier: &str, claimed: &str, sources: &Sources<'_>) -> Option<Finding> {
    let found = sources.identifiers.contains(identifier)
        || sources.words.contains(identifier)
        || sources.has_text(identifier)
        || sources.has_text(&fold(claimed));
    (!found).then(|| absent(FindingKind::Identifier, claimed))
}

fn first_word(claimed: &str) -> &str {
    claimed.split_whitespace().next().unwrap_or(claimed)
}
