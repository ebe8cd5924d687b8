//! What the lanes bring, all of it, for the gates to choose from.

use std::sync::Arc;

use crate::says;
use crate::scenarios::PlacedEmbedder;
use crate::world::{BOOK, Book, World};

const CLOSE: &str = "Lubricant, and nothing else.";

#[tokio::test]
async fn the_passage_closest_in_meaning_is_in_the_pool_behind_however_many_that_share_words() {
    let book =
        |text: String, similarity: f32| Book { vector: Some(PlacedEmbedder::vector(similarity)), ..Book::of(&text) };
    let mut books: Vec<Book> =
        (0_u16..40).map(|number| book(format!("Oil number {number}."), 0.5 + f32::from(number) / 1_000.0)).collect();
    books.push(book(CLOSE.to_owned(), 0.95));
    let world = World::of(says(&[]), books, Arc::new(PlacedEmbedder::new()), BOOK).await;
    let explanation = world.explain("oil").await;
    let place = explanation.candidates.iter().position(|candidate| candidate.text == CLOSE);
    assert_eq!(place, Some(0), "by rank it would be behind those that both lanes bring");
    assert!((15..=30).contains(&explanation.candidates.len()), "{}", explanation.candidates.len());
    assert_eq!(explanation.index_calls, 1);
}
