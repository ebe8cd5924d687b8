//! Figures that are computed from sheets, from the file to the answer and back from its receipt.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a failing assertion is a test's product, in its helpers too")]

#[allow(dead_code, reason = "the rest of it is for the questions of another suite")]
#[path = "ask/world.rs"]
mod world;

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use chrono::DateTime;
use ibidem_engine::ask::Spoken;
use ibidem_engine::policy::shipped_policy;
use ibidem_engine::receipts::{Outcome, Presented, Witnesses, verify};
use ibidem_engine::replay::Replay;
use ibidem_ingest::read::{extract, format_of};
use ibidem_ingest::split::{Limits, split};
use ibidem_ports::catalogue::CataloguePassage;
use ibidem_ports::corpus::{Corpus, KeptDocument, KeptVersion};
use ibidem_ports::embedder::TokenCounter;
use ibidem_testing::fakes::{FakeCatalogue, FakeEmbedder, Script};
use ibidem_words::{Action, DocumentId, Identity, PassageKey, PublicKey, PublicKeys, Reason, Sha256Hash, Tag};
use uuid::Uuid;

use world::{TAG, World};

const SHEETS: [&str; 8] =
    ["tariffs.xlsx", "budget.xlsx", "lager.ods", "fees.csv", "travel.tsv", "urlaub.csv", "readings.csv", "mixed.csv"];

