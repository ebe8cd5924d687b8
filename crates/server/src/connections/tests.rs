//! What becomes of clients that take too long, on connections in memory and by a clock that is turned by hand.

use axum::body::Body;
use axum::routing::{get, post};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _, DuplexStream, duplex};
use tokio::sync::{mpsc, oneshot};

use super::*;

const HEAD: Duration = Duration::from_secs(10);
const IDLE: Duration = Duration::from_secs(75);
const READ: Duration = Duration::from_secs(30);
const REPLY: Duration = Duration::from_secs(45);

/// Connections that are handed in by hand.
struct InMemory(mpsc::UnboundedReceiver<DuplexStream>);

impl Listener for InMemory {
    type Io = DuplexStream;
    type Addr = ();

    async fn accept(&mut self) -> (DuplexStream, ()) {
        match self.0.recv().await {
            Some(io) => (io, ()),
            None => std::future::pending().await,
        }
    }

    fn local_addr(&self) -> std::io::Result<()> {
        Ok(())
    }
}

struct Server {
    clients: mpsc::UnboundedSender<DuplexStream>,
    stop: Option<oneshot::Sender<()>>,
    serving: tokio::task::JoinHandle<()>,
    /// Requests to `/think` wait for it.
    thought: Arc<Semaphore>,
}

impl Server {
    fn start(max_connections: usize) -> Self {
        let thought = Arc::new(Semaphore::new(0));
        let thinking = thought.clone();
        let router = Router::new()
            .route("/", get(|| async { "well" }))
            .route("/large", get(|| async { Body::from(vec![b'x'; 500_000]) }))
            .route("/sent", post(|body: String| async move { body.len().to_string() }))
            .route(
                "/think",
                get(|| async move {
                    let _ = thinking.acquire().await;
                    "thought"
                }),
            );
        let limits = ConnectionLimits { max_connections, head_timeout: HEAD, idle_timeout: IDLE, read_timeout: READ };
        let (clients, listener) = mpsc::unbounded_channel();
        let (stop, stopped) = oneshot::channel();
        let serving = tokio::spawn(async move {
            let stopped = async { drop(stopped.await) };
            serve(InMemory(listener), router, limits, REPLY, stopped).await;
        });
        Self { clients, stop: Some(stop), serving, thought }
    }

    /// A client with a line that holds so many bytes.
    fn connect(&self, bytes: usize) -> DuplexStream {
        let (ours, theirs) = duplex(bytes);
        self.clients.send(theirs).unwrap();
        ours
    }

    async fn stop(mut self) {
        let _ = self.stop.take().unwrap().send(());
        self.serving.await.unwrap();
    }
}

async fn said(client: &mut DuplexStream, bytes: &str) {
    client.write_all(bytes.as_bytes()).await.unwrap();
}

/// Everything until the server hangs up, and how long that took.
async fn until_hung_up(client: &mut DuplexStream) -> (String, Duration) {
    let began = Instant::now();
    let mut read = Vec::new();
    let _ = client.read_to_end(&mut read).await;
    (String::from_utf8(read).unwrap(), began.elapsed())
}

/// One request on a connection that stays open.
async fn ask(client: &mut DuplexStream, path: &str) -> String {
    said(client, &format!("GET {path} HTTP/1.1\r\nhost: h\r\n\r\n")).await;
    let mut read = vec![0; 4_096];
    let length = client.read(&mut read).await.unwrap();
    String::from_utf8(read[..length].to_vec()).unwrap()
}

#[tokio::test(start_paused = true)]
async fn a_client_that_says_nothing_is_hung_up_on() {
    let server = Server::start(4);
    let (read, after) = until_hung_up(&mut server.connect(1_000)).await;
    assert_eq!((read.as_str(), after), ("", HEAD));
    server.stop().await;
}

#[tokio::test(start_paused = true)]
async fn a_head_that_trickles_in_has_its_time_and_no_more() {
    let server = Server::start(4);
    let mut client = server.connect(1_000);
    let began = Instant::now();
    for byte in "GET / HTTP/1.1\r\nhost: h\r\nx-slow: yes, very\r\n\r\n".chars() {
        if client.write_all(byte.to_string().as_bytes()).await.is_err() {
            break;
        }
        tokio::time::sleep(Duration::from_secs(1)).await;
    }
    assert_eq!(until_hung_up(&mut client).await.0, "");
    let took = began.elapsed();
    assert!(took >= HEAD && took <= HEAD + Duration::from_secs(2), "{took:?}");
    server.stop().await;
}

