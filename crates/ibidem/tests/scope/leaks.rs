//! Nobody gets anything of what they may not see, through HTTP, PostgreSQL and Qdrant: two installations, one with what
//! is hidden from an asker and one without, are asked the same by every route that the asker has.
//!
//! A case is one asker and one request. Each asserts that both replies are the same bytes, but for ids and times
//! ([`masked`]), and that no mark of anything hidden is in them.

mod documents;
mod found;
mod masked;
mod requests;
mod side;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::Instant;

use ibidem_engine::policy::Policy;
use ibidem_ports::curate::{EntryDraft, Window};
use ibidem_ports::embedder::Embedder as _;
use ibidem_server::{Least, Rules, endpoints};
use ibidem_store::Author;
use ibidem_words::{Identity, MemoryKind, Reference, Role, Scope, Tag, TenantId};
use rand::RngExt as _;
use rand::SeedableRng as _;
use rand::rngs::StdRng;
use rand::seq::IndexedRandom as _;
use serde_json::json;

use self::documents::{Marked, random_documents, random_tags, random_tenant};
use self::found::{Leak, listed};
use self::masked::Masked;
use self::requests::{Held, Request, how_many_kinds, request, rest, sign_out};
use self::side::{Asker, HttpReply, Side};
use crate::asking::TAGS;
use crate::seed;

const POLICIES: [&str; 3] = [
    include_str!("../../../../policies/architecture.yaml"),
    include_str!("../../../../policies/default.yaml"),
    include_str!("../../../../policies/handbook.yaml"),
];

/// Of one asker, in a run that has this many and more.
const CASES_OF_AN_ASKER: usize = 1_000;
/// `just lab leaks` makes it more.
const CASES: usize = 300;

/// What was tried and what was found.
#[derive(Default)]
struct Tally {
    by_route: BTreeMap<(&'static str, &'static str), usize>,
    assertions: usize,
    /// Replies with a mark of something that the asker may see.
    telling: usize,
    /// What others did where everything is: questions, conversations, entries and feedback.
    others: usize,
    /// Fields in which two replies had other values, which are not compared.
    masked: BTreeSet<&'static str>,
    leaks: Vec<Leak>,
}

impl Tally {
    fn cases(&self) -> usize {
        self.by_route.values().sum()
    }
}

/// Everybody of three roles, with keys and by groups.
fn random_asker(random: &mut StdRng, number: usize) -> Asker {
    let role = [Role::Asker, Role::Curator, Role::Admin][number % 3];
    Asker { tenant: random_tenant(random), role, tags: random_tags(random, 2), is_person: number / 3 % 2 == number % 2 }
}

impl Asker {
    fn scope(&self) -> Scope {
        let tags = self.tags.iter().cloned().collect();
        Scope::of(&Identity::for_tests(TenantId::named(self.tenant), "somebody", tags))
    }
}

/// Others use the world that has everything: they ask, talk, curate and complain. An admin's own tenant is left alone,
/// since an admin may see what is done in it.
async fn others_are_busy(side: &mut Side, random: &mut StdRng, asker: &Asker, hidden: &[Marked]) -> usize {
    let everything: Vec<Tag> = TAGS.iter().map(|tag| tag.parse().unwrap()).collect();
    let mut done = 0;
    for document in hidden.sample(random, 8) {
        let (submission, version) = &document.handed;
        let is_own = submission.tenant == TenantId::named(asker.tenant);
        if is_own && asker.role == Role::Admin {
            continue;
        }
        let key = [("authorization", side.key(submission.tenant, Role::Curator, &everything).await)];
        let begun = side.call_as(&key, "POST", "/v1/conversations", Some(&json!({ "title": document.mark }))).await;
        let conversation = begun.json()["id"].as_str().unwrap().to_owned();
        side.note("foreign conversation", &conversation);
        let query = version.passages[0].text.clone();
        let asked = json!({ "query": query, "conversation_id": conversation });
        let answer = side.call_as(&key, "POST", "/v1/answers", Some(&asked)).await.json();
        side.note("foreign answer", answer["request_id"].as_str().unwrap());
        done += 2;
        let ids: BTreeSet<String> = hidden.iter().map(|one| one.handed.0.document_id().to_string()).collect();
        let citations = answer["citations"].as_array().unwrap();
        let is_hidden = |cited: &serde_json::Value| ids.contains(cited["document_id"].as_str().unwrap_or_default());
        if citations.iter().any(is_hidden) {
            let path = "/v1/answers/@foreign answer@";
            let feedback = json!({ "thumb": "down", "reason": "wrong", "comment": document.mark });
            // Only what is on record can be judged.
            while side.call_as(&key, "GET", path, None).await.status == 404 {}
            let given = side.call_as(&key, "POST", &format!("{path}/feedback"), Some(&feedback)).await;
            assert!(given.status < 300, "{given:?}");
            done += 1;
        }
        done += write_entry(side, asker, document).await;
    }
    side.world().publish().await;
    done
}

/// An entry of curated memory for whoever sees the document, which the asker is not.
async fn write_entry(side: &mut Side, asker: &Asker, document: &Marked) -> usize {
    let (submission, version) = &document.handed;
    if submission.tags.is_empty() || asker.scope().sees(submission.tenant, &submission.tags) {
        return 0;
    }
    let counter = side.world().embedder.clone();
    let window = Window { max_tokens: counter.model().max_tokens, counter };
    let draft = EntryDraft {
        kind: MemoryKind::Note { text: format!("Mind the mark {}.", document.mark) },
        triggers: vec![version.passages[0].text.clone()],
        references: vec![Reference::Document(submission.document_id())],
        tags: submission.tags.clone(),
    };
    let author = Author::operator(submission.tenant);
    let store = side.world().store().clone();
    let made = store.create_entry(&author, &draft.checked(&window).unwrap()).await.unwrap();
    side.note("foreign entry", &made.0.to_string());
    1
}

