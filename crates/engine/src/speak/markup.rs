//! Markup that never goes out: images, HTML, comments, links that no source has, characters nobody sees, and brackets
//! that would pass for a citation of ours.
//!
//! [`sanitize`] takes it out of a whole sentence before anything is checked, so that what is checked is byte for byte what
//! is shown. What only looks like markup, such as `Vec<String>`, is kept and parted by a space, so that no renderer
//! takes it for markup. Doing it again changes nothing.

mod addresses;
mod elements;
mod entities;
mod links;

use ibidem_language::alphabet::plain;
use ibidem_language::markers::quoted_beside;
use ibidem_words::seen;

pub use addresses::{foreign_address, without_addresses};
use elements::without_elements;
use entities::{is_entity, without_entities};
use links::{target, without_links};

/// Schemes whose addresses run or hold something of their own.
const ACTIVE_SCHEMES: [&str; 4] = ["javascript:", "vbscript:", "data:", "livescript:"];

/// Letters in another form that become markup, which holds letters in another form, and so on.
const MOST_LAYERS: usize = 8;

/// No tag, target or entity that is meant as one is longer.
const LONGEST: usize = 2_000;

/// The text as it may be shown. A link stays where one of the sources has its target, word for word.
pub fn sanitize(text: &str, sources: &[&str]) -> String {
    sanitize_beside(text, sources, &[])
}

/// The same of a text that has citations of ours in it, with these numbers.
pub fn sanitize_beside(text: &str, sources: &[&str], ours: &[u32]) -> String {
    let text = seen(text);
    if !text.contains(['<', '&', '[', ']', ':']) {
        return quoted_beside(&text, ours).into_owned();
    }
    let text = without_entities(&text);
    let text = without_elements(&text);
    let text = without_links(&text, sources);
    parted(&quoted_beside(&text, ours))
}

/// What a model wrote as it may be shown: without markup, and in the one form that is checked. A letter in another form may
/// have hidden markup, so both are done until nothing changes; what hides behind more layers is not shown at all.
pub fn as_written(text: &str, sources: &[&str], ours: &[u32]) -> String {
    let mut text = sanitize_beside(text, sources, ours);
    for _ in 0..MOST_LAYERS {
        let next = sanitize_beside(&plain(&text), sources, ours);
        if next == text {
            return text;
        }
        text = next;
    }
    String::new()
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
    use ibidem_words::is_unseen;

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
            ("> - [a b]: c", "> - [a b] : c"),
            ("As in [1]: so, and 【2】, [^3]", "As in (1): so, and (2), (3)"),
            ("[<b>1</b>] [&#50;] &#12304;3&#12305;", "(1) (2) (3)"),
            ("[a [b](c) d](e) f", "a b d f"),
            ("x](y) [z", "x] (y) [z"),
            ("\u{202e}a\u{200b}b", "ab"),
        ] {
            assert_eq!(sanitize(text, &[source]), expected, "{text:?}");
        }
        for (text, expected) in [
            ("said.[1](https://evil.example/)", "said.[1] (https://evil.example/)"),
            ("[1]: https://evil.example/", "[1] : https://evil.example/"),
            ("As in [1]: so, not [2]", "As in [1]: so, not (2)"),
        ] {
            assert_eq!(sanitize_beside(text, &[source], &[1]), expected, "{text:?}");
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
        assert!(ibidem_language::markers::numbers(shown).is_empty(), "{shown:?}");
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
            let once = sanitize(&text, &["https://k.x/y"]);
            assert_clean(&once);
            prop_assert_eq!(sanitize(&once, &["https://k.x/y"]), once);
        }
    }
}
