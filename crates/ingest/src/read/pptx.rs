//! PPTX: the slides of a PowerPoint presentation, in their order.

use std::collections::HashMap;

use ibidem_ports::intake::Format;

use super::package::{Package, beside, targets};
use super::slides;
use super::{MOST_PAGES, ReadDocument, ReadError};

mod shapes;
#[cfg(test)]
mod tests;

use super::package::xml::{Part, Step};

pub(super) fn extract(bytes: &[u8]) -> Result<ReadDocument, ReadError> {
    let mut package = Package::open(bytes, Format::Pptx)?;
    let place = package.main_document("ppt/presentation.xml")?;
    let properties = package.properties("docProps/core.xml")?;
    let presentation = package.needed_part(&place)?;
    let mut slides = Vec::new();
    let mut hidden = 0;
    for (number, path) in (1..).zip(slide_paths(&mut package, &place, &presentation)?) {
        let Some(part) = package.part(&path)? else { continue };
        let Some(mut slide) = shapes::slide(&part)? else {
            hidden += 1;
            continue;
        };
        slide.notes = notes(&mut package, &path)?;
        slides.push((number, slide));
    }
    slides::write(&slides, hidden, &properties, Format::Pptx)
}

/// Where the slides lie, in the order in which they are shown.
fn slide_paths(package: &mut Package<'_>, place: &str, presentation: &str) -> Result<Vec<String>, ReadError> {
    let relations = relations_of(package, place)?;
    let by_id: HashMap<&str, &str> = relations
        .iter()
        .filter(|target| target.kind.ends_with("/slide"))
        .map(|target| (target.id.as_str(), target.path.as_str()))
        .collect();
    let mut paths = Vec::new();
    let mut part = Part::new(presentation, Format::Pptx);
    while let Some(step) = part.step()? {
        let Step::Open { name, attributes } = step else { continue };
        if name == "sldId"
            // It has an id of its own beside that of its relation.
            && let Some(path) = attributes.all("id").find_map(|id| by_id.get(id))
        {
            paths.push(beside(place, path));
        }
        if paths.len() > MOST_PAGES {
            return Err(ReadError::TooLarge { what: "its slides".into(), limit: format!("{MOST_PAGES} slides") });
        }
    }
    // Naming one slide many times makes a small file a huge text.
    let mut seen = std::collections::HashSet::new();
    paths.retain(|path| seen.insert(path.clone()));
    Ok(paths)
}

fn notes(package: &mut Package<'_>, slide: &str) -> Result<String, ReadError> {
    let relations = relations_of(package, slide)?;
    let Some(target) = relations.iter().find(|target| target.kind.ends_with("/notesSlide")) else {
        return Ok(String::new());
    };
    match package.part(&beside(slide, &target.path))? {
        Some(part) => shapes::notes(&part),
        None => Ok(String::new()),
    }
}

fn relations_of(package: &mut Package<'_>, part: &str) -> Result<Vec<super::package::Target>, ReadError> {
    let (folder, name) = part.rsplit_once('/').unwrap_or(("", part));
    let path = format!("{folder}/_rels/{name}.rels");
    match package.part(path.trim_start_matches('/'))? {
        Some(relations) => targets(&relations, Format::Pptx),
        None => Ok(Vec::new()),
    }
}