/// Calls, and keeps the ids of what the asker made, for what is asked next. An answer is on record before anything else is
/// asked: how soon it is says nothing of what is hidden.
async fn called(side: &mut Side, request: &Request) -> HttpReply {
    let reply = side.call(request.route.0, &request.path, request.body.as_ref()).await;
    let body = reply.json();
    match request.route {
        ("POST", "/v1/answers") => {
            if let Some(id) = body["request_id"].as_str().filter(|_| reply.status == 200) {
                side.note("answer", id);
                side.wait_for_record("/v1/answers/@answer@").await;
            }
        }
        ("POST", "/v1/conversations") => side.note("conversation", body["id"].as_str().unwrap()),
        _ => {}
    }
    reply
}

/// The cases of one asker.
async fn cases_of(tally: &mut Tally, random: &mut StdRng, number: usize, cases: usize) {
    let everything = random_documents(random);
    let asker = random_asker(random, number);
    let scope = asker.scope();
    let (seen, hidden): (Vec<_>, Vec<_>) = everything.iter().cloned().partition(|one| one.is_seen_by(&scope));
    assert!(!seen.is_empty() && !hidden.is_empty());
    let policy = Arc::new(Policy::parse(POLICIES.choose(random).unwrap()).unwrap());
    let mut with = Side::with(&everything, &asker, &policy).await;
    let mut without = Side::with(&seen, &asker, &policy).await;
    tally.others += others_are_busy(&mut with, random, &asker, &hidden).await;

    let kinds = how_many_kinds(asker.role);
    let walk: Vec<usize> = (0..kinds).collect();
    let more = (0..cases.saturating_sub(kinds + 6)).map(|_| random.random_range(0..kinds)).collect::<Vec<_>>();
    let mut requests: Vec<Request> =
        walk.into_iter().chain(more).map(|kind| request(random, kind, &everything)).collect();
    requests.extend(rest());
    requests.push(sign_out());
    for request in requests {
        let (one, other) = futures::join!(called(&mut with, &request), called(&mut without, &request));
        *tally.by_route.entry(request.route).or_default() += 1;
        let sent = request.body.as_ref().map(ToString::to_string).unwrap_or_default();
        let is_told = |mark: &str| one.text.contains(mark) && !sent.contains(mark);
        let shown = hidden.iter().find(|one| is_told(&one.mark));
        tally.telling += usize::from(seen.iter().any(|one| is_told(&one.mark)));
        tally.assertions += 1;
        let [masked, other_masked] = [&one, &other].map(|reply| Masked::of(&reply.text));
        let mut differs = false;
        if request.held == Held::Same {
            tally.assertions += 1;
            tally.masked.extend(masked.changed(&other_masked));
            differs = (one.status, &one.kind, &masked.text) != (other.status, &other.kind, &other_masked.text);
        }
        if differs || shown.is_some() {
            let replies = [(one.status, masked), (other.status, other_masked)];
            let replies = replies.map(|(status, masked)| format!("{status} {}", masked.text));
            let mark = shown.map(|one| one.mark.clone());
            tally.leaks.push(Leak { request, asker: asker.clone(), mark, replies });
        }
    }
    with.end().await;
    without.end().await;
}

/// What there is to be called by somebody who is no operator, and changes nothing of anybody else's.
fn routes_to_try() -> BTreeSet<(&'static str, &'static str)> {
    let is_tried = |method: &str, least: Least| match least {
        Least::Anybody | Least::Role(Role::Asker) => true,
        Least::Role(_) => method == "GET",
        Least::Operator => false,
    };
    let tried = endpoints().iter().filter(|Rules { method, least, .. }| is_tried(method, *least));
    tried.map(|Rules { method, path, .. }| (*method, path.as_str())).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn no_reply_of_the_real_parts_depends_on_what_the_asker_may_not_see() {
    let cases = std::env::var("IBIDEM_LEAKS_REAL").map_or(CASES, |written| written.parse().unwrap());
    let (mut random, began) = (StdRng::seed_from_u64(seed()), Instant::now());
    let mut tally = Tally::default();
    // One of each role at least.
    let askers = cases.div_ceil(CASES_OF_AN_ASKER).max(3);
    for number in 0..askers {
        cases_of(&mut tally, &mut random, number, cases.div_ceil(askers)).await;
    }
    let (all, leaks) = (tally.cases(), tally.leaks.len());
    eprintln!(
        "leaks, on the real parts: {all} cases, {} assertions, {askers} askers, {} routes, {} deeds of others, {} replies \
         that tell something, {leaks} leaks, in {:.0?}",
        tally.assertions,
        tally.by_route.len(),
        tally.others,
        tally.telling,
        began.elapsed(),
    );
    let unneeded: Vec<_> = masked::names().difference(&tally.masked).copied().collect();
    eprintln!("  of the fields that are not compared, the same on both sides each time: {unneeded:?}");
    assert!(tally.leaks.is_empty(), "{leaks} of {all} leak:\n{}", listed(&tally.leaks));
    let missing: Vec<_> = routes_to_try().into_iter().filter(|route| !tally.by_route.contains_key(route)).collect();
    assert!(missing.is_empty(), "a new route is put into requests.rs: {missing:?}");
    assert!(all >= cases && tally.telling > all / 10 && tally.others > 0, "too little to show anything");
}
