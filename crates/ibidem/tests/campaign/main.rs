//! Every part fails in every way while questions come in: nothing is answered without evidence, nobody waits for ever,
//! and all is well again afterwards.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::print_stderr,
    reason = "all of this is tests"
)]

mod checks;
mod cluster;
#[path = "../common/mod.rs"]
mod common;
mod embedding;
mod faults;
mod handbook;
mod load;
mod page;
mod proxy;
mod replies;
mod servers;
mod table;
mod world;

use std::time::{Duration, Instant};

use common::{installation, setting};
use faults::{Case, Dependency, Fault, alone, named, pairs};
use servers::StackDatabase;
use table::{Outcome, table};
use world::{World, with_world};

/// Decides the questions, what garbage is and which pairs are tried; another one is another campaign.
const SEED: u64 = 20_261_115;

/// Each part, each sort of fault, and a pair, for a moment: what the whole campaign does for longer.
const SLICE: [&[(Dependency, Fault)]; 8] = [
    &[(Dependency::Index, Fault::Kill)],
    &[(Dependency::Embedding, Fault::Slow)],
    &[(Dependency::Model, Fault::Reset)],
    &[(Dependency::Entailment, Fault::Failing)],
    &[(Dependency::Reranker, Fault::Garbage)],
    &[(Dependency::Vocabulary, Fault::Slow)],
    &[(Dependency::Database, Fault::Refuse)],
    &[(Dependency::Index, Fault::Hang), (Dependency::Model, Fault::Refuse)],
];
const SLICE_LENGTH: Duration = Duration::from_secs(2);
/// Half of the whole campaign's: other tests may run beside it.
const SLICE_RATE: u32 = 10;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn whatever_fails_for_a_moment_nothing_is_said_without_evidence_and_all_is_well_again() {
    with_world(SEED, SLICE_RATE, async |world| {
        let cases: Vec<Case> = SLICE.iter().map(|case| case.to_vec()).collect();
        let outcomes = run(world, &cases, SLICE_LENGTH, |_| {}).await;
        assert_nothing_is_wrong(&outcomes);
    })
    .await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[ignore = "minutes to hours: `just lab campaign`"]
async fn the_whole_campaign() {
    let seconds = asked("IBIDEM_CAMPAIGN_SECONDS", "30").parse().unwrap();
    let cases = cases(&asked("IBIDEM_CAMPAIGN_PAIRS", "sample:20"));
    let length = Duration::from_secs(seconds);
    eprintln!("{}", page::expected(cases.len(), length));
    with_world(SEED, rate(), async |world| {
        let began = Instant::now();
        // After each case: a campaign that is ended leaves what it had.
        let write = |outcomes: &[Outcome]| {
            if let Ok(path) = std::env::var("IBIDEM_CAMPAIGN_PAGE") {
                std::fs::write(path, page::page(outcomes, length, began.elapsed())).unwrap();
            }
        };
        let outcomes = run(world, &cases, length, write).await;
        assert_nothing_is_wrong(&outcomes);
    })
    .await;
}

/// Questions a second.
fn rate() -> u32 {
    asked("IBIDEM_CAMPAIGN_RATE", "20").parse().unwrap()
}

fn asked(name: &str, usual: &str) -> String {
    std::env::var(name).unwrap_or_else(|_| usual.to_owned())
}

/// Every fault alone, and as many pairs as are asked for. A database that others use too is not killed.
fn cases(wanted: &str) -> Vec<Case> {
    let pairs = pairs(SEED);
    let most = match wanted {
        "all" => pairs.len(),
        "none" => 0,
        sample => sample.strip_prefix("sample:").and_then(|most| most.parse().ok()).expect("all, none or sample:K"),
    };
    let kills_database = |case: &Case| case.contains(&(Dependency::Database, Fault::Kill));
    let may_be_run = |case: &Case| StackDatabase::may_be_killed() || !kills_database(case);
    // To look at one of them again.
    let only = asked("IBIDEM_CAMPAIGN_ONLY", "");
    let is_chosen = |case: &Case| may_be_run(case) && named(case).contains(&only);
    alone().into_iter().filter(is_chosen).chain(pairs.into_iter().filter(is_chosen).take(most)).collect()
}

/// How often a case is tried again where a part that is well was late.
const MOST_AGAIN: usize = 2;

async fn run(world: &World<'_>, cases: &[Case], length: Duration, write: impl Fn(&[Outcome])) -> Vec<Outcome> {
    assert!(world.is_well_again().await.is_some(), "it is not well before anything is wrong");
    let mut outcomes = Vec::new();
    for (number, case) in (0..).zip(cases) {
        let mut again = 0;
        let outcome = loop {
            let began = Instant::now();
            let outcome = world.run(number, case, length).await;
            let (asked, wrong) = (outcome.seen.len(), outcome.problems.len());
            eprintln!("{:.1?} {}: {asked} asked, {wrong} wrong", began.elapsed(), named(case));
            for problem in outcome.problems.iter().take(3) {
                eprintln!("    {}", problem.what);
            }
            let may_be_the_machines = outcome.problems.iter().all(|problem| problem.may_be_the_machines);
            if wrong == 0 || again == MOST_AGAIN || !may_be_the_machines {
                break Outcome { again, ..outcome };
            }
            again += 1;
        };
        outcomes.push(outcome);
        write(&outcomes);
    }
    eprintln!("{}", table(&outcomes));
    outcomes
}

fn assert_nothing_is_wrong(outcomes: &[Outcome]) {
    let wrong: Vec<String> = outcomes.iter().filter(|it| !it.problems.is_empty()).map(|it| named(&it.case)).collect();
    assert!(wrong.is_empty(), "wrong in {wrong:?}; what was wrong is above");
}
