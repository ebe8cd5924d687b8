//! Sentences of a text as they can be quoted alone: each with what it needs to say by itself what it means.
//!
//! An item of a list comes with its heading and with what leads the list in; a row of a table with its head, in the
//! head's unit; a sentence that ends in a colon with its list; a sentence that leans on the one before it, with that one.
//! Nothing is added that the text, or what stands above it, does not have.

use std::ops::Range;

use crate::claims::{turns_by_sign, turns_in_another_language, turns_in_english};
use crate::layout::{Begun, Line, Place, Sort, cells, ends_as_sentence, is_heading_like, leads_in, lines, marker};
use crate::sentences::sentence_places;
use crate::tables::WITH_SPACES;

/// How many sentences before one are quoted with it at most.
const MOST_LEANED_ON: usize = 2;

/// Lines of the same document above a text, which the text's first lines stand under.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Above<'a> {
    /// The innermost heading, where it is not in the text.
    pub heading: Option<&'a str>,
    /// What leads in the list that the text begins in the middle of.
    pub lead_in: Option<&'a str>,
    /// The head of the table that the text begins in the middle of.
    pub head: Option<&'a str>,
}

/// A text that is quoted from.
pub struct Quotable<'a> {
    text: &'a str,
    above: Above<'a>,
    lines: Vec<Line>,
}

impl<'a> Quotable<'a> {
    pub fn new(text: &'a str, above: Above<'a>) -> Self {
        let begun = Begun { list: above.lead_in.is_some(), table: above.head.is_some() };
        Self { text, above, lines: lines(text, begun).collect() }
    }

