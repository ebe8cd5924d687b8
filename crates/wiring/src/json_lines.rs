//! Files with a value on each line.

use std::path::Path;

use anyhow::Context as _;
use serde::de::DeserializeOwned;

/// Every value with the number of its line. Blank lines are passed over.
pub fn load<T: DeserializeOwned>(path: &Path) -> anyhow::Result<Vec<(usize, T)>> {
    let name = path.display();
    let text = std::fs::read_to_string(path).with_context(|| format!("{name} cannot be read"))?;
    let lines = (1..).zip(text.lines()).filter(|(_, line)| !line.trim().is_empty());
    lines
        .map(|(number, line)| {
            Ok((number, serde_json::from_str(line).with_context(|| format!("{name}, line {number}"))?))
        })
        .collect()
}