#[tokio::test(start_paused = true)]
async fn a_connection_stays_open_between_requests_for_a_while() {
    let server = Server::start(4);
    let mut client = server.connect(10_000);
    for pause in [Duration::ZERO, IDLE / 2, IDLE - Duration::from_secs(1)] {
        tokio::time::sleep(pause).await;
        assert!(ask(&mut client, "/").await.ends_with("well"));
    }
    assert_eq!(until_hung_up(&mut client).await, (String::new(), IDLE));
    // What comes after a pause is a head like any other.
    let mut client = server.connect(10_000);
    assert!(ask(&mut client, "/").await.ends_with("well"));
    tokio::time::sleep(IDLE / 2).await;
    said(&mut client, "GET / HT").await;
    assert_eq!(until_hung_up(&mut client).await, (String::new(), HEAD));
    server.stop().await;
}

#[tokio::test(start_paused = true)]
async fn a_request_under_way_is_waited_for() {
    let server = Server::start(4);
    let mut client = server.connect(10_000);
    let thought = server.thought.clone();
    tokio::spawn(async move {
        tokio::time::sleep(REPLY).await;
        thought.add_permits(1);
    });
    let began = Instant::now();
    assert!(ask(&mut client, "/think").await.ends_with("thought"));
    assert_eq!(began.elapsed(), REPLY);
    server.stop().await;
}

#[tokio::test(start_paused = true)]
async fn a_client_that_does_not_read_is_hung_up_on() {
    let server = Server::start(4);
    let mut client = server.connect(1_000);
    said(&mut client, "GET /large HTTP/1.1\r\nhost: h\r\n\r\n").await;
    tokio::time::sleep(READ + Duration::from_secs(1)).await;
    let (read, after) = until_hung_up(&mut client).await;
    assert!(read.starts_with("HTTP/1.1 200 OK") && read.len() <= 1_000, "{}", read.len());
    assert_eq!(after, Duration::ZERO);
    server.stop().await;
}

#[tokio::test(start_paused = true)]
async fn a_client_that_reads_a_little_now_and_then_is_hung_up_on_all_the_same() {
    let server = Server::start(4);
    let mut client = server.connect(1_000);
    said(&mut client, "GET /large HTTP/1.1\r\nhost: h\r\n\r\n").await;
    let (began, mut read) = (Instant::now(), 0);
    loop {
        tokio::time::sleep(Duration::from_secs(1)).await;
        match client.read(&mut [0; 1_000]).await.unwrap() {
            0 => break,
            length => read += length,
        }
    }
    assert!(read < 50_000 && began.elapsed() <= READ + Duration::from_secs(4), "{read} in {:?}", began.elapsed());
    server.stop().await;
}

#[tokio::test(start_paused = true)]
async fn a_slow_reader_that_keeps_up_reads_everything() {
    let server = Server::start(4);
    let mut client = server.connect(100_000);
    said(&mut client, "GET /large HTTP/1.1\r\nhost: h\r\nconnection: close\r\n\r\n").await;
    let mut read = 0;
    loop {
        tokio::time::sleep(Duration::from_secs(2)).await;
        match client.read(&mut vec![0; 100_000]).await.unwrap() {
            0 => break,
            length => read += length,
        }
    }
    assert!(read > 500_000, "{read}");
    server.stop().await;
}

#[tokio::test(start_paused = true)]
async fn an_http2_client_that_never_opens_its_window_is_hung_up_on() {
    let server = Server::start(4);
    let mut client = server.connect(1_000_000);
    // The preface, settings with an initial window of nothing, and the head of GET /large.
    let mut bytes = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".to_vec();
    bytes.extend([0, 0, 6, 4, 0, 0, 0, 0, 0, 0, 4, 0, 0, 0, 0]);
    let head = [&[0x82, 0x86, 0x44, 6][..], b"/large", &[0x41, 1], b"h"].concat();
    bytes.extend([0, 0, u8::try_from(head.len()).unwrap(), 1, 5, 0, 0, 0, 1]);
    bytes.extend(head);
    client.write_all(&bytes).await.unwrap();
    let began = Instant::now();
    let mut read = vec![0; 100_000];
    loop {
        let length = client.read(&mut read).await.unwrap();
        if length == 0 {
            break;
        }
        // Whoever answers pings is there, and still does not read.
        for frame in read[..length].chunks(17).filter(|frame| frame.len() == 17 && frame[3] == 6 && frame[4] == 0) {
            let pong = [&frame[..4], &[1], &frame[5..]].concat();
            let _ = client.write_all(&pong).await;
        }
    }
    assert!(began.elapsed() <= IDLE + READ + REPLY, "{:?}", began.elapsed());
    server.stop().await;
}

