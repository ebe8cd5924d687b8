//! Files in the form of SQuAD 2.0.

use std::path::Path;

use ibidem_measure::squad::{SquadQuestion, parse};

#[derive(Debug, thiserror::Error)]
pub enum SquadError {
    #[error("{0} cannot be read: {1}")]
    Unreadable(String, std::io::Error),
    #[error("{0} is not in the form of SQuAD 2.0: {1}")]
    OtherForm(String, serde_json::Error),
}

/// The questions of every second article, for choosing by, and those of the others, for testing the choice.
pub fn halves(file: &Path) -> Result<[Vec<SquadQuestion>; 2], SquadError> {
    let name = || file.display().to_string();
    let text = std::fs::read(file).map_err(|error| SquadError::Unreadable(name(), error))?;
    parse(&text).map_err(|error| SquadError::OtherForm(name(), error))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_of_another_form_is_named() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("squad.json");
        std::fs::write(&file, r#"{"data": []}"#).unwrap();
        assert_eq!(halves(&file).unwrap(), [Vec::new(), Vec::new()]);
        std::fs::write(&file, "[]").unwrap();
        assert!(halves(&file).unwrap_err().to_string().contains("not in the form of SQuAD"));
    }
}
