//! From a file to statements.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::fs::File;
use std::io::Read as _;
use std::path::Path;

use ibidem_ports::thesaurus::{Statement, Value};
use oxrdf::{NamedOrBlankNode, Term, Triple};
use oxrdfxml::RdfXmlParser;
use oxttl::TurtleParser;

use super::SkosFileError;

/// How statements are written in a file.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Form {
    Turtle,
    RdfXml,
}

impl Form {
    /// By the ending of the file's name.
    pub(super) fn of(file: &Path) -> Option<Self> {
        match file.extension()?.to_str()?.to_ascii_lowercase().as_str() {
            "ttl" | "nt" => Some(Self::Turtle),
            "rdf" | "owl" | "xml" => Some(Self::RdfXml),
            _ => None,
        }
    }
}

/// Where a file stops making sense.
pub(super) struct Malformed {
    /// From 1.
    pub(super) line: u64,
    pub(super) reason: String,
}

/// The file's content, unless there is too much of it.
pub(super) fn bytes(file: &Path, limit: u64) -> Result<Vec<u8>, SkosFileError> {
    let unreadable =
        |error: std::io::Error| SkosFileError::Unreadable { file: file.to_owned(), reason: error.to_string() };
    let mut bytes = Vec::new();
    // One byte more than allowed tells a file that is too large from one that just fits, even while it grows.
    let opened = File::open(file).map_err(unreadable)?;
    opened.take(limit.saturating_add(1)).read_to_end(&mut bytes).map_err(unreadable)?;
    let fits = u64::try_from(bytes.len()).is_ok_and(|length| length <= limit);
    if fits { Ok(bytes) } else { Err(SkosFileError::TooLarge { file: file.to_owned(), limit }) }
}

/// All statements, by the node they are about, each once and in the order of the file.
pub(super) fn statements(bytes: &[u8], form: Form) -> Result<BTreeMap<String, Vec<Statement>>, Malformed> {
    let mut gathered = Gathered::default();
    match form {
        Form::Turtle => {
            for triple in TurtleParser::new().for_slice(bytes) {
                gathered.add(triple.map_err(|error| Malformed {
                    line: error.location().start.line + 1,
                    reason: error.message().to_owned(),
                })?);
            }
        }
        Form::RdfXml => {
            refuse_growing_entities(bytes)?;
            let mut parser = RdfXmlParser::new().for_slice(bytes);
            while let Some(triple) = parser.next() {
                match triple {
                    Ok(triple) => gathered.add(triple),
                    Err(error) => {
                        return Err(Malformed {
                            line: line_at(bytes, parser.buffer_position()),
                            reason: error.to_string(),
                        });
                    }
                }
            }
        }
    }
    Ok(gathered.statements)
}

/// Entities made of entities can make gigabytes of a small file; those that name a namespace are short and plain.
fn refuse_growing_entities(bytes: &[u8]) -> Result<(), Malformed> {
    const DECLARATION: &[u8] = b"<!ENTITY";
    const LONGEST: usize = 200;
    for (at, _) in bytes.windows(DECLARATION.len()).enumerate().filter(|(_, window)| *window == DECLARATION) {
        let value = bytes[at..].split(|byte| *byte == b'"').nth(1).unwrap_or_default();
        if value.len() > LONGEST || value.contains(&b'&') {
            let reason = "an entity may only stand for a short text without entities of its own".to_owned();
            return Err(Malformed { line: line_at(bytes, u64::try_from(at).unwrap_or(u64::MAX)), reason });
        }
    }
    Ok(())
}

fn line_at(bytes: &[u8], position: u64) -> u64 {
    let read = usize::try_from(position).unwrap_or(usize::MAX).min(bytes.len());
    let before = bytes.iter().take(read).filter(|byte| **byte == b'\n').count();
    u64::try_from(before).unwrap_or(u64::MAX).saturating_add(1)
}

#[derive(Default)]
struct Gathered {
    statements: BTreeMap<String, Vec<Statement>>,
    known: HashSet<(String, Statement)>,
    /// Nameless nodes by the parser's name, which is another one each time a file is read.
    nameless: HashMap<String, usize>,
}

impl Gathered {
    fn add(&mut self, triple: Triple) {
        let subject = match triple.subject {
            NamedOrBlankNode::NamedNode(node) => node.into_string(),
            NamedOrBlankNode::BlankNode(node) => self.nameless(node.into_string()),
        };
        let value = match triple.object {
            Term::NamedNode(node) => Value::Node(node.into_string()),
            Term::BlankNode(node) => Value::Node(self.nameless(node.into_string())),
            Term::Literal(literal) => {
                let datatype = literal.datatype().as_str().to_owned();
                let (text, _, language) = literal.destruct();
                let plain = language.is_some() || datatype == "http://www.w3.org/2001/XMLSchema#string";
                Value::Text { text, language, datatype: Some(datatype).filter(|_| !plain) }
            }
        };
        let statement = Statement { property: triple.predicate.into_string(), value };
        if self.known.insert((subject.clone(), statement.clone())) {
            self.statements.entry(subject).or_default().push(statement);
        }
    }

    fn nameless(&mut self, name: String) -> String {
        let next = self.nameless.len();
        format!("_:b{}", self.nameless.entry(name).or_insert(next))
    }
}
