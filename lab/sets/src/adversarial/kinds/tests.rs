use std::collections::HashSet;
use std::path::PathBuf;
use std::sync::Arc;

use ibidem_engine::policy::VerificationRules;
use ibidem_engine::speak::verify::lexical::LexicalEntailment;
use ibidem_engine::speak::verify::{Verifier, repair};
use ibidem_language::sentences::sentences_of;
use ibidem_ports::degrade::{Deadline, Part};
use ibidem_ports::entailment::Entailment;
use ibidem_words::SentenceVerdict;

use super::*;

fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn half(name: &str) -> Vec<Pair> {
    load(&root().join(format!("lab/data/adversarial/kinds_{name}.jsonl"))).unwrap()
}

/// By the shipped verifier without its embedding model, so that the figures are the same everywhere.
async fn outcomes(pairs: &[Pair]) -> Vec<(&Pair, Outcome, String)> {
    let words = Part::bare(Arc::new(LexicalEntailment::by_words()) as Arc<dyn Entailment>);
    let verifier = Verifier { rules: VerificationRules::default(), entailment: &words, deadline: Deadline::NONE };
    let mut outcomes = Vec::new();
    for pair in pairs {
        let (check, _) = verifier.cited(&pair.claim, &[&pair.note]).await;
        let outcome = match repair::nearest(&pair.claim, &sentences_of(&pair.note)) {
            _ if check.verdict == SentenceVerdict::Supported => Outcome::Passed,
            Some(_) => Outcome::Replaced,
            None => Outcome::Dropped,
        };
        let why = check.why.unwrap_or_else(|| format!("{:.2} by {}", check.support, check.by));
        outcomes.push((pair, outcome, why));
    }
    outcomes
}

async fn scored(pairs: &[Pair]) -> Scores {
    let outcomes = outcomes(pairs).await;
    score(&outcomes.iter().map(|(pair, outcome, _)| (*pair, *outcome)).collect::<Vec<_>>())
}

#[test]
fn both_halves_have_every_kind_in_both_languages_and_no_note_of_one_is_in_the_other() {
    let (open, sealed) = (half("open"), half("sealed"));
    let all: Vec<&Pair> = open.iter().chain(&sealed).collect();
    assert!(all.iter().filter(|pair| !pair.supported).count() >= 400);
    assert!(all.iter().filter(|pair| pair.supported).count() >= 150);
    for half in [&open, &sealed] {
        for kind in Kind::ALL {
            for language in ["en", "de"] {
                let count = half.iter().filter(|pair| pair.kind == kind && pair.language == language).count();
                assert!(count >= 3, "{kind:?} {language}: {count}");
            }
        }
    }
    let notes = |half: &[Pair]| half.iter().map(|pair| pair.note.clone()).collect::<HashSet<_>>();
    assert!(notes(&open).is_disjoint(&notes(&sealed)));
    let ids: HashSet<&str> = all.iter().map(|pair| pair.id.as_str()).collect();
    assert_eq!(ids.len(), all.len());
}

/// The rules are made by looking at the open half; what it prints is never asked of the sealed one.
#[tokio::test]
#[ignore = "prints the pairs of the open half that are judged wrongly, for whoever changes a rule"]
async fn what_is_wrong_in_the_open_half() {
    let open = half("open");
    for (pair, outcome, why) in outcomes(&open).await {
        if (outcome == Outcome::Passed) != pair.supported {
            println!("{} {:?} {:?} {} [{why}]", pair.id, pair.kind, outcome, pair.claim);
        }
    }
}

/// What may not get worse, of the open half and the sealed one: falsehoods that go out, and faithful claims that are lost.
const MOST_PASSED: [[(&str, usize); 2]; 2] = [[("en", 8), ("de", 8)], [("en", 15), ("de", 20)]];
const MOST_DROPPED: [[(&str, usize); 2]; 2] = [[("en", 0), ("de", 1)], [("en", 1), ("de", 2)]];

#[tokio::test]
async fn no_more_falsehoods_pass_and_no_more_faithful_claims_are_lost_than_before() {
    for (place, name) in ["open", "sealed"].into_iter().enumerate() {
        let scores = scored(&half(name)).await;
        for (language, most) in MOST_PASSED[place] {
            let passed = sum(&scores, |kind| !kind.is_faithful(), Some(language)).passed;
            assert!(passed <= most, "{name}, {language}: {passed} falsehoods passed, at most {most} did before");
        }
        for (language, most) in MOST_DROPPED[place] {
            let dropped = sum(&scores, Kind::is_faithful, Some(language)).dropped;
            assert!(dropped <= most, "{name}, {language}: {dropped} faithful dropped, at most {most} were before");
        }
    }
}

/// `IBIDEM_WRITE_FIGURES=1` writes them there.
#[tokio::test]
async fn the_figures_by_kind_are_those_that_security_md_has() {
    let table = markdown(&scored(&half("open")).await, &scored(&half("sealed")).await);
    let file = root().join("SECURITY.md");
    let security = std::fs::read_to_string(&file).unwrap();
    let begin = security.find("| kind | English, open |").expect("SECURITY.md has the table of kinds");
    let end = security[begin..].find("\n\n").map_or(security.len(), |end| begin + end + 1);
    if std::env::var_os("IBIDEM_WRITE_FIGURES").is_some() {
        let written = format!("{}{table}{}", &security[..begin], &security[end..]);
        std::fs::write(&file, written).unwrap();
        return;
    }
    assert_eq!(&security[begin..end], table, "IBIDEM_WRITE_FIGURES=1 cargo nextest run -p ibidem-lab writes it anew");
}
