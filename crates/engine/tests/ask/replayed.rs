//! Decisions made again from their records: they come to the same, and under other thresholds to the same flips as
//! asking again.

use std::sync::Arc;

use ibidem_engine::listener::Nobody;
use ibidem_engine::policy::{Gate, Policy};
use ibidem_engine::replay::{Again, Change, Decided, Replay, restored_candidate};
use ibidem_ports::degrade::Part;
use ibidem_ports::records::DecisionRecord;
use ibidem_testing::fakes::{FakeEmbedder, FakeReranker, Script};
use ibidem_words::{Action, GateRecord, Identity, Question, Reason, SimilarityScale, Verdict, as_shown};

use crate::world::{BOOK, Book, TAG, World};
use crate::{breaks_off_after, says};

pub(crate) const POLICIES: [&str; 6] = [
    include_str!("../../../../policies/architecture.yaml"),
    BOOK,
    include_str!("../../../../policies/default.yaml"),
    include_str!("../../../../policies/handbook.yaml"),
    include_str!("../../../../policies/lectures.yaml"),
    include_str!("../../../../policies/support.yaml"),
];
const WORDS: [&str; 14] = [
    "gearbox", "oil", "litres", "pump", "valve", "yearly", "pressure", "seal", "bearing", "filter", "coolant", "belt",
    "chapel", "ceiling",
];

/// Numbers that look like chance, and are the same on every machine.
pub(crate) struct Dice(pub(crate) u64);

impl Dice {
    pub(crate) fn below(&mut self, end: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(self.0 >> 33).unwrap() % end
    }

    pub(crate) fn words(&mut self, count: usize) -> String {
        (0..count).map(|_| WORDS[self.below(WORDS.len())]).collect::<Vec<_>>().join(" ")
    }
}

pub(crate) fn scripts() -> [Script; 5] {
    [
        says(&["The gearbox holds oil.[^1] The pump has a valve.[^2] The seal is blue."]),
        says(&["The notes say that the pump holds oil.[^1] Nothing is cited here."]),
        says(&["There is no source for this."]),
        breaks_off_after("The gearbox oil is changed yearly.[^1] And th"),
        Script::CannotBeReached,
    ]
}

async fn world(dice: &mut Dice, script: Script, policy: &str) -> World {
    world_of(FakeEmbedder::new(64, 256), dice, script, policy).await
}

async fn world_of(embedder: FakeEmbedder, dice: &mut Dice, script: Script, policy: &str) -> World {
    let books = (0..30).map(|number| {
        let words = dice.words(4 + number % 5);
        let collection = ["ADR", "Policy", "Book"][number % 3].to_owned();
        Book { collection, ..Book::of(&format!("The {words}.")) }
    });
    World::of(script, books.collect(), Arc::new(embedder), policy).await
}

async fn decision(world: &World, policy: &Arc<Policy>, question: Question) -> DecisionRecord {
    let tags = [TAG.parse().unwrap()].into();
    let identity = Identity::for_tests(world.tenant, "s", tags);
    let mut asked = world.asked(question);
    asked.policy = policy.clone();
    let (_, record) = world.engine.turn(&identity, asked, &mut Nobody).await.unwrap();
    // As it comes back from wherever it was kept.
    serde_json::from_str(&serde_json::to_string(&record.decision).unwrap()).unwrap()
}

fn question(dice: &mut Dice) -> Question {
    let count = 1 + dice.below(5);
    Question::new(dice.words(count)).with_context_chunks(1 + dice.below(8))
}

/// The same policy with numbers that are stricter, or laxer, by a share.
fn turned(policy: &Policy, by: f64) -> Policy {
    let mut turned = policy.clone();
    for gate in &mut turned.rules.sift.gates {
        match gate {
            Gate::NoiseFloor(floor) => {
                floor.reranked *= by;
                floor.otherwise *= by;
            }
            Gate::MinSimilarity(least) => least.0 *= by,
            Gate::Top1Similarity(least) => least.0 *= by,
            Gate::RetrievalConfidence(least) => least.0 *= by,
            Gate::Answerability(least) => least.0 *= by,
            Gate::Duplicates(most) => most.0 = (most.0 / by).clamp(0.3, 1.0),
            Gate::PerDocument(_) | Gate::KeepBest(_) | Gate::MissingKeywords(_) => {}
            Gate::Collections(thresholds) => {
                for one in thresholds.collections.values_mut().chain([&mut thresholds.default]) {
                    one.distance_threshold /= by;
                    one.min_query_coverage *= by;
                }
            }
            Gate::NoContext(rule) => rule.least_mean *= by,
            Gate::Coverage(rule) => {
                rule.sufficient *= by;
                rule.confident *= by;
            }
        }
    }
    if let Some(least) = &mut turned.rules.speak.least_answering {
        *least *= by;
    }
    if let Some(confidence) = &mut turned.rules.speak.confidence {
        confidence.cite_from *= by;
    }
    turned
}

