//! The report for people.

use ibidem_lab::detect::score::Agreement;

use super::{Attribution, Report};
use crate::console;

/// Response-level F1 on the question-answering task of RAGTruth, as published; `lab/data_sets.md`.
const PUBLISHED: [(&str, &str); 6] = [
    ("published: GPT-4-turbo, prompted", "0.456"),
    ("published: Luna", "0.513"),
    ("published: LettuceDetect base", "0.655"),
    ("published: Llama-2-13B, fine-tuned", "0.682"),
    ("published: LettuceDetect large (characters: 0.644)", "0.702"),
    ("published: RAG-HAT 8B", "0.748"),
];
/// Classes of errors shown.
const CLASSES: usize = 10;
/// Of an example.
const MOST_CHARACTERS: usize = 160;

pub(super) fn show(report: &Report) {
    console::say(&format!(
        "{} answers, {} of them hallucinated, {} sentences; verifier {}, least support {}\n",
        report.answers, report.hallucinated, report.sentences, report.verifier, report.least_support
    ));
    let mut table = console::table(&["", "precision", "recall", "F1"]);
    let mut row = |what: &str, agreement: &Agreement| {
        let Agreement { precision, recall, f1 } = agreement;
        table.add_row([what.to_owned(), format!("{precision:.3}"), format!("{recall:.3}"), format!("{f1:.3}")]);
    };
    row("answers with a flagged sentence", &report.of_answers);
    row("  for figures alone", &report.by_figures);
    row("  for what the entailment model says alone", &report.by_entailment);
    row("characters of flagged sentences", &report.of_characters);
    for floor in &report.floors {
        row(&format!("floor: {}", floor.what), &floor.of_answers);
    }
    for (what, f1) in PUBLISHED {
        table.add_row([what, "", "", f1]);
    }
    console::say(&table.to_string());
    let times = &report.ms_per_sentence;
    console::say(&format!("\nms per sentence: p50 {:.2}, p95 {:.2}\n", times.p50, times.p95));
    console::say("for information, on these very answers; the threshold in force was chosen on other data:");
    let header = ["least support", "precision", "recall", "F1", "precision of characters", "recall", "F1"];
    let mut table = console::table(&header);
    for at in &report.at_other_thresholds {
        let numbers = [at.of_answers, at.of_characters].map(|found| [found.precision, found.recall, found.f1]);
        let cells = numbers.into_iter().flatten().map(|number| format!("{number:.3}"));
        table.add_row([format!("{:.1}", at.least_support)].into_iter().chain(cells));
    }
    console::say(&format!("{table}\n"));
    console::say("largest classes of errors, in sentences:");
    for class in report.errors.iter().take(CLASSES) {
        console::say(&format!("{:>5}  {}", class.sentences, class.what));
        for example in &class.examples {
            console::say(&format!("         {}", shortened(example)));
        }
    }
    if let Some(begin) = &report.begin {
        show_begin(begin);
    }
}

fn show_begin(begin: &Attribution) {
    let found = &begin.attributable_found;
    console::say(&format!(
        "\nBEGIN: {} replies, {} of them attributable: accuracy {:.3}; attributable found with precision {:.3}, recall \
         {:.3}, F1 {:.3}; area under the curve {:.3}",
        begin.replies,
        begin.attributable,
        begin.accuracy,
        found.precision,
        found.recall,
        found.f1,
        begin.area_under_curve
    ));
}

fn shortened(text: &str) -> String {
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    match line.char_indices().nth(MOST_CHARACTERS) {
        Some((end, _)) => format!("{}...", &line[..end]),
        None => line,
    }
}
