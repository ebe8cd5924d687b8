//! The process that reads: like the library, confined, and ended at its limits.

use std::path::PathBuf;
use std::time::Duration;

use ibidem_ingest::read::child::{ChildReader, ReadingLimits};
use ibidem_ingest::read::reader::{Reader as _, ReadingError};
use ibidem_ingest::read::suite;
use ibidem_ports::intake::Format;

const LIMITS: ReadingLimits =
    ReadingLimits { memory_bytes: 512 << 20, processor_time: Duration::from_secs(60), output_bytes: 128 << 20 };

fn reader(limits: ReadingLimits) -> ChildReader {
    ChildReader::new(Some(PathBuf::from(env!("CARGO_BIN_EXE_ibidem"))), limits).unwrap()
}

async fn failure(limits: ReadingLimits, original: Vec<u8>, format: Format) -> ReadingError {
    reader(limits).extract(original, format).await.unwrap_err()
}

#[tokio::test]
async fn a_process_of_its_own_keeps_to_the_suite() {
    suite::reads_like_the_library(&reader(LIMITS)).await;
}

#[cfg(target_os = "linux")]
#[tokio::test]
async fn it_has_no_files_no_network_no_processes_and_no_environment() {
    assert_eq!(reader(LIMITS).probe().await, Ok(Vec::new()));
}

#[tokio::test]
async fn each_limit_ends_it_with_its_reason() {
    let long = || b"Some words. ".repeat(1 << 20);
    let memory = ReadingLimits { memory_bytes: 280 << 20, ..LIMITS };
    let large = vec![b'a'; 60 << 20];
    let error = failure(memory, large, Format::Plain).await;
    assert!(matches!(&error, ReadingError::Fatal(reason) if reason.contains("needed more than 280 MiB")), "{error:?}");

    let output = ReadingLimits { output_bytes: 1 << 20, ..LIMITS };
    let error = failure(output, long(), Format::Plain).await;
    assert!(matches!(&error, ReadingError::Fatal(reason) if reason.contains("came to more than 1 MiB")), "{error:?}");

    // Far more than a second's work without optimisation, as tests are built.
    let slow = b"word ".repeat(12 << 20);
    let time = ReadingLimits { processor_time: Duration::from_secs(1), memory_bytes: 8 << 30, ..LIMITS };
    let error = failure(time, slow, Format::Plain).await;
    assert!(matches!(&error, ReadingError::Fatal(reason) if reason.contains("took more than 1 s")), "{error:?}");
}

#[tokio::test]
async fn a_program_that_is_missing_or_another_is_no_documents_fault() {
    for program in ["/nowhere/ibidem", "/bin/false"] {
        let reader = ChildReader::new(Some(program.into()), LIMITS).unwrap();
        let error = reader.extract(b"Text.".to_vec(), Format::Plain).await.unwrap_err();
        assert!(matches!(error, ReadingError::NoReader(_)), "{program}: {error:?}");
    }
    let reader = ChildReader::new(Some("/bin/echo".into()), LIMITS).unwrap();
    let error = reader.extract(b"Text.".to_vec(), Format::Plain).await.unwrap_err();
    assert!(matches!(error, ReadingError::Fatal(_)), "{error:?}");
}
