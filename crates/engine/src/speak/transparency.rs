//! What the asker should know about how an answer came about.

use chrono::{DateTime, Days, Utc};

use crate::policy::Policy;
use crate::words::{Citation, ConfidenceLevel, RetrievalQuality, Transparency};

pub(super) fn transparency(quality: &RetrievalQuality) -> Transparency {
    let statement = if quality.degraded {
        Some(format!(
            "A simplified search was used ({}); results may be less comprehensive.",
            quality.fallback_reasons.join(", ")
        ))
    } else if quality.confidence_level == ConfidenceLevel::Low {
        Some("Limited relevant information was found; rephrasing the question may help.".to_owned())
    } else {
        None
    };
    Transparency { show_to_user: statement.is_some(), statement }
}

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
