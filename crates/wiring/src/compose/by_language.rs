//! Two readers: one for English, and one for pairs of which either text is in another language.

use std::sync::Arc;

use async_trait::async_trait;
use ibidem_language::is_english;
use ibidem_ports::reranker::{Relevance, RerankError, RerankFault, Reranker};

/// Each score is the one that the reader of its pair gives. Which reader that is follows from the two texts alone.
pub(super) struct ByLanguage {
    english: Arc<dyn Reranker>,
    others: Arc<dyn Reranker>,
    name: String,
}

/// One place of the texts that were asked about each, and the texts.
type Share = (Vec<usize>, Vec<String>);

impl ByLanguage {
    pub(super) fn new(english: Arc<dyn Reranker>, others: Arc<dyn Reranker>) -> Self {
        let name = format!("{}+{}", english.name(), others.name());
        Self { english, others, name }
    }

    /// What the English reader reads, and what the other one does.
    fn shared(question: &str, texts: Vec<String>) -> [Share; 2] {
        let is_other = is_other_than_english(question);
        let (english, others): (Vec<_>, Vec<_>) =
            texts.into_iter().enumerate().partition(|(_, text)| !is_other && !is_other_than_english(text));
        [english, others].map(|share| share.into_iter().unzip())
    }

    /// Both at once, each about its share, and what they say in the order of the texts.
    async fn asked<'a, T, Asking>(
        &'a self,
        question: &str,
        texts: Vec<String>,
        ask: impl Fn(&'a dyn Reranker, Vec<String>) -> Asking,
    ) -> Result<Vec<T>, RerankError>
    where
        Asking: Future<Output = Result<Vec<T>, RerankError>>,
    {
        let count = texts.len();
        let [(english, for_english), (others, for_others)] = Self::shared(question, texts);
        // Nobody is asked about nothing: the one that is not needed may not be loaded.
        let of = async |reader: &'a Arc<dyn Reranker>, share: Vec<String>| match share.is_empty() {
            true => Ok(Vec::new()),
            false => ask(reader.as_ref(), share).await,
        };
        let (read, other_read) = tokio::try_join!(of(&self.english, for_english), of(&self.others, for_others))?;
        if read.len() != english.len() || other_read.len() != others.len() {
            let failed = format!("{} scores for {count} texts", read.len() + other_read.len());
            return Err(RerankError::Own(RerankFault::Failed(failed)));
        }
        let mut found: Vec<(usize, T)> =
            english.into_iter().zip(read).chain(others.into_iter().zip(other_read)).collect();
        found.sort_by_key(|(place, _)| *place);
        Ok(found.into_iter().map(|(_, found)| found).collect())
    }
}

/// Told to be in another language. What has too few words to tell counts as what stands beside it.
fn is_other_than_english(text: &str) -> bool {
    is_english(text) == Some(false)
}

#[async_trait]
impl Reranker for ByLanguage {
    fn name(&self) -> &str {
        &self.name
    }

    fn weights_for(&self, question: &str, text: &str) -> Option<&str> {
        let is_other = is_other_than_english(question) || is_other_than_english(text);
        let reader = if is_other { &self.others } else { &self.english };
        reader.weights_for(question, text)
    }

    async fn prepare(&self, question: &str, texts: &[String]) {
        let [(_, english), (_, others)] = Self::shared(question, texts.to_vec());
        let of = async |reader: &Arc<dyn Reranker>, share: Vec<String>| {
            if !share.is_empty() {
                reader.prepare(question, &share).await;
            }
        };
        tokio::join!(of(&self.english, english), of(&self.others, others));
    }

    async fn score(&self, question: &str, texts: Vec<String>) -> Result<Vec<f32>, RerankError> {
        self.asked(question, texts, |reader, share| reader.score(question, share)).await
    }

    async fn read(&self, question: &str, texts: Vec<String>) -> Result<Vec<Relevance>, RerankError> {
        self.asked(question, texts, |reader, share| reader.read(question, share)).await
    }
}

/// A reader that is not asked about pairs of which either text is in another language than English.
pub(super) struct EnglishAlone(pub(super) Arc<dyn Reranker>);

#[async_trait]
impl Reranker for EnglishAlone {
    fn name(&self) -> &str {
        self.0.name()
    }

    fn weights_for(&self, question: &str, text: &str) -> Option<&str> {
        let is_other = is_other_than_english(question) || is_other_than_english(text);
        if is_other { None } else { self.0.weights_for(question, text) }
    }

    async fn prepare(&self, question: &str, texts: &[String]) {
        self.0.prepare(question, texts).await;
    }

    async fn score(&self, question: &str, texts: Vec<String>) -> Result<Vec<f32>, RerankError> {
        self.0.score(question, texts).await
    }

    async fn read(&self, question: &str, texts: Vec<String>) -> Result<Vec<Relevance>, RerankError> {
        self.0.read(question, texts).await
    }
}