#[tokio::test(start_paused = true)]
async fn when_no_connection_is_free_whoever_waited_longest_makes_room() {
    let server = Server::start(3);
    let mut thinking = server.connect(10_000);
    said(&mut thinking, "GET /think HTTP/1.1\r\nhost: h\r\n\r\n").await;
    let mut oldest = server.connect(10_000);
    tokio::time::sleep(Duration::from_secs(1)).await;
    let mut younger = server.connect(10_000);
    tokio::time::sleep(Duration::from_secs(1)).await;
    let began = Instant::now();
    let mut honest = server.connect(10_000);
    assert!(ask(&mut honest, "/").await.ends_with("well"));
    assert_eq!((until_hung_up(&mut oldest).await.0.as_str(), began.elapsed()), ("", Duration::ZERO));
    assert!(ask(&mut younger, "/").await.ends_with("well"), "it was left alone");
    server.thought.add_permits(1);
    assert!(until_hung_up(&mut thinking).await.0.ends_with("thought"), "a request under way is not ended");
    server.stop().await;
}

#[tokio::test(start_paused = true)]
async fn a_flood_of_clients_that_say_nothing_keeps_no_honest_one_out() {
    let server = Server::start(8);
    let mut silent = Vec::new();
    for _ in 0..1_000 {
        silent.push(server.connect(100));
    }
    let began = Instant::now();
    assert!(ask(&mut server.connect(10_000), "/").await.ends_with("well"));
    assert_eq!(began.elapsed(), Duration::ZERO);
    drop(silent);
    server.stop().await;
}

#[tokio::test(start_paused = true)]
async fn an_orderly_stop_lets_requests_end_and_hangs_up_on_the_rest() {
    let server = Server::start(4);
    let (mut idle, mut thinking) = (server.connect(10_000), server.connect(10_000));
    assert!(ask(&mut idle, "/").await.ends_with("well"));
    said(&mut thinking, "GET /think HTTP/1.1\r\nhost: h\r\n\r\n").await;
    tokio::task::yield_now().await;
    let thought = server.thought.clone();
    let stopping = tokio::spawn(server.stop());
    assert_eq!(until_hung_up(&mut idle).await, (String::new(), Duration::ZERO));
    assert!(!stopping.is_finished());
    thought.add_permits(1);
    assert!(until_hung_up(&mut thinking).await.0.ends_with("thought"));
    stopping.await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn a_head_that_is_too_large_is_refused() {
    let server = Server::start(4);
    let mut client = server.connect(1_000_000);
    said(&mut client, &format!("GET / HTTP/1.1\r\nhost: h\r\nx-large: {}\r\n\r\n", "x".repeat(100_000))).await;
    assert!(until_hung_up(&mut client).await.0.starts_with("HTTP/1.1 431"));
    server.stop().await;
}

/// A route that refuses before it has read anything, on a real socket: in memory nothing is lost by closing early.
#[tokio::test]
async fn who_is_refused_before_all_was_sent_hears_why() {
    let router = Router::new().route("/refused", post(|| async { "it is too large" }));
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let limits = ConnectionLimits { max_connections: 4, head_timeout: HEAD, idle_timeout: IDLE, read_timeout: READ };
    let (stop, stopped) = oneshot::channel::<()>();
    let serving = tokio::spawn(serve(listener, router, limits, REPLY, async { drop(stopped.await) }));
    for _ in 0..20 {
        let mut client = tokio::net::TcpStream::connect(address).await.unwrap();
        let bytes = 2_000_000;
        let head = format!("POST /refused HTTP/1.1\r\nhost: h\r\ncontent-length: {bytes}\r\n\r\n");
        client.write_all(head.as_bytes()).await.unwrap();
        for _ in 0..20 {
            client.write_all(&vec![b'x'; bytes / 20]).await.unwrap();
            tokio::time::sleep(Duration::from_millis(1)).await;
        }
        let mut read = String::new();
        client.read_to_string(&mut read).await.unwrap();
        assert!(read.ends_with("it is too large"), "{read}");
    }
    drop(stop);
    serving.await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn who_goes_on_sending_after_the_last_word_is_hung_up_on() {
    let server = Server::start(4);
    let mut client = server.connect(10_000);
    said(&mut client, "GET / HTTP/1.1\r\nhost: h\r\nconnection: close\r\n\r\n").await;
    let (read, after) = until_hung_up(&mut client).await;
    assert!(read.ends_with("well") && after == Duration::ZERO, "{read} after {after:?}");
    let began = Instant::now();
    while client.write_all(b"still there?").await.is_ok() {
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
    assert!(began.elapsed() <= Duration::from_millis(2_200), "{:?}", began.elapsed());
    let mut flooding = server.connect(1_000_000);
    said(&mut flooding, "GET / HTTP/1.1\r\nhost: h\r\nconnection: close\r\n\r\n").await;
    assert!(until_hung_up(&mut flooding).await.0.ends_with("well"));
    let mut sent = 0;
    while flooding.write_all(&[b'x'; 100_000]).await.is_ok() {
        sent += 100_000;
    }
    assert!((3_000_000..6_000_000).contains(&sent), "{sent}");
    server.stop().await;
}
