//! Pages and pictures of what anybody wrote. The templates escape whatever they are given.

use maud::Markup;

/// A page as it is written to a file. Signs that steer how text runs, wherever they come from, are shown as what they are.
pub(crate) fn finished(page: Markup) -> String {
    let steers = |sign: char| {
        matches!(sign, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
            || (sign.is_control() && sign != '\n' && sign != '\t')
    };
    let shown = |sign: char| if steers(sign) { char::REPLACEMENT_CHARACTER } else { sign };
    page.into_string().chars().map(shown).chain(['\n']).collect()
}

#[cfg(test)]
mod tests {
    use maud::html;

    use super::*;

    #[test]
    fn nothing_that_is_shown_becomes_markup_or_turns_the_text_round() {
        let (text, name) = ("<a b='c'>&\"", "\" onload=\"x");
        let page = finished(html! { p title=(name) { (text) } });
        assert_eq!(page, "<p title=\"&quot; onload=&quot;x\">&lt;a b='c'&gt;&amp;&quot;</p>\n");
        assert_eq!(finished(html! { "a\u{202e}b\u{7}c\n" }), "a\u{fffd}b\u{fffd}c\n\n");
    }
}
