//! Names and snippets of sources in which nothing passes for a citation of ours: they stand beside those of the answer.

use ibidem_language::markers::quoted;
use ibidem_words::{Citation, NearestMiss};

const SNIPPET_CHARACTERS: usize = 200;

pub(crate) fn citation(citation: Citation) -> Citation {
    Citation {
        document_name: plain(citation.document_name),
        section: citation.section.map(plain),
        cells: citation.cells.map(plain),
        address: citation.address.map(plain),
        ..citation
    }
}

pub(crate) fn nearest(miss: NearestMiss) -> NearestMiss {
    NearestMiss { title: plain(miss.title), section: miss.section.map(plain), address: miss.address.map(plain), ..miss }
}

pub(crate) fn snippet_of(text: &str) -> String {
    let text = &*quoted(text);
    match text.char_indices().nth(SNIPPET_CHARACTERS) {
        Some((end, _)) => format!("{}...", &text[..end]),
        None => text.to_owned(),
    }
}

#[expect(clippy::needless_pass_by_value, reason = "it takes the place of what it is given")]
fn plain(text: String) -> String {
    quoted(&text).into_owned()
}

#[cfg(test)]
mod tests {
    use ibidem_words::CitedSource;

    use super::*;

    #[test]
    fn what_looks_like_a_citation_is_none_in_a_snippet_and_in_the_name_of_what_came_nearest() {
        assert_eq!(snippet_of("As in [2], it holds.[^3]"), "As in (2), it holds.(3)");
        let miss = NearestMiss {
            source_id: CitedSource::Concept("http://terms/x".to_owned()),
            version: 1,
            title: "Report [2]".to_owned(),
            section: Some("【3】".to_owned()),
            address: None,
            why: String::new(),
            answers: None,
            similarity: None,
        };
        let miss = nearest(miss);
        assert_eq!((miss.title.as_str(), miss.section.as_deref()), ("Report (2)", Some("(3)")));
    }

    #[test]
    fn a_snippet_is_cut_at_200_characters_not_bytes() {
        assert_eq!(snippet_of("short"), "short");
        assert_eq!(snippet_of(&"é".repeat(200)), "é".repeat(200));
        assert_eq!(snippet_of(&"é".repeat(201)), format!("{}...", "é".repeat(200)));
    }
}
