//! Out of corpus: a model answers from what it knows, where the policy wants that, under a disclaimer.
//!
//! There are no notes here, so there is nothing a marker could be minted for: none comes out of the gauntlet, and no
//! citation can be made.

use futures::StreamExt as _;
use ibidem_language::sentences::Passed;
use ibidem_ports::clock;
use ibidem_ports::degrade::Deadline;
use ibidem_ports::language_model::{ModelError, ModelFault, Piece, Prompt, PromptMessage};
use ibidem_words::{Receipt, Refusal, Speaker, Stretch, unsteered};

use super::gauntlet::Gauntlet;
use super::markup::{sanitize, without_addresses};
use crate::listener::Listener;
use crate::outcome::Routed;
use crate::policy::Disclaimed;
use crate::roles::NamedModel;
use crate::turn::Asked;

/// The answer in place of a refusal. A model that fails changes nothing: the refusal stands.
pub(super) async fn disclaim(
    model: &NamedModel,
    rules: &Disclaimed,
    asked: &Asked,
    refusal: Refusal,
    listener: &mut dyn Listener,
) -> Result<(Routed, bool), ModelError> {
    let message = |role, content: &str| PromptMessage { role, content: content.trim().to_owned() };
    let prompt = Prompt {
        model: Some(model.name.clone()),
        messages: vec![
            message(Speaker::System, &rules.system_prompt),
            message(Speaker::User, &unsteered(&asked.question.query)),
        ],
        temperature: asked.policy.rules.speak.temperature,
        max_tokens: model.limits.response,
        form: None,
    };
    let began = clock::now();
    let (reply, is_cut) = written(model, prompt, asked.deadline).await?;
    let disclaimer = Stretch::policy(format!("{}\n\n", rules.disclaimer.trim()));
    let receipt = Receipt::unsealed(None, vec![disclaimer, Stretch::unverified(reply.trim().to_owned())]);
    listener.sentence(&receipt.text(), Vec::new());
    let took_ms = u64::try_from(began.elapsed().as_millis()).unwrap_or(u64::MAX);
    Ok((Routed::General { receipt, refusal, model: model.name.clone(), took_ms }, is_cut))
}

/// What the model wrote, without anything that looks like a citation, and without markup and links: there is no note that
/// could have one; and whether its reply was cut.
async fn written(model: &NamedModel, prompt: Prompt, deadline: Deadline) -> Result<(String, bool), ModelError> {
    let mut pieces = model.model.write(deadline, prompt).await?;
    let mut gauntlet = Gauntlet::new(0);
    let mut reply = String::new();
    let mut is_cut = false;
    let mut take = |passed: Vec<Passed>| {
        for passed in passed {
            if let Passed::Text(text) = passed {
                reply.push_str(&text);
            }
        }
    };
    while let Some(piece) = pieces.next().await {
        match piece? {
            Piece::Text(text) => take(gauntlet.push(&text)),
            Piece::Done { cut, .. } => {
                is_cut = cut.is_some();
                break;
            }
        }
    }
    take(gauntlet.finish());
    let reply = sanitize(&without_addresses(&sanitize(&reply, &[])), &[]);
    if reply.trim().is_empty() {
        return Err(ModelError::Own(ModelFault::Failed("the model said nothing".to_owned())));
    }
    Ok((reply, is_cut))
}
