//! `ibidem policy check`: whether a policy can be meant as it is written.

mod effects;

use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::Context as _;
use ibidem_engine::policy::PolicyError;
use ibidem_server::policy_file;

use super::written::Written;
use crate::console;

#[derive(clap::Args)]
pub(crate) struct Check {
    /// Policy files: names of built-in ones, or paths.
    #[arg(required = true)]
    policies: Vec<String>,
    /// A file of thresholds by collection that replaces those of each policy file.
    #[arg(long)]
    thresholds: Option<PathBuf>,
}

impl Check {
    pub(super) fn run(self) -> ExitCode {
        let mut code = ExitCode::SUCCESS;
        for named in &self.policies {
            match self.load(named) {
                Ok(written) => {
                    let policy = &written.policy;
                    console::say(&format!("{named}: in order ({}, hash {})", policy.rules.name, policy.hash.short(12)));
                    for finding in effects::without(&written) {
                        console::say(&format!("  warning: {finding}"));
                    }
                }
                Err(error) => {
                    console::complain(&wrong(&error));
                    code = ExitCode::FAILURE;
                }
            }
        }
        code
    }

    fn load(&self, named: &str) -> anyhow::Result<Written> {
        let written = Written::load(named)?;
        let Some(path) = &self.thresholds else { return Ok(written) };
        let thresholds = policy_file::load(path)?;
        let policy = written.policy.overlaid(&thresholds).with_context(|| path.display().to_string())?;
        Ok(Written { policy, ..written })
    }
}

/// What is wrong; contradictions each on a line of their own.
fn wrong(error: &anyhow::Error) -> String {
    match error.downcast_ref::<PolicyError>() {
        Some(PolicyError::Contradictory(contradictions)) => {
            let lines = contradictions.iter().map(|contradiction| format!("\n  - {contradiction}"));
            format!("{error}: the policy contradicts itself:{}", lines.collect::<String>())
        }
        _ => format!("{error:#}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const BOOK: &str = include_str!("../../../../../policies/book.yaml");

    /// What is said about a file with this content.
    fn checked(content: &[u8]) -> String {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("policy.yaml");
        std::fs::write(&path, content).unwrap();
        Written::load(path.to_str().unwrap()).err().map(|error| wrong(&error)).unwrap_or_default()
    }

    #[test]
    fn what_is_wrong_is_named_with_its_line_and_key() {
        assert_eq!(checked(BOOK.as_bytes()), "");
        let cases = [
            ("- duplicates: 0.9", "- duplicate: 0.9", &["duplicate", "line 27"][..]),
            ("- duplicates: 0.9", "- duplicates: often", &["line 27", "often"]),
            ("- duplicates: 0.9", "- duplicates: 0.9\n    - duplicates: 0.8", &["stands there twice"]),
            ("- duplicates: 0.9", "- duplicates: 1.9", &["  - sift.duplicates must be between 0 and 1"]),
            ("- duplicates: 0.9", "- duplicates: .nan", &["line 27", ".nan"]),
            ("  hits_per_lane: 15", "  hits_per_lane: -1", &["line 8"]),
            (
                "  hits_per_lane: 15",
                "  hits_per_lane: 10000000",
                &["  - gather.hits_per_lane is 10000000; it must be from 1 to 200"],
            ),
            ("  refusal: This", "  refused: This", &["unknown field", "refused"]),
            ("  mode: model", "  mode: poem", &["poem", "extractive"]),
        ];
        for (old, new, expected) in cases {
            let changed = BOOK.replacen(old, new, 1);
            assert_ne!(changed, BOOK, "{old} is not in the policy any more");
            let printed = checked(changed.as_bytes());
            for part in expected {
                assert!(printed.contains(part), "{new}: {part:?} is not in {printed:?}");
            }
        }
    }

    #[test]
    fn several_contradictions_are_all_named() {
        let changed = BOOK.replace("duplicates: 0.9", "duplicates: 9").replace("hits_per_lane: 15", "hits_per_lane: 0");
        let printed = checked(changed.as_bytes());
        assert_eq!(printed.matches("\n  - ").count(), 2, "{printed}");
    }

    #[test]
    fn hostile_files_are_refused_and_the_reason_is_said() {
        let bomb: String = (1..40).fold("a0: &a0 [x, x]\n".to_owned(), |text, level| {
            format!("{text}a{level}: &a{level} [*a{0}, *a{0}]\n", level - 1)
        });
        let deep = format!("name: {}1{}", "[".repeat(200_000), "]".repeat(200_000));
        let flow_deep = "name: ".to_owned() + &"{a: ".repeat(100_000);
        let cases: [(&[u8], &str); 8] = [
            (b"", "cannot be read"),
            (b"\n# nothing\n", "cannot be read"),
            (b"\x7fELF\x02\x01\x01\x00", "cannot be read"),
            (b"\xff\xfe\x00", "not text in UTF-8"),
            (&vec![b'a'; 2 << 20], "is larger than"),
            (deep.as_bytes(), "cannot be read"),
            (flow_deep.as_bytes(), "cannot be read"),
            (bomb.as_bytes(), "cannot be read"),
        ];
        for (content, reason) in cases {
            let printed = checked(content);
            assert!(printed.contains(reason), "{reason}: {printed}");
            assert!(printed.len() < 4_000, "{} characters are no message", printed.len());
        }
        let missing = Written::load("no-such-policy").err().map(|error| wrong(&error)).unwrap_or_default();
        assert!(missing.contains("neither a built-in policy file (architecture, book, default"), "{missing}");
    }
}
