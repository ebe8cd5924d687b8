use super::*;
use crate::read::SectionStart;

fn text(markdown: &str) -> String {
    extract(markdown).unwrap().text
}

fn paths(document: &ReadDocument) -> Vec<String> {
    let begins_with_its_heading = |section: &SectionStart| {
        let rest: String = document.text.chars().skip(section.at).collect();
        section.path.last().is_none_or(|heading| rest.starts_with(heading.as_str()))
    };
    assert!(document.sections.iter().all(begins_with_its_heading), "{:?}", document.sections);
    document.sections.iter().map(|section| section.path.join(" > ")).collect()
}

#[test]
fn markdown_becomes_the_text_people_see() {
    let cases = [
        ("One\ntwo  \nthree\n\nfour", "One two\nthree\n\nfour"),
        ("*Emphasis*, **strength**, `code` and [a link](https://example.org).", "Emphasis, strength, code and a link."),
        ("- a\n- b\n  - c\n    more c\n- d\n\nafter", "- a\n- b\n  - c more c\n- d\n\nafter"),
        ("3. a\n4. b\n\n   second paragraph\n5. c", "3. a\n4. b\n  second paragraph\n5. c"),
        ("before\n\n* loose\n\n* items\n", "before\n\n- loose\n- items"),
        ("- [x] done\n- [ ] open", "- [x] done\n- [ ] open"),
        ("| a | b |\n|---|---|\n| 1 | `x|y` |\n|  |  |\n| **2** | |\n\nend", "a | b\n1 | `x\n2 |\n\nend"),
        ("```rust\nfn a() {\n    b();\n}\n```\nafter", "fn a() {\n    b();\n}\n\nafter"),
        ("> quoted\n> text\n\nplain", "quoted text\n\nplain"),
        ("a ~~wrong~~ right", "a ~~wrong~~ right"),
        ("Said[^1].\n\n[^1]: By somebody.\n", "Said (note 1).\n\nNote 1: By somebody."),
        ("one\n\n---\n\ntwo", "one\n\ntwo"),
        ("<https://example.org> &amp; &copy;", "https://example.org & ©"),
    ];
    for (markdown, expected) in cases {
        assert_eq!(text(markdown), expected, "{markdown:?}");
    }
}

#[test]
fn raw_html_is_reduced_to_its_text() {
    let cases = [
        ("a <b>bold</b> word<br>next <!-- not this --> line", "a bold word\nnext line"),
        ("<details>\n<summary>More</summary>\n\nHidden *until* opened.\n\n</details>", "More\n\nHidden until opened."),
        ("<table><tr><td>a</td><td>b</td></tr>\n<tr><td>c</td><td>d</td></tr></table>", "a | b\nc | d"),
        ("<script>\nalert(1)\n</script>\n\ntext", "text"),
        ("shown <script>alert(1)</script> still", "shown still"),
        ("run `get <name>` in <namespace> with Vec<String>", "run get <name> in <namespace> with Vec<String>"),
        ("see <img src=\"x.png\" alt=\"the diagram\"> here", "see the diagram here"),
        ("<div hidden>secret</div>\n\nshown", "shown"),
    ];
    for (markdown, expected) in cases {
        assert_eq!(text(markdown), expected, "{markdown:?}");
    }
}

#[test]
fn images_are_their_alternative_text_and_embedded_data_is_nothing() {
    let data = format!("data:image/png;base64,{}", "iVBORw0KGgoAAAANSUhEUg".repeat(200));
    let cases = [
        format!("before ![the alt]({data}) after"),
        format!("before ![the alt][image] after\n\n[image]: <{data}>\n"),
        format!("before <img alt=\"the alt\" src=\"{data}\"> after"),
        format!("before the alt <{data}> after"),
        format!("before the alt {data} after"),
    ];
    for markdown in cases {
        let text = text(&markdown);
        assert_eq!(
            text.split_whitespace().collect::<Vec<_>>().join(" "),
            "before the alt after",
            "{}",
            &markdown[..60]
        );
    }
}

