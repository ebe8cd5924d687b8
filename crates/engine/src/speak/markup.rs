//! Markup that never goes out: images, HTML, comments, links that no source has, characters nobody sees.
//!
//! [`shown`] takes it out of a whole sentence before anything is checked, so that what is checked is byte for byte what
//! is shown. What only looks like markup, such as `Vec<String>`, is kept and parted by a space, so that no renderer
//! takes it for markup. Doing it again changes nothing.

use ibidem_words::{is_unseen, seen};

/// Elements of HTML that are taken out. A word in angle brackets that is none of them is a placeholder, and is kept.
const ELEMENTS: [&str; 87] = [
    "a",
    "abbr",
    "applet",
    "article",
    "audio",
    "b",
    "base",
    "bdi",
    "bdo",
    "blockquote",
    "body",
    "br",
    "button",
    "canvas",
    "caption",
    "center",
    "code",
    "col",
    "dd",
    "del",
    "details",
    "dialog",
    "div",
    "dl",
    "dt",
    "em",
    "embed",
    "fieldset",
    "figure",
    "font",
    "footer",
    "form",
    "frame",
    "h1",
    "h2",
    "h3",
    "h4",
    "h5",
    "h6",
    "head",
    "header",
    "hr",
    "html",
    "i",
    "iframe",
    "img",
    "input",
    "ins",
    "kbd",
    "li",
    "link",
    "main",
    "mark",
    "math",
    "meta",
    "noscript",
    "object",
    "ol",
    "p",
    "picture",
    "pre",
    "q",
    "s",
    "script",
    "small",
    "span",
    "strong",
    "style",
    "sub",
    "summary",
    "sup",
    "svg",
    "table",
    "tbody",
    "td",
    "template",
    "textarea",
    "tfoot",
    "th",
    "thead",
    "title",
    "tr",
    "track",
    "u",
    "ul",
    "video",
    "wbr",
];

/// Elements that stand inside a line; any other begins one.
const INLINE: [&str; 23] = [
    "a", "abbr", "b", "bdi", "bdo", "code", "del", "em", "font", "i", "img", "ins", "kbd", "mark", "q", "s", "small",
    "span", "strong", "sub", "sup", "u", "wbr",
];

/// Schemes whose addresses run or hold something of their own.
const ACTIVE_SCHEMES: [&str; 4] = ["javascript:", "vbscript:", "data:", "livescript:"];

/// No tag, target or entity that is meant as one is longer.
const LONGEST: usize = 2_000;

/// The text as it may be shown. A link stays where one of the sources has its target, word for word.
pub fn shown(text: &str, sources: &[&str]) -> String {
    let text = seen(text);
    if !text.contains(['<', '&', '[', ']', ':']) {
        return text.into_owned();
    }
    let text = without_entities(&text);
    let text = without_elements(&text);
    let text = without_links(&text, sources);
    parted(&text)
}

/// The first address in a text that none of the sources has: `https://…`, `www.…`, `name@host`.
pub fn foreign_address<'a>(text: &'a str, sources: &[&str]) -> Option<&'a str> {
    let known: Vec<&str> = sources.iter().flat_map(|source| addresses(source)).collect();
    addresses(text).into_iter().find(|address| !known.contains(address))
}

/// The text without anything that a renderer makes a link of by itself.
pub fn without_addresses(text: &str) -> String {
    let mut kept = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(address) = addresses(rest).first() {
        let Some(place) = rest.find(address) else { break };
        kept.push_str(&rest[..place]);
        rest = &rest[place + address.len()..];
    }
    kept + rest
}

