//! What every index does. Each case has its own tenants, so that all of them share one index.

mod fixtures;

use std::collections::BTreeSet;

use ibidem_language::bm25::{self, Analysis, TermWeights};
use uuid::Uuid;

use ibidem_ports::index::{
    Index, IndexDocument, IndexError, IndexFault, IndexHit, IndexQuery, IndexWriter, Shelf, StoredPoint,
};
use ibidem_words::{PassageKey, TenantId};

use fixtures::*;

/// The index under test must be made for vectors of so many dimensions, and be empty.
pub const DIMENSIONS: usize = 8;

const TOLERANCE: f32 = 1e-5;

/// Runs the whole suite on one empty index.
pub async fn index_suite(index: &dyn Index, writer: &dyn IndexWriter) {
    nothing_is_found_in_an_empty_index(index, writer).await;
    a_hit_has_the_scores_and_ranks_of_both_lanes(index, writer).await;
    a_lane_that_was_left_out_gives_no_scores(index, writer).await;
    each_query_has_its_own_list(index, writer).await;
    only_what_the_asker_may_see_is_found(index, writer).await;
    only_the_named_collections_are_searched(index, writer).await;
    only_the_named_documents_are_searched(index, writer).await;
    memory_and_documents_lie_apart(index, writer).await;
    equal_scores_are_ordered_by_passage(index, writer).await;
    many_equal_scores_are_ordered_by_passage(index, writer).await;
    a_score_is_the_product_of_both_halves_whatever_else_there_is(index, writer).await;
    a_new_version_replaces_the_old_one(index, writer).await;
    points_that_are_no_longer_wanted_go(index, writer).await;
    a_document_is_replaced_in_its_own_tenant_only(index, writer).await;
    new_tags_change_who_finds_it(index, writer).await;
    publishing_again_changes_nothing(index, writer).await;
    many_documents_are_published_together(index, writer).await;
    vectors_of_another_size_are_rejected(index, writer).await;
    a_scan_sees_every_point_once_in_order(writer).await;
    single_points_can_be_removed(index, writer).await;
}

async fn nothing_is_found_in_an_empty_index(index: &dyn Index, writer: &dyn IndexWriter) {
    let scope = asker("nobody", &[]);
    let found = index.search(&scope, vec![query("anything", &axis(0)), query("else", &axis(1))]).await.unwrap();
    assert_eq!(found, [vec![], vec![]]);
    assert_eq!(index.search(&scope, Vec::new()).await.unwrap(), Vec::<Vec<IndexHit>>::new());
    let page = writer.scan(None, 10).await.unwrap();
    assert!(page.points.is_empty() && page.next.is_none(), "the suite needs an empty index");
}

async fn a_hit_has_the_scores_and_ranks_of_both_lanes(index: &dyn Index, writer: &dyn IndexWriter) {
    let tenant = TenantId::named("both lanes");
    let document = Document::of(tenant, "a").chunks(&[
        ("penguins eat fish", axis(0)),
        ("penguins penguins penguins", between(0, 1)),
        ("volcanoes erupt", between(0, 2)),
        ("glaciers melt", axis(3)),
    ]);
    let keys = document.keys();
    writer.publish(vec![document.build()]).await.unwrap();

    let asked = IndexQuery { hits_per_lane: 2, ..query("penguins", &leaning(0, 2)) };
    let hits = found(index, &asker("both lanes", &[]), asked).await;
    assert_eq!(hits.iter().map(|hit| hit.passage).collect::<Vec<_>>(), [keys[0], keys[1], keys[2]]);

    let expected: [(Option<u32>, Option<u32>); 3] = [(Some(1), Some(1)), (None, Some(0)), (Some(0), None)];
    let cosines = [between_cosine(&axis(0)), between_cosine(&between(0, 1)), between_cosine(&between(0, 2))];
    for ((hit, ranks), cosine) in hits.iter().zip(expected).zip(cosines) {
        assert_eq!((hit.dense_rank, hit.lexical_rank), ranks, "{hit:?}");
        assert!((hit.cosine.unwrap() - cosine).abs() < TOLERANCE, "{hit:?} {cosine}");
    }
    assert!(hits[1].bm25.unwrap() > hits[0].bm25.unwrap());
    assert!(hits[0].bm25.unwrap() > 0.0);
    assert_eq!(hits[2].bm25, Some(0.0), "a hit of the dense lane alone has none of the words");

    // A hit's scores are the same whichever lane brought it.
    let alone = IndexQuery { words: None, hits_per_lane: 10, ..query("", &leaning(0, 2)) };
    for hit in found(index, &asker("both lanes", &[]), alone).await {
        if let Some(same) = hits.iter().find(|same| same.passage == hit.passage) {
            assert!((same.cosine.unwrap() - hit.cosine.unwrap()).abs() < TOLERANCE);
        }
    }
}

