//! Which models are in use, by what makes each another one: what a calibrated policy is held against.

use ibidem_adapters::onnx::PairModelSettings;
use ibidem_engine::policy::{CalibratedModels, ModelIdentity};
use ibidem_engine::yes_no::YesNoSettings;
use ibidem_words::Sha256Hash;

use super::CountingEmbedder;
use crate::settings::{EntailmentSource, LanguageModelSettings, RerankerSource, Settings};

/// A model in a file is known by its digest, one that is asked over the network by its name alone.
pub fn models_in_use(settings: &Settings, embedder: &dyn CountingEmbedder) -> anyhow::Result<CalibratedModels> {
    let model = embedder.model();
    let reranker = settings.reranker().map(|reranker| match &reranker {
        RerankerSource::BuiltIn(readers) => Ok(together(&by_weights(&readers.english)?, &by_weights(&readers.others)?)),
        RerankerSource::Onnx(onnx) => by_weights(onnx),
        RerankerSource::Http(http) => Ok(by_name(&http.model)),
        RerankerSource::Model(yes_no) => Ok(by_name(asked(settings, yes_no))),
    });
    let reranker = match (reranker.transpose()?, settings.second_reader()) {
        (Some(first), Some(second)) => Some(together(&first, &by_weights(&second.model)?)),
        (first, _) => first,
    };
    let verifier = match &settings.entailment() {
        EntailmentSource::Lexical => by_name("lexical"),
        EntailmentSource::Onnx(onnx) => by_weights(onnx)?,
        EntailmentSource::Http(http) => by_name(&http.model),
        EntailmentSource::Model(yes_no) => by_name(asked(settings, yes_no)),
    };
    let agreed = format!("lexical+{}", verifier.name);
    let verifier =
        if settings.entailment.words_first() { ModelIdentity { name: agreed, ..verifier } } else { verifier };
    let verifier = match settings.second_verifier() {
        Some(second) => together(&verifier, &by_weights(&second.model)?),
        None => verifier,
    };
    Ok(CalibratedModels {
        embedding: ModelIdentity { name: model.name.clone(), sha256: Some(model.hash.0) },
        reranker,
        verifier: Some(verifier),
    })
}

/// Two models that stand for one part: another one of either is another model.
fn together(one: &ModelIdentity, other: &ModelIdentity) -> ModelIdentity {
    // A model that is asked over the network is known by its name alone.
    let known_by = |model: &ModelIdentity| model.sha256.map_or_else(|| model.name.clone(), |digest| digest.to_string());
    let sha256 = Some(Sha256Hash::of_parts([known_by(one).as_bytes(), known_by(other).as_bytes()]));
    ModelIdentity { name: format!("{}+{}", one.name, other.name), sha256 }
}

/// The language model that says yes or no.
fn asked<'a>(settings: &'a Settings, yes_no: &'a YesNoSettings) -> &'a str {
    let answering = settings.language_model().map_or("", LanguageModelSettings::answer);
    yes_no.model.as_deref().unwrap_or(answering)
}

fn by_name(name: &str) -> ModelIdentity {
    ModelIdentity { name: name.to_owned(), sha256: None }
}

fn by_weights(model: &PairModelSettings) -> anyhow::Result<ModelIdentity> {
    let weights = model.weights();
    let weights = weights.map_err(|error| anyhow::anyhow!("{} cannot be read: {error}", model.place().display()))?;
    Ok(ModelIdentity { name: model.name.clone(), sha256: Some(Sha256Hash::of(&weights)) })
}