/// Everything that a reader or a renderer would take for an address, in order, without the punctuation behind it.
fn addresses(text: &str) -> Vec<&str> {
    let is_end = |sign: char| {
        sign.is_whitespace() || matches!(sign, '<' | '>' | '"' | '`' | '|' | '，' | '。' | '、' | '）' | '」' | '”')
    };
    let parts = |sign: char| is_end(sign) || matches!(sign, '(' | ')' | '[' | ']' | '（');
    let mut found = Vec::new();
    let (mut next, mut begin) = (0, 0);
    for word in text.split_inclusive(parts) {
        let place = next;
        next += word.len();
        if place < begin {
            continue;
        }
        let word = word.trim_end_matches(parts);
        let lower = word.to_ascii_lowercase();
        let at_host = word.split_once('@').is_some_and(|(name, host)| {
            name.ends_with(|sign: char| sign.is_alphanumeric() || "._+-".contains(sign))
                && host.starts_with(char::is_alphanumeric)
                && host.contains('.')
        });
        let has_scheme = word.contains("://") || lower.contains("mailto:") || lower.contains("www.");
        let is_address = has_scheme || at_host;
        if !is_address {
            continue;
        }
        // Brackets may be part of an address, so it goes on to where it surely ends.
        let whole = text[place..].find(is_end).map_or(&text[place..], |end| &text[place..place + end]);
        begin = place + whole.len();
        let whole = whole.trim_start_matches(|sign: char| !sign.is_alphanumeric());
        found.push(whole.trim_end_matches(|sign: char| !sign.is_alphanumeric() && !matches!(sign, '/' | '=' | '#')));
    }
    found
}

/// Entities as the characters that they stand for. Read from the end, because what one becomes may begin another.
fn without_entities(text: &str) -> String {
    if !text.contains('&') {
        return text.to_owned();
    }
    // Backwards: the last of it is what comes next in the text.
    let mut behind: Vec<char> = Vec::with_capacity(text.len());
    for sign in text.chars().rev() {
        let mut sign = sign;
        while sign == '&' {
            let Some((length, decoded)) = entity(&behind) else { break };
            behind.truncate(behind.len() - length);
            match decoded {
                '\r' | '\u{b}' | '\u{c}' | '\u{85}' | '\u{2028}' | '\u{2029}' => sign = '\n',
                unseen if is_unseen(unseen) => sign = '\0',
                decoded => sign = decoded,
            }
        }
        if sign != '\0' {
            behind.push(sign);
        }
    }
    behind.iter().rev().collect()
}

/// What stands behind an ampersand, if that makes an entity: so many characters, and what it is.
fn entity(behind: &[char]) -> Option<(usize, char)> {
    let name: String = behind.iter().rev().take(12).take_while(|sign| **sign != ';').collect();
    let length = name.chars().count() + 1;
    (behind.len() >= length && behind[behind.len() - length] == ';').then_some(())?;
    let decoded = match name.to_ascii_lowercase().as_str() {
        "lt" => '<',
        "gt" => '>',
        "amp" => '&',
        "quot" => '"',
        "apos" => '\'',
        "nbsp" => ' ',
        "lsqb" | "lbrack" => '[',
        "rsqb" | "rbrack" => ']',
        "lpar" => '(',
        "rpar" => ')',
        "colon" => ':',
        "excl" => '!',
        "sol" => '/',
        "num" => '#',
        "tab" => '\t',
        "newline" => '\n',
        number => {
            let digits = number.strip_prefix('#')?;
            let code = match digits.strip_prefix('x') {
                Some(hex) => u32::from_str_radix(hex, 16).ok()?,
                None => digits.parse().ok()?,
            };
            char::from_u32(code)?
        }
    };
    Some((length, decoded))
}

/// Without comments and without elements of HTML; what stands between an opening and a closing tag stays.
fn without_elements(text: &str) -> String {
    let mut kept = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, tag)) = rest.split_once('<') {
        kept.push_str(before);
        let taken = if let Some(comment) = tag.strip_prefix("!--") {
            // One that nobody closes goes on to the end.
            Some(comment.find("-->").map_or(tag.len(), |end| end + "!---->".len()))
        } else {
            is_element(tag).then(|| end_of_tag(tag))
        };
        match taken {
            Some(taken) => {
                // What stood on lines of their own must not become one.
                if is_block(&tag[..taken]) {
                    kept.push('\n');
                }
                rest = &tag[taken..];
            }
            None => {
                kept.push('<');
                rest = tag;
            }
        }
    }
    kept + rest
}

