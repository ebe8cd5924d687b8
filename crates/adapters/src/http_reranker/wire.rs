//! The forms' JSON, and what makes a reply a judgement of these texts.

use serde::{Deserialize, Serialize};

use super::RerankForm;
use crate::model_server::by_index;

#[derive(Serialize)]
#[serde(untagged)]
pub(super) enum Request<'a> {
    Cohere {
        model: &'a str,
        query: &'a str,
        documents: &'a [String],
        top_n: usize,
    },
    Tei {
        query: &'a str,
        texts: &'a [String],
        raw_scores: bool,
        /// A text longer than the model's window is judged by its beginning, instead of refusing them all.
        truncate: bool,
    },
    Voyage {
        model: &'a str,
        query: &'a str,
        documents: &'a [String],
        truncation: bool,
    },
    Score {
        model: &'a str,
        text_1: &'a str,
        text_2: &'a [String],
    },
}

impl<'a> Request<'a> {
    pub(super) fn new(form: RerankForm, model: &'a str, question: &'a str, texts: &'a [String]) -> Self {
        match form {
            RerankForm::Cohere => Self::Cohere { model, query: question, documents: texts, top_n: texts.len() },
            RerankForm::Voyage => Self::Voyage { model, query: question, documents: texts, truncation: true },
            RerankForm::Score => Self::Score { model, text_1: question, text_2: texts },
            RerankForm::Tei => Self::Tei { query: question, texts, raw_scores: false, truncate: true },
        }
    }
}

#[derive(Deserialize)]
struct CohereReply {
    results: Vec<Scored>,
}

/// Voyage's, and vLLM's of scores.
#[derive(Deserialize)]
struct DataReply {
    data: Vec<Scored>,
}

#[derive(Deserialize)]
struct Scored {
    index: usize,
    #[serde(alias = "relevance_score")]
    score: f64,
}

/// The scores in the order of the texts, whatever order they came in; or why the reply is none of these texts.
pub(super) fn scores(form: RerankForm, body: &[u8], texts: usize, raw: bool) -> Result<Vec<f32>, String> {
    let results = match form {
        RerankForm::Cohere => serde_json::from_slice::<CohereReply>(body).map(|reply| reply.results),
        RerankForm::Tei => serde_json::from_slice::<Vec<Scored>>(body),
        RerankForm::Voyage | RerankForm::Score => serde_json::from_slice::<DataReply>(body).map(|reply| reply.data),
    };
    let results = results.map_err(|error| format!("its reply is not of the form: {error}; check `reranker.form`"))?;
    let found = results.into_iter().map(|Scored { index, score }| Ok((index, checked(score, raw)?)));
    by_index(found, texts, ["scored", "score", "text"])
}

fn checked(score: f64, raw: bool) -> Result<f32, String> {
    let score = if raw { 1.0 / (1.0 + (-score).exp()) } else { score };
    if !(0.0..=1.0).contains(&score) {
        return Err(format!(
            "it gave a score of {score}, not one from 0 to 1; if it gives logits, set `reranker.raw_scores`"
        ));
    }
    #[expect(clippy::cast_possible_truncation, reason = "rounding to the precision of a score is meant")]
    let score = score as f32;
    Ok(score)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cohere(body: &str, texts: usize) -> Result<Vec<f32>, String> {
        scores(RerankForm::Cohere, body.as_bytes(), texts, false)
    }

    #[test]
    fn requests_are_written_as_each_form_says() {
        let texts = ["one".to_owned(), "two".to_owned()];
        let written = |form| serde_json::to_string(&Request::new(form, "m", "q", &texts)).unwrap();
        assert_eq!(written(RerankForm::Cohere), r#"{"model":"m","query":"q","documents":["one","two"],"top_n":2}"#);
        assert_eq!(
            written(RerankForm::Tei),
            r#"{"query":"q","texts":["one","two"],"raw_scores":false,"truncate":true}"#
        );
        let voyage = r#"{"model":"m","query":"q","documents":["one","two"],"truncation":true}"#;
        assert_eq!(written(RerankForm::Voyage), voyage);
        assert_eq!(written(RerankForm::Score), r#"{"model":"m","text_1":"q","text_2":["one","two"]}"#);
    }

    #[test]
    fn scores_come_in_any_order_and_with_more_beside_them() {
        let reply = r#"{"id":"x","results":[{"index":1,"relevance_score":0.9,"document":{"text":"two"}},
            {"index":0,"relevance_score":1e-9}],"usage":{"total_tokens":9}}"#;
        assert_eq!(cohere(reply, 2).unwrap(), [1e-9, 0.9]);
        let reply = br#"[{"index":2,"score":1},{"index":0,"score":0.5,"text":"one"},{"index":1,"score":0}]"#;
        assert_eq!(scores(RerankForm::Tei, reply, 3, false).unwrap(), [0.5, 0.0, 1.0]);
        let voyage =
            br#"{"object":"list","data":[{"relevance_score":0.75,"index":1},{"relevance_score":0.25,"index":0}]}"#;
        assert_eq!(scores(RerankForm::Voyage, voyage, 2, false).unwrap(), [0.25, 0.75]);
        let score = br#"{"object":"list","data":[{"index":0,"object":"score","score":1},{"index":1,"object":"score","score":0.25}]}"#;
        assert_eq!(scores(RerankForm::Score, score, 2, false).unwrap(), [1.0, 0.25]);
    }

    #[test]
    fn a_reply_that_is_no_judgement_of_these_texts_is_refused() {
        let cases = [
            (r#"{"results":[{"index":0,"relevance_score":0.5}]}"#, "did not score text 1"),
            (r#"{"results":[]}"#, "did not score text 0"),
            (r#"{"results":[{"index":0,"relevance_score":0.5},{"index":0,"relevance_score":0.5}]}"#, "text 0 twice"),
            (r#"{"results":[{"index":2,"relevance_score":0.5}]}"#, "text 2 of 2"),
            (r#"{"results":[{"index":-1,"relevance_score":0.5}]}"#, "not of the form"),
            (r#"{"results":[{"index":0,"relevance_score":1.5}]}"#, "`reranker.raw_scores`"),
            (r#"{"results":[{"index":0,"relevance_score":-0.1}]}"#, "`reranker.raw_scores`"),
            (r#"{"results":[{"index":0,"relevance_score":null}]}"#, "not of the form"),
            (r#"[{"index":0,"score":0.5}]"#, "`reranker.form`"),
            ("<html>", "`reranker.form`"),
        ];
        for (reply, expected) in cases {
            let refused = cohere(reply, 2).unwrap_err();
            assert!(refused.contains(expected), "{reply}: {refused}");
        }
    }

    #[test]
    fn logits_become_scores_when_the_setting_says_so() {
        let reply = br#"[{"index":0,"score":0},{"index":1,"score":-900},{"index":2,"score":900}]"#;
        assert_eq!(scores(RerankForm::Tei, reply, 3, true).unwrap(), [0.5, 0.0, 1.0]);
    }
}
