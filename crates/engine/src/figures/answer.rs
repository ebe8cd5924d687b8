//! The answer: the figure in the policy's words, with the cells it comes from, and the rows that were picked in their own.

use std::collections::BTreeMap;

use ibidem_language::markers::with_marker;
use ibidem_language::rows::rows_of;
use ibidem_language::sentences::Sentence;
use ibidem_words::{Computation, ComputedCondition, ComputedFunction, ComputedTest, SentenceCheck, Verdict};

use super::asking::WantedRows;
use super::compute::{Figure, Formula, Obstacle};
use super::gate;
use super::whole::WholeTable;
use crate::candidate::Candidate;
use crate::draft::CheckedSentence;
use crate::listener::Listener;
use crate::outcome::Decided;
use crate::policy::{FigureRules, FigureWording};
use crate::speak::markup::sanitize;
use crate::speak::quote;
use crate::turn::{Asked, TurnLog};

/// More rows share the greatest figure than are worth naming.
const MOST_DECISIVE: usize = 3;

pub(super) fn figure(
    asked: &Asked,
    rules: &FigureRules,
    table: &WholeTable,
    formula: &Formula,
    listener: &mut dyn Listener,
) -> Result<Decided, Obstacle> {
    let figure = table.table.compute(formula, table.writes_points())?;
    let is_pick = matches!(formula.function, ComputedFunction::Greatest | ComputedFunction::Least);
    let picked: &[usize] = if is_pick { &figure.decisive } else { &[] };
    let sentence = said(&rules.wording, table, formula, &figure);
    let warnings = left_out(&rules.wording, table, &figure);
    Ok(Answer { table, formula, figure: &figure, sentence, warnings }.given(
        asked,
        picked.get(..MOST_DECISIVE.min(picked.len())).unwrap_or_default(),
        listener,
    ))
}

pub(super) fn rows(
    asked: &Asked,
    rules: &FigureRules,
    table: &WholeTable,
    wanted: &WantedRows,
    listener: &mut dyn Listener,
) -> Result<Decided, Obstacle> {
    let (wording, order, most) = (&rules.wording, wanted.order, wanted.most);
    let conditions = wanted.conditions.clone();
    let formula = Formula { function: ComputedFunction::Count, column: None, conditions };
    let figure = table.table.compute(&formula, table.writes_points())?;
    let mut picked = figure.rows.clone();
    if picked.is_empty() {
        return Err(Obstacle::NoRows);
    }
    if let Some(order) = order {
        picked = table.table.sorted(&picked, order, table.writes_points())?;
    }
    let mut warnings = left_out(wording, table, &figure);
    let shown = most.unwrap_or(picked.len()).min(rules.most_rows).min(picked.len());
    if shown < picked.len() && most.is_none_or(|most| shown < most) {
        let text = wording.shortened.replace("{listed}", &shown.to_string());
        warnings.push(text.replace("{all}", &picked.len().to_string()));
    }
    picked.truncate(shown);
    let sentence = said(wording, table, &formula, &figure);
    let heading = match order {
        Some(order) => {
            let by = if order.greatest_first { &wording.greatest_first } else { &wording.least_first };
            let by = filled(by, &[("column", &table.column(order.column)), ("listed", &shown.to_string())]);
            format!("{sentence} {by}")
        }
        None => sentence,
    };
    Ok(Answer { table, formula: &formula, figure: &figure, sentence: heading, warnings }
        .given(asked, &picked, listener))
}

struct Answer<'a> {
    table: &'a WholeTable,
    formula: &'a Formula,
    figure: &'a Figure,
    sentence: String,
    warnings: Vec<String>,
}

impl Answer<'_> {
    fn given(self, asked: &Asked, picked: &[usize], listener: &mut dyn Listener) -> Decided {
        let Self { table, formula, figure, sentence, warnings } = self;
        let addressed = |passage| Candidate { addressed: true, ..Candidate::unscored(passage) };
        let cited = table.citing(&figure.rows, formula.column).unwrap_or_else(|| table.first_passage().clone());
        let mut evidence = vec![addressed(cited)];
        let range = table.range(&figure.rows, formula.column);
        let check = SentenceCheck::computed(computation(table, formula, figure, &range));
        let ending = if picked.is_empty() { "" } else { "\n" };
        let claim = with_marker(&format!("{sentence}{ending}"), 1);
        let mut sentences = vec![CheckedSentence { sentence: Sentence::claim(claim, vec![1]), check }];
        for row in picked {
            let Some((passage, words)) = quoted(table, *row) else { continue };
            let known = evidence.iter().skip(1).position(|one| one.passage.passage == passage.passage);
            let place = known.map_or(evidence.len(), |known| known + 1);
            if place == evidence.len() {
                evidence.push(addressed(passage));
            }
            let number = u32::try_from(place + 1).unwrap_or(u32::MAX);
            let words = with_marker(&format!("{words}\n"), number);
            sentences.push(CheckedSentence::verbatim(Sentence::claim(words, vec![number])));
        }
        let log = TurnLog { warnings, ..TurnLog::of(gate(figure.rows.len(), Verdict::Pass)) };
        quote(asked, &evidence, log, &sentences, 1.0, listener)
    }
}