/// The name in a tag, in lower case, and what comes after it.
fn name_of(tag: &str) -> (String, &str) {
    let name = tag.strip_prefix('/').unwrap_or(tag);
    let end = name.find(|sign: char| !sign.is_ascii_alphanumeric()).unwrap_or(name.len());
    let (name, after) = name.split_at(end);
    (name.to_ascii_lowercase(), after)
}

fn is_block(tag: &str) -> bool {
    !INLINE.contains(&name_of(tag).0.as_str()) && !tag.starts_with('!')
}

fn is_element(tag: &str) -> bool {
    let (name, after) = name_of(tag);
    let ends = after.is_empty() || after.starts_with(|sign: char| sign.is_whitespace() || matches!(sign, '>' | '/'));
    ends && ELEMENTS.binary_search(&name.as_str()).is_ok()
}

/// Behind the `>` that closes a tag, outside quotation marks. Without one, where the line ends.
fn end_of_tag(tag: &str) -> usize {
    let mut quoted = None;
    for (place, sign) in tag.char_indices().take(LONGEST) {
        match (quoted, sign) {
            (None, '>') => return place + 1,
            (None, '"' | '\'') if tag[..place].trim_end().ends_with('=') => quoted = Some(sign),
            (Some(mark), sign) if mark == sign => quoted = None,
            _ => {}
        }
    }
    tag.find('>').map(|end| end + 1).or_else(|| tag.find('\n')).unwrap_or(tag.len())
}

/// Images are taken out; of a link that no source has, its words stay.
fn without_links(text: &str, sources: &[&str]) -> String {
    let mut kept = String::with_capacity(text.len());
    // Where the brackets opened that are still open, in what was kept.
    let mut open: Vec<usize> = Vec::new();
    let mut rest = text;
    while let Some(place) = rest.find(['[', ']']) {
        kept.push_str(&rest[..place]);
        let sign = &rest[place..=place];
        rest = &rest[place + 1..];
        if sign == "[" {
            open.push(kept.len());
            kept.push('[');
            continue;
        }
        let opened = open.pop();
        let target = rest.strip_prefix('(').and_then(target);
        let (Some(opened), Some((target, after))) = (opened, target) else {
            kept.push(']');
            continue;
        };
        let words = kept[opened + 1..].to_owned();
        let is_image = kept[..opened].ends_with('!');
        let is_marker = !words.is_empty() && words.chars().all(|sign| sign.is_ascii_digit());
        if is_image {
            kept.truncate(opened - 1);
        } else if is_marker {
            // What is in the brackets behind a citation is text.
            kept.push_str("] ");
            continue;
        } else if is_known(target, sources) {
            kept.push_str("](");
            kept.push_str(target);
            kept.push(')');
        } else {
            kept.truncate(opened);
            kept.push_str(&words);
        }
        rest = after;
    }
    kept + rest
}

/// The target of a link up to the bracket that closes it, and what comes after.
fn target(text: &str) -> Option<(&str, &str)> {
    let mut depth = 0_usize;
    for (place, sign) in text.char_indices().take(LONGEST) {
        match sign {
            '(' => depth += 1,
            ')' if depth == 0 => return Some((&text[..place], &text[place + 1..])),
            ')' => depth -= 1,
            _ => {}
        }
    }
    None
}

fn is_known(target: &str, sources: &[&str]) -> bool {
    let lower = target.to_ascii_lowercase();
    let is_plain = !target.contains(|sign: char| sign.is_whitespace() || "\"'<>\\`()[]".contains(sign));
    let is_web = lower.starts_with("https://") || lower.starts_with("http://") || lower.starts_with("mailto:");
    is_plain && is_web && sources.iter().any(|source| addresses(source).contains(&target))
}

