//! What a line of AsciiDoc is, by itself.

use super::tables::Cells;

/// `[[name]]` or `[#name]`.
pub(super) fn place_name(line: &str) -> Option<String> {
    let inside = line.strip_prefix('[')?.strip_suffix(']')?;
    let name = inside.strip_prefix('[').and_then(|name| name.strip_suffix(']')).or_else(|| inside.strip_prefix('#'))?;
    Some(name.split([',', '%', '.']).next().unwrap_or(name).to_owned())
}

pub(super) fn heading(line: &str) -> Option<(u8, &str)> {
    let sign = line.chars().next().filter(|sign| matches!(sign, '=' | '#'))?;
    let words = line.trim_start_matches(sign);
    let level = u8::try_from(line.len() - words.len()).ok().filter(|level| *level <= 6)?;
    let words = words.strip_prefix(' ')?.trim();
    (!words.is_empty()).then(|| (level, words.trim_end_matches(sign).trim_end()))
}

pub(super) fn is_block_attributes(line: &str) -> bool {
    let inside = line.strip_prefix('[').and_then(|rest| rest.strip_suffix(']'));
    inside.is_some_and(|inside| {
        inside.is_empty() || inside.starts_with(|sign: char| sign.is_alphanumeric() || "[.#%\"'{".contains(sign))
    })
}

/// What the lines between two equal lines are.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) enum Block {
    Comment,
    Code,
    /// Meant for the page as it is: HTML, or a formula.
    Raw,
    Table(Cells),
    /// Paragraphs and other blocks.
    Container,
}

pub(super) fn block(line: &str) -> Option<Block> {
    match line {
        "--" => return Some(Block::Container),
        "|===" | "!===" => return Some(Block::Table(Cells::Bars)),
        ",===" => return Some(Block::Table(Cells::Commas)),
        ":===" => return Some(Block::Table(Cells::Colons)),
        _ if line.starts_with("```") && !line[3..].contains('`') => return Some(Block::Code),
        _ => {}
    }
    let sign = *line.as_bytes().first()?;
    if line.len() < 4 || !line.bytes().all(|byte| byte == sign) {
        return None;
    }
    match sign {
        b'/' => Some(Block::Comment),
        b'-' | b'.' => Some(Block::Code),
        b'+' => Some(Block::Raw),
        b'=' | b'*' | b'_' => Some(Block::Container),
        _ => None,
    }
}

pub(super) fn included(line: &str) -> Option<&str> {
    let (name, rest) = line.split_once("::")?;
    let is_include = name == "include" || name.starts_with("include-");
    is_include.then(|| rest.split('[').next().unwrap_or(rest))
}

/// `*`, `-`, `..`, `1.`, `a.`, and `<1>` that explains a place in code.
pub(super) fn is_marker(marker: &str) -> bool {
    let all = |sign: char| marker.chars().all(|other| other == sign);
    let short = marker.len() <= 6;
    let number = marker.strip_suffix('.').filter(|number| !number.is_empty());
    let is_number = number.is_some_and(|number| {
        number.bytes().all(|byte| byte.is_ascii_digit())
            || number.len() == 1 && number.bytes().all(|byte| byte.is_ascii_alphabetic())
    });
    let place = marker.strip_prefix('<').and_then(|rest| rest.strip_suffix('>'));
    let is_place =
        place.is_some_and(|place| place == "." || !place.is_empty() && place.bytes().all(|byte| byte.is_ascii_digit()));
    short && !marker.is_empty() && (all('*') || marker == "-" || all('.') || is_number || is_place)
}

/// `term:: words`.
pub(super) fn term(line: &str) -> Option<(&str, &'static str, &str)> {
    let ends = [("::::", "::::"), (":::", ":::"), ("::", "::"), (";;", ";;")];
    ends.into_iter().find_map(|(sign, key)| {
        let (term, words) = match line.strip_suffix(sign) {
            Some(term) => (term, ""),
            None => line.split_once(&format!("{sign} "))?,
        };
        let is_term = !term.is_empty() && !term.ends_with([':', ';']) && !term.contains("::");
        is_term.then_some((term, key, words.trim()))
    })
}

/// `\include::file[]` shows how a file is included.
pub(super) fn unescaped(line: &str) -> &str {
    let is_escaped = |rest: &&str| {
        ["include::", "ifdef::", "ifndef::", "ifeval::", "endif::"].iter().any(|name| rest.starts_with(name))
    };
    line.strip_prefix('\\').filter(is_escaped).unwrap_or(line)
}

/// The line of code without the numbers that explain it below: `// <1>`.
pub(super) fn without_callouts(line: &str) -> &str {
    let mut line = line.trim_end();
    while let Some(start) = line.strip_suffix('>').and_then(|rest| rest.rfind('<')) {
        let number = &line[start + 1..line.len() - 1];
        let is_number =
            number == "." || !number.is_empty() && number.len() < 4 && number.bytes().all(|byte| byte.is_ascii_digit());
        if !is_number {
            break;
        }
        line = line[..start].trim_end();
        line = ["//", "#", "--", ";;"].iter().find_map(|sign| line.strip_suffix(sign)).unwrap_or(line).trim_end();
    }
    line.strip_suffix("<!--").map_or(line, str::trim_end)
}

pub(super) fn without_indentation<'a>(lines: &[&'a str]) -> Vec<&'a str> {
    let indentation = |line: &&str| line.len() - line.trim_start_matches([' ', '\t']).len();
    let least = lines.iter().filter(|line| !line.is_empty()).map(indentation).min().unwrap_or(0);
    lines.iter().map(|line| line.get(least..).unwrap_or(line)).collect()
}

pub(super) fn underline_level(line: &str) -> u8 {
    match line.as_bytes().first() {
        Some(b'=') => 1,
        Some(b'-') => 2,
        Some(b'~') => 3,
        Some(b'^') => 4,
        _ => 5,
    }
}