#[cfg(test)]
mod tests {
    use ibidem_testing::fakes::FakeReranker;
    use ibidem_testing::suites::reranker::reranker_suite;
    use ibidem_words::CharSpan;

    use super::*;

    const ENGLISH: &str = "How long are the values kept in the archive?";
    const GERMAN: &str = "Wie lange werden die Werte im Archiv gespeichert?";
    const KEPT: &str = "The values are kept in the archive for ten years.";
    const GESPEICHERT: &str = "Die Werte werden zehn Jahre im Archiv gespeichert.";
    const TABLE: &str = "ADR-0031 | 10 | 2024";

    fn readers() -> (Arc<FakeReranker>, Arc<FakeReranker>, ByLanguage) {
        let texts = [KEPT, GESPEICHERT, TABLE];
        let scoring = |score: f32| Arc::new(FakeReranker::scoring(&texts.map(|text| (text, score))).as_reader());
        let (english, others) = (scoring(0.9), scoring(0.2));
        let both = ByLanguage::new(english.clone(), others.clone());
        (english, others, both)
    }

    #[tokio::test]
    async fn two_readers_by_language_behave_as_a_reranker() {
        let both = ByLanguage::new(Arc::new(FakeReranker::default()), Arc::new(FakeReranker::default()));
        reranker_suite(&both, 0.0).await;
        reranker_suite(&EnglishAlone(Arc::new(FakeReranker::default())), 0.0).await;
        assert_eq!(both.name(), "word overlap+word overlap");
    }

    #[tokio::test]
    async fn a_pair_goes_to_the_english_reader_unless_either_text_is_in_another_language() {
        let (english, others, both) = readers();
        for (question, expected) in
            [(ENGLISH, [0.9, 0.2, 0.9]), (GERMAN, [0.2, 0.2, 0.2]), ("archive", [0.9, 0.2, 0.9])]
        {
            let texts = [KEPT, GESPEICHERT, TABLE].map(str::to_owned).to_vec();
            assert_eq!(both.score(question, texts.clone()).await.unwrap(), expected, "{question}");
            let read = both.read(question, texts).await.unwrap();
            assert_eq!(read.iter().map(|read| read.score).collect::<Vec<_>>(), expected, "{question}");
            assert_eq!(read[0].answer, Some(CharSpan { start: 43, end: 49 }), "each has its own place");
        }
        let (english, others) = (english.calls(), others.calls());
        both.score(ENGLISH, vec![KEPT.to_owned()]).await.unwrap();
        assert_eq!((english, others), (4, 6));
    }

    #[tokio::test]
    async fn whoever_has_nothing_to_read_is_not_asked() {
        let (english, others, both) = readers();
        both.read(ENGLISH, vec![KEPT.to_owned(), TABLE.to_owned()]).await.unwrap();
        assert_eq!((english.calls(), others.calls()), (1, 0));
        both.read(GERMAN, vec![KEPT.to_owned()]).await.unwrap();
        assert_eq!((english.calls(), others.calls()), (1, 1));
        assert!(both.read(GERMAN, Vec::new()).await.unwrap().is_empty());
        assert_eq!((english.calls(), others.calls()), (1, 1));
    }

    #[tokio::test]
    async fn one_that_fails_fails_the_batch_and_only_where_it_is_needed() {
        let (_, others, both) = readers();
        others.set_trouble(Some(RerankError::Timeout(7)));
        let texts = vec![KEPT.to_owned(), GESPEICHERT.to_owned()];
        assert_eq!(both.read(ENGLISH, texts).await, Err(RerankError::Timeout(7)));
        assert!(both.read(ENGLISH, vec![KEPT.to_owned()]).await.is_ok());
    }

    #[test]
    fn records_name_the_weights_of_each_pair() {
        struct Named(&'static str);
        #[async_trait]
        impl Reranker for Named {
            fn name(&self) -> &str {
                self.0
            }

            async fn score(&self, _: &str, texts: Vec<String>) -> Result<Vec<f32>, RerankError> {
                Ok(vec![0.5; texts.len()])
            }
        }
        let both = ByLanguage::new(Arc::new(Named("reader@0")), Arc::new(Named("multilingual@1")));
        assert_eq!(both.name(), "reader@0+multilingual@1");
        assert_eq!(both.weights_for(ENGLISH, KEPT), Some("reader@0"));
        assert_eq!(both.weights_for(ENGLISH, GESPEICHERT), Some("multilingual@1"));
        assert_eq!(both.weights_for(GERMAN, KEPT), Some("multilingual@1"));
        let alone = EnglishAlone(Arc::new(Named("large@2")));
        assert_eq!((alone.weights_for(ENGLISH, KEPT), alone.weights_for(GERMAN, KEPT)), (Some("large@2"), None));
    }
}
