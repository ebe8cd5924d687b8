//! How much work a piece of HTML would make for its parser, estimated before parsing it.
//!
//! Parsing by the standard looks through the open elements at every tag, and re-opens unclosed
//! formatting in every block: a megabyte of `<div>` or `<b id=1><b id=2>…<p><p>…` costs minutes
//! or gigabytes. One pass over the bytes bounds both, and the attributes of one tag, which the
//! parser compares pair by pair.

use std::collections::HashMap;

use ibidem_ports::intake::Format;

use crate::read::ReadError;

/// What a short piece may cost, what each byte allows in addition, and where it ends in any case.
const ALWAYS_BEARABLE: u64 = 1_000_000;
const BEARABLE_PER_BYTE: u64 = 64;
const NEVER_BEARABLE: u64 = 20_000_000;

pub(super) fn check(html: &str) -> Result<(), ReadError> {
    let length = u64::try_from(html.len()).unwrap_or(u64::MAX);
    let bearable = length.saturating_mul(BEARABLE_PER_BYTE).saturating_add(ALWAYS_BEARABLE).min(NEVER_BEARABLE);
    if burden(html.as_bytes(), bearable) <= bearable {
        return Ok(());
    }
    Err(ReadError::unreadable(
        Format::Html,
        "its elements are nested too deep or never closed; save it again from a browser or an editor",
    ))
}

/// Every tag costs the number of elements open at it. Stops counting once past `enough`.
fn burden(html: &[u8], enough: u64) -> u64 {
    let mut burden = 0_u64;
    let mut open: HashMap<Vec<u8>, u64> = HashMap::new();
    let mut depth = 0_u64;
    let mut rest = html;
    while let Some(start) = rest.iter().position(|&byte| byte == b'<') {
        rest = &rest[start + 1..];
        if let Some(comment) = rest.strip_prefix(b"!--") {
            rest = after_comment(comment);
            continue;
        }
        let closes = rest.first() == Some(&b'/');
        let tag = if closes { &rest[1..] } else { rest };
        let name = name(tag);
        if name.is_empty() {
            continue;
        }
        let (attributes, tail) = past_attributes(&tag[name.len()..]);
        rest = tail;
        burden = burden.saturating_add(1 + depth).saturating_add(attributes.saturating_mul(attributes) / 2);
        if burden > enough {
            return burden;
        }
        // Inside drawings and formulas no element's content is raw.
        let in_markup = [b"svg".as_slice(), b"math"].iter().any(|name| open.get(*name).is_some_and(|count| *count > 0));
        if !closes && is_raw(&name) && !in_markup {
            let end = [b"</".as_slice(), &name].concat();
            rest = after(rest, &end);
        } else if closes_by_itself(&name) {
            // Never stays open for long.
        } else if closes {
            if let Some(count) = open.get_mut(&name).filter(|count| **count > 0) {
                *count -= 1;
                depth -= 1;
            }
        } else {
            *open.entry(name).or_default() += 1;
            depth += 1;
        }
    }
    burden
}

fn name(tag: &[u8]) -> Vec<u8> {
    if !tag.first().is_some_and(u8::is_ascii_alphabetic) {
        return Vec::new();
    }
    tag.iter()
        .take_while(|byte| !byte.is_ascii_whitespace() && !b"/>".contains(byte))
        .map(u8::to_ascii_lowercase)
        .collect()
}

/// The number of attributes up to the end of the tag, and what follows it.
///
/// Told apart as the parser does: a quote opens a value only right after `=`, and is a letter like any other elsewhere.
fn past_attributes(tag: &[u8]) -> (u64, &[u8]) {
    #[derive(Clone, Copy)]
    enum At {
        BeforeName,
        Name,
        AfterName,
        BeforeValue,
        Quoted(u8),
        Unquoted,
    }
    let mut attributes = 0;
    let mut at = At::BeforeName;
    for (position, &byte) in tag.iter().enumerate() {
        let space = byte.is_ascii_whitespace();
        at = match (at, byte) {
            (At::Quoted(opened), _) if opened == byte => At::BeforeName,
            (At::Quoted(_), _) => at,
            (_, b'>') => return (attributes, &tag[position + 1..]),
            (At::BeforeValue, b'"' | b'\'') => At::Quoted(byte),
            (At::BeforeValue, _) => {
                if space {
                    at
                } else {
                    At::Unquoted
                }
            }
            (At::Unquoted, _) => {
                if space {
                    At::BeforeName
                } else {
                    at
                }
            }
            (At::Name | At::AfterName, b'=') => At::BeforeValue,
            (_, b'/') => At::BeforeName,
            (At::Name, _) => {
                if space {
                    At::AfterName
                } else {
                    at
                }
            }
            (At::BeforeName | At::AfterName, _) if space => at,
            (At::BeforeName | At::AfterName, _) => {
                attributes += 1;
                At::Name
            }
        };
    }
    (attributes, &[])
}

