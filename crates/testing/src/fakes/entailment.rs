//! An entailment model that knows only what stands there word for word, or what it was told.

use std::sync::{Mutex, MutexGuard, PoisonError};

use async_trait::async_trait;

use ibidem_ports::entailment::{Classification, Entailment, EntailmentError, Pair};

type Rule = Box<dyn Fn(&Pair) -> Option<Classification> + Send + Sync>;

#[derive(Default)]
pub struct FakeEntailment {
    rule: Option<Rule>,
    trouble: Mutex<Option<EntailmentError>>,
    batches: Mutex<Vec<Vec<Pair>>>,
}

impl FakeEntailment {
    pub const NAME: &str = "word for word";

    /// Judges these pairs of a premise and a claim so; others by whether the premise has the claim in it.
    pub fn classifying(verdicts: &[(&str, &str, Classification)]) -> Self {
        let verdicts = verdicts
            .iter()
            .map(|(premise, claim, classification)| ((*premise).to_owned(), (*claim).to_owned(), *classification));
        let verdicts: Vec<(String, String, Classification)> = verdicts.collect();
        Self::by_rule(move |pair| {
            let same = verdicts.iter().find(|(premise, claim, _)| *premise == pair.premise && *claim == pair.claim);
            same.map(|(_, _, classification)| *classification)
        })
    }

    /// Judges by this rule; where it says nothing, by whether the premise has the claim in it.
    pub fn by_rule(rule: impl Fn(&Pair) -> Option<Classification> + Send + Sync + 'static) -> Self {
        Self { rule: Some(Box::new(rule)), ..Self::default() }
    }

    /// Makes every call end in this error until told otherwise; a timeout comes at once.
    pub fn set_trouble(&self, trouble: Option<EntailmentError>) {
        *locked(&self.trouble) = trouble;
    }

    /// How often it was asked, in vain or not.
    pub fn calls(&self) -> usize {
        locked(&self.batches).len()
    }

    /// The pairs of each call so far.
    pub fn batches(&self) -> Vec<Vec<Pair>> {
        locked(&self.batches).clone()
    }

    fn classification_of(&self, pair: &Pair) -> Classification {
        let verdict = self.rule.as_ref().and_then(|rule| rule(pair));
        verdict.unwrap_or_else(|| {
            let claim = pair.claim.trim();
            Classification::of(if !claim.is_empty() && pair.premise.contains(claim) { 1.0 } else { 0.0 })
        })
    }
}

#[async_trait]
impl Entailment for FakeEntailment {
    fn name(&self) -> &str {
        Self::NAME
    }

    async fn classify(&self, pairs: Vec<Pair>) -> Result<Vec<Classification>, EntailmentError> {
        locked(&self.batches).push(pairs.clone());
        if let Some(trouble) = locked(&self.trouble).clone() {
            return Err(trouble);
        }
        Ok(pairs.iter().map(|pair| self.classification_of(pair)).collect())
    }
}

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::suites::entailment::{entailment_suite, plain_cases};
    use ibidem_ports::entailment::{EntailmentFault, Support};

    fn pair(premise: &str, claim: &str) -> Pair {
        Pair { premise: premise.to_owned(), claim: claim.to_owned() }
    }

    #[tokio::test]
    async fn the_fake_behaves_as_an_entailment_model() {
        entailment_suite(&FakeEntailment::default(), 0.0).await;
        plain_cases(&FakeEntailment::default()).await;
    }

    #[tokio::test]
    async fn the_fake_does_as_it_is_told_and_counts() {
        let otherwise = Classification { support: Support::Contradicted, score: 0.1 };
        let fake = FakeEntailment::classifying(&[("It rains.", "It is dry.", otherwise)]);
        let pairs = vec![pair("It rains.", "It is dry."), pair("It rains.", "It rains."), pair("It rains.", "")];
        let classify = async || fake.classify(pairs.clone()).await;
        assert_eq!(classify().await, Ok(vec![otherwise, Classification::of(1.0), Classification::of(0.0)]));
        for trouble in
            [EntailmentError::Timeout(500), EntailmentError::Own(EntailmentFault::Failed("told to".to_owned()))]
        {
            fake.set_trouble(Some(trouble.clone()));
            assert_eq!(classify().await, Err(trouble));
        }
        fake.set_trouble(None);
        assert!(classify().await.is_ok());
        assert_eq!(fake.calls(), 4);
        assert_eq!(fake.batches()[3], pairs);
    }
}
