//! Documents that are made up, as they are handed in and as they are read.

use ibidem_ports::embedder::TokenCounter as _;
use ibidem_ports::intake::{Format, NewPassage, NewVersion, Submission};
use ibidem_testing::fakes::FakeEmbedder;
use ibidem_words::{CharSpan, CollectionName, Sha256Hash, Tag, TenantId, passage_in_context};

/// A document, as it is handed in and as it is read.
pub(crate) type Handed = (Submission, NewVersion);

pub(crate) fn submission(
    tenant: TenantId,
    collection: CollectionName,
    location: String,
    original: &[u8],
    tags: Vec<Tag>,
) -> Submission {
    Submission {
        tenant,
        collection,
        source_location: location,
        format: Format::Markdown,
        original: Sha256Hash::of(original),
        tags,
        title: None,
        address: None,
        kind: None,
        updated_at: None,
    }
}

/// What reading a document of this title and address brings: its passages, each with the heading that it stands under, one
/// below the other.
pub(crate) fn version(
    counter: &FakeEmbedder,
    title: String,
    address: String,
    written: impl IntoIterator<Item = (Option<String>, String)>,
) -> NewVersion {
    let (mut text, mut passages) = (String::new(), Vec::new());
    for (section, passage) in written {
        let place = |text: &str| u32::try_from(text.chars().count()).unwrap();
        let start = place(&text);
        text.push_str(&passage);
        let span = CharSpan { start, end: place(&text) };
        text.push('\n');
        let context = passage_in_context(&title, section.as_deref(), &passage);
        passages.push(NewPassage {
            tokens: u32::try_from(counter.count(&context)).unwrap(),
            sha256: Sha256Hash::of(passage.as_bytes()),
            embedding_key: Sha256Hash::of(context.as_bytes()),
            text: passage,
            section,
            page: None,
            span,
            above: Default::default(),
        });
    }
    NewVersion {
        title,
        address: Some(address),
        kind: None,
        updated_at: chrono::DateTime::UNIX_EPOCH,
        text_sha256: Sha256Hash::of(text.as_bytes()),
        text,
        passages,
        validity: Default::default(),
        remarks: Vec::new(),
    }
}
