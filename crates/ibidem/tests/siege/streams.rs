//! Streams whose clients hang up at any point: nothing is left behind, and every turn that began has one record.

use std::time::{Duration, Instant};

use futures::{StreamExt as _, stream};
use ibidem_words::Role;
use rand::rngs::StdRng;
use rand::{RngExt as _, SeedableRng as _};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use uuid::Uuid;

use crate::installation::{Served, with_installation};
use crate::model::Model;
use crate::share;
use crate::wire::{PATIENCE, call, connect, request};
use crate::world::{key, take_in_public};

/// Decides where clients hang up, unless `IBIDEM_TEST_SEED` says otherwise.
const SEED: u64 = 20_261_115;
const QUESTION: &str = r#"{"query": "How many days of leave may be carried over?"}"#;

/// What asks for a stream, and how much of it there is.
#[derive(Clone, Copy)]
struct Door {
    path: &'static str,
    body: &'static str,
    /// In every stream that began.
    beginning: &'static str,
    /// In every stream that was read to its end.
    ending: &'static str,
    streams: usize,
    at_once: usize,
    /// The server works on so many at the same time.
    places: usize,
    /// The model writes nothing until all of them wait for it: they are under way at the same time.
    waits_for_all: bool,
}

impl Door {
    fn answers() -> Self {
        Self {
            path: "/v1/answers",
            body: r#"{"query": "How many days of leave may be carried over?", "stream": true}"#,
            beginning: "event: ",
            ending: "event: answer",
            streams: share(100, 1_000),
            at_once: 16,
            places: 24,
            waits_for_all: false,
        }
    }

    /// Chat programs.
    fn chat() -> Self {
        let streams = share(60, 500);
        Self {
            path: "/v1/chat/completions",
            body: r#"{"model": "ibidem", "stream": true,
                "messages": [{"role": "user", "content": "How many days of leave may be carried over?"}]}"#,
            beginning: "data: ",
            ending: "data: [DONE]",
            streams,
            at_once: streams,
            places: streams,
            waits_for_all: true,
        }
    }
}

/// Where a client hangs up.
#[derive(Clone, Copy, Debug)]
enum HangsUp {
    /// After so many bytes of the request.
    Sending(usize),
    /// After so many bytes of the response.
    Reading(usize),
    Never,
}

/// What a client saw of its stream.
struct Seen {
    id: Uuid,
    began: bool,
    ended: bool,
    text: String,
}

async fn stream_of(door: Door, url: &str, key: &str, hangs_up: HangsUp) -> Seen {
    let id = Uuid::new_v4();
    let (authorization, id_text) = (format!("Bearer {key}"), id.to_string());
    let headers =
        [("authorization", authorization.as_str()), ("content-type", "application/json"), ("x-request-id", &id_text)];
    let request = request("POST", door.path, &headers, door.body);
    let mut connection = connect(url).await;
    if let HangsUp::Sending(bytes) = hangs_up {
        let _ = connection.write_all(&request.as_bytes()[..bytes.min(request.len() - 1)]).await;
        return Seen { id, began: false, ended: false, text: String::new() };
    }
    let _ = connection.write_all(request.as_bytes()).await;
    let most = if let HangsUp::Reading(bytes) = hangs_up { bytes } else { usize::MAX };
    let (mut read, mut piece) = (Vec::new(), [0; 256]);
    while read.len() < most {
        let room = piece.len().min(most - read.len());
        let got =
            tokio::time::timeout(PATIENCE, connection.read(&mut piece[..room])).await.expect("the stream goes on");
        match got {
            Ok(length) if length > 0 => read.extend_from_slice(&piece[..length]),
            _ => break,
        }
    }
    let text = String::from_utf8_lossy(&read).into_owned();
    Seen { id, began: text.contains(door.beginning), ended: text.contains(door.ending), text }
}

