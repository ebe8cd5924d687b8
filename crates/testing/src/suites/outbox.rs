//! What everybody does who says what the index should hold.

use super::catalogue::tags;
use super::intake::{Desk, embedding_key, submission, take_in};
use super::vectors::model;
use ibidem_ports::intake::{Intake, Submission, Submitted};
use ibidem_ports::outbox::{ClaimedOf, Outbox, Publication};
use ibidem_ports::vectors::{NewVector, VectorShelf};
use ibidem_words::Sha256Hash;

/// Runs the whole suite. What others left in the outbox is acknowledged first.
pub async fn outbox_suite(outbox: &dyn Outbox, vectors: &dyn VectorShelf, intake: &dyn Intake, desk: &dyn Desk) {
    loop {
        let others = outbox.claim(10_000).await.unwrap();
        if others.is_empty() {
            break;
        }
        outbox.acknowledge(&others).await.unwrap();
    }
    passages_come_with_their_vectors_or_say_that_they_have_none(outbox, vectors, intake, desk).await;
    the_old_version_stays_until_the_new_one_is_in_the_index(outbox, intake, desk).await;
    single_documents_can_be_taken_before_all_others(outbox, intake, desk).await;
    the_oldest_is_published_first(outbox, intake, desk).await;
    tenants_take_turns(outbox, intake, desk).await;
    a_change_during_publication_is_published_again(outbox, intake, desk).await;
    who_sees_a_document_is_read_when_its_job_ends(outbox, intake, desk).await;
    a_removed_document_is_wanted_without_points(outbox, intake, desk).await;
    a_publisher_that_lost_its_lease_has_it_published_again(outbox, intake, desk).await;
    a_lease_is_held_by_renewing_it_and_given_back_at_once(outbox, intake, desk).await;
}

async fn passages_come_with_their_vectors_or_say_that_they_have_none(
    outbox: &dyn Outbox,
    vectors: &dyn VectorShelf,
    intake: &dyn Intake,
    desk: &dyn Desk,
) {
    let (tenant, other) = (desk.tenant("outbox vectors").await, desk.tenant("outbox other").await);
    let document = take_in(intake, desk, submission(tenant, "a.md", "one"), &["First.", "Second."]).await;
    for vector in [vec![0.6, 0.8], vec![0.8, 0.6]] {
        let new = NewVector { tenant, key: embedding_key("First."), vector };
        vectors.store(model("m"), vec![new]).await.unwrap();
    }
    let elsewhere = NewVector { tenant: other, key: embedding_key("Second."), vector: vec![1.0, 0.0] };
    vectors.store(model("m"), vec![elsewhere]).await.unwrap();

    let wanted = outbox.wanted(model("m"), &[(tenant, document), (other, document)]).await.unwrap();
    assert_eq!(wanted.len(), 1, "another tenant has no such document");
    let (points, missing) = (&wanted[0].document.points, &wanted[0].missing);
    assert_eq!((points.len(), missing.len()), (1, 1));
    assert_eq!(points[0].vector, [0.6, 0.8], "a vector that is there stays as it is");
    assert_eq!(points[0].words, "A title: Decision\nFirst.");
    assert_eq!(
        (points[0].passage.document, points[0].passage.version, points[0].passage.chunk_index),
        (document, 1, 0)
    );
    assert_eq!(missing[0].text, "A title: Decision\nSecond.");
    assert_eq!((missing[0].tenant, missing[0].key), (tenant, Sha256Hash::of(missing[0].text.as_bytes())));
    assert_eq!(outbox.wanted(model("other"), &[(tenant, document)]).await.unwrap()[0].missing.len(), 2);
    assert!(outbox.wanted(model("m"), &[]).await.unwrap().is_empty());

    let claimed = outbox.claim(10).await.unwrap();
    assert_eq!(claimed.iter().map(|one| (one.tenant, one.document)).collect::<Vec<_>>(), [(tenant, document)]);
    outbox.acknowledge(&claimed).await.unwrap();
    desk.pass(desk.lease() * 2).await;
    assert!(outbox.claim(10).await.unwrap().is_empty());

    // Removed, nothing of it is wanted; taken in again, only the new version is.
    desk.remove(tenant, document).await;
    finish(outbox).await;
    take_in(intake, desk, submission(tenant, "a.md", "two"), &["First."]).await;
    let wanted = outbox.wanted(model("m"), &[(tenant, document)]).await.unwrap().remove(0);
    assert_eq!((wanted.document.points.len(), wanted.missing.len()), (1, 0));
    assert_eq!(wanted.document.points[0].passage.version, 2);
    finish(outbox).await;
}

