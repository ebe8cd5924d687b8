//! Reads a sentence clause by clause: which of its words a negation reaches, and which not.

use super::antonyms::denied_by_prefix;
use super::cues::{self, Cue, Force, Share};
use super::statements::{Demand, Portion, Relation, Sign, StatedWord, Statement, is_content, root};
use super::tokens::{Kind, Token};

/// A negation at work.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Denial {
    /// Words still to come that it is about in the first place.
    heads: usize,
    uncertain: bool,
    phrase: bool,
}

struct Reader<'s, 'a> {
    tokens: &'s [Token<'a>],
    statement: Statement,
    clause: usize,
    /// Negations whose words are still to come.
    denials: Vec<Denial>,
    /// Where this clause's words begin.
    clause_from: usize,
}

/// Reads one sentence.
pub(super) fn parse(tokens: &[Token<'_>]) -> Statement {
    let mut reader = Reader {
        tokens,
        statement: Statement { exceptions: cues::exceptions(tokens), ..Statement::default() },
        clause: 0,
        denials: Vec::new(),
        clause_from: 0,
    };
    let mut place = 0;
    while place < tokens.len() {
        place = reader.step(place);
    }
    reader.statement
}

impl Reader<'_, '_> {
    /// Reads from this token on and returns where to go on.
    fn step(&mut self, place: usize) -> usize {
        let token = &self.tokens[place];
        if self.ends_clause(place) {
            self.next_clause();
        }
        self.statement.restricts |= cues::restricts(&token.folded);
        if !self.denials.is_empty() && cues::measures(self.tokens, place) {
            self.deny_only_the_bound();
        }
        match cues::at(self.tokens, place) {
            Some((cue, to)) => {
                self.cue(cue, place, to);
                to
            }
            None => {
                if is_content(token) {
                    self.say(place);
                }
                if cues::displaces(self.tokens, place) {
                    self.denials.push(Denial { heads: 0, uncertain: true, phrase: true });
                }
                place + 1
            }
        }
    }

    fn cue(&mut self, cue: Cue, place: usize, to: usize) {
        match cue {
            Cue::Nothing => {}
            Cue::Bound => self.statement.restricts = true,
            Cue::Deny { heads } => {
                self.statement.restricts = true;
                self.blur_clause();
                self.denials.push(Denial { heads, uncertain: false, phrase: false });
            }
            Cue::DenyPhrase => {
                self.statement.restricts = true;
                self.denials.push(Denial { heads: 1, uncertain: false, phrase: true });
            }
            Cue::Blur => {
                self.blur_clause();
                self.denials.push(Denial { heads: 0, uncertain: true, phrase: false });
            }
            Cue::Demand(force) => {
                // `nobody may` is `must not`.
                if force == Force::May && self.denials.iter().any(|denial| !denial.phrase) {
                    self.demand(cues::opposite(force), place, to);
                    return;
                }
                self.statement.restricts |= force != Force::May;
                self.demand(force, place, to);
                match force {
                    Force::MustNot | Force::ShouldNot if cues::speaks_before_its_verb(&self.tokens[place].folded) => {
                        self.blur_clause();
                        self.denials.push(Denial { heads: 1, uncertain: false, phrase: false });
                    }
                    Force::MustNot | Force::ShouldNot | Force::NeedNot => {
                        self.blur_clause();
                        self.denials.push(Denial { heads: 0, uncertain: true, phrase: false });
                    }
                    Force::Must | Force::Should | Force::May => {}
                }
            }
            Cue::Relation { pair, forward } => self.relation(pair, forward, place, to),
            Cue::Portion(share) => self.portion(share, place, to),
            Cue::Only => {
                self.statement.restricts = true;
                let counts = self.tokens.get(to).is_some_and(|next| next.kind == Kind::Number);
                if !counts {
                    self.statement.exclusive = Some(self.tokens[place].folded.to_string());
                }
            }
        }
    }

    /// Everything already said in this clause may be meant by the negation, or not.
    fn blur_clause(&mut self) {
        for word in &mut self.statement.words[self.clause_from..] {
            if word.sign == Sign::Affirmed {
                word.sign = Sign::Uncertain;
            }
        }
    }

    /// `not kept for more than 30 days` says how long, not that nothing is kept.
    fn deny_only_the_bound(&mut self) {
        for word in &mut self.statement.words[self.clause_from..] {
            word.sign = Sign::Uncertain;
        }
        for denial in &mut self.denials {
            *denial = Denial { heads: 0, uncertain: true, phrase: false };
        }
    }

    fn say(&mut self, place: usize) {
        let token = &self.tokens[place];
        let mut head = false;
        let mut by_phrase = false;
        let mut denied = false;
        let mut uncertain = false;
        for denial in &mut self.denials {
            denied ^= !denial.uncertain;
            uncertain |= denial.uncertain;
            head |= denial.heads > 0;
            by_phrase |= denial.heads > 0 && denial.phrase;
            // An adverb stands between a negation and its verb.
            if !token.folded.ends_with("ly") {
                denial.heads = denial.heads.saturating_sub(1);
            }
        }
        let sign = if uncertain { Sign::Uncertain } else { Sign::Affirmed.turned(denied) };
        let (of_word, negative, compares) = root(&token.folded);
        let than = self.than(place);
        let word = token.text.to_owned();
        let clause = self.clause;
        let stated = StatedWord { root: of_word, word, sign, negated: denied, head, compares, by_phrase, clause, than };
        if let Some(rest) = denied_by_prefix(&token.folded) {
            let (denied_root, turned, _) = root(rest);
            self.statement.words.push(StatedWord {
                root: denied_root,
                sign: sign.turned(!turned),
                head: true,
                ..stated.clone()
            });
        }
        self.statement.words.push(StatedWord { sign: sign.turned(negative), head: head || negative, ..stated });
    }

    /// What a comparison compares with.
    fn than(&self, place: usize) -> Option<String> {
        let after = self.tokens.get(place + 1..)?;
        let than = after.iter().take(4).position(|token| token.is("than"))?;
        let of = after[than + 1..].iter().take(4).find(|token| is_content(token))?;
        Some(root(&of.folded).0)
    }

    fn content_after(&self, place: usize, most: usize) -> Vec<String> {
        let rest = self.tokens.get(place..).unwrap_or_default();
        let clause = rest.iter().take_while(|token| !cues::is_boundary(token)).take(8);
        clause.filter(|token| is_content(token)).take(most).map(|token| root(&token.folded).0).collect()
    }

    fn clause_roots(&self) -> Vec<String> {
        self.statement.words[self.clause_from..].iter().map(|word| word.root.clone()).collect()
    }

    fn demand(&mut self, force: Force, place: usize, to: usize) {
        let before_its_verb = cues::speaks_before_its_verb(&self.tokens[place].folded);
        let mut of = self.content_after(to, 2);
        if self.tokens.get(to).is_some_and(|next| next.is("only")) && !before_its_verb {
            // `permitted only here`: here, at least, it is permitted.
            of.truncate(1);
        } else if !self.statement.exceptions.is_empty() {
            // With an exception, `may only` demands and `must not unless` allows.
            return;
        } else if !before_its_verb {
            of.extend(self.subject_before(place));
        }
        let word = self.tokens[place..to].iter().map(|token| token.folded.as_ref()).collect::<Vec<_>>().join(" ");
        self.statement.demands.push(Demand { force, word, of });
    }

    /// What `is required` is said of: the words before it, back to the last `and`.
    fn subject_before(&self, place: usize) -> Vec<String> {
        let before = self.tokens[..place].iter().rev();
        let subject = before.take_while(|token| !token.is("and") && !cues::is_boundary(token));
        subject.filter(|token| is_content(token)).take(3).map(|token| root(&token.folded).0).collect()
    }

    fn relation(&mut self, pair: &'static str, forward: bool, place: usize, to: usize) {
        let before = self.clause_roots();
        let word = self.tokens[place].folded.to_string();
        if let Some(of) = self.content_after(to, 1).pop() {
            self.statement.relations.push(Relation { pair, forward, word, of, before });
        }
    }

    fn portion(&mut self, share: Share, place: usize, to: usize) {
        let word = self.tokens[place].folded.to_string();
        if let Some(of) = self.content_after(to, 1).pop() {
            self.statement.portions.push(Portion { share, word, of });
        }
    }

    fn next_clause(&mut self) {
        self.clause += 1;
        self.clause_from = self.statement.words.len();
        self.denials.clear();
    }

    fn ends_clause(&self, place: usize) -> bool {
        let token = &self.tokens[place];
        if cues::is_boundary(token) {
            return !(token.text == "," && !self.denials.is_empty() && self.lists_on(place));
        }
        if token.is("and") && !self.denials.is_empty() {
            // `does not log and store` goes on; `does not log and validates` does not.
            let next = self.tokens.get(place + 1);
            return next.is_some_and(|next| next.folded.ends_with('s') || !is_content(next));
        }
        false
    }

    /// A list of what is denied: `not log, store or forward`.
    fn lists_on(&self, place: usize) -> bool {
        let rest = &self.tokens[place + 1..];
        let list = rest.iter().take_while(|token| token.is_word() || token.text == ",").take(12);
        let mut words = list.filter(|token| token.is_word());
        words.any(|token| token.is("or") || token.is("nor"))
    }
}
