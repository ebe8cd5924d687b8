//! Two entailment models one after the other: the first judges every pair, and the second decides where the first is in
//! doubt.

use std::ops::RangeInclusive;
use std::sync::Arc;

use async_trait::async_trait;
use ibidem_ports::entailment::{Classification, Entailment, EntailmentError, Pair};

/// The first is the faster one: the second, which is the better one, is spared what is clear.
pub(super) struct InDoubt {
    first: Arc<dyn Entailment>,
    second: Arc<dyn Entailment>,
    /// The scores of the first that settle nothing.
    doubt: RangeInclusive<f32>,
    name: String,
}

impl InDoubt {
    pub(super) fn new(first: Arc<dyn Entailment>, second: Arc<dyn Entailment>, doubt: RangeInclusive<f32>) -> Self {
        let name = format!("{}, in doubt {}", first.name(), second.name());
        Self { first, second, doubt, name }
    }
}

#[async_trait]
impl Entailment for InDoubt {
    fn name(&self) -> &str {
        &self.name
    }

    async fn classify(&self, pairs: Vec<Pair>) -> Result<Vec<Classification>, EntailmentError> {
        let mut found = self.first.classify(pairs.clone()).await?;
        let judged = found.iter().map(|classification| self.doubt.contains(&classification.score)).zip(pairs);
        let (places, left): (Vec<usize>, Vec<Pair>) = judged
            .enumerate()
            .filter(|(_, (is_in_doubt, _))| *is_in_doubt)
            .map(|(place, (_, pair))| (place, pair))
            .unzip();
        if left.is_empty() {
            return Ok(found);
        }
        for (place, second) in places.into_iter().zip(self.second.classify(left).await?) {
            found[place] = second;
        }
        Ok(found)
    }
}

#[cfg(test)]
mod tests {
    use ibidem_ports::entailment::Support;
    use ibidem_testing::fakes::FakeEntailment;
    use ibidem_testing::suites::entailment::{entailment_suite, plain_cases};

    use super::*;

    fn pair(claim: &str) -> Pair {
        Pair { premise: "It rains.".to_owned(), claim: claim.to_owned() }
    }

    /// Gives each claim the score that it names.
    fn by_its_number() -> FakeEntailment {
        FakeEntailment::by_rule(|pair| Some(Classification::of(pair.claim.parse().ok()?)))
    }

    #[tokio::test]
    async fn two_one_after_the_other_behave_as_an_entailment_model() {
        let model = || Arc::new(FakeEntailment::default());
        for doubt in [0.0..=1.0, 0.2..=0.8] {
            let both = InDoubt::new(model(), model(), doubt);
            entailment_suite(&both, 1e-6).await;
            plain_cases(&both).await;
            assert_eq!(both.name(), "word for word, in doubt word for word");
        }
    }

    #[tokio::test]
    async fn the_second_decides_what_the_first_is_in_doubt_about_and_is_asked_nothing_else() {
        let refuted = Classification { support: Support::Contradicted, score: 0.05 };
        let second = Arc::new(FakeEntailment::by_rule(move |_| Some(refuted)));
        let both = InDoubt::new(Arc::new(by_its_number()), second.clone(), 0.25..=0.75);
        let claims = ["0.24", "0.25", "0.5", "0.75", "0.76"].map(pair);
        let found = both.classify(claims.to_vec()).await.unwrap();
        assert_eq!(found, [Classification::of(0.24), refuted, refuted, refuted, Classification::of(0.76)]);
        assert_eq!(second.batches(), [claims[1..4].to_vec()]);
        both.classify(vec![pair("0.1"), pair("0.9")]).await.unwrap();
        assert_eq!(second.calls(), 1, "with nothing to read it is not asked");
    }

    #[tokio::test]
    async fn a_second_that_fails_fails_the_batch() {
        let second = FakeEntailment::default();
        second.set_trouble(Some(EntailmentError::Timeout(7)));
        let both = InDoubt::new(Arc::new(by_its_number()), Arc::new(second), 0.25..=0.75);
        assert_eq!(both.classify(vec![pair("0.5")]).await, Err(EntailmentError::Timeout(7)));
        assert!(both.classify(vec![pair("0.9")]).await.is_ok());
    }
}