/// `just lab replayed` makes it ten thousand.
fn how_many() -> usize {
    std::env::var("IBIDEM_DECISIONS").map_or(900, |written| written.parse().unwrap())
}

#[tokio::test]
async fn decisions_are_made_again_bit_for_bit() {
    let decisions = how_many();
    let mut dice = Dice(7);
    let mut seen = std::collections::BTreeMap::<String, usize>::new();
    let each = decisions.div_ceil(POLICIES.len() * scripts().len());
    for text in POLICIES {
        let policy = Arc::new(Policy::parse(text).unwrap());
        let replay = Replay::under(&policy).unwrap();
        for script in scripts() {
            let world = world(&mut dice, script, text).await;
            for _ in 0..each {
                let record = decision(&world, &policy, question(&mut dice)).await;
                let expected = Decided { action: record.action, reason: record.reason, trace: record.trace.clone() };
                assert_eq!(replay.again(&record), Again::Decided(expected), "{} {record:?}", policy.rules.name);
                let reason = record.reason.map_or("", |reason| reason.as_str());
                *seen.entry(format!("{} {reason}", record.action.as_str())).or_default() += 1;
            }
        }
    }
    eprintln!("{seen:?}");
    assert!(seen.values().sum::<usize>() >= decisions);
    assert!(seen.len() >= 6, "decisions of too few sorts: {seen:?}");
}

#[tokio::test]
async fn decisions_on_another_models_scale_are_made_again_bit_for_bit() {
    let scale = SimilarityScale::new(0.2, 0.9).unwrap();
    let mut dice = Dice(13);
    let mut scaled = 0;
    for text in POLICIES {
        let policy = Arc::new(Policy::parse(text).unwrap());
        let replay = Replay::under(&policy).unwrap();
        let embedder = FakeEmbedder::new(64, 256).on_scale(scale);
        let world = world_of(embedder, &mut dice, Script::CannotBeReached, text).await;
        for _ in 0..20 {
            let record = decision(&world, &policy, question(&mut dice)).await;
            let expected = Decided { action: record.action, reason: record.reason, trace: record.trace.clone() };
            assert_eq!(replay.again(&record), Again::Decided(expected), "{} {record:?}", policy.rules.name);
            for candidate in record.rounds.iter().flat_map(|round| &round.candidates) {
                let cosine = candidate.cosine.map(f64::from);
                assert_eq!(candidate.scaled, cosine.map(|cosine| scale.similarity(cosine)));
                scaled += 1;
            }
        }
    }
    assert!(scaled > 100, "{scaled}");
}

/// A reader that counts words, so that some answers answer by its number and some do not.
async fn read_world(dice: &mut Dice, script: Script, policy: &str) -> World {
    let mut world = world(dice, script, policy).await;
    world.engine.parts.reranker = Some(Part::bare(Arc::new(FakeReranker::default().as_reader())));
    world
}

#[tokio::test]
async fn whether_an_answer_answers_is_decided_again_as_it_was_and_under_another_number_as_asking_again() {
    let mut dice = Dice(23);
    let (mut beside, mut open) = (0, 0);
    for text in POLICIES {
        let text = text.replace("answerability: 0.75", "answerability: 0.3").replace("cite_from: 60", "cite_from: 40");
        let policy = Arc::new(Policy::parse(&text).unwrap());
        let replay = Replay::under(&policy).unwrap();
        for (script, least) in scripts().into_iter().zip([0.2, 0.4, 0.6, 0.8, 1.0]) {
            let mut other = Policy::clone(&policy);
            other.rules.speak.least_answering = Some(least);
            let other = Arc::new(other);
            let under_other = Replay::under(&other).unwrap();
            let world = read_world(&mut dice, script, &text).await;
            for _ in 0..how_many() / 100 {
                let question = question(&mut dice);
                let record = decision(&world, &policy, question.clone()).await;
                let expected = Decided { action: record.action, reason: record.reason, trace: record.trace.clone() };
                assert_eq!(replay.again(&record), Again::Decided(expected), "{} {record:?}", policy.rules.name);
                let is_beside =
                    matches!(record.reason, Some(Reason::BesideTheQuestion | Reason::GenerationUnavailable));
                beside += usize::from(is_beside);
                match under_other.again(&record) {
                    Again::Decided(Decided { action, reason, .. }) => {
                        let asked_again = decision(&world, &other, question).await;
                        assert_eq!((action, reason), (asked_again.action, asked_again.reason), "{least}: {record:?}");
                    }
                    Again::Open(_) => open += 1,
                }
            }
        }
    }
    eprintln!("{beside} were beside the question, and {open} could not be told under another number");
    assert!(beside > 5, "{beside}");
}