#[test]
fn headings_make_sections_and_the_first_one_the_title() {
    let document =
        extract("# Use queues\n\nIntro.\n\n## Decision\n\nYes.\n\n### Consequences\n\nMany.\n\n## Links\n\nNone.")
            .unwrap();
    assert_eq!(document.title.as_deref(), Some("Use queues"));
    assert_eq!(document.text, "Use queues\n\nIntro.\n\nDecision\n\nYes.\n\nConsequences\n\nMany.\n\nLinks\n\nNone.");
    assert_eq!(paths(&document), ["Decision", "Decision > Consequences", "Links"]);
    assert_eq!(document.sections[0].at, 20);
}

#[test]
fn which_heading_is_the_title() {
    let cases: [(&str, Option<&str>, &[&str]); 7] = [
        // A title in the front matter wins; a first heading that says the same is not a section.
        ("---\ntitle: Use queues\n---\n# Use Queues.\n\n## A\n\nx", Some("Use queues"), &["A"]),
        ("---\ntitle: Use queues\n---\n# Other\n\n## A\n\nx", Some("Use queues"), &["Other", "Other > A"]),
        ("## A\n\nx\n\n# Title\n\ny\n\n## B\n\nz", Some("Title"), &["A", "", "B"]),
        ("# One\n\nx\n\n# Two\n\ny", Some("One"), &["Two"]),
        ("No headings", None, &[]),
        ("# *Styled* `title` {#anchor}\n\nx", Some("Styled title"), &[]),
        ("Setext\n======\n\nx\n\n#### Deep\n\ny\n\n## Up\n\nz", Some("Setext"), &["Deep", "Up"]),
    ];
    for (markdown, title, expected) in cases {
        let document = extract(markdown).unwrap();
        assert_eq!(document.title.as_deref(), title, "{markdown:?}");
        assert_eq!(paths(&document), expected, "{markdown:?}");
    }
}

#[test]
fn a_rule_in_the_middle_is_no_front_matter() {
    assert_eq!(text("Before\n\n---\n\ntitle: kept\n\n---\n\nAfter"), "Before\n\ntitle: kept\n\nAfter");
}

#[test]
fn nothing_to_read_says_so() {
    for empty in ["", "\n\n", "---\ntitle: x\n---\n", "![](x.png)", "---\n\n***"] {
        assert_eq!(extract(empty), Err(ReadError::NoText { format: Format::Markdown }), "{empty:?}");
    }
}

#[test]
fn hostile_markdown_is_read_in_reasonable_time() {
    let deep_quote = format!("{}text", ">".repeat(50_000));
    let deep_list: String = (0..500).map(|depth| format!("{}- item\n", " ".repeat(2 * depth))).collect();
    let brackets = format!("text {}", "[".repeat(50_000));
    let stars = format!("text {}", "*a _b ".repeat(20_000));
    let backticks: String = (1..600).map(|count| format!("{} ", "`".repeat(count))).collect();
    let cells = format!("|a|b|\n|-|-|\n{}", "|x".repeat(50_000));
    let html = format!("<div>\n{}", "<b>".repeat(1_000));
    for markdown in
        [deep_quote, deep_list, brackets, stars, format!("text {backticks}"), cells, format!("text\n\n{html}")]
    {
        let started = std::time::Instant::now();
        let read = extract(&markdown);
        assert!(read.is_ok(), "{read:?}");
        assert!(started.elapsed().as_secs() < 20, "{:?} for {}", started.elapsed(), &markdown[..30]);
    }
}

#[test]
fn indentation_of_deep_lists_is_bounded() {
    let deep: String = (0..300).map(|depth| format!("{}- item\n", " ".repeat(2 * depth))).collect();
    assert!(text(&deep).lines().all(|line| line.len() < 30));
}

#[test]
fn what_site_generators_add_is_no_text() {
    let markdown = "---\ntitle: Pay\n---\nimport Tabs from '@theme/Tabs';\n\n# Pay\n\n{{% alert %}}\nBy **card** only.\n{{% /alert %}}\n";
    assert_eq!(extract(markdown).unwrap().text, "Pay\n\nBy card only.");
}
