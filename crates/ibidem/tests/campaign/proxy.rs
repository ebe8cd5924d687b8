//! What stands before a part, and fails as it is told.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use rand::rngs::StdRng;
use rand::{RngExt as _, SeedableRng as _};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::tcp::{OwnedReadHalf, OwnedWriteHalf};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{mpsc, watch};
use tokio::task::{JoinHandle, JoinSet};
use tokio::time::Instant;

use crate::faults::{Dependency, Fault, Faults};
use crate::replies;

/// Longer than any part is waited for.
const SLOW_BY: Duration = Duration::from_secs(2);

/// Below those that the kernel gives to outgoing connections: a port that is closed for a while is still free then.
const PORTS: std::ops::Range<u16> = 20_000..32_000;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Protocol {
    Http,
    Grpc,
    Postgres,
}

/// It ends when this is dropped, and with it every connection.
pub(crate) struct Proxy {
    pub(crate) address: String,
    task: JoinHandle<()>,
}

impl Drop for Proxy {
    fn drop(&mut self) {
        self.task.abort();
    }
}

#[derive(Clone)]
struct Door {
    protocol: Protocol,
    /// `host:port` of the part itself.
    part: String,
    /// Whose faults these are; of several, the request says which it is for.
    dependencies: &'static [Dependency],
    faults: watch::Receiver<BTreeMap<Dependency, Fault>>,
    random: Arc<Mutex<StdRng>>,
}

impl Proxy {
    pub(crate) async fn before(
        part: &str,
        protocol: Protocol,
        dependencies: &'static [Dependency],
        faults: &Faults,
        seed: u64,
    ) -> Self {
        let random = StdRng::seed_from_u64(seed);
        let listener = TcpListener::bind(("127.0.0.1", free_port().await)).await.unwrap();
        let address = listener.local_addr().unwrap().to_string();
        let (part, faults) = (part.to_owned(), faults.watched());
        let door = Door { protocol, part, dependencies, faults, random: Arc::new(Mutex::new(random)) };
        let task = tokio::spawn(door.keep(listener, address.clone()));
        Self { address, task }
    }
}

impl Door {
    async fn keep(mut self, listener: TcpListener, address: String) {
        let mut listener = Some(listener);
        let mut connections = JoinSet::new();
        let mut before = None;
        loop {
            let now = self.of_the_listener();
            if now != before && self.is_cut_by(before, now) {
                connections.shutdown().await;
            }
            before = now;
            if matches!(now, Some(Fault::Refuse | Fault::Kill)) {
                listener = None;
            } else if listener.is_none() {
                listener = TcpListener::bind(&address).await.ok();
            }
            let Some(open) = &listener else {
                let again = tokio::time::sleep(Duration::from_millis(20));
                tokio::select! { _ = self.faults.changed() => {}, () = again => {} }
                continue;
            };
            tokio::select! {
                changed = self.faults.changed() => if changed.is_err() { return },
                accepted = open.accept() => if let Ok((near, _)) = accepted {
                    connections.spawn(self.clone().serve(near));
                },
                Some(_) = connections.join_next(), if !connections.is_empty() => {}
            }
        }
    }

    /// Whom the whole listener is for; one that several share stays open for the others.
    fn of_the_listener(&self) -> Option<Fault> {
        match self.dependencies {
            [only] => self.fault_of(*only),
            _ => None,
        }
    }

    fn fault_of(&self, dependency: Dependency) -> Option<Fault> {
        self.faults.borrow().get(&dependency).copied()
    }

    /// Whether connections end with the change. Each request by HTTP is by itself, and one under way goes on.
    fn is_cut_by(&self, before: Option<Fault>, now: Option<Fault>) -> bool {
        let goes_on = |fault| matches!(fault, None | Some(Fault::Hang | Fault::Slow | Fault::Reset));
        match self.protocol {
            Protocol::Http => matches!(now, Some(Fault::Refuse | Fault::Kill)),
            Protocol::Grpc | Protocol::Postgres => !goes_on(before) || !goes_on(now),
        }
    }

    async fn serve(self, near: TcpStream) {
        match self.protocol {
            Protocol::Http => self.request(near).await,
            Protocol::Grpc | Protocol::Postgres => self.connection(near).await,
        }
    }

    fn dependency(&self, request: &[u8]) -> Dependency {
        match self.dependencies {
            [_, judge] if replies::wants_likelihoods(request) => *judge,
            [first, ..] => *first,
            [] => unreachable!("a proxy is before something"),
        }
    }

