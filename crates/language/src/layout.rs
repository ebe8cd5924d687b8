//! How a text is laid out in lines: lists with what leads them in, tables with their heads.

use std::ops::Range;

/// What parts the cells of a row.
const BETWEEN_CELLS: &str = " | ";

/// No heading that is quoted with a list is longer, in bytes.
const LONGEST_HEADING: usize = 240;

/// What sort of line it is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Sort {
    /// The first line of a list's item.
    Item,
    /// A further line of an item.
    Beneath,
    /// A row of a table, its head included.
    Row,
    Prose,
}

/// Something that a line stands under.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Place {
    /// At these bytes of the text.
    Here(Range<usize>),
    /// Above the text.
    Above,
}

/// A line that is not empty.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Line {
    /// Its place in the text, without the white space around it.
    pub bytes: Range<usize>,
    pub sort: Sort,
    /// Characters of white space before it.
    pub indentation: usize,
    /// An empty line stands before it, or nothing.
    pub is_apart: bool,
    /// Of an item: the sentence with a colon above its list.
    pub lead_in: Option<Place>,
    /// Of a row: the first row of its table.
    pub head: Option<Place>,
}

/// What a text begins in the middle of.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Begun {
    /// A list that was led in above the text.
    pub list: bool,
    /// A table whose head is above the text.
    pub table: bool,
}

/// The lines of a text that are not empty, in order.
pub fn lines(text: &str, begun: Begun) -> impl Iterator<Item = Line> {
    let mut state = State {
        in_list: begun.list,
        in_table: begun.table,
        lead_in: begun.list.then_some(Place::Above),
        head: begun.table.then_some(Place::Above),
        led: None,
        is_apart: true,
    };
    // A text that goes on with a list or a table has nothing between the two.
    let mut goes_on = begun.list || begun.table;
    let mut at = 0;
    text.split_inclusive('\n').filter_map(move |line| {
        let begin = at;
        at += line.len();
        let words = line.trim();
        if words.is_empty() {
            state.is_apart = true;
            return None;
        }
        let start = begin + (line.len() - line.trim_start().len());
        let indentation = line.chars().take_while(|sign| sign.is_whitespace()).count();
        state.is_apart &= !std::mem::take(&mut goes_on);
        Some(state.next(words, start..start + words.len(), indentation))
    })
}

struct State {
    in_list: bool,
    in_table: bool,
    lead_in: Option<Place>,
    head: Option<Place>,
    /// The last prose, if it ends in a colon: where its last sentence stands.
    led: Option<Place>,
    is_apart: bool,
}

impl State {
    fn next(&mut self, words: &str, bytes: Range<usize>, indentation: usize) -> Line {
        let is_apart = std::mem::replace(&mut self.is_apart, false);
        let sort = self.sort(words, indentation, is_apart);
        match sort {
            Sort::Item if !self.in_list => self.lead_in = self.led.take(),
            Sort::Row if !self.in_table || is_apart => self.head = None,
            _ => {}
        }
        let line = Line {
            sort,
            indentation,
            is_apart,
            lead_in: self.lead_in.clone().filter(|_| matches!(sort, Sort::Item | Sort::Beneath)),
            head: self.head.clone().filter(|_| sort == Sort::Row),
            bytes: bytes.clone(),
        };
        self.in_list = matches!(sort, Sort::Item | Sort::Beneath);
        self.in_table = sort == Sort::Row;
        match sort {
            Sort::Row => {
                self.head.get_or_insert(Place::Here(bytes));
                self.led = None;
            }
            Sort::Prose => {
                self.led = leads_in(words).then(|| Place::Here(last_sentence(words, &bytes)));
            }
            Sort::Item | Sort::Beneath => {}
        }
        line
    }

    fn sort(&self, words: &str, indentation: usize, is_apart: bool) -> Sort {
        match () {
            () if marker(words) > 0 => Sort::Item,
            () if self.in_list && indentation > 0 && !is_apart => Sort::Beneath,
            // An empty first cell leaves the sign behind it at the beginning of the line.
            () if words.contains(BETWEEN_CELLS) || words.starts_with(BETWEEN_CELLS.trim_start()) => Sort::Row,
            () => Sort::Prose,
        }
    }
}

/// Whether a line ends in a colon.
pub fn leads_in(line: &str) -> bool {
    line.trim_end().ends_with([':', '：'])
}

fn last_sentence(words: &str, bytes: &Range<usize>) -> Range<usize> {
    let last = crate::sentences::sentence_places(words).pop().unwrap_or(0..words.len());
    bytes.start + last.start..bytes.end
}