async fn a_lane_that_was_left_out_gives_no_scores(index: &dyn Index, writer: &dyn IndexWriter) {
    let document = Document::of(TenantId::named("one lane"), "a").chunks(&[("harbour", axis(0))]);
    writer.publish(vec![document.build()]).await.unwrap();
    let scope = asker("one lane", &[]);

    let both = query("harbour", &axis(0));
    let words_only = found(index, &scope, IndexQuery { vector: None, ..both.clone() }).await;
    assert_eq!(words_only.len(), 1);
    assert_eq!((words_only[0].cosine, words_only[0].dense_rank, words_only[0].lexical_rank), (None, None, Some(0)));
    assert!(words_only[0].bm25.unwrap() > 0.0);

    let vector_only = found(index, &scope, IndexQuery { words: None, ..both.clone() }).await;
    assert_eq!(vector_only.len(), 1);
    assert_eq!((vector_only[0].bm25, vector_only[0].dense_rank, vector_only[0].lexical_rank), (None, Some(0), None));

    for nothing in [
        IndexQuery { words: None, vector: None, ..both.clone() },
        IndexQuery { hits_per_lane: 0, ..both.clone() },
        IndexQuery { vector: None, words: terms("unheard"), ..both.clone() },
        IndexQuery { vector: None, words: terms(""), ..both },
    ] {
        assert_eq!(found(index, &scope, nothing.clone()).await, [], "{nothing:?}");
    }
}

async fn each_query_has_its_own_list(index: &dyn Index, writer: &dyn IndexWriter) {
    let tenant = TenantId::named("lists");
    let document = Document::of(tenant, "a").chunks(&[("alpha", axis(0)), ("beta", axis(1)), ("gamma", axis(2))]);
    let keys = document.keys();
    writer.publish(vec![document.build()]).await.unwrap();

    let one_hit = |words: &str, vector: &[f32]| IndexQuery { hits_per_lane: 1, ..query(words, vector) };
    let nothing = IndexQuery { words: None, vector: None, ..one_hit("", &axis(0)) };
    let words_only = IndexQuery { vector: None, ..one_hit("gamma", &axis(0)) };
    let queries = vec![one_hit("alpha", &axis(1)), nothing, words_only, one_hit("beta", &axis(1))];
    let lists = index.search(&asker("lists", &[]), queries).await.unwrap();
    let passages: Vec<Vec<PassageKey>> =
        lists.iter().map(|list| list.iter().map(|hit| hit.passage).collect()).collect();
    assert_eq!(passages, [vec![keys[0], keys[1]], vec![], vec![keys[2]], vec![keys[1]]]);
}

/// Every document with every set of tags, against every asker: exactly the visible ones are found, by each lane.
async fn only_what_the_asker_may_see_is_found(index: &dyn Index, writer: &dyn IndexWriter) {
    const TAGS: [&str; 3] = ["public", "security", "finance"];
    let subsets: Vec<Vec<&str>> =
        (0..8_usize).map(|bits| (0..3).filter(|bit| bits & (1 << bit) != 0).map(|bit| TAGS[bit]).collect()).collect();
    let tenants = ["scope one", "scope two"];
    let mut documents = Vec::new();
    for tenant in tenants {
        for tags in &subsets {
            let name = format!("{tags:?}");
            let document = Document::of(TenantId::named(tenant), &name).tags(tags).chunks(&[("lighthouse", axis(0))]);
            documents.push(document);
        }
    }
    writer.publish(documents.iter().map(Document::build).collect()).await.unwrap();

    for tenant in tenants.into_iter().chain(["scope three"]) {
        for tags in &subsets {
            let scope = asker(tenant, tags);
            let visible: BTreeSet<PassageKey> = documents
                .iter()
                .filter(|document| scope.sees(document.document.tenant, &document.document.tags))
                .flat_map(Document::keys)
                .collect();
            let both = IndexQuery { hits_per_lane: 100, ..query("lighthouse", &axis(0)) };
            let words_only = IndexQuery { vector: None, ..both.clone() };
            let vector_only = IndexQuery { words: None, ..both.clone() };
            for asked in [both, words_only, vector_only] {
                let hits = found(index, &scope, asked).await;
                let found: BTreeSet<PassageKey> = hits.iter().map(|hit| hit.passage).collect();
                assert_eq!(found, visible, "{tenant} {tags:?}");
                assert_eq!(hits.len(), visible.len(), "a passage is in the list once");
            }
        }
    }
}

