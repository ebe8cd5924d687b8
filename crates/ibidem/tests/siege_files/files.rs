//! The hostile files, made here: none is kept as a binary.

use std::path::Path;

use crate::{docx, html, markdown, office, pdf, plain};

/// How a hostile file ends.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) enum End {
    /// As a document.
    Read,
    /// As a failure whose reason has these words.
    Failed(&'static str),
    /// As either: what a library makes of it is its own affair.
    Either,
    /// Not handed in at all: it is left out, or refused with these words.
    Outside(&'static str),
}

pub(crate) struct Hostile {
    pub(crate) about: &'static str,
    /// Its file's name; what it holds is put into a folder that holds nothing else yet.
    pub(crate) name: String,
    pub(crate) put: Box<dyn Fn(&Path)>,
    pub(crate) end: End,
}

/// A file with these bytes.
pub(crate) fn file(about: &'static str, name: &str, bytes: impl Fn() -> Vec<u8> + 'static, end: End) -> Hostile {
    Hostile { about, name: name.to_owned(), put: Box::new(move |path| std::fs::write(path, bytes()).unwrap()), end }
}

pub(crate) fn all() -> Vec<Hostile> {
    [docx::files(), office::files(), pdf::files(), html::files(), markdown::files(), plain::files()]
        .into_iter()
        .flatten()
        .collect()
}