/// What the answer says and from where; or that there is none.
enum Expected {
    Exact(&'static str, &'static str),
    /// The rows whose words begin so, in this order.
    Rows(&'static str, &'static [&'static str]),
    /// It is refused or asked back as no figure, and this stands in the reason.
    NotComputed(&'static str),
    /// It is no question for a figure, and goes on as any other.
    GoesOn,
}
use Expected::{Exact, GoesOn, NotComputed, Rows};

const QUESTIONS: &[(&str, Expected)] = &[
    ("What is the sum of the monthly prices?", Exact("344.40 EUR", "of 7: Tariffs!B4:B10")),
    ("What is the average monthly price?", Exact("49.20 EUR", "of 7: Tariffs!B4:B10")),
    ("How many products cost at least 45 EUR per month?", GoesOn),
    ("Which product has the highest monthly price?", Rows("69.90 EUR (of 7: Tariffs!B4:B10", &["Fibre 1000 — "])),
    ("How many products are in region North?", Exact("Region: North: 3", "of 3: Tariffs!A4:A5, A9")),
    ("What is the lowest setup price?", Rows("0.00 EUR", &["Cable 250 — ", "Cable 1000 — "])),
    ("Sum of setup prices for products with a monthly price under 45", Exact("147.00 EUR", "of 4: Tariffs!C4:C7")),
    (
        "Which products have a monthly price between 40 and 50?",
        Rows("3 of 7 rows", &["DSL 250 — ", "Cable 250 — ", "Fibre 500 — "]),
    ),
    ("Top 2 products by monthly price", Rows("The first 2, by Price Monthly", &["Fibre 1000 — ", "Cable 1000 — "])),
    ("What is the average price in the price list 2027?", NotComputed("several tables")),
    ("How many devices have a weight over 0.3 kg?", Exact("Weight (kg) above 0.3: 2", "of 2: Hardware!A2:A3")),
    ("What is the total weight of all devices?", Exact("1.475 kg", "of 4: Hardware!C2:C5")),
    ("What is the average price of the devices?", Exact("92.8 EUR", "of 3: Hardware!B2:B4")),
    ("Which device is the newest?", NotComputed("more than one step")),
    (
        "How many devices are listed after 2025-01-01?",
        Exact("Listed since above 2025-01-01: 2", "of 2: Hardware!A2:A3"),
    ),
    ("What is the median weight of the devices?", GoesOn),
    ("What is the average monthly price per region?", GoesOn),
    ("What is the average monthly price by region?", NotComputed("more than one step")),
    ("What is the average monthly price of products that are not in North?", GoesOn),
    ("What is the average monthly price in the tariffs of competitors?", NotComputed("“competitors”")),
    ("What is the sum of the planned figures of all departments?", Exact("573000 EUR", "of 4: Spending!B2:B5")),
    ("What is the total spent by all departments?", NotComputed("more than one step")),
    ("What is the total spent of all departments?", NotComputed("Spending!C5")),
    ("Which departments have planned more than 100000?", Rows("2 of 5 rows", &["Sales — ", "Research — "])),
    ("How many departments are there?", Exact("Spending: 4 (", "of 4: Spending!A2:A5")),
    ("Sum of seats in all rooms", Exact(": 40 (", "of 3: Rooms!B2:B4")),
    ("Sum of the rent of all rooms", NotComputed("merged")),
    ("Average seats per room", GoesOn),
    ("Wie hoch ist die Summe der Menge im Lager?", Exact(": 2359 (", "aus 5: Lager!B2:B6")),
    ("Welcher Artikel hat den höchsten Preis?", Rows("12,90 EUR", &["Griff — "])),
    ("Wie viele Artikel kosten mehr als 1 EUR?", Exact("über 1: 3", "aus 3: Lager!A4:A6")),
    ("Was ist der Durchschnitt der Preise am Standort Ulm?", Exact("7,05 EUR", "aus 2: Lager!C4:C5")),
    ("Welche Artikel haben den Standort Kiel?", Rows("2 von 5 Zeilen", &["Schraube M4 — ", "Mutter M4 — "])),
    ("What is the average fee?", NotComputed("row 8")),
    ("What is the highest fee for Children?", Rows("0,10 €", &["Late book (child) — "])),
    ("How many items are in group Adults?", Exact("Group: Adults: 5", "of 5: rows 3–4, rows 6–8")),
    ("Sum of the hotel limit for Norway, Sweden and Denmark", Exact("490 EUR", "of 3: rows 2–4")),
    ("Average daily allowance in the South zone", Exact("41 EUR", "of 3: rows 5–7")),
    ("Which country has the lowest hotel limit?", Rows("110 EUR", &["Portugal — "])),
    (
        "List countries with a daily allowance of at least 54 sorted by hotel limit descending",
        Rows("3 of 6 rows", &["Norway — ", "Sweden — ", "Denmark — "]),
    ),
    ("What is the sum of the hotel limit and the daily allowance?", NotComputed("Several columns")),
    ("Wie viele Urlaubstage haben alle zusammen?", NotComputed("mehr als einen Schritt")),
    ("Was ist die Summe der Resttage in der Abteilung Technik?", Exact(": 21 (", "aus 3: rows 3–4, row 8")),
    ("Wer hat die meisten Resttage?", Rows("12", &["Brandt — "])),
    ("Wie viele Zeilen haben Urlaubstage über 28?", Exact("3 von 6 Zeilen", "row 2, row 4, row 6")),
    ("Wie viele Personen arbeiten in der Technik?", GoesOn),
    ("What is the sum of the readings?", Exact(": 7.035 (", "of 3: rows 2–4")),
    ("What is the sum of the amounts?", NotComputed("decimals")),
];

/// Words and signs, more or less what a tokenizer counts.
struct Words;

impl TokenCounter for Words {
    fn count(&self, text: &str) -> usize {
        2 + text.split_whitespace().map(|word| word.len().div_ceil(3)).sum::<usize>()
    }
}

struct Shelf {
    world: World,
    corpus: Corpus,
    rows: Vec<CataloguePassage>,
}

impl Shelf {
    async fn with(sheets: &[&str]) -> Self {
        let policy = shipped_policy("default").unwrap();
        let world = World::of(Script::CannotBeReached, Vec::new(), Arc::new(FakeEmbedder::new(64, 256)), policy).await;
        let mut shelf = Self { world, corpus: Corpus::new(), rows: Vec::new() };
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../ingest/tests/fixtures/figures");
        for (number, name) in (1..).zip(sheets) {
            shelf.put(number, 1, name, &std::fs::read(folder.join(name)).unwrap(), TAG);
        }
        shelf
    }

    fn put(&mut self, number: u128, version: u32, name: &str, bytes: &[u8], tag: &str) {
        let read = extract(bytes, format_of(Path::new(name)).unwrap()).unwrap();
        let title = read.title.clone().unwrap_or_else(|| name.split('.').next().unwrap().to_owned());
        let document = DocumentId(Uuid::from_u128(number << 64));
        let tags: Vec<Tag> = vec![tag.parse().unwrap()];
        for (chunk_index, passage) in (0..).zip(split(&read, &title, &Words, &Limits::of_window(256)).unwrap()) {
            let shelved = CataloguePassage {
                passage: PassageKey { document, version, chunk_index },
                collection: "Sheets".parse().unwrap(),
                kind: None,
                title: title.clone(),
                address: None,
                source_location: name.to_owned(),
                updated_at: DateTime::UNIX_EPOCH,
                section: passage.section,
                page: None,
                span: passage.span,
                text: passage.text,
                above: passage.above,
                validity: Default::default(),
                tokens: passage.tokens,
                document_sha256: Sha256Hash::of(read.text.as_bytes()),
            };
            self.rows.push(shelved.clone());
            self.world.catalogue.put(self.world.tenant, tags.clone(), shelved);
        }
        let kept = KeptVersion { title, text: read.text, updated_at: DateTime::UNIX_EPOCH };
        let known = self.corpus.entry(document).or_insert_with(|| KeptDocument {
            current_version: version,
            address: None,
            is_removed: false,
            versions: BTreeMap::new(),
        });
        known.current_version = version;
        known.versions.insert(version, kept);
    }

    async fn ask(&self, question: &str) -> Spoken {
        self.world.ask(question).await
    }

    /// What becomes of each stretch of the answer when its receipt is checked.
    async fn verified(&self, spoken: &Spoken) -> Vec<(String, Outcome)> {
        let written = serde_json::to_string(&spoken.answer).unwrap();
        let presented = Presented::parse(&written).unwrap();
        let witnesses = Witnesses {
            keys: &PublicKeys::of(Vec::<PublicKey>::new()),
            corpus: &self.corpus,
            entailment: None,
            vocabulary: None,
        };
        let report = verify(&presented, &witnesses).await;
        report.stretches.into_iter().map(|stretch| (stretch.why, stretch.outcome)).collect()
    }
}

#[tokio::test]
async fn every_figure_is_exact_or_refused() {
    let shelf = Shelf::with(&SHEETS).await;
    let mut wrong = Vec::new();
    for (question, expected) in QUESTIONS {
        let spoken = shelf.ask(question).await;
        let answer = &spoken.answer;
        let receipt = answer.receipt.as_ref().unwrap();
        let computed = receipt.stretches.iter().find(|stretch| stretch.check.computed.is_some());
        let is_right = match expected {
            Exact(figure, cells) => {
                let said = computed.map(|stretch| stretch.text.as_str()).unwrap_or_default();
                answer.action == Action::Cite && said.contains(figure) && said.contains(cells)
            }
            Rows(heading, rows) => {
                let quoted = receipt.stretches.iter().filter(|stretch| stretch.check.by == "verbatim");
                let quoted: Vec<&str> = quoted.map(|stretch| stretch.text.as_str()).collect();
                let said = computed.map(|stretch| stretch.text.as_str()).unwrap_or_default();
                let are_they =
                    quoted.len() == rows.len() && quoted.iter().zip(*rows).all(|(quoted, row)| quoted.starts_with(row));
                answer.action == Action::Cite && said.contains(heading) && are_they
            }
            NotComputed(why) => {
                answer.reason == Some(Reason::NotComputable) && answer.answer.contains(why) && computed.is_none()
            }
            GoesOn => answer.refused && answer.reason != Some(Reason::NotComputable) && computed.is_none(),
        };
        if !is_right {
            wrong.push(format!("{question}\n    {:?} {:?}: {}", answer.action, answer.reason, answer.answer));
            continue;
        }
        // What was said holds when the receipt is checked, and is decided again from its record.
        for (why, outcome) in shelf.verified(&spoken).await {
            assert_eq!(outcome, Outcome::Holds, "{question}: {why}");
        }
    }
    assert!(wrong.is_empty(), "{} of {}:\n{}", wrong.len(), QUESTIONS.len(), wrong.join("\n"));
    assert!(QUESTIONS.len() >= 40);
}

const PRICES: &str = "Product;Monthly (EUR)\nDSL;34,90\nCable;39,90\nFibre;89,90\n";

async fn shelf_of_prices() -> Shelf {
    let mut shelf = Shelf::with(&[]).await;
    shelf.put(1, 1, "prices.csv", PRICES.as_bytes(), TAG);
    shelf
}

#[tokio::test]
async fn a_table_that_is_hidden_changes_no_byte_of_an_answer() {
    let question = "What is the sum of the monthly figures?";
    let alone = shelf_of_prices().await;
    let mut beside = shelf_of_prices().await;
    for (number, name) in [(7, "prices.csv"), (8, "monthly.csv")] {
        beside.put(number, 1, name, b"Product;Monthly (EUR)\nSecret;1,00\nOther;2,00\n", "of-others");
    }
    for question in [question, "Which products have a monthly figure under 3?", "How many products are there?"] {
        let [one, other] = [alone.ask(question).await.answer, beside.ask(question).await.answer]
            .map(|answer| serde_json::to_string(&ibidem_words::Answer { generation_time_ms: 0, ..answer }).unwrap());
        assert_eq!(one, other, "{question}");
    }
    assert!(alone.ask(question).await.answer.answer.contains("164,70 EUR"));
}

#[tokio::test]
async fn of_two_tables_the_asker_says_which_one_and_the_offers_settle_it() {
    let mut shelf = shelf_of_prices().await;
    shelf.put(2, 1, "competitors.csv", PRICES.replace("34,90", "30,90").as_bytes(), TAG);
    let answer = shelf.ask("What is the sum of the monthly figures?").await.answer;
    assert_eq!((answer.action, answer.reason), (Action::Clarify, Some(Reason::NotComputable)));
    assert!(answer.answer.contains("“competitors”, “prices”"), "{}", answer.answer);
    assert_eq!(answer.suggestions.len(), 2);
    let sums = ["160,70 EUR", "164,70 EUR"];
    for (offer, sum) in answer.suggestions.iter().zip(sums) {
        let answer = shelf.ask(offer).await.answer;
        assert!(answer.answer.contains(sum), "{offer}: {}", answer.answer);
    }
}

#[tokio::test]
async fn a_figure_holds_as_long_as_its_table_stands() {
    let mut shelf = shelf_of_prices().await;
    let spoken = shelf.ask("What is the sum of the monthly figures?").await;
    assert_eq!(spoken.answer.citations[0].cells.as_deref(), Some("rows 2–4"));
    let outcome = async |shelf: &Shelf| shelf.verified(&spoken).await[0].1;
    assert_eq!(outcome(&shelf).await, Outcome::Holds);
    shelf.put(1, 2, "prices.csv", format!("Prices of 2028;\n{PRICES}").as_bytes(), TAG);
    assert_eq!(outcome(&shelf).await, Outcome::StillSays);
    shelf.put(1, 3, "prices.csv", PRICES.replace("89,90", "79,90").as_bytes(), TAG);
    assert_eq!(outcome(&shelf).await, Outcome::Changed);
    assert!(shelf.ask("What is the sum of the monthly figures?").await.answer.answer.contains("154,70 EUR"));
}

#[tokio::test]
async fn a_figure_that_is_not_that_of_its_cells_is_not_believed() {
    let shelf = shelf_of_prices().await;
    let spoken = shelf.ask("What is the sum of the monthly figures?").await;
    let receipt = spoken.answer.receipt.clone().unwrap();
    let outcome = async |change: fn(&mut ibidem_words::Stretch)| {
        let mut receipt = receipt.clone();
        change(&mut receipt.stretches[0]);
        // Sealed again, as somebody does who can write digests and no signature.
        let text = receipt.text();
        receipt.answer_sha256 = Sha256Hash::of(text.as_bytes());
        let presented = Presented::parse(&serde_json::to_string(&receipt.sealed()).unwrap()).unwrap();
        let witnesses = Witnesses {
            keys: &PublicKeys::of(Vec::<PublicKey>::new()),
            corpus: &shelf.corpus,
            entailment: None,
            vocabulary: None,
        };
        verify(&presented, &witnesses).await.stretches[0].outcome
    };
    assert_eq!(outcome(|_| {}).await, Outcome::Holds);
    assert_eq!(
        outcome(|stretch| {
            stretch.text = stretch.text.replace("164,70", "999,00");
            stretch.check.computed.as_mut().unwrap().figure = "999,00 EUR".to_owned();
        })
        .await,
        Outcome::Unsupported
    );
    assert_eq!(outcome(|stretch| stretch.text = stretch.text.replace("164,70", "999,00")).await, Outcome::Unsupported);
    assert_eq!(outcome(|stretch| stretch.check.computed.as_mut().unwrap().cells = 2).await, Outcome::Unsupported);
    assert_eq!(
        outcome(|stretch| stretch.check.computed.as_mut().unwrap().column = Some(9)).await,
        Outcome::Unsupported
    );
    assert_eq!(outcome(|stretch| stretch.check.computed.as_mut().unwrap().table.end -= 3).await, Outcome::Unsupported);
    assert_eq!(outcome(|stretch| stretch.check.computed = None).await, Outcome::NotChecked);
}

#[tokio::test]
async fn a_decision_for_a_figure_is_made_again_from_its_record() {
    let shelf = shelf_of_prices().await;
    let identity = Identity::for_tests(shelf.world.tenant, "s", [TAG.parse().unwrap()].into());
    for question in ["What is the sum of the monthly figures?", "What is the sum of the monthly figures by product?"] {
        let (answer, record) = shelf.world.turn(&identity, question).await;
        let again = Replay::under(&shelf.world.policy).unwrap().again(&record.decision);
        assert!(again.is_as_recorded(&record.decision), "{question}: {}", answer.answer);
        assert!(record.decision.trace.iter().any(|gate| gate.gate == "figures"));
    }
}

#[tokio::test]
async fn rows_that_are_not_all_there_are_not_computed_with() {
    let mut shelf = shelf_of_prices().await;
    let missing = shelf.rows.remove(1);
    let only_some = FakeCatalogue::default();
    for passage in &shelf.rows {
        only_some.put(shelf.world.tenant, vec![TAG.parse().unwrap()], passage.clone());
    }
    shelf.world.engine.parts.searcher.catalogue = Arc::new(only_some);
    let answer = shelf.ask("What is the sum of the monthly figures?").await.answer;
    assert_eq!(answer.reason, Some(Reason::NotComputable), "{missing:?}: {}", answer.answer);
    assert!(answer.answer.contains("not every cell"), "{}", answer.answer);
}
