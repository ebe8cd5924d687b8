//! Running heads, page numbers and tables of contents: print for finding one's way, not text.

use std::collections::HashMap;

use super::lines::{Line, Page};
use super::paragraphs::Measures;

/// The part of a page's height, at its top and at its bottom, where running heads stand.
const MARGIN: f64 = 0.12;

/// Takes out what stands at the edge of most pages, and the lines of printed tables of contents.
/// The pages stay known by their numbers, and the contents by the headings they list.
pub(super) fn remove(pages: &mut [Page]) {
    let largest = 1.05 * Measures::of(pages).body_size;
    let mut seen: HashMap<String, usize> = HashMap::new();
    let with_text = pages.iter().filter(|page| !page.lines.is_empty()).count();
    for page in pages.iter() {
        let mut on_page: Vec<String> = edge_lines(page).map(likeness).collect();
        on_page.sort();
        on_page.dedup();
        for line in on_page {
            *seen.entry(line).or_default() += 1;
        }
    }
    let often = match with_text {
        0 | 1 => usize::MAX,
        2..=4 => (with_text - 1).max(2),
        // Left and right pages may differ, and first pages of chapters have none.
        _ => (with_text * 2 / 5).max(3),
    };
    for page in pages {
        let height = page.height;
        page.lines.retain(|line| {
            // A title is often the running head of the pages after it, but set larger.
            let repeats = || seen.get(&likeness(line)).is_some_and(|count| *count >= often);
            let is_head = line.size <= largest
                && is_at_edge(line, height)
                && with_text > 1
                && (repeats() || is_page_number(line));
            !is_head && !is_contents_line(line)
        });
    }
}

fn edge_lines(page: &Page) -> impl Iterator<Item = &Line> {
    page.lines.iter().filter(|line| is_at_edge(line, page.height))
}

fn is_at_edge(line: &Line, height: f64) -> bool {
    line.angle == 0 && (line.across < MARGIN * height || line.across > (1.0 - MARGIN) * height)
}

/// The line with every number alike, so that "Page 3 of 12" is the same line on every page.
fn likeness(line: &Line) -> String {
    let mut likeness = String::new();
    for letter in line.words().chars() {
        if !letter.is_ascii_digit() {
            likeness.push(letter);
        } else if !likeness.ends_with('#') {
            likeness.push('#');
        }
    }
    likeness
}

/// A number, Arabic or Roman, and nothing else.
fn is_page_number(line: &Line) -> bool {
    let words = line.words();
    let all = |letters: &str| words.chars().all(|letter| letters.contains(letter));
    (1..=4).contains(&words.len()) && (all("0123456789") || all("ivxl"))
}

/// "Introduction . . . . . . 7"
fn is_contents_line(line: &Line) -> bool {
    let words = line.words();
    let without_page = words.trim_end_matches(|letter: char| letter.is_ascii_digit() || letter.is_whitespace());
    let leader = without_page.chars().rev().take_while(|letter| matches!(letter, '.' | ' ' | '…' | '·'));
    without_page.len() < words.len() && leader.filter(|letter| *letter != ' ').count() >= 5
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(across: f64, words: &str) -> Line {
        Line { across, size: 10.0, cells: vec![words.to_owned()], ..Line::default() }
    }

    #[test]
    fn what_stands_at_the_edge_of_every_page_is_not_text() {
        let mut pages: Vec<Page> = (1..=4)
            .map(|number| Page {
                number,
                height: 800.0,
                lines: vec![
                    line(30.0, "Handbook"),
                    line(60.0, ["Scope", "Allowances", "Limits", "Claims"][usize::try_from(number - 1).unwrap()]),
                    line(400.0, "Handbook"),
                    line(780.0, &format!("Page {number} of 4")),
                ],
            })
            .collect();
        pages[0].lines.push(line(40.0, "ii"));
        pages[0].lines.push(Line { size: 20.0, ..line(90.0, "Handbook") });
        pages[0].lines.push(line(500.0, "Introduction . . . . . . . 7"));
        pages[0].lines.push(line(520.0, "Wait ... 3 days"));
        remove(&mut pages);
        let left: Vec<Vec<String>> = pages.iter().map(|page| page.lines.iter().map(Line::words).collect()).collect();
        assert_eq!(left[1], ["Allowances", "Handbook"]);
        assert_eq!(left[0], ["Scope", "Handbook", "Handbook", "Wait ... 3 days"]);
        assert!(!left.iter().flatten().any(|line| line.starts_with("Page") || line.contains(". . .")));
    }
}
