//! Documents that read like an organisation's own, the same for the same seed.

use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use rand::rngs::StdRng;
use rand::seq::IndexedRandom as _;
use rand::{RngExt as _, SeedableRng as _};
use serde_json::json;

const WHO: [&str; 12] = [
    "The data steward",
    "The platform team",
    "Every architect on call",
    "The privacy officer",
    "A release manager",
    "The works council",
    "The finance department",
    "Each service owner",
    "The incident commander",
    "The records office",
    "A newly hired engineer",
    "The procurement desk",
];
const DOES: [&str; 12] = [
    "reviews",
    "archives",
    "must approve",
    "may delegate",
    "publishes",
    "never bypasses",
    "encrypts",
    "reconciles",
    "rotates",
    "documents",
    "escalates",
    "retires",
];
const WHAT: [&str; 16] = [
    "the retention schedule",
    "transport certificates",
    "the quarterly budget",
    "meter readings of the northern grid",
    "travel claims above 400 euros",
    "the catalogue of interfaces",
    "backups of the customer register",
    "the list of approved suppliers",
    "access rights to the vault",
    "minutes of the change board",
    "the emergency telephone tree",
    "pseudonymised usage statistics",
    "the onboarding checklist",
    "deprecated message formats",
    "substation drawings",
    "the translation glossary",
];
const WHEN: [&str; 12] = [
    "before the first of March",
    "within 30 days",
    "once a year",
    "after every audit",
    "unless the board decides otherwise",
    "during working hours",
    "at the end of each sprint",
    "when a contract ends",
    "on the second Tuesday of the month",
    "as soon as an incident is closed",
    "together with a colleague",
    "for at least seven years",
];
const SECTIONS: [&str; 8] =
    ["Context", "Decision", "Consequences", "Scope", "Responsibilities", "Exceptions", "Procedure", "Review"];

pub(crate) struct Writer(StdRng);

impl Writer {
    pub(crate) fn new(seed: u64) -> Self {
        Self(StdRng::seed_from_u64(seed))
    }

    pub(crate) fn sentence(&mut self) -> String {
        let mut one = |choices: &[&'static str]| *choices.choose(&mut self.0).unwrap();
        let [who, does, what, when] = [one(&WHO), one(&DOES), one(&WHAT), one(&WHEN)];
        format!("{who} {does} {what} {when} (rule {}).", self.0.random_range(1..10_000))
    }

    pub(crate) fn paragraph(&mut self, sentences: usize) -> String {
        (0..sentences).map(|_| self.sentence()).collect::<Vec<_>>().join(" ")
    }

    pub(crate) fn markdown(&mut self, title: &str, sections: usize) -> String {
        let mut text = format!("# {title}\n\n{}\n", self.paragraph(2));
        for number in 0..sections {
            let name = SECTIONS[number % SECTIONS.len()];
            let numbered = number / SECTIONS.len() + 1;
            let (first, second) = (self.paragraph(4), self.paragraph(3));
            write!(
                text,
                "\n## {name} {numbered}\n\n{first}\n\n- {}\n- {}\n\n{second}\n",
                self.sentence(),
                self.sentence()
            )
            .unwrap();
        }
        text
    }

    fn html(&mut self, title: &str) -> String {
        format!(
            "<!doctype html><html><head><title>{title}</title></head><body><h1>{title}</h1><p>{}</p>\
             <h2>Scope</h2><ul><li>{}</li><li>{}</li></ul><p>{}</p></body></html>\n",
            self.paragraph(3),
            self.sentence(),
            self.sentence(),
            self.paragraph(4),
        )
    }

    /// A document on one line. Most are short, some have several passages.
    fn json_line(&mut self, id: &str) -> String {
        let sentences = if self.0.random_bool(0.05) { 14 } else { self.0.random_range(1..=2) };
        let day = self.0.random_range(1..=28);
        let title = format!("Notice {id}");
        json!({
            "id": id,
            "title": title,
            "text": self.paragraph(sentences),
            "updated_at": format!("2026-02-{day:02}T12:00:00Z"),
        })
        .to_string()
    }

    /// A file of `count` documents, one a line.
    pub(crate) fn json_lines(&mut self, path: &Path, count: usize) {
        let stem = path.file_stem().unwrap().to_str().unwrap().to_owned();
        let lines = (0..count).map(|number| self.json_line(&format!("{stem}-{number}")) + "\n");
        write_file(path, &lines.collect::<String>());
    }
}

/// Writes a file and the folders above it.
pub(crate) fn write_file(path: &Path, text: &str) {
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, text).unwrap();
}

/// How many documents [`slice`] writes.
pub(crate) const SLICE_DOCUMENTS: usize = 140;

/// A folder as people keep them: documents of several formats in several folders, and things that are none.
pub(crate) fn slice(folder: &Path, seed: u64) {
    let mut writer = Writer::new(seed);
    for number in 0..26 {
        let title = format!("Guideline {number}");
        let text = writer.markdown(&title, 1 + number % 3);
        let front_matter = format!("---\ntitle: {title}\nupdated: 2026-01-{:02}\n---\n", number + 1);
        let text = if number % 4 == 0 { front_matter + &text } else { text };
        write_file(&folder.join(format!("guidelines/{}/guideline-{number:02}.md", number % 3)), &text);
    }
    for number in 0..8 {
        write_file(&folder.join(format!("intranet/page-{number}.html")), &writer.html(&format!("Page {number}")));
    }
    for number in 0..6 {
        let text = format!("{}\n\n{}\n", writer.paragraph(5), writer.paragraph(6));
        write_file(&folder.join(format!("minutes_{number}.txt")), &text);
    }
    writer.json_lines(&folder.join("notices.jsonl"), 100);
    write_file(&folder.join("logo.svg"), "<svg/>");
    write_file(&folder.join(".drafts/unfinished.md"), "# Not yet\n");
}
