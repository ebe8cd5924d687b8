//! The gauntlet: every citation marker a model writes is either one minted for this turn, or it is gone.
//!
//! Text arrives in pieces of any size, cut anywhere, even inside a character. What comes out does not
//! depend on where it was cut: everything from an opening bracket to its end is held back until it is whole,
//! then judged in one piece. So an opening bracket only ever comes out together with what follows it,
//! and dropping a marker can never make a new one of what stood around it. Characters that nobody sees are gone
//! before anything is read.

mod bracket;
mod utf8;

use ibidem_language::markers::quoted;
use ibidem_language::sentences::Passed;
use ibidem_ports::records::MarkerCounts;
use ibidem_words::is_unseen;

use bracket::{Judgement, judge, judge_unclosed};
use utf8::Utf8Pieces;

/// A marker longer than this is no marker, and neither is a link's text: the bracket is dropped, the text stays.
const LONGEST_GROUP: usize = 400;
/// Brackets in brackets, deeper than this, are dropped from the outside: what is inside is read again for each of them.
const DEEPEST_GROUP: usize = 8;

/// Why a marker was dropped.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Dropped {
    /// A well-formed marker with a number that was not minted.
    NotMinted,
    /// It looks like a marker but does not read as one.
    Malformed,
    /// The same citation again, with nothing said in between.
    Repeated,
    /// It names a source, card, action or token of the machinery, none of which exist in what a model sees.
    Internal,
}

/// Parses a model's text as it comes. Each turn has one of its own.
#[derive(Clone, Debug)]
pub struct Gauntlet {
    /// Notes 1 to `minted` exist.
    minted: u32,
    pieces: Utf8Pieces,
    /// From an opening bracket on, not judged yet.
    held: String,
    /// How many brackets of the held text are open.
    depth: usize,
    /// The last citation, as long as nothing but white space came after it.
    just_cited: Option<u32>,
    /// Length of the run of backticks that opened the code we are in.
    code: Option<usize>,
    /// Backticks seen in a row, not counted yet.
    backticks: usize,
    /// A carriage return was the last character: the line feed after it is the same line break.
    returned: bool,
    counts: MarkerCounts,
    /// How often a character was looked at.
    #[cfg(test)]
    looks: usize,
}

impl Gauntlet {
    pub fn new(minted: u32) -> Self {
        Self {
            minted,
            pieces: Utf8Pieces::default(),
            held: String::new(),
            depth: 0,
            just_cited: None,
            code: None,
            backticks: 0,
            returned: false,
            counts: MarkerCounts::default(),
            #[cfg(test)]
            looks: 0,
        }
    }

    fn drop_marker(&mut self, why: Dropped) {
        *match why {
            Dropped::NotMinted => &mut self.counts.not_minted,
            Dropped::Malformed => &mut self.counts.malformed,
            Dropped::Repeated => &mut self.counts.repeated,
            Dropped::Internal => &mut self.counts.internal,
        } += 1;
    }

    pub fn counts(&self) -> MarkerCounts {
        self.counts
    }

    /// Takes the next piece and returns what is certain now.
    pub fn push(&mut self, piece: &[u8]) -> Vec<Passed> {
        let mut passed = Vec::new();
        let text = self.pieces.push(piece);
        self.feed(&text, &mut passed);
        passed
    }

    /// The stream is over: what is still held is judged as it stands.
    pub fn finish(&mut self) -> Vec<Passed> {
        let mut passed = Vec::new();
        let rest = self.pieces.finish();
        self.feed(&rest, &mut passed);
        while !self.held.is_empty() {
            self.unclosed(&mut passed, true);
        }
        passed
    }

    /// Text as it came: what nobody sees is left out, and every line break is one.
    fn feed(&mut self, text: &str, passed: &mut Vec<Passed>) {
        for character in text.chars() {
            let follows_return = std::mem::replace(&mut self.returned, character == '\r');
            match character {
                '\n' if follows_return => {}
                '\r' | '\u{b}' | '\u{c}' | '\u{85}' | '\u{2028}' | '\u{2029}' => self.character('\n', passed),
                unseen if is_unseen(unseen) => {}
                seen => self.character(seen, passed),
            }
        }
    }

    fn take(&mut self, text: &str, passed: &mut Vec<Passed>) {
        for character in text.chars() {
            self.character(character, passed);
        }
    }

