//! Topics: what may be asked about, told by exemplary questions. No model decides; a question that could be about
//! several is asked back, and one about none of them is told what there is.

use ibidem_ports::degrade::Part;
use ibidem_ports::embedder::{EmbedError, Embedder};
use ibidem_words::{GateRecord, Offer, Reason, Refusal, Speaker, Verdict, as_shown};

use crate::exemplars::{Exemplars, TopicVectors};
use crate::listener::Listener;
use crate::outcome::{Clarified, Decided, Outcome, Refused, Retrieval};
use crate::policy::{Topic, TopicRules};
use crate::turn::{Asked, TurnLog};

/// Where a question goes.
#[derive(Clone, PartialEq, Debug)]
pub enum TopicRoute<'a> {
    /// About this.
    Topic { topic: &'a Topic, confidence: f64 },
    /// About one of these, the likeliest first.
    Unclear { topics: Vec<&'a Topic>, confidence: f64 },
    /// About none of them.
    Elsewhere { similarity: f64 },
}

/// Which topic of those that are there the question is about, as far as its closest exemplars tell.
pub async fn place<'a>(
    exemplars: &Exemplars,
    embedder: &Part<dyn Embedder>,
    asked: &Asked,
    rules: &'a TopicRules,
    is_there: &[bool],
) -> Result<TopicRoute<'a>, EmbedError> {
    let vectors = exemplars.of(embedder, asked.policy.hash, rules, asked.deadline).await?;
    let question = vec![asked.question.query.clone()];
    let question = embedder.call(asked.deadline, |embedder| embedder.embed_queries(question)).await?.into_iter().next();
    let scale = embedder.port().model().scale;
    let closest = |vectors: &TopicVectors| {
        let similarities = question
            .iter()
            .flat_map(|question| vectors.iter().map(move |other| scale.similarity(cosine(question, other))));
        similarities.fold(0.0, f64::max)
    };
    let similarities: Vec<Option<f64>> =
        vectors.iter().zip(is_there).map(|(vectors, is_there)| is_there.then(|| closest(vectors))).collect();
    // Somebody who is in the middle of a conversation is not asked what it is about.
    let in_context = asked.question.history.iter().any(|message| message.role == Speaker::User);
    Ok(decide(rules, &similarities, in_context))
}

/// Pure: by the similarity of the closest exemplar of each topic; none of a topic that is not there.
fn decide<'a>(rules: &'a TopicRules, similarities: &[Option<f64>], in_context: bool) -> TopicRoute<'a> {
    let there = rules.topics.iter().zip(similarities).filter_map(|(topic, similarity)| Some((topic, (*similarity)?)));
    let mut ranked: Vec<(&Topic, f64)> = there.collect();
    ranked.sort_by(|one, other| other.1.total_cmp(&one.1).then_with(|| one.0.name.cmp(&other.0.name)));
    let Some((topic, best)) = ranked.first().copied() else { return TopicRoute::Elsewhere { similarity: 0.0 } };
    // A tool is called only for what is surely about it, in the middle of a conversation too.
    let in_context = in_context && topic.tool.is_none();
    // The share of the closest among all, each weighing less by a factor for every step it is farther away.
    let weights: f64 = ranked.iter().map(|(_, similarity)| ((similarity - best) / rules.step).exp()).sum();
    let confidence = (1_000.0 / weights).round() / 1_000.0;
    if best < rules.least_similarity && !in_context {
        return TopicRoute::Elsewhere { similarity: best };
    }
    if confidence >= rules.least_confidence || in_context {
        return TopicRoute::Topic { topic, confidence };
    }
    const MOST_TOPICS: usize = 3;
    let topics = ranked.into_iter().map(|(topic, _)| topic).take(MOST_TOPICS).collect();
    TopicRoute::Unclear { topics, confidence }
}

fn cosine(one: &[f32], other: &[f32]) -> f64 {
    let product = |a: &[f32], b: &[f32]| a.iter().zip(b).map(|(x, y)| f64::from(*x) * f64::from(*y)).sum::<f64>();
    let lengths = (product(one, one) * product(other, other)).sqrt();
    if lengths == 0.0 { 0.0 } else { product(one, other) / lengths }
}

