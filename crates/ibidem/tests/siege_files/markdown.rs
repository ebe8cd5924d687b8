//! Markdown and front matter that nest, repeat and claim too much.

use crate::files::{End, Hostile, file};

fn matter(yaml: &str) -> Vec<u8> {
    format!("---\n{yaml}\n---\n# Text\n\nSome text.\n").into_bytes()
}

pub(crate) fn files() -> Vec<Hostile> {
    vec![
        file("quotes in quotes", "quotes.md", || (">".repeat(200_000) + " text\n").into_bytes(), End::Either),
        file(
            "lists in lists",
            "lists.md",
            || (0..2_000).map(|depth| format!("{}- item\n", "  ".repeat(depth))).collect::<String>().into_bytes(),
            End::Either,
        ),
        file(
            "three hundred thousand brackets",
            "brackets.md",
            || ("[".repeat(300_000) + "text").into_bytes(),
            End::Either,
        ),
        file("links in links", "links.md", || ("[a](".repeat(20_000) + "text").into_bytes(), End::Either),
        file("emphasis that never ends", "emphasis.md", || "*a **b _c ".repeat(10_000).into_bytes(), End::Either),
        file(
            "runs of backticks",
            "backticks.md",
            || (1..100).map(|length| format!("{} a ", "`".repeat(length))).collect::<String>().into_bytes(),
            End::Either,
        ),
        file(
            "two hundred thousand headings",
            "headings.md",
            || "# a\n\n".repeat(200_000).into_bytes(),
            End::Failed("its headings"),
        ),
        file(
            "aliases of aliases",
            "aliases.md",
            || {
                let mut yaml = "title: Aliases\na0: &a0 [x, x]\n".to_owned();
                for level in 1..40 {
                    yaml.push_str(&format!("a{level}: &a{level} [{}]\n", format!("*a{}, ", level - 1).repeat(10)));
                }
                matter(yaml.trim_end())
            },
            End::Read,
        ),
        file("nested front matter", "nested.md", || matter(&format!("title: {}", "[".repeat(30_000))), End::Read),
        file("a title with a NUL, and a direction", "nul.md", || matter("title: \"Oil\\0 \\u202echange\""), End::Read),
        file(
            "a date before the calendar and an address of 9 KB",
            "calendar.md",
            || matter(&format!("date: -4800-01-01\naddress: {}", "9 ".repeat(4_500))),
            End::Read,
        ),
        file(
            "a title of one word of 256 KB",
            "word.md",
            || format!("# {}\n\nSome text.\n", "x".repeat(1 << 18)).into_bytes(),
            End::Read,
        ),
        file(
            "an odd page in a page",
            "inside.md",
            || format!("Text.\n\n<div><!-->{}\n", "<div>".repeat(200_000)).into_bytes(),
            End::Failed("nested too deep"),
        ),
    ]
}
