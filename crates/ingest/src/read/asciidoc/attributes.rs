//! Names with values that an AsciiDoc document sets, and parts that depend on them.

use std::collections::HashMap;

/// Longer values are not set into the text.
const LONGEST_VALUE: usize = 500;
/// So many bytes are set into one document: a small file must not make a huge text.
const MOST_SET: usize = 4 * 1024 * 1024;
const MOST_ATTRIBUTES: usize = 10_000;

pub(super) struct Attributes {
    values: HashMap<String, String>,
    left: usize,
    /// Whether each part that depends on something is read, those inside others last.
    conditions: Vec<bool>,
}

impl Attributes {
    pub(super) fn new() -> Self {
        let known = ["asciidoctor", "backend-html5", "basebackend-html"];
        let values = known.into_iter().map(|name| (name.to_owned(), String::new())).collect();
        Self { values, left: MOST_SET, conditions: Vec::new() }
    }

    /// Whether the line sets a value (`:name: value`) or takes one away (`:!name:`).
    pub(super) fn take(&mut self, line: &str) -> bool {
        let Some((name, value)) = line.strip_prefix(':').and_then(|rest| rest.split_once(':')) else { return false };
        let (name, value) = (name.trim(), value.trim());
        let bare = name.trim_matches('!');
        let is_name = |sign: char| sign.is_alphanumeric() || matches!(sign, '-' | '_');
        if bare.is_empty() || !bare.chars().all(is_name) {
            return false;
        }
        if bare.len() < name.len() {
            self.values.remove(&bare.to_lowercase());
        } else if self.values.len() < MOST_ATTRIBUTES && value.len() <= LONGEST_VALUE {
            let value = self.filled(value);
            self.values.insert(bare.to_lowercase(), value);
        }
        true
    }

    pub(super) fn value(&self, name: &str) -> Option<&str> {
        self.values.get(name).map(String::as_str)
    }

    /// The line with the values of the names in it: `{product}`. What is not known stays as it is.
    pub(super) fn filled(&mut self, line: &str) -> String {
        let mut written = String::with_capacity(line.len());
        let mut rest = line;
        while let Some(start) = rest.find('{') {
            let (before, from) = rest.split_at(start);
            written.push_str(before);
            let name = from[1..].find('}').map(|end| &from[1..=end]);
            let value = name.filter(|_| !before.ends_with('\\')).and_then(|name| self.meaning(name));
            match (name, value) {
                (Some(name), Some(value)) if value.len() <= self.left => {
                    self.left -= value.len();
                    written.push_str(&value);
                    rest = &from[name.len() + 2..];
                }
                _ => {
                    written.push('{');
                    rest = &from[1..];
                }
            }
        }
        written.push_str(rest);
        written
    }

    fn meaning(&self, name: &str) -> Option<String> {
        let sign = match name {
            "empty" | "blank" | "zwsp" | "wj" => "",
            "sp" | "nbsp" => " ",
            "plus" => "+",
            "asterisk" => "*",
            "caret" => "^",
            "tilde" => "~",
            "backtick" => "`",
            "backslash" => "\\",
            "startsb" => "[",
            "endsb" => "]",
            "vbar" => "|",
            "amp" => "&",
            "lt" => "<",
            "gt" => ">",
            "quot" => "\"",
            "apos" => "'",
            "lsquo" => "‘",
            "rsquo" => "’",
            "ldquo" => "“",
            "rdquo" => "”",
            "deg" => "°",
            "two-colons" => "::",
            "two-semicolons" => ";;",
            "cpp" => "C++",
            _ => return self.values.get(&name.to_lowercase()).filter(|value| value.len() <= LONGEST_VALUE).cloned(),
        };
        Some(sign.to_owned())
    }

    /// Takes a line that begins or ends a part that depends on what is set. `ifdef::name[words]` is such a part itself:
    /// its words are given back if they are read.
    pub(super) fn condition<'a>(&mut self, line: &'a str) -> Option<Option<&'a str>> {
        let (kind, rest) = line.split_once("::")?;
        let (names, words) = rest.split_once('[')?;
        let words = words.trim_end().strip_suffix(']')?;
        let is_set = |name: &str| self.values.contains_key(&name.trim().to_lowercase());
        let holds = if names.contains('+') { names.split('+').all(is_set) } else { names.split(',').any(is_set) };
        let holds = match kind {
            "ifdef" => holds,
            "ifndef" => !holds,
            // What is compared there is known to the program that makes the page, not here.
            "ifeval" => true,
            "endif" => {
                self.conditions.pop();
                return Some(None);
            }
            _ => return None,
        };
        if !words.is_empty() && kind != "ifeval" {
            return Some(Some(words).filter(|_| holds && self.is_read()));
        }
        self.conditions.push(holds && self.is_read());
        Some(None)
    }

    /// Whether what stands here is read.
    pub(super) fn is_read(&self) -> bool {
        self.conditions.last().copied().unwrap_or(true)
    }
}
