//! Servers on loopback that are no servers: they send what they were told, or are not there.

use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpListener;

/// The address of a server that sends these bytes to whoever connects, and then hangs or hangs up.
pub(crate) async fn fixed_bytes(reply: &'static str, hangs: bool) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    tokio::spawn(async move {
        // Bounded: a test asks a handful of times.
        for _ in 0..10 {
            let Ok((mut connection, _)) = listener.accept().await else { return };
            tokio::spawn(async move {
                let mut request = [0_u8; 4096];
                let _ = connection.read(&mut request).await;
                let _ = connection.write_all(reply.as_bytes()).await;
                if hangs {
                    std::future::pending::<()>().await;
                }
            });
        }
    });
    url
}

/// The address of a server that is not there.
pub(crate) async fn nobody() -> String {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    format!("http://{}", listener.local_addr().unwrap())
}
