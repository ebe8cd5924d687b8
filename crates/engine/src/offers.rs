//! What is offered works: whatever a reply offers to ask is asked first, and shown only if it leads to an answer now.

use std::time::Duration;

use ibidem_ports::clock;
use ibidem_words::{Message, Offer, Speaker};

use crate::evidence::evidence;
use crate::follow_up;
use crate::listener::Nobody;
use crate::outcome::{Decided, Outcome, Routed};
use crate::parts::Parts;
use crate::route::{Way, calls_a_tool, route};
use crate::sift::SiftOutcome;
use crate::speak::speak;
use crate::turn::Asked;

/// The most that is offered beside one reply.
const MOST_OFFERED: usize = 3;
/// The most questions that are asked to find out what can be offered.
const MOST_ASKED: usize = 4;
/// How long all of them together may take. What is not known to be answered by then is not offered.
const LONGEST: Duration = Duration::from_secs(5);

/// Keeps of the offers those that lead to an answer, each text with the first of its queries that does.
pub(crate) async fn that_lead_to_an_answer(parts: &Parts, asked: &Asked, mut decided: Decided) -> Decided {
    let told = decided.outcome.told().to_owned();
    let Some(offers) = decided.outcome.offers() else { return decided };
    let proposed = std::mem::take(offers);
    let next = NextQuestion::after(parts, asked, told);
    let ends = clock::now() + LONGEST;
    let mut tried = 0;
    for offer in proposed {
        if offers.len() == MOST_OFFERED || tried == MOST_ASKED {
            break;
        }
        let is_new = offers.iter().all(|other| other.text != offer.text && other.query != offer.query);
        if is_new && offer.query.trim() != asked.question.query.trim() {
            tried += 1;
            // What is late is not waited for, and neither is what would come after it.
            match clock::by(ends, Box::pin(next.leads_to_an_answer(&offer.query))).await {
                Some(true) => offers.push(offer),
                Some(false) => {}
                None => break,
            }
        }
    }
    decided
}

/// The question that would follow in the same conversation, asked without a language model, a tool or a record.
struct NextQuestion<'a> {
    parts: &'a Parts,
    without_models: Parts,
    asked: Asked,
}

impl<'a> NextQuestion<'a> {
    fn after(parts: &'a Parts, asked: &Asked, told: String) -> Self {
        let without_models = Parts { roles: Default::default(), tools: Default::default(), ..parts.clone() };
        let mut asked = asked.clone();
        let said = |role, content| Message { role, content, timestamp: None };
        let query = std::mem::take(&mut asked.question.query);
        asked.question.history.extend([said(Speaker::User, query), said(Speaker::Assistant, told)]);
        (asked.question.confirmation, asked.question.model) = (None, None);
        asked.question.reworded = false;
        Self { parts, without_models, asked }
    }

    async fn leads_to_an_answer(&self, query: &str) -> bool {
        let asked = Asked { question: self.asked.question.clone().asking(query), ..self.asked.clone() };
        // What another system would say is not known without asking it.
        if calls_a_tool(self.parts, &asked) {
            return false;
        }
        let parts = &self.without_models;
        // Whoever asks it by itself and whoever asks it next must be answered alike.
        let (mut asked, rewritten) = follow_up::self_contained(parts, asked).await;
        if rewritten.is_some() {
            return false;
        }
        asked.question.history.clear();
        match route(parts, None, asked, &mut Nobody).await {
            Way::Decided(decided) => is_answer(&decided.outcome),
            Way::Failed(..) => false,
            Way::Search(asked, named, _) => match evidence(parts, asked, &named).await.map(|found| found.outcome) {
                Ok(SiftOutcome::Enough(sifted)) => {
                    speak(parts, sifted, &mut Nobody).await.is_ok_and(|spoken| is_answer(&spoken.outcome))
                }
                _ => false,
            },
        }
    }
}

fn is_answer(outcome: &Outcome) -> bool {
    matches!(outcome, Outcome::Cited(_))
}

impl Outcome {
    pub(crate) fn offers_something(&self) -> bool {
        match self {
            Self::Refused(refused) | Self::Routed(Routed::Withheld { refused, .. }) => !refused.offers.is_empty(),
            Self::Clarified(clarified) => !clarified.offers.is_empty(),
            Self::Cited(_) | Self::Routed(_) => false,
        }
    }

    /// What is said beside offers; empty where nothing can be offered.
    fn told(&self) -> &str {
        match self {
            Self::Refused(refused) | Self::Routed(Routed::Withheld { refused, .. }) => &refused.text,
            Self::Clarified(clarified) => &clarified.text,
            Self::Cited(_) | Self::Routed(_) => "",
        }
    }

    fn offers(&mut self) -> Option<&mut Vec<Offer>> {
        match self {
            Self::Refused(refused) | Self::Routed(Routed::Withheld { refused, .. }) => Some(&mut refused.offers),
            Self::Clarified(clarified) => Some(&mut clarified.offers),
            Self::Cited(_) | Self::Routed(_) => None,
        }
    }
}