    /// One request by HTTP: it is read whole, and what becomes of it is decided then.
    async fn request(mut self, mut near: TcpStream) {
        let Some(request) = replies::read_request(&mut near).await else { return };
        let dependency = self.dependency(&request);
        match self.fault_of(dependency) {
            Some(Fault::Hang) => {
                let lifted = self.faults.wait_for(|faults| faults.get(&dependency) != Some(&Fault::Hang));
                let _ = lifted.await;
                return;
            }
            Some(Fault::Refuse | Fault::Kill) => {
                let _ = near.set_zero_linger();
                return;
            }
            Some(Fault::Failing) => return say(near, replies::HTTP_500).await,
            Some(Fault::Garbage) => {
                let garbage = replies::http_garbage(&mut self.random.lock().unwrap());
                return say(near, &garbage).await;
            }
            Some(Fault::Slow) => tokio::time::sleep(SLOW_BY).await,
            Some(Fault::Reset) | None => {}
        }
        let Ok(reply) = replies::asked(&self.part, &request).await else { return };
        if self.fault_of(dependency) == Some(Fault::Reset) {
            let body = reply.windows(4).position(|bytes| bytes == b"\r\n\r\n").map_or(0, |end| end + 4);
            let _ = near.write_all(&reply[..body + (reply.len() - body) / 2]).await;
            let _ = near.flush().await;
            // What was written is to arrive before the reset does.
            tokio::time::sleep(Duration::from_millis(20)).await;
            let _ = near.set_zero_linger();
            return;
        }
        say(near, &reply).await;
    }

    /// A connection that many requests share: it is passed on piece by piece.
    async fn connection(self, near: TcpStream) {
        match self.fault_of(self.dependencies[0]) {
            Some(Fault::Failing) => return replies::fail(near, self.protocol).await,
            Some(Fault::Garbage) => {
                let garbage = replies::bytes(&mut self.random.lock().unwrap());
                return replies::babble(near, garbage).await;
            }
            _ => {}
        }
        let Ok(far) = TcpStream::connect(&self.part).await else { return };
        let (_, _) = (near.set_nodelay(true), far.set_nodelay(true));
        let ((near_in, near_out), (far_in, far_out)) = (near.into_split(), far.into_split());
        let (pieces, due) = mpsc::unbounded_channel();
        tokio::select! {
            () = self.clone().ask(near_in, far_out) => {}
            () = self.clone().listen(far_in, pieces) => {}
            () = self.answer(due, near_out) => {}
        }
    }

    async fn ask(self, mut near: OwnedReadHalf, mut far: OwnedWriteHalf) {
        let mut piece = vec![0; 64 * 1024];
        while let Ok(read @ 1..) = near.read(&mut piece).await {
            self.clone().while_it_hangs().await;
            if far.write_all(&piece[..read]).await.is_err() {
                return;
            }
        }
    }

    async fn listen(self, mut far: OwnedReadHalf, pieces: mpsc::UnboundedSender<(Instant, Vec<u8>)>) {
        let mut piece = vec![0; 64 * 1024];
        while let Ok(read @ 1..) = far.read(&mut piece).await {
            let slow = self.fault_of(self.dependencies[0]) == Some(Fault::Slow);
            let due = Instant::now() + if slow { SLOW_BY } else { Duration::ZERO };
            if pieces.send((due, piece[..read].to_vec())).is_err() {
                return;
            }
        }
        // What is on its way is still to arrive.
        pieces.closed().await;
    }

    /// Each piece when it is due, and none while it hangs. A connection that is to break does so in the middle of one.
    async fn answer(self, mut pieces: mpsc::UnboundedReceiver<(Instant, Vec<u8>)>, mut near: OwnedWriteHalf) {
        let mut whole = self.random.lock().unwrap().random_range(60..600_usize);
        while let Some((due, piece)) = pieces.recv().await {
            tokio::time::sleep_until(due).await;
            self.clone().while_it_hangs().await;
            if self.fault_of(self.dependencies[0]) == Some(Fault::Reset) {
                if piece.len() > whole {
                    let _ = near.write_all(&piece[..whole]).await;
                    tokio::time::sleep(Duration::from_millis(20)).await;
                    let _ = near.as_ref().set_zero_linger();
                    return;
                }
                whole -= piece.len();
            }
            if near.write_all(&piece).await.is_err() {
                return;
            }
        }
    }

    async fn while_it_hangs(mut self) {
        let dependency = self.dependencies[0];
        let _ = self.faults.wait_for(|faults| faults.get(&dependency) != Some(&Fault::Hang)).await;
    }
}

/// A port that nobody has, and that the kernel gives to nobody.
pub(crate) async fn free_port() -> u16 {
    loop {
        let port = rand::rng().random_range(PORTS);
        if TcpListener::bind(("127.0.0.1", port)).await.is_ok() {
            return port;
        }
    }
}

async fn say(mut near: TcpStream, reply: &[u8]) {
    let _ = near.write_all(reply).await;
    let _ = near.shutdown().await;
}
