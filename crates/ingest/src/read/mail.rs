//! Mail: who wrote what to whom and when, without what is quoted from earlier mails.

use ibidem_ports::intake::Format;
use mail_parser::{Address, DateTime, Message, MessageParser, MessagePart, MimeHeaders as _, PartType};

use super::html;
use super::manuscript::{Manuscript, TitleHeading, collapsed};
use super::{ReadDocument, ReadError, Stated};

mod quoted;
#[cfg(test)]
mod tests;

use quoted::Piece;

/// What is said of their number.
pub(super) const QUOTED_LINES: &str = "lines that quote earlier mails were left out";
/// More names of recipients or attachments say nothing more.
const MOST_NAMES: usize = 50;

pub(super) fn extract(bytes: &[u8]) -> Result<ReadDocument, ReadError> {
    let message = parse(bytes).ok_or_else(|| {
        ReadError::unreadable(Format::Mail, "it does not begin as a mail does, with its sender, subject and date")
    })?;
    let mut manuscript = Manuscript::new(TitleHeading::No);
    if let Some(subject) = message.subject() {
        manuscript.title_line(subject);
    }
    let left_out = write(&message, &mut manuscript)?;
    let mut document = manuscript.finish(Format::Mail, Stated { updated_at: moment(&message), ..Stated::default() })?;
    if left_out > 0 {
        document.remarks.push(format!("{left_out} {QUOTED_LINES}"));
    }
    Ok(document)
}

pub(super) fn parse(bytes: &[u8]) -> Option<Message<'_>> {
    MessageParser::default().parse(bytes).filter(|message| stated_lines(message) > 1)
}

/// A mail of a mailbox, whose beginning is known: it need not say as much.
pub(super) fn parse_known(bytes: &[u8]) -> Option<Message<'_>> {
    MessageParser::default().parse(bytes).filter(|message| stated_lines(message) > 0)
}

/// Writes the mail below its subject. Returns how many lines were left out.
pub(super) fn write(message: &Message<'_>, manuscript: &mut Manuscript) -> Result<usize, ReadError> {
    write_lines(&head(message), manuscript);
    let mut left_out = 0;
    for part in message.text_bodies() {
        match &part.body {
            PartType::Html(markup) => html::write_fragment(markup, manuscript)?,
            PartType::Text(text) => left_out += write_text(text, manuscript),
            _ => {}
        }
    }
    let attachments: Vec<String> = message.attachments().filter_map(attachment).take(MOST_NAMES).collect();
    write_lines(&attachments, manuscript);
    Ok(left_out)
}

/// What the mail is called among others: its subject, sender and day.
pub(super) fn name(message: &Message<'_>) -> String {
    let subject = message.subject().map(collapsed).filter(|subject| !subject.is_empty());
    let sender = message.from().and_then(Address::first);
    let sender = sender.and_then(|sender| sender.name.as_deref().or(sender.address.as_deref()).map(str::to_owned));
    let day = message.date().map(|DateTime { year, month, day, .. }| format!("{year:04}-{month:02}-{day:02}"));
    let known: Vec<String> = sender.into_iter().chain(day).collect();
    let subject = subject.unwrap_or_else(|| "Without subject".to_owned());
    if known.is_empty() { subject } else { format!("{subject} ({})", known.join(", ")) }
}

/// The subject without `Re:`, `Fwd:` and what they are in other languages (`AW:`, `Antw:`).
pub(super) fn without_prefixes(subject: &str) -> &str {
    let is_prefix = |word: &str| (2..=4).contains(&word.len()) && word.bytes().all(|byte| byte.is_ascii_alphabetic());
    let mut rest = subject.trim();
    while let Some((_, below)) = rest.split_once(':').filter(|(word, _)| is_prefix(word.trim())) {
        rest = below.trim();
    }
    rest
}

/// How much of sender, subject, date and recipients it states. Whatever begins with a word and a colon parses as a mail.
fn stated_lines(message: &Message<'_>) -> usize {
    let stated =
        [message.from().is_some(), message.subject().is_some(), message.date().is_some(), message.to().is_some()];
    stated.into_iter().filter(|is_stated| *is_stated).count()
}

/// Its lines `From`, `To`, `Cc` and `Date`.
fn head(message: &Message<'_>) -> Vec<String> {
    let people = [("From", message.from()), ("To", message.to()), ("Cc", message.cc())];
    let people = people.into_iter().filter_map(|(name, address)| Some(format!("{name}: {}", names(address?)?)));
    people.chain(message.date().map(|date| format!("Date: {}", written(date)))).collect()
}

fn names(address: &Address<'_>) -> Option<String> {
    let mut names: Vec<String> = address
        .iter()
        .take(MOST_NAMES)
        .map(|person| match (person.name.as_deref(), person.address.as_deref()) {
            (Some(name), Some(address)) if name != address => format!("{name} <{address}>"),
            (name, address) => name.or(address).unwrap_or_default().to_owned(),
        })
        .filter(|name| !name.trim().is_empty())
        .collect();
    if address.iter().nth(MOST_NAMES).is_some() {
        names.push("and others".to_owned());
    }
    (!names.is_empty()).then(|| names.join(", "))
}

fn written(date: &DateTime) -> String {
    let DateTime { year, month, day, hour, minute, tz_hour, tz_minute, .. } = date;
    let sign = if date.tz_before_gmt { '-' } else { '+' };
    format!("{year:04}-{month:02}-{day:02} {hour:02}:{minute:02} {sign}{tz_hour:02}:{tz_minute:02}")
}

pub(super) fn moment(message: &Message<'_>) -> Option<chrono::DateTime<chrono::Utc>> {
    chrono::DateTime::parse_from_rfc3339(&message.date()?.to_rfc3339()).ok().map(|at| at.to_utc())
}

/// Returns how many lines were left out.
fn write_text(text: &str, manuscript: &mut Manuscript) -> usize {
    let (pieces, left_out) = quoted::pieces(text);
    for piece in pieces {
        match piece {
            Piece::Own(lines) => manuscript.verbatim(&lines),
            Piece::Quoted(words) => write_lines(&[format!("Quoted: {words}")], manuscript),
        }
    }
    left_out
}

fn write_lines(lines: &[String], manuscript: &mut Manuscript) {
    manuscript.end_block();
    for (place, line) in lines.iter().enumerate() {
        if place > 0 {
            manuscript.line_break();
        }
        manuscript.words(line);
    }
    manuscript.end_block();
}

/// What is attached is named: it is a document of its own for whoever wants it read. Pictures inside the text are not.
fn attachment(part: &MessagePart<'_>) -> Option<String> {
    let is_inline = part.content_disposition().is_some_and(|disposition| disposition.ctype() == "inline");
    let is_picture = part.content_type().is_some_and(|kind| kind.ctype() == "image");
    if is_inline && is_picture {
        return None;
    }
    let name = match &part.body {
        PartType::Message(message) => message.subject().map(|subject| format!("mail “{subject}”")),
        _ => part.attachment_name().map(str::to_owned),
    };
    Some(format!("Attachment: {}, not read", collapsed(&name.unwrap_or_else(|| "without a name".to_owned()))))
}
