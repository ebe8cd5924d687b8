//! `ibidem-workbench bench reader`: what the reader takes for the candidates of a question, beside the model alone.

use std::time::Instant;

use anyhow::Context as _;
use ibidem_adapters::onnx::BareReader;
use ibidem_ports::degrade::Deadline;

use super::percentile;
use crate::settings::{RerankerSource, Settings};
use crate::{compose, console};

const QUESTION: &str = "How long are the copies of the mailboxes kept, and who may restore them?";

/// About as long as the passages that ingesting makes: some 120 tokens with the question.
const PASSAGE: &str = "Copies of the mailboxes are made every night and kept at a second site. The help desk restores \
    single messages on request, the operations team whole mailboxes. A request names the mailbox, the day and the reason; \
    it is answered within two working days. What was deleted before the copy was made cannot be brought back. Copies are \
    encrypted, and the key lies with the operations team. Every quarter one mailbox is restored as a test, and the result \
    is noted in the log of the service.";

#[derive(clap::Args)]
pub(crate) struct ReaderBench {
    /// How many passages a question has.
    #[arg(long, default_value_t = 16, value_parser = clap::value_parser!(u32).range(1..=1000))]
    candidates: u32,
    /// How often they are read, by each of the two in turn.
    #[arg(long, default_value_t = 40, value_parser = clap::value_parser!(u32).range(3..=100_000))]
    rounds: u32,
}

impl ReaderBench {
    pub(crate) async fn run(self, settings: &Settings) -> anyhow::Result<()> {
        let configured = settings.reranker.as_ref().context("no reranker is configured")?;
        let RerankerSource::Onnx(onnx) = &configured.source else {
            anyhow::bail!("the configured reranker is none in this process; set `reranker.use: reader`");
        };
        let passages: Vec<String> = (1..=self.candidates).map(|number| format!("Note {number}\n{PASSAGE}")).collect();
        let mut bare = BareReader::load(onnx, QUESTION, &passages).map_err(anyhow::Error::msg)?;
        let reranker = compose::reranker(settings).await?.context("no reranker is configured")?;
        let [mut alone, mut whole] = [Vec::new(), Vec::new()];
        for round in 0..=self.rounds {
            let began = Instant::now();
            bare.read().map_err(anyhow::Error::msg)?;
            let of_model = began.elapsed().as_secs_f64() * 1_000.0;
            let texts = passages.clone();
            let began = Instant::now();
            reranker.call(Deadline::NONE, |reranker| reranker.read(QUESTION, texts)).await?;
            let of_reader = began.elapsed().as_secs_f64() * 1_000.0;
            // The first round is warm-up.
            if round > 0 {
                alone.push(of_model);
                whole.push(of_reader);
            }
        }
        let ratios: Vec<f64> = whole.iter().zip(&alone).map(|(whole, alone)| whole / alone).collect();
        let mut table = console::table(&["", "p50", "p95"]);
        for (name, values) in [
            ("ONNX Runtime alone, one session, ms", &alone),
            ("the reader, ms", &whole),
            ("ratio, round by round", &ratios),
        ] {
            let [p50, p95] = [0.5, 0.95].map(|share| format!("{:.2}", percentile(values.clone(), share)));
            table.add_row([name.to_owned(), p50, p95]);
        }
        console::say(&table.to_string());
        console::say(&format!(
            "{} passages of {} tokens with the question on average, {} rounds in turn; {} sessions of {} threads",
            self.candidates,
            bare.tokens() / passages.len(),
            self.rounds,
            onnx.sessions,
            onnx.threads,
        ));
        Ok(())
    }
}
