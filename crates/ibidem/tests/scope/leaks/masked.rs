//! A reply without what is another each time: random ids, times of the run, and the two digests that both go into. A value
//! is left out only where its field has one of these names and it looks like what the name stands for; everything else
//! is compared byte by byte.

use std::collections::BTreeSet;

use uuid::Uuid;

/// What a value must look like to be left out.
#[derive(Clone, Copy)]
enum Form {
    /// A UUID, with or without what it is the id of before it: `key:`, `person:`, `chatcmpl-`.
    Id,
    /// A moment, as text or in seconds since 1970.
    Time,
    /// A number.
    Duration,
    /// A list of names with a number each.
    Durations,
    /// 64 hexadecimal digits.
    Digest,
}

const CHANGING: [(&str, Form); 21] = [
    // Made at random for each request.
    ("request_id", Form::Id),
    // Of a conversation, a chat program's reply, a key, a session, a person and an entry of memory: made at random. Those
    // of documents are called otherwise and follow from their names.
    ("id", Form::Id),
    // The asker's own id, which the store made at random.
    ("subject_id", Form::Id),
    // The conversation that a recorded question belongs to.
    ("session_id", Form::Id),
    // When the asker asked; when a conversation, a key, a session or an entry was made; when it was changed; when the asker
    // judged an answer.
    ("asked_at", Form::Time),
    // When the asker put the earlier questions of a conversation, in the record of a later one.
    ("timestamp", Form::Time),
    ("created_at", Form::Time),
    ("changed_at", Form::Time),
    ("given_at", Form::Time),
    // When a document was taken in, which is before each side's first question. When it was changed is compared.
    ("taken_in_at", Form::Time),
    // Of the asker's own session, and of people who signed in.
    ("last_used_at", Form::Time),
    ("expires_at", Form::Time),
    ("first_seen_at", Form::Time),
    ("last_seen_at", Form::Time),
    // The second of a chat program's reply.
    ("created", Form::Time),
    // How long a question, its writing, its search and its stages took, on a machine that does other things too. Writing
    // takes no whole millisecond where sentences are quoted, unless something else has the machine.
    ("duration_ms", Form::Duration),
    ("generation_time_ms", Form::Duration),
    ("took_ms", Form::Duration),
    ("stages", Form::Durations),
    // Of the whole receipt, with its request and its moment, and of the whole answer, with its request and how long it
    // took. The digests of text, policy and trace are compared, and so is each field of the answer.
    ("sha256", Form::Digest),
    ("shown_sha256", Form::Digest),
];

/// A reply, without the values that were left out, and these with the names of their fields.
pub(super) struct Masked {
    pub(super) text: String,
    left_out: Vec<(&'static str, String)>,
}

impl Masked {
    pub(super) fn of(reply: &str) -> Self {
        let mut masked = Self { text: String::with_capacity(reply.len()), left_out: Vec::new() };
        let mut rest = reply;
        while let Some(quote) = rest.find('"') {
            let (before, from) = rest.split_at(quote + 1);
            masked.text.push_str(before);
            rest = masked.field(from).unwrap_or(from);
        }
        masked.text.push_str(rest);
        masked.text = without_minutes(&without_requests(&masked.text));
        masked
    }

    /// What follows a field whose name begins here, if its value is left out. A reply within a reply's text has its
    /// quotation marks behind backslashes.
    fn field<'a>(&mut self, from: &'a str) -> Option<&'a str> {
        CHANGING.iter().find_map(|(name, form)| {
            let after = from.strip_prefix(name)?;
            let quote = ["\"", "\\\""].into_iter().find(|quote| after.starts_with(*quote))?;
            let value = after[quote.len()..].strip_prefix(':')?;
            let length = length_of(value, *form, quote)?;
            self.text.push_str(&format!("{name}{quote}:~"));
            self.left_out.push((name, value[..length].to_owned()));
            Some(&value[length..])
        })
    }

    /// The fields in which this reply has another value than the other.
    pub(super) fn changed(&self, other: &Self) -> BTreeSet<&'static str> {
        let pairs = self.left_out.iter().zip(&other.left_out);
        pairs.filter(|(one, other)| one != other).map(|(one, _)| one.0).collect()
    }
}

