//! Pages that are nested, never closed or huge.

use crate::files::{End, Hostile, file};

const TOO_DEEP: End = End::Failed("nested too deep");

/// Nested elements after something that might hide them.
fn nested(before: &'static str) -> impl Fn() -> Vec<u8> {
    move || format!("<p>Some text.</p>{before}{}", "<div>".repeat(200_000)).into_bytes()
}

pub(crate) fn files() -> Vec<Hostile> {
    vec![
        file("elements in elements", "deep.html", nested(""), TOO_DEEP),
        file("elements after an odd comment", "comment.html", nested("<!-->"), TOO_DEEP),
        file("elements after an odd quote", "quote.html", nested("<a b=c\">"), TOO_DEEP),
        file("elements in a drawing's title", "drawing.html", nested("<svg><title>"), TOO_DEEP),
        file(
            "an attribute of 30 MB",
            "attribute.html",
            || format!("<p title=\"{}\">Text.</p>", "x".repeat(30 << 20)).into_bytes(),
            End::Read,
        ),
        file(
            "two hundred thousand attributes",
            "attributes.html",
            || {
                let attributes: String = (0..200_000).map(|number| format!(" a{number}")).collect();
                format!("<p{attributes}>Text.</p>").into_bytes()
            },
            TOO_DEEP,
        ),
        file(
            "a comment that never ends",
            "endless.html",
            || format!("<p>Text.</p><!--{}", "<div>".repeat(400_000)).into_bytes(),
            End::Read,
        ),
        file(
            "formatting that is opened again in every paragraph",
            "formatting.html",
            || {
                let opened: String = (0..20_000).map(|number| format!("<b id={number}>")).collect();
                (opened + &"<p>a".repeat(20_000)).into_bytes()
            },
            TOO_DEEP,
        ),
        file("tables in tables", "tables.html", || "<table><tr><td>a".repeat(50_000).into_bytes(), TOO_DEEP),
        file(
            "a title of 5 MB without a space",
            "title.html",
            || format!("<title>{}</title><p>Text.</p>", "x".repeat(5 << 20)).into_bytes(),
            End::Read,
        ),
    ]
}
