//! What site generators put into Markdown and nobody reads: imports of MDX, and template tags of Hugo and Liquid.

use std::borrow::Cow;

/// Openings of template tags, each with its end. Values such as `{{ name }}` stand for words and stay.
const TAGS: [(&str, &str); 3] = [("{{%", "%}}"), ("{{<", ">}}"), ("{%", "%}")];

/// A tag goes over no more lines, and has no more bytes.
const MOST_TAG_LINES: usize = 10;
const LONGEST_TAG: usize = 1_000;
/// Lines indented further are code.
const CODE_INDENTATION: usize = 4;

/// The Markdown without them. Code is left as it is: there they are what is shown.
pub(super) fn without_templates(markdown: &str) -> Cow<'_, str> {
    let has_tags = TAGS.iter().any(|(open, _)| markdown.contains(open));
    if !has_tags && !markdown.lines().any(begins_module_line) {
        return Cow::Borrowed(markdown);
    }
    let lines: Vec<&str> = markdown.split_inclusive('\n').collect();
    let mut written = String::with_capacity(markdown.len());
    let mut fence: Option<&str> = None;
    let mut at = 0;
    while at < lines.len() {
        let line = lines[at];
        let own = self::fence(line);
        let taken = match (fence, own) {
            (Some(open), Some(own)) if own.starts_with(open) => {
                fence = None;
                0
            }
            (None, Some(own)) => {
                fence = Some(own);
                0
            }
            (Some(_), _) => 0,
            (None, None) if is_after_gap(&lines, at) && begins_module_line(line) => module_lines(&lines[at..]),
            (None, None) if indentation(line) >= CODE_INDENTATION => 0,
            (None, None) => {
                let block = tag_lines(&lines[at..]);
                written.push_str(&without_tags(&lines[at..at + block].concat()));
                at += block;
                continue;
            }
        };
        match taken {
            0 => {
                written.push_str(line);
                at += 1;
            }
            taken => {
                written.push('\n');
                at += taken;
            }
        }
    }
    Cow::Owned(written)
}

/// The signs that begin or end a block of code.
fn fence(line: &str) -> Option<&str> {
    let line = line.trim_start();
    let length = ["`", "~"].into_iter().map(|sign| line.len() - line.trim_start_matches(sign).len()).max()?;
    (length >= 3).then(|| &line[..length])
}

fn indentation(line: &str) -> usize {
    line.chars()
        .take_while(|sign| sign.is_whitespace())
        .map(|sign| if sign == '\t' { CODE_INDENTATION } else { 1 })
        .sum()
}

/// Modules are imported at the beginning, below an empty line or below another import: elsewhere the words are prose.
fn is_after_gap(lines: &[&str], at: usize) -> bool {
    at == 0 || lines[at - 1].trim().is_empty() || begins_module_line(lines[at - 1]) || ends_import(lines[at - 1])
}

fn begins_module_line(line: &str) -> bool {
    let after = |word: &str| line.strip_prefix(word).map(str::trim_start);
    let is_import = after("import ").is_some_and(|rest| {
        let names_module = rest.contains(" from \"") || rest.contains(" from '");
        names_module || rest.starts_with(['"', '\'']) || rest.trim_end() == "{"
    });
    let is_export = after("export ").is_some_and(|rest| {
        let declared = ["const ", "let ", "var ", "default ", "function ", "async ", "class ", "type "];
        rest.starts_with(['{', '*']) || declared.iter().any(|word| rest.starts_with(word))
    });
    is_import || is_export
}

/// The last line of an import over several lines.
fn ends_import(line: &str) -> bool {
    let line = line.trim_end().trim_end_matches(';');
    line.starts_with("} from ") && line.ends_with(['"', '\''])
}

/// How many lines the import or export has that begins here: to its own end, or to the next empty line.
fn module_lines(lines: &[&str]) -> usize {
    let is_whole = lines[0].starts_with("import ") && lines[0].trim_end().trim_end_matches(';').ends_with(['"', '\'']);
    if is_whole {
        return 1;
    }
    let is_end = |line: &&str| line.trim().is_empty() || ends_import(line);
    let length = lines.iter().position(is_end).unwrap_or(lines.len());
    let includes_end = lines.get(length).is_some_and(|line| ends_import(line));
    (length + usize::from(includes_end)).max(1)
}

