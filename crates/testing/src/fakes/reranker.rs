//! A reranker that counts words: the share of the question's words that a text has, or what it was told.

use std::collections::{BTreeSet, HashMap};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use async_trait::async_trait;

use super::embedder::words;
use ibidem_ports::reranker::{Relevance, RerankError, Reranker};
use ibidem_words::CharSpan;

#[derive(Default)]
pub struct FakeReranker {
    scripted: HashMap<String, f32>,
    /// The words with which a text answers.
    answers: HashMap<String, String>,
    /// Whatever it was not told has this score.
    otherwise: Option<f32>,
    /// It says where a text answers, also where it was not told.
    is_reader: bool,
    /// In place of its own.
    name: Option<&'static str>,
    /// It is not made for texts with this word.
    cannot_read: Option<&'static str>,
    /// What it was asked about, batch by batch.
    batches: Mutex<Vec<Vec<String>>>,
    trouble: Mutex<Option<RerankError>>,
    calls: AtomicUsize,
}

impl FakeReranker {
    pub const NAME: &str = "word overlap";

    /// Gives these texts these scores, whatever the question; others are judged by their words.
    pub fn scoring(scores: &[(&str, f32)]) -> Self {
        let scripted = scores.iter().map(|(text, score)| ((*text).to_owned(), *score)).collect();
        Self { scripted, ..Self::default() }
    }

    /// A reader, which finds these words in these texts: whatever the question, they answer.
    pub fn finding(answers: &[(&str, &str)]) -> Self {
        let scripted = answers.iter().map(|(text, _)| ((*text).to_owned(), 0.9)).collect();
        let answers = answers.iter().map(|(text, answer)| ((*text).to_owned(), (*answer).to_owned())).collect();
        Self { scripted, answers, ..Self::default() }
    }

    /// A reader that is sure of every text.
    pub fn certain() -> Self {
        Self { otherwise: Some(0.99), ..Self::default() }.as_reader()
    }

    /// Says of every text where it answers: in its last word.
    #[must_use]
    pub fn as_reader(self) -> Self {
        Self { is_reader: true, ..self }
    }

    /// Under another name.
    #[must_use]
    pub fn called(self, name: &'static str) -> Self {
        Self { name: Some(name), ..self }
    }

    /// Not made for texts that have this word.
    #[must_use]
    pub fn unable_to_read(self, word: &'static str) -> Self {
        Self { cannot_read: Some(word), ..self }
    }

    /// What it was asked about, batch by batch, in vain or not.
    pub fn batches(&self) -> Vec<Vec<String>> {
        self.batches.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    fn answer_in(&self, text: &str) -> Option<CharSpan> {
        let Some(answer) = self.answers.get(text) else {
            let last = text.rfind(char::is_whitespace).map_or(0, |place| text[..place].chars().count() + 1);
            let (start, end) = (u32::try_from(last).ok()?, u32::try_from(text.chars().count()).ok()?);
            return self.is_reader.then_some(CharSpan { start, end });
        };
        let start = text[..text.find(answer.as_str())?].chars().count();
        let end = start + answer.chars().count();
        Some(CharSpan { start: u32::try_from(start).ok()?, end: u32::try_from(end).ok()? })
    }

    /// Makes every call end in this error until told otherwise; a timeout comes at once.
    pub fn set_trouble(&self, trouble: Option<RerankError>) {
        *self.trouble() = trouble;
    }

    /// How often it was asked, in vain or not.
    pub fn calls(&self) -> usize {
        self.calls.load(Ordering::Relaxed)
    }

    fn trouble(&self) -> MutexGuard<'_, Option<RerankError>> {
        self.trouble.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn score_of(&self, question: &BTreeSet<String>, text: &str) -> f32 {
        if let Some(score) = self.scripted.get(text) {
            return *score;
        }
        if let Some(score) = self.otherwise {
            return score;
        }
        let text: BTreeSet<String> = words(text).collect();
        let shared = question.intersection(&text).count();
        #[expect(clippy::cast_precision_loss, reason = "a question has far fewer words than a float has digits")]
        let share = shared as f32 / question.len().max(1) as f32;
        share
    }
}

#[async_trait]
impl Reranker for FakeReranker {
    fn name(&self) -> &str {
        self.name.unwrap_or(Self::NAME)
    }

    fn weights_for(&self, _: &str, text: &str) -> Option<&str> {
        let can_read = self.cannot_read.is_none_or(|word| !text.contains(word));
        can_read.then(|| self.name())
    }

    async fn score(&self, question: &str, texts: Vec<String>) -> Result<Vec<f32>, RerankError> {
        self.calls.fetch_add(1, Ordering::Relaxed);
        self.batches.lock().unwrap_or_else(PoisonError::into_inner).push(texts.clone());
        if let Some(trouble) = self.trouble().clone() {
            return Err(trouble);
        }
        let question: BTreeSet<String> = words(question).collect();
        Ok(texts.iter().map(|text| self.score_of(&question, text)).collect())
    }

    async fn read(&self, question: &str, texts: Vec<String>) -> Result<Vec<Relevance>, RerankError> {
        let answers: Vec<Option<CharSpan>> = texts.iter().map(|text| self.answer_in(text)).collect();
        let scores = self.score(question, texts).await?;
        Ok(scores.into_iter().zip(answers).map(|(score, answer)| Relevance { score, answer }).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ibidem_ports::reranker::RerankFault;

    #[tokio::test]
    async fn the_fake_behaves_as_a_reranker() {
        crate::suites::reranker::reranker_suite(&FakeReranker::default(), 0.0).await;
    }

    #[tokio::test]
    async fn the_fake_does_as_it_is_told_and_counts() {
        let fake = FakeReranker::scoring(&[("first", 0.9), ("second", 0.1)]);
        let score =
            async || fake.score("What comes third?", ["second", "third", "first"].map(str::to_owned).to_vec()).await;
        assert_eq!(score().await, Ok(vec![0.1, 1.0 / 3.0, 0.9]));
        for trouble in [RerankError::Timeout(500), RerankError::Own(RerankFault::Failed("told to".to_owned()))] {
            fake.set_trouble(Some(trouble.clone()));
            assert_eq!(score().await, Err(trouble));
        }
        fake.set_trouble(None);
        assert!(score().await.is_ok());
        assert_eq!(fake.calls(), 4);
        assert_eq!(fake.batches(), vec![["second", "third", "first"].map(str::to_owned).to_vec(); 4]);
        let named = FakeReranker::default().called("large").unable_to_read("dritte");
        assert_eq!((named.weights_for("", "third"), named.weights_for("", "das dritte")), (Some("large"), None));
        assert_eq!(fake.weights_for("", "third"), Some(FakeReranker::NAME));
    }
}
