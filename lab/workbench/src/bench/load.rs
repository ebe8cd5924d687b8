//! Load: at a fixed rate, or from so many clients, each asking again as soon as it has the answer.

use std::time::{Duration, Instant};

use tokio::task::JoinSet;
use tokio::time::MissedTickBehavior;

use super::percentile;

/// What came of every question of a round.
pub(super) struct Answered<T> {
    pub(super) each: Vec<T>,
    pub(super) seconds: f64,
}

/// The latencies of a round, in milliseconds.
pub(super) type Round = Answered<f64>;

impl<T> Default for Answered<T> {
    fn default() -> Self {
        Self { each: Vec::new(), seconds: 0.0 }
    }
}

impl<T> Answered<T> {
    #[expect(clippy::cast_precision_loss, reason = "questions of a bench are far below 2^53")]
    pub(super) fn per_second(&self) -> f64 {
        self.each.len() as f64 / self.seconds.max(f64::MIN_POSITIVE)
    }
}

impl Round {
    /// The latency that this share of the requests does not exceed, in milliseconds.
    pub(super) fn percentile(&self, share: f64) -> f64 {
        percentile(self.each.clone(), share)
    }
}

/// How long something took, in milliseconds.
pub(super) async fn timed(asking: impl Future<Output = anyhow::Result<()>>) -> anyhow::Result<f64> {
    let began = Instant::now();
    asking.await?;
    Ok(began.elapsed().as_secs_f64() * 1_000.0)
}

/// So many clients, each asking again when it has the answer.
pub(super) async fn closed_loop<T, Asking>(
    clients: usize,
    length: Duration,
    ask: impl Fn() -> Asking + Clone + Send + 'static,
) -> anyhow::Result<Answered<T>>
where
    T: Send + 'static,
    Asking: Future<Output = anyhow::Result<T>> + Send,
{
    let began = Instant::now();
    let mut tasks = JoinSet::new();
    for _ in 0..clients {
        let ask = ask.clone();
        tasks.spawn(async move {
            let mut each = Vec::new();
            while began.elapsed() < length {
                each.push(ask().await?);
            }
            anyhow::Ok(each)
        });
    }
    let mut each = Vec::new();
    while let Some(task) = tasks.join_next().await {
        each.extend(task??);
    }
    Ok(Answered { each, seconds: began.elapsed().as_secs_f64() })
}

/// So many questions a second, whether earlier ones are answered yet or not.
pub(super) async fn at_rate<T, Asking>(
    rate: u32,
    length: Duration,
    ask: impl Fn() -> Asking,
) -> anyhow::Result<Answered<T>>
where
    T: Send + 'static,
    Asking: Future<Output = anyhow::Result<T>> + Send + 'static,
{
    let mut ticks = tokio::time::interval(Duration::from_secs(1) / rate);
    ticks.set_missed_tick_behavior(MissedTickBehavior::Burst);
    let began = Instant::now();
    let mut tasks = JoinSet::new();
    while began.elapsed() < length {
        ticks.tick().await;
        tasks.spawn(ask());
    }
    let mut each = Vec::new();
    while let Some(task) = tasks.join_next().await {
        each.push(task??);
    }
    Ok(Answered { each, seconds: began.elapsed().as_secs_f64() })
}