/// How many lines have to be looked at together: those of a tag that ends further below.
fn tag_lines(lines: &[&str]) -> usize {
    let mut text = String::new();
    for (place, line) in lines.iter().take(MOST_TAG_LINES).enumerate() {
        if place > 0 && line.trim().is_empty() {
            break;
        }
        text.push_str(line);
        if !is_open(&text) {
            return place + 1;
        }
    }
    1
}

fn is_open(text: &str) -> bool {
    TAGS.iter().any(|(open, end)| text.rfind(open).is_some_and(|start| !text[start..].contains(end)))
}

/// Without tags outside code. A phrase that a tag quotes is meant to be read: `{{% faq "How do I pay?" %}}`.
fn without_tags(text: &str) -> String {
    let mut written = String::with_capacity(text.len());
    let mut rest = text;
    let mut in_code = false;
    while let Some(sign) = rest.chars().next() {
        let tag = TAGS.iter().filter(|_| !in_code).find_map(|(open, end)| {
            let inside = rest.strip_prefix(open)?;
            let length = inside[..inside.floor_char_boundary(LONGEST_TAG)].find(end)?;
            Some((&inside[..length], &inside[length + end.len()..]))
        });
        match tag {
            Some((inside, after)) => {
                written.push_str(quoted_phrase(inside).unwrap_or_default());
                rest = after;
            }
            None => {
                in_code ^= sign == '`';
                written.push(sign);
                rest = &rest[sign.len_utf8()..];
            }
        }
    }
    written
}

/// The first argument of a tag, where it is a phrase in quotes and not a name or a path.
fn quoted_phrase(inside: &str) -> Option<&str> {
    let argument = inside.trim().split_once(char::is_whitespace)?.1.trim_start();
    let phrase = argument.strip_prefix('"')?.split('"').next()?;
    phrase.contains(' ').then_some(phrase)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn template_tags_are_left_out() {
        let cases = [
            ("{{% alert %}}\nText.\n{{% /alert %}}\n", "\nText.\n\n"),
            ("{{% faq \"How do I pay?\" %}}\nBy card.\n", "How do I pay?\nBy card.\n"),
            ("See {% page \"a/b.md\" %} and {{< ref \"x\" >}}now.\n", "See  and now.\n"),
            ("{% include\n  file.html %}\nText.\n", "\nText.\n"),
            ("Never closed {% here.\n\nText.\n", "Never closed {% here.\n\nText.\n"),
            ("Say `{% raw %}` or {{ name }}.\n", "Say `{% raw %}` or {{ name }}.\n"),
            ("```\n{% if a %}\n```\n", "```\n{% if a %}\n```\n"),
            ("    {% if a %}\n", "    {% if a %}\n"),
        ];
        for (markdown, expected) in cases {
            assert_eq!(without_templates(markdown), expected, "{markdown}");
        }
    }

    #[test]
    fn imports_and_exports_are_left_out() {
        let cases = [
            ("import A from 'a';\nimport \"b.css\"\n\n# Title\n", "\n\n\n# Title\n"),
            ("import {\n  A,\n} from \"a\";\nimport B from 'b'\n\nText.\n", "\n\n\nText.\n"),
            ("export const a = {\n  b: 1,\n};\n\nText.\n", "\n\nText.\n"),
            ("import duties from China rise.\n", "import duties from China rise.\n"),
            ("Text\nimport A from 'a'\n", "Text\nimport A from 'a'\n"),
            ("export controls apply.\n", "export controls apply.\n"),
            ("```js\nimport A from 'a'\n```\n", "```js\nimport A from 'a'\n```\n"),
        ];
        for (markdown, expected) in cases {
            assert_eq!(without_templates(markdown), expected, "{markdown}");
        }
    }

    #[test]
    fn tags_without_end_cost_no_more_than_others() {
        let many = "{% a\n".repeat(20_000);
        assert_eq!(without_templates(&many), many);
        let long = "{% ".repeat(50_000);
        assert_eq!(without_templates(&long), long);
    }
}