    /// The lines that can be headings, by their form.
    pub fn headings(&self) -> impl Iterator<Item = &'a str> {
        let places = (0..self.lines.len()).filter(|place| is_heading_like(&self.lines, *place, self.text));
        places.map(|place| &self.text[self.lines[place].bytes.clone()])
    }

    /// The sentence at this place as it is quoted. `is_heading` says which of the lines that look like headings are.
    pub fn quotation(&self, sentence: &Range<usize>, is_heading: impl Fn(&str) -> bool) -> String {
        let at = self.lines.partition_point(|line| line.bytes.end <= sentence.start);
        let Some(line) = self.lines.get(at) else { return self.text[sentence.clone()].to_owned() };
        let heading = || self.heading_above(at, &is_heading);
        match line.sort {
            Sort::Row => self.rows(at, sentence.end),
            Sort::Item | Sort::Beneath => {
                let quoted = self.item(at, sentence);
                match heading() {
                    Some(heading) => under(heading, &quoted),
                    None => quoted,
                }
            }
            Sort::Prose => {
                let quoted = self.prose(at, sentence);
                let is_heading = is_heading_like(&self.lines, at, self.text) && is_heading(&quoted);
                let needs = |heading: &&str| !ends_as_sentence(&quoted) || turns(heading, &quoted);
                match heading().filter(|_| !is_heading).filter(needs) {
                    Some(heading) => under(heading, &quoted),
                    None => quoted,
                }
            }
        }
    }

    /// The rows of the sentence at this place, each as it is written and as it is quoted by itself. None where it is no row.
    pub fn rows_of(&self, sentence: &Range<usize>) -> Vec<(&'a str, String)> {
        self.quoted_rows(self.line_of(sentence), sentence.end)
    }

    /// The same with one column only, by its place among the cells: `Nordic countries — Daily allowance: EUR 58`. None of a
    /// row that has nothing there.
    pub fn rows_in_column(&self, sentence: &Range<usize>, column: usize) -> Vec<(&'a str, String)> {
        let quoted = self.row_lines(self.line_of(sentence), sentence.end).filter_map(|line| {
            let (row, head) = (&self.text[line.bytes.clone()], self.at(line.head.as_ref()?, self.above.head)?);
            let (label, name, cell) = (cells(row).next()?, cells(head).nth(column)?, cells(row).nth(column)?);
            let says_something = column > 0 && !label.is_empty() && !cell.is_empty();
            says_something.then(|| (row, format!("{label} — {}", in_column(name, cell))))
        });
        quoted.collect()
    }

    /// How many columns the widest row of a sentence has.
    pub fn columns_of(&self, sentence: &Range<usize>) -> usize {
        let rows = self.row_lines(self.line_of(sentence), sentence.end);
        rows.map(|line| cells(&self.text[line.bytes.clone()]).count()).max().unwrap_or(0)
    }

    /// The rows up to this byte, each under the table's head. Rows that begin with a small letter are one sentence.
    fn rows(&self, at: usize, end: usize) -> String {
        let quoted = self.quoted_rows(at, end).into_iter().map(|(_, quoted)| quoted);
        quoted.collect::<Vec<_>>().join("\n")
    }

    fn quoted_rows(&self, at: usize, end: usize) -> Vec<(&'a str, String)> {
        let rows: Vec<&Line> = self.row_lines(at, end).collect();
        let is_head_alone = rows.len() == 1;
        let quoted = rows.into_iter().filter(|line| is_head_alone || line.head.is_some()).map(|line| {
            let row = &self.text[line.bytes.clone()];
            let head = line.head.as_ref().and_then(|head| self.at(head, self.above.head));
            (row, head.map_or_else(|| row.to_owned(), |head| under_head(head, row)))
        });
        quoted.collect()
    }

    /// The place of the line that a sentence begins in.
    fn line_of(&self, sentence: &Range<usize>) -> usize {
        self.lines.partition_point(|line| line.bytes.end <= sentence.start)
    }

    /// The rows of a table from this line on that begin before this byte.
    fn row_lines(&self, at: usize, end: usize) -> impl Iterator<Item = &Line> {
        self.lines[at..].iter().take_while(move |line| line.sort == Sort::Row && line.bytes.start < end)
    }

    fn at(&self, place: &Place, above: Option<&'a str>) -> Option<&'a str> {
        match place {
            Place::Here(bytes) => self.text.get(bytes.clone()),
            Place::Above => above,
        }
    }

    fn heading_above(&self, at: usize, is_heading: &impl Fn(&str) -> bool) -> Option<&'a str> {
        let words = |place: usize| &self.text[self.lines[place].bytes.clone()];
        let is = |place: &usize| is_heading_like(&self.lines, *place, self.text) && is_heading(words(*place));
        let heading = (0..at).rev().find(is).map(words).or(self.above.heading)?;
        Some(unnumbered(heading)).filter(|heading| !heading.is_empty())
    }

    /// An item up to the end of the sentence, under the items that it is part of and what leads the list in.
    fn item(&self, at: usize, sentence: &Range<usize>) -> String {
        let first = (0..=at).rev().find(|place| self.lines[*place].sort == Sort::Item).unwrap_or(at);
        let item = &self.lines[first];
        let end = sentence.end.max(item.bytes.start);
        let mut quoted = spaced(self.bare(item.bytes.start..end));
        if leads_in(&quoted) {
            quoted.push_str(&self.list_below(at + 1, item.indentation + 1));
        }
        let mut indentation = item.indentation;
        for above in self.lines[..first].iter().rev() {
            match above.sort {
                Sort::Item if above.indentation < indentation => {
                    indentation = above.indentation;
                    quoted = under(&spaced(self.bare(above.bytes.clone())), &quoted);
                }
                Sort::Item | Sort::Beneath => {}
                Sort::Row | Sort::Prose => break,
            }
        }
        match item.lead_in.as_ref().and_then(|lead_in| self.at(lead_in, self.above.lead_in)) {
            Some(lead_in) => under(&spaced(lead_in), &quoted),
            None => quoted,
        }
    }

    /// Without the mark of an item.
    fn bare(&self, bytes: Range<usize>) -> &'a str {
        let words = &self.text[bytes];
        &words[marker(words)..]
    }

    /// The items of a list that begins at this line, each on a line, from this indentation on; or the rows of a table.
    fn list_below(&self, from: usize, indentation: usize) -> String {
        let mut below = String::new();
        for (place, line) in self.lines.iter().enumerate().skip(from) {
            let ends = match line.sort {
                Sort::Item | Sort::Beneath => line.indentation < indentation,
                Sort::Row => false,
                Sort::Prose => true,
            };
            if ends || (place > from && line.is_apart) {
                break;
            }
            below.push('\n');
            below.push_str(&" ".repeat(line.indentation));
            below.push_str(&self.text[line.bytes.clone()]);
        }
        below
    }

    /// A sentence with those of its paragraph that it leans on, or with the list that it leads in.
    fn prose(&self, at: usize, sentence: &Range<usize>) -> String {
        let mut start = sentence.start;
        let paragraph = (0..=at).rev().find(|place| self.lines[*place].is_apart).unwrap_or(0);
        let block = self.lines[paragraph].bytes.start..sentence.end;
        let before = sentence_places(&self.text[block.clone()]);
        for place in before.iter().rev().filter(|place| block.start + place.end <= sentence.start).take(MOST_LEANED_ON)
        {
            if !leans(&self.text[start..sentence.end]) {
                break;
            }
            start = block.start + place.start;
        }
        let mut quoted = self.text[start..sentence.end].to_owned();
        if leads_in(&quoted) {
            let below = self.lines.partition_point(|line| line.bytes.start < sentence.end);
            quoted.push_str(&self.list_below(below, 0));
        }
        quoted
    }
}

