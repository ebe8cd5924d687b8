//! A claim that somebody else makes, held against passages as an answer's sentences are.

use ibidem_ports::catalogue::CataloguePassage;
use ibidem_ports::degrade::Deadline;
use ibidem_words::{LinesAbove, SentenceCheck};

use crate::parts::Parts;
use crate::policy::Policy;
use crate::receipts::spaced_alike;
use crate::speak::note_line::NoteLine;
use crate::speak::quoting::is_quotation;
use crate::speak::verify::Verifier;

/// What a claim is held against.
#[derive(Clone, Debug)]
pub struct Evidence<'a> {
    line: NoteLine<'a>,
    text: &'a str,
    above: LinesAbove,
}

impl<'a> Evidence<'a> {
    pub fn of(passage: &'a CataloguePassage) -> Self {
        Self { line: NoteLine::of(passage), text: &passage.text, above: passage.above.clone() }
    }

    /// A text that whoever claims brings along, under the name that they give it.
    pub fn brought(name: Option<&'a str>, text: &'a str) -> Self {
        let line = NoteLine { title: name.unwrap_or_default(), ..NoteLine::default() };
        Self { line, text, above: LinesAbove::default() }
    }

    /// What is quoted of it needs no model. A row with what the head of its table says of it is a quotation that no window
    /// of the text holds word for word.
    fn as_quotation(&self, claim: &str) -> Option<SentenceCheck> {
        is_quotation(claim, self.text, &self.above, spaced_alike).then(SentenceCheck::verbatim)
    }
}

/// Whether each text by itself says so, in their order. Who judged stands in each check.
pub async fn held_against(
    parts: &Parts,
    policy: &Policy,
    claim: &str,
    evidence: &[Evidence<'_>],
    deadline: Deadline,
) -> Vec<SentenceCheck> {
    let verifier = Verifier { rules: policy.rules.speak.verification, entailment: &parts.entailment, deadline };
    let mut checks = Vec::with_capacity(evidence.len());
    for one in evidence {
        if let Some(check) = one.as_quotation(claim) {
            checks.push(check);
            continue;
        }
        // Where the entailment model fails, words decide, and the check says so.
        let (check, _) = verifier.cited_under(claim, &[(one.line, one.text)]).await;
        checks.push(check);
    }
    checks
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
        let is_verbatim = |claim: &str| Evidence::of(&held).as_quotation(claim).is_some();
        assert!(is_verbatim("Belgium, France, Netherlands — Daily allowance: EUR 47"));
        assert!(is_verbatim("All other countries — Daily allowance: EUR 50"));
        assert!(!is_verbatim("All other countries — Daily allowance: EUR 47"));
    }

    #[test]
    fn what_is_brought_along_is_quoted_like_a_passage() {
        let brought = Evidence::brought(Some("Allowances"), "The daily allowance is EUR 47. It is paid in arrears.");
        assert!(brought.as_quotation("The daily allowance is EUR 47.").is_some());
        assert!(brought.as_quotation("The daily allowance is EUR 50.").is_none());
    }
}
