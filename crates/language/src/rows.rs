//! Rows of a text's tables, and which of them a question names: by the label in its first cell, or by a figure that lies
//! in the row's range.

use std::collections::BTreeSet;
use std::ops::Range;

use crate::layout::{Begun, Place, Sort, cells, lines};
use crate::quotations::{column_name, under_head};
use crate::stems::same_word;
use crate::tables::{List, Tables, WITH_SPACES};
use crate::terms::significant_terms;

/// A row under its table's head.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Row<'a> {
    /// Its place in the text.
    pub bytes: Range<usize>,
    text: &'a str,
    head: &'a str,
}

/// The rows of a text's tables, without their heads. `head` is that of the table which the text begins in the middle of.
pub fn rows_of<'a>(text: &'a str, head: Option<&'a str>) -> Vec<Row<'a>> {
    let begun = Begun { list: false, table: head.is_some() };
    let row = |line: crate::layout::Line| {
        let head = match line.head? {
            Place::Here(bytes) => text.get(bytes)?,
            Place::Above => head?,
        };
        Some(Row { text: text.get(line.bytes.clone())?, bytes: line.bytes, head })
    };
    lines(text, begun).filter(|line| line.sort == Sort::Row).filter_map(row).collect()
}

impl<'a> Row<'a> {
    /// The first row of its table.
    pub fn head(&self) -> &'a str {
        self.head
    }

    /// As it is quoted: `Nordic countries — Hotel limit: EUR 175`.
    pub fn under_head(&self) -> String {
        under_head(self.head, self.text)
    }
}

/// The column of a table with this head in which a figure stands that a sentence names and does not say: the sentence,
/// or what stands above it, has all words of the column's name, and no figure in its unit. By its place among the cells;
/// none where there is no such column, or several.
pub fn column_named_by(head: &str, sentence: &str, above: &str) -> Option<usize> {
    let words: BTreeSet<String> = significant_terms(sentence).into_iter().chain(significant_terms(above)).collect();
    let is_named = |(_, column): &(usize, &str)| {
        let (name, measured_in) = column_name(column);
        let name = significant_terms(name);
        let says_figure = match measured_in.and_then(|written| unit(&written.to_lowercase())) {
            Some(measured_in) => words_of(sentence).iter().any(|word| unit(word).as_ref() == Some(&measured_in)),
            None => sentence.contains(|sign: char| sign.is_ascii_digit()),
        };
        !name.is_empty() && !says_figure && name.iter().all(|word| words.iter().any(|other| same_word(other, word)))
    };
    let mut named = cells(head).enumerate().skip(1).filter(is_named);
    match (named.next(), named.next()) {
        (Some((column, _)), None) => Some(column),
        _ => None,
    }
}

/// What a question says that a row may be named by.
#[derive(Clone, Debug)]
pub struct AskedRow {
    terms: BTreeSet<String>,
    amounts: Vec<Amount>,
}

/// How a question names a row; the greater, the more surely.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Default)]
pub struct Naming {
    /// The row is of a range that a figure of the question lies in.
    pub holds_figure: bool,
    /// The words of its label, where the question has all of them.
    pub label: usize,
    /// The question's words that the row has.
    pub shared: usize,
}

impl Naming {
    /// The question means this row, and does not only share a word with it.
    pub fn is_sure(self) -> bool {
        self.holds_figure || self.label > 0
    }
}

impl AskedRow {
    pub fn of(question: &str) -> Self {
        Self { terms: significant_terms(question), amounts: amounts(question) }
    }

    /// By a row as it is written.
    pub fn naming(&self, row: &str) -> Naming {
        let has = |word: &String, words: &BTreeSet<String>| words.iter().any(|other| same_word(other, word));
        let label = cells(row).next().unwrap_or_default();
        let label_words = significant_terms(label);
        let is_named = label_words.iter().all(|word| has(word, &self.terms));
        let words = significant_terms(row);
        let bounds = bounds(label);
        Naming {
            holds_figure: bounds.is_some_and(|bounds| self.amounts.iter().any(|amount| bounds.hold(amount))),
            label: if is_named { label_words.len() } else { 0 },
            shared: self.terms.iter().filter(|term| has(term, &words)).count(),
        }
    }
}

