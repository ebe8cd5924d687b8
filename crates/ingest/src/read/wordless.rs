//! Files of a site that have no words of their own: front matter alone, and pages that only lead to another one.

use ibidem_ports::intake::Format;

use super::{front_matter, plain};

/// A page that only leads to another one is no longer.
const LONGEST_REDIRECT: usize = 4 * 1024;

/// Why there is nothing in the file that people would read. Such a file is no failure: sites are full of them.
pub fn why_wordless(bytes: &[u8], format: Format) -> Option<&'static str> {
    match format {
        Format::Markdown | Format::AsciiDoc | Format::ReStructuredText => of_front_matter(&plain::decoded(bytes)),
        Format::Html if bytes.len() <= LONGEST_REDIRECT => of_page(&plain::decoded_html(bytes)),
        _ => None,
    }
}

fn of_front_matter(text: &str) -> Option<&'static str> {
    let (_, body) = front_matter::split(text);
    let head = &text[..text.len() - body.len()];
    let leads_away = |line: &str| {
        let name = line.split(':').next().unwrap_or_default().trim().to_lowercase();
        name.starts_with("redirect") && name != "redirect_from" || line.trim() == "layout: redirect"
    };
    match (head.is_empty(), body.trim().is_empty(), head.lines().any(leads_away)) {
        (false, true, true) => Some("they only lead to another page"),
        (false, true, false) => Some("they have front matter and no text"),
        _ => None,
    }
}

fn of_page(page: &str) -> Option<&'static str> {
    let page = page.to_ascii_lowercase();
    let refreshes = page
        .split("<meta")
        .skip(1)
        .filter_map(|rest| rest.split('>').next())
        .any(|tag| tag.contains("http-equiv") && tag.contains("refresh") && tag.contains("url="));
    refreshes.then_some("they only lead to another page")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_without_words_of_their_own_are_known() {
        let cases = [
            (Format::Markdown, "---\ntitle: Guides\nweight: 3\n---\n\n", Some("they have front matter and no text")),
            (Format::Markdown, "---\nredirect_to: /new/\n---\n", Some("they only lead to another page")),
            (Format::Markdown, "---\nredirect_from: /old/\n---\nText.", None),
            (Format::Markdown, "---\ntitle: Guides\n---\nText.", None),
            (Format::Markdown, "", None),
            (Format::AsciiDoc, "---\nlayout: redirect\n---\n", Some("they only lead to another page")),
            (
                Format::Html,
                "<!DOCTYPE html><META HTTP-EQUIV=\"refresh\" content=\"0; URL=/new/\"><p>Moved.",
                Some("they only lead to another page"),
            ),
            (Format::Html, "<meta charset=utf-8><p>How to refresh a page: url=…", None),
            (Format::Plain, "---\na: b\n---\n", None),
        ];
        for (format, text, expected) in cases {
            assert_eq!(why_wordless(text.as_bytes(), format), expected, "{text}");
        }
    }
}