async fn the_old_version_stays_until_the_new_one_is_in_the_index(
    outbox: &dyn Outbox,
    intake: &dyn Intake,
    desk: &dyn Desk,
) {
    let tenant = desk.tenant("outbox versions").await;
    let document = take_in(intake, desk, submission(tenant, "a.md", "one"), &["One."]).await;
    finish(outbox).await;
    let wanted = async || outbox.wanted(model("none"), &[(tenant, document)]).await.unwrap().remove(0);
    let texts = async || wanted().await.missing.into_iter().map(|missing| missing.text).collect::<Vec<_>>();
    let one = texts().await;
    take_in(intake, desk, submission(tenant, "a.md", "two"), &["Two."]).await;
    let both = texts().await;
    assert!(both.len() == 2 && both[0] == one[0] && both[1].contains("Two."), "{both:?}");
    assert_eq!(desk.hand_in(submission(tenant, "a.md", "two")).await, Submitted::Unchanged, "it was handed in already");

    // One that came meanwhile takes the place of the one that was to follow.
    let claimed = self::one(outbox, 10).await;
    take_in(intake, desk, submission(tenant, "a.md", "three"), &["Three."]).await;
    outbox.acknowledge(&[claimed]).await.unwrap();
    let both = texts().await;
    assert!(both.len() == 2 && both[0] == one[0] && both[1].contains("Three."), "{both:?}");

    // All of it is in the index: now it is the current one, and the old points are to go.
    finish(outbox).await;
    let three = texts().await;
    assert!(three.len() == 1 && three[0].contains("Three."), "{three:?}");
    finish(outbox).await;
    assert!(outbox.claim(10).await.unwrap().is_empty());

    // Who sees the old one changes at once, and a document that is removed has no next version.
    let narrowed = Submission { tags: tags(&["finance"]), ..submission(tenant, "a.md", "four") };
    take_in(intake, desk, narrowed, &["Four."]).await;
    assert_eq!(wanted().await.document.tags, tags(&["finance"]));
    desk.retag(tenant, document, tags(&["sales"])).await;
    desk.remove(tenant, document).await;
    assert!(texts().await.is_empty());
    finish(outbox).await;
    assert!(outbox.claim(10).await.unwrap().is_empty());
}

async fn single_documents_can_be_taken_before_all_others(outbox: &dyn Outbox, intake: &dyn Intake, desk: &dyn Desk) {
    let tenant = desk.tenant("outbox single").await;
    let first = take_in(intake, desk, submission(tenant, "a.md", "one"), &["Text."]).await;
    let second = take_in(intake, desk, submission(tenant, "b.md", "two"), &["Text."]).await;
    let claimed = outbox.claim_of(&[(tenant, second)]).await.unwrap();
    assert_eq!((claimed.publications.len(), claimed.others), (1, 0));
    assert_eq!(claimed.publications[0].document, second);
    let others = outbox.claim_of(&[(tenant, second)]).await.unwrap();
    assert_eq!((others.publications.len(), others.others), (0, 1));
    let rest = one(outbox, 10).await;
    assert_eq!(rest.document, first);
    outbox.acknowledge(&claimed.publications).await.unwrap();
    assert_eq!(outbox.claim_of(&[(tenant, second)]).await.unwrap(), ClaimedOf::default());
    outbox.acknowledge(&[rest]).await.unwrap();
    assert!(outbox.claim(10).await.unwrap().is_empty());
}

async fn the_oldest_is_published_first(outbox: &dyn Outbox, intake: &dyn Intake, desk: &dyn Desk) {
    let tenant = desk.tenant("outbox order").await;
    let mut documents = Vec::new();
    for name in ["c.md", "a.md", "b.md"] {
        documents.push(take_in(intake, desk, submission(tenant, name, name), &["Text."]).await);
    }
    // A change of what waits already gives it no later place.
    desk.retag(tenant, documents[0], tags(&["finance"])).await;
    for document in documents {
        let claimed = one(outbox, 1).await;
        assert_eq!(claimed.document, document);
        outbox.acknowledge(&[claimed]).await.unwrap();
    }
    assert!(outbox.claim(10).await.unwrap().is_empty());
}

async fn tenants_take_turns(outbox: &dyn Outbox, intake: &dyn Intake, desk: &dyn Desk) {
    let (busy, quiet) = (desk.tenant("outbox busy").await, desk.tenant("outbox quiet").await);
    for name in ["a.md", "b.md", "c.md", "d.md"] {
        take_in(intake, desk, submission(busy, name, name), &["Text."]).await;
    }
    let document = take_in(intake, desk, submission(quiet, "a.md", "one"), &["Text."]).await;
    let first = outbox.claim(2).await.unwrap();
    assert_eq!((first.len(), first.iter().filter(|one| one.tenant == busy).count()), (2, 1));
    assert!(first.iter().any(|one| (one.tenant, one.document) == (quiet, document)), "it does not wait for the others");
    let rest = outbox.claim(10).await.unwrap();
    assert_eq!(rest.len(), 3, "places that the quiet tenant has no use for are the busy one's");
    outbox.acknowledge(&first).await.unwrap();
    outbox.acknowledge(&rest).await.unwrap();
    assert!(outbox.claim(10).await.unwrap().is_empty());
}

