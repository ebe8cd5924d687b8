//! Citations in a text, as they are shown: `[3]`.

/// The text without them. Other brackets stay.
pub fn without_markers(text: &str) -> String {
    let mut bare = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, bracket)) = rest.split_once('[') {
        bare.push_str(before);
        let digits = bracket.chars().take_while(char::is_ascii_digit).count();
        match bracket[digits..].strip_prefix(']') {
            Some(after) if digits > 0 => rest = after,
            _ => {
                bare.push('[');
                rest = bracket;
            }
        }
    }
    bare + rest
}

/// The text with a citation at its end, before the white space after it. `![1]` would be an image.
pub fn with_marker(text: &str, number: u32) -> String {
    let space = if text.trim_end().ends_with('!') { " " } else { "" };
    behind(text, &format!("{space}[{number}]"))
}

/// The text with something at its end, before the white space after it.
pub fn behind(text: &str, what: &str) -> String {
    let said = text.trim_end();
    format!("{said}{what}{}", &text[said.len()..])
}
