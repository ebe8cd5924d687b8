//! Whoever hears an answer while it is made.

use ibidem_words::Citation;

/// Hears what is released, as soon as it is.
pub trait Listener: Send {
    /// A whole sentence that may be shown, white space after it included, with what it cites.
    fn sentence(&mut self, text: &str, citations: Vec<Citation>);
}

/// Ignores what is streamed, for callers that read the answer when it is whole.
pub struct Nobody;

impl Listener for Nobody {
    fn sentence(&mut self, _: &str, _: Vec<Citation>) {}
}