/// How many bytes of a line mark it as an item: its bullet or number, and the space after it. 0 where it is none.
pub fn marker(line: &str) -> usize {
    let Some((mark, _)) = line.split_once(' ') else { return 0 };
    let is_bullet = matches!(mark, "-" | "*" | "+" | "•" | "◦" | "▪" | "–");
    let is_short = |mark: &str, most: usize| !mark.is_empty() && mark.len() <= most;
    let number = mark.strip_suffix(['.', ')']).filter(|number| is_short(number, 3));
    let is_number = number.is_some_and(|number| number.bytes().all(|sign| sign.is_ascii_digit()));
    let letter = mark.strip_suffix(')').map(|letter| letter.trim_start_matches('('));
    let is_letter = letter.is_some_and(|letter| {
        is_short(letter, 4) && letter.bytes().all(|sign| sign.is_ascii_lowercase() || sign.is_ascii_digit())
    });
    if is_bullet || is_number || is_letter { mark.len() + 1 } else { 0 }
}

/// Whether this can be a heading: a line of its own that does not end as a sentence does.
pub fn is_heading_like(lines: &[Line], place: usize, text: &str) -> bool {
    let line = &lines[place];
    let stands_alone = line.is_apart && lines.get(place + 1).is_none_or(|next| next.is_apart);
    let words = &text[line.bytes.clone()];
    line.sort == Sort::Prose && stands_alone && words.len() <= LONGEST_HEADING && !ends_as_sentence(words)
}

/// Whether this ends as a sentence does: headings do not.
pub fn ends_as_sentence(text: &str) -> bool {
    let end = text.trim_end().trim_end_matches(['"', '\'', ')', ']', '”', '’', '»']);
    end.ends_with(['.', '!', '?', ':', ';', '。', '！', '？', '…'])
}

/// The cells of a row. A sign at its beginning and none at its end stands behind an empty first cell; signs at both ends
/// stand around the row.
pub fn cells(row: &str) -> impl Iterator<Item = &str> {
    let row = row.trim();
    let inner = if row.ends_with('|') { row.trim_matches('|') } else { row };
    inner.split('|').map(str::trim)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn laid(text: &str, begun: Begun) -> Vec<(Sort, &str, Option<&str>)> {
        let at = |place: Option<Place>| {
            place.map(|place| match place {
                Place::Here(bytes) => &text[bytes],
                Place::Above => "above",
            })
        };
        lines(text, begun).map(|line| (line.sort, &text[line.bytes.clone()], at(line.lead_in.or(line.head)))).collect()
    }

    #[test]
    fn items_stand_under_their_lead_in_and_rows_under_their_head() {
        let text = "Fees\n\nRead this. Not paid are:\n\n- fines,\n  of all sorts\n- drinks.\n\nKind | Fee\nA | 1\nB | 2\n\nEnd.";
        let lead_in = Some("Not paid are:");
        assert_eq!(
            laid(text, Begun::default()),
            [
                (Sort::Prose, "Fees", None),
                (Sort::Prose, "Read this. Not paid are:", None),
                (Sort::Item, "- fines,", lead_in),
                (Sort::Beneath, "of all sorts", lead_in),
                (Sort::Item, "- drinks.", lead_in),
                (Sort::Row, "Kind | Fee", None),
                (Sort::Row, "A | 1", Some("Kind | Fee")),
                (Sort::Row, "B | 2", Some("Kind | Fee")),
                (Sort::Prose, "End.", None),
            ]
        );
    }

    #[test]
    fn a_text_may_begin_in_the_middle_of_a_list_or_a_table() {
        let above = Some("above");
        let list = "- drinks.\n\nKind | Fee\nA | 1";
        assert_eq!(
            laid(list, Begun { list: true, table: false }),
            [
                (Sort::Item, "- drinks.", above),
                (Sort::Row, "Kind | Fee", None),
                (Sort::Row, "A | 1", Some("Kind | Fee"))
            ]
        );
        let table = "B | 2\n\n- drinks.";
        let begun = Begun { list: false, table: true };
        assert_eq!(laid(table, begun), [(Sort::Row, "B | 2", above), (Sort::Item, "- drinks.", None)]);
    }

    #[test]
    fn a_row_may_begin_with_an_empty_cell() {
        for (row, expected) in [
            ("a | b", vec!["a", "b"]),
            ("| Internal | Secret", vec!["", "Internal", "Secret"]),
            ("| a | b |", vec!["a", "b"]),
            ("a | b |", vec!["a", "b"]),
        ] {
            assert_eq!(cells(row).collect::<Vec<_>>(), expected, "{row}");
        }
    }

    #[test]
    fn markers_are_bullets_numbers_and_letters() {
        for (line, length) in [
            ("- a", 2),
            ("• a", 4),
            ("12. a", 4),
            ("3) a", 3),
            ("(iv) a", 5),
            ("a) b", 3),
            ("2024. It was", 0),
            ("-a", 0),
            ("A word", 0),
            ("e.g. this", 0),
            ("", 0),
        ] {
            assert_eq!(marker(line), length, "{line}");
        }
    }
}
