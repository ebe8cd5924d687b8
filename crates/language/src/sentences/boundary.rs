//! Where sentences end, sign by sign, each end as early as it is certain.

use super::abbreviations::Word;
use super::lines::{Line, Lines};
use super::signs::{begins_structure, closes, emphasises, is_caseless, stops, stops_alone};
use super::waiting::{Question, Waiting};

/// From here on a sentence ends with the next word.
pub(super) const LONGEST: usize = 4_000;
/// And so much later in the middle of one.
const LONGEST_WORD: usize = 400;
/// No abbreviation is longer, with what is around it.
const LONGEST_ABBREVIATION: usize = 16;

/// What it is that ended, where the text alone does not tell.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(super) enum Shape {
    #[default]
    Text,
    /// The first row of a table, with the line below it that makes it one.
    TableHeader,
    Code,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct End {
    /// So many bytes were before the sentence that begins.
    pub(super) at: usize,
    pub(super) shape: Shape,
}

/// A full stop or the like, with nothing after it yet but what closes with it.
#[derive(Clone, Copy, Debug)]
struct Stop {
    /// Needs no white space after it.
    alone: bool,
    dots: usize,
    word: Word,
    /// Only small letters before it: so a large one after it, without any space, may begin a sentence.
    after_small_letters: bool,
    after_caseless: bool,
    /// A quotation or a bracket closed after it.
    closed: bool,
}

/// What stands between the last sign and the next.
#[derive(Clone, Copy, Debug, Default)]
struct Gap {
    space: bool,
    lines: usize,
    /// Where the last line began, unless a citation stands there: a line's indentation is its own.
    line_at: Option<usize>,
    cited: bool,
}

/// Reads signs, and says where sentences end.
#[derive(Clone, Debug, Default)]
pub(super) struct Boundaries {
    /// Bytes read.
    read: usize,
    /// Characters of the sentence so far.
    length: usize,
    /// Something was said in it.
    has_words: bool,
    /// The last sign that was not white space, emphasis or a citation.
    last: Option<char>,
    word: String,
    stop: Option<Stop>,
    gap: Gap,
    lines: Lines,
    /// Inside « », which stand apart from what they quote.
    in_guillemets: bool,
    waiting: Option<Waiting>,
}

/// What the next sign makes of what stands before it.
enum Finding {
    GoesOn,
    Ends,
    /// The next word tells.
    Depends(Question),
}

impl Boundaries {
    /// Reads a character. An end is at this character or, where the word that follows had to be read first, before it.
    pub(super) fn feed(&mut self, sign: char) -> Option<End> {
        let mut end = self.decide(Some(sign));
        if sign.is_whitespace() {
            self.gap.space = true;
            self.lines.pause();
            if sign == '\n' {
                self.gap.lines += 1;
                self.gap.line_at = Some(self.read + 1);
                self.lines.end();
            }
        } else {
            let found = self.take(sign);
            end = end.or(found);
        }
        self.read += sign.len_utf8();
        self.length += 1;
        end
    }

    /// Reads a citation of so many bytes.
    pub(super) fn cite(&mut self, bytes: usize) -> Option<End> {
        let end = self.decide(None);
        self.gap.cited = true;
        self.gap.line_at = None;
        self.read += bytes;
        self.length += bytes;
        end
    }

    /// Nothing follows. An end there is only where a word was still being read.
    pub(super) fn finish(&mut self) -> Option<End> {
        self.decide(None)
    }

    /// What the sentence is that is being read.
    pub(super) fn shape(&self) -> Shape {
        if self.lines.is_code_since() { Shape::Code } else { Shape::Text }
    }

    fn decide(&mut self, next: Option<char>) -> Option<End> {
        let mut waiting = self.waiting.take()?;
        match waiting.decide(next) {
            None => {
                waiting.characters += 1;
                self.waiting = Some(waiting);
                None
            }
            Some(None) => None,
            Some(Some(shape)) => {
                self.length = waiting.characters;
                Some(End { at: waiting.at, shape })
            }
        }
    }

    fn take(&mut self, sign: char) -> Option<End> {
        let gap = std::mem::take(&mut self.gap);
        let is_near = !gap.space || (sign == '»' && self.in_guillemets && gap.lines == 0);
        if is_near && self.goes_with_the_stop(sign) {
            self.gap.cited = gap.cited;
            self.remember(sign, Gap::default());
            return None;
        }
        let (mut end, at) = (None, gap.line_at.unwrap_or(self.read));
        match self.finding(sign, gap) {
            Finding::GoesOn => {}
            Finding::Ends => {
                end = Some(End { at, shape: self.shape() });
                self.length = 0;
                self.lines.begin_sentence();
            }
            Finding::Depends(question) => self.waiting = Some(Waiting::new(at, question, sign)),
        }
        self.lines.take(sign, gap.lines);
        self.stop = if stops(sign) && self.lines.has_stops() { self.stopped_by(sign, gap) } else { None };
        self.remember(sign, gap);
        end
    }

