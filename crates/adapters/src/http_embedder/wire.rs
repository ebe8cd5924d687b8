//! The form's JSON, and what makes a reply the vectors of these texts.

use serde::{Deserialize, Serialize};

use crate::model_server::by_index;

#[derive(Serialize)]
pub(super) struct Request<'a> {
    pub(super) model: &'a str,
    pub(super) input: &'a [String],
    pub(super) encoding_format: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) input_type: Option<&'a str>,
}

#[derive(Deserialize)]
struct Reply {
    data: Vec<Embedded>,
}

#[derive(Deserialize)]
struct Embedded {
    index: usize,
    embedding: Vec<f32>,
}

/// The vectors in the order of the texts, whatever order they came in; or why the reply is not of these texts.
pub(super) fn vectors(body: &[u8], texts: usize) -> Result<Vec<Vec<f32>>, String> {
    let reply: Reply = serde_json::from_slice(body)
        .map_err(|error| format!("its reply is not of the form of /v1/embeddings: {error}; check `embedding.url`"))?;
    let found = reply.data.into_iter().map(|Embedded { index, embedding }| Ok((index, embedding)));
    by_index(found, texts, ["embedded", "embed", "text"])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn vectors_come_in_the_order_of_the_texts() {
        let body = br#"{"data":[{"index":1,"embedding":[0.5]},{"index":0,"embedding":[1]}],"model":"m"}"#;
        assert_eq!(vectors(body, 2), Ok(vec![vec![1.0], vec![0.5]]));
    }

    #[test]
    fn a_reply_about_other_texts_is_none() {
        for (body, problem) in [
            (r#"{"data":[{"index":0,"embedding":[1]}]}"#, "it did not embed text 1"),
            (r#"{"data":[{"index":2,"embedding":[1]}]}"#, "it embedded text 2 of 2"),
            (r#"{"data":[{"index":0,"embedding":[1]},{"index":0,"embedding":[1]}]}"#, "it embedded text 0 twice"),
            ("[]", "check `embedding.url`"),
        ] {
            let error = vectors(body.as_bytes(), 2).unwrap_err();
            assert!(error.contains(problem), "{error}");
        }
    }
}