/// Asks back which topic is meant.
pub(crate) fn clarify(
    asked: &Asked,
    rules: &TopicRules,
    topics: &[&Topic],
    confidence: f64,
    listener: &mut dyn Listener,
) -> Decided {
    let gate = gate("topic_confidence", confidence, rules.least_confidence);
    let text = listed(&rules.wording.clarify, topics);
    listener.sentence(&text, Vec::new());
    let offer = |topic: &&Topic| Offer {
        text: topic.about.clone(),
        query: format!("{} ({})", asked.question.query, topic.about),
    };
    let clarified = Clarified {
        text,
        reason: None,
        explanation: Some(format!("Topic confidence ({confidence}) below threshold ({})", rules.least_confidence)),
        offers: topics.iter().map(offer).collect(),
        details: Vec::new(),
        quoted: None,
    };
    Decided::plainly(Outcome::Clarified(clarified), Retrieval::by_rule(), TurnLog::of(gate))
}

/// Says what can be asked.
pub(crate) fn out_of_scope(rules: &TopicRules, topics: &[&Topic], similarity: f64) -> Decided {
    let similarity = as_shown(similarity);
    let gate = gate("topic_similarity", similarity, rules.least_similarity);
    let refusal = Refusal {
        reason: Reason::OutOfScope,
        explanation: format!(
            "Similarity to the closest topic ({similarity}) below threshold ({})",
            rules.least_similarity
        ),
        suggestions: topics.iter().map(|topic| topic.about.clone()).collect(),
    };
    // Each topic's own example: whether it is answered is found out before it is shown.
    let exemplars = topics.iter().filter_map(|topic| topic.exemplars.first());
    let offers = exemplars.map(|one| Offer { text: one.clone(), query: one.clone() }).collect();
    let refused = Refused { offers, ..Refused::saying(listed(&rules.wording.out_of_scope, topics), refusal) };
    Decided::refused_by_rule(refused, gate)
}

fn listed(above: &str, topics: &[&Topic]) -> String {
    let lines = topics.iter().map(|topic| format!("\n- {}: {}", topic.name, topic.about));
    std::iter::once(above.trim().to_owned()).chain(lines).collect()
}

fn gate(name: &str, observed: f64, threshold: f64) -> GateRecord {
    GateRecord { gate: name.to_owned(), verdict: Verdict::Stop, observed, threshold }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rules() -> TopicRules {
        let text = "
least_confidence: 0.7
least_similarity: 0.3
step: 0.1
wording: {clarify: Which one?, out_of_scope: 'You can ask about:'}
topics:
  - {name: Billing, about: 'Invoices and payments', exemplars: [Where is my invoice?]}
  - {name: Technical, about: 'Faults and settings', exemplars: [The router is down]}
";
        serde_saphyr::from_str(text).unwrap()
    }

    #[test]
    fn a_clear_topic_is_taken_an_unclear_one_asked_back_and_none_is_out_of_scope() {
        let rules = rules();
        let about = |similarities: &[f64], in_context: bool| match decide(
            &rules,
            &similarities.iter().copied().map(Some).collect::<Vec<_>>(),
            in_context,
        ) {
            TopicRoute::Topic { topic, .. } => topic.name.clone(),
            TopicRoute::Unclear { topics, .. } => format!("unclear {}", topics.len()),
            TopicRoute::Elsewhere { .. } => "elsewhere".to_owned(),
        };
        assert_eq!(about(&[0.8, 0.4], false), "Billing");
        assert_eq!(about(&[0.4, 0.5], false), "Technical");
        assert_eq!(about(&[0.45, 0.5], false), "unclear 2");
        assert_eq!(about(&[0.45, 0.5], true), "Technical");
        assert_eq!(about(&[0.1, 0.29], false), "elsewhere");
        assert_eq!(about(&[0.1, 0.3], false), "Technical");
    }

    #[test]
    fn confidence_is_compared_exactly_at_its_threshold() {
        let rules = rules();
        // ln(7/3) steps apart: seven to three.
        let gap = rules.step * (7.0_f64 / 3.0).ln();
        for (gap, clear) in [(gap, true), (gap - 0.001, false), (gap + 0.001, true)] {
            let placed = decide(&rules, &[Some(0.5), Some(0.5 - gap)], false);
            assert_eq!(matches!(placed, TopicRoute::Topic { .. }), clear, "{placed:?}");
        }
    }
}
