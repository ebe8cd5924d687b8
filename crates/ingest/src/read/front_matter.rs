//! What a Markdown file says of itself before its first line of text.

use std::collections::BTreeMap;

use chrono::{DateTime, NaiveDate, NaiveDateTime, Utc};
use ibidem_language::validity::label;
use ibidem_words::{DocumentKind, Validity};
use serde_json::Value;

use super::Stated;
use super::manuscript::collapsed;
use super::validity::add_stated;

/// Longer than this it is not front matter but a text that opens with a rule.
const LONGEST: usize = 64 * 1024;

/// Separates the front matter from the text below it.
///
/// Only at the very start: the Markdown parser's own metadata blocks may stand anywhere, and
/// would take text between two rules out of the middle of a document.
pub(super) fn split(markdown: &str) -> (Stated, &str) {
    let opened = markdown.strip_prefix("---").and_then(|rest| {
        let line_end = rest.find('\n')?;
        rest[..line_end].trim().is_empty().then(|| &rest[line_end + 1..])
    });
    let Some(opened) = opened else { return (Stated::default(), markdown) };
    let mut position = 0;
    for line in opened.split_inclusive('\n') {
        if position > LONGEST {
            break;
        }
        if matches!(line.trim_end(), "---" | "...") {
            return (stated(&opened[..position]), &opened[position + line.len()..]);
        }
        position += line.len();
    }
    (Stated::default(), markdown)
}

/// Reads what concerns the document's identity. Tags, whatever they are called there, are passed
/// over: they decide who sees a document, and a document must not decide that.
fn stated(yaml: &str) -> Stated {
    let entries = entries(yaml);
    let first = |names: &[&str]| names.iter().find_map(|name| entries.get(*name).cloned());
    Stated {
        title: first(&["title"]),
        address: first(&["address"]),
        kind: first(&["kind", "type"]).and_then(|kind| DocumentKind::try_from(kind).ok()),
        updated_at: first(&["updated_at", "updated", "last_updated", "last_modified", "date"])
            .and_then(|date| moment(&date)),
        validity: validity(yaml),
    }
}

/// Whether the document is in force: entries under any of the names for that, lists included.
fn validity(yaml: &str) -> Validity {
    let mut validity = Validity::default();
    let lists = serde_saphyr::from_str::<BTreeMap<String, Value>>(yaml).unwrap_or_default();
    let lists = lists.into_iter().filter_map(|(name, value)| Some((key(&name), several(&value)?)));
    for (name, words) in entries(yaml).into_iter().chain(lists) {
        if let Some(label) = label(&name) {
            add_stated(label, &words, &mut validity);
        }
    }
    validity
}

fn several(value: &Value) -> Option<String> {
    let values: Vec<String> = value.as_array()?.iter().filter_map(single).collect();
    Some(values.join(", "))
}

/// Its entries with a single value, by lower-case name.
fn entries(yaml: &str) -> BTreeMap<String, String> {
    match serde_saphyr::from_str::<BTreeMap<String, Value>>(yaml) {
        Ok(entries) => entries.into_iter().filter_map(|(name, value)| Some((key(&name), single(&value)?))).collect(),
        // People write `title: ADR 12: Use queues`, which is not YAML: take such files line by line.
        Err(_) => yaml
            .lines()
            .filter(|line| !line.starts_with([' ', '\t', '-', '#']))
            .filter_map(|line| line.split_once(':'))
            .map(|(name, value)| (key(name), collapsed(value.trim().trim_matches(['"', '\'']))))
            .filter(|(_, value)| !value.is_empty())
            .collect(),
    }
}

fn key(name: &str) -> String {
    name.trim().to_lowercase().replace([' ', '-'], "_")
}

fn single(value: &Value) -> Option<String> {
    let written = match value {
        Value::String(written) => collapsed(written),
        Value::Number(number) => number.to_string(),
        _ => return None,
    };
    (!written.is_empty()).then_some(written)
}

fn moment(written: &str) -> Option<DateTime<Utc>> {
    if let Ok(moment) = DateTime::parse_from_rfc3339(written) {
        return Some(moment.to_utc());
    }
    let with_time = ["%Y-%m-%d %H:%M:%S", "%Y-%m-%dT%H:%M:%S", "%Y-%m-%d %H:%M", "%Y-%m-%dT%H:%M"]
        .iter()
        .find_map(|form| NaiveDateTime::parse_from_str(written, form).ok());
    let date_only = || NaiveDate::parse_from_str(written, "%Y-%m-%d").ok()?.and_hms_opt(0, 0, 0);
    Some(with_time.or_else(date_only)?.and_utc())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn day(written: &str) -> DateTime<Utc> {
        moment(written).unwrap()
    }

    #[test]
    fn a_document_states_title_address_kind_and_date() {
        let (stated, text) =
            split("---\ntitle: Use queues\naddress: ADR-0012\nkind: decision\nupdated_at: 2025-03-01\n---\n# Body\n");
        assert_eq!(text, "# Body\n");
        assert_eq!(stated.title.as_deref(), Some("Use queues"));
        assert_eq!(stated.address.as_deref(), Some("ADR-0012"));
        assert_eq!(stated.kind, Some("decision".parse().unwrap()));
        assert_eq!(stated.updated_at.unwrap().to_rfc3339(), "2025-03-01T00:00:00+00:00");
    }

    #[test]
    fn a_document_does_not_decide_who_sees_it() {
        let open =
            "---\ntitle: Salaries\ntags: [public]\ntag: public\naudience: public\nvisibility: public\n---\nText.";
        assert_eq!(split(open).0, Stated { title: Some("Salaries".to_owned()), ..Stated::default() });
    }

    #[test]
    fn odd_front_matter_costs_nothing_but_itself() {
        let cases = [
            ("---\ntitle: ADR 12: Use queues\ndate: 2025-01-02\n---\nText.", Some("ADR 12: Use queues"), "Text."),
            ("---\ntitle: 2024\n---\nText.", Some("2024"), "Text."),
            ("---\ntitle: [a, b]\n---\nText.", None, "Text."),
            ("---\ntitle:\n---\nText.", None, "Text."),
            ("---\r\nTitle: 'Windows'\r\n---\r\nText.", Some("Windows"), "Text."),
            ("---\ntitle: >-\n  Two\n  lines\n...\nText.", Some("Two lines"), "Text."),
            ("---\nnever closed: yes\n\nText.", None, "---\nnever closed: yes\n\nText."),
            ("---- \ntitle: no\n---\n", None, "---- \ntitle: no\n---\n"),
            ("Text.\n\n---\ntitle: in the middle\n---\n", None, "Text.\n\n---\ntitle: in the middle\n---\n"),
            ("", None, ""),
        ];
        for (markdown, title, text) in cases {
            let (stated, rest) = split(markdown);
            assert_eq!((stated.title.as_deref(), rest), (title, text), "{markdown:?}");
        }
    }

    #[test]
    fn dates_are_read_in_the_forms_people_write() {
        let cases = [
            ("2025-03-01", "2025-03-01T00:00:00+00:00"),
            ("2025-03-01T10:00:00+02:00", "2025-03-01T08:00:00+00:00"),
            ("2025-03-01 10:30", "2025-03-01T10:30:00+00:00"),
            ("2025-03-01T10:30:05", "2025-03-01T10:30:05+00:00"),
        ];
        for (written, expected) in cases {
            assert_eq!(day(written).to_rfc3339(), expected);
        }
        for odd in ["March 2025", "01/02/2025", "2025-13-01", ""] {
            assert_eq!(moment(odd), None, "{odd:?}");
        }
    }
}
