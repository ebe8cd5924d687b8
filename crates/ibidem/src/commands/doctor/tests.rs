use super::*;

pub(super) fn settings(flags: &[&str]) -> Settings {
    // As the binary does at its start.
    let _ = rustls::crypto::ring::default_provider().install_default();
    let flags: Vec<String> = flags.iter().map(|flag| (*flag).to_owned()).collect();
    crate::settings::load(None, std::iter::empty(), &flags).unwrap()
}

pub(super) fn assert_broken(finding: &Finding, said: &str, mend: &str) {
    assert!(finding.state == State::Broken && finding.found.contains(said), "{}", finding.found);
    assert!(finding.mend.as_ref().is_some_and(|named| named.contains(mend)), "{:?}", finding.mend);
}

/// Nothing listens at the discard port of loopback.
pub(super) const NO_MODEL: [&str; 2] = ["language_model.url=http://127.0.0.1:9/v1", "language_model.name=m"];