async fn only_the_named_collections_are_searched(index: &dyn Index, writer: &dyn IndexWriter) {
    let tenant = TenantId::named("collections");
    let collections = ["ADR", "Policy", "Principle"];
    let documents = collections.map(|name| Document::of(tenant, name).collection(name).chunks(&[("river", axis(0))]));
    writer.publish(documents.iter().map(Document::build).collect()).await.unwrap();

    let scope = asker("collections", &[]);
    let cases: [&[&str]; 5] = [&[], &["ADR"], &["ADR", "Principle"], &["Nothing"], &["Nothing", "Policy"]];
    for names in cases {
        let asked =
            IndexQuery { collections: names.iter().map(|name| collection(name)).collect(), ..query("river", &axis(0)) };
        let expected: BTreeSet<PassageKey> = collections
            .iter()
            .zip(&documents)
            .filter(|(name, _)| names.is_empty() || names.contains(name))
            .flat_map(|(_, document)| document.keys())
            .collect();
        assert_eq!(passages(index, &scope, asked).await, expected, "{names:?}");
    }
}

async fn only_the_named_documents_are_searched(index: &dyn Index, writer: &dyn IndexWriter) {
    let tenant = TenantId::named("named documents");
    let documents = ["a", "b", "c"].map(|name| Document::of(tenant, name).chunks(&[("valley", axis(0))]));
    let hidden = Document::of(tenant, "hidden").tags(&["others"]).chunks(&[("valley", axis(0))]);
    let all = documents.iter().chain([&hidden]).map(Document::build);
    writer.publish(all.collect()).await.unwrap();

    let scope = asker("named documents", &[]);
    let named = |documents: &[&Document]| IndexQuery {
        documents: documents.iter().map(|document| document.document.document).collect(),
        ..query("valley", &axis(0))
    };
    let two = named(&[&documents[0], &documents[2], &hidden]);
    assert_eq!(passages(index, &scope, two).await, &documents[0].key_set() | &documents[2].key_set());
    assert_eq!(passages(index, &scope, named(&[&hidden])).await, BTreeSet::new());
    assert_eq!(passages(index, &scope, named(&[])).await.len(), 3);
}

async fn memory_and_documents_lie_apart(index: &dyn Index, writer: &dyn IndexWriter) {
    let tenant = TenantId::named("apart");
    let document = Document::of(tenant, "a").chunks(&[("harbour", axis(0))]);
    let entry = Document::of(tenant.memory(), "b").chunks(&[("harbour", axis(0))]);
    let hidden = Document::of(tenant.memory(), "c").tags(&["others"]).chunks(&[("harbour", axis(0))]);
    let foreign = Document::of(TenantId::named("apart other").memory(), "d").chunks(&[("harbour", axis(0))]);
    writer.publish([&document, &entry, &hidden, &foreign].map(Document::build).into()).await.unwrap();

    let scope = asker("apart", &[]);
    let on = |shelf: Shelf| IndexQuery { shelf, ..query("harbour", &axis(0)) };
    assert_eq!(passages(index, &scope, on(Shelf::Documents)).await, document.key_set());
    assert_eq!(passages(index, &scope, on(Shelf::Memory)).await, entry.key_set());
}