/// What is left that a renderer could still take for markup is parted by a space.
fn parted(text: &str) -> String {
    let mut kept = String::with_capacity(text.len() + 8);
    let mut allowed_until = 0;
    for (place, sign) in text.char_indices() {
        kept.push(sign);
        let rest = &text[place + sign.len_utf8()..];
        let parts = match sign {
            '<' => rest.starts_with(|next: char| next.is_ascii_alphabetic() || matches!(next, '/' | '!' | '?')),
            '&' => is_entity(rest),
            '!' => rest.starts_with('['),
            // A link that was left is one that a source has.
            ']' if rest.starts_with("(http") || rest.starts_with("(mailto") || rest.starts_with("(HTTP") => {
                allowed_until = target(&rest[1..]).map_or(place, |(target, _)| place + 2 + target.len());
                allowed_until == place
            }
            ']' => rest.starts_with('(') || (rest.starts_with(':') && defines(&text[..place])),
            ':' if place >= allowed_until => is_active(&text[..=place], rest),
            _ => false,
        };
        if parts {
            kept.push(' ');
        }
    }
    kept
}

/// Whether brackets that close here and have a colon behind them define a link, rather than cite in the middle of a line.
fn defines(upto: &str) -> bool {
    let Some((before, name)) = upto.rsplit_once('[') else { return true };
    let is_marker = !name.is_empty() && name.chars().all(|sign| sign.is_ascii_digit());
    !is_marker || before.rsplit('\n').next().is_none_or(|line| line.chars().all(leads_a_line))
}

fn leads_a_line(sign: char) -> bool {
    sign.is_whitespace() || sign.is_ascii_digit() || matches!(sign, '>' | '-' | '*' | '+' | '.' | ')')
}

fn is_entity(rest: &str) -> bool {
    let name = rest.strip_prefix('#').unwrap_or(rest);
    let end = name.find(|sign: char| !sign.is_ascii_alphanumeric()).unwrap_or(name.len());
    // However long: leading zeros of a number have no end.
    end > 0 && name[end..].starts_with(';')
}

