//! `answerability`: a reader has read the question together with each passage. Below this probability that the best of
//! them answers, the question is refused.

use crate::candidate::Candidate;
use ibidem_words::{Reason, Verdict};
use serde::Deserialize;

use super::contradictions::demands_nothing;
use super::{Absent, ChecksPool, Gate, GateRule, Look};
use crate::gates::pool::{Finding, WorkingPool, format_number};

/// The least probability, of the best candidate, that it answers the question.
#[derive(Clone, Copy, PartialEq, Debug, Deserialize)]
#[serde(transparent)]
pub struct Answerability(pub f64);

impl GateRule for Answerability {
    fn name() -> &'static str {
        "answerability"
    }

    fn when_absent() -> Absent {
        Absent::Off("whether any passage answers the question")
    }

    fn look(&self) -> Look<'_> {
        Look::AtAll(self)
    }

    fn words(&self) -> Vec<String> {
        vec![format!(
            "The reader gives every passage that is left a probability below {} that it answers the question: refused, \
             `not_answered`. Where the question names documents, only their passages count, and the share \
             `sift.named_share` of it is enough. Where a reader is configured and could not read them, the question is \
             refused, `retrieval_unavailable`, unless a curator's choice for it reaches {}. Where none is configured, \
             this gate decides nothing.",
            self.0, self.0
        )]
    }

    fn shares(&self) -> Vec<(&'static str, f64)> {
        vec![(Self::name(), self.0)]
    }

    fn without_effect_among(&self, _gates: &[Gate]) -> Vec<String> {
        demands_nothing("sift.answerability", self.0).into_iter().collect()
    }
}

impl ChecksPool for Answerability {
    fn check(&self, pool: &mut WorkingPool<'_>) -> Finding {
        if let Some(why) = pool.unread {
            return self.unread(pool, why);
        }
        // Where nobody is there to read, the other gates decide.
        let is_named = match pool.gates_look_alone {
            true => pool.is_named_and_read,
            false => pool.kept.iter().any(Candidate::is_named_and_read),
        };
        // Where documents were named, it is they that must answer.
        let asked = pool.passing().filter(|candidate| !is_named || candidate.is_named_and_read());
        // What was read and is not left any more answers nothing.
        let none_left = (pool.gates_look_alone && pool.is_read).then_some(0.0);
        let Some(observed) = asked.filter_map(Candidate::answering).reduce(f64::max).or(none_left) else {
            pool.leave_out(Self::name(), Verdict::NotRead);
            return Finding::Passes;
        };
        let least = if is_named { self.0 * pool.named_share } else { self.0 };
        if !pool.record(Self::name(), observed < least, observed, least) {
            return Finding::Passes;
        }
        let explanation = format!(
            "Probability that a passage answers ({}) below threshold ({})",
            format_number(observed),
            format_number(least)
        );
        Finding::Refuses(Reason::NotAnswered, explanation)
    }
}

impl Answerability {
    /// The reader is away: whether anything answers is not known, and only a curator's choice for this question vouches for
    /// it. With the reader it would count as much.
    fn unread(&self, pool: &mut WorkingPool<'_>, why: &str) -> Finding {
        let observed = pool.passing().filter_map(|candidate| candidate.curated).fold(0.0, f64::max);
        if !pool.record(Self::name(), observed < self.0, observed, self.0) {
            return Finding::Passes;
        }
        let found = pool.passing().count();
        let explanation = format!("Passages that were read (0 of {found}) below the least that is needed (1): {why}");
        Finding::Refuses(Reason::RetrievalUnavailable, explanation)
    }
}

#[cfg(test)]
mod tests {
    use crate::candidate::Candidate;
    use ibidem_words::{Reason, Verdict};

    use super::super::tests::{contradictions_of, warnings_of, words_of};
    use crate::sift::SiftOutcome;
    use crate::sift::fixtures::{candidate, gathered, passes};
    use crate::sift::sift;

    const GATE: &str = "[{answerability: 0.5}]";

    fn with_probabilities(probabilities: &[f32]) -> Vec<Candidate> {
        let one = |(number, score): (u128, &f32)| Candidate {
            rerank: Some(*score),
            ..candidate(number, 0, 0.9, "leave days carried over")
        };
        (1..).zip(probabilities).map(one).collect()
    }

