//! The words of questions for a figure that is computed from a table: "how many", "the average of", "at least 40".
//!
//! It is a closed list: what a question says beside it must be said by the table, or the question asks for more.

use crate::language::Language;
use crate::tables::Tables;
pub use crate::tables::{Comparison, Function};

/// Codes of currencies, which are written beside a number. Other short words in capitals are names: `DSL 50`.
pub const CURRENCIES: &[&str] =
    &["AUD", "CAD", "CHF", "CNY", "CZK", "DKK", "EUR", "GBP", "HUF", "INR", "JPY", "NOK", "PLN", "SEK", "TRY", "USD"];

/// Whether a unit is one of money.
pub fn is_currency(unit: &str) -> bool {
    CURRENCIES.contains(&unit) || matches!(unit, "€" | "$" | "£" | "¥")
}

/// What a word or phrase does in such a question.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Role {
    Function(Function),
    Comparison(Comparison),
    /// Joins conditions of which one is enough.
    Or,
    /// The column of money is meant, whatever it is called: `cost`.
    Money,
    /// The rows themselves are meant: `entries`.
    Rows,
    /// The figures follow by which rows are put in order.
    SortedBy,
    /// The greatest comes first.
    Descending,
    Ascending,
    /// It asks for nothing by itself.
    Neutral,
}

/// The words of one language.
#[derive(Clone, Copy)]
pub struct Words {
    tables: &'static Tables,
}

impl Words {
    /// The languages in which such questions are understood: first the one that the question is in.
    pub fn for_question(question: &str) -> Vec<Self> {
        let own = Language::of(question);
        let mut languages = vec![Language::English, Language::German];
        languages.sort_by_key(|language| Some(*language) != own);
        languages.into_iter().map(|language| Self { tables: language.tables() }).collect()
    }

    /// What these words begin with, in lower case, and how many of them that is: the longest phrase that is known.
    pub fn role(&self, words: &[&str]) -> Option<(Role, usize)> {
        let computing = &self.tables.computing;
        let functions = computing.functions.into_iter().map(|(function, list)| (Role::Function(*function), list));
        let comparisons = computing.comparisons.into_iter().map(|(how, list)| (Role::Comparison(*how), list));
        let others = [
            (Role::Or, &computing.or),
            (Role::Money, &computing.money),
            (Role::Rows, &computing.rows),
            (Role::SortedBy, &computing.sorted_by),
            (Role::Descending, &computing.descending),
            (Role::Ascending, &computing.ascending),
            (Role::Neutral, &computing.neutral),
        ];
        let lists = functions.chain(comparisons).chain(others);
        let found = lists.flat_map(|(role, list)| list.into_iter().map(move |phrase| (role, *phrase)));
        let begins = |phrase: &str| {
            let length = phrase.split(' ').count();
            let is_it = length <= words.len() && phrase.split(' ').zip(words).all(|(one, other)| one == *other);
            is_it.then_some(length)
        };
        let found = found.filter_map(|(role, phrase)| begins(phrase).map(|length| (role, length)));
        // Of phrases of one length the first in this order.
        found.fold(None, |best: Option<(Role, usize)>, next| match best {
            Some(best) if best.1 >= next.1 => Some(best),
            _ => Some(next),
        })
    }

    /// The name of the language, as settings have it.
    pub fn language(&self) -> &'static str {
        self.tables.name
    }

    /// Whether the decimals of a number follow a comma.
    pub fn writes_decimal_comma(&self) -> bool {
        self.tables.computing.decimal_comma
    }
}

/// Whether a row with this label repeats what others say: `Total`, `Zwischensumme:`. None where that is not sure, as of
/// `Total care`.
pub fn is_total(label: &str) -> Option<bool> {
    let lower = label.to_lowercase();
    let words: Vec<&str> = lower.split(|sign: char| !sign.is_alphanumeric()).filter(|word| !word.is_empty()).collect();
    let languages = [Language::English, Language::German];
    let is_word = |word: &&&str| languages.iter().any(|language| language.tables().computing.totals.contains(*word));
    let totals = words.iter().filter(is_word).count();
    match totals {
        0 => Some(false),
        _ if totals == words.len() => Some(true),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn phrases_have_their_roles_in_both_languages() {
        for (question, words, expected) in [
            ("how many are there", ["how", "many", "products"], Some((Role::Function(Function::Count), 2))),
            ("what is the average", ["average", "of", "the"], Some((Role::Function(Function::Average), 2))),
            ("what is at least", ["at", "least", "40"], Some((Role::Comparison(Comparison::AtLeast), 2))),
            ("wie viele gibt es davon", ["wie", "viele", "tarife"], Some((Role::Function(Function::Count), 2))),
            ("welche kosten mehr als das", ["mehr", "als", "40"], Some((Role::Comparison(Comparison::Above), 2))),
            ("what is this", ["per", "region", "not"], None),
            ("what is this", ["not", "in", "berlin"], None),
            ("what is this", ["except", "for", "it"], None),
            ("was ist das", ["ohne", "die", "anderen"], None),
        ] {
            assert_eq!(Words::for_question(question)[0].role(&words), expected, "{words:?}");
        }
    }

    #[test]
    fn rows_that_repeat_others_are_known_by_their_label() {
        for (label, expected) in [
            ("Total", Some(true)),
            ("Grand total:", Some(true)),
            ("Gesamtsumme", Some(true)),
            ("DSL 50", Some(false)),
            ("Total care", None),
        ] {
            assert_eq!(is_total(label), expected, "{label}");
        }
    }
}
