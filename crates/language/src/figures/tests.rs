use proptest::prelude::*;

use super::FindingKind::{
    Comparison, Date, Entity, Identifier, Merged, Modality, Negation, Number, Quantifier, Quotation, Unit,
};
use super::*;

fn kinds(sentence: &str, passage: &str) -> Vec<FindingKind> {
    let mut kinds: Vec<_> = check(sentence, &[passage]).into_iter().map(|finding| finding.kind).collect();
    kinds.dedup();
    kinds
}

/// All cases at once, so that one run shows everything that is wrong.
fn all_are(cases: &[(&str, &str, &[FindingKind])]) {
    let wrong: Vec<String> = cases
        .iter()
        .filter(|(sentence, passage, expected)| {
            let found = kinds(sentence, passage);
            let right =
                if expected.is_empty() { found.is_empty() } else { expected.iter().any(|kind| found.contains(kind)) };
            !right
        })
        .map(|(sentence, passage, expected)| {
            format!("{sentence}\n  from: {passage}\n  expected {expected:?}, found {:#?}", check(sentence, &[passage]))
        })
        .collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn numbers_are_the_same_however_they_are_written() {
    all_are(&[
        ("It holds 1000 rows.", "It holds 1,000 rows.", &[]),
        ("It holds 1 000 rows.", "It holds 1,000 rows.", &[]),
        ("It holds 1\u{202f}000 rows.", "It holds 1000 rows.", &[]),
        ("It holds 1\u{a0}000\u{a0}000 rows.", "It holds one million rows.", &[]),
        ("It holds 1'000 rows.", "It holds 1000 rows.", &[]),
        ("It holds a thousand rows.", "It holds 1,000 rows.", &[]),
        ("It holds three hundred rows.", "It holds 300 rows.", &[]),
        ("It holds three hundred and five rows.", "It holds 305 rows.", &[]),
        ("It holds twenty-one rows.", "It holds 21 rows.", &[]),
        ("It holds 1.5 million rows.", "It holds 1,500,000 rows.", &[]),
        ("It holds two dozen rows.", "It holds 24 rows.", &[]),
        ("It took two and a half hours.", "It took 2.5 hours.", &[]),
        ("It costs 5.0 credits.", "It costs 5 credits.", &[]),
        ("Both nodes restart.", "The two nodes restart.", &[]),
        ("The two nodes restart.", "Both nodes restart.", &[]),
        ("It happens in the 2nd phase.", "It happens in the second phase.", &[]),
        ("Half of the requests fail.", "50 % of the requests fail.", &[]),
        ("Der Preis ist 1.000,5 Euro.", "Der Preis beträgt 1.000,5 Euro.", &[]),
        ("It holds 1,001 rows.", "It holds 1,000 rows.", &[Number]),
        ("It holds 10,000 rows.", "It holds 1,000 rows.", &[Number]),
        ("It holds 1.5 million rows.", "It holds 1.5 billion rows.", &[Number]),
        ("It holds four hundred rows.", "It holds three hundred rows.", &[Number]),
        ("It is at -5 degrees.", "It is at 5 degrees.", &[Number]),
        ("There are three steps: plan, build and run.", "The steps are plan, build and run.", &[Number]),
        ("It fails after the third attempt.", "It fails after the second attempt.", &[Number]),
    ]);
}

#[test]
fn a_number_needs_its_own_unit() {
    all_are(&[
        ("The range is 5 kilometres.", "The range is 5 km.", &[]),
        ("The range is 5 kilometers.", "The range is 5 kilometres.", &[]),
        ("The timeout is 200 milliseconds.", "The timeout is 200ms.", &[]),
        ("The disk has 10 gigabytes.", "The disk has 10 GB.", &[]),
        ("Keep it at 5 degrees Celsius.", "Keep it at 5 °C.", &[]),
        ("Growth was 5 percent.", "Growth was 5 %.", &[]),
        ("Growth was 5 per cent.", "Growth was 5%.", &[]),
        ("It costs 500 euros.", "It costs €500.", &[]),
        ("It costs EUR 500.", "It costs 500 €.", &[]),
        ("It costs $3 million.", "It costs $3m.", &[]),
        ("A 30-day period applies.", "A period of 30 days applies.", &[]),
        ("It takes 5 to 10 minutes.", "It takes 5–10 minutes.", &[]),
        ("It takes at least 5 minutes.", "It takes 5–10 minutes.", &[]),
        ("The drive does 100 kilometres per hour.", "The drive does 100 km/h.", &[]),
        ("The limit is 200 requests per minute.", "The limit is 200 requests/min.", &[]),
        ("It runs within one hour.", "It runs within an hour.", &[]),
        ("The timeout is 500 ms.", "Timeout in ms: 500", &[]),
        ("The range is 5 miles.", "The range is 5 km.", &[Unit]),
        ("The range is 5 km.", "The range is 5 steps of 1 km.", &[Unit]),
        ("The timeout is 200 seconds.", "The timeout is 200 ms.", &[Unit]),
        ("The disk has 10 TB.", "The disk has 10 GB.", &[Unit]),
        ("The disk has 10 GiB.", "The disk has 10 GB.", &[Unit]),
        ("It costs 500 dollars.", "It costs €500.", &[Unit]),
        ("Growth was 5 percentage points.", "Growth was 5 percent.", &[Unit]),
        ("The limit is 200 requests per second.", "The limit is 200 requests per minute.", &[Unit]),
        ("Answers come within 5 days.", "Answers come within 5 working days.", &[Unit]),
        ("It runs within an hour.", "It runs within a day.", &[Unit]),
        ("It has 4,000 words.", "It has 4,000 characters.", &[Unit]),
        ("The range is 5000 m.", "The range is 5 km.", &[Number]),
    ]);
}

#[test]
fn dates_and_times_are_the_same_however_they_are_written() {
    all_are(&[
        ("It ends on November 14, 2026.", "It ends on 2026-11-14.", &[]),
        ("It ends on 14 Nov 2026.", "It ends on 14.11.2026.", &[]),
        ("It ends on the 14th of November 2026.", "It ends on Nov. 14, 2026.", &[]),
        ("It ends in November 2026.", "It ends on 14/11/2026.", &[]),
        ("It ends in 2026.", "It ends on 14 November 2026.", &[]),
        ("It ends on 3 April 2026.", "It ends on 03/04/2026.", &[]),
        ("It ends on March 4, 2026.", "It ends on 03/04/2026.", &[]),
        ("It ends in the third quarter of 2026.", "It ends in Q3 2026.", &[]),
        ("It opens at 8 am.", "It opens at 08:00.", &[]),
        ("It closes at 5:30 p.m.", "It closes at 17:30.", &[]),
        ("It opens at noon.", "It opens at 12:00.", &[]),
        ("It runs on Mondays.", "It runs every Monday.", &[]),
        ("It ends on 15 November 2026.", "It ends on 2026-11-14.", &[Date]),
        ("It ends on 14 December 2026.", "It ends on 2026-11-14.", &[Date]),
        ("It ends on 14 November 2027.", "It ends on 2026-11-14.", &[Date]),
        ("It ends in October 2026.", "It ends in November 2026.", &[Date]),
        ("It ended in 2025.", "It ended in 2026.", &[Number]),
        ("It ends on 14 November.", "It ends in November 2026.", &[Date]),
        ("It opens at 8 pm.", "It opens at 8 am.", &[Date]),
        ("It runs on Tuesdays.", "It runs every Monday.", &[Date]),
        ("It ends in Q4 2026.", "It ends in Q3 2026.", &[Date]),
    ]);
}

#[test]
fn identifiers_are_compared_whole() {
    all_are(&[
        ("ADR 31 says so.", "See ADR-0031.", &[]),
        ("adr-0031 says so.", "See ADR-0031.", &[]),
        ("It follows RFC 9457.", "Errors follow RFC 9457 problem documents.", &[]),
        ("Release v1.2.3 fixes it.", "It is fixed in 1.2.3.", &[]),
        ("Edit config.yaml first.", "First edit `config.yaml`.", &[]),
        ("It listens on 10.0.0.1.", "The address is 10.0.0.1.", &[]),
        ("See https://example.org/docs.", "Read https://example.org/docs/ for more.", &[]),
        ("Set `max_size` to 5.", "Set max_size to 5.", &[]),
        ("Servers speak TLS 1.3.", "TLS 1.2 and 1.3 are spoken.", &[]),
        ("ADR-0032 says so.", "See ADR-0031.", &[Identifier]),
        ("It follows RFC 7807.", "Errors follow RFC 9457.", &[Number, Identifier]),
        ("Release v1.2.4 fixes it.", "It is fixed in 1.2.3.", &[Identifier]),
        ("Release v1.2 fixes it.", "It is fixed in 1.2.3.", &[Identifier]),
        ("It needs version 1.10.", "It needs version 1.1.", &[Identifier]),
        ("It listens on 10.0.0.2.", "The address is 10.0.0.1.", &[Identifier]),
        ("Set `min_size` to 5.", "Set max_size to 5.", &[Identifier]),
        ("See https://example.org/help.", "Read https://example.org/docs.", &[Identifier]),
        ("Section 4 applies.", "Section 3 applies to all 4 teams.", &[Identifier]),
    ]);
}

#[test]
fn list_numbers_and_markers_are_no_figures() {
    all_are(&[
        ("1. First plan the work.", "First plan the work, then do it.", &[]),
        ("2) Then do the work.", "First plan the work, then do it.", &[]),
        ("Plan the work.[1][^2]", "First plan the work, then do it.", &[]),
        ("Plan the work.²", "First plan the work, then do it.", &[]),
    ]);
}

#[test]
fn quotations_stand_word_for_word() {
    let passage = "The charter says that every member has one vote and may speak freely.";
    all_are(&[
        ("It says “every member has one vote”.", passage, &[]),
        ("It says \"Every member … may speak freely.\"", passage, &[]),
        ("It says «every member has a vote».", passage, &[Quotation]),
        ("It says \"members vote freely\".", passage, &[Quotation]),
    ]);
}

#[test]
fn names_are_known_to_the_passages() {
    let passage = "The Service Level Agreement with Northwind Energy covers PostgreSQL clusters in Germany.";
    all_are(&[
        ("The SLA covers databases.", passage, &[]),
        ("The agreement is with Northwind.", passage, &[]),
        ("Northwind's clusters are German.", passage, &[]),
        ("The clusters run Postgres.", passage, &[]),
        ("The agreement is with Southwind Energy.", passage, &[Entity]),
        ("The agreement covers Kafka.", passage, &[Entity]),
        ("The SLO covers clusters.", passage, &[Entity]),
        ("The agreement covers clusters in Austria.", passage, &[Entity]),
    ]);
}

#[test]
fn what_is_denied_stays_denied() {
    all_are(&[
        ("Responses are not cached by the gateway.", "The gateway does not cache responses.", &[]),
        ("The gateway doesn't cache responses.", "The gateway never caches responses.", &[]),
        ("Sharing passwords is forbidden.", "Passwords must not be shared.", &[]),
        ("Sharing passwords is not allowed.", "Passwords may not be shared.", &[]),
        ("A receipt is required.", "A receipt is not optional.", &[]),
        ("The plugin is unsupported.", "The plugin is not supported.", &[]),
        ("Tickets are non-refundable.", "Tickets are not refundable.", &[]),
        ("No refunds are given after the start.", "Refunds are not given after the start.", &[]),
        ("Approval is required to deploy.", "Nobody may deploy without approval.", &[]),
        ("Data may be exported only with consent.", "Data must not be exported without consent.", &[]),
        ("The scheduler does not retry jobs that failed.", "Failed jobs are never retried by the scheduler.", &[]),
        ("Unless you pay by 1 May, the booking is cancelled.", "It is cancelled if you do not pay by 1 May.", &[]),
        ("You may leave only after signing out.", "Nobody may leave without signing out first.", &[]),
        ("The committee rejected the proposal.", "The proposal was not accepted by the committee.", &[]),
        ("The gateway caches responses.", "The gateway does not cache responses.", &[Negation]),
        ("The gateway does not cache responses.", "The gateway caches responses.", &[Negation]),
        ("Passwords may be shared.", "Passwords must not be shared.", &[Negation]),
        ("The plugin is supported.", "The plugin is unsupported.", &[Negation]),
        ("The feature is enabled by default.", "The feature is disabled by default.", &[Negation]),
        ("A receipt is optional.", "A receipt is required.", &[Negation]),
        ("A receipt is not required.", "A receipt is required.", &[Negation]),
        ("Overtime is allowed.", "Overtime is prohibited.", &[Negation]),
        ("The job fails to restart the node.", "The job restarts the node.", &[Negation]),
        ("Deployments run without approval.", "Deployments run with approval.", &[Negation]),
        ("The plan includes refunds.", "The plan includes no refunds.", &[Negation]),
        ("We chose Beta rather than Alpha.", "We chose Alpha rather than Beta.", &[Negation]),
    ]);
}

#[test]
fn what_is_allowed_is_not_demanded_and_some_are_not_all() {
    all_are(&[
        ("Staff have to lock the doors.", "Staff must lock the doors.", &[]),
        ("Every node restarts.", "All nodes restart.", &[]),
        ("Access is only possible over VPN.", "Access requires the VPN.", &[]),
        ("Staff may lock the doors.", "Staff must lock the doors.", &[Modality]),
        ("Staff must lock the doors.", "Staff should lock the doors.", &[Modality]),
        ("All nodes restart.", "Some nodes restart.", &[Quantifier]),
        ("Some nodes restart at night.", "All nodes restart at night.", &[Quantifier]),
        ("Only managers see the report.", "Managers see the report.", &[Quantifier]),
    ]);
}

#[test]
fn comparisons_keep_their_direction() {
    all_are(&[
        ("It takes at most 5 minutes.", "It takes no more than 5 minutes.", &[]),
        ("It takes up to 5 minutes.", "It takes not more than five minutes.", &[]),
        ("Sessions last at most 5 hours.", "The maximum session length is 5 hours.", &[]),
        ("Logs must not be kept for more than 30 days.", "Logs are kept for at most 30 days.", &[]),
        ("You need 5 or more votes.", "You need at least 5 votes.", &[]),
        ("Alpha is slower than Beta.", "Beta is faster than Alpha.", &[]),
        ("The review comes after the build.", "The build comes before the review.", &[]),
        ("Apply by 3 May 2026.", "Apply before 3 May 2026.", &[]),
        ("Applicants under 18 are not accepted.", "Applicants must be at least 18 years old.", &[]),
        ("The chimney is not as tall as the tower.", "The tower is taller than the chimney.", &[]),
        ("After five redeliveries it is dropped.", "It is redelivered at most five times.", &[]),
        ("The tower is shorter than the chimney.", "The tower is taller than the chimney.", &[Comparison]),
        ("It takes at least 5 minutes.", "It takes at most 5 minutes.", &[Comparison]),
        ("You need fewer than 5 votes.", "You need more than 5 votes.", &[Comparison]),
        ("Sessions last at least 5 hours.", "The maximum session length is 5 hours.", &[Comparison]),
        ("Logs must be kept for more than 30 days.", "Logs are kept for at most 30 days.", &[Comparison]),
        ("Alpha is slower than Beta.", "Alpha is faster than Beta.", &[Comparison]),
        ("Beta is faster than Alpha.", "Alpha is faster than Beta.", &[Comparison]),
        ("Costs increased in spring.", "Costs decreased in spring.", &[Comparison]),
        ("Backups run after the upgrade.", "Backups run before the upgrade.", &[Comparison]),
        ("The upgrade runs before the backup.", "The backup runs before the upgrade.", &[Comparison]),
        ("Apply after 3 May 2026.", "Apply before 3 May 2026.", &[Comparison]),
        ("The new engine uses more memory.", "The new engine uses less memory.", &[Comparison]),
        ("The first entry wins.", "The last entry wins.", &[Comparison]),
    ]);
}

#[test]
fn a_figure_is_said_of_what_it_belongs_to() {
    let passage = "Access logs are kept for 90 days and then deleted. Audit records of the archive are kept for seven \
                   years.";
    all_are(&[
        ("The access logs are kept for 90 days.", passage, &[]),
        ("Audit records are kept for seven years, access logs for 90 days.", passage, &[]),
        ("Access logs are kept for seven years.", passage, &[Merged]),
        ("Audit records of the archive are kept for 90 days.", passage, &[Merged]),
    ]);
}

#[test]
fn findings_are_explained_in_words() {
    let explained = |sentence, passage| check(sentence, &[passage])[0].to_string();
    assert_eq!(
        explained("The range is 1,000 km.", "The range is 900 km."),
        "1,000 km stands in none of the cited passages"
    );
    assert_eq!(
        explained("It takes at least 5 minutes.", "It takes at most 5 minutes."),
        "the passage says at most 5 minutes, the sentence at least 5 minutes"
    );
    assert_eq!(explained("It takes 5 hours.", "It takes 5 days."), "the passage says 5 days, the sentence 5 hours");
}

/// Sentences of all sorts, for what must hold of every one of them.
const SENTENCES: [&str; 14] = [
    "The gateway does not cache responses larger than 5 MB.",
    "Employees must submit receipts within 30 days of travel.",
    "In November 2026 the board approved ADR-0031 with 7 votes to 2.",
    "No more than 200 requests per minute are allowed for each key.",
    "Release v1.2.3 fixes the timeout of 1,500 ms described in RFC 9457.",
    "Alpha Station is open from 8:00 to 17:30 except on Sundays.",
    "Only managers may approve expenses above €1,000, unless the director is absent.",
    "The third attempt failed, and the job was not retried.",
    "\"Every member has one vote\", says the charter of 14.11.2019.",
    "Roughly 5–10 % of all nodes restart after an upgrade.",
    "1. Edit config.yaml before you start the service.",
    "The new engine is faster than the old one but uses more memory.",
    "It was a bright cold day, and the clocks were striking thirteen.",
    "Neither the log nor the cache is encrypted, although the disk is.",
];

fn passages() -> impl Strategy<Value = (Vec<&'static str>, usize)> {
    let chosen = prop::collection::vec(prop::sample::select(SENTENCES.to_vec()), 1..6);
    chosen.prop_flat_map(|sentences| {
        let count = sentences.len();
        (Just(sentences), 0..count)
    })
}

proptest! {
    #[test]
    fn no_text_makes_it_panic(sentence in ".{0,80}", one in ".{0,160}", other in "[0-9a-zA-Z .,:%€$'–/\\n\"-]{0,160}") {
        check(&sentence, &[&one, &other]);
        check(&other, &[&sentence, &one]);
        check(&other, &[&other, &one]);
    }

    #[test]
    fn a_passages_own_sentence_has_no_findings((sentences, chosen) in passages()) {
        let passage = sentences.join(" ");
        prop_assert_eq!(compare(sentences[chosen], &[&passage]), vec![]);
        prop_assert_eq!(check(sentences[chosen], &[&passage]), vec![]);
    }

    #[test]
    fn any_text_has_no_findings_against_itself(text in "[0-9a-zA-Z .,:;%€$'–/\\n\"-]{0,120}") {
        prop_assert_eq!(check(&text, &[&text]), vec![]);
    }

    #[test]
    fn a_number_from_nowhere_is_always_found((sentences, chosen) in passages(), number in 20_000_u32..99_999, word in 0_usize..20) {
        let passage = sentences.join(" ");
        let mut words: Vec<String> = sentences[chosen].split(' ').map(str::to_owned).collect();
        let place = word % words.len();
        words.insert(place, number.to_string());
        let sentence = words.join(" ");
        prop_assert!(!check(&sentence, &[&passage]).is_empty(), "{}", sentence);
    }

    #[test]
    fn the_order_of_the_passages_does_not_matter((sentences, chosen) in passages(), (others, other) in passages()) {
        let (one, two) = (sentences.join(" "), others.join(" "));
        let mixed = format!("{} {}", others[other], sentences[chosen].replace(" not ", " ").replace('7', "9"));
        let kinds = |passages: &[&str]| -> Vec<FindingKind> {
            check(&mixed, passages).into_iter().map(|finding| finding.kind).collect()
        };
        prop_assert_eq!(kinds(&[&one, &two]), kinds(&[&two, &one]));
    }
}

#[test]
fn german_figures_are_read_as_english_ones_are() {
    all_are(&[
        ("Das Fest ist am 30. Juni.", "Am 30. Juni findet das Fest statt.", &[]),
        ("Das Fest ist am 30. Juli.", "Am 30. Juni findet das Fest statt.", &[FindingKind::Date]),
        ("Der Laden öffnet um 10 Uhr.", "Geöffnet ist der Laden ab 10:00 Uhr.", &[]),
        ("Der Laden öffnet um 11 Uhr.", "Geöffnet ist der Laden ab 10:00 Uhr.", &[FindingKind::Date]),
        ("Die Frist beträgt 14 Tage.", "Eine Frist von vierzehn Tagen gilt.", &[]),
        ("Die Frist beträgt 14 Wochen.", "Eine Frist von vierzehn Tagen gilt.", &[FindingKind::Unit]),
        ("Der Weg ist 1000 Meter lang.", "Lang ist der Weg, 1.000 Meter.", &[]),
        ("Es kostet fünfundzwanzig Euro.", "Kosten: 25 Euro.", &[]),
        ("Es kostet sechsundzwanzig Euro.", "Kosten: 25 Euro.", &[FindingKind::Number]),
        ("Der dritte Weg ist gesperrt.", "Gesperrt sind der 2. und der 3. Weg.", &[]),
        ("Das kostet zehn Prozent mehr.", "Mehr kostet das, 10 %.", &[]),
    ]);
}
