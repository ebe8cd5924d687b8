//! Hallucination detection: answers whose unsupported parts people have marked, checked sentence by sentence with the
//! functions that check an answer before it is released.

pub mod asides;
pub mod begin;
pub mod check;
pub mod errors;
pub mod fit;
pub mod floor;
pub mod ragtruth;
pub mod score;

#[derive(Debug, thiserror::Error)]
pub enum DetectError {
    #[error("{0} cannot be read: {1}")]
    Unreadable(String, std::io::Error),
    #[error("line {line} of {file} is not {what}: {reason}")]
    OtherForm { file: String, line: usize, what: &'static str, reason: String },
    #[error(transparent)]
    Entailment(#[from] ibidem_ports::entailment::EntailmentError),
}

/// The lines of a file, each read by `read`, numbered from 1 in what is complained about.
fn lines<T>(
    file: &std::path::Path,
    what: &'static str,
    skip: usize,
    read: impl Fn(&str) -> Result<T, String>,
) -> Result<Vec<T>, DetectError> {
    let name = || file.display().to_string();
    let text = std::fs::read_to_string(file).map_err(|error| DetectError::Unreadable(name(), error))?;
    let lines = text.lines().enumerate().skip(skip).filter(|(_, line)| !line.trim().is_empty());
    let each = lines.map(|(place, line)| {
        read(line).map_err(|reason| DetectError::OtherForm { file: name(), line: place + 1, what, reason })
    });
    each.collect()
}
