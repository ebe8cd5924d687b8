//! Refusals that help: what came nearest, and what else can be asked and would be answered.

use std::collections::HashSet;

use crate::candidate::Candidate;
use ibidem_words::{CitedSource, NearestMiss, Offer, PassageKey, Reason, RouteTarget, as_shown};

use crate::outcome::{Decided, Outcome, Refused, Routed};
use crate::parts::Parts;
use crate::policy::{Answerability, Policy, RefusalRules};
use crate::sift::Sifted;
use crate::speak::route_to::route_to;
use crate::turn::Asked;

/// Where the headings of a section's path are parted.
const BETWEEN_HEADINGS: &str = " > ";

/// What came nearest to an answer, one passage of each document, best first.
pub(crate) struct Near {
    asked: Asked,
    candidates: Vec<Candidate>,
}

impl Near {
    /// None where the policy shows nothing beside a refusal.
    pub(crate) fn of(sifted: &Sifted) -> Option<Self> {
        let rules = sifted.asked.policy.rules.refusals.as_ref()?;
        let dropped = sifted.dropped().iter().map(|(_, candidate)| candidate);
        let mut all: Vec<&Candidate> = sifted.evidence.iter().chain(dropped).collect();
        let rank = |candidate: &Candidate| (candidate.answering().unwrap_or(-1.0), candidate.similarity());
        all.sort_by(|one, other| {
            let ((read, similar), (other_read, other_similar)) = (rank(one), rank(other));
            let by_passage = || one.passage.passage.cmp(&other.passage.passage);
            other_read.total_cmp(&read).then_with(|| other_similar.total_cmp(&similar)).then_with(by_passage)
        });
        let mut documents = HashSet::new();
        all.retain(|candidate| documents.insert(candidate.passage.passage.document));
        let candidates = all.into_iter().take(rules.nearest).cloned().collect();
        Some(Self { asked: sifted.asked.clone(), candidates })
    }

    /// Adds it to a refusal that is about the evidence. What was withdrawn meanwhile is not named.
    pub(crate) async fn added_to(self, parts: &Parts, mut decided: Decided) -> Decided {
        // Whom a routed question goes to is known already.
        let is_routed = matches!(decided.outcome, Outcome::Routed(_));
        let Some(refused) = refused_for_evidence(&mut decided.outcome) else { return decided };
        let Self { asked, mut candidates } = self;
        let Some(rules) = &asked.policy.rules.refusals else { return decided };
        let keys: Vec<PassageKey> = candidates.iter().map(|candidate| candidate.passage.passage).collect();
        let there = match keys.is_empty() {
            true => Vec::new(),
            false => parts.searcher.catalogue.still_visible(&asked.scope, &keys).await.unwrap_or_default(),
        };
        candidates.retain(|candidate| there.contains(&candidate.passage.passage));
        let least = least_answering(&asked.policy);
        // What is read is offered as a question about it: without a reader nobody could say whether it is answered.
        if candidates.iter().any(|candidate| candidate.answer.is_some()) && least.is_some() {
            let about = candidates.iter().map(|candidate| question_about(candidate, rules)).take(rules.suggestions);
            refused.offers.extend(about);
        }
        refused.nearest = candidates.iter().map(|candidate| miss(candidate, rules, least)).collect();
        if !is_routed {
            refused.ask = whom_to_ask(parts, &asked, &candidates).await;
        }
        decided
    }
}

/// Who looks after what came nearest, or the configured admin; none where nobody is known.
async fn whom_to_ask(parts: &Parts, asked: &Asked, candidates: &[Candidate]) -> Option<RouteTarget> {
    let (owners, admin) = (parts.owners.as_deref(), parts.admin_email.as_deref());
    let texts = asked.policy.rules.wording.texts();
    let to = route_to(owners, admin, &asked.scope, candidates, texts).await;
    Some(to).filter(|to| !candidates.is_empty() && to.owner_email.is_some())
}

/// A refusal that says something about what was found.
fn refused_for_evidence(outcome: &mut Outcome) -> Option<&mut Refused> {
    let refused = match outcome {
        Outcome::Refused(refused) | Outcome::Routed(Routed::Withheld { refused, .. }) => refused,
        Outcome::Cited(_) | Outcome::Clarified(_) | Outcome::Routed(_) => return None,
    };
    let is_about_evidence = matches!(
        refused.refusal.reason,
        Reason::NoResults
            | Reason::LowSimilarity
            | Reason::LowCoverage
            | Reason::LowConfidence
            | Reason::NotAnswered
            | Reason::BesideTheQuestion
            | Reason::NoThesis
            | Reason::UnsupportedClaims
            | Reason::TerminologyNotFound
            | Reason::GenerationUnavailable
    );
    is_about_evidence.then_some(refused)
}

fn miss(candidate: &Candidate, rules: &RefusalRules, least: Option<f64>) -> NearestMiss {
    let passage = &candidate.passage;
    let why = match candidate.answering() {
        Some(probability) if least.is_some_and(|least| probability >= least) => rules.beside.clone(),
        Some(probability) => rules.read.replace("{probability}", &probability.to_string()),
        None => rules.unread.replace("{similarity}", &as_shown(candidate.similarity()).to_string()),
    };
    NearestMiss {
        source_id: CitedSource::Passage(passage.passage.source_id()),
        version: passage.passage.version,
        title: passage.title.clone(),
        section: passage.section.clone(),
        address: passage.address.clone(),
        why: why.trim().to_owned(),
        answers: candidate.answering(),
        similarity: Some(as_shown(candidate.similarity())),
    }
}

/// How likely a passage must answer for a question to be answered from it.
fn least_answering(policy: &Policy) -> Option<f64> {
    let gate = policy.rules.sift.rules_of::<Answerability>().map(|gate| gate.0).reduce(f64::max);
    gate.into_iter().chain(policy.rules.speak.least_answering).reduce(f64::max)
}

/// What is shown names the document by its title too. What is asked names it by its address alone, where it has one: then
/// what stands below the heading is its own answer, and nothing has to be searched for.
fn question_about(candidate: &Candidate, rules: &RefusalRules) -> Offer {
    let passage = &candidate.passage;
    let section = passage.section.as_deref().unwrap_or(&passage.title);
    let section = section.rsplit(BETWEEN_HEADINGS).next().unwrap_or(section);
    let named = match &passage.address {
        Some(address) if !passage.title.contains(address.as_str()) => format!("{address} ({})", passage.title),
        _ => passage.title.clone(),
    };
    let about = |title: &str| {
        let question = rules.question.trim().replace("{section}", section).replace("{title}", title);
        question.split_whitespace().collect::<Vec<_>>().join(" ")
    };
    Offer { text: about(&named), query: about(passage.address.as_deref().unwrap_or(&passage.title)) }
}