/// The names of all fields whose values are left out.
pub(super) fn names() -> BTreeSet<&'static str> {
    CHANGING.iter().map(|(name, _)| *name).collect()
}

/// How long the value is that a text begins with, if it has this form.
fn length_of(value: &str, form: Form, quote: &str) -> Option<usize> {
    match form {
        Form::Id | Form::Digest | Form::Time if value.starts_with(quote) => {
            // None of these values has a quotation mark in it.
            let end = value[quote.len()..].find(quote)? + quote.len();
            has_form(&value[quote.len()..end], form).then_some(end + quote.len())
        }
        Form::Time | Form::Duration => {
            let end = value.find(|one: char| !one.is_ascii_digit() && one != '.').unwrap_or(value.len());
            (end > 0).then_some(end)
        }
        Form::Durations if value.starts_with("[[") => Some(value.find("]]")? + 2),
        _ => None,
    }
}

fn has_form(text: &str, form: Form) -> bool {
    match form {
        Form::Id => {
            let last = text.get(text.len().saturating_sub(36)..).unwrap_or_default();
            let before = &text[..text.len() - last.len()];
            Uuid::try_parse(last).is_ok() && ["", "key:", "person:", "chatcmpl-"].contains(&before)
        }
        Form::Time => chrono::DateTime::parse_from_rfc3339(text).is_ok(),
        Form::Digest => text.len() == 64 && text.bytes().all(|byte| byte.is_ascii_hexdigit()),
        Form::Duration | Form::Durations => false,
    }
}

/// Errors in OpenAI's form name their request in the message.
fn without_requests(text: &str) -> String {
    const BEFORE: &str = "(request ";
    let mut pieces = text.split(BEFORE);
    let mut kept = pieces.next().unwrap_or_default().to_owned();
    for piece in pieces {
        let id = piece.get(..36).filter(|id| Uuid::try_parse(id).is_ok());
        kept.push_str(BEFORE);
        kept.push_str(id.map_or(piece, |id| &piece[id.len()..]));
    }
    kept
}

/// An exported conversation says to the minute when something was asked.
fn without_minutes(text: &str) -> String {
    const FORM: &str = "%Y-%m-%d %H:%M UTC";
    let is_minute = |line: &str| chrono::NaiveDateTime::parse_from_str(line, FORM).is_ok();
    let lines = text.split('\n').map(|line| if is_minute(line) { "~" } else { line });
    lines.collect::<Vec<_>>().join("\n")
}

#[test]
fn only_what_is_named_and_has_its_form_is_left_out() {
    let id = "00000000-0000-0000-0000-000000000007";
    let of_request = format!(r#"{{"request_id":"{id}","answer":"\"id\":","took_ms":3.25,"stages":[["sift",1]]}}"#);
    let of_document = format!(r#"{{"document_id":"{id}","asked_at":"2026-11-17T01:02:03Z","id":"ibidem/Vault"}}"#);
    let of_nothing = r#"{"stages":[],"created":"soon","id":null,"sha256":"00ff","took_ms":"3"}"#;
    for (reply, expected) in [
        (of_request.as_str(), r#"{"request_id":~,"answer":"\"id\":","took_ms":~,"stages":~}"#.to_owned()),
        (&of_document, format!(r#"{{"document_id":"{id}","asked_at":~,"id":"ibidem/Vault"}}"#)),
        (of_nothing, of_nothing.to_owned()),
        (&format!(r#"{{"text":"{{\"id\":\"key:{id}\",\"n\":1}}"}}"#), r#"{"text":"{\"id\":~,\"n\":1}"}"#.to_owned()),
        (&format!("No. (request {id}) (request it)"), "No. (request ) (request it)".to_owned()),
        ("\n2026-11-17 01:02 UTC\n", "\n~\n".to_owned()),
        ("Since 2026-11-17 01:02 UTC\n", "Since 2026-11-17 01:02 UTC\n".to_owned()),
    ] {
        assert_eq!(Masked::of(reply).text, expected);
    }
    let [one, other] = ["1.5", "2.5"].map(|took| Masked::of(&format!(r#"{{"took_ms":{took},"created":7}}"#)));
    assert_eq!(one.changed(&other), BTreeSet::from(["took_ms"]));
}
