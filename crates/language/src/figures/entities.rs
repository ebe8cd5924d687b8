//! Names in a sentence: each must be known to its passages.

use std::cell::OnceCell;
use std::collections::HashSet;

use super::reading::Figure;
use super::sources::Sources;
use super::tokens::{Kind, Token};
use super::{Finding, FindingKind};
use crate::language::is_small_beside_nouns;
use crate::stems::of_a_statement as stem;
use crate::stop_words::is_of_a_statement;

/// One finding for each name that occurs in no passage, also not in part, as an acronym or behind one.
pub(super) fn check(tokens: &[Token<'_>], figures: &[Figure], sources: &Sources<'_>) -> Vec<Finding> {
    let mut in_figure = vec![false; tokens.len()];
    for figure in figures {
        in_figure[figure.from..figure.to.min(tokens.len())].fill(true);
    }
    let mut names: Vec<Vec<&Token<'_>>> = Vec::new();
    let mut last = None;
    for (place, token) in tokens.iter().enumerate() {
        if !is_name(tokens, place) || in_figure[place] {
            continue;
        }
        let goes_on = last.is_some_and(|last| joins(tokens, last, place));
        match names.last_mut().filter(|_| goes_on) {
            Some(name) => name.push(token),
            None => names.push(vec![token]),
        }
        last = Some(place);
    }
    let known = Known::of(sources);
    let mut findings: Vec<Finding> = Vec::new();
    for name in names {
        if known.has_initials(&name) {
            continue;
        }
        let missing: Vec<&str> = name.iter().filter(|token| !known.has(token)).map(|token| token.text).collect();
        if !missing.is_empty() {
            let missing_name = missing.join(" ");
            let explanation = format!("{missing_name} is named in none of the cited passages");
            findings.push(Finding::new(FindingKind::Entity, &missing_name, explanation));
        }
    }
    findings
}

/// A word with a capital where none is due, or an acronym anywhere.
fn is_name(tokens: &[Token<'_>], place: usize) -> bool {
    let token = &tokens[place];
    if !token.is_word() || !token.is_capitalised() || token.is("i") || token.folded.starts_with("i'") {
        return false;
    }
    if token.is_acronym() || has_inner_capital(token.text) {
        return true;
    }
    let short = token.text.chars().count() < 2;
    let ordinary = !is_of_a_statement(&token.folded) || is_small_beside_nouns(&token.folded);
    if short || ordinary {
        return false;
    }
    if !begins(tokens, place) {
        return true;
    }
    // A capital at the start says nothing, unless the next word has one too.
    let next = tokens.get(place + 1).filter(|next| !next.glued && next.is_word() && next.is_capitalised());
    next.is_some_and(|next| !next.is("i"))
}

fn has_inner_capital(text: &str) -> bool {
    let mut characters = text.chars().skip(1);
    text.chars().any(char::is_lowercase) && characters.any(char::is_uppercase)
}

/// The first word of the text, of a sentence, a quotation, a list item or what follows a colon.
fn begins(tokens: &[Token<'_>], place: usize) -> bool {
    let before = tokens[..place].iter().rev().find(|token| !matches!(token.text, "*" | "_" | "`" | "(" | "[" | "#"));
    let Some(before) = before else { return true };
    let opens = matches!(before.text, "." | "!" | "?" | ":" | "…" | "\"" | "“" | "«" | "„" | "•" | "|" | ";" | ")");
    let bullet = before.is_dash() && !tokens[place].glued;
    let numbered = before.kind == Kind::Number && place <= 2;
    opens || bullet || numbered || before.kind == Kind::Break
}

/// The words of one name: next to each other, or with a small word or hyphen between them.
fn joins(tokens: &[Token<'_>], last: usize, place: usize) -> bool {
    let between = &tokens[last + 1..place];
    match between {
        [] => true,
        [one] => one.is_dash() || matches!(one.folded.as_ref(), "of" | "and" | "the" | "for" | "de" | "&"),
        [one, two] => one.is("of") && two.is("the"),
        _ => false,
    }
}

/// What the passages know by name.
struct Known<'s, 'a> {
    sources: &'s Sources<'a>,
    /// Made when somebody asks: most names stand in the passages as they are.
    stems: OnceCell<HashSet<String>>,
}

impl<'s, 'a> Known<'s, 'a> {
    fn of(sources: &'s Sources<'a>) -> Self {
        Self { sources, stems: OnceCell::new() }
    }

    fn has_stem(&self, stem_of: &str) -> bool {
        let stems = self.stems.get_or_init(|| {
            let stems = self.sources.words.iter().map(|word| stem(word));
            stems.chain(self.sources.identifiers.iter().cloned()).collect()
        });
        stems.contains(&stem(stem_of))
    }

    fn has(&self, token: &Token<'_>) -> bool {
        let word = token.folded.strip_suffix("'s").unwrap_or(&token.folded);
        self.sources.words.contains(word)
            || self.has_stem(word)
            || (token.is_acronym() && self.spells(word))
            || self.has_relative(word)
            || self.sources.has_text(word)
    }

    /// `German` and `Germany`, `Postgres` and `PostgreSQL`.
    fn has_relative(&self, word: &str) -> bool {
        const SHORTEST: usize = 5;
        const LONGEST_ENDING: usize = 3;
        let relative = |one: &str, other: &str| {
            one.len() >= SHORTEST && other.len() - one.len() <= LONGEST_ENDING && other.starts_with(one)
        };
        self.sources
            .words
            .iter()
            .any(|known| if known.len() <= word.len() { relative(known, word) } else { relative(word, known) })
    }

    /// The letters of the acronym begin words that follow each other in a passage.
    fn spells(&self, acronym: &str) -> bool {
        let letters: Vec<char> = acronym.trim_end_matches('s').chars().filter(|c| c.is_alphabetic()).collect();
        self.sources.each.iter().any(|source| {
            let words = source.tokens.iter().filter(|token| token.is_word());
            let initials: Vec<(char, bool)> =
                words.filter_map(|token| Some((token.folded.chars().next()?, is_small(&token.folded)))).collect();
            (0..initials.len()).any(|start| {
                // Small words between may count or not: `SoC`, `DPA` of `agreement on the processing of data`.
                let mut wanted = letters.iter();
                let mut next = wanted.next();
                for (initial, small) in &initials[start..initials.len().min(start + letters.len() * 2)] {
                    if next == Some(initial) {
                        next = wanted.next();
                    } else if !small {
                        break;
                    }
                    if next.is_none() {
                        return true;
                    }
                }
                false
            })
        })
    }

    /// The passages have the acronym of this name.
    fn has_initials(&self, name: &[&Token<'_>]) -> bool {
        let initials: String = name.iter().filter_map(|token| token.folded.chars().next()).collect();
        name.len() > 1 && self.sources.words.contains(&initials)
    }
}

fn is_small(folded: &str) -> bool {
    matches!(folded, "of" | "and" | "the" | "for" | "on" | "in" | "to" | "a")
}