/// Whether a line above a text was quoted with one of its sentences.
pub fn is_quoted_with(line: &str, quotation: &str) -> bool {
    let quotation = spaced(quotation);
    let has = |part: &str| !part.is_empty() && quotation.contains(part);
    has(spaced(unnumbered(line)).trim_end_matches([':', '：']))
        || (line.contains('|') && cells(line).skip(1).any(|cell| has(column_name(cell).0)))
}

/// Whether a sentence begins with a word that speaks of the sentence before it.
fn leans(sentence: &str) -> bool {
    let first: String = sentence.chars().take_while(|sign| sign.is_alphabetic()).collect();
    let first = first.to_lowercase();
    WITH_SPACES.iter().any(|language| language.leaning.contains(&first.as_str()))
}

/// Whether a heading denies or demands what a sentence under it does not.
fn turns(heading: &str, sentence: &str) -> bool {
    let (heading, sentence) = (heading.to_lowercase(), sentence.to_lowercase());
    turns_in_english(&heading, &sentence)
        || turns_in_another_language(&heading, &sentence)
        || turns_by_sign(&heading, &sentence)
}

/// `What is not paid: fines`; what says so itself is left as it is.
fn under(label: &str, quoted: &str) -> String {
    let label = label.trim_end_matches([':', '：', ' ']);
    let says_so = quoted.get(..label.len()).is_some_and(|begin| begin.eq_ignore_ascii_case(label));
    if label.is_empty() || says_so { quoted.to_owned() } else { format!("{label}: {quoted}") }
}

/// A heading without its number: `6 What is not paid`, `2.1 Approval`.
fn unnumbered(heading: &str) -> &str {
    let heading = heading.trim();
    let Some((number, words)) = heading.split_once(' ') else { return heading };
    let is_number = number.starts_with(|sign: char| sign.is_ascii_digit())
        && number.len() <= 8
        && number.chars().all(|sign| sign.is_ascii_digit() || sign == '.');
    let words = words.trim();
    if is_number && words.starts_with(char::is_alphabetic) { words } else { heading }
}

