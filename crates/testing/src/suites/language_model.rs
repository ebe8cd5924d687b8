//! What every language model must do.

use futures::StreamExt as _;

use ibidem_ports::language_model::is_same_model;
use ibidem_ports::language_model::{LanguageModel, LikelyToken, ModelError, ModelFault, Piece, Prompt, PromptMessage};
use ibidem_words::Speaker;

/// # Panics
/// When the model does not behave as the port says.
pub async fn check(model: &dyn LanguageModel) {
    assert!(model.allowed().iter().any(|allowed| allowed == model.default_model()), "its own model is allowed");
    let served = model.served().await;
    let own = model.default_model();
    let is_served = |served: &Vec<String>| served.iter().any(|served| is_same_model(served, own));
    assert!(served.as_ref().is_ok_and(is_served), "its own model is served: {served:?}");
    let first = written(model, prompt(None)).await;
    assert!(!first.is_empty(), "it writes something");
    let named = written(model, prompt(Some(model.default_model()))).await;
    assert_eq!(named, first, "the same prompt at temperature 0 gets the same words");
    let refused = model.write(prompt(Some("no-such-model"))).await.err();
    let Some(ModelError::Own(ModelFault::NotAllowed { model: named, allowed })) = refused else {
        panic!("a model that is not listed was asked for: {refused:?}");
    };
    assert_eq!((named.as_str(), allowed), ("no-such-model", model.allowed()));
    the_first_tokens_are_what_it_begins_with(model, &first).await;
}

async fn the_first_tokens_are_what_it_begins_with(model: &dyn LanguageModel, written: &[u8]) {
    let tokens = first_tokens(model, prompt(None)).await;
    let likeliest = tokens.first().map_or("", |token| token.text.trim_start());
    assert!(!likeliest.is_empty(), "there is something to begin with: {tokens:?}");
    let written = String::from_utf8_lossy(written);
    assert!(written.trim_start().starts_with(likeliest), "{likeliest:?} begins {written:?}");
    assert!(tokens.is_sorted_by(|one, next| one.logprob >= next.logprob), "likeliest first: {tokens:?}");
    let probability: f64 = tokens.iter().map(|token| token.logprob.exp()).sum();
    // Rounding may lift the sum of a few tokens a hair above certainty.
    assert!((0.0..=1.0 + 1e-3).contains(&probability), "they are not likelier than certain: {probability}");
    let again = first_tokens(model, Prompt { temperature: 1.0, max_tokens: 7, ..prompt(None) }).await;
    assert_eq!(again.first().map(|token| token.text.trim_start()), Some(likeliest), "nothing is drawn by lot");
    let refused = model.first_tokens(prompt(Some("no-such-model"))).await;
    assert!(matches!(refused, Err(ModelError::Own(ModelFault::NotAllowed { .. }))), "{refused:?}");
}

async fn first_tokens(model: &dyn LanguageModel, prompt: Prompt) -> Vec<LikelyToken> {
    match model.first_tokens(prompt).await {
        Ok(tokens) => tokens,
        Err(error) => panic!("it does not say what it would begin with: {error}"),
    }
}

fn prompt(model: Option<&str>) -> Prompt {
    let message = PromptMessage { role: Speaker::User, content: "Say hello.".to_owned() };
    Prompt { model: model.map(str::to_owned), messages: vec![message], temperature: 0.0, max_tokens: 24, form: None }
}

/// Everything it writes, up to an end that is the last thing to come.
async fn written(model: &dyn LanguageModel, prompt: Prompt) -> Vec<u8> {
    let mut pieces = match model.write(prompt).await {
        Ok(pieces) => pieces,
        Err(error) => panic!("it does not write: {error}"),
    };
    let mut text = Vec::new();
    loop {
        match pieces.next().await {
            Some(Ok(Piece::Text(piece))) => text.extend(piece),
            Some(Ok(Piece::Done { usage, .. })) => {
                assert!(usage.is_none_or(|usage| usage.completion_tokens > 0));
                break;
            }
            Some(Err(error)) => panic!("it broke off: {error}"),
            None => panic!("the stream ended without an end"),
        }
    }
    assert!(pieces.next().await.is_none(), "nothing comes after the end");
    text
}