/// Whether the text up to this colon ends in a scheme that runs or holds something, and an address of it follows.
fn is_active(upto: &str, rest: &str) -> bool {
    let tail: String = upto.chars().rev().take(12).collect::<Vec<_>>().into_iter().rev().collect();
    let lower = tail.to_ascii_lowercase();
    ACTIVE_SCHEMES.iter().any(|scheme| lower.ends_with(scheme)) && rest.starts_with(|next: char| !next.is_whitespace())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn elements_are_in_order_so_that_they_can_be_found() {
        assert!(ELEMENTS.is_sorted());
    }

    #[test]
    fn markup_is_taken_out_and_words_stay() {
        let source = "See https://example.org/a?b=c. Write to help@example.org.";
        for (text, expected) in [
            ("Plain text, 3 < 4 & 5 > 4: yes.", "Plain text, 3 < 4 & 5 > 4: yes."),
            ("a ![x](https://evil.example/?d=1) b", "a  b"),
            ("a ![x](y) b ![z][q]", "a  b ! [z][q]"),
            ("a <img src=x onerror=alert(1)> b", "a  b"),
            ("a <img alt=\"1 > 0\" src=x> b", "a  b"),
            ("a <IMG\nSRC=x> b<br/>c", "a  b\nc"),
            ("a <!-- b --> c", "a  c"),
            ("a <!-- b", "a "),
            ("a <script>alert(1)</script>", "a \nalert(1)\n"),
            ("a &lt;img src=x&gt; b &amp;lt;i&amp;gt;", "a  b "),
            ("a &#x3c;b&#62; c &#8238;d", "a  c d"),
            ("R&amp;D and &copy;", "R&D and & copy;"),
            ("a &#000000000000000000000000000000000000060;b", "a & #000000000000000000000000000000000000060;b"),
            ("<scr<b>ipt>x", "< script>x"),
            ("ssh <user>@host of Vec<String>", "ssh < user>@host of Vec< String>"),
            ("a <?php x ?> <!DOCTYPE y>", "a < ?php x ?> < !DOCTYPE y>"),
            ("[here](https://evil.example/)", "here"),
            ("[here](https://example.org/a?b=c)", "[here](https://example.org/a?b=c)"),
            ("[here](https://example.org/a?b=d)", "here"),
            ("[here](https://example.org/a?b=c \"Trust me\")", "here"),
            ("[x](javascript:alert(1)) y", "x y"),
            (
                "javascript:alert(1), data:text/html,x; the data: these",
                "javascript: alert(1), data: text/html,x; the data: these",
            ),
            ("said.[1](https://evil.example/)", "said.[1] (https://evil.example/)"),
            ("[1]: https://evil.example/", "[1] : https://evil.example/"),
            ("> - [a b]: c", "> - [a b] : c"),
            ("As in [1]: so", "As in [1]: so"),
            ("[a [b](c) d](e) f", "a b d f"),
            ("x](y) [z", "x] (y) [z"),
            ("\u{202e}a\u{200b}b", "ab"),
        ] {
            assert_eq!(shown(text, &[source]), expected, "{text:?}");
        }
    }

    #[test]
    fn an_address_is_known_where_a_source_has_the_whole_of_it() {
        let source = "See https://example.org/a_(b), www.example.org or help@example.org.";
        for (text, expected) in [
            ("Write to help@example.org.", None),
            ("See www.example.org!", None),
            ("See https://example.org/a_(b).", None),
            ("See https://example.org/a", Some("https://example.org/a")),
            ("See HTTPS://evil.example", Some("HTTPS://evil.example")),
            ("See **www.evil.example**", Some("www.evil.example")),
            ("mailto:x@evil.example", Some("mailto:x@evil.example")),
            ("In and@or, at 3@5", None),
        ] {
            assert_eq!(foreign_address(text, &[source]), expected, "{text:?}");
        }
        assert_eq!(without_addresses("See https://a.example/b for x@y.example, now."), "See  for , now.");
    }

    /// What must hold of whatever is shown.
    pub(crate) fn assert_clean(shown: &str) {
        assert!(!shown.contains(is_unseen), "{shown:?}");
        let after =
            |mark: &str| shown.match_indices(mark).map(|(place, _)| &shown[place + mark.len()..]).collect::<Vec<_>>();
        assert!(
            after("<")
                .iter()
                .all(|rest| !rest.starts_with(|next: char| next.is_ascii_alphabetic() || "/!?".contains(next)))
        );
        assert!(!shown.contains("!["), "{shown:?}");
        assert!(after("](").iter().all(|rest| rest.to_ascii_lowercase().starts_with("http")), "{shown:?}");
        assert!(after("&").iter().all(|rest| !is_entity(rest)), "{shown:?}");
        assert!(!shown.to_ascii_lowercase().contains("javascript:a"), "{shown:?}");
    }

    proptest! {
        #[test]
        fn nothing_that_is_shown_is_markup_and_doing_it_again_changes_nothing(
            parts in prop::collection::vec(prop::sample::select(vec![
                "<", ">", "</", "<b", "<!--", "-->", "<img ", "&", "&lt;", "&amp;", "#60;", "lt;", "amp;", "![", "[", "]",
                "](", "(", ")", "]:", "javascript:", "data:", "a", " ", "\n", "https://e.x", "https://k.x/y", "\"", "=",
                "'", "!", "?", "1", "[1]", "\u{202e}", "\u{200b}", ":", "- ", "é", "文", "&#x202e;", "&#60", ";",
            ]), 0..24),
        ) {
            let text: String = parts.concat();
            let once = shown(&text, &["https://k.x/y"]);
            assert_clean(&once);
            prop_assert_eq!(shown(&once, &["https://k.x/y"]), once);
        }
    }
}
