//! Warnings about sources that were not updated for long.

use chrono::{DateTime, Days, Utc};
use ibidem_words::Citation;

use crate::policy::Policy;

/// A warning for each cited document that was not updated for longer than the policy likes, once each.
pub(super) fn stale(policy: &Policy, citations: &[Citation], now: DateTime<Utc>) -> Vec<String> {
    let Some(days) = policy.rules.speak.stale_after_days else { return Vec::new() };
    let Some(oldest) = now.checked_sub_days(Days::new(days.into())) else { return Vec::new() };
    let mut documents = Vec::new();
    let mut warnings = Vec::new();
    for citation in citations.iter().filter(|citation| citation.updated_at < oldest) {
        if documents.contains(&citation.document_id) {
            continue;
        }
        documents.push(citation.document_id);
        let date = citation.updated_at.format("%Y-%m-%d").to_string();
        let filled = policy.rules.wording.stale.replace("{version}", &citation.version.to_string());
        warnings.push(filled.replace("{date}", &date).replace("{title}", &citation.document_name));
    }
    warnings
}

#[cfg(test)]
mod tests {
    use uuid::Uuid;

    use super::*;
    use ibidem_words::{CharSpan, CitedSource, DocumentId, PassageKey, Sha256Hash};

    const HANDBOOK: &str = include_str!("../../../../policies/handbook.yaml");

    fn citation(document: u128, updated: &str) -> Citation {
        let key = PassageKey { document: DocumentId(Uuid::from_u128(document)), version: 3, chunk_index: 0 };
        Citation {
            marker: 1,
            source_id: CitedSource::Passage(key.source_id()),
            document_id: key.document.0,
            document_name: "Travel".to_owned(),
            version: 3,
            updated_at: updated.parse().unwrap(),
            chunk_index: 0,
            page_number: None,
            section: None,
            cells: None,
            relevance_score: 0.5,
            snippet: String::new(),
            snippet_full: String::new(),
            span: CharSpan { start: 0, end: 1 },
            document_sha256: Sha256Hash::of(b"travel"),
            address: None,
            collection: None,
            file: None,
            link: None,
            status: None,
            replaced_by: Vec::new(),
            tool: None,
        }
    }

    #[test]
    fn a_document_that_was_not_updated_for_longer_than_the_policy_likes_is_named_once() {
        let policy = Policy::parse(HANDBOOK).unwrap();
        let now = "2026-07-03T00:00:00Z".parse().unwrap();
        let at = |updated: &str| stale(&policy, &[citation(1, updated), citation(1, updated)], now);
        assert_eq!(at("2026-01-01T00:00:00Z"), Vec::<String>::new(), "183 days are not more than 183");
        let warned = ["Travel (version 3) was last updated on 2025-12-31."];
        assert_eq!(at("2025-12-31T23:59:59Z"), warned);
        let never = Policy::parse(&HANDBOOK.replace("stale_after_days: 183", "stale_after_days: null")).unwrap();
        assert!(stale(&never, &[citation(1, "1970-01-01T00:00:00Z")], now).is_empty());
    }
}
