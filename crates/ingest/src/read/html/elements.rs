//! What HTML's elements mean to a reader of text.

/// Whether a browser knows the element: anything else in angle brackets was meant to be read.
pub(in crate::read) fn is_element(name: &str) -> bool {
    const REST: &[&str] = &[
        "a", "abbr", "acronym", "area", "audio", "b", "base", "bdi", "bdo", "big", "blink", "br", "canvas", "cite",
        "code", "col", "colgroup", "data", "del", "dfn", "em", "font", "i", "img", "input", "ins", "kbd", "label",
        "link", "map", "mark", "marquee", "meta", "meter", "nobr", "output", "param", "path", "picture", "progress",
        "q", "rp", "rt", "ruby", "s", "samp", "slot", "small", "source", "span", "strike", "strong", "sub", "sup",
        "time", "title", "track", "tt", "u", "var", "video", "wbr",
    ];
    let name = name.to_ascii_lowercase();
    is_block(&name) || is_unread(&name) || REST.contains(&name.as_str())
}

/// Elements that stand on lines of their own.
pub(super) fn is_block(name: &str) -> bool {
    matches!(
        name,
        "address"
            | "article"
            | "aside"
            | "blockquote"
            | "body"
            | "caption"
            | "center"
            | "dd"
            | "details"
            | "dialog"
            | "dir"
            | "div"
            | "dl"
            | "dt"
            | "fieldset"
            | "figcaption"
            | "figure"
            | "footer"
            | "form"
            | "h1"
            | "h2"
            | "h3"
            | "h4"
            | "h5"
            | "h6"
            | "header"
            | "hgroup"
            | "hr"
            | "html"
            | "legend"
            | "li"
            | "main"
            | "menu"
            | "ol"
            | "p"
            | "pre"
            | "search"
            | "section"
            | "summary"
            | "table"
            | "tbody"
            | "td"
            | "tfoot"
            | "th"
            | "thead"
            | "tr"
            | "ul"
    )
}

/// Elements whose content is not the document: how it works, and the way around it.
pub(super) fn is_unread(name: &str) -> bool {
    matches!(
        name,
        "button"
            | "datalist"
            | "embed"
            | "head"
            | "iframe"
            | "nav"
            | "noembed"
            | "noframes"
            | "noscript"
            | "object"
            | "option"
            | "rp"
            | "rt"
            | "script"
            | "select"
            | "style"
            | "svg"
            | "template"
            | "textarea"
    )
}
