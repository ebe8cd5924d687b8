//! What reStructuredText writes as `.. name:: argument`: boxes, code, tables, and what only a program needs.

use super::{Reader, collapsed, field, tables};
use crate::read::markup::box_label;

/// Those that say something to the program that makes pages, or stand for what it makes.
const UNREAD: [&str; 33] = [
    "aafig",
    "bibliography",
    "codeauthor",
    "contents",
    "currentmodule",
    "default-domain",
    "default-role",
    "digraph",
    "graph",
    "graphviz",
    "highlight",
    "index",
    "inheritance-diagram",
    "jinja",
    "mermaid",
    "meta",
    "module",
    "plot",
    "plantuml",
    "program",
    "raw",
    "role",
    "sectionauthor",
    "sectnum",
    "section-numbering",
    "tabularcolumns",
    "target-notes",
    "testcleanup",
    "testsetup",
    "title",
    "toctree",
    "uml",
    "youtube",
];
const CODE: [&str; 12] = [
    "code",
    "code-block",
    "console",
    "doctest",
    "ipython",
    "literal",
    "math",
    "parsed-literal",
    "productionlist",
    "prompt",
    "sourcecode",
    "testcode",
];
/// Those whose words are read and whose argument is none of them.
const CONTAINERS: [&str; 9] =
    ["compound", "container", "cssclass", "epigraph", "glossary", "hlist", "ifconfig", "only", "tabs"];

/// A directive with its options apart.
struct Directive<'a> {
    argument: String,
    options: Vec<(&'a str, &'a str)>,
    lines: &'a [&'a str],
}

impl<'a> Directive<'a> {
    fn new(argument: &str, below: &'a [&'a str]) -> Self {
        let length = below.iter().take_while(|line| field(line).is_some()).count();
        let options = below[..length].iter().filter_map(|line| field(line)).collect();
        Self { argument: argument.to_owned(), options, lines: &below[length..] }
    }

    fn option(&self, name: &str) -> Option<&'a str> {
        self.options.iter().find(|(known, _)| *known == name).map(|(_, value)| *value).filter(|value| !value.is_empty())
    }

    fn is_empty(&self) -> bool {
        self.lines.iter().all(|line| line.is_empty())
    }
}

pub(super) fn read(reader: &mut Reader, name: &str, argument: &str, below: &[&str]) {
    let directive = Directive::new(argument, below);
    let kind = name.rsplit(':').next().unwrap_or(name);
    if let Some(label) = box_label(kind) {
        return boxed(reader, label, &directive);
    }
    match kind {
        "versionadded" => versioned(reader, "New in version", &directive),
        "versionchanged" => versioned(reader, "Changed in version", &directive),
        "deprecated" => versioned(reader, "Deprecated since version", &directive),
        "versionremoved" | "deprecated-removed" => versioned(reader, "Removed in version", &directive),
        "include" | "literalinclude" => reader.included.add(argument),
        "image" => alternative(reader, &directive),
        "figure" => {
            alternative(reader, &directive);
            reader.body(directive.lines);
        }
        "list-table" => table(reader, &directive, &tables::of_lists(directive.lines)),
        "csv-table" => {
            let rows = tables::of_commas(directive.option("header"), directive.lines);
            directive.option("file").into_iter().for_each(|file| reader.included.add(file));
            table(reader, &directive, &rows);
        }
        _ if UNREAD.contains(&kind) || kind.starts_with("auto") || kind.ends_with("-title") => {}
        _ if CODE.contains(&kind) => code(reader, kind, &directive),
        _ if CONTAINERS.contains(&kind) => reader.body(directive.lines),
        _ => described(reader, name, below, &directive),
    }
}

fn boxed(reader: &mut Reader, label: &str, directive: &Directive<'_>) {
    reader.manuscript.end_block();
    reader.manuscript.words(&format!("{label}: "));
    let lines: Vec<&str> =
        std::iter::once(directive.argument.as_str()).chain(directive.lines.iter().copied()).collect();
    reader.body(&lines);
    reader.manuscript.end_block();
}

/// `.. versionadded:: 1.2 Words.`
fn versioned(reader: &mut Reader, lead: &str, directive: &Directive<'_>) {
    let (version, words) = directive.argument.split_once(' ').unwrap_or((&directive.argument, ""));
    let has_words = !words.is_empty() || !directive.is_empty();
    reader.manuscript.end_block();
    reader.manuscript.words(&format!("{lead} {version}{}", if has_words { ": " } else { "." }));
    reader.body(&std::iter::once(words).chain(directive.lines.iter().copied()).collect::<Vec<_>>());
    reader.manuscript.end_block();
}

/// What is said for those who cannot see the picture.
fn alternative(reader: &mut Reader, directive: &Directive<'_>) {
    if let Some(words) = directive.option("alt") {
        reader.paragraph_of(words);
    }
}

fn table(reader: &mut Reader, directive: &Directive<'_>, rows: &tables::Rows) {
    if !directive.argument.is_empty() {
        reader.paragraph_of(&directive.argument);
    }
    tables::write(rows, &reader.names, &mut reader.manuscript);
}

fn code(reader: &mut Reader, kind: &str, directive: &Directive<'_>) {
    if let Some(caption) = directive.option("caption") {
        reader.paragraph_of(caption);
    }
    if kind == "math" && !directive.argument.is_empty() {
        reader.manuscript.verbatim(&directive.argument);
    }
    reader.code(directive.lines);
}

/// Something that has a name and a description: a function, a setting, a box with a title of its own.
fn described(reader: &mut Reader, name: &str, below: &[&str], directive: &Directive<'_>) {
    let is_object = name.contains(':') || directive.argument.contains('(');
    if directive.is_empty() && !is_object {
        return;
    }
    // Several may share one description. It stands below an empty line or below the options.
    let more = match directive.argument.as_str() {
        "" => 0,
        _ => below.iter().take_while(|line| !line.is_empty() && field(line).is_none()).count(),
    };
    let (names, description) = below.split_at(more);
    reader.manuscript.end_block();
    for name in std::iter::once(directive.argument.as_str()).chain(names.iter().copied()) {
        reader.paragraph_of(&collapsed(name));
    }
    reader.body(Directive::new("", description).lines);
}
