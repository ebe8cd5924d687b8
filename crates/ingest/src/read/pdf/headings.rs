//! Which lines of a PDF are its title and its headings: by its bookmarks, or else by their looks.

use std::collections::{HashMap, HashSet};

use super::lines::{Line, Page, is_number};
use super::outline::Bookmark;
use super::paragraphs::Measures;
use crate::read::manuscript::{folded, same_words};

/// How much larger than the body a heading is set.
const LARGER: f64 = 1.12;
const LONGEST_HEADING: usize = 120;
/// A heading may run over this many lines.
const MOST_LINES: usize = 3;
const LOWEST_LEVEL: u8 = 6;
/// If more of the lines than this look like headings, looks say nothing.
const MOST_HEADINGS: f64 = 0.3;

#[derive(Debug, Clone, PartialEq)]
pub(super) enum Mark {
    Title {
        lines: usize,
    },
    Heading {
        level: u8,
        lines: usize,
    },
    /// A section begins here whose heading is not printed as its bookmark has it.
    Section {
        level: u8,
        words: String,
    },
}

/// What begins at which line, by index of page and line.
#[derive(Default)]
pub(super) struct Plan {
    marks: HashMap<(usize, usize), Vec<Mark>>,
    /// The lines that belong to a heading already.
    taken: HashSet<(usize, usize)>,
}

impl Plan {
    pub(super) fn at(&self, page: usize, line: usize) -> &[Mark] {
        self.marks.get(&(page, line)).map_or(&[], Vec::as_slice)
    }

    fn take(&mut self, page: usize, line: usize, lines: usize, mark: Mark) {
        self.taken.extend((line..line + lines).map(|taken| (page, taken)));
        self.marks.insert((page, line), vec![mark]);
    }

    /// A heading printed at the same place wins over bookmarks that only say where to look.
    fn begin_section(&mut self, page: usize, line: usize, section: Mark) {
        let here = self.marks.entry((page, line)).or_default();
        if here.iter().all(|mark| matches!(mark, Mark::Section { .. })) {
            here.push(section);
        }
    }

    fn is_free(&self, page: usize, line: usize, lines: usize) -> bool {
        (line..line + lines).all(|line| !self.taken.contains(&(page, line)))
    }
}

pub(super) fn plan(pages: &[Page], bookmarks: &[Bookmark], title: Option<&str>) -> Plan {
    let mut plan = Plan::default();
    if let (Some(title), Some(first)) = (title, pages.iter().position(|page| !page.lines.is_empty()))
        && let Some((line, lines)) = Printed::on(&pages[first]).places(title).min_by_key(|(_, lines)| *lines)
    {
        plan.take(first, line, lines, Mark::Title { lines });
    }
    if bookmarks.is_empty() {
        by_looks(pages, title, &mut plan);
    } else {
        by_bookmarks(pages, bookmarks, title, &mut plan);
        if title.is_none() {
            title_by_looks(pages, &mut plan);
        }
    }
    plan
}

fn by_bookmarks(pages: &[Page], bookmarks: &[Bookmark], title: Option<&str>, plan: &mut Plan) {
    let mut printed: HashMap<usize, Printed> = HashMap::new();
    for bookmark in bookmarks {
        let is_title = title.is_some_and(|title| same_words(title, &bookmark.words));
        let index = usize::try_from(bookmark.page).unwrap_or(0).wrapping_sub(1);
        let Some(page) = pages.get(index).filter(|_| !is_title) else { continue };
        let level = bookmark.level;
        let away = |line: usize| bookmark.down.map_or(0.0, |down| (page.lines[line].across - down).abs());
        let place = printed
            .entry(index)
            .or_insert_with(|| Printed::on(page))
            .places(&bookmark.words)
            .filter(|&(line, lines)| plan.is_free(index, line, lines))
            // On one line rather than on several, and nearest to where the bookmark points.
            .min_by(|one, other| one.1.cmp(&other.1).then(away(one.0).total_cmp(&away(other.0))));
        match place {
            Some((line, lines)) => plan.take(index, line, lines, Mark::Heading { level, lines }),
            None => {
                let below = |down: f64| page.lines.iter().position(|line| line.angle == 0 && line.across >= down);
                let line = bookmark.down.and_then(below).unwrap_or(0);
                plan.begin_section(index, line, Mark::Section { level, words: bookmark.words.clone() });
            }
        }
    }
}

/// What the lines of a page say, alone and with those below them: by their letters, so that
/// thousands of bookmarks find their lines at once. Places are first line and number of lines.
struct Printed {
    whole: HashMap<String, Vec<(usize, usize)>>,
    without_number: HashMap<String, Vec<(usize, usize)>>,
}

impl Printed {
    fn on(page: &Page) -> Self {
        let mut printed = Self { whole: HashMap::new(), without_number: HashMap::new() };
        for first in 0..page.lines.len() {
            let mut words = String::new();
            for (line, lines) in page.lines[first..].iter().zip(1..=MOST_LINES) {
                words.push_str(&line.words());
                words.push(' ');
                if words.len() > 4 * LONGEST_HEADING {
                    break;
                }
                printed.whole.entry(folded(&words)).or_default().push((first, lines));
                let bare = without_number(&words);
                if bare != words {
                    printed.without_number.entry(folded(bare)).or_default().push((first, lines));
                }
            }
        }
        printed
    }

