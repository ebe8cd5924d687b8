//! Two entailment models that must agree: the first judges every pair, and the second reads what the first supports.

use std::sync::Arc;

use async_trait::async_trait;
use ibidem_ports::entailment::{Classification, Entailment, EntailmentError, Pair, Support};

/// Supported is what both support. The first is the cheaper one: the second is spared most of the pairs.
pub(super) struct Agreed {
    first: Arc<dyn Entailment>,
    second: Arc<dyn Entailment>,
    name: String,
}

impl Agreed {
    pub(super) fn new(first: Arc<dyn Entailment>, second: Arc<dyn Entailment>) -> Self {
        let name = format!("{}+{}", first.name(), second.name());
        Self { first, second, name }
    }
}

#[async_trait]
impl Entailment for Agreed {
    fn name(&self) -> &str {
        &self.name
    }

    async fn classify(&self, pairs: Vec<Pair>) -> Result<Vec<Classification>, EntailmentError> {
        let mut found = self.first.classify(pairs.clone()).await?;
        let supported = found.iter().map(|classification| classification.support == Support::Supported);
        let (places, left): (Vec<usize>, Vec<Pair>) =
            supported.zip(pairs).enumerate().filter(|(_, (is, _))| *is).map(|(place, (_, pair))| (place, pair)).unzip();
        if left.is_empty() {
            return Ok(found);
        }
        for (place, second) in places.into_iter().zip(self.second.classify(left).await?) {
            let first = found[place];
            found[place] = Classification { support: second.support, score: first.score.min(second.score) };
        }
        Ok(found)
    }
}

#[cfg(test)]
mod tests {
    use ibidem_engine::speak::verify::lexical::LexicalEntailment;
    use ibidem_testing::fakes::FakeEntailment;
    use ibidem_testing::suites::entailment::{entailment_suite, plain_cases};

    use super::*;

    fn pair(premise: &str, claim: &str) -> Pair {
        Pair { premise: premise.to_owned(), claim: claim.to_owned() }
    }

    fn judging(support: Support, score: f32) -> FakeEntailment {
        FakeEntailment::by_rule(move |_| Some(Classification { support, score }))
    }

    #[tokio::test]
    async fn two_that_must_agree_behave_as_an_entailment_model() {
        let agreed = Agreed::new(Arc::new(LexicalEntailment::by_words()), Arc::new(FakeEntailment::default()));
        entailment_suite(&agreed, 1e-6).await;
        plain_cases(&agreed).await;
        assert_eq!(agreed.name(), "lexical+word for word");
    }

    #[tokio::test]
    async fn supported_is_what_both_support_and_the_lower_score_counts() {
        let cases = [
            ((Support::Supported, 0.9), (Support::Supported, 0.7), (Support::Supported, 0.7)),
            ((Support::Supported, 0.6), (Support::Supported, 0.8), (Support::Supported, 0.6)),
            ((Support::Supported, 0.9), (Support::Contradicted, 0.2), (Support::Contradicted, 0.2)),
            ((Support::Supported, 0.9), (Support::Unknown, 0.4), (Support::Unknown, 0.4)),
            ((Support::Contradicted, 0.1), (Support::Supported, 0.9), (Support::Contradicted, 0.1)),
            ((Support::Unknown, 0.3), (Support::Supported, 0.9), (Support::Unknown, 0.3)),
        ];
        for (first, second, expected) in cases {
            let agreed = Agreed::new(Arc::new(judging(first.0, first.1)), Arc::new(judging(second.0, second.1)));
            let found = agreed.classify(vec![pair("It rains.", "It is wet.")]).await.unwrap();
            assert_eq!(found, [Classification { support: expected.0, score: expected.1 }], "{first:?}, {second:?}");
        }
    }

    #[tokio::test]
    async fn the_second_reads_only_what_the_first_supports() {
        let second = Arc::new(FakeEntailment::default());
        let agreed = Agreed::new(Arc::new(FakeEntailment::default()), second.clone() as _);
        let [said, other] = [pair("It rains.", "It rains."), pair("It rains.", "It snows.")];
        agreed.classify(vec![other.clone(), said.clone(), other.clone()]).await.unwrap();
        assert_eq!(second.batches(), [vec![said]]);
        agreed.classify(vec![other]).await.unwrap();
        assert_eq!(second.calls(), 1, "with nothing to read it is not asked");
    }

    #[tokio::test]
    async fn a_second_that_fails_fails_the_batch() {
        let second = FakeEntailment::default();
        second.set_trouble(Some(EntailmentError::Timeout(7)));
        let agreed = Agreed::new(Arc::new(FakeEntailment::default()), Arc::new(second));
        let found = agreed.classify(vec![pair("It rains.", "It rains.")]).await;
        assert_eq!(found, Err(EntailmentError::Timeout(7)));
    }
}
