//! The stretches of text that lie in one section each: passages never cross from one to the next.

use std::ops::Range;

use crate::read::ReadDocument;

#[derive(Debug, PartialEq)]
pub(super) struct Stretch<'a> {
    pub(super) path: &'a [String],
    /// Its place in the text.
    pub(super) bytes: Range<usize>,
    /// It is a heading, or several, and nothing else.
    is_bare: bool,
}

pub(super) fn stretches(document: &ReadDocument) -> Vec<Stretch<'_>> {
    let mut stretches: Vec<Stretch<'_>> = Vec::with_capacity(document.sections.len() + 1);
    let mut start = 0;
    let mut path: &[String] = &[];
    let ends = byte_offsets(&document.text, document.sections.iter().map(|section| section.at));
    let parts = ends.into_iter().zip(document.sections.iter().map(|section| section.path.as_slice()));
    for (end, next_path) in parts.chain([(document.text.len(), [].as_slice())]) {
        if end > start {
            let words = document.text[start..end].trim();
            let heading = path.last().or(document.title.as_ref());
            let is_bare = heading.is_some_and(|heading| words == heading);
            push(&mut stretches, Stretch { path, bytes: start..end, is_bare });
        }
        (start, path) = (end, next_path);
    }
    stretches
}

/// A heading with nothing under it but further headings says nothing alone: it opens the first
/// stretch beneath it, whose path names it anyway. The document's title does likewise.
fn push<'a>(stretches: &mut Vec<Stretch<'a>>, mut stretch: Stretch<'a>) {
    let lies_beneath =
        |above: &Stretch<'_>| stretch.path.len() > above.path.len() && stretch.path.starts_with(above.path);
    if let Some(above) = stretches.pop_if(|above| above.is_bare && lies_beneath(above)) {
        stretch.bytes.start = above.bytes.start;
    }
    stretches.push(stretch);
}

/// The length, in bytes, of the headings a stretch opens with and the white space after them.
pub(super) fn opening_headings(text: &str, title: Option<&str>, path: &[String]) -> usize {
    let mut rest = text.trim_start();
    for heading in title.into_iter().chain(path.iter().map(String::as_str)) {
        if let Some(after) = rest.strip_prefix(heading)
            && after.starts_with('\n')
        {
            rest = after.trim_start();
        }
    }
    text.len() - rest.len()
}

/// Where characters stand in the text, in bytes. Both in rising order.
pub(super) fn byte_offsets(text: &str, characters: impl Iterator<Item = usize>) -> Vec<usize> {
    let mut walk = text.char_indices().map(|(byte, _)| byte).enumerate().peekable();
    let mut byte_at = |character: usize| {
        while walk.next_if(|(position, _)| *position < character).is_some() {}
        walk.peek().map_or(text.len(), |(_, byte)| *byte)
    };
    characters.map(&mut byte_at).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::read::SectionStart;

    fn document(title: Option<&str>, parts: &[(&[&str], &str)]) -> ReadDocument {
        let mut document = ReadDocument { title: title.map(str::to_owned), ..ReadDocument::default() };
        for (path, text) in parts {
            let at = document.text.chars().count();
            document.sections.push(SectionStart { at, path: path.iter().map(|&heading| heading.to_owned()).collect() });
            document.text.push_str(text);
        }
        document
    }

    fn check(title: Option<&str>, parts: &[(&[&str], &str)], expected: &[(&str, &str)]) {
        let document = document(title, parts);
        let stretches = stretches(&document);
        let shown: Vec<_> = stretches
            .iter()
            .map(|stretch| (stretch.path.join(" > "), document.text[stretch.bytes.clone()].trim()))
            .collect();
        let shown: Vec<_> = shown.iter().map(|(path, text)| (path.as_str(), *text)).collect();
        assert_eq!(shown, expected);
    }

    #[test]
    fn every_section_is_a_stretch() {
        check(
            None,
            &[(&[], "Prélude\n\n"), (&["A"], "A\n\nünder A\n\n"), (&["B"], "B\n\nunder B")],
            &[("", "Prélude"), ("A", "A\n\nünder A"), ("B", "B\n\nunder B")],
        );
    }

    #[test]
    fn bare_headings_open_the_section_beneath_them() {
        check(
            Some("Title"),
            &[
                (&[], "Title\n\n"),
                (&["A"], "A\n\n"),
                (&["A", "A1"], "A1\n\ntext\n\n"),
                (&["B"], "B\n\n"),
                (&["C"], "C\n\ntext"),
            ],
            &[("A > A1", "Title\n\nA\n\nA1\n\ntext"), ("B", "B"), ("C", "C\n\ntext")],
        );
        check(
            Some("Title"),
            &[(&[], "Title\n\nIntroduction\n\n"), (&["A"], "A\n\ntext")],
            &[("", "Title\n\nIntroduction"), ("A", "A\n\ntext")],
        );
    }
}