/// A stream that is read to its end. A turn keeps its place until it has its record, which may be after its reader has all
/// of it: whoever is turned away meanwhile comes again, as the reply says.
async fn whole_stream(door: Door, url: &str, key: &str) -> Seen {
    let turned_in = async {
        loop {
            let seen = stream_of(door, url, key, HangsUp::Never).await;
            if !seen.text.starts_with("HTTP/1.1 503") {
                return seen;
            }
        }
    };
    tokio::time::timeout(PATIENCE, turned_in).await.expect("a place becomes free")
}

/// The file handles of the server, and its connections with clients.
fn handles(served: &Served) -> (usize, usize) {
    let pid = served.pid();
    let port = served.url.rsplit_once(':').unwrap().1.parse::<u16>().unwrap();
    let handles = std::fs::read_dir(format!("/proc/{pid}/fd")).unwrap().count();
    let table = std::fs::read_to_string(format!("/proc/{pid}/net/tcp")).unwrap();
    let ours = format!(":{port:04X}");
    let is_open = |line: &&str| {
        let columns: Vec<&str> = line.split_whitespace().collect();
        // 01 is established, 08 closed by the client alone.
        columns.get(1).is_some_and(|local| local.ends_with(&ours)) && ["01", "08"].contains(&columns[3])
    };
    (handles, table.lines().filter(is_open).count())
}