/// A number, and the unit beside it.
#[derive(Clone, PartialEq, Debug)]
struct Amount {
    number: f64,
    unit: Option<String>,
    /// Its words in the text, by their place.
    place: usize,
}

/// From one number to another, both included.
#[derive(Clone, PartialEq, Debug)]
struct Bounds {
    from: f64,
    to: f64,
    unit: Option<String>,
}

impl Bounds {
    fn hold(&self, amount: &Amount) -> bool {
        let in_unit = match (&self.unit, &amount.unit) {
            (Some(own), Some(other)) => own == other || same_word(own, other),
            _ => true,
        };
        in_unit && (self.from..=self.to).contains(&amount.number)
    }
}

fn words_of(text: &str) -> Vec<String> {
    let mut spaced = String::new();
    for sign in text.chars() {
        // Signs of currency and dashes stand for themselves.
        if matches!(sign, '€' | '$' | '£' | '%' | '–' | '—' | '+') {
            spaced.extend([' ', sign, ' ']);
        } else {
            spaced.push(sign);
        }
    }
    let words = spaced.split_whitespace().map(|word| {
        let kept = |sign: char| sign.is_alphanumeric() || "€$£%–—+-".contains(sign);
        word.trim_matches(|sign: char| !kept(sign)).to_lowercase()
    });
    words.filter(|word| !word.is_empty()).collect()
}

/// `60,000`, `60.000` and `1.5`.
fn number(word: &str) -> Option<f64> {
    if !word.starts_with(|sign: char| sign.is_ascii_digit()) {
        return None;
    }
    let groups: Vec<&str> = word.split([',', '.', '\'']).collect();
    let are_thousands = groups.len() > 1 && groups[1..].iter().all(|group| group.len() == 3);
    let plain = if are_thousands { groups.concat() } else { word.replace(',', ".") };
    plain.parse().ok().filter(|number: &f64| number.is_finite())
}

/// Currencies by one name each; any other word as it is.
fn unit(word: &str) -> Option<String> {
    match word {
        "€" | "eur" | "euro" | "euros" => Some("eur".to_owned()),
        "$" | "usd" | "dollar" | "dollars" => Some("usd".to_owned()),
        "£" | "gbp" | "pound" | "pounds" => Some("gbp".to_owned()),
        "%" => Some("%".to_owned()),
        word if word.chars().all(char::is_alphabetic) && word.len() > 2 => Some(word.to_owned()),
        _ => None,
    }
}

fn is_currency(unit: &str) -> bool {
    matches!(unit, "eur" | "usd" | "gbp")
}

fn amounts(text: &str) -> Vec<Amount> {
    let words = words_of(text);
    let amount = |(place, word): (usize, &String)| {
        let number = number(word)?;
        let before = place.checked_sub(1).and_then(|before| unit(&words[before])).filter(|unit| is_currency(unit));
        let after = words.get(place + 1).and_then(|next| unit(next)).filter(|unit| !is_bounding(unit));
        Some(Amount { number, unit: before.or(after), place })
    };
    words.iter().enumerate().filter_map(amount).collect()
}

fn is_bounding(word: &str) -> bool {
    let lists = WITH_SPACES.iter().flat_map(|language| [language.to, language.at_most, language.at_least]);
    lists.flatten().any(|phrase| phrase.split(' ').any(|part| part == word)) || matches!(word, "and" | "or" | "und")
}