async fn equal_scores_are_ordered_by_passage(index: &dyn Index, writer: &dyn IndexWriter) {
    let tenant = TenantId::named("ties");
    let documents: Vec<Document> = (0..4)
        .map(|number| Document::of(tenant, &number.to_string()).chunks(&[("echo", axis(0)), ("echo", axis(0))]))
        .collect();
    let mut keys: Vec<PassageKey> = documents.iter().flat_map(Document::keys).collect();
    keys.sort();
    writer.publish(documents.iter().map(Document::build).collect()).await.unwrap();

    for wanted in [3, 8] {
        let asked = IndexQuery { hits_per_lane: wanted, ..query("echo", &axis(0)) };
        let hits = found(index, &asker("ties", &[]), asked).await;
        let in_order: Vec<(PassageKey, Option<u32>, Option<u32>)> =
            hits.iter().map(|hit| (hit.passage, hit.dense_rank, hit.lexical_rank)).collect();
        let expected: Vec<_> =
            (0..).zip(&keys).take(wanted).map(|(rank, key)| (*key, Some(rank), Some(rank))).collect();
        assert_eq!(in_order, expected);
    }
}

/// More equal scores than any index would fetch to spare: which of them are hits must not be the index's choice.
async fn many_equal_scores_are_ordered_by_passage(index: &dyn Index, writer: &dyn IndexWriter) {
    let tenant = TenantId::named("many ties");
    let documents: Vec<Document> =
        (0..90).map(|number| Document::of(tenant, &number.to_string()).chunks(&[("echo", axis(0))])).collect();
    let mut keys: Vec<PassageKey> = documents.iter().flat_map(Document::keys).collect();
    keys.sort();
    writer.publish(documents.iter().map(Document::build).collect()).await.unwrap();
    let asked = query("echo", &axis(0));
    let both = [asked.clone(), IndexQuery { words: None, ..asked.clone() }, IndexQuery { vector: None, ..asked }];
    for asked in both {
        let hits = found(index, &asker("many ties", &[]), asked.clone()).await;
        let passages: Vec<PassageKey> = hits.iter().map(|hit| hit.passage).collect();
        assert_eq!(passages, keys[..asked.hits_per_lane], "the first by passage");
    }
}

/// Every score is the product of what was published and what was asked, and documents that the asker may not see, of
/// this tenant or another, change none of them.
async fn a_score_is_the_product_of_both_halves_whatever_else_there_is(index: &dyn Index, writer: &dyn IndexWriter) {
    const WORDS: [&str; 6] = ["amber", "basalt", "cedar", "delta", "ember", "falcon"];
    let tenant = TenantId::named("halves");
    let texts: Vec<String> = (0..40_usize)
        .map(|number| {
            (0..number % 7 + 1).map(|word| WORDS[(number * 5 + word * word) % 6]).collect::<Vec<_>>().join(" ")
        })
        .collect();
    let chunks: Vec<(&str, Vec<f32>)> = texts.iter().map(|text| (text.as_str(), axis(0))).collect();
    let document = Document::of(tenant, "a").chunks(&chunks);
    writer.publish(vec![document.build()]).await.unwrap();
    let weights = (1_u8..).zip(Analysis::default().distinct(&WORDS.join(" ")));
    let weights: TermWeights = weights.map(|(number, term)| (term, f32::from(number) * 1.234_375)).collect();
    let asked = IndexQuery { words: Some(weights.clone()), hits_per_lane: 100, ..query("", &axis(0)) };
    let scope = asker("halves", &[]);
    let before = found(index, &scope, asked.clone()).await;
    for (hit, text) in before.iter().zip(&texts) {
        assert_eq!(hit.bm25, Some(bm25::score(&Analysis::default().passage(text), &weights)), "{text}");
    }

    let hidden: Vec<Document> = (0..60)
        .map(|number| {
            let (owner, tags) =
                if number % 2 == 0 { (tenant, "others") } else { (TenantId::named("other halves"), "public") };
            let text = &texts[(number * 7) % texts.len()];
            Document::of(owner, &format!("hidden {number}")).tags(&[tags]).chunks(&[(text, axis(0))])
        })
        .collect();
    writer.publish(hidden.iter().map(Document::build).collect()).await.unwrap();
    assert_eq!(found(index, &scope, asked).await, before);
}

async fn a_new_version_replaces_the_old_one(index: &dyn Index, writer: &dyn IndexWriter) {
    let tenant = TenantId::named("versions");
    let scope = asker("versions", &[]);
    let first = Document::of(tenant, "a").chunks(&[("meadow", axis(0)), ("meadow", axis(1)), ("meadow", axis(2))]);
    let second = Document::of(tenant, "a").version(2).chunks(&[("meadow", axis(0)), ("forest", axis(1))]);
    writer.publish(vec![first.build()]).await.unwrap();
    assert_eq!(passages(index, &scope, query("meadow", &axis(0))).await, first.key_set());
    writer.publish(vec![second.build()]).await.unwrap();
    assert_eq!(passages(index, &scope, query("meadow", &axis(0))).await, second.key_set());
    assert_eq!(stored(writer, tenant).await.len(), 2);
}

