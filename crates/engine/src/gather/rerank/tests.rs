use ibidem_ports::catalogue::CataloguePassage;
use ibidem_testing::fakes::passage;
use ibidem_words::{DocumentId, PassageKey};
use proptest::prelude::*;
use uuid::Uuid;

use super::*;

fn candidate(number: u32, kind: Option<&str>, cosine: f32, rerank: Option<f32>) -> Candidate {
    let passage = CataloguePassage {
        passage: PassageKey {
            document: DocumentId(Uuid::from_u128(u128::from(number))),
            version: 1,
            chunk_index: number,
        },
        kind: kind.map(|kind| kind.parse().unwrap()),
        ..passage(number.into(), &"Book".parse().unwrap(), &number.to_string())
    };
    Candidate { cosine: Some(cosine), rerank, ..Candidate::unscored(passage) }
}

fn rules(text: &str) -> RerankRules {
    serde_saphyr::from_str(&format!("pool: 60\nkind_boost: 0.15\n{text}")).unwrap()
}

fn numbers(candidates: &[Candidate]) -> Vec<u32> {
    candidates.iter().map(|candidate| candidate.passage.passage.chunk_index).collect()
}

#[test]
fn the_rerankers_order_decides_and_the_cosine_is_kept() {
    let rules = rules("keep: 16\nkind_minimum: 0");
    let mut candidates = vec![candidate(1, None, 0.9, Some(0.2)), candidate(2, None, 0.1, Some(0.8))];
    order(&mut candidates, Some(&rules), &[], UnrankedOrder::Cosine);
    assert_eq!(numbers(&candidates), [2, 1]);
    assert_eq!((candidates[0].cosine, candidates[1].cosine), (Some(0.1), Some(0.9)));
    let mut unranked = vec![candidate(2, None, 0.1, None), candidate(1, None, 0.9, None)];
    order(&mut unranked, Some(&rules), &[], UnrankedOrder::Cosine);
    assert_eq!(numbers(&unranked), [1, 2]);
}

#[test]
fn what_nobody_reranked_comes_in_the_order_of_both_lanes_where_the_policy_wants_that() {
    let ranked = |number, cosine, fused| Candidate { fused, ..candidate(number, None, cosine, None) };
    let named = Candidate { addressed: true, ..ranked(4, 0.1, 0.0) };
    let lent = Candidate { curated: Some(0.75), ..ranked(5, 0.1, 0.0) };
    let mut candidates = vec![ranked(1, 0.6, 0.016), ranked(2, 0.5, 0.032), ranked(3, 0.4, 0.02), lent, named];
    order(&mut candidates, None, &[], UnrankedOrder::Cosine);
    assert_eq!(numbers(&candidates), [4, 5, 1, 2, 3]);
    order(&mut candidates, None, &[], UnrankedOrder::Fused);
    assert_eq!(numbers(&candidates), [4, 2, 5, 3, 1]);
    // A reranker's word counts for more than either.
    candidates[4].rerank = Some(0.9);
    candidates[0].rerank = Some(0.1);
    order(&mut candidates, None, &[], UnrankedOrder::Fused);
    assert_eq!(numbers(&candidates)[1], 1);
}

#[test]
fn beside_the_rank_a_score_moves_what_the_search_put_close_and_not_what_it_put_far_below() {
    let rules = rules("keep: 16\nkind_minimum: 0\nscore_weight: 0.5");
    let ranked = |number: u32, score| candidate(number, None, 1.0 - number as f32 / 100.0, Some(score));
    // Even odds count nothing: the search's order stays. Half the log-odds of 0.9 (1.1) pass ln 2, and not ln 10.
    for (second, tenth, first) in [(0.5, 0.5, 1), (0.9, 0.5, 2), (0.5, 0.9, 1), (0.5, 0.995, 10)] {
        let score = |number| {
            if number == 2 {
                second
            } else if number == 10 {
                tenth
            } else {
                0.5
            }
        };
        let mut candidates: Vec<Candidate> = (1..=10).map(|number| ranked(number, score(number))).collect();
        order(&mut candidates, Some(&rules), &[], UnrankedOrder::Cosine);
        assert_eq!(numbers(&candidates)[0], first, "{second} {tenth}");
    }
}

