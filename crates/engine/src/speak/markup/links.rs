//! Links and images.

use super::LONGEST;
use super::addresses::addresses;

/// Images are taken out; of a link that no source has, its words stay.
pub(super) fn without_links(text: &str, sources: &[&str]) -> String {
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
pub(super) fn target(text: &str) -> Option<(&str, &str)> {
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