async fn points_that_are_no_longer_wanted_go(index: &dyn Index, writer: &dyn IndexWriter) {
    let tenant = TenantId::named("removal");
    let scope = asker("removal", &[]);
    let kept = Document::of(tenant, "kept").chunks(&[("valley", axis(0))]);
    let whole = Document::of(tenant, "a").chunks(&[("valley", axis(0)), ("valley", axis(1)), ("valley", axis(2))]);
    let shorter = Document::of(tenant, "a").chunks(&[("valley", axis(0))]);
    let gone = Document::of(tenant, "a").chunks(&[]);
    writer.publish(vec![kept.build(), whole.build()]).await.unwrap();

    for now in [&shorter, &gone, &gone] {
        writer.publish(vec![now.build()]).await.unwrap();
        let expected = &kept.key_set() | &now.key_set();
        assert_eq!(passages(index, &scope, query("valley", &axis(0))).await, expected);
    }
    let never_there = Document::of(tenant, "never there").chunks(&[]);
    writer.publish(vec![never_there.build()]).await.unwrap();
    writer.publish(Vec::new()).await.unwrap();
    assert_eq!(stored(writer, tenant).await.len(), 1);
}

async fn a_document_is_replaced_in_its_own_tenant_only(index: &dyn Index, writer: &dyn IndexWriter) {
    let (one, other) = (TenantId::named("twin one"), TenantId::named("twin two"));
    let here = Document::of(one, "a").chunks(&[("island", axis(0))]);
    let mut there = Document::of(other, "a").chunks(&[("island", axis(0))]);
    // It cannot happen by itself, but if it did, one tenant must not delete another's points.
    there.take_id_of(&here);
    writer.publish(vec![here.build(), there.build()]).await.unwrap();
    writer.publish(vec![IndexDocument { points: Vec::new(), ..here.build() }]).await.unwrap();
    assert_eq!(passages(index, &asker("twin one", &[]), query("island", &axis(0))).await, BTreeSet::new());
    assert_eq!(passages(index, &asker("twin two", &[]), query("island", &axis(0))).await, there.key_set());
}

async fn new_tags_change_who_finds_it(index: &dyn Index, writer: &dyn IndexWriter) {
    let tenant = TenantId::named("retag");
    let before = Document::of(tenant, "a").tags(&["security"]).chunks(&[("bridge", axis(0))]);
    let after = Document::of(tenant, "a").tags(&["finance"]).chunks(&[("bridge", axis(0))]);
    let asked = || query("bridge", &axis(0));
    let (security, finance) = (asker("retag", &["security"]), asker("retag", &["finance"]));

    writer.publish(vec![before.build()]).await.unwrap();
    let stamp_before = stored(writer, tenant).await;
    assert_eq!(passages(index, &security, asked()).await, before.key_set());
    assert_eq!(passages(index, &finance, asked()).await, BTreeSet::new());

    writer.publish(vec![after.build()]).await.unwrap();
    let stamp_after = stored(writer, tenant).await;
    assert_eq!(passages(index, &security, asked()).await, BTreeSet::new());
    assert_eq!(passages(index, &finance, asked()).await, after.key_set());
    assert_eq!((stamp_before.len(), stamp_after.len()), (1, 1));
    assert_ne!(stamp_before[0].stamp, stamp_after[0].stamp);
    assert_eq!(stamp_after[0].stamp, after.build().stamp().to_string());
}

async fn publishing_again_changes_nothing(index: &dyn Index, writer: &dyn IndexWriter) {
    let tenant = TenantId::named("again");
    let document = Document::of(tenant, "a").chunks(&[("desert", axis(0)), ("oasis", axis(1))]);
    writer.publish(vec![document.build()]).await.unwrap();
    let scope = asker("again", &[]);
    let first = (found(index, &scope, query("oasis", &axis(0))).await, stored(writer, tenant).await);
    writer.publish(vec![document.build()]).await.unwrap();
    let second = (found(index, &scope, query("oasis", &axis(0))).await, stored(writer, tenant).await);
    assert_eq!(first, second);
}

