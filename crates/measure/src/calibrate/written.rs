//! A policy's text with the number that was chosen and where it comes from. Everything else stays as somebody wrote it.

use ibidem_engine::policy::{CalibratedGate, Calibration, ModelIdentity, Policy, PolicyError, WithOtherModels};

use super::gate;

#[derive(Debug, thiserror::Error)]
pub enum WriteError {
    #[error(transparent)]
    Policy(#[from] PolicyError),
    #[error(
        "the number cannot be put into this policy's text without changing something else; write sift.{0} on a line of \
         its own, as the shipped policies do"
    )]
    Tangled(CalibratedGate),
}

/// The text of the calibrated policy. It is read again before it is given: it says this, and nothing else.
pub fn calibrated(text: &str, calibration: &Calibration) -> Result<String, WriteError> {
    let key = match calibration.gate {
        CalibratedGate::Answerability => "answerability:",
        CalibratedGate::Top1Similarity => "top1_similarity:",
        CalibratedGate::DistanceThreshold => "distance_threshold:",
    };
    let lines = without_calibration(text).map(|line| with_number(line, key, calibration.threshold));
    let text_before = lines.collect::<Vec<_>>().join("\n");
    let written = format!("{}\n\n{}", text_before.trim_end(), block(calibration));
    let mut expected = gate::set(&Policy::parse(text)?, calibration.gate, calibration.threshold);
    expected.rules.calibration = Some(calibration.clone());
    let found = Policy::parse(&written)?;
    if found.rules != expected.rules {
        return Err(WriteError::Tangled(calibration.gate));
    }
    Ok(written)
}

/// The lines of a policy without an earlier calibration and what introduced it.
fn without_calibration(text: &str) -> impl Iterator<Item = &str> {
    let mut inside = false;
    text.lines().filter(move |line| {
        if line.starts_with("calibration:") {
            inside = true;
        } else if !line.is_empty() && !line.starts_with([' ', '\t', '#']) {
            inside = false;
        }
        !inside && *line != INTRODUCTION
    })
}

/// The line with this number behind each of its keys. What follows `#` is somebody's remark.
fn with_number(line: &str, key: &str, number: f64) -> String {
    let remark = line.char_indices().find(|(at, sign)| *sign == '#' && (*at == 0 || line[..*at].ends_with(' ')));
    let (mut rest, remark) = line.split_at(remark.map_or(line.len(), |(at, _)| at));
    let mut written = String::new();
    while let Some(at) = rest.find(key) {
        let (before, after) = rest.split_at(at + key.len());
        let value = after.trim_start();
        let end = value.find(|sign: char| !sign.is_ascii_digit() && sign != '.').unwrap_or(value.len());
        written.push_str(&format!("{before} {number}"));
        rest = &value[end..];
    }
    written + rest + remark
}

const INTRODUCTION: &str =
    "# Written by `ibidem calibrate`: it holds for these models, and for questions like those it was chosen by.";

fn block(calibration: &Calibration) -> String {
    let Calibration { gate, threshold, max_hallucination, confidence, bound, labels, answered, wrong, .. } =
        calibration;
    let Calibration { observed_risk, labels_sha256, policy_sha256, at, models, .. } = calibration;
    let mut lines = vec![
        INTRODUCTION.to_owned(),
        "calibration:".to_owned(),
        format!("  gate: {gate}"),
        format!("  threshold: {threshold}"),
        "  # Of the answers given, the share that is wrong is at most this, with this confidence:".to_owned(),
        format!("  max_hallucination: {max_hallucination}"),
        format!("  confidence: {confidence}"),
        format!("  bound: {bound}"),
        format!("  labels: {labels}"),
        format!("  answered: {answered}"),
        format!("  wrong: {wrong}"),
        format!("  observed_risk: {observed_risk}"),
        format!("  labels_sha256: {labels_sha256}"),
        format!("  policy_sha256: {policy_sha256}"),
        format!("  at: {}", at.to_rfc3339()),
        "  models:".to_owned(),
    ];
    let identities = [
        ("embedding", Some(&models.embedding)),
        ("reranker", models.reranker.as_ref()),
        ("verifier", models.verifier.as_ref()),
    ];
    lines.extend(identities.into_iter().filter_map(|(part, model)| Some(format!("    {part}: {}", describe(model?)))));
    if calibration.with_other_models == WithOtherModels::PromiseNothing {
        lines.push("  with_other_models: promise_nothing".to_owned());
    }
    lines.join("\n") + "\n"
}