    fn character(&mut self, character: char, passed: &mut Vec<Passed>) {
        #[cfg(test)]
        {
            self.looks += 1;
        }
        if self.held.is_empty() {
            self.follow_code(character);
            if bracket::opens(character) {
                self.held.push(character);
                self.depth = 1;
            } else if bracket::closes(character) && character != ']' {
                // A closing bracket of a foreign kind without its opening one: half a marker.
                self.drop_marker(Dropped::Malformed);
            } else {
                self.say_character(character, passed);
            }
            return;
        }
        self.held.push(character);
        if bracket::opens(character) {
            self.depth += 1;
            if self.depth > DEEPEST_GROUP || self.held.len() > LONGEST_GROUP {
                self.unclosed(passed, false);
            }
        } else if bracket::closes(character) {
            self.depth -= 1;
            if self.depth == 0 {
                self.closed(passed);
            }
        } else if character == '\n' {
            self.unclosed(passed, true);
        } else if self.held.len() > LONGEST_GROUP {
            self.unclosed(passed, false);
        }
    }

    /// The held text is a whole group.
    fn closed(&mut self, passed: &mut Vec<Passed>) {
        let group = std::mem::take(&mut self.held);
        self.depth = 0;
        match judge(&group, self.minted, self.code.is_some()) {
            Judgement::Citation(number) => self.cite(number, passed),
            Judgement::Text => self.say(&quoted(&group), passed),
            Judgement::Dropped(why) => self.drop_marker(why),
            // Brackets around markers: what is inside counts, the brackets do not.
            Judgement::Nested => self.inside(&group, passed),
        }
    }

    /// The held text will not become a group: its first bracket is judged alone, the rest is read again.
    fn unclosed(&mut self, passed: &mut Vec<Passed>, may_keep_bracket: bool) {
        let held = std::mem::take(&mut self.held);
        self.depth = 0;
        let (kept, rest) = judge_unclosed(&held, may_keep_bracket);
        if kept.is_empty() {
            self.drop_marker(Dropped::Malformed);
        } else {
            self.say(kept, passed);
        }
        let rest = rest.to_owned();
        self.take(&rest, passed);
    }

    fn inside(&mut self, group: &str, passed: &mut Vec<Passed>) {
        self.drop_marker(Dropped::Malformed);
        let mut characters = group.chars();
        characters.next();
        characters.next_back();
        let inner = characters.as_str().to_owned();
        self.take(&inner, passed);
        // Whatever the inside left open ends here, as the group did.
        while !self.held.is_empty() {
            self.unclosed(passed, false);
        }
    }

    fn cite(&mut self, number: u32, passed: &mut Vec<Passed>) {
        if self.just_cited == Some(number) {
            self.drop_marker(Dropped::Repeated);
            return;
        }
        self.just_cited = Some(number);
        self.counts.expanded += 1;
        passed.push(Passed::Citation(number));
    }

    fn say(&mut self, text: &str, passed: &mut Vec<Passed>) {
        for character in text.chars() {
            self.say_character(character, passed);
        }
    }

    fn say_character(&mut self, character: char, passed: &mut Vec<Passed>) {
        if !character.is_whitespace() {
            self.just_cited = None;
        }
        match passed.last_mut() {
            Some(Passed::Text(text)) => text.push(character),
            _ => passed.push(Passed::Text(character.to_string())),
        }
    }

    /// Inside code a number in brackets is an index, not somebody's idea of a citation: it stays, in round brackets.
    fn follow_code(&mut self, character: char) {
        if character == '`' {
            self.backticks += 1;
            return;
        }
        let run = std::mem::take(&mut self.backticks);
        if run > 0 {
            self.code = match self.code {
                None => Some(run),
                Some(opened) if opened == run => None,
                still => still,
            };
        }
        // Code in a line ends with the line at the latest.
        if character == '\n' && self.code.is_some_and(|opened| opened < 3) {
            self.code = None;
        }
    }
}

/// Runs a whole text through at once.
pub fn run(minted: u32, text: &str) -> (Vec<Passed>, MarkerCounts) {
    let mut gauntlet = Gauntlet::new(minted);
    let mut passed = gauntlet.push(text.as_bytes());
    passed.extend(gauntlet.finish());
    (joined(passed), gauntlet.counts())
}

/// Neighbouring texts as one, so that results can be compared.
pub fn joined(passed: Vec<Passed>) -> Vec<Passed> {
    let mut joined: Vec<Passed> = Vec::with_capacity(passed.len());
    for next in passed {
        match (joined.last_mut(), next) {
            (Some(Passed::Text(text)), Passed::Text(more)) => text.push_str(&more),
            (_, next) => joined.push(next),
        }
    }
    joined
}

#[cfg(test)]
mod tests;