/// A row in its own words, under its head, with the passage that holds it.
fn quoted(table: &WholeTable, row: usize) -> Option<(ibidem_ports::catalogue::CataloguePassage, String)> {
    let passage = table.passage_of(row)?.clone();
    let text = sanitize(&passage.text, &[passage.text.as_str()]);
    let rows = rows_of(&text, None);
    let first = (0..row)
        .rev()
        .take_while(|before| table.passage_of(*before).is_some_and(|other| other.passage == passage.passage));
    let place = first.count();
    let of_sheet = passage.above.rows.as_ref().map_or(0, |own| own.rows.len());
    let words = rows.get(rows.len().checked_sub(of_sheet)? + place)?.under_head();
    Some((passage, sanitize(&words, &[&text])))
}

fn computation(table: &WholeTable, formula: &Formula, figure: &Figure, range: &str) -> Computation {
    let narrowed = |number: usize| u32::try_from(number).unwrap_or(u32::MAX);
    Computation {
        function: formula.function,
        column: formula.column.map(narrowed),
        conditions: formula.conditions.clone(),
        decimal_points: table.writes_points(),
        figure: figure.written.clone(),
        cells: narrowed(figure.rows.len()),
        range: range.to_owned(),
        table: table.span().unwrap_or(table.first_passage().span),
        rows: narrowed(table.table.rows.len()),
        rows_sha256: table.table.sha256(),
    }
}

fn said(wording: &FigureWording, table: &WholeTable, formula: &Formula, figure: &Figure) -> String {
    let template = match (formula.function, formula.column) {
        (ComputedFunction::Count, Some(_)) => &wording.count_of_column,
        (ComputedFunction::Count, None) => &wording.count,
        (ComputedFunction::Sum, _) => &wording.sum,
        (ComputedFunction::Average, _) => &wording.average,
        (ComputedFunction::Greatest, _) => &wording.greatest,
        (ComputedFunction::Least, _) => &wording.least,
    };
    let conditions: Vec<String> = formula.conditions.iter().map(|own| told(wording, table, own)).collect();
    let with = match conditions.is_empty() {
        true => String::new(),
        false => filled(&wording.with, &[("conditions", &conditions.join("; "))]),
    };
    let rounded = if figure.is_rounded { wording.rounded.clone() } else { String::new() };
    let cells = figure.rows.len().to_string();
    let of_rows = if figure.rows.len() == 1 { &wording.one_cell } else { &wording.cells };
    let range = table.range(&figure.rows, formula.column);
    let from = match figure.rows.is_empty() {
        true => wording.no_cells.clone(),
        false => filled(of_rows, &[("cells", &cells), ("range", &range)]),
    };
    filled(
        template.trim(),
        &[
            ("column", &formula.column.map(|column| table.column(column)).unwrap_or_default()),
            ("table", &table.name()),
            ("with", &with),
            ("figure", &figure.written),
            ("rounded", &rounded),
            ("from", &from),
            ("rows", &table.table.rows.len().to_string()),
        ],
    )
}

fn told(wording: &FigureWording, table: &WholeTable, condition: &ComputedCondition) -> String {
    let column = table.column(usize::try_from(condition.column).unwrap_or(usize::MAX));
    let values: Vec<String> = condition.values.iter().map(|value| sanitize(value, &[])).collect();
    let first = values.first().cloned().unwrap_or_default();
    let template = match condition.test {
        ComputedTest::Is | ComputedTest::Equals => return format!("{column}: {}", values.join(&wording.or)),
        ComputedTest::Above => &wording.above,
        ComputedTest::Below => &wording.below,
        ComputedTest::AtLeast => &wording.at_least,
        ComputedTest::AtMost => &wording.at_most,
        ComputedTest::Between => &wording.between,
    };
    let second = values.get(1).cloned().unwrap_or_default();
    filled(template, &[("column", &column), ("value", &first), ("other", &second)])
}

fn left_out(wording: &FigureWording, table: &WholeTable, figure: &Figure) -> Vec<String> {
    let labels: Vec<String> =
        figure.totals.iter().map(|row| format!("“{}” ({})", table.label(*row), table.range(&[*row], None))).collect();
    match labels.is_empty() {
        true => Vec::new(),
        false => vec![filled(&wording.left_out, &[("rows", &labels.join(", "))])],
    }
}

/// The text with its holes filled at once: what fills one is not looked at again.
pub(super) fn filled(template: &str, holes: &[(&str, &str)]) -> String {
    let holes: BTreeMap<&str, &str> = holes.iter().copied().collect();
    let mut text = String::new();
    let mut rest = template;
    while let Some((before, after)) = rest.split_once('{') {
        text.push_str(before);
        match after.split_once('}').and_then(|(hole, after)| Some((holes.get(hole)?, after))) {
            Some((words, after)) => {
                text.push_str(words);
                rest = after;
            }
            None => {
                text.push('{');
                rest = after;
            }
        }
    }
    text + rest
}