#[tokio::test]
async fn a_record_from_before_there_was_a_scale_reads_as_it_did() {
    let mut dice = Dice(17);
    let policy = Arc::new(Policy::parse(BOOK).unwrap());
    let world = world(&mut dice, Script::CannotBeReached, BOOK).await;
    let record = decision(&world, &policy, question(&mut dice)).await;
    let written = serde_json::to_string(&record).unwrap();
    assert!(written.contains("\"cosine\"") && !written.contains("\"scaled\""), "{written}");
    let candidate = restored_candidate(&record.rounds[0].candidates[0], 0);
    assert_eq!(candidate.similarity(), as_shown(f64::from(candidate.cosine.unwrap())));
}

/// Records from before quotations had no opinion of the verifier's.
#[tokio::test]
async fn a_record_in_which_the_verifier_judged_quotations_is_decided_as_it_was() {
    let mut dice = Dice(29);
    let text = BOOK.replace("top1_similarity: 0.7", "top1_similarity: 0.1");
    // As policy files were before they said what the parts count.
    let before: String = text
        .lines()
        .filter(|line| !line.contains("weights:") && !line.contains("doubtful_share"))
        .fold(String::new(), |text, line| text + line + "\n");
    let policy = Arc::new(Policy::parse(&before).unwrap());
    let replay = Replay::under(&policy).unwrap();
    let mut decided = 0;
    for script in [Script::CannotBeReached, says(&["The gearbox holds oil.[^1] The pump has a valve.[^2]"])] {
        let world = world(&mut dice, script, &before).await;
        for _ in 0..40 {
            let record = decision(&world, &policy, question(&mut dice)).await;
            let mut written = serde_json::to_value(&record).unwrap();
            let speech = &mut written["speech"];
            let judged = match speech["by"].as_str() {
                Some("extractive") => speech,
                Some("model") if !speech["weighed"].is_null() => {
                    speech.as_object_mut().unwrap().remove("quotations_unjudged");
                    &mut speech["weighed"]
                }
                _ => continue,
            };
            (judged["coverage"], judged["judged"]) = (1.0.into(), 100.0.into());
            let coverage = written["speech"]["coverage"].as_array_mut();
            for so_far in coverage.into_iter().flatten() {
                so_far[1] = 1.0.into();
            }
            let old: DecisionRecord = serde_json::from_value(written).unwrap();
            let Again::Decided(Decided { trace, .. }) = replay.again(&old) else { continue };
            let Some(gate) = trace.iter().find(|gate| gate.gate == "confidence") else { continue };
            // 40 for the coverage, 30 for the verifier, and up to 30 for the search.
            assert!((70.0..=100.0).contains(&gate.observed), "{gate:?}");
            decided += 1;
        }
    }
    assert!(decided > 10, "{decided}");
}

#[tokio::test]
async fn under_other_thresholds_the_flips_are_those_of_asking_again() {
    let mut dice = Dice(11);
    let (mut flips, mut open, mut all) = (0, 0, 0);
    for text in POLICIES {
        let policy = Arc::new(Policy::parse(text).unwrap());
        for (script, by) in scripts().into_iter().zip([0.8, 0.9, 1.1, 1.25, 1.05]) {
            let other = Arc::new(turned(&policy, by));
            let replay = Replay::under(&other).unwrap();
            let world = world(&mut dice, script, text).await;
            for _ in 0..how_many() / 50 {
                let question = question(&mut dice);
                let record = decision(&world, &policy, question.clone()).await;
                let asked_again = decision(&world, &other, question).await;
                let again = replay.again(&record);
                all += 1;
                match &again {
                    Again::Decided(Decided { action, reason, trace }) => {
                        let expected = (asked_again.action, asked_again.reason);
                        assert_eq!((*action, *reason), expected, "{} × {by}: {record:?}", policy.rules.name);
                        assert_eq!(stopped(trace), stopped(&asked_again.trace));
                        let has_flipped = expected != (record.action, record.reason);
                        assert_eq!(matches!(Change::of(&record, &again), Change::Flip(_)), has_flipped);
                        flips += usize::from(has_flipped);
                    }
                    Again::Open(_) => {
                        open += 1;
                        let of_gates = asked_again.rounds.last().map_or(&[][..], |_| &asked_again.trace);
                        let stops =
                            of_gates.iter().find(|one| one.verdict == Verdict::Stop && one.gate != "confidence");
                        let is_wider = asked_again.rounds.len() > 1;
                        assert!(stops.is_none() || is_wider, "{} × {by}: {stops:?}", policy.rules.name);
                        assert!(is_wider || asked_again.action != Action::Clarify);
                    }
                }
            }
        }
    }
    eprintln!("of {all} decisions {flips} flip, and of {open} only a model could tell how they would end");
    assert!(flips > all / 20, "thresholds that change nothing show nothing: {flips} of {all}");
}

fn stopped(trace: &[GateRecord]) -> Option<&GateRecord> {
    trace.iter().find(|record| record.verdict == Verdict::Stop)
}
