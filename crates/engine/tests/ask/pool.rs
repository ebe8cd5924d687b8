//! What the lanes bring, all of it, for the gates to choose from.

use std::sync::Arc;

use ibidem_engine::search::{Lanes, SearchOutcome, SearchRequest};
use ibidem_engine::words::{Identity, Role, Scope};

use crate::says;
use crate::scenarios::Placed;
use crate::world::{BOOK, Book, World};

const CLOSE: &str = "Lubricant, and nothing else.";

fn has_close(outcome: &SearchOutcome) -> bool {
    outcome.hits.iter().any(|hit| hit.passage.text == CLOSE)
}

#[tokio::test]
async fn the_passage_closest_in_meaning_is_in_the_pool_behind_however_many_that_share_words() {
    let book = |text: String, similarity: f32| Book { vector: Some(Placed::vector(similarity)), ..Book::of(&text) };
    let mut books: Vec<Book> =
        (0_u16..40).map(|number| book(format!("Oil number {number}."), 0.5 + f32::from(number) / 1_000.0)).collect();
    books.push(book(CLOSE.to_owned(), 0.95));
    let world = World::of(says(&[]), books, Arc::new(Placed::new()), BOOK).await;
    let tags = ["secret-tag".parse().unwrap()].into();
    let identity = Identity { tenant: world.tenant, subject: "s".to_owned(), role: Role::Asker, tags };
    let scope = Scope::of(&identity);
    let request = SearchRequest { query: "oil".to_owned(), collections: Vec::new(), limit: 5, lanes: Lanes::Both };
    let by_rank = world.engine.searcher.search(&scope, &request).await.unwrap();
    assert!(by_rank.hits.len() == 5 && !has_close(&by_rank), "by rank it is behind those that both lanes bring");
    let pool = world.engine.searcher.pool(&scope, &request).await.unwrap();
    assert!(has_close(&pool) && (5..=10).contains(&pool.hits.len()), "{}", pool.hits.len());
}
