//! Whether turns are recorded, and where the records go.

use chrono::Utc;
use ibidem_store::{Months, Store};

use super::Finding;
use crate::compose;
use crate::settings::{AuditSettings, RecordedTexts, Settings};

pub(super) async fn audit(settings: &Settings, store: &Store) -> Finding {
    if let Err(error) = compose::audit::log(&settings.audit, store) {
        return Finding::broken("audit", format!("{error:#}"), "correct `audit.hash_key_file`");
    }
    match store.audit_months().await {
        Ok(months) => found(&settings.audit, &months, &Utc::now().format("%Y_%m").to_string()),
        Err(error) => Finding::broken("audit", error.to_string(), "run `ibidem migrate`"),
    }
}

fn found(settings: &AuditSettings, months: &Months, this_month: &str) -> Finding {
    let kept = settings.retention_days().map_or_else(|| "for ever".to_owned(), |days| format!("{days} days"));
    let texts = match settings.texts() {
        RecordedTexts::Plain => "plain",
        RecordedTexts::Hashed(_) => "hashed",
    };
    let recorded = if settings.records() { format!("records, {texts}, kept {kept}") } else { "off".to_owned() };
    let found = format!("{recorded}; {} months", months.names.len());
    if settings.records() && !months.names.iter().any(|name| name == this_month) {
        let found = format!("{found}, the current one is missing; {} records are in no month", months.elsewhen);
        return Finding::warning(
            "audit",
            found,
            "a running `ibidem serve` creates it within an hour; no record is lost",
        );
    }
    Finding::ok("audit", found)
}

#[cfg(test)]
mod tests {
    use super::super::State;
    use super::super::tests::settings;
    use super::*;

    #[test]
    fn a_month_that_is_missing_is_said_only_where_something_is_recorded() {
        let [on, off] =
            ["on", "off"].map(|used| settings(&["audit.retention_days=30", &format!("audit.use={used}")]).audit);
        let months = Months { names: vec!["2026_10".to_owned()], elsewhen: 3 };
        let missing = found(&on, &months, "2026_11");
        assert!(
            missing.state == State::Warning && missing.found.contains("3 records are in no month"),
            "{}",
            missing.found
        );
        let there = found(&on, &months, "2026_10");
        assert_eq!(there.found, "records, plain, kept 30 days; 1 months");
        assert!(found(&off, &months, "2026_11").state == State::Ok);
    }
}