/// On one line. A JSON string is a YAML string too, whatever is in it.
fn describe(model: &ModelIdentity) -> String {
    let name = serde_json::Value::from(model.name.as_str());
    match model.sha256 {
        Some(hash) => format!("{{name: {name}, sha256: {hash}}}"),
        None => format!("{{name: {name}}}"),
    }
}

#[cfg(test)]
mod tests {
    use chrono::DateTime;
    use ibidem_engine::policy::{CalibratedModels, Gate};
    use ibidem_words::Sha256Hash;

    use super::*;

    const DEFAULT: &str = include_str!("../../../../policies/default.yaml");
    const ARCHITECTURE: &str = include_str!("../../../../policies/architecture.yaml");

    fn calibration(gate: CalibratedGate, threshold: f64) -> Calibration {
        let hash = Sha256Hash::of(b"x");
        Calibration {
            gate,
            threshold,
            max_hallucination: 0.05,
            confidence: 0.95,
            bound: "clopper_pearson".to_owned(),
            labels: 400,
            answered: 210,
            wrong: 3,
            observed_risk: 0.0143,
            labels_sha256: hash,
            policy_sha256: hash,
            at: DateTime::UNIX_EPOCH,
            models: CalibratedModels {
                embedding: ModelIdentity { name: "all: \"MiniLM\"".to_owned(), sha256: Some(hash) },
                reranker: None,
                verifier: Some(ModelIdentity { name: "lexical".to_owned(), sha256: None }),
            },
            with_other_models: WithOtherModels::Refuse,
        }
    }

    #[test]
    fn only_the_number_changes_and_what_people_wrote_stays() {
        let calibration = calibration(CalibratedGate::Top1Similarity, 0.52);
        let written = calibrated(DEFAULT, &calibration).unwrap();
        assert!(written.contains("    - top1_similarity: 0.52\n"), "{written}");
        let remark = "# The policy file that is used unless `policy.use` names another.";
        assert!(written.contains(remark) && written.contains("    - min_similarity: 0.3\n"), "{written}");
        let policy = Policy::parse(&written).unwrap();
        assert_eq!(policy.rules.calibration.as_ref(), Some(&calibration));
        let again = calibrated(&written, &calibration).unwrap();
        assert_eq!(again, written, "calibrating again replaces what there was");
    }

    #[test]
    fn a_distance_is_written_for_every_collection() {
        let calibration = calibration(CalibratedGate::DistanceThreshold, 0.41);
        let written = calibrated(ARCHITECTURE, &calibration).unwrap();
        let policy = Policy::parse(&written).unwrap();
        let Some(Gate::Collections(thresholds)) = policy.rules.sift.gates.first() else { panic!("{written}") };
        let all = thresholds.collections.values().chain([&thresholds.default]);
        assert_eq!(all.filter(|own| (own.distance_threshold - 0.41).abs() < 1e-9).count(), 5);
        assert!(written.contains("Vocabulary: {distance_threshold: 0.41, min_query_coverage: 0.30}"), "{written}");
    }

    #[test]
    fn a_text_in_which_the_number_stands_elsewhere_too_is_not_touched() {
        let tangled = DEFAULT.replace("  refusal: ", "  refusal: \"top1_similarity: 0.1\" #");
        let error = calibrated(&tangled, &calibration(CalibratedGate::Top1Similarity, 0.5)).unwrap_err();
        assert!(error.to_string().contains("write sift.top1_similarity on a line of its own"), "{error}");
    }
}