    /// Closing signs and further stops belong to the stop before them.
    fn goes_with_the_stop(&mut self, sign: char) -> bool {
        let Some(stop) = &mut self.stop else { return false };
        if stops(sign) {
            stop.dots += usize::from(sign == '.');
            stop.alone |= stops_alone(sign);
        } else if closes(sign) {
            stop.closed = true;
        } else if !emphasises(sign) {
            return false;
        }
        true
    }

    fn stopped_by(&self, sign: char, gap: Gap) -> Option<Stop> {
        let word = if gap.space || gap.cited { "" } else { self.word.as_str() };
        if sign == '.' && self.lines.is_ordinal(word) {
            return None;
        }
        // Programs have names like `io.Reader`.
        let least = if sign == '.' { 3 } else { 2 };
        Some(Stop {
            alone: stops_alone(sign),
            dots: if sign == '…' { 3 } else { usize::from(sign == '.') },
            word: if sign == '.' { Word::before_stop(word) } else { Word::Plain },
            after_small_letters: word.chars().count() >= least && word.chars().all(char::is_lowercase),
            after_caseless: word.chars().next_back().is_some_and(is_caseless),
            closed: false,
        })
    }

    fn remember(&mut self, sign: char, gap: Gap) {
        if gap.space || gap.cited {
            self.word.clear();
        }
        if self.word.len() <= LONGEST_ABBREVIATION {
            self.word.push(sign);
        }
        self.has_words = true;
        self.in_guillemets = sign == '«' || (self.in_guillemets && sign != '»');
        if !emphasises(sign) {
            self.last = Some(sign);
        }
    }

    fn finding(&self, sign: char, gap: Gap) -> Finding {
        if !self.has_words {
            return Finding::GoesOn;
        }
        let too_long = self.length >= LONGEST;
        if self.lines.in_code() {
            return ends_if(too_long && gap.lines > 0 || self.length >= LONGEST + LONGEST_WORD);
        }
        if too_long && (gap.space || self.length >= LONGEST + LONGEST_WORD) {
            return Finding::Ends;
        }
        if gap.lines > 0 {
            let before = self.lines.before();
            if before == Line::FirstRow && sign == '|' && gap.lines == 1 {
                return Finding::Depends(Question::IsRuleOfTable);
            }
            let is_whole = matches!(before, Line::Heading | Line::FirstRow | Line::Row | Line::EndOfCode);
            if gap.lines > 1 || is_whole || begins_structure(sign) || self.last == Some(':') {
                return Finding::Ends;
            }
        }
        let by_stop = self.stop.map_or(Finding::GoesOn, |stop| after_stop(stop, sign, gap));
        match by_stop {
            // A line that goes on with a small letter was only broken, unless that letter numbers an item.
            Finding::GoesOn if gap.lines > 0 && sign.is_lowercase() => Finding::Depends(Question::IsItemLetter),
            Finding::GoesOn if gap.lines > 0 && self.stop.is_none() => Finding::Ends,
            found => found,
        }
    }
}

fn ends_if(ends: bool) -> Finding {
    if ends { Finding::Ends } else { Finding::GoesOn }
}

fn after_stop(stop: Stop, sign: char, gap: Gap) -> Finding {
    if stop.alone {
        return Finding::Ends;
    }
    let (small, large, digit) = (sign.is_lowercase(), sign.is_uppercase(), sign.is_numeric());
    if !gap.space {
        return match () {
            () if gap.cited => ends_if(large || is_caseless(sign)),
            () if stop.after_caseless => ends_if(is_caseless(sign)),
            () if stop.after_small_letters && large => Finding::Depends(Question::IsSentenceWithoutSpace),
            () => Finding::GoesOn,
        };
    }
    if stop.dots > 1 {
        return ends_if(!small);
    }
    // What is cited after an abbreviation, or ends a line with it, is mostly whole.
    let set_apart = gap.cited || gap.lines > 0;
    match stop.word {
        Word::Plain => ends_if(!(small && stop.closed)),
        Word::Short => ends_if(!small),
        Word::Opening => Finding::GoesOn,
        Word::BeforeNumber if large && !set_apart => Finding::Depends(Question::IsNoNumber),
        Word::BeforeNumber => ends_if(!small && !digit),
        Word::Closing if set_apart || !large => ends_if(!small && !digit),
        Word::Closing => Finding::Depends(Question::IsNoWeekday),
        Word::Named if set_apart => ends_if(!small && !digit),
        Word::Named if large => Finding::Depends(Question::BeginsSentence),
        Word::Named => Finding::GoesOn,
        Word::Ordinal if set_apart || !large => ends_if(!small),
        Word::Ordinal => Finding::Depends(Question::IsNoMonth),
    }
}