#[tokio::test(flavor = "multi_thread")]
async fn clients_that_hang_up_leave_nothing_behind_and_every_turn_has_one_record() {
    besieged_by(Door::answers()).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn chat_programs_that_all_wait_at_once_and_hang_up_leave_nothing_behind() {
    besieged_by(Door::chat()).await;
}

async fn besieged_by(door: Door) {
    let Door { path, streams, at_once, places, .. } = door;
    let seed = std::env::var("IBIDEM_TEST_SEED").map_or(SEED, |seed| seed.parse().unwrap());
    with_installation(async |installation| {
        take_in_public(installation).await;
        let model = Model::start().await;
        let mut settings = vec![("IBIDEM__SERVER__MAX_IN_FLIGHT", places.to_string())];
        settings.push(("IBIDEM__SERVER__TENANT_SHARE_PERCENT", "100".to_owned()));
        settings.push(("IBIDEM__SERVER__MAX_CONNECTIONS", (2 * places).to_string()));
        settings.push(("IBIDEM__SERVER__KEY_SHARE_PERCENT", "100".to_owned()));
        // Hundreds at once wait for one another, and are all to reach the model.
        for name in ["IBIDEM__DATABASE__ACQUIRE_TIMEOUT_MS", "IBIDEM__DATABASE__TIMEOUT_MS"] {
            settings.push((name, "240000".to_owned()));
        }
        for name in ["IBIDEM__INDEX__TIMEOUT_MS", "IBIDEM__EMBEDDING__TIMEOUT_MS"] {
            settings.push((name, "240000".to_owned()));
        }
        settings.extend(model.settings());
        let settings: Vec<(&str, &str)> = settings.iter().map(|(name, value)| (*name, value.as_str())).collect();
        let served = installation.serve(&settings).await;
        let key = key(installation, "default", Role::Asker, &[]).await;

        // Many at once: what is opened once and kept is open before anything is counted.
        let warm = if door.waits_for_all { at_once.min(64) } else { 2 * at_once };
        model.may_write.add_permits(4 * warm);
        let warm: Vec<Seen> = stream::iter(0..warm)
            .map(|_| whole_stream(door, &served.url, &key))
            .buffer_unordered(at_once)
            .collect()
            .await;
        let broken = warm.iter().find(|seen| !seen.ended).map(|seen| &seen.text);
        assert_eq!(broken, None, "a stream that is read to its end ends in an answer");
        // A turn has its place until it has its record.
        let on_record = async {
            while installation.records().await.len() < warm.len() {
                tokio::time::sleep(Duration::from_millis(20)).await;
            }
        };
        tokio::time::timeout(PATIENCE, on_record).await.expect("every turn is recorded");
        settled(&served, usize::MAX).await;
        let (handles_before, _) = handles(&served);

        let began = Instant::now();
        let mut random = StdRng::seed_from_u64(seed);
        let points: Vec<HangsUp> = (0..streams)
            .map(|_| match random.random_range(0..10) {
                0 | 1 => HangsUp::Sending(random.random_range(0..400)),
                2..=7 => HangsUp::Reading(random.random_range(0..3_000)),
                8 => HangsUp::Reading(0),
                _ => HangsUp::Never,
            })
            .collect();
        if door.waits_for_all {
            model.may_write.forget_permits(usize::MAX);
        } else {
            model.may_write.add_permits(streams * 4);
        }
        // Whoever reads a byte of the reply has begun a turn.
        let sure = points.iter().filter(|point| matches!(point, HangsUp::Reading(1..) | HangsUp::Never)).count();
        let asked_before = model.times_asked();
        let all_wait = async {
            if door.waits_for_all {
                model.was_asked(asked_before + sure).await;
                model.may_write.add_permits(streams * 4);
            }
        };
        let clients = stream::iter(points)
            .map(|hangs_up| stream_of(door, &served.url, &key, hangs_up))
            .buffer_unordered(at_once)
            .collect();
        let (seen, ()): (Vec<Seen>, ()) = tokio::join!(clients, all_wait);
        let took = began.elapsed();
        let handles_after = settled(&served, handles_before).await;

        all_places_are_free(&model, &served, &key, places).await;
        // It waits for every turn and every record.
        served.stop().await;
        let records = installation.records().await;
        let twice = records.values().filter(|count| **count != 1).count();
        let begun = seen.iter().filter(|seen| seen.began).count();
        let missing = seen.iter().filter(|seen| seen.began && !records.contains_key(&seen.id)).count();
        let unseen = seen.iter().filter(|seen| !seen.began && records.contains_key(&seen.id)).count();
        eprintln!(
            "siege: {path}: {streams} streams, {at_once} at once, in {took:.1?} (seed {seed}): {begun} seen to begin, {} read \
             to their end, {unseen} more went on unseen; records missing {missing}, double {twice}; file handles \
             {handles_before} before and {handles_after} after, no connection left, all {places} places free",
            seen.iter().filter(|seen| seen.ended).count(),
        );
        assert_eq!((missing, twice), (0, 0));
        assert!(begun > streams / 5, "{begun} of {streams}");
    })
    .await;
}

/// Waits until no client is connected and no more file handles than these are open.
async fn settled(served: &Served, most: usize) -> usize {
    let settled = async {
        loop {
            let (handles, connections) = handles(served);
            if connections == 0 && handles <= most {
                return handles;
            }
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    };
    let settled = tokio::time::timeout(PATIENCE, settled).await;
    settled.unwrap_or_else(|_| panic!("at most {most} handles, and there are {:?}", handles(served)))
}

/// As many questions as there are places reach the model at once, and one more is turned away.
async fn all_places_are_free(model: &Model, served: &Served, key: &str, places: usize) {
    // What is left of the permission to write is taken away.
    model.may_write.forget_permits(usize::MAX);
    let before = model.times_asked();
    let asked: Vec<_> = (0..places)
        .map(|_| {
            let (url, key) = (served.url.clone(), key.to_owned());
            // The places of turns that have no record yet are still to become free.
            tokio::spawn(async move {
                loop {
                    let reply = call(&url, "POST", "/v1/answers", Some(&key), QUESTION).await;
                    if reply.status != Some(503) {
                        return reply;
                    }
                }
            })
        })
        .collect();
    model.was_asked(before + places).await;
    let more = call(&served.url, "POST", "/v1/answers", Some(key), QUESTION).await;
    assert_eq!(more.status, Some(503), "{more:?}");
    model.may_write.add_permits(places);
    for asked in asked {
        assert_eq!(asked.await.unwrap().status, Some(200));
    }
}
