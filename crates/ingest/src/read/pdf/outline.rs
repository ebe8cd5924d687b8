//! A PDF's bookmarks: the headings its maker gave it.

use std::collections::{HashMap, HashSet};

use hayro_interpret::hayro_syntax::Pdf;
use hayro_interpret::hayro_syntax::object::{
    Array, Dict, MaybeRef, Null, Object, ObjectIdentifier, String as PdfString,
};

use crate::read::manuscript::collapsed;

/// A book's index has fewer; a circle has more.
const MOST_BOOKMARKS: usize = 20_000;
const DEEPEST: u8 = 6;

#[derive(Debug, Clone, PartialEq)]
pub(super) struct Bookmark {
    /// From 1.
    pub(super) level: u8,
    pub(super) words: String,
    /// The number of the page it points to.
    pub(super) page: u32,
    /// How far down that page, from its top, if it says so.
    pub(super) down: Option<f64>,
}

/// The bookmarks in reading order. Walked with a list, not by recursion, and never twice through
/// the same one: their links may form circles.
pub(super) fn bookmarks(pdf: &Pdf) -> Vec<Bookmark> {
    let Some(catalog) = pdf.xref().get::<Dict<'_>>(pdf.xref().root_id()) else { return Vec::new() };
    let Some(first) = catalog.get::<Dict<'_>>("Outlines").and_then(|outlines| outlines.get::<Dict<'_>>("First")) else {
        return Vec::new();
    };
    let destinations = Destinations::new(pdf, &catalog);
    let mut bookmarks = Vec::new();
    let mut seen = HashSet::new();
    let mut ahead = vec![(first, 1_u8)];
    while let Some((entry, level)) = ahead.pop() {
        if bookmarks.len() >= MOST_BOOKMARKS
            || !entry.obj_id().is_none_or(|id| seen.insert(id))
            || ahead.len() > MOST_BOOKMARKS
        {
            continue;
        }
        if let Some(next) = entry.get::<Dict<'_>>("Next") {
            ahead.push((next, level));
        }
        if let Some(child) = entry.get::<Dict<'_>>("First") {
            ahead.push((child, level.saturating_add(1).min(DEEPEST)));
        }
        let words = entry.get::<PdfString<'_>>("Title").map(|title| collapsed(&pdf_text(&title)));
        let target = destinations.of(&entry);
        if let (Some(words), Some((page, down))) = (words.filter(|words| !words.is_empty()), target) {
            bookmarks.push(Bookmark { level, words, page, down });
        }
    }
    bookmarks
}

struct Destinations<'a> {
    page_numbers: HashMap<ObjectIdentifier, u32>,
    heights: Vec<f64>,
    named: HashMap<Vec<u8>, Object<'a>>,
}

impl<'a> Destinations<'a> {
    fn new(pdf: &'a Pdf, catalog: &Dict<'a>) -> Self {
        let mut page_numbers = HashMap::new();
        let mut heights = Vec::new();
        for (page, number) in pdf.pages().iter().zip(1..) {
            if let Some(id) = page.raw().obj_id() {
                page_numbers.insert(id, number);
            }
            heights.push(page.media_box().y1);
        }
        Self { page_numbers, heights, named: named_destinations(catalog) }
    }

