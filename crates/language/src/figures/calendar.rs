//! Dates and times of day, however they are written.

use crate::tables::{Language, MEASURED};

/// A date as far as it is given.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(super) struct Date {
    pub(super) year: Option<u16>,
    pub(super) month: Option<u8>,
    pub(super) day: Option<u8>,
    pub(super) quarter: Option<u8>,
}

impl Date {
    pub(super) fn new(year: Option<u16>, month: Option<u8>, day: Option<u8>) -> Self {
        Self { year, month, day, quarter: None }
    }

    /// Whether all this date says is said by the other, which may say more.
    pub(super) fn is_said_by(self, other: Self) -> bool {
        fn within<T: PartialEq + Copy>(this: Option<T>, other: Option<T>) -> bool {
            this.is_none() || this == other
        }
        let quarter = other.quarter.or(other.month.map(|month| (month - 1) / 3 + 1));
        within(self.year, other.year)
            && within(self.month, other.month)
            && within(self.day, other.day)
            && within(self.quarter, quarter)
    }

    /// Three numbers with one separator: year first, or day and month in either order. Two readings when both can be.
    pub(super) fn numeric(parts: [&str; 3], separator: char) -> Option<(Self, Option<Self>)> {
        let [one, two, three] = parts;
        let number = |part: &str| part.parse::<u16>().ok();
        let small = |part: &str| if part.len() <= 2 { part.parse::<u8>().ok() } else { None };
        if one.len() == 4 {
            return Self::valid(number(one)?, small(two)?, small(three)?).map(|date| (date, None));
        }
        let year = match three.len() {
            4 => number(three)?,
            2 => 2000 + number(three)?,
            _ => return None,
        };
        let day_first = Self::valid(year, small(two)?, small(one)?);
        // With full stops the day always stands first.
        let month_first = if separator == '.' { None } else { Self::valid(year, small(one)?, small(two)?) };
        match (day_first, month_first) {
            (Some(one), other) => Some((one, other)),
            (None, Some(other)) => Some((other, None)),
            (None, None) => None,
        }
    }

    fn valid(year: u16, month: u8, day: u8) -> Option<Self> {
        ((1..=12).contains(&month) && (1..=31).contains(&day)).then(|| Self::new(Some(year), Some(month), Some(day)))
    }
}

/// A time of day.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Time {
    pub(super) hour: u8,
    pub(super) minute: u8,
    /// It is certain which half of the day is meant.
    pub(super) certain: bool,
}

impl Time {
    /// `8`, `30` and `pm`.
    pub(super) fn new(hour: u8, minute: u8, half: Option<Half>) -> Option<Self> {
        let hour = match half {
            Some(_) if hour > 12 || hour == 0 => return None,
            Some(Half::Morning) => hour % 12,
            Some(Half::Afternoon) => hour % 12 + 12,
            None => hour,
        };
        let valid = (hour < 24 && minute < 60) || (hour == 24 && minute == 0);
        valid.then_some(Self { hour: hour % 24, minute, certain: half.is_some() || hour > 12 || hour == 0 })
    }

    pub(super) fn same(self, other: Self) -> bool {
        let uncertain = !self.certain || !other.certain;
        self.minute == other.minute && (self.hour == other.hour || (uncertain && self.hour % 12 == other.hour % 12))
    }
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Half {
    Morning,
    Afternoon,
}

/// A month by its name or the first letters of it.
pub(super) fn month(folded: &str) -> Option<u8> {
    let mut named = MEASURED.iter().flat_map(|language| language.measures.months);
    if let Some((_, place)) = named.find(|(name, _)| *name == folded) {
        return Some(*place);
    }
    // Short names are known of English alone: those of German are words too.
    let place = Language::English.tables().months.iter().position(|month| is_name_or_first_three(month, folded));
    u8::try_from(place? + 1).ok()
}

/// A day of the week by its name, also of several (`Mondays`); or by its first letters.
pub(super) fn weekday(folded: &str) -> Option<u8> {
    let name = folded.strip_suffix('s').filter(|name| name.ends_with("day") || name.ends_with("tag")).unwrap_or(folded);
    for language in *MEASURED {
        if let Some(place) = language.measures.weekdays.iter().position(|day| *day == name) {
            return u8::try_from(place).ok();
        }
    }
    let english = Language::English.tables();
    let is_short = english.short_weekdays.contains(&name);
    let matches = |day: &&str| is_name_or_first_three(day, name) || (is_short && begins_with(day, name));
    u8::try_from(english.weekdays.iter().position(matches)?).ok()
}

pub(super) fn weekday_name(day: u8) -> String {
    Language::English.tables().weekdays.get(usize::from(day)).map_or_else(String::new, |name| name.to_lowercase())
}

fn is_name_or_first_three(name: &str, folded: &str) -> bool {
    (folded.len() == name.len() || folded.len() == 3) && begins_with(name, folded)
}

/// A name as it is written begins with letters that are given in lower case.
fn begins_with(name: &str, folded: &str) -> bool {
    name.get(..folded.len()).is_some_and(|start| start.eq_ignore_ascii_case(folded))
}
