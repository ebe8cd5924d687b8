//! What everybody does who counts the words of what an asker may see.

use ibidem_language::bm25::TermId;

use super::catalogue::{Library, NewDocument, adr, asker, tags};
use ibidem_ports::word_statistics::WordStatistics;
use ibidem_words::Scope;

/// Runs the whole suite.
pub async fn word_statistics_suite(words: &dyn WordStatistics, library: &dyn Library) {
    only_what_the_asker_may_see_is_counted(words, library).await;
    passages_are_counted_and_not_occurrences(words, library).await;
    what_changes_is_counted_as_it_is_now(words, library).await;
}

async fn only_what_the_asker_may_see_is_counted(words: &dyn WordStatistics, library: &dyn Library) {
    let tenant = "counted";
    for (address, audience) in [
        ("ADR-1", &["public"][..]),
        ("ADR-2", &["security"]),
        ("ADR-3", &["finance", "security"]),
        ("ADR-4", &["public", "finance"]),
    ] {
        library.put(tenant, of(address, audience, &["glacier"])).await;
    }
    library.put("counted other", of("ADR-5", &["public"], &["glacier"])).await;
    for (audience, expected) in [(&[][..], 2), (&["security"], 4), (&["finance"], 3), (&["nothing"], 2)] {
        let counted = counted(words, &asker(tenant, audience), "glacier").await;
        assert_eq!(counted, (expected, expected), "{audience:?}");
    }
    assert_eq!(counted(words, &asker("counted nobody", &[]), "glacier").await, (0, 0));
    assert_eq!(counted(words, &asker(tenant, &[]), "volcano").await, (2, 0));
}

async fn passages_are_counted_and_not_occurrences(words: &dyn WordStatistics, library: &dyn Library) {
    let tenant = "counted passages";
    library.put(tenant, of("ADR-1", &["public"], &["penguin penguin", "penguins swim", "walrus"])).await;
    library.put(tenant, of("ADR-2", &["public"], &["walruses"])).await;
    let scope = asker(tenant, &[]);
    assert_eq!(counted(words, &scope, "penguin").await, (4, 2));
    assert_eq!(counted(words, &scope, "walrus").await, (4, 2));
    let terms: Vec<TermId> = words.analysis().distinct("penguin walrus unheard").into_iter().collect();
    let both = words.counts(&scope, &terms).await.unwrap().unwrap();
    assert_eq!((both.passages, both.with_term.len()), (4, 2), "a term that no passage has is left out");
    assert_eq!(words.counts(&scope, &[]).await.unwrap().unwrap().passages, 4);
}

async fn what_changes_is_counted_as_it_is_now(words: &dyn WordStatistics, library: &dyn Library) {
    let tenant = "counted changes";
    let (everybody, security) = (asker(tenant, &[]), asker(tenant, &["security"]));
    let one = library.put(tenant, of("ADR-1", &["public"], &["harbour", "harbour"])).await;
    let other = library.put(tenant, of("ADR-2", &["public"], &["harbour"])).await;
    assert_eq!(counted(words, &everybody, "harbour").await, (3, 3));
    library.retag(tenant, one, tags(&["security"])).await;
    assert_eq!(counted(words, &everybody, "harbour").await, (1, 1));
    assert_eq!(counted(words, &security, "harbour").await, (3, 3));
    library.remove(tenant, one).await;
    assert_eq!(counted(words, &security, "harbour").await, (1, 1));
    library.remove(tenant, other).await;
    assert_eq!(counted(words, &security, "harbour").await, (0, 0));
}

/// How many passages there are, and how many of them have the word.
async fn counted(words: &dyn WordStatistics, scope: &Scope, word: &str) -> (u64, u64) {
    let terms: Vec<TermId> = words.analysis().distinct(word).into_iter().collect();
    let counts = words.counts(scope, &terms).await.unwrap().expect("everything is counted");
    (counts.passages, counts.with_term.get(&terms[0]).copied().unwrap_or(0))
}

fn of(address: &str, audience: &[&str], passages: &[&str]) -> NewDocument {
    let passages = passages.iter().map(|text| (*text).to_owned()).collect();
    NewDocument { passages, ..adr(address, audience) }
}
