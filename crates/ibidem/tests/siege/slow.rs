//! Slow clients: half a head, half a body, and nobody reading; honest clients are answered meanwhile.

use std::time::{Duration, Instant};

use futures::future::join_all;
use ibidem_words::Role;
use tokio::io::AsyncWriteExt as _;
use tokio::net::{TcpSocket, TcpStream};

use crate::installation::with_installation;
use crate::share;
use crate::wire::{PATIENCE, Reply, call, connect, request, rest_of};
use crate::world::{key, take_in_public};

const CONNECTIONS: &str = "64";
/// Of the server, in milliseconds: for a head, for a body, and for reading.
const LIMIT: &str = "3000";
const QUESTION: &str = r#"{"query": "How many days of leave may be carried over?"}"#;

#[tokio::test(flavor = "multi_thread")]
async fn slow_clients_are_hung_up_on_and_honest_ones_answered() {
    let (heads, bodies, readers, honest_requests) = (share(200, 1_000), share(16, 32), share(8, 16), share(20, 100));
    with_installation(async |installation| {
        take_in_public(installation).await;
        let served = installation
            .serve(&[
                ("IBIDEM__SERVER__MAX_CONNECTIONS", CONNECTIONS),
                ("IBIDEM__SERVER__HEAD_TIMEOUT_MS", LIMIT),
                ("IBIDEM__SERVER__BODY_TIMEOUT_MS", LIMIT),
                ("IBIDEM__SERVER__READ_TIMEOUT_MS", LIMIT),
                // On a busy machine a request may wait longer for a connection, and is honest all the same.
                ("IBIDEM__DATABASE__ACQUIRE_TIMEOUT_MS", "60000"),
            ])
            .await;
        let slow = key(installation, "default", Role::Asker, &[]).await;
        let honest = key(installation, "default", Role::Asker, &[]).await;

        // Those with a request under way first: whoever has none makes room for others.
        let half_bodies = join_all((0..bodies).map(|_| half_body(&served.url, &slow))).await;
        let unread = join_all((0..readers).map(|_| unread(&served.url, &slow))).await;
        let mut half_heads = Vec::new();
        let mut longest = Duration::ZERO;
        for round in 0..honest_requests {
            for _ in 0..heads / honest_requests {
                let mut connection = connect(&served.url).await;
                let _ = connection.write_all(b"POST /v1/answers HTTP/1.1\r\nhost: sie").await;
                half_heads.push(connection);
            }
            let began = Instant::now();
            let reply = call(&served.url, "POST", "/v1/search", Some(&honest), QUESTION).await;
            longest = longest.max(began.elapsed());
            assert_eq!(reply.status, Some(200), "honest request {round}: {reply:?}");
        }
        let began = Instant::now();
        let (heads, bodies, readers) = (half_heads.len(), half_bodies.len(), unread.len());
        for mut connection in half_heads {
            assert_eq!(rest_of(&mut connection).await, b"", "half a head is no request");
        }
        for mut connection in half_bodies {
            let bytes = rest_of(&mut connection).await;
            let reply = String::from_utf8_lossy(&bytes).into_owned();
            assert!(reply.starts_with("HTTP/1.1 408 ") && reply.contains("body_too_slow"), "{reply}");
        }
        for mut connection in unread {
            let read = rest_of(&mut connection).await.len();
            assert!(read < PIPELINED * 10_000, "it was hung up on before it had read everything: {read}");
        }
        let probe: Reply = call(&served.url, "GET", "/readyz", None, "").await;
        assert_eq!(probe.status, Some(200));
        eprintln!(
            "siege: slow clients: {heads} half heads, {bodies} half bodies, {readers} that do not read on {CONNECTIONS} \
             connections; {honest_requests} honest requests answered, the longest in {longest:.1?}; all slow ones ended \
             {:.1?} after the last",
            began.elapsed()
        );
        served.stop().await;
    })
    .await;
}

/// Ten bytes of a body of a hundred.
async fn half_body(url: &str, key: &str) -> TcpStream {
    let mut connection = connect(url).await;
    let head = format!(
        "POST /v1/answers HTTP/1.1\r\nhost: siege\r\nauthorization: Bearer {key}\r\ncontent-type: application/json\r\n\
         content-length: 100\r\n\r\n{{\"query\": "
    );
    connection.write_all(head.as_bytes()).await.unwrap();
    connection
}

/// Descriptions of the API that are asked for one after the other: several megabytes.
const PIPELINED: usize = 1_000;

async fn unread(url: &str, key: &str) -> TcpStream {
    let socket = TcpSocket::new_v4().unwrap();
    socket.set_recv_buffer_size(4_096).unwrap();
    let mut connection = socket.connect(url.strip_prefix("http://").unwrap().parse().unwrap()).await.unwrap();
    let authorization = format!("Bearer {key}");
    let one = request("GET", "/openapi.json", &[("authorization", &authorization)], "");
    let all = one.replace("connection: close\r\n", "").repeat(PIPELINED);
    // The server does not take all of them while nobody reads.
    let _ = tokio::time::timeout(PATIENCE, connection.write_all(all.as_bytes())).await;
    connection
}
