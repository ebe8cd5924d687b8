//! A claim that somebody else makes, held against passages as an answer's sentences are.

use ibidem_ports::catalogue::CataloguePassage;
use ibidem_ports::degrade::Deadline;
use ibidem_words::SentenceCheck;

use crate::parts::Parts;
use crate::policy::Policy;
use crate::speak::note_line::NoteLine;
use crate::speak::verify::Verifier;

/// Whether each passage by itself says so, in their order. Who judged stands in each check.
pub async fn held_against(
    parts: &Parts,
    policy: &Policy,
    claim: &str,
    passages: &[CataloguePassage],
    deadline: Deadline,
) -> Vec<SentenceCheck> {
    let verifier = Verifier { rules: policy.rules.speak.verification, entailment: &parts.entailment, deadline };
    let mut checks = Vec::with_capacity(passages.len());
    for passage in passages {
        let note = (NoteLine::of(passage), passage.text.as_str());
        // Where the entailment model fails, words decide, and the check says so.
        let (check, _) = verifier.cited_under(claim, &[note]).await;
        checks.push(check);
    }
    checks
}
