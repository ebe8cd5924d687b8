//! The words of AsciiDoc inside a paragraph, without the signs of its markup.

use std::collections::HashMap;

use crate::read::LONGEST_TEXT;
use crate::read::markup::{LONGEST_SPAN, searched, target_words};

/// Marks inside marks: more are signs of the text.
const DEEPEST: usize = 8;

/// The titles that references without words of their own name, by the places they refer to.
pub(super) type Places = HashMap<String, String>;

pub(super) fn words(text: &str, places: &Places) -> String {
    let mut writer = Writer { places, written: String::with_capacity(text.len()), depth: 0, left: searched(text) };
    writer.write(text);
    writer.written
}

struct Writer<'a> {
    places: &'a Places,
    written: String,
    depth: usize,
    /// How many bytes may still be looked through for ends of spans.
    left: usize,
}

impl Writer<'_> {
    fn write(&mut self, text: &str) {
        let mut at = 0;
        while let Some(sign) = text[at..].chars().next() {
            let taken = self.markup(text, at, sign);
            at += match taken {
                0 => {
                    self.written.push(sign);
                    sign.len_utf8()
                }
                taken => taken,
            };
        }
    }

    /// So much of the text is looked at for the end of a span.
    fn within<'a>(&mut self, text: &'a str) -> &'a str {
        let near = &text[..text.floor_char_boundary(LONGEST_SPAN.min(self.left))];
        self.left -= near.len();
        near
    }

    fn inner(&mut self, text: &str) {
        if self.depth >= DEEPEST {
            return self.written.push_str(text);
        }
        self.depth += 1;
        self.write(text);
        self.depth -= 1;
    }

    /// Writes what the markup that begins here stands for. Returns how many bytes it has, 0 if there is none.
    fn markup(&mut self, text: &str, at: usize, sign: char) -> usize {
        let rest = &text[at..];
        let before = text[..at].chars().next_back();
        match sign {
            '\\' => self.escaped(rest),
            '`' | '*' | '_' | '#' | '+' => self.marked(rest, before, sign),
            '"' | '\'' if rest[1..].starts_with('`') => self.curled(rest, sign),
            '^' | '~' => self.enclosed(rest, sign, sign),
            '[' => self.bracketed(rest),
            '<' => self.reference(rest),
            '(' => self.index_term(rest),
            '-' => self.dash(rest, before),
            '{' => self.linked(rest),
            _ if sign.is_ascii_alphabetic() && !before.is_some_and(char::is_alphanumeric) => self.named(rest),
            _ => 0,
        }
    }

    fn escaped(&mut self, rest: &str) -> usize {
        let Some(next) = rest[1..].chars().next().filter(|next| "*_`#+^~[<({\\".contains(*next)) else { return 0 };
        self.written.push(next);
        1 + next.len_utf8()
    }

    /// `*word*` at the edges of words, `**letters**` anywhere.
    fn marked(&mut self, rest: &str, before: Option<char>, sign: char) -> usize {
        let double = [sign, sign].iter().collect::<String>();
        let longest = if rest.starts_with("+++") { "+++" } else { &double };
        if let Some(from) = rest.strip_prefix(longest)
            && let Some(end) = self.within(from).find(longest).filter(|end| *end > 0)
        {
            self.span(&from[..end], sign);
            return end + 2 * longest.len();
        }
        let inside = &rest[1..];
        let is_opening =
            !before.is_some_and(is_word) && inside.chars().next().is_some_and(|next| !next.is_whitespace());
        if !is_opening {
            return 0;
        }
        let Some(end) = closing(self.within(inside), sign) else { return 0 };
        self.span(&inside[..end], sign);
        end + 2
    }

    fn span(&mut self, inside: &str, sign: char) {
        match sign {
            '+' => self.written.push_str(inside),
            '`' => match inside.strip_prefix('+').and_then(|inside| inside.strip_suffix('+')) {
                Some(literal) => self.written.push_str(literal),
                None if inside.contains(['[', '<', '`', '\\', '+']) => self.inner(inside),
                None => self.written.push_str(inside),
            },
            _ => self.inner(inside),
        }
    }

    /// `"`words`"` has curly quotes.
    fn curled(&mut self, rest: &str, sign: char) -> usize {
        let (open, close, end) = if sign == '"' { ('“', '”', "`\"") } else { ('‘', '’', "`'") };
        let Some(length) = self.within(&rest[2..]).find(end) else { return 0 };
        self.written.push(open);
        self.inner(&rest[2..2 + length]);
        self.written.push(close);
        length + 4
    }

    /// `^2^`: no spaces inside.
    fn enclosed(&mut self, rest: &str, open: char, close: char) -> usize {
        let inside = &rest[open.len_utf8()..];
        let end = self.within(inside).find(|sign: char| sign == close || sign.is_whitespace());
        let Some(end) = end.filter(|end| *end > 0 && inside[*end..].starts_with(close)) else { return 0 };
        self.inner(&inside[..end]);
        end + 2
    }

    /// `[[place]]` is not seen, `[.role]#words#` are words.
    fn bracketed(&mut self, rest: &str) -> usize {
        if rest.starts_with("[[") {
            return self.within(rest).find("]]").map_or(0, |end| end + 2);
        }
        let Some(end) = self.within(rest).find(']') else { return 0 };
        let is_role = rest[1..end].starts_with(['.', '#'])
            || rest[1..end].chars().all(|sign| sign.is_ascii_lowercase() || sign == '-');
        let after = &rest[end + 1..];
        if end > 1 && is_role && after.starts_with(['#', '*', '_', '`']) { end + 1 } else { 0 }
    }

    /// `<<place,words>>`.
    fn reference(&mut self, rest: &str) -> usize {
        let Some(inside) = rest.strip_prefix("<<") else { return 0 };
        let Some(end) = self.within(inside).find(">>").filter(|end| *end > 0) else { return 0 };
        let (target, words) = inside[..end].split_once(',').unwrap_or((&inside[..end], ""));
        self.refer(target.trim(), words.trim());
        end + 4
    }

    fn refer(&mut self, target: &str, words: &str) {
        let words = words.trim_matches('"');
        if !words.is_empty() {
            return self.inner(words);
        }
        // Many references to one long title must not make a huge text.
        if self.written.len() < LONGEST_TEXT {
            let named = self.places.get(target.trim_start_matches('#'));
            self.written.push_str(&named.cloned().unwrap_or_else(|| target_words(target)));
        }
    }

    /// `((term))` is seen and `(((term, part)))` is not: both are for the index.
    fn index_term(&mut self, rest: &str) -> usize {
        if let Some(inside) = rest.strip_prefix("(((") {
            return self.within(inside).find(")))").map_or(0, |end| end + 6);
        }
        let Some(inside) = rest.strip_prefix("((") else { return 0 };
        let Some(end) = self.within(inside).find("))") else { return 0 };
        self.inner(&inside[..end]);
        end + 4
    }

    fn dash(&mut self, rest: &str, before: Option<char>) -> usize {
        let is_dash = rest.starts_with("--")
            && !rest.starts_with("---")
            && before.is_some_and(|sign| sign == ' ' || is_word(sign));
        let after = rest[1..].chars().nth(1);
        let is_between = after
            .is_some_and(|after| after.is_whitespace() == (before == Some(' ')) && (after == ' ' || is_word(after)));
        if !is_dash || !is_between {
            return 0;
        }
        self.written.push('—');
        2
    }

    /// `link:address[words]` and other macros, and addresses with words.
    fn named(&mut self, rest: &str) -> usize {
        let name: &str = &rest[..rest.bytes().take_while(u8::is_ascii_alphanumeric).count()];
        let skip_word = |writer: &mut Self| {
            writer.written.push_str(name);
            name.len()
        };
        let Some(target) = rest[name.len()..].strip_prefix(':') else { return skip_word(self) };
        let near = self.within(target);
        let target = &near[..near.find(|sign: char| sign == '[' || sign.is_whitespace()).unwrap_or(0)];
        let open = name.len() + 1 + target.len();
        let Some(inside) = rest[open..].strip_prefix('[') else { return skip_word(self) };
        let Some(end) = closing_bracket(self.within(inside)) else { return skip_word(self) };
        let words = inside[..end].replace("\\]", "]");
        // A footnote stands right behind the word that it belongs to.
        if let Some(word) = name.strip_suffix("footnote").filter(|word| !word.is_empty()) {
            self.written.push_str(word);
            self.expand("footnote", target, &words);
            return open + end + 2;
        }
        if !self.expand(name, target, &words) {
            return skip_word(self);
        }
        open + end + 2
    }

    /// `{address}page.html[words]`, where the value of the name is not in this file.
    fn linked(&mut self, rest: &str) -> usize {
        let near = self.within(rest);
        let open =
            near.find(|sign: char| sign == '[' || sign.is_whitespace()).filter(|open| near[*open..].starts_with('['));
        let name = near.find('}').zip(open).filter(|(close, open)| close < open);
        let Some((_, open)) = name else { return 0 };
        let Some(end) = closing_bracket(self.within(&rest[open + 1..])).filter(|end| *end > 0) else { return 0 };
        self.inner(first_words(&rest[open + 1..open + 1 + end]));
        open + end + 2
    }

    fn expand(&mut self, name: &str, target: &str, words: &str) -> bool {
        let first = || first_words(words);
        match name {
            "http" | "https" | "ftp" | "irc" | "file" => match first() {
                "" => self.written.push_str(&format!("{name}:{target}")),
                words => self.inner(words),
            },
            "link" | "mailto" => match first() {
                "" => self.written.push_str(target),
                words => self.inner(words),
            },
            "xref" => self.refer(target, first()),
            "image" | "icon" => match first() {
                "" => {}
                alternative if alternative.contains('=') => {}
                alternative => self.inner(alternative),
            },
            "kbd" | "btn" | "stem" | "latexmath" | "asciimath" | "pass" => self.written.push_str(words),
            "menu" => {
                let steps =
                    std::iter::once(target).chain(words.split('>')).map(str::trim).filter(|step| !step.is_empty());
                self.written.push_str(&steps.collect::<Vec<_>>().join(" › "));
            }
            "footnote" | "footnoteref" => {
                self.written.push_str(" (note: ");
                self.inner(words);
                self.written.push(')');
            }
            "anchor" | "indexterm" | "counter2" => {}
            _ => return false,
        }
        true
    }
}