/// The range that a label speaks of: `EUR 500 to 5,000`, `up to EUR 500`, `above EUR 221,000`, `5 and more`.
fn bounds(label: &str) -> Option<Bounds> {
    let words = words_of(label);
    let amounts = amounts(label);
    let unit = || amounts.iter().find_map(|amount| amount.unit.clone());
    let has = |lists: fn(&Tables) -> List, from: usize, to: usize| {
        let text = format!(" {} ", words.get(from..to).unwrap_or_default().join(" "));
        WITH_SPACES.iter().flat_map(|language| lists(language)).any(|phrase| text.contains(&format!(" {phrase} ")))
    };
    let dash = |from: usize, to: usize| {
        words.get(from..to).unwrap_or_default().iter().any(|word| matches!(word.as_str(), "–" | "—" | "-"))
    };
    match amounts.as_slice() {
        [one] => {
            let end = words.len();
            let at_most = has(|language| language.at_most, 0, one.place);
            let at_least = has(|language| language.at_least, 0, one.place)
                || has(|language| language.at_least, one.place + 1, end);
            let is_open = words.get(one.place + 1).is_some_and(|word| word == "+");
            match (at_most, at_least || is_open) {
                (true, false) => Some(Bounds { from: f64::NEG_INFINITY, to: one.number, unit: unit() }),
                (false, true) => Some(Bounds { from: one.number, to: f64::INFINITY, unit: unit() }),
                _ => None,
            }
        }
        [from, to] if from.number < to.number => {
            let between = (from.place + 1, to.place);
            let is_range = has(|language| language.to, between.0, between.1)
                || has(|language| language.at_most, between.0, between.1)
                || dash(between.0, between.1);
            is_range.then(|| Bounds { from: from.number, to: to.number, unit: unit() })
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const APPROVALS: &str = "Value | Who approves\nup to EUR 500 | the holder\nEUR 500 to 5,000 | the head\n\
                             over EUR 5,000 up to 100,000 | the director\nabove EUR 100,000 | the board";

    fn best(question: &str, table: &str) -> String {
        let asked = AskedRow::of(question);
        let rows = rows_of(table, None);
        let best = rows.iter().rev().max_by_key(|row| asked.naming(row.text)).unwrap();
        best.under_head()
    }

    #[test]
    fn a_figure_names_the_row_whose_range_holds_it() {
        for (question, row) in [
            ("Who approves EUR 60,000?", "over EUR 5,000 up to 100,000 — Who approves: the director"),
            ("Who approves 300 euros?", "up to EUR 500 — Who approves: the holder"),
            ("Who approves € 2.500?", "EUR 500 to 5,000 — Who approves: the head"),
            ("Who approves EUR 250,000?", "above EUR 100,000 — Who approves: the board"),
        ] {
            assert_eq!(best(question, APPROVALS), row, "{question}");
        }
        let years = "Service | Days\n1–5 years | 27\n6 years and more | 30";
        assert_eq!(best("How many days after 8 years?", years), "6 years and more — Days: 30");
        let naming = AskedRow::of("Who approves 60 days?").naming("up to EUR 500 | the holder");
        assert!(!naming.holds_figure, "another unit");
    }

    #[test]
    fn a_label_names_its_row_where_the_question_has_all_its_words() {
        let plans = "Plan | Speed\nFibre 150 | 140\nDSL 100 | 85\nAir 200 | 90";
        let asked = AskedRow::of("Which plan is faster, DSL 100 or Air 200?");
        let named: Vec<bool> = rows_of(plans, None).iter().map(|row| asked.naming(row.text).is_sure()).collect();
        assert_eq!(named, [false, true, true]);
    }

    #[test]
    fn a_sentence_that_names_a_column_and_says_no_figure_in_its_unit_means_the_column() {
        let head = "Room | Rent (EUR) | Cleaning fee (EUR) | Seats";
        for (sentence, above, column) in [
            ("The cleaning fee covers water and soap.", "", Some(2)),
            ("It is paid for each 24 hours.", "5 The cleaning fee", Some(2)),
            ("The cleaning fee is EUR 20.", "", None),
            ("The cleaning fee is 20 euros.", "", None),
            ("The rent covers the cleaning fee.", "", None),
            ("Soap is free.", "", None),
            ("The seats are counted.", "", Some(3)),
            ("There are 30 seats.", "", None),
            ("Every room is locked.", "", None),
        ] {
            assert_eq!(column_named_by(head, sentence, above), column, "{sentence}");
        }
    }

    #[test]
    fn rows_stand_under_the_head_above_the_text_or_in_it() {
        let rows = rows_of("A | 1\n\nSome text.\n\nKind | Fee\nB | 2", Some("Kind | Price"));
        assert_eq!(rows.iter().map(Row::under_head).collect::<Vec<_>>(), ["A — Price: 1", "B — Fee: 2"]);
        assert!(rows_of("No table | here", None).is_empty());
    }
}