async fn a_change_during_publication_is_published_again(outbox: &dyn Outbox, intake: &dyn Intake, desk: &dyn Desk) {
    let tenant = desk.tenant("outbox change").await;
    let document = take_in(intake, desk, submission(tenant, "a.md", "one"), &["Text."]).await;
    let claimed = one(outbox, 10).await;
    desk.retag(tenant, document, tags(&["finance"])).await;
    assert!(outbox.claim(10).await.unwrap().is_empty(), "one publisher at a time");
    outbox.acknowledge(std::slice::from_ref(&claimed)).await.unwrap();
    let again = one(outbox, 10).await;
    assert!(again.generation > claimed.generation);
    let wanted = outbox.wanted(model("m"), &[(tenant, document)]).await.unwrap();
    assert_eq!(wanted[0].document.tags, tags(&["finance"]));
    outbox.acknowledge(&[again]).await.unwrap();
    assert!(outbox.claim(10).await.unwrap().is_empty());
}

async fn who_sees_a_document_is_read_when_its_job_ends(outbox: &dyn Outbox, intake: &dyn Intake, desk: &dyn Desk) {
    let tenant = desk.tenant("outbox retagged").await;
    let handed_in = submission(tenant, "a.md", "one");
    let document = handed_in.document_id();
    desk.hand_in(handed_in).await;
    let job = intake.claim(1).await.unwrap().remove(0);
    desk.retag(tenant, document, tags(&["finance"])).await;
    intake.commit(vec![(job, super::intake::version(&["Text."]))]).await.unwrap();
    let wanted = outbox.wanted(model("m"), &[(tenant, document)]).await.unwrap();
    assert_eq!(wanted[0].document.tags, tags(&["finance"]), "the newest word counts");
    finish(outbox).await;
}

async fn a_removed_document_is_wanted_without_points(outbox: &dyn Outbox, intake: &dyn Intake, desk: &dyn Desk) {
    let tenant = desk.tenant("outbox removed").await;
    let document = take_in(intake, desk, submission(tenant, "a.md", "one"), &["Text."]).await;
    finish(outbox).await;
    desk.remove(tenant, document).await;
    assert_eq!(one(outbox, 10).await.document, document);
    let wanted = outbox.wanted(model("m"), &[(tenant, document)]).await.unwrap().remove(0);
    assert!(wanted.document.points.is_empty() && wanted.missing.is_empty());
    desk.pass(desk.lease() * 2).await;
    finish(outbox).await;
}

async fn a_publisher_that_lost_its_lease_has_it_published_again(
    outbox: &dyn Outbox,
    intake: &dyn Intake,
    desk: &dyn Desk,
) {
    let tenant = desk.tenant("outbox lost").await;
    take_in(intake, desk, submission(tenant, "a.md", "one"), &["Text."]).await;
    let slow = one(outbox, 10).await;
    desk.pass(desk.lease() * 2).await;
    let quick = one(outbox, 10).await;
    outbox.release(std::slice::from_ref(&slow)).await.unwrap();
    assert!(outbox.claim(10).await.unwrap().is_empty(), "nobody gives back what is another's");
    outbox.acknowledge(&[quick]).await.unwrap();
    assert!(outbox.claim(10).await.unwrap().is_empty());

    outbox.acknowledge(&[slow]).await.unwrap();
    let again = one(outbox, 10).await;
    outbox.acknowledge(&[again]).await.unwrap();
    assert!(outbox.claim(10).await.unwrap().is_empty());
}

async fn a_lease_is_held_by_renewing_it_and_given_back_at_once(
    outbox: &dyn Outbox,
    intake: &dyn Intake,
    desk: &dyn Desk,
) {
    let tenant = desk.tenant("outbox renewed").await;
    take_in(intake, desk, submission(tenant, "a.md", "one"), &["Text."]).await;
    let held = [one(outbox, 10).await];
    for _ in 0..3 {
        desk.pass(desk.lease() * 2 / 3).await;
        outbox.renew(&held).await.unwrap();
        assert!(outbox.claim(10).await.unwrap().is_empty());
    }
    outbox.release(&held).await.unwrap();
    finish(outbox).await;
}

/// The one publication that waits.
async fn one(outbox: &dyn Outbox, limit: usize) -> Publication {
    let mut claimed = outbox.claim(limit).await.unwrap();
    assert_eq!(claimed.len(), 1);
    claimed.remove(0)
}

/// Acknowledges the one publication that waits.
async fn finish(outbox: &dyn Outbox) {
    let claimed = one(outbox, 10).await;
    outbox.acknowledge(&[claimed]).await.unwrap();
}
