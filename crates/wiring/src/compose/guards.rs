//! Every part that a question asks, behind its breaker.

use std::sync::Arc;
use std::time::Duration;

use ibidem_adapters::second_try::SecondTry;
use ibidem_engine::parts::SecondReader;
use ibidem_engine::roles::{NamedModel, Planner, Roles};
use ibidem_engine::search::Searcher;
use ibidem_ports::degrade::{Breakers, Part};
use ibidem_ports::entailment::Entailment;
use ibidem_ports::reranker::Reranker;

use crate::settings::{LanguageModelSettings, Settings, TokenizerSource};

/// The catalogue and its word statistics have none: without it nothing can be shown, and there is nothing to fall back to.
pub(super) fn searcher(bare: Searcher, settings: &Settings, breakers: &Breakers) -> Searcher {
    let (embedding, index) = (settings.embedding.timeout_ms.get(), settings.index.timeout_ms.get());
    let twice = bare.index.replaced(|index| Arc::new(SecondTry::of(index)));
    Searcher {
        embedder: bare.embedder.behind(breakers.of("embedding", embedding)),
        index: twice.behind(breakers.of("index", index)),
        catalogue: bare.catalogue,
        words: bare.words,
    }
}

pub(super) fn reranker(bare: Part<dyn Reranker>, settings: &Settings, breakers: &Breakers) -> Part<dyn Reranker> {
    bare.behind(breakers.of("reranker", settings.reranker.timeout_ms.get()))
}

/// By itself: a large model that is late says nothing about the small one.
pub(super) fn second_reader(bare: SecondReader, breakers: &Breakers) -> SecondReader {
    let patience = bare.reader.patience().unwrap_or(Duration::MAX);
    SecondReader { reader: bare.reader.behind(breakers.of("second_reader", patience)), ..bare }
}

pub(super) fn entailment(bare: Part<dyn Entailment>, settings: &Settings, breakers: &Breakers) -> Part<dyn Entailment> {
    bare.behind(breakers.of("entailment", settings.entailment.timeout_ms.get()))
}

/// Each role by itself: a planner that is late for its few seconds says nothing about the answers of the same server,
/// and the fallback is there for when the answering model is left alone.
pub fn roles(bare: Roles, settings: Option<&LanguageModelSettings>, breakers: &Breakers) -> Roles {
    let Some(settings) = settings else { return bare };
    let (long, short) = (settings.timeout_ms.get(), settings.planner_timeout_ms.get());
    let guarded = |model: NamedModel, service: &str, patience: Duration| {
        let breaker = breakers.of(service, patience);
        // A server that is left alone is not asked to count either.
        let tokenizer = match settings.tokenizer(&model.name) {
            TokenizerSource::Server => model.tokenizer.behind(breaker.clone()),
            TokenizerSource::Estimate | TokenizerSource::File(_) => model.tokenizer,
        };
        NamedModel { model: model.model.behind(breaker), tokenizer, ..model }
    };
    let planner = bare.planner.map(|planner| guarded(planner.model().clone(), "model_planner", short));
    Roles {
        answer: bare.answer.map(|model| guarded(model, "model", long)),
        also_allowed: bare
            .also_allowed
            .into_iter()
            .map(|model| {
                let service = format!("model_{}", model.name);
                guarded(model, &service, long)
            })
            .collect(),
        planner: planner.map(|model| Arc::new(Planner::new(model))),
        judge: bare.judge.map(|model| guarded(model, "model_judge", short)),
        titles: bare.titles.map(|model| guarded(model, "model_titles", short)),
        fallback: bare.fallback.map(|model| guarded(model, "model_fallback", long)),
        out_of_corpus: bare.out_of_corpus.map(|model| guarded(model, "model_out_of_corpus", long)),
    }
}
