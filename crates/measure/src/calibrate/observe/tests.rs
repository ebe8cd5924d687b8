//! Labels over a small corpus in the fakes: what each is worth to a threshold.

use ibidem_engine::policy::{CollectionThresholds, Gate, MinSimilarity, Policy, Thresholds, Top1Similarity};
use ibidem_ports::degrade::Deadline;
use ibidem_words::{Question, TenantId};

use super::*;
use crate::calibrate::{Bound, Demand, Sequence, calibrate};
use ibidem_testing::small_corpus::{scope, searcher};

const CORPUS: [(&str, &[&str]); 3] =
    [("A#p0", &["penguins eat small fish"]), ("B#p0", &["volcanoes erupt hot lava"]), ("C#p0", &["glaciers melt"])];

fn label(query: &str, answerable: bool, documents: &[&str]) -> LabelledQuestion {
    LabelledQuestion {
        id: query.to_owned(),
        query: query.to_owned(),
        answerable,
        documents: documents.iter().map(ToString::to_string).collect(),
        answers: Vec::new(),
        collections: Vec::new(),
    }
}

fn asked(gates: Vec<Gate>) -> Asked {
    let mut policy = Policy::parse(include_str!("../../../../../policies/book.yaml")).unwrap();
    policy.rules.sift.gates = gates;
    policy.rules.gather.addresses =
        Policy::parse(include_str!("../../../../../policies/default.yaml")).unwrap().rules.gather.addresses;
    Asked {
        request_id: uuid::Uuid::nil(),
        at: chrono::DateTime::UNIX_EPOCH,
        scope: scope(TenantId::named("lab")),
        question: Question::new(""),
        policy: Arc::new(policy),
        deadline: Deadline::NONE,
    }
}

#[tokio::test]
async fn a_label_is_wrong_where_nothing_answers_it_or_no_right_document_is_cited_or_the_words_are_missing() {
    let (searcher, embedder) = searcher(TenantId::named("lab"), &CORPUS).await;
    let engine = Engine::new(searcher);
    let labels = [
        label("penguins eat small fish", true, &["A#p0"]),
        label("volcanoes erupt hot lava", true, &["Z#p0"]),
        label("glaciers melt", false, &[]),
        LabelledQuestion { answers: vec!["hot LAVA".to_owned()], ..label("volcanoes erupt hot lava", true, &["B#p0"]) },
        LabelledQuestion { answers: vec!["ash".to_owned()], ..label("volcanoes erupt hot lava", true, &["B#p0"]) },
        // Nothing is so close to this that the floor lets it through.
        label("who painted the ceiling", true, &["A#p0"]),
        label("ADR-0099", false, &[]),
    ];
    let asked = asked(vec![Gate::MinSimilarity(MinSimilarity(0.9)), Gate::Top1Similarity(Top1Similarity(0.99))]);
    let mut received = 0;
    let gate = CalibratedGate::Top1Similarity;
    let observed = observe(&engine, &asked, gate, &labels, 3, || received += 1).await.unwrap();
    assert_eq!(received, 7);
    let wrong: Vec<_> = observed.points.iter().map(|point| (point.score > 0.9, point.wrong)).collect();
    assert_eq!(wrong, [(true, false), (true, true), (true, true), (true, false), (true, true), (false, false)]);
    assert_eq!((observed.by_rule, observed.refused_otherwise), (1, 1), "{observed:?}");
    assert_eq!((observed.not_answerable, observed.wrong_source, observed.wrong_answer), (1, 1, 1));
    // What another gate refuses is answered at no threshold, not even at none.
    let demand = Demand { max_risk: 0.9, confidence: 0.5, bound: Bound::ClopperPearson };
    let calibration = calibrate(&observed.points, demand, &Sequence::hundredths()).unwrap();
    assert_eq!(calibration.steps.last().unwrap().answered, 5);

    embedder.set_down(true);
    let error = observe(&engine, &asked, gate, &labels[..1], 1, || {}).await.unwrap_err();
    assert!(error.to_string().contains("bm25_only"), "{error}");
}

#[tokio::test]
async fn under_a_distance_the_closest_by_itself_must_be_right() {
    let (searcher, _) = searcher(TenantId::named("lab"), &CORPUS).await;
    let far = Thresholds { distance_threshold: 0.01, min_query_coverage: 0.0 };
    let gates = vec![Gate::Collections(CollectionThresholds { default: far, collections: [].into() })];
    // The penguins are closest; the glaciers are in the evidence too, with the gate open.
    let labels =
        [label("penguins eat small fish and glaciers", true, &["C#p0"]), label("glaciers melt", true, &["C#p0"])];
    let gate = CalibratedGate::DistanceThreshold;
    let observed = observe(&Engine::new(searcher), &asked(gates), gate, &labels, 1, || {}).await.unwrap();
    assert_eq!(observed.points.iter().map(|point| point.wrong).collect::<Vec<_>>(), [true, false], "{observed:?}");
    assert!((gate::number(gate, observed.points[1].score)).abs() < 1e-3, "the same words are at no distance");
}
