//! The processes that documents are read in.

use ibidem_ingest::read::reader::Reader as _;
use ibidem_ports::intake::Format;

use super::Finding;
use crate::compose;
use crate::settings::Settings;

/// Reads a small document, and asks what the process that did it could do besides.
pub(super) async fn reading(settings: &Settings) -> Finding {
    const PART: &str = "reading";
    let mend = "check `reading.program` and `reading.memory_bytes`";
    let reader = match compose::child_reader(settings) {
        Ok(reader) => reader,
        Err(error) => return Finding::broken(PART, format!("{error:#}"), mend),
    };
    match reader.extract(b"# Doctor\n\nA small document.\n".to_vec(), Format::Markdown).await {
        Ok(document) if document.text.contains("A small document.") => {}
        Ok(_) => return Finding::broken(PART, "a small document was read wrongly", mend),
        Err(error) => return Finding::broken(PART, error.to_string(), mend),
    }
    let limits = reader.limits();
    let (mib, seconds) = (limits.memory_bytes >> 20, limits.processor_time.as_secs());
    let limited = format!("one process for each document, {mib} MiB, {seconds} s");
    match reader.probe().await {
        Ok(able) if able.is_empty() => Finding::ok(PART, format!("{limited}, without files, network or processes")),
        Ok(able) => Finding::warning(
            PART,
            format!("{limited}, but it can {}", able.join(", ")),
            "run workers on Linux, where a filter on system calls forbids that, or in a container without a network",
        ),
        Err(error) => Finding::broken(PART, error.to_string(), mend),
    }
}
