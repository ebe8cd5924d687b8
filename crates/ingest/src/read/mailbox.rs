//! Mailboxes (MBOX): mails one below the other, each a section under its subject, sender and date.

use ibidem_ports::intake::Format;

use super::mail;
use super::manuscript::{Manuscript, TitleHeading};
use super::{ReadDocument, ReadError, Stated};

#[cfg(test)]
mod tests;

pub(super) fn extract(bytes: &[u8]) -> Result<ReadDocument, ReadError> {
    let bytes = bytes.trim_ascii_start();
    if !bytes.starts_with(b"From ") {
        let reason =
            "it does not begin with a line `From …` as mailboxes do; save it as MBOX again, or its mails as EML";
        return Err(ReadError::unreadable(Format::Mailbox, reason));
    }
    let mut manuscript = Manuscript::new(TitleHeading::No);
    let mut latest = None;
    let mut subjects = Subjects::default();
    let (mut lines_left_out, mut not_read) = (0, 0);
    let mails = Mails { rest: bytes };
    for mail in mails {
        let unquoted = unquoted(mail);
        let Some(message) = mail::parse_known(&unquoted) else {
            not_read += 1;
            continue;
        };
        manuscript.heading(1, &mail::name(&message));
        lines_left_out += mail::write(&message, &mut manuscript)?;
        latest = latest.max(mail::moment(&message));
        subjects.add(message.subject());
        if manuscript.is_overfull() {
            break;
        }
    }
    let mut document = manuscript.finish(Format::Mailbox, Stated { updated_at: latest, ..Stated::default() })?;
    document.title = subjects.common();
    let remarks =
        [(lines_left_out, mail::QUOTED_LINES), (not_read, "parts without subject, sender and date were left out")];
    let remarks = remarks.into_iter().filter(|(number, _)| *number > 0);
    document.remarks.extend(remarks.map(|(number, what)| format!("{number} {what}")));
    Ok(document)
}

/// The subject of all mails, if they are one thread.
#[derive(Default)]
struct Subjects {
    first: Option<String>,
    differ: bool,
}

impl Subjects {
    fn add(&mut self, subject: Option<&str>) {
        let subject = mail::without_prefixes(subject.unwrap_or_default());
        match &self.first {
            None => self.first = Some(subject.to_owned()),
            Some(first) => self.differ |= first != subject,
        }
    }

    fn common(self) -> Option<String> {
        self.first.filter(|subject| !self.differ && !subject.is_empty())
    }
}

/// The mails of a mailbox, each without the line that begins it.
struct Mails<'a> {
    rest: &'a [u8],
}

impl<'a> Iterator for Mails<'a> {
    type Item = &'a [u8];

    fn next(&mut self) -> Option<&'a [u8]> {
        if self.rest.is_empty() {
            return None;
        }
        let start = after_line(self.rest);
        let mut at = start;
        let mut is_after_gap = false;
        while at < self.rest.len() {
            let line = &self.rest[at..at + after_line(&self.rest[at..])];
            if is_after_gap && begins_mail(&self.rest[at..]) {
                break;
            }
            is_after_gap = line.trim_ascii().is_empty();
            at += line.len();
        }
        let (mail, rest) = self.rest.split_at(at);
        self.rest = rest;
        Some(&mail[start.min(mail.len())..])
    }
}

/// Where the first line ends.
fn after_line(bytes: &[u8]) -> usize {
    bytes.iter().position(|byte| *byte == b'\n').map_or(bytes.len(), |end| end + 1)
}

/// Below a line `From …` a mail has its head. In a sentence that begins with this word no such line follows.
fn begins_mail(bytes: &[u8]) -> bool {
    let below = || bytes[after_line(bytes)..].iter().take_while(|byte| byte.is_ascii_graphic());
    bytes.starts_with(b"From ") && below().any(|byte| *byte == b':')
}

/// The mail without the signs that keep its own lines `From …` from beginning another one.
fn unquoted(mail: &[u8]) -> Vec<u8> {
    let mut written = Vec::with_capacity(mail.len());
    for line in mail.split_inclusive(|byte| *byte == b'\n') {
        let signs = line.iter().take_while(|byte| **byte == b'>').count();
        let is_quoted = signs > 0 && line[signs..].starts_with(b"From ");
        written.extend_from_slice(&line[usize::from(is_quoted)..]);
    }
    written
}
