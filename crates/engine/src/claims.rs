//! A claim that somebody else makes, held against passages as an answer's sentences are.

use ibidem_ports::catalogue::CataloguePassage;
use ibidem_ports::degrade::Deadline;
use ibidem_words::SentenceCheck;

use crate::parts::Parts;
use crate::policy::Policy;
use crate::receipts::spaced_alike;
use crate::speak::note_line::NoteLine;
use crate::speak::quoting::is_quotation;
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
        if let Some(check) = as_quotation(claim, passage) {
            checks.push(check);
            continue;
        }
        let note = (NoteLine::of(passage), passage.text.as_str());
        // Where the entailment model fails, words decide, and the check says so.
        let (check, _) = verifier.cited_under(claim, &[note]).await;
        checks.push(check);
    }
    checks
}

/// What is quoted of a passage needs no model. A row with what the head of its table says of it is a quotation that no
/// window of the passage holds word for word.
fn as_quotation(claim: &str, passage: &CataloguePassage) -> Option<SentenceCheck> {
    is_quotation(claim, &passage.text, &passage.above, spaced_alike).then(SentenceCheck::verbatim)
}

#[cfg(test)]
mod tests {
    use ibidem_testing::fakes::passage;

    use super::*;

    #[test]
    fn a_row_of_a_table_is_verbatim_whatever_its_label_has() {
        let table =
            "Destination | Daily allowance\nBelgium, France, Netherlands | EUR 47\nAll other countries | EUR 50";
        let held = passage(1, &"Handbook".parse().unwrap(), table);
        let is_verbatim = |claim: &str| as_quotation(claim, &held).is_some();
        assert!(is_verbatim("Belgium, France, Netherlands — Daily allowance: EUR 47"));
        assert!(is_verbatim("All other countries — Daily allowance: EUR 50"));
        assert!(!is_verbatim("All other countries — Daily allowance: EUR 47"));
    }
}
