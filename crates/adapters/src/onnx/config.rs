//! As much of a published `config.json` as says whether and how a model that reads pairs can be used.

use std::collections::BTreeMap;

use serde::Deserialize;

#[derive(Deserialize)]
pub(super) struct Config {
    #[serde(default)]
    model_type: String,
    #[serde(default)]
    architectures: Vec<String>,
    #[serde(default)]
    id2label: BTreeMap<usize, String>,
    max_position_embeddings: Option<usize>,
    pad_token_id: Option<usize>,
}

impl Config {
    pub(super) fn from_bytes(bytes: &[u8]) -> Result<Self, String> {
        serde_json::from_slice(bytes).map_err(|error| error.to_string())
    }

    /// What each logit is called, in their order; nothing where the file does not say.
    pub(super) fn labels(&self) -> Result<Vec<&str>, String> {
        if self.id2label.keys().copied().ne(0..self.id2label.len()) {
            let numbers: Vec<_> = self.id2label.keys().map(usize::to_string).collect();
            return Err(format!("its labels are numbered {}, and not from 0 on", numbers.join(", ")));
        }
        Ok(self.id2label.values().map(String::as_str).collect())
    }

    /// Whether it judges each token; nothing where it does not say what it is.
    pub(super) fn marks_tokens(&self) -> Option<bool> {
        let is_of_tokens = |name: &String| name.ends_with("ForTokenClassification");
        (!self.architectures.is_empty()).then(|| self.architectures.iter().any(is_of_tokens))
    }

    /// The model's own window, where it says so.
    pub(super) fn window(&self) -> Option<usize> {
        // Models of this family count positions from behind the padding's id.
        let counts_from_padding = ["roberta", "camembert", "mpnet"].iter().any(|name| self.model_type.contains(name));
        let skipped = if counts_from_padding { self.pad_token_id.unwrap_or(1) + 1 } else { 0 };
        self.max_position_embeddings.map(|positions| positions.saturating_sub(skipped))
    }
}
