//! A reader with nothing around it, one pair after the other: what the adapter's own share of the time is measured
//! against.

use super::cross_encoder::{CrossEncoder, Judges};
use super::model_files::{MODEL, TOKENIZER};
use super::pair_model::PairModelSettings;
use super::pairs::{First, Layout, Pair, Pairs};
use super::runtime;
use super::tokens::Window;

pub struct BareReader {
    encoder: CrossEncoder,
    windows: Vec<Window>,
}

impl BareReader {
    /// One session, and the pairs read into tokens beforehand: only the model's time is left.
    pub fn load(settings: &PairModelSettings, question: &str, passages: &[String]) -> Result<Self, String> {
        let read = |file| settings.files.read(file).map_err(|error| error.to_string());
        let pairs = Pairs::from_bytes(&read(TOKENIZER)?, Layout::Plain(First::Whole), settings.max_tokens)?;
        let environment = runtime::environment(&settings.runtime).map_err(|error| error.to_string())?;
        let encoder = CrossEncoder::new(&environment, &read(MODEL)?, settings.threads, Judges::Pairs(1))?;
        let windows = passages.iter().map(|passage| {
            let pair = Pair { whole: question.into(), cut: passage.clone() };
            pairs.located_window(&pair)
        });
        Ok(Self { encoder, windows: windows.collect::<Result<_, _>>()? })
    }

    /// How many tokens the pairs have in all.
    pub fn tokens(&self) -> usize {
        self.windows.iter().map(Window::len).sum()
    }

    /// Reads every pair by itself, as the adapter does.
    pub fn read(&mut self) -> Result<(), String> {
        for window in &self.windows {
            self.encoder.logits(&[window])?;
        }
        Ok(())
    }
}
