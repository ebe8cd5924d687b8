//! Elements and comments of HTML.

use super::LONGEST;

/// Elements of HTML that are taken out. A word in angle brackets that is none of them is a placeholder, and is kept.
const ELEMENTS: [&str; 87] = [
    "a",
    "abbr",
    "applet",
    "article",
    "audio",
    "b",
    "base",
    "bdi",
    "bdo",
    "blockquote",
    "body",
    "br",
    "button",
    "canvas",
    "caption",
    "center",
    "code",
    "col",
    "dd",
    "del",
    "details",
    "dialog",
    "div",
    "dl",
    "dt",
    "em",
    "embed",
    "fieldset",
    "figure",
    "font",
    "footer",
    "form",
    "frame",
    "h1",
    "h2",
    "h3",
    "h4",
    "h5",
    "h6",
    "head",
    "header",
    "hr",
    "html",
    "i",
    "iframe",
    "img",
    "input",
    "ins",
    "kbd",
    "li",
    "link",
    "main",
    "mark",
    "math",
    "meta",
    "noscript",
    "object",
    "ol",
    "p",
    "picture",
    "pre",
    "q",
    "s",
    "script",
    "small",
    "span",
    "strong",
    "style",
    "sub",
    "summary",
    "sup",
    "svg",
    "table",
    "tbody",
    "td",
    "template",
    "textarea",
    "tfoot",
    "th",
    "thead",
    "title",
    "tr",
    "track",
    "u",
    "ul",
    "video",
    "wbr",
];

/// Elements that stand inside a line; any other begins one.
const INLINE: [&str; 23] = [
    "a", "abbr", "b", "bdi", "bdo", "code", "del", "em", "font", "i", "img", "ins", "kbd", "mark", "q", "s", "small",
    "span", "strong", "sub", "sup", "u", "wbr",
];

/// Removes comments and elements of HTML; what stands between an opening and a closing tag stays.
pub(super) fn without_elements(text: &str) -> String {
    let mut kept = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, tag)) = rest.split_once('<') {
        kept.push_str(before);
        let taken = if let Some(comment) = tag.strip_prefix("!--") {
            // One that nobody closes goes on to the end.
            Some(comment.find("-->").map_or(tag.len(), |end| end + "!---->".len()))
        } else {
            is_element(tag).then(|| end_of_tag(tag))
        };
        match taken {
            Some(taken) => {
                // What stood on lines of their own must not become one.
                if is_block(&tag[..taken]) {
                    kept.push('\n');
                }
                rest = &tag[taken..];
            }
            None => {
                kept.push('<');
                rest = tag;
            }
        }
    }
    kept + rest
}

/// The name in a tag, in lower case, and what comes after it.
fn name_of(tag: &str) -> (String, &str) {
    let name = tag.strip_prefix('/').unwrap_or(tag);
    let end = name.find(|sign: char| !sign.is_ascii_alphanumeric()).unwrap_or(name.len());
    let (name, after) = name.split_at(end);
    (name.to_ascii_lowercase(), after)
}

fn is_block(tag: &str) -> bool {
    !INLINE.contains(&name_of(tag).0.as_str()) && !tag.starts_with('!')
}

fn is_element(tag: &str) -> bool {
    let (name, after) = name_of(tag);
    let ends = after.is_empty() || after.starts_with(|sign: char| sign.is_whitespace() || matches!(sign, '>' | '/'));
    ends && ELEMENTS.binary_search(&name.as_str()).is_ok()
}

/// Behind the `>` that closes a tag, outside quotation marks. Without one, where the line ends.
fn end_of_tag(tag: &str) -> usize {
    let mut quoted = None;
    for (place, sign) in tag.char_indices().take(LONGEST) {
        match (quoted, sign) {
            (None, '>') => return place + 1,
            (None, '"' | '\'') if tag[..place].trim_end().ends_with('=') => quoted = Some(sign),
            (Some(mark), sign) if mark == sign => quoted = None,
            _ => {}
        }
    }
    tag.find('>').map(|end| end + 1).or_else(|| tag.find('\n')).unwrap_or(tag.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn elements_are_in_order_so_that_they_can_be_found() {
        assert!(ELEMENTS.is_sorted());
    }
}
