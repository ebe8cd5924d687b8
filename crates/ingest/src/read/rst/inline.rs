//! The words of reStructuredText inside a paragraph, without the signs of its markup.

use std::collections::{HashMap, HashSet};

use crate::read::LONGEST_TEXT;
use crate::read::markup::{LONGEST_SPAN, searched, target_words};

/// What words of a document may refer to.
#[derive(Default)]
pub(super) struct Names {
    /// The titles of sections, by the names of the places above them.
    pub(super) sections: HashMap<String, String>,
    /// Names of addresses, in lower case: `Python_` is `Python`.
    pub(super) links: HashSet<String>,
    /// What `|name|` stands for.
    pub(super) replacements: HashMap<String, String>,
}

pub(super) fn words(text: &str, names: &Names) -> String {
    let mut writer = Writer { names, written: String::with_capacity(text.len()), left: searched(text) };
    let mut at = 0;
    while let Some(sign) = text[at..].chars().next() {
        at += match writer.markup(text, at, sign) {
            0 => {
                writer.written.push(sign);
                sign.len_utf8()
            }
            taken => taken,
        };
    }
    writer.written
}

struct Writer<'a> {
    names: &'a Names,
    written: String,
    left: usize,
}

impl Writer<'_> {
    /// Writes what the markup that begins here stands for. Returns how many bytes it has, 0 if there is none.
    fn markup(&mut self, text: &str, at: usize, sign: char) -> usize {
        let rest = &text[at..];
        let before = text[..at].chars().next_back();
        let begins_word = !before.is_some_and(char::is_alphanumeric);
        match sign {
            '\\' => self.escaped(rest),
            '`' if begins_word => self.ticks(rest),
            '*' if begins_word => self.stars(rest),
            ':' if begins_word => self.role(rest),
            '|' if begins_word => self.replacement(rest),
            '[' => self.note(rest),
            '_' if rest[1..].starts_with('`') => 1,
            '_' if !begins_word => self.reference_end(text, at),
            _ => 0,
        }
    }

    /// Where the end stands, if it is near.
    fn find(&mut self, rest: &str, end: &str) -> Option<usize> {
        let near = &rest[..rest.floor_char_boundary(LONGEST_SPAN.min(self.left))];
        let found = near.find(end);
        self.left -= found.unwrap_or(near.len());
        found
    }

    /// A backslash and a space part nothing; any other sign behind a backslash is itself.
    fn escaped(&mut self, rest: &str) -> usize {
        let Some(next) = rest[1..].chars().next() else { return 0 };
        if !next.is_whitespace() {
            self.written.push(next);
        }
        1 + next.len_utf8()
    }

    fn ticks(&mut self, rest: &str) -> usize {
        if let Some(code) = rest.strip_prefix("``") {
            let Some(end) = self.find(code, "``").filter(|end| *end > 0) else { return 0 };
            self.written.push_str(&code[..end]);
            return end + 4;
        }
        let inside = &rest[1..];
        let Some(end) = self.find(inside, "`").filter(|end| *end > 0) else { return 0 };
        let after = &inside[end + 1..];
        let underlines = after.bytes().take(2).take_while(|byte| *byte == b'_').count();
        // `words`:role:
        let role = after.strip_prefix(':').and_then(|role| role.find(':').map(|end| &role[..end]));
        let role = role
            .filter(|role| !role.is_empty() && role.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-'));
        match role {
            Some(role) => self.with_role(role, &inside[..end]),
            None => self.written.push_str(titled(&inside[..end]).0),
        }
        end + 2 + underlines + role.map_or(0, |role| role.len() + 2)
    }

    fn stars(&mut self, rest: &str) -> usize {
        let mark = if rest.starts_with("**") { "**" } else { "*" };
        let inside = &rest[mark.len()..];
        if inside.starts_with(char::is_whitespace) {
            return 0;
        }
        let Some(end) = self.find(inside, mark).filter(|end| *end > 0) else { return 0 };
        if inside[..end].ends_with([' ', '\\']) {
            return 0;
        }
        self.written.push_str(&inside[..end]);
        end + 2 * mark.len()
    }

    /// ``:role:`words` ``.
    fn role(&mut self, rest: &str) -> usize {
        let is_name = |byte: &u8| byte.is_ascii_alphanumeric() || b"_+.:-".contains(byte);
        let length = rest.bytes().skip(1).take(80).take_while(is_name).count();
        let name = &rest[1..=length];
        let Some(name) = name.strip_suffix(':').filter(|name| !name.is_empty()) else { return 0 };
        let Some(inside) = rest[length + 1..].strip_prefix('`') else { return 0 };
        let Some(end) = self.find(inside, "`") else { return 0 };
        self.with_role(name, &inside[..end]);
        length + end + 3
    }

    fn with_role(&mut self, name: &str, inside: &str) {
        // Many references to one long title must not make a huge text.
        if self.written.len() >= LONGEST_TEXT {
            return;
        }
        let (title, target) = titled(inside);
        let kind = name.rsplit(':').next().unwrap_or(name);
        let words = match kind {
            _ if target.is_some() => title.to_owned(),
            "ref" | "numref" => self.section(inside),
            "doc" | "std-doc" => target_words(inside),
            "pep" => format!("PEP {inside}"),
            "rfc" => format!("RFC {inside}"),
            "menuselection" => inside.replace("-->", "›"),
            "guilabel" => inside.replace('&', ""),
            _ if kind.starts_with("raw") => String::new(),
            _ => match inside.strip_prefix('~') {
                Some(path) => path.rsplit('.').next().unwrap_or(path).to_owned(),
                None => inside.trim_start_matches(['!', '.']).to_owned(),
            },
        };
        self.written.push_str(&words);
    }

    fn section(&self, name: &str) -> String {
        let title = self.names.sections.get(&name.trim_start_matches('!').to_lowercase());
        title.cloned().unwrap_or_else(|| target_words(name))
    }

    fn replacement(&mut self, rest: &str) -> usize {
        let inside = &rest[1..];
        let Some(end) = self.find(inside, "|").filter(|end| *end > 0) else { return 0 };
        let Some(words) = self.names.replacements.get(&inside[..end]) else { return 0 };
        if self.written.len() < LONGEST_TEXT {
            self.written.push_str(words);
        }
        end + 2 + inside[end + 1..].bytes().take(2).take_while(|byte| *byte == b'_').count()
    }

    /// `[1]_`, `[#name]_`: the form `[1]` is how answers cite, and would pass for a citation.
    fn note(&mut self, rest: &str) -> usize {
        let Some(end) = rest.bytes().take(80).position(|byte| byte == b']').filter(|end| *end > 1) else { return 0 };
        let name = &rest[1..end];
        if !rest[end + 1..].starts_with('_') || name.contains(char::is_whitespace) {
            return 0;
        }
        let space = if self.written.ends_with([' ', '\n']) || self.written.is_empty() { "" } else { " " };
        match name.trim_start_matches(['#', '*']) {
            "" => {}
            name => self.written.push_str(&format!("{space}(note {name})")),
        }
        end + 2
    }

    /// The sign that makes a word a link: only behind names that the document gives an address.
    fn reference_end(&self, text: &str, at: usize) -> usize {
        let signs = text[at..].bytes().take(2).take_while(|byte| *byte == b'_').count();
        let after = text[at + signs..].chars().next();
        let start = text[..at].rfind(|sign: char| !sign.is_alphanumeric() && !matches!(sign, '-' | '.' | '_' | '+'));
        let start = start.map_or(0, |start| start + text[start..].chars().next().map_or(1, char::len_utf8));
        let is_link = at - start < 200 && self.names.links.contains(&text[start..at].to_lowercase());
        if is_link && !after.is_some_and(char::is_alphanumeric) { signs } else { 0 }
    }
}

/// `words <target>`.
fn titled(inside: &str) -> (&str, Option<&str>) {
    let split = inside.strip_suffix('>').and_then(|rest| rest.rsplit_once('<'));
    match split {
        Some((words, target)) if !words.trim().is_empty() => (words.trim(), Some(target)),
        Some((_, target)) => (target, Some(target)),
        None => (inside, None),
    }
}
