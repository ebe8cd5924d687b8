//! Handing routed questions over: which owner's go where, and what the owner gets. A worker sends them.

use std::collections::BTreeMap;

use ibidem_engine::ask::Engine;
use ibidem_ports::records::TurnRecord;
use ibidem_store::{NewHandOver, Store};
use ibidem_words::{
    Action, Answer, FoundPassage, HandOver, PinDraft, PinHere, Reference, RouteTarget, TenantId, hand_over_id,
};

/// The longest trigger of a pin, in characters.
const LONGEST_TRIGGER: usize = 500;

/// Whose questions are handed over, and to which place.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct HandOverRules {
    /// By tenant and by the owner's e-mail address in small letters.
    pub targets: BTreeMap<(TenantId, String), HandOverPlace>,
    /// How many questions of one asker are handed over within 24 hours.
    pub most_in_a_day: u32,
    /// Where browsers reach this server; none where nobody said so.
    pub public_url: Option<String>,
}

/// A place that questions are handed to.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct HandOverPlace {
    /// The name of the tenant whose it is.
    pub tenant: String,
    /// The name that the settings give it.
    pub target: String,
}

impl HandOverRules {
    /// Queues the question of a turn that was routed to somebody who has a place for it. The answer says so only if it is
    /// in the queue; one that cannot be queued is answered all the same.
    pub(crate) async fn queue(&self, store: &Store, engine: &Engine, answer: &mut Answer, record: &mut TurnRecord) {
        let Some(new) = self.of(record) else { return };
        match store.queue_hand_over(&new).await {
            Ok(is_on_its_way) => {
                for answer in [answer, &mut record.answer] {
                    if let Some(to) = &mut answer.route_to {
                        to.handed_over = is_on_its_way;
                    }
                    // The receipt is of what is shown.
                    answer.seal_again(engine.signing_key.now().as_deref());
                }
            }
            Err(error) => tracing::error!(%error, target = new.target, "a question is not handed over to its owner"),
        }
    }

    /// None where nobody is to get the question.
    fn of(&self, record: &TurnRecord) -> Option<NewHandOver> {
        // Beside a refusal somebody is named, and nothing is sent: there is no answer for them to confirm.
        let to = record.answer.route_to.as_ref().filter(|_| record.answer.action == Action::Route)?;
        let owner = to.owner_email.as_ref()?;
        let place = self.targets.get(&(record.tenant, owner.to_lowercase()))?;
        let asker = record.subject.id();
        Some(NewHandOver {
            tenant: record.tenant,
            asker,
            target: place.target.clone(),
            message: HandOver {
                id: hand_over_id(record.tenant, asker, owner, &record.question.query, record.asked_at),
                request_id: record.answer.request_id,
                asked_at: record.asked_at,
                tenant: place.tenant.clone(),
                question: record.question.query.clone(),
                rewritten_question: record.answer.rewritten_question.clone(),
                topic: to.tag.clone(),
                owner: owner.clone(),
                reason: record.answer.why.clone().unwrap_or_else(|| to.reason.clone()),
                found: FoundPassage::of(&record.answer, self.public_url.as_deref()),
                pin: self.pin(record, to),
            },
            most_in_a_day: self.most_in_a_day,
        })
    }

    fn pin(&self, record: &TurnRecord, to: &RouteTarget) -> PinHere {
        let asked = record.answer.rewritten_question.as_deref().unwrap_or(&record.question.query);
        let question: String = asked.chars().take(LONGEST_TRIGGER).collect();
        let url = self.public_url.as_deref();
        // A pair of words can always be written.
        let query = serde_urlencoded::to_string([("question", &question)]).unwrap_or_default();
        let found = FoundPassage::of(&record.answer, None);
        PinHere {
            page: url.map(|url| format!("{url}/#/curating/memory?{query}")),
            endpoint: format!("{}/v1/memory/pins", url.unwrap_or_default()),
            body: PinDraft {
                triggers: vec![question],
                references: found.into_iter().map(|found| Reference::Passage(found.source_id)).collect(),
                // The admin stands in where there is no tag to speak of.
                tags: if to.fallback { Vec::new() } else { vec![to.tag.clone()] },
            },
        }
    }
}