#[test]
fn beside_the_rank_what_the_asker_named_comes_first_and_what_nobody_read_stays_as_found() {
    let rules = rules("keep: 16\nkind_minimum: 0\nscore_weight: 0.5");
    let named = Candidate { addressed: true, ..candidate(3, None, 0.1, Some(0.01)) };
    let mut candidates = vec![candidate(1, None, 0.9, Some(0.99)), candidate(2, None, 0.8, Some(0.2)), named];
    order(&mut candidates, Some(&rules), &[], UnrankedOrder::Cosine);
    assert_eq!(numbers(&candidates), [3, 1, 2]);
    let mut unread = vec![candidate(1, None, 0.2, None), candidate(2, None, 0.8, None)];
    order(&mut unread, Some(&rules), &[], UnrankedOrder::Cosine);
    assert_eq!(numbers(&unread), [2, 1]);
}

#[test]
fn a_kind_that_is_asked_for_gains_in_the_order_only() {
    let rules = rules("keep: 16\nkind_minimum: 0\nkinds: {decision: [decision, decided]}");
    let asked = asked_kinds("What was decided about TLS?", &rules);
    assert_eq!(asked.len(), 1);
    assert!(asked_kinds("What about TLS?", &rules).is_empty());
    for (score, first) in [(0.349, 1), (0.36, 2)] {
        let mut candidates =
            vec![candidate(1, Some("note"), 0.5, Some(0.5)), candidate(2, Some("decision"), 0.5, Some(score))];
        order(&mut candidates, Some(&rules), &asked, UnrankedOrder::Cosine);
        assert_eq!(numbers(&candidates)[0], first, "{score}");
        assert!(candidates.iter().any(|candidate| candidate.rerank == Some(score)), "the score stays as given");
    }
}

#[test]
fn reserved_kinds_and_the_kind_asked_for_keep_their_least_and_the_order_stays() {
    let rules = rules("keep: 3\nkind_minimum: 1\nkinds: {decision: [decided]}\nreserves: {lecture: 2}");
    let candidates: Vec<Candidate> = (1_u16..=6)
        .map(|number| {
            let kind = match number {
                4 | 5 => "lecture",
                6 => "decision",
                _ => "note",
            };
            candidate(u32::from(number), Some(kind), 0.5, Some(1.0 - f32::from(number) / 10.0))
        })
        .collect();
    let (kept, left) = keep(candidates.clone(), &rules, &[]);
    assert_eq!((numbers(&kept), numbers(&left)), (vec![1, 4, 5], vec![2, 3, 6]));
    let asked = asked_kinds("What was decided?", &rules);
    assert_eq!(numbers(&keep(candidates, &rules, &asked).0), [4, 5, 6]);
}

#[test]
fn what_was_forced_is_kept_unless_a_reranker_has_read_it() {
    let rules = rules("keep: 2\nkind_minimum: 0");
    for (rerank, expected) in [(None, vec![1, 4]), (Some(0.5), vec![1, 2])] {
        let mut candidates: Vec<Candidate> = (1..=4).map(|number| candidate(number, None, 0.5, rerank)).collect();
        candidates[3].forced = true;
        assert_eq!(numbers(&keep(candidates.clone(), &rules, &[]).0), expected);
        candidates[3].promised = Some(Promise::Words);
        assert_eq!(numbers(&keep(candidates, &rules, &[]).0), [1, 4], "it has a word that no better one has");
    }
}

proptest! {
    #[test]
    fn nothing_is_lost_and_never_more_is_kept_than_there_is_room_for(
        kinds in prop::collection::vec(prop::sample::select(vec!["a", "b", "c"]), 0..30),
        forced in prop::collection::vec(any::<bool>(), 30),
        room in 4_usize..20,
    ) {
        let rules = rules(&format!("keep: {room}\nkind_minimum: 2\nreserves: {{a: 1, b: 1}}"));
        let candidates: Vec<Candidate> = (0..)
            .zip(&kinds)
            .map(|(number, kind)| Candidate {
                forced: forced[number as usize],
                ..candidate(number, Some(kind), 0.5, None)
            })
            .collect();
        let (kept, left) = keep(candidates, &rules, &[]);
        prop_assert_eq!(kept.len(), room.min(kinds.len()));
        prop_assert_eq!(kept.len() + left.len(), kinds.len());
        prop_assert!(numbers(&kept).is_sorted() && numbers(&left).is_sorted());
    }
}
