//! Whether a figure is said of what it is said of in the passages: `15 minutes` may stand there, for something else.

use std::collections::HashSet;

use super::bounds::same_figures;
use super::cues::is_boundary;
use super::reading::{Figure, Value, is_enumerator, written};
use super::sources::Sources;
use super::statements::{is_content, root};
use super::tokens::Token;
use super::windows::Windows;
use super::{Finding, FindingKind};

/// With fewer words around a figure there is too little to tell what it is said of.
const LEAST_WORDS: usize = 3;
/// The share of those words that another sentence of the passages must have.
const LEAST_SHARE: f64 = 0.6;
/// That sentence must have so many more of them than any in which the figure stands.
const MORE: usize = 2;

/// One finding for each figure whose words all stand in a sentence that has other figures, and not this one.
pub(super) fn check(
    text: &str,
    tokens: &[Token<'_>],
    figures: &[Figure],
    windows: &Windows<'_, '_>,
    sources: &Sources<'_>,
) -> Vec<Finding> {
    let measured = |figure: &&Figure| match &figure.value {
        Value::Quantity(quantity) => !quantity.article && !quantity.ordinal && !is_enumerator(tokens, figure),
        Value::Date(..) | Value::Weekday(_) | Value::Time(_) => true,
        Value::Identifier(_) => false,
    };
    figures.iter().filter(measured).filter_map(|figure| elsewhere(text, tokens, figure, windows, sources)).collect()
}

fn elsewhere(
    text: &str,
    tokens: &[Token<'_>],
    figure: &Figure,
    windows: &Windows<'_, '_>,
    sources: &Sources<'_>,
) -> Option<Finding> {
    let roots = words_around(tokens, figure);
    if roots.len() < LEAST_WORDS {
        return None;
    }
    let places = same_figures(figure, sources);
    let own_windows: HashSet<usize> =
        places.iter().filter_map(|(passage, found)| windows.at(*passage, found.from)).collect();
    let in_common = windows.in_common(roots.iter().map(String::as_str));
    let most = |with: bool| {
        let of_kind = in_common.iter().filter(|(window, _)| own_windows.contains(window) == with);
        of_kind.map(|(window, count)| (*count, *window)).max_by_key(|(count, window)| (*count, usize::MAX - window))
    };
    let (without, window) = most(false)?;
    let with = most(true).map_or(0, |(count, _)| count);
    let moved = !own_windows.is_empty()
        && without >= LEAST_WORDS
        && without as f64 >= LEAST_SHARE * roots.len() as f64
        && with + MORE <= without
        && with as f64 <= LEAST_SHARE * without as f64
        && windows.has_figures(window);
    let figure_text = written(text, tokens, figure);
    moved.then(|| {
        let explanation = format!("{figure_text} stands in the cited passages, but is said of something else there");
        Finding::new(FindingKind::Merged, &figure_text, explanation)
    })
}

/// The roots of the words that share a clause with the figure, its own not counted.
fn words_around(tokens: &[Token<'_>], figure: &Figure) -> HashSet<String> {
    let ends = |token: &Token<'_>| is_boundary(token) || token.is("and");
    let from = (0..figure.from).rev().find(|at| ends(&tokens[*at])).map_or(0, |at| at + 1);
    let to = (figure.to..tokens.len()).find(|at| ends(&tokens[*at])).unwrap_or(tokens.len());
    let around = (from..to).filter(|at| !(figure.from..figure.to).contains(at)).map(|at| &tokens[at]);
    around.filter(|token| is_content(token)).map(|token| root(&token.folded).0).collect()
}
