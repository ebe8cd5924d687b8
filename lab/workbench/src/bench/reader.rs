//! `ibidem-workbench bench reader`: what the reader takes for the candidates of a question, beside the model alone; beside
//! that the reader for other languages on the same number of German passages, and the second reader on the best few.

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

/// The same in German.
const GERMAN_QUESTION: &str =
    "Wie lange werden die Kopien der Postfächer aufbewahrt, und wer darf sie wiederherstellen?";
const GERMAN_PASSAGE: &str = "Kopien der Postfächer werden jede Nacht angelegt und an einem zweiten Standort aufbewahrt. \
    Das Servicebüro stellt einzelne Nachrichten auf Antrag wieder her, der Betrieb ganze Postfächer. Ein Antrag nennt das \
    Postfach, den Tag und den Grund und wird innerhalb von zwei Arbeitstagen beantwortet. Was vor der Kopie gelöscht \
    wurde, kann nicht zurückgeholt werden. Die Kopien sind verschlüsselt, und der Schlüssel liegt beim Betrieb.";

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
        let configured = settings.reranker().context("no reranker is configured")?;
        let (onnx, reads_german) = match &configured {
            RerankerSource::BuiltIn(readers) => (&readers.english, true),
            RerankerSource::Onnx(onnx) => (onnx, false),
            _ => anyhow::bail!("the configured reranker is none in this process; set `reranker.use: reader`"),
        };
        let passages: Vec<String> = (1..=self.candidates).map(|number| format!("Note {number}\n{PASSAGE}")).collect();
        let mut bare = BareReader::load(onnx, QUESTION, &passages).map_err(anyhow::Error::msg)?;
        let reranker = compose::reranker(settings).await?.context("no reranker is configured")?;
        let second = compose::second_reader(settings).await?;
        let german: Vec<String> =
            (1..=self.candidates).map(|number| format!("Notiz {number}\n{GERMAN_PASSAGE}")).collect();
        let began = Instant::now();
        reranker.port().prepare(GERMAN_QUESTION, &german).await;
        let loading = began.elapsed();
        let [mut alone, mut whole, mut in_german, mut again] = [const { Vec::new() }; 4];
        for round in 0..=self.rounds {
            let began = Instant::now();
            bare.read().map_err(anyhow::Error::msg)?;
            let of_model = began.elapsed().as_secs_f64() * 1_000.0;
            let texts = passages.clone();
            let began = Instant::now();
            reranker.call(Deadline::NONE, |reranker| reranker.read(QUESTION, texts)).await?;
            let of_reader = began.elapsed().as_secs_f64() * 1_000.0;
            let texts = german.clone();
            let began = Instant::now();
            if reads_german {
                reranker.call(Deadline::NONE, |reranker| reranker.read(GERMAN_QUESTION, texts)).await?;
            }
            let of_german = began.elapsed().as_secs_f64() * 1_000.0;
            let texts = passages.iter().take(second.as_ref().map_or(0, |second| second.best)).cloned().collect();
            let began = Instant::now();
            if let Some(second) = &second {
                second.reader.call(Deadline::NONE, |reader| reader.read(QUESTION, texts)).await?;
            }
            let of_second = began.elapsed().as_secs_f64() * 1_000.0;
            // The first round is warm-up.
            if round > 0 {
                alone.push(of_model);
                whole.push(of_reader);
                in_german.push(of_german);
                again.push(of_second);
            }
        }
        let ratio = |other: &[f64]| other.iter().zip(&whole).map(|(other, whole)| other / whole).collect::<Vec<f64>>();
        let ratios: Vec<f64> = whole.iter().zip(&alone).map(|(whole, alone)| whole / alone).collect();
        let (of_german, of_second) = (ratio(&in_german), ratio(&again));
        let mut table = console::table(&["", "p50", "p95"]);
        for (name, values) in [
            ("ONNX Runtime alone, one session, ms", &alone),
            ("the reader, ms", &whole),
            ("ratio, round by round", &ratios),
            ("German passages, ms", &in_german),
            ("their ratio to the reader, round by round", &of_german),
            ("the second reader on the best few, ms", &again),
            ("its ratio to the reader, round by round", &of_second),
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
        console::say(&format!("loading what reads German took {:.0} ms", loading.as_secs_f64() * 1_000.0));
        Ok(())
    }
}
