//! Markdown: rendered to the plain text a reader sees.

use ibidem_ports::intake::Format;
use pulldown_cmark::{CodeBlockKind, Event, HeadingLevel, Options, Parser, Tag, TagEnd, TextMergeStream};

use super::manuscript::{Manuscript, TitleHeading};
use super::{ReadDocument, ReadError, front_matter, html};

mod templates;
#[cfg(test)]
mod tests;

pub(super) fn extract(markdown: &str) -> Result<ReadDocument, ReadError> {
    let (stated, body) = front_matter::split(markdown);
    let title_heading = stated.title.clone().map_or(TitleHeading::First, TitleHeading::Saying);
    let mut manuscript = Manuscript::new(title_heading);
    write(&templates::without_templates(body), &mut manuscript)?;
    manuscript.finish(Format::Markdown, stated)
}

/// Writes Markdown that may be a part of another document.
pub(super) fn write(markdown: &str, manuscript: &mut Manuscript) -> Result<(), ReadError> {
    let mut renderer = Renderer { manuscript, html: None, unseen: false };
    let options = Options::ENABLE_TABLES
        | Options::ENABLE_FOOTNOTES
        | Options::ENABLE_STRIKETHROUGH
        | Options::ENABLE_TASKLISTS
        | Options::ENABLE_HEADING_ATTRIBUTES;
    for event in TextMergeStream::new(Parser::new_ext(markdown, options)) {
        if renderer.manuscript.is_overfull() {
            break;
        }
        renderer.render(event)?;
    }
    renderer.manuscript.end_block();
    Ok(())
}

struct Renderer<'a> {
    manuscript: &'a mut Manuscript,
    /// The raw HTML block being collected.
    html: Option<String>,
    /// Inside an inline `<script>` or `<style>`: its words are not for people.
    unseen: bool,
}

impl Renderer<'_> {
    fn render(&mut self, event: Event<'_>) -> Result<(), ReadError> {
        let manuscript = &mut *self.manuscript;
        match event {
            Event::Start(tag) => self.open(&tag),
            Event::End(tag) => self.close(tag)?,
            Event::Text(words) if !self.unseen => manuscript.words(&words),
            Event::Text(_) => {}
            Event::Code(words) | Event::InlineMath(words) | Event::DisplayMath(words) => manuscript.words(&words),
            Event::SoftBreak => manuscript.words(" "),
            Event::HardBreak => manuscript.line_break(),
            // The reference's own form, `[^1]`, is how answers cite: in a source it would pass for a citation.
            Event::FootnoteReference(name) => manuscript.words(&format!(" (note {name})")),
            Event::TaskListMarker(done) => manuscript.words(if done { "[x] " } else { "[ ] " }),
            Event::Rule => manuscript.end_block(),
            Event::Html(markup) => self.html.get_or_insert_default().push_str(&markup),
            Event::InlineHtml(markup) => self.inline_html(&markup),
        }
        Ok(())
    }

    fn open(&mut self, tag: &Tag<'_>) {
        let manuscript = &mut *self.manuscript;
        match tag {
            Tag::Heading { level, .. } => manuscript.open_heading(depth(*level)),
            Tag::CodeBlock(CodeBlockKind::Fenced(_) | CodeBlockKind::Indented) => manuscript.open_verbatim(),
            Tag::List(first) => manuscript.open_list(*first),
            Tag::Item => manuscript.open_item(),
            Tag::Table(_) => manuscript.open_table(),
            Tag::TableHead | Tag::TableRow => manuscript.open_row(),
            Tag::Strikethrough => manuscript.strike(true),
            Tag::FootnoteDefinition(name) => {
                manuscript.end_block();
                manuscript.words(&format!("Note {name}: "));
            }
            Tag::HtmlBlock => self.html = Some(String::new()),
            Tag::BlockQuote(_) => manuscript.end_block(),
            // Paragraphs only end: the first one of a footnote or an item goes on after its marker.
            _ => {}
        }
    }

    fn close(&mut self, tag: TagEnd) -> Result<(), ReadError> {
        let manuscript = &mut *self.manuscript;
        match tag {
            TagEnd::Heading(_) => manuscript.close_heading(),
            TagEnd::CodeBlock => manuscript.close_verbatim(),
            TagEnd::List(_) => manuscript.close_list(),
            TagEnd::Table => manuscript.close_table(),
            TagEnd::TableHead | TagEnd::TableRow => manuscript.close_row(),
            TagEnd::TableCell => manuscript.close_cell(),
            TagEnd::Strikethrough => manuscript.strike(false),
            TagEnd::Item => manuscript.close_item(),
            TagEnd::Paragraph | TagEnd::BlockQuote(_) | TagEnd::FootnoteDefinition => {
                manuscript.end_block();
                self.unseen = false;
            }
            TagEnd::HtmlBlock => {
                if let Some(markup) = self.html.take() {
                    html::write_fragment(&markup, manuscript)?;
                }
            }
            _ => {}
        }
        Ok(())
    }

    fn inline_html(&mut self, markup: &str) {
        let tag = markup.trim_start_matches('<');
        let name: String = tag.trim_start_matches('/').chars().take_while(char::is_ascii_alphanumeric).collect();
        match name.to_ascii_lowercase().as_str() {
            "br" => self.manuscript.line_break(),
            "script" | "style" => self.unseen = !tag.starts_with('/'),
            "del" | "s" | "strike" => self.manuscript.strike(!tag.starts_with('/')),
            "img" => self.manuscript.words(&html::alternative_text(markup)),
            // A placeholder (`<namespace>`) or a type parameter that was not marked as code: what the writer meant to show.
            _ if !name.is_empty() && !html::is_element(&name) => self.manuscript.words(markup),
            _ => {}
        }
    }
}

fn depth(level: HeadingLevel) -> u8 {
    match level {
        HeadingLevel::H1 => 1,
        HeadingLevel::H2 => 2,
        HeadingLevel::H3 => 3,
        HeadingLevel::H4 => 4,
        HeadingLevel::H5 => 5,
        HeadingLevel::H6 => 6,
    }
}
