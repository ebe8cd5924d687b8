//! Entities of HTML: `&lt;`, `&#60;`.

use ibidem_words::is_unseen;

/// Entities as the characters that they stand for. Read from the end, because what one becomes may begin another.
pub(super) fn without_entities(text: &str) -> String {
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

/// Whether an ampersand with this behind it would be read as an entity.
pub(super) fn is_entity(rest: &str) -> bool {
    let name = rest.strip_prefix('#').unwrap_or(rest);
    let end = name.find(|sign: char| !sign.is_ascii_alphanumeric()).unwrap_or(name.len());
    // However long: leading zeros of a number have no end.
    end > 0 && name[end..].starts_with(';')
}
