//! Why a figure is not computed, in the policy's words, and what may be asked instead.

use ibidem_words::{Offer, Reason, Refusal, Verdict};

use super::answer::filled;
use super::asking::{Reading, understood};
use super::compute::Obstacle;
use super::gate;
use super::whole::{Gap, WholeTable};
use crate::listener::Listener;
use crate::outcome::{Clarified, Decided, Outcome, Refused, Retrieval};
use crate::policy::FigureRules;
use crate::turn::{Asked, TurnLog};

/// More choices are no help.
const MOST_CHOICES: usize = 3;

pub(super) fn obstacle(asked: &Asked, rules: &FigureRules, table: &WholeTable, obstacle: &Obstacle) -> Decided {
    let cannot = &rules.wording.cannot;
    let of = |column: usize| table.column(column);
    let text = match obstacle {
        Obstacle::NoFigure { row, column } => filled(
            &cannot.no_figure,
            &[
                ("column", &of(*column)),
                ("cell", &table.range(&[*row], Some(*column))),
                ("value", &table.cell(*row, *column)),
            ],
        ),
        Obstacle::Units { column } => filled(&cannot.units, &[("column", &of(*column))]),
        Obstacle::DecimalSign { column } => filled(&cannot.decimals, &[("column", &of(*column))]),
        Obstacle::PerhapsTotal { row } => {
            filled(&cannot.perhaps_total, &[("label", &table.label(*row)), ("cell", &table.range(&[*row], None))])
        }
        Obstacle::NoRows => filled(&cannot.no_rows, &[("table", &table.name())]),
        Obstacle::Repeated { column } => filled(&cannot.repeated, &[("column", &of(*column))]),
        Obstacle::TooLong => cannot.too_long.clone(),
    };
    refused(asked, table, &text)
}

pub(super) fn gap(asked: &Asked, rules: &FigureRules, table: &WholeTable, gap: &Gap) -> Decided {
    let cannot = &rules.wording.cannot;
    let text = match gap {
        Gap::Partial => filled(&cannot.partial, &[("table", &table.name())]),
        Gap::TooLong => filled(&cannot.too_many_rows, &[("table", &table.name())]),
        Gap::Merged { column } => filled(&cannot.merged, &[("column", &table.column(*column))]),
        Gap::PerhapsRows => filled(&cannot.perhaps_rows, &[("table", &table.name())]),
    };
    refused(asked, table, &text)
}

pub(super) fn unclear(asked: &Asked, rules: &FigureRules, table: &WholeTable) -> Decided {
    refused(asked, table, &filled(&rules.wording.cannot.unclear, &[("table", &table.name())]))
}

pub(super) fn unknown_words(asked: &Asked, rules: &FigureRules, table: &WholeTable, words: &[String]) -> Decided {
    let words: Vec<String> = words.iter().map(|word| format!("“{word}”")).collect();
    let holes = [("table", table.name()), ("words", words.join(", "))];
    let holes: Vec<(&str, &str)> = holes.iter().map(|(hole, words)| (*hole, words.as_str())).collect();
    refused(asked, table, &filled(&rules.wording.cannot.unknown_words, &holes))
}

fn refused(asked: &Asked, table: &WholeTable, text: &str) -> Decided {
    let refusal = Refusal {
        reason: Reason::NotComputable,
        explanation: format!("Tables that the figure can be computed from (0 of 1, {:?})", table.name()),
        suggestions: asked.policy.rules.wording.next_steps.clone(),
    };
    let why = Some(asked.policy.rules.wording.why(Reason::NotComputable).trim().to_owned());
    Decided::refused_by_rule(
        Refused { why, ..Refused::saying(text.trim().to_owned(), refusal) },
        gate(0, Verdict::Stop),
    )
}

/// Asks back which table is meant. Each choice is the question with the name of a table, where that settles it.
pub(super) fn which_table(
    asked: &Asked,
    rules: &FigureRules,
    tables: &[&WholeTable],
    listener: &mut dyn Listener,
) -> Decided {
    let names: Vec<String> = tables.iter().map(|table| table.name()).collect();
    let choices = tables.iter().zip(&names).filter_map(|(table, name)| {
        let choice = with_words(&asked.question.query, name);
        let is_told_apart = names.iter().filter(|other| *other == name).count() == 1;
        let is_sure = matches!(understood(&choice, &table.table, &table.names()).reading, Reading::Sure(_));
        (is_told_apart && is_sure).then_some(choice)
    });
    asked_back(&rules.wording.which_table, &names, choices.collect(), listener)
}

/// Asks back which column is meant.
pub(super) fn which_column(
    rules: &FigureRules,
    table: &WholeTable,
    columns: &[usize],
    listener: &mut dyn Listener,
) -> Decided {
    let names: Vec<String> = columns.iter().map(|column| table.column(*column)).collect();
    asked_back(&rules.wording.which_column, &names, Vec::new(), listener)
}

fn asked_back(template: &str, names: &[String], mut choices: Vec<String>, listener: &mut dyn Listener) -> Decided {
    let quoted: Vec<String> = names.iter().map(|name| format!("“{name}”")).collect();
    let text = filled(template.trim(), &[("names", &quoted.join(", "))]);
    choices.truncate(MOST_CHOICES);
    listener.sentence(&text, Vec::new());
    let clarified = Clarified {
        text,
        reason: Some(Reason::NotComputable),
        explanation: Some(format!("What the figure can be computed from ({} of 1)", names.len())),
        offers: choices.into_iter().map(|choice| Offer { text: choice.clone(), query: choice }).collect(),
        details: Vec::new(),
        quoted: None,
    };
    Decided::plainly(Outcome::Clarified(clarified), Retrieval::by_rule(), TurnLog::of(gate(names.len(), Verdict::Stop)))
}

fn with_words(question: &str, words: &str) -> String {
    format!("{} ({words})?", question.trim_end().trim_end_matches(['?', '.', '!']).trim_end())
}
