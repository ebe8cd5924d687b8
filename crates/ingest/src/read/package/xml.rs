//! Stepping through an XML part by local names: the prefixes of office programs are a habit, not a rule.

use ibidem_ports::intake::Format;
use quick_xml::Reader;
use quick_xml::XmlVersion;
use quick_xml::escape::resolve_xml_entity;
use quick_xml::events::{BytesStart, Event};

use crate::read::ReadError;

pub(in crate::read) enum Step {
    Open { name: String, attributes: Attributes },
    Close { name: String },
    Text(String),
}

/// An element's attributes by local name.
pub(in crate::read) struct Attributes(Vec<(String, String)>);

impl Attributes {
    pub(in crate::read) fn get(&self, name: &str) -> Option<&str> {
        self.0.iter().find(|(key, _)| key == name).map(|(_, value)| value.as_str())
    }

    /// The values of all attributes with this local name, whatever their prefixes.
    pub(in crate::read) fn all(&self, name: &str) -> impl Iterator<Item = &str> {
        self.0.iter().filter(move |(key, _)| key == name).map(|(_, value)| value.as_str())
    }

    /// Word's way to switch something on: present without a value, or with one that says yes.
    pub(in crate::read) fn is_on(&self) -> bool {
        !matches!(self.get("val"), Some("0" | "false" | "off"))
    }
}

pub(in crate::read) struct Part<'a> {
    reader: Reader<&'a [u8]>,
    format: Format,
}

impl<'a> Part<'a> {
    pub(in crate::read) fn new(xml: &'a str, format: Format) -> Self {
        let mut reader = Reader::from_str(xml.trim_start_matches('\u{feff}'));
        reader.config_mut().expand_empty_elements = true;
        Self { reader, format }
    }

    /// The next step, or `None` at the end.
    pub(in crate::read) fn step(&mut self) -> Result<Option<Step>, ReadError> {
        loop {
            let event = self.reader.read_event().map_err(|error| {
                ReadError::unreadable(
                    self.format,
                    format!("its XML is damaged ({error}); open it in an office program and save it again"),
                )
            })?;
            return Ok(Some(match event {
                Event::Start(start) | Event::Empty(start) => opened(&start),
                Event::End(end) => Step::Close { name: end.local_name().into_inner().to_owned() },
                Event::Text(text) => Step::Text(text.xml10_content().into_owned()),
                Event::CData(text) => Step::Text(text.into_inner().into_owned()),
                Event::GeneralRef(reference) => match reference.resolve_char_ref() {
                    Ok(Some(c)) => Step::Text(c.to_string()),
                    // Entities a document defines for itself are not expanded: that is how small files grow.
                    _ => Step::Text(resolve_xml_entity(&reference.xml10_content()).unwrap_or_default().to_owned()),
                },
                Event::Eof => return Ok(None),
                Event::Comment(_) | Event::Decl(_) | Event::PI(_) | Event::DocType(_) => continue,
            }));
        }
    }

    /// Passes over what is inside the element just opened, its end included.
    pub(in crate::read) fn pass_over(&mut self) -> Result<(), ReadError> {
        let mut depth = 1_usize;
        while depth > 0 {
            match self.step()? {
                Some(Step::Open { .. }) => depth += 1,
                Some(Step::Close { .. }) => depth -= 1,
                Some(Step::Text(_)) => {}
                None => break,
            }
        }
        Ok(())
    }
}

fn opened(start: &BytesStart<'_>) -> Step {
    let attributes = start
        .attributes()
        // Comparing each attribute with all others, which finds duplicates, is quadratic.
        .with_checks(false)
        .flatten()
        .filter_map(|attribute| {
            let value = attribute.normalized_value(XmlVersion::Implicit1_0).ok()?;
            Some((attribute.key.local_name().into_inner().to_owned(), value.into_owned()))
        })
        .collect();
    Step::Open { name: start.local_name().into_inner().to_owned(), attributes: Attributes(attributes) }
}