fn spaced(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// `Nordic countries — Hotel limit: EUR 175; Daily allowance: EUR 58`. A row that the head does not fit stands below it.
pub(crate) fn under_head(head: &str, row: &str) -> String {
    let (columns, cells): (Vec<&str>, Vec<&str>) = (cells(head).collect(), cells(row).collect());
    if cells.len() > columns.len() || cells.len() < 2 {
        return format!("{head}\n{row}");
    }
    let named = columns.iter().zip(&cells).skip(1).filter(|(_, cell)| !cell.is_empty());
    let named: Vec<String> = named.map(|(column, cell)| in_column(column, cell)).collect();
    match (cells[0], named.is_empty()) {
        ("", _) => named.join("; "),
        (label, true) => label.to_owned(),
        (label, false) => format!("{label} — {}", named.join("; ")),
    }
}

/// `Hotel limit: EUR 175` of `Hotel limit (EUR)` and `175`.
fn in_column(column: &str, cell: &str) -> String {
    let is_number = cell.starts_with(|sign: char| sign.is_ascii_digit())
        && cell.chars().all(|sign| sign.is_ascii_digit() || ".,' ".contains(sign));
    match column_name(column) {
        ("", _) => cell.to_owned(),
        (name, Some(unit)) if is_number && is_currency(unit) => format!("{name}: {unit} {cell}"),
        (name, Some(unit)) if is_number => format!("{name}: {cell} {unit}"),
        _ => format!("{}: {cell}", column.trim_end_matches(':')),
    }
}

/// A column's name, and the unit that stands in brackets behind it.
pub(crate) fn column_name(column: &str) -> (&str, Option<&str>) {
    let bracketed = column.strip_suffix(')').and_then(|column| column.rsplit_once('('));
    match bracketed {
        Some((name, unit)) if !unit.is_empty() && !unit.contains(char::is_whitespace) => (name.trim(), Some(unit)),
        _ => (column.trim_end_matches(':'), None),
    }
}

fn is_currency(unit: &str) -> bool {
    let is_code = unit.len() == 3 && unit.bytes().all(|sign| sign.is_ascii_uppercase());
    is_code || matches!(unit, "€" | "$" | "£" | "¥")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn quoted(text: &str, above: Above<'_>, words: &str) -> String {
        let place = sentence_places(text).into_iter().find(|place| text[place.clone()].contains(words)).unwrap();
        Quotable::new(text, above).quotation(&place, |_| true)
    }

    fn alone(text: &str, words: &str) -> String {
        quoted(text, Above::default(), words)
    }

    #[test]
    fn an_item_comes_with_its_heading_and_its_lead_in() {
        let text = "6 What is not paid\n\n- Fines, including parking fines.\n- Costs of a partner who comes along. Care \
                    at home is paid.\n\nPrivate days may be added.";
        assert_eq!(alone(text, "parking"), "What is not paid: Fines, including parking fines.");
        assert_eq!(
            alone(text, "Care"),
            "What is not paid: Costs of a partner who comes along. Care at home is paid.",
            "the rest of an item says something only behind its beginning"
        );
        let led = "Access\n\nGuests are not let into:\n\n1. the archive\n2. rooms with\n   - lasers";
        assert_eq!(alone(led, "archive"), "Access: Guests are not let into: the archive");
        assert_eq!(alone(led, "lasers"), "Access: Guests are not let into: rooms with: lasers");
        let above = Above { heading: Some("Access"), lead_in: Some("Guests are not let into:"), head: None };
        assert_eq!(quoted("- the archive", above, "archive"), "Access: Guests are not let into: the archive");
        assert_eq!(quoted("Anybody may read.", above, "read"), "Anybody may read.");
    }

    #[test]
    fn a_row_comes_with_its_head_in_the_heads_unit() {
        let rows = "Nordic countries | 175 | 58 | 2 | on request";
        let head = "Destination | Hotel limit (EUR) | Daily allowance (EUR) | Stay (days) | Car (with driver)";
        let quotation = "Nordic countries — Hotel limit: EUR 175; Daily allowance: EUR 58; Stay: 2 days; Car (with driver): \
                    on request";
        assert_eq!(alone(&format!("{head}\nHome | 1 | 2 | 3 | no\n{rows}"), "Nordic"), quotation);
        let above = Above { head: Some(head), ..Above::default() };
        assert_eq!(quoted(rows, above, "Nordic"), quotation);
        let in_column = |column| Quotable::new(rows, above).rows_in_column(&(0..rows.len()), column);
        assert_eq!(in_column(2), [(rows, "Nordic countries — Daily allowance: EUR 58".to_owned())]);
        assert!(in_column(0).is_empty() && in_column(9).is_empty());
        assert_eq!(alone("A | B\nC | d | e", "C"), "A | B\nC | d | e", "a row that does not fit");
        assert_eq!(alone("| Limit\nMailbox | 10 GB", "Mailbox"), "Mailbox — Limit: 10 GB", "labels have no head");
        assert_eq!(alone("A | B\nC | d", "A"), "A | B");
        let small = "A | B\nc | d\ne | f";
        assert_eq!(alone(small, "c"), "c — B: d\ne — B: f", "small letters begin no sentence");
        let place = sentence_places(small).into_iter().find(|place| small[place.clone()].contains('c')).unwrap();
        let rows = Quotable::new(small, Above::default()).rows_of(&place);
        assert_eq!(rows, [("c | d", "c — B: d".to_owned()), ("e | f", "e — B: f".to_owned())]);
    }

    #[test]
    fn a_lead_in_comes_with_its_list() {
        let text = "To leave, do this:\n\n- hand in keys\n- say goodbye\n\nThen go.";
        assert_eq!(alone(text, "do this"), "To leave, do this:\n- hand in keys\n- say goodbye");
    }

    #[test]
    fn a_sentence_that_leans_comes_with_the_one_before_it() {
        let text = "Leave is 30 days. It lapses in March. This holds for all.\n\nThey are few.";
        assert_eq!(alone(text, "lapses"), "Leave is 30 days. It lapses in March.");
        assert_eq!(alone(text, "holds"), text.split("\n\n").next().unwrap());
        assert_eq!(alone(text, "few"), "They are few.", "another paragraph is not leaned on");
        let german = "Urlaub sind 30 Tage. Er verfällt im März.";
        assert_eq!(alone(german, "verfällt"), german);
    }

    #[test]
    fn what_a_heading_turns_round_comes_with_it() {
        let text = "What is not paid\n\nParking is expensive.\n\nFines and drinks";
        assert_eq!(alone(text, "Parking"), "What is not paid: Parking is expensive.");
        assert_eq!(alone(text, "drinks"), "Fines and drinks", "the last line looks like a heading itself");
        assert_eq!(alone("Parking\n\nParking is expensive.", "expensive"), "Parking is expensive.");
    }

    #[test]
    fn what_was_quoted_with_a_sentence_is_known() {
        let quotation = "What is not paid: Not are: Fines — Limit: EUR 5";
        for (line, expected) in
            [("6 What is not paid", true), ("Not are:", true), ("Kind | Limit (EUR)", true), ("Scope", false)]
        {
            assert_eq!(is_quoted_with(line, quotation), expected, "{line}");
        }
    }
}
