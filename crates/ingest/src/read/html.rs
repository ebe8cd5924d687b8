//! HTML: the text a browser would show, without navigation, scripts and what is hidden.

use ego_tree::NodeRef;
use ego_tree::iter::Edge;
use ibidem_ports::intake::Format;
use scraper::Html;
use scraper::node::{Element, Node};

use super::manuscript::{Manuscript, TitleHeading, collapsed};
use super::{ReadDocument, ReadError, Stated};

mod burden;
mod elements;
#[cfg(test)]
mod tests;

pub(super) use elements::is_element;
use elements::{is_block, is_unread};

pub(super) fn extract(html: &str) -> Result<ReadDocument, ReadError> {
    burden::check(html)?;
    let tree = Html::parse_document(html);
    let title = head_title(&tree);
    let title_heading = title.clone().map_or(TitleHeading::First, TitleHeading::Within);
    let mut manuscript = Manuscript::new(title_heading);
    write(&tree, &mut manuscript);
    let mut document = manuscript.finish(Format::Html, Stated::default())?;
    document.title = title.or(document.title);
    Ok(document)
}

/// Writes a whole page that is a part of another document.
pub(super) fn write_page(html: &str, manuscript: &mut Manuscript) -> Result<(), ReadError> {
    burden::check(html)?;
    manuscript.end_block();
    write(&Html::parse_document(html), manuscript);
    manuscript.end_block();
    Ok(())
}

/// Writes a piece of HTML that stands inside another document.
pub(super) fn write_fragment(html: &str, manuscript: &mut Manuscript) -> Result<(), ReadError> {
    burden::check(html)?;
    manuscript.end_block();
    write(&Html::parse_fragment(html), manuscript);
    manuscript.end_block();
    Ok(())
}

/// What an `<img …>` tag says for those who cannot see it.
pub(super) fn alternative_text(tag: &str) -> String {
    let tree = Html::parse_fragment(tag);
    let alternative = tree.tree.values().filter_map(Node::as_element).find_map(|element| element.attr("alt"));
    alternative.unwrap_or_default().to_owned()
}

fn head_title(tree: &Html) -> Option<String> {
    let is_named =
        |node: &NodeRef<'_, Node>, name: &str| node.value().as_element().is_some_and(|element| element.name() == name);
    let title = tree
        .tree
        .nodes()
        .find(|node| is_named(node, "title") && node.parent().is_some_and(|parent| is_named(&parent, "head")))?;
    let words: String = title.children().filter_map(|node| node.value().as_text()).map(|text| &**text).collect();
    Some(collapsed(&words)).filter(|words| !words.is_empty())
}

/// Walks the tree edge by edge, not by recursion: however deep it is nested, the stack stays flat.
fn write(tree: &Html, manuscript: &mut Manuscript) {
    let mut left_out = None;
    for edge in tree.tree.root().traverse() {
        match edge {
            Edge::Open(node) if left_out.is_none() => match node.value() {
                Node::Element(element) if is_unread(element.name()) || is_hidden(element) => left_out = Some(node.id()),
                Node::Element(element) => open(element, node, manuscript),
                Node::Text(text) => manuscript.words(text),
                _ => {}
            },
            Edge::Close(node) if left_out == Some(node.id()) => left_out = None,
            Edge::Close(node) if left_out.is_none() => {
                if let Node::Element(element) = node.value() {
                    close(element.name(), manuscript);
                }
            }
            Edge::Open(_) | Edge::Close(_) => {}
        }
        if manuscript.is_overfull() {
            return;
        }
    }
}

fn open(element: &Element, node: NodeRef<'_, Node>, manuscript: &mut Manuscript) {
    match element.name() {
        "h1" => manuscript.open_heading(1),
        "h2" => manuscript.open_heading(2),
        "h3" => manuscript.open_heading(3),
        "h4" => manuscript.open_heading(4),
        "h5" => manuscript.open_heading(5),
        "h6" => manuscript.open_heading(6),
        "pre" => manuscript.open_verbatim(),
        "ul" | "menu" | "dir" => manuscript.open_list(None),
        "ol" => manuscript.open_list(Some(element.attr("start").and_then(|start| start.parse().ok()).unwrap_or(1))),
        "li" => manuscript.open_item(),
        "table" => manuscript.open_table(),
        "tr" if cells(node) > 1 => manuscript.open_row(),
        "br" => manuscript.line_break(),
        "del" | "s" | "strike" => manuscript.strike(true),
        "q" => manuscript.words("“"),
        "img" => {
            if let Some(alternative) = element.attr("alt") {
                manuscript.words(&format!(" {alternative} "));
            }
        }
        name if is_block(name) => manuscript.end_block(),
        _ => {}
    }
}

fn close(name: &str, manuscript: &mut Manuscript) {
    match name {
        "h1" | "h2" | "h3" | "h4" | "h5" | "h6" => manuscript.close_heading(),
        "pre" => manuscript.close_verbatim(),
        "ul" | "menu" | "dir" | "ol" => manuscript.close_list(),
        "li" => manuscript.close_item(),
        "td" | "th" => manuscript.close_cell(),
        "tr" => manuscript.close_row(),
        "table" => manuscript.close_table(),
        "del" | "s" | "strike" => manuscript.strike(false),
        "q" => manuscript.words("”"),
        name if is_block(name) => manuscript.end_block(),
        _ => {}
    }
}

/// A row of one cell is a layout, not a table: its blocks are read as blocks.
fn cells(row: NodeRef<'_, Node>) -> usize {
    row.children()
        .filter(|node| node.value().as_element().is_some_and(|element| matches!(element.name(), "td" | "th")))
        .count()
}

fn is_hidden(element: &Element) -> bool {
    let style = || element.attr("style").map(|style| style.to_ascii_lowercase().replace(char::is_whitespace, ""));
    element.attr("hidden").is_some()
        || element.attr("aria-hidden") == Some("true")
        || style().is_some_and(|style| style.contains("display:none") || style.contains("visibility:hidden"))
}