/// What follows a comment, given what follows its `<!--`. `<!-->` and `<!--->` are whole comments.
fn after_comment(comment: &[u8]) -> &[u8] {
    if let Some(rest) = comment.strip_prefix(b">").or_else(|| comment.strip_prefix(b"->")) {
        return rest;
    }
    let mut rest = comment;
    while let Some(dashes) = rest.windows(2).position(|window| window == b"--") {
        rest = &rest[dashes + 1..];
        let after = &rest[1..];
        if let Some(after) = after.strip_prefix(b">").or_else(|| after.strip_prefix(b"!>")) {
            return after;
        }
    }
    &[]
}

/// What follows `mark`, in any case of its letters; nothing if it does not occur.
fn after<'a>(text: &'a [u8], mark: &[u8]) -> &'a [u8] {
    let found = text.windows(mark.len()).position(|window| window.eq_ignore_ascii_case(mark));
    found.map_or(&[], |at| &text[at + mark.len()..])
}

fn is_raw(name: &[u8]) -> bool {
    matches!(name, b"script" | b"style" | b"title" | b"textarea" | b"xmp" | b"iframe" | b"noembed" | b"noframes")
}

/// Void elements, and those a following sibling closes.
fn closes_by_itself(name: &[u8]) -> bool {
    matches!(
        name,
        b"area"
            | b"base"
            | b"br"
            | b"col"
            | b"embed"
            | b"hr"
            | b"img"
            | b"input"
            | b"link"
            | b"meta"
            | b"param"
            | b"source"
            | b"track"
            | b"wbr"
            | b"p"
            | b"li"
            | b"dd"
            | b"dt"
            | b"td"
            | b"th"
            | b"tr"
            | b"tbody"
            | b"thead"
            | b"tfoot"
            | b"option"
            | b"optgroup"
            | b"rt"
            | b"rp"
            | b"html"
            | b"head"
            | b"body"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ordinary_pages_are_bearable() {
        let paragraphs = "<p>Some <b>bold</b> text<br>and <a href=\"x>y\">a link</a>.".repeat(50_000);
        let script = format!("<script>{}</script>", "if (a<b) { i<n; }".repeat(50_000));
        let unclosed = "<font color=red>".repeat(500);
        let list = format!("<ul>{}</ul>", "<li>item".repeat(50_000));
        let comment = format!("<!--{}-->", "<div>".repeat(50_000));
        for html in [paragraphs, script, unclosed, list, comment] {
            assert_eq!(check(&html), Ok(()), "{}", &html[..40]);
        }
    }

    #[test]
    fn markup_that_would_stall_the_parser_is_refused() {
        let nested = "<div>".repeat(100_000);
        let formatting: String = (0..20_000).map(|n| format!("<b id={n}>")).chain(["<p>".repeat(20_000)]).collect();
        let attributes: String = (0..200_000).map(|n| format!(" a{n}")).collect();
        for html in [nested, formatting, format!("<div{attributes}>")] {
            assert!(check(&html).is_err(), "{}", &html[..40]);
        }
    }

    #[test]
    fn nothing_before_it_hides_a_burden() {
        let nested = "<div>".repeat(100_000);
        for before in [
            "<!-->",
            "<!--->",
            "<!-- a --!>",
            "<!-- a -- b -->",
            "<a b=c\">",
            "<a b=c'd>",
            "<a \"b>",
            "<a b=\"c\"d='e'f=\">\">",
            "<a b = 'x' / c=d/>",
            "<svg><title>",
            "<svg><style>",
            "<math><script>",
            "<title>a</title>",
            "<!doctype html>",
            "<?php a?>",
            "</ >",
        ] {
            assert!(check(&format!("{before}{nested}")).is_err(), "{before}");
        }
        // And what really is a comment or a value stays none.
        for before in ["<!--", "<!-- -", "<a b=\"", "<a b = '", "<textarea>"] {
            assert_eq!(check(&format!("{before}{nested}")), Ok(()), "{before}");
        }
    }
}