    /// Where these words stand, whether or not the number before them is in one, the other or both.
    fn places(&self, heading: &str) -> impl Iterator<Item = (usize, usize)> {
        let exact = self.whole.get(&folded(heading));
        let numbered_in_print = self.without_number.get(&folded(heading));
        let bare = without_number(heading);
        let numbered_in_bookmark = if bare == heading { None } else { self.whole.get(&folded(bare)) };
        [exact, numbered_in_print, numbered_in_bookmark].into_iter().flatten().flatten().copied()
    }
}

fn without_number(heading: &str) -> &str {
    match heading.trim().split_once(' ') {
        Some((number, words)) if is_number(number) => words,
        _ => heading,
    }
}

struct Candidate {
    page: usize,
    line: usize,
    lines: usize,
    size: f64,
    /// How deep it is numbered: 2 for `3.2`.
    numbered: Option<u8>,
}

fn by_looks(pages: &[Page], title: Option<&str>, plan: &mut Plan) {
    if title.is_none() {
        title_by_looks(pages, plan);
    }
    let candidates = candidates(pages, &Measures::of(pages), plan);
    let all_lines: usize = pages.iter().map(|page| page.lines.len()).sum();
    let heading_lines: usize = candidates.iter().map(|candidate| candidate.lines).sum();
    if counted(heading_lines) > MOST_HEADINGS * counted(all_lines) && all_lines > 20 {
        return;
    }
    let mut sizes: Vec<f64> = candidates.iter().map(|candidate| candidate.size).collect();
    sizes.sort_by(|one, other| other.total_cmp(one));
    sizes.dedup_by(|one, other| is_same_size(*one, *other));
    for Candidate { page, line, lines, size, numbered } in candidates {
        let rank = sizes.iter().position(|larger| is_same_size(*larger, size)).unwrap_or(0);
        let by_size = u8::try_from(rank + 1).unwrap_or(LOWEST_LEVEL);
        let level = numbered.unwrap_or(by_size).min(LOWEST_LEVEL);
        plan.take(page, line, lines, Mark::Heading { level, lines });
    }
}

/// Nothing says what the title is: the one line set larger than all others, on the first page, is it.
fn title_by_looks(pages: &[Page], plan: &mut Plan) {
    let candidates = candidates(pages, &Measures::of(pages), plan);
    let largest = candidates.iter().map(|candidate| candidate.size).fold(0.0, f64::max);
    let mut largest = candidates.iter().filter(|candidate| is_same_size(candidate.size, largest));
    let first_page = pages.iter().position(|page| !page.lines.is_empty());
    if let (Some(&Candidate { page, line, lines, numbered: None, .. }), None) = (largest.next(), largest.next())
        && Some(page) == first_page
    {
        plan.take(page, line, lines, Mark::Title { lines });
    }
}

fn is_same_size(one: f64, other: f64) -> bool {
    (one - other).abs() < 0.04 * one.max(other)
}

fn candidates(pages: &[Page], measures: &Measures, plan: &Plan) -> Vec<Candidate> {
    let mut candidates = Vec::new();
    for (page, lines) in pages.iter().map(|page| &page.lines).enumerate() {
        let mut line = 0;
        while line < lines.len() {
            let first = &lines[line];
            let numbered = number_depth(&first.words());
            let is_larger = first.size > measures.body_size * LARGER;
            let is_numbered = numbered.is_some_and(|depth| depth > 1) && stands_apart(lines, line, measures);
            if !plan.is_free(page, line, 1) || !reads_as_heading(first) || !(is_larger || is_numbered) {
                line += 1;
                continue;
            }
            let goes_on = |next: &Line, above: &Line| {
                is_larger
                    && (next.size - first.size).abs() < 0.03 * first.size
                    && (0.0..1.6 * first.size).contains(&(next.across - above.across))
                    && number_depth(&next.words()).is_none()
                    && reads_as_heading(next)
            };
            let more =
                lines[line..].windows(2).take(MOST_LINES - 1).take_while(|pair| goes_on(&pair[1], &pair[0])).count();
            candidates.push(Candidate { page, line, lines: 1 + more, size: first.size, numbered });
            line += 1 + more;
        }
    }
    candidates
}

fn reads_as_heading(line: &Line) -> bool {
    let words = line.words();
    line.angle == 0
        && line.cells.len() == 1
        && words.chars().count() <= LONGEST_HEADING
        && words.chars().filter(|letter| letter.is_alphabetic()).count() >= 2
        && !words.ends_with(['.', ',', ';', ':'])
}

/// The depth of the number a heading begins with: 1 for `3 Travel`, 2 for `3.2 Rail`.
fn number_depth(words: &str) -> Option<u8> {
    let (number, rest) = words.split_once(' ')?;
    let begins_a_heading = rest.chars().next().is_some_and(|letter| letter.is_uppercase() || !letter.is_ascii());
    if !is_number(number) || !begins_a_heading || rest.chars().count() > LONGEST_HEADING * 2 / 3 {
        return None;
    }
    u8::try_from(number.trim_end_matches('.').split('.').count()).ok()
}

fn stands_apart(lines: &[Line], line: usize, measures: &Measures) -> bool {
    let Some(above) = line.checked_sub(1).map(|above| &lines[above]) else { return true };
    let gap = lines[line].across - above.across;
    gap < 0.0 || gap > 1.3 * measures.leading
}

#[expect(clippy::cast_precision_loss, reason = "counts of lines")]
fn counted(lines: usize) -> f64 {
    lines as f64
}