    #[test]
    fn the_best_decides_and_a_refusal_names_its_number() {
        assert!(passes(&sift(gathered("leave", GATE, with_probabilities(&[0.1, 0.5])))));
        let SiftOutcome::Refused { refusal, sifted } = sift(gathered("leave", GATE, with_probabilities(&[0.2, 0.49])))
        else {
            panic!("nothing answers");
        };
        assert_eq!(refusal.reason, Reason::NotAnswered);
        assert_eq!(refusal.explanation, "Probability that a passage answers (0.49) below threshold (0.5)");
        let gate = sifted.log.trace.last().unwrap();
        assert_eq!((gate.gate.as_str(), gate.verdict, gate.threshold), ("answerability", Verdict::Stop, 0.5));
    }

    #[test]
    fn of_named_documents_they_alone_decide_and_the_policys_share_is_enough() {
        let pool = |named: f32, other: f32| {
            let mut read = with_probabilities(&[named, other]);
            (read[0].addressed, read[0].on_its_text) = (true, true);
            read
        };
        assert!(
            !passes(&sift(gathered("leave", GATE, pool(0.24, 0.9)))),
            "another document answers, and was not asked"
        );
        assert!(passes(&sift(gathered("leave", GATE, pool(0.25, 0.1)))));
        let mut strict = gathered("leave", GATE, pool(0.25, 0.1));
        let mut policy = (*strict.asked.policy).clone();
        policy.rules.sift.named_share = 1.0;
        strict.asked.policy = std::sync::Arc::new(policy);
        assert!(!passes(&sift(strict)), "the whole threshold");
        let mut recorded_before = pool(0.1, 0.9);
        recorded_before[0].on_its_text = false;
        assert!(passes(&sift(gathered("leave", GATE, recorded_before))), "as it was decided then");
    }

    #[test]
    fn a_pool_that_nobody_read_is_left_to_the_other_gates() {
        let unread = vec![candidate(1, 0, 0.9, "leave days carried over")];
        let outcome = sift(gathered("leave", GATE, unread));
        assert!(passes(&outcome));
    }

    #[test]
    fn a_pool_that_the_reader_could_not_read_is_refused_unless_a_curator_chose_enough_of_it() {
        let unread = |curated: Option<f64>| {
            let one = Candidate { curated, ..candidate(1, 0, 0.9, "leave days carried over") };
            let mut gathered = gathered("leave", GATE, vec![one]);
            gathered.log.unread = Some("the reranker did not answer within 3000 ms".to_owned());
            sift(gathered)
        };
        for curated in [None, Some(0.4999)] {
            let SiftOutcome::Refused { refusal, sifted } = unread(curated) else { panic!("nobody read it") };
            assert_eq!(refusal.reason, Reason::RetrievalUnavailable);
            let expected = "Passages that were read (0 of 1) below the least that is needed (1): the reranker did not answer \
                        within 3000 ms";
            assert_eq!(refusal.explanation, expected);
            assert_eq!(refusal.suggestions, ["Ask again in a moment."]);
            assert_eq!(sifted.log.trace.last().unwrap().verdict, Verdict::Stop);
        }
        assert!(passes(&unread(Some(0.5))));
    }

    #[test]
    fn what_a_curator_chose_for_the_question_answers_it() {
        let mut chosen = with_probabilities(&[0.1]);
        chosen[0].curated = Some(0.9);
        assert!(passes(&sift(gathered("leave", GATE, chosen))));
    }

    #[test]
    fn it_says_its_number_and_what_cannot_be_meant() {
        let [line] = &words_of("{answerability: 0.5}")[..] else { panic!("one line") };
        assert!(line.contains("below 0.5") && line.contains("`not_answered`"), "{line}");
        assert_eq!(contradictions_of("[{answerability: 1.5}]"), ["sift.answerability must be between 0 and 1"]);
        let [open] = &warnings_of("[{answerability: 0}]")[..] else { panic!("it stops nothing") };
        assert!(open.starts_with("sift.answerability is 0: "), "{open}");
    }
}
