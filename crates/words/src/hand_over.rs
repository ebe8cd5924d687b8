//! A question on its way to somebody who may know the answer, with what was found.

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use super::{Answer, CitedSource, DocumentId, Reference, SourceId, SubjectId, TenantId};

/// What an owner gets: the body of a webhook, and what a message is written from. It holds what the asker was shown and
/// nothing more, and it does not say who asked.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct HandOver {
    /// The same however often it is sent.
    pub id: Uuid,
    /// Identifies the answer that the asker got.
    pub request_id: Uuid,
    pub asked_at: DateTime<Utc>,
    /// The tenant's name.
    pub tenant: String,
    pub question: String,
    /// The question as it was searched for, where it went on with an earlier one.
    pub rewritten_question: Option<String>,
    /// Names the tag that the question seems to be about.
    pub topic: String,
    /// Whom the question goes to: the e-mail address of the topic's owner, or of the admin.
    pub owner: String,
    /// Why the question was not answered.
    pub reason: String,
    /// Passages that the asker was shown, or told of as the nearest. It holds no text of them.
    pub found: Vec<FoundPassage>,
    pub pin: PinHere,
}

/// A passage that was found.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct FoundPassage {
    pub source_id: SourceId,
    pub document_id: DocumentId,
    /// What the document is called.
    pub title: String,
    pub section: Option<String>,
    /// What people call the document by.
    pub address: Option<String>,
    /// The page that shows the passage; where nobody said where the pages are, its place in the API.
    pub link: String,
    /// Why it is no answer; null of a passage that a draft cites.
    pub why: Option<String>,
}

/// How the owner answers for everybody who asks this again.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct PinHere {
    /// Where a curator pins sources to this question. Null where nobody set the address of the pages.
    pub page: Option<String>,
    /// Where the same is done by the API, with the `body` below, after a look at its references.
    pub endpoint: String,
    pub body: PinDraft,
}

/// A pin as the API takes it.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct PinDraft {
    pub triggers: Vec<String>,
    /// What was found. It is a suggestion: the owner knows which of it answers.
    pub references: Vec<Reference>,
    pub tags: Vec<String>,
}

/// Makes the id of a hand-over. It is the same for the same question of the same asker to the same owner on the same
/// day, so that asking again sends nothing twice.
pub fn hand_over_id(tenant: TenantId, asker: SubjectId, owner: &str, question: &str, at: DateTime<Utc>) -> Uuid {
    let question = question.split_whitespace().collect::<Vec<_>>().join(" ").to_lowercase();
    let name = format!("hand-over\0{asker}\0{owner}\0{}\0{question}", at.date_naive());
    Uuid::new_v5(&tenant.0, name.as_bytes())
}

impl FoundPassage {
    /// The passages that an answer shows or names, each once.
    pub fn of(answer: &Answer, public_url: Option<&str>) -> Vec<Self> {
        let link = |source: SourceId| public_url.map_or_else(|| source.link(), |url| format!("{url}{}", source.page()));
        let cited = answer.citations.iter().filter_map(|citation| {
            let CitedSource::Passage(source_id) = citation.source_id else { return None };
            Some(Self {
                source_id,
                document_id: source_id.document,
                title: citation.document_name.clone(),
                section: citation.section.clone(),
                address: citation.address.clone(),
                link: link(source_id),
                why: None,
            })
        });
        let nearest = answer.nearest.iter().filter_map(|miss| {
            let CitedSource::Passage(source_id) = miss.source_id else { return None };
            Some(Self {
                source_id,
                document_id: source_id.document,
                title: miss.title.clone(),
                section: miss.section.clone(),
                address: miss.address.clone(),
                link: link(source_id),
                why: Some(miss.why.clone()),
            })
        });
        let mut found: Vec<Self> = Vec::new();
        for one in cited.chain(nearest) {
            if !found.iter().any(|known| known.source_id == one.source_id) {
                found.push(one);
            }
        }
        found
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Subject;

    #[test]
    fn the_id_is_of_asker_owner_question_and_day() {
        let tenant = TenantId::named("acme");
        let anna = Subject::of_key(Uuid::from_u128(1), "anna".to_owned()).id();
        let ben = Subject::of_key(Uuid::from_u128(2), "ben".to_owned()).id();
        let at = "2026-05-04T09:00:00Z".parse().unwrap();
        let evening = "2026-05-04T23:59:00Z".parse().unwrap();
        let next_day = "2026-05-05T00:00:00Z".parse().unwrap();
        let id = hand_over_id(tenant, anna, "hr@example.org", "Who pays?", at);
        assert_eq!(id, hand_over_id(tenant, anna, "hr@example.org", " who  pays?\n", evening));
        for other in [
            hand_over_id(TenantId::named("other"), anna, "hr@example.org", "Who pays?", at),
            hand_over_id(tenant, ben, "hr@example.org", "Who pays?", at),
            hand_over_id(tenant, anna, "it@example.org", "Who pays?", at),
            hand_over_id(tenant, anna, "hr@example.org", "Who paid?", at),
            hand_over_id(tenant, anna, "hr@example.org", "Who pays?", next_day),
        ] {
            assert_ne!(id, other);
        }
    }
}
