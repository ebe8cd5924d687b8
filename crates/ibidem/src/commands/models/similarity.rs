//! `ibidem models --similarity`: which cosines of the embedding model count as the similarities 0 and 1.
//!
//! Texts that mean the same, and texts that have nothing to do with each other, have the cosines of the model that the
//! shipped thresholds were found with, and those of the model in use. The scale lays the second two on the first two.

use std::process::ExitCode;

use ibidem_ports::embedder::Embedder;
use serde::Serialize;

use crate::compose::embedding::unmeasured;
use crate::console;
use crate::settings::Settings;

/// A language, a text, and another that says the same, answers it, or is its answer.
const PAIRS: &str = include_str!("pairs.tsv");

/// The mean cosines of all-MiniLM-L6-v2 on the English pairs.
const REFERENCE: Cosines = Cosines { unrelated: 0.0528, same: 0.6306 };

#[derive(Clone, Copy, PartialEq, Debug, Serialize)]
struct Cosines {
    /// Mean, of each first text and every second one of another pair in its language.
    unrelated: f64,
    /// Mean, of the two texts of each pair.
    same: f64,
}

#[derive(Serialize)]
struct Measured {
    cosines: Cosines,
    zero: f64,
    one: f64,
    model: String,
}

struct Pair {
    language: &'static str,
    texts: [&'static str; 2],
}

pub(super) async fn run(settings: &Settings, languages: &[String], json: bool) -> anyhow::Result<ExitCode> {
    let embedder = unmeasured(settings).await?;
    let cosines = measure(embedder.as_ref(), &pairs(languages)?).await?;
    let (zero, one) = scale(cosines)?;
    let measured = Measured { cosines, zero, one, model: embedder.model().hash.0.to_string() };
    if json {
        console::say_json(&measured)?;
    } else {
        console::note(&format!(
            "texts that mean the same have a mean cosine of {:.4}, unrelated ones {:.4}",
            cosines.same, cosines.unrelated
        ));
        console::say(&format!(
            "embedding:\n  similarity:\n    zero: {zero}\n    one: {one}\n    model: {}",
            measured.model
        ));
    }
    Ok(ExitCode::SUCCESS)
}

fn pairs(languages: &[String]) -> anyhow::Result<Vec<Pair>> {
    let pairs: Vec<Pair> = PAIRS
        .lines()
        .filter_map(|line| {
            let mut fields = line.split('\t');
            Some(Pair { language: fields.next()?, texts: [fields.next()?, fields.next()?] })
        })
        .collect();
    for wanted in languages {
        let is_known = pairs.iter().any(|pair| pair.language == wanted);
        anyhow::ensure!(is_known, "there are no pairs of texts in {wanted:?}; --languages takes en, de or both");
    }
    Ok(pairs.into_iter().filter(|pair| languages.iter().any(|wanted| wanted == pair.language)).collect())
}

/// The first text as a question, the second as a passage, as search compares them.
async fn measure(embedder: &dyn Embedder, pairs: &[Pair]) -> anyhow::Result<Cosines> {
    let texts = |place: usize| pairs.iter().map(|pair| pair.texts[place].to_owned()).collect::<Vec<_>>();
    let asked = embedder.embed_queries(texts(0)).await?;
    let found = embedder.embed_passages(texts(1)).await?;
    let (mut same, mut unrelated) = (Vec::new(), Vec::new());
    for (number, (pair, question)) in pairs.iter().zip(&asked).enumerate() {
        for (other, (another, passage)) in pairs.iter().zip(&found).enumerate() {
            if number == other {
                same.push(cosine(question, passage));
            } else if pair.language == another.language {
                unrelated.push(cosine(question, passage));
            }
        }
    }
    Ok(Cosines { unrelated: mean(&unrelated), same: mean(&same) })
}

/// Where the straight line through the two measured points meets 0 and 1.
fn scale(cosines: Cosines) -> anyhow::Result<(f64, f64)> {
    let apart = cosines.same - cosines.unrelated;
    anyhow::ensure!(
        apart > 0.01,
        "this embedding model hardly tells texts that mean the same ({:.4}) from unrelated ones ({:.4}); check \
         `embedding.pooling` and the prefixes, and whether it knows the languages",
        cosines.same,
        cosines.unrelated
    );
    let step = apart / (REFERENCE.same - REFERENCE.unrelated);
    let zero = cosines.unrelated - REFERENCE.unrelated * step;
    let rounded = |value: f64| (value * 10_000.0).round() / 10_000.0;
    Ok((rounded(zero), rounded(zero + step)))
}

fn cosine(one: &[f32], other: &[f32]) -> f64 {
    one.iter().zip(other).map(|(x, y)| f64::from(*x) * f64::from(*y)).sum()
}

fn mean(values: &[f64]) -> f64 {
    #[expect(clippy::cast_precision_loss, reason = "a few thousand at most")]
    let count = values.len().max(1) as f64;
    values.iter().sum::<f64>() / count
}

#[cfg(test)]
mod tests {
    use ibidem_testing::fakes::FakeEmbedder;

    use super::*;

    fn both() -> Vec<String> {
        ["en", "de"].map(str::to_owned).to_vec()
    }

    #[test]
    fn the_reference_model_keeps_its_cosines() {
        assert_eq!(scale(REFERENCE).unwrap(), (0.0, 1.0));
    }

    #[test]
    fn both_measured_points_come_to_where_the_reference_has_them() {
        let cosines = Cosines { unrelated: 0.76, same: 0.86 };
        let (zero, one) = scale(cosines).unwrap();
        for (cosine, wanted) in [(cosines.unrelated, REFERENCE.unrelated), (cosines.same, REFERENCE.same)] {
            assert!(((cosine - zero) / (one - zero) - wanted).abs() < 1e-3);
        }
        assert!(scale(Cosines { unrelated: 0.5, same: 0.505 }).is_err());
    }

    #[test]
    fn there_are_thirty_pairs_in_each_language_and_no_text_twice() {
        let pairs = pairs(&both()).unwrap();
        let of = |language: &str| pairs.iter().filter(|pair| pair.language == language).count();
        assert_eq!((of("en"), of("de")), (30, 30));
        let texts: std::collections::BTreeSet<_> = pairs.iter().flat_map(|pair| pair.texts).collect();
        assert_eq!(texts.len(), 120);
        assert!(super::pairs(&["fr".to_owned()]).is_err());
    }

    #[tokio::test]
    async fn a_model_that_knows_words_tells_pairs_from_strangers() {
        let cosines = measure(&FakeEmbedder::new(256, 256), &pairs(&both()).unwrap()).await.unwrap();
        assert!(cosines.same > cosines.unrelated, "{cosines:?}");
    }
}
