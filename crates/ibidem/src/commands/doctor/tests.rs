use super::*;

pub(super) fn settings(flags: &[&str]) -> Settings {
    // As the binary does at its start.
    let _ = rustls::crypto::ring::default_provider().install_default();
    let flags: Vec<String> = flags.iter().map(|flag| (*flag).to_owned()).collect();
    crate::settings::load(None, std::iter::empty(), &flags).unwrap()
}

pub(super) fn assert_broken(finding: &Finding, expected: &str, mend: &str) {
    assert!(finding.state == State::Broken && finding.found.contains(expected), "{}", finding.found);
    assert!(finding.mend.as_ref().is_some_and(|named| named.contains(mend)), "{:?}", finding.mend);
}

/// Nothing listens at the discard port of loopback.
pub(super) const NO_MODEL: [&str; 2] = ["language_model.url=http://127.0.0.1:9/v1", "language_model.name=m"];

#[test]
fn a_signing_key_that_cannot_be_read_is_told_with_what_to_do() {
    assert!(signing_key(&settings(&[])).found.contains("in the database"));
    let file = tempfile::NamedTempFile::new().unwrap();
    let flag = format!("receipts.signing_key_file={}", file.path().display());
    std::fs::write(file.path(), "0f".repeat(32)).unwrap();
    assert!(signing_key(&settings(&[&flag])).state == State::Ok);
    std::fs::write(file.path(), "secretsecret").unwrap();
    let broken = signing_key(&settings(&[&flag]));
    assert_broken(&broken, "64 hexadecimal digits", "`receipts.signing_key_file`");
    assert!(!broken.found.contains("secretsecret"), "{}", broken.found);
}

#[test]
fn pages_that_are_not_built_are_a_warning_that_says_how_to_build_them() {
    assert!(pages(true).state == State::Ok);
    let missing = pages(false);
    assert!(missing.state == State::Warning && missing.mend.is_some_and(|mend| mend.contains("just web")));
}
