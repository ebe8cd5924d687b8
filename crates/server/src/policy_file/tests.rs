use ibidem_engine::policy::{CollectionThresholds, Top1Similarity};

use super::*;

const BOOK: &str = include_str!("../../../../policies/book.yaml");

/// A file with the book's policy, which is in force.
fn followed() -> (tempfile::TempDir, PathBuf, PolicyFile, watch::Receiver<Arc<Policy>>) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("policy.yaml");
    std::fs::write(&path, BOOK).unwrap();
    let (file, in_force) = PolicyFile::open(alone(&path)).unwrap();
    (folder, path, file, in_force)
}

fn alone(path: &Path) -> PolicySource {
    PolicySource { policy: PolicyText::File(path.to_owned()), thresholds: None }
}

fn stricter() -> String {
    BOOK.replace("top1_similarity: 0.7", "top1_similarity: 0.8")
}

fn threshold(in_force: &watch::Receiver<Arc<Policy>>) -> Option<f64> {
    in_force.borrow().rules.sift.rules_of::<Top1Similarity>().next().map(|threshold| threshold.0)
}

/// Looks until it is settled.
fn settled(file: &mut PolicyFile) -> Look {
    match file.look() {
        Look::Unsettled => file.look(),
        look => look,
    }
}

#[test]
fn a_changed_file_is_in_force_when_two_looks_find_the_same() {
    let (_folder, path, mut file, in_force) = followed();
    assert_eq!(file.look(), Look::Same);
    std::fs::write(&path, stricter()).unwrap();
    assert_eq!(file.look(), Look::Unsettled);
    assert_eq!(threshold(&in_force), Some(0.7), "it may be half written");
    assert!(matches!(file.look(), Look::Taken(_)));
    assert_eq!(threshold(&in_force), Some(0.8));
    assert_eq!(file.look(), Look::Same);
}

#[test]
fn a_file_that_is_written_in_steps_is_never_taken_half() {
    let (_folder, path, mut file, in_force) = followed();
    let text = stricter();
    for end in (1..text.len()).step_by(97).filter(|end| text.is_char_boundary(*end)) {
        std::fs::write(&path, &text[..end]).unwrap();
        assert_eq!(file.look(), Look::Unsettled);
    }
    std::fs::write(&path, &text).unwrap();
    assert!(matches!(settled(&mut file), Look::Taken(_)));
    assert_eq!(in_force.borrow().hash, Sha256Hash::of(text.as_bytes()));
}

#[test]
fn a_file_of_another_time_with_the_same_text_changes_nothing() {
    let (_folder, path, mut file, in_force) = followed();
    std::fs::remove_file(&path).unwrap();
    std::fs::write(&path, BOOK).unwrap();
    assert_eq!(file.look(), Look::Same);
    assert!(!in_force.has_changed().unwrap());
}

#[test]
fn a_bad_file_keeps_the_old_policy_and_says_so_once() {
    let (_folder, path, mut file, in_force) = followed();
    let too_large = "#".repeat(usize::try_from(MOST_BYTES).unwrap() + 1);
    let deep = format!("gather: {}1{}", "[".repeat(100_000), "]".repeat(100_000));
    let cases: [(&[u8], &str); 8] = [
        (b"", "cannot be read"),
        (b"\x00\x01\x02\x03", "cannot be read"),
        (b"\xff\xfe", "not text in UTF-8: the byte at 0"),
        (too_large.as_bytes(), "is larger than"),
        (deep.as_bytes(), "cannot be read"),
        (b"- a list", "cannot be read"),
        (&BOOK.as_bytes()[..400], "cannot be read"),
        (&BOOK.replace("duplicates: 0.9", "duplicates: 9").into_bytes(), "sift.duplicates must be between 0 and 1"),
    ];
    for (content, reason) in cases {
        std::fs::write(&path, content).unwrap();
        let Look::Kept(error) = settled(&mut file) else { panic!("{reason}: it was taken") };
        assert!(error.to_string().contains(reason), "{error}");
        assert_eq!(file.look(), Look::Same, "it is said once");
        assert_eq!(threshold(&in_force), Some(0.7));
    }
    std::fs::remove_file(&path).unwrap();
    assert!(matches!(settled(&mut file), Look::Kept(PolicyFileError::Unreadable { .. })));
    std::fs::create_dir(&path).unwrap();
    assert!(matches!(settled(&mut file), Look::Kept(PolicyFileError::Unreadable { .. })));
    assert_eq!(file.look(), Look::Same);
    assert_eq!(threshold(&in_force), Some(0.7));

    std::fs::remove_dir(&path).unwrap();
    std::fs::write(&path, stricter()).unwrap();
    assert!(matches!(settled(&mut file), Look::Taken(_)), "and it is followed on");
    assert_eq!(threshold(&in_force), Some(0.8));
}