/// More points than fit into one write.
async fn many_documents_are_published_together(index: &dyn Index, writer: &dyn IndexWriter) {
    let tenant = TenantId::named("many");
    let chunk = |number: usize| (format!("comet {number}"), axis(number % DIMENSIONS));
    let mut documents: Vec<Document> = (0..4)
        .map(|name| {
            let chunks: Vec<(String, Vec<f32>)> = (0..150).map(chunk).collect();
            let chunks: Vec<(&str, Vec<f32>)> =
                chunks.iter().map(|(text, axis)| (text.as_str(), axis.clone())).collect();
            Document::of(tenant, &name.to_string()).chunks(&chunks)
        })
        .collect();
    documents.push(Document::of(tenant, "empty").chunks(&[]));
    writer.publish(documents.iter().map(Document::build).collect()).await.unwrap();
    let all = IndexQuery { vector: None, hits_per_lane: 1_000, ..query("comet", &axis(0)) };
    assert_eq!(passages(index, &asker("many", &[]), all).await.len(), 600);
    let removed = documents.iter().map(|document| IndexDocument { points: Vec::new(), ..document.build() });
    writer.publish(removed.collect()).await.unwrap();
    assert_eq!(stored(writer, tenant).await, []);
}

async fn vectors_of_another_size_are_rejected(index: &dyn Index, writer: &dyn IndexWriter) {
    let tenant = TenantId::named("sizes");
    let document = Document::of(tenant, "a").chunks(&[("right", axis(0)), ("wrong", vec![1.0; DIMENSIONS + 1])]);
    let refused = writer.publish(vec![document.build()]).await;
    assert!(matches!(refused, Err(IndexError::Own(IndexFault::Rejected(_)))), "{refused:?}");
    assert_eq!(stored(writer, tenant).await, [], "nothing of it was stored");
    let refused = index.search(&asker("sizes", &[]), vec![query("right", &[1.0, 0.0])]).await;
    assert!(matches!(refused, Err(IndexError::Own(IndexFault::Rejected(_)))), "{refused:?}");
}

async fn a_scan_sees_every_point_once_in_order(writer: &dyn IndexWriter) {
    let tenant = TenantId::named("scan");
    let documents: Vec<Document> = (0..5)
        .map(|name| Document::of(tenant, &name.to_string()).version(3).chunks(&[("x", axis(0)), ("y", axis(1))]))
        .collect();
    writer.publish(documents.iter().map(Document::build).collect()).await.unwrap();
    let mut expected: Vec<StoredPoint> = Vec::new();
    for document in &documents {
        let stamp = document.build().stamp().to_string();
        expected.extend(document.keys().into_iter().map(|passage| StoredPoint {
            tenant,
            passage,
            stamp: stamp.clone(),
        }));
    }
    expected.sort_by_key(|point| point.passage.point_id(tenant));
    assert_eq!(stored(writer, tenant).await, expected);

    for page in [1, 3, 10_000] {
        let everything = scan_all(writer, page).await;
        let ids: Vec<Uuid> = everything.iter().map(|point| point.passage.point_id(point.tenant)).collect();
        assert!(ids.is_sorted_by(|one, other| one < other), "in order, each once");
        let of_tenant: Vec<StoredPoint> = everything.into_iter().filter(|point| point.tenant == tenant).collect();
        assert_eq!(of_tenant, expected, "pages of {page}");
    }
}

async fn single_points_can_be_removed(index: &dyn Index, writer: &dyn IndexWriter) {
    let tenant = TenantId::named("single");
    let document = Document::of(tenant, "a").chunks(&[("canyon", axis(0)), ("canyon", axis(1)), ("canyon", axis(2))]);
    let keys = document.keys();
    writer.publish(vec![document.build()]).await.unwrap();
    let mut removed = stored(writer, tenant).await;
    removed.retain(|point| point.passage != keys[1]);
    let other_tenant = StoredPoint { tenant: TenantId::named("single other"), passage: keys[1], stamp: String::new() };
    writer.remove_points(vec![other_tenant]).await.unwrap();
    writer.remove_points(removed.clone()).await.unwrap();
    writer.remove_points(removed).await.unwrap();
    writer.remove_points(Vec::new()).await.unwrap();
    let left = passages(index, &asker("single", &[]), query("canyon", &axis(0))).await;
    assert_eq!(left, BTreeSet::from([keys[1]]));
}
