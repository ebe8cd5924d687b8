//! What is written in one piece and means nothing in parts: `ADR-0031`, `v1.2.3`, `10.0.0.0/8`, paths, addresses, code.

use super::numbers::is_suffix;
use super::tokens::{fold, is_dash};

/// The part of a chunk (which has no white space) that is an identifier, if it is one.
pub(super) fn core(chunk: &str) -> Option<(usize, usize)> {
    let opens = |c: char| matches!(c, '(' | '[' | '{' | '"' | '“' | '„' | '«' | '‘' | '\'' | '*' | '<' | '`' | '¿');
    let closes = |c: char| {
        matches!(
            c,
            ')' | ']' | '}' | '"' | '”' | '“' | '»' | '’' | '\'' | '*' | '>' | '.' | ',' | ';' | ':' | '!' | '?'
        ) || c == '`'
    };
    let trimmed = chunk.trim_start_matches(opens);
    let from = chunk.len() - trimmed.len();
    // A marker right behind is none of it.
    let trimmed = &trimmed[..trimmed.find("[^").or_else(|| trimmed.find('[')).unwrap_or(trimmed.len())];
    let core = trimmed.trim_end_matches(closes);
    let quoted_as_code = chunk[..from].ends_with('`') && chunk[from + core.len()..].starts_with('`');
    let found = (quoted_as_code && core.chars().any(char::is_alphabetic)) || is_identifier(core);
    found.then_some((from, from + core.len()))
}

fn is_identifier(core: &str) -> bool {
    if core.len() < 2 || !core.bytes().any(|byte| byte.is_ascii_alphanumeric()) {
        return false;
    }
    let digits = core.bytes().any(|byte| byte.is_ascii_digit());
    let letters = core.bytes().any(|byte| byte.is_ascii_alphabetic());
    if !digits && core.bytes().all(|byte| byte.is_ascii_alphabetic()) {
        return false;
    }
    is_link(core)
        || is_code(core, letters)
        || (letters && (is_path(core) || is_file(core)))
        || (digits && is_version(core))
        || (digits && letters && is_mixed(core))
}

fn is_link(core: &str) -> bool {
    let email = || core.split_once('@').is_some_and(|(name, host)| !name.is_empty() && host.contains('.'));
    core.contains("://") || core.starts_with("www.") || email()
}

fn is_code(core: &str, letters: bool) -> bool {
    let option = core.strip_prefix("--").is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_alphabetic()));
    let hash = core.strip_prefix('#').is_some_and(|rest| rest.bytes().all(|byte| byte.is_ascii_alphanumeric()));
    option || hash || (letters && (core.contains('_') || core.contains("::")))
}

/// `and/or` and `km/h` are no paths; `/etc/hosts` and `docs/adr/one.md` are.
fn is_path(core: &str) -> bool {
    let slashes = core.bytes().filter(|byte| *byte == b'/').count();
    slashes > 0 && (core.starts_with(['/', '.', '~']) || slashes > 2 || core.rsplit('/').next().is_some_and(is_file))
}

/// `config.yaml`, `example.org`; not `e.g`, and not two sentences without a space between them.
fn is_file(core: &str) -> bool {
    let Some((name, ending)) = core.rsplit_once('.') else { return false };
    let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '.' | '/' | '*');
    let longest_part = name.split('.').map(str::len).max().unwrap_or(0);
    (1..=6).contains(&ending.len())
        && ending.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit())
        && ending.bytes().any(|byte| byte.is_ascii_alphabetic())
        && name.bytes().any(|byte| byte.is_ascii_alphabetic())
        && longest_part > 1
        && name.chars().all(plain)
}

/// `1.2.3`, `v2`, `10.0.0.0/8`; a date or a grouped number is none.
fn is_version(core: &str) -> bool {
    let number = core.strip_prefix(['v', 'V']).unwrap_or(core);
    if !number.starts_with(|c: char| c.is_ascii_digit()) {
        return false;
    }
    if number.len() < core.len() {
        return number.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '.' | '-' | '+'));
    }
    let parts: Vec<&str> = number.split('.').collect();
    let date = parts.len() == 3 && parts[2].len() == 4 && parts[0].len() <= 2 && parts[1].len() <= 2;
    let grouped = parts.iter().skip(1).all(|part| part.len() == 3 && part.bytes().all(|b| b.is_ascii_digit()));
    let starts = |part: &&str| part.starts_with(|c: char| c.is_ascii_digit());
    parts.len() > 2
        && !date
        && (!grouped || parts.len() == 4)
        && parts.iter().all(starts)
        && number.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '.' | '-' | '+' | '/'))
}

/// Letters and digits in one word: `ADR-0031`, `SHA-256`, `IPv6`. A number with its unit is none (`5km`, `30-day`).
fn is_mixed(core: &str) -> bool {
    if core.starts_with(|c: char| c.is_ascii_digit()) {
        let after = core.trim_start_matches(|c: char| c.is_ascii_digit() || matches!(c, '.' | ',' | '\'' | ':'));
        return !after.is_empty()
            && !after.starts_with(|c: char| is_dash(c) || c == '/')
            && !is_suffix(after)
            && after.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-');
    }
    let plain = core.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'.' | b'+' | b'/'));
    // `mid-2026`, `top-10` and `covid/19` read as their parts.
    let word = core.split(|c: char| !c.is_ascii_alphabetic()).next().unwrap_or_default();
    let parts = core[word.len()..].starts_with(['-', '/', '.']);
    plain && core.starts_with(|c: char| c.is_ascii_alphabetic()) && !(parts && is_ordinary(word))
}

fn is_ordinary(word: &str) -> bool {
    word.chars().skip(1).all(|c| c.is_ascii_lowercase()) && word.len() > 1
}

/// The form in which identifiers are compared: no case, no leading `v`, no zeros before a number.
pub(super) fn canonical(identifier: &str) -> String {
    let folded = fold(identifier);
    let folded = folded.trim_end_matches('/');
    if let Some((letters, number)) = labelled(folded) {
        return format!("{letters}-{number}");
    }
    match folded.strip_prefix('v') {
        Some(number) if number.starts_with(|c: char| c.is_ascii_digit()) => number.to_owned(),
        _ => folded.to_owned(),
    }
}

/// `adr-0031` as its letters and its number without zeros before it.
pub(super) fn labelled(folded: &str) -> Option<(&str, &str)> {
    let letters = folded.len() - folded.trim_start_matches(|c: char| c.is_ascii_lowercase()).len();
    let (label, rest) = folded.split_at(letters);
    let number = rest.strip_prefix(['-', '/', '_']).or(rest.strip_prefix('#'))?;
    let whole = !number.is_empty() && number.len() < 19 && number.bytes().all(|byte| byte.is_ascii_digit());
    let bare = number.trim_start_matches('0');
    (letters > 0 && whole).then_some((label, if bare.is_empty() { "0" } else { bare }))
}