const ARCHITECTURE: &str = include_str!("../../../../policies/architecture.yaml");
const THRESHOLDS: &str = include_str!("../../../../config/thresholds.yaml");

fn distance(in_force: &watch::Receiver<Arc<Policy>>, collection: &str) -> f64 {
    let policy = in_force.borrow();
    let thresholds = policy.rules.sift.rules_of::<CollectionThresholds>().next().unwrap();
    thresholds.collections.get(collection).unwrap_or(&thresholds.default).distance_threshold
}

#[test]
fn thresholds_are_laid_over_a_shipped_policy_and_followed() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("thresholds.yaml");
    std::fs::write(&path, THRESHOLDS).unwrap();
    let source = PolicySource { policy: PolicyText::Shipped(ARCHITECTURE), thresholds: Some(path.clone()) };
    let (mut file, in_force) = PolicyFile::open(source.clone()).unwrap();
    assert_eq!((distance(&in_force, "ADR"), distance(&in_force, "Minutes")), (0.45, 0.50));
    let first = in_force.borrow().hash;
    assert_ne!(first, Policy::parse(ARCHITECTURE).unwrap().hash, "the hash covers both files");

    std::fs::write(&path, "collections: {ADR: {distance_threshold: 0.3, min_query_coverage: 0.2}}").unwrap();
    assert!(matches!(settled(&mut file), Look::Taken(_)));
    assert_eq!((distance(&in_force, "ADR"), distance(&in_force, "Vocabulary")), (0.3, 0.35), "the policy's own stay");
    assert_ne!(in_force.borrow().hash, first);

    for (wrong, reason) in [
        ("collections: {ADR: {distance_threshold: 1.3, min_query_coverage: 0.2}}", "must be between 0 and 1"),
        ("collection: {}", "unknown field"),
        ("", "cannot be read"),
    ] {
        std::fs::write(&path, wrong).unwrap();
        let Look::Kept(error) = settled(&mut file) else { panic!("{wrong}: it was taken") };
        assert!(error.to_string().contains(reason), "{wrong}: {error}");
        assert_eq!(distance(&in_force, "ADR"), 0.3);
    }

    std::fs::write(&path, THRESHOLDS).unwrap();
    let without = PolicySource { policy: PolicyText::Shipped(BOOK), ..source };
    let error = PolicyFile::open(without).err().unwrap().to_string();
    assert!(error.contains("the policy book has no gate `collections`"), "{error}");
}

#[test]
fn a_file_must_be_in_order_to_begin_with() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("policy.yaml");
    assert!(matches!(PolicyFile::open(alone(&path)), Err(PolicyFileError::Unreadable { .. })));
    std::fs::write(&path, "name: nothing else").unwrap();
    assert!(matches!(PolicyFile::open(alone(&path)), Err(PolicyFileError::Wrong { .. })));
}

#[tokio::test]
async fn following_ends_when_nobody_asks_any_more() {
    let (_folder, path, file, mut in_force) = followed();
    let following = tokio::spawn(file.follow(Duration::from_millis(1)));
    std::fs::write(&path, stricter()).unwrap();
    let patience = Duration::from_secs(60);
    tokio::time::timeout(patience, in_force.changed()).await.expect("it is noticed").unwrap();
    assert_eq!(threshold(&in_force), Some(0.8));
    drop(in_force);
    tokio::time::timeout(patience, following).await.expect("it ends").unwrap();
}

#[test]
fn a_policy_that_was_calibrated_with_another_model_is_not_taken() {
    use ibidem_engine::policy::ModelIdentity;

    let mark = |weights: &[u8]| ModelIdentity { name: "m".to_owned(), sha256: Some(Sha256Hash::of(weights)) };
    let in_use = CalibratedModels { embedding: mark(b"these"), reranker: None, verifier: None };
    let calibrated = |weights: &[u8]| {
        let hash = Sha256Hash::of(weights);
        format!(
            "{BOOK}\ncalibration: {{gate: top1_similarity, threshold: 0.7, max_hallucination: 0.1, confidence: 0.9, \
             bound: clopper_pearson, labels: 9, answered: 5, wrong: 0, observed_risk: 0, labels_sha256: {hash}, \
             policy_sha256: {hash}, at: 2026-11-15T12:00:00Z, models: {{embedding: {{name: m, sha256: {hash}}}}}}}\n"
        )
    };
    let (_folder, path, file, in_force) = followed();
    let mut file = file.only_with(in_use);
    std::fs::write(&path, calibrated(b"others")).unwrap();
    let Look::Kept(error) = settled(&mut file) else { panic!("it promises what does not hold") };
    assert!(error.to_string().contains("calibrated with other models"), "{error}");
    assert!(in_force.borrow().rules.calibration.is_none(), "the old policy is kept");
    std::fs::write(&path, calibrated(b"these")).unwrap();
    assert!(matches!(settled(&mut file), Look::Taken(_)));
}
