//! What a page may show of what anybody wrote.

/// Text as HTML shows it, in elements and in quoted attributes. Signs that steer how text runs are shown as what they are.
pub(crate) fn escaped(text: &str) -> String {
    let mut safe = String::with_capacity(text.len());
    for sign in text.chars() {
        match sign {
            '&' => safe.push_str("&amp;"),
            '<' => safe.push_str("&lt;"),
            '>' => safe.push_str("&gt;"),
            '"' => safe.push_str("&quot;"),
            '\'' => safe.push_str("&#39;"),
            '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' => safe.push(char::REPLACEMENT_CHARACTER),
            sign if sign.is_control() && sign != '\n' && sign != '\t' => safe.push(char::REPLACEMENT_CHARACTER),
            sign => safe.push(sign),
        }
    }
    safe
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_that_is_shown_becomes_markup_or_turns_the_text_round() {
        assert_eq!(escaped("<a b='c'>&\""), "&lt;a b=&#39;c&#39;&gt;&amp;&quot;");
        assert_eq!(escaped("a\u{202e}b\u{7}c\n"), "a\u{fffd}b\u{fffd}c\n");
    }
}