fn is_word(sign: char) -> bool {
    sign.is_alphanumeric() || sign == '_'
}

/// Where the mark stands that ends a word or words.
fn closing(near: &str, sign: char) -> Option<usize> {
    let mut before = None;
    let mut signs = near.char_indices().peekable();
    while let Some((at, found)) = signs.next() {
        let ends = found == sign && before.is_some_and(|before: char| !before.is_whitespace() && before != '\\');
        if ends && !signs.peek().is_some_and(|(_, next)| is_word(*next) || *next == sign) {
            return Some(at);
        }
        before = Some(found);
    }
    None
}

fn closing_bracket(near: &str) -> Option<usize> {
    let mut open = 0;
    let mut escaped = false;
    for (at, sign) in near.char_indices() {
        match sign {
            ']' if escaped => {}
            ']' if open == 0 => return Some(at),
            ']' => open -= 1,
            '[' => open += 1,
            _ => {}
        }
        escaped = sign == '\\';
    }
    None
}

/// The words of a link without what follows them: `Words^`, `Words,window=_blank`.
fn first_words(words: &str) -> &str {
    let words = words.trim();
    if let Some(quoted) = words.strip_prefix('"').and_then(|rest| rest.split_once('"')) {
        return quoted.0;
    }
    let end = words.find(",").filter(|comma| words[*comma..].contains('='));
    let words = words[..end.unwrap_or(words.len())].trim_end_matches('^');
    if words.starts_with("role=") || words.starts_with("window=") { "" } else { words }
}