    fn of(&self, entry: &Dict<'a>) -> Option<(u32, Option<f64>)> {
        let target = entry
            .get::<Object<'_>>("Dest")
            .or_else(|| entry.get::<Dict<'_>>("A").and_then(|action| action.get::<Object<'_>>("D")))?;
        let target = match target {
            Object::String(name) => self.named.get(name.as_bytes())?.clone(),
            Object::Name(name) => self.named.get::<[u8]>(name.as_ref())?.clone(),
            target => target,
        };
        let array = match target {
            Object::Array(array) => array,
            Object::Dict(dict) => dict.get::<Array<'_>>("D")?,
            _ => return None,
        };
        let mut items = array.raw_iter();
        let page = match items.next()? {
            MaybeRef::Ref(reference) => *self.page_numbers.get(&ObjectIdentifier::from(reference))?,
            MaybeRef::NotRef(Object::Number(index)) => u32::try_from(index.as_i64()).ok()?.checked_add(1)?,
            MaybeRef::NotRef(_) => return None,
        };
        Some((page, self.down(page, &array)))
    }

    /// `[page /XYZ left top zoom]` or `[page /FitH top]`: PDF counts from the bottom up.
    fn down(&self, page: u32, destination: &Array<'a>) -> Option<f64> {
        let mut items = destination.raw_iter().skip(1).map(|item| match item {
            MaybeRef::NotRef(item) => item,
            MaybeRef::Ref(_) => Object::Null(Null),
        });
        let top = match items.next()?.into_name()?.as_ref() {
            b"XYZ" => items.nth(1)?.into_number()?,
            b"FitH" | b"FitBH" => items.next()?.into_number()?,
            _ => return None,
        };
        let height = self.heights.get(usize::try_from(page).ok()?.checked_sub(1)?)?;
        Some(height - top.as_f64())
    }
}

/// Destinations by name: an old flat dictionary, or a tree of names.
fn named_destinations<'a>(catalog: &Dict<'a>) -> HashMap<Vec<u8>, Object<'a>> {
    let mut named = HashMap::new();
    if let Some(flat) = catalog.get::<Dict<'_>>("Dests") {
        for name in flat.keys() {
            if let Some(target) = flat.get::<Object<'_>>(name.as_ref()) {
                named.insert(name.as_ref().to_vec(), target);
            }
        }
    }
    let mut seen = HashSet::new();
    let mut ahead: Vec<Dict<'a>> =
        catalog.get::<Dict<'_>>("Names").and_then(|names| names.get::<Dict<'_>>("Dests")).into_iter().collect();
    while let Some(node) = ahead.pop() {
        if named.len() >= MOST_BOOKMARKS
            || !node.obj_id().is_none_or(|id| seen.insert(id))
            || ahead.len() > MOST_BOOKMARKS
        {
            continue;
        }
        if let Some(kids) = node.get::<Array<'_>>("Kids") {
            ahead.extend(kids.iter::<Dict<'_>>().take(MOST_BOOKMARKS));
        }
        if let Some(names) = node.get::<Array<'_>>("Names") {
            let mut items = names.flex_iter();
            while let Some(name) = items.next::<PdfString<'_>>() {
                let Some(target) = items.next::<Object<'_>>() else { break };
                named.insert(name.as_bytes().to_vec(), target);
            }
        }
    }
    named
}

/// A PDF's text strings: UTF-16 or UTF-8 with a mark, or else one byte for each letter.
pub(super) fn pdf_text(bytes: &[u8]) -> String {
    let utf16 = |bytes: &[u8], read: fn([u8; 2]) -> u16| {
        let units = bytes.chunks_exact(2).map(|pair| read([pair[0], pair[1]]));
        char::decode_utf16(units).map(|letter| letter.unwrap_or(char::REPLACEMENT_CHARACTER)).collect()
    };
    match bytes {
        [0xfe, 0xff, rest @ ..] => utf16(rest, u16::from_be_bytes),
        [0xff, 0xfe, rest @ ..] => utf16(rest, u16::from_le_bytes),
        [0xef, 0xbb, 0xbf, rest @ ..] => String::from_utf8_lossy(rest).into_owned(),
        // PDFDocEncoding: Latin-1 but for a few places.
        _ => bytes.iter().map(|&byte| pdf_doc_letter(byte)).collect(),
    }
}

fn pdf_doc_letter(byte: u8) -> char {
    const FROM_0X80: [char; 32] = [
        '•', '†', '‡', '…', '—', '–', 'ƒ', '⁄', '‹', '›', '−', '‰', '„', '“', '”', '‘', '’', '‚', '™', 'ﬁ', 'ﬂ', 'Ł',
        'Œ', 'Š', 'Ÿ', 'Ž', 'ı', 'ł', 'œ', 'š', 'ž', '\u{fffd}',
    ];
    match byte {
        0x80..=0x9f => FROM_0X80[usize::from(byte) - 0x80],
        0xa0 => '€',
        _ => char::from(byte),
    }
}
