//! One synchronous session of the embedding model: windows of tokens in, unit vectors out.

use std::borrow::Cow;

use ndarray::{Array2, ArrayView2, ArrayView3, Axis, Ix2, Ix3};
use ort::environment::Environment;
use ort::session::builder::GraphOptimizationLevel;
use ort::session::{Session, SessionInputValue};
use ort::value::{Outlet, TensorRef, ValueType};

use super::Pooling;
use super::tokens::Window;

/// Inputs a text model may ask for; it is given those it has.
const INPUT_IDS: &str = "input_ids";
const ATTENTION_MASK: &str = "attention_mask";
const TOKEN_TYPE_IDS: &str = "token_type_ids";

/// The name under which models that pool by themselves publish their result.
const SENTENCE_EMBEDDING: &str = "sentence_embedding";

pub(super) struct Encoder {
    session: Session,
    takes_attention_mask: bool,
    takes_token_type_ids: bool,
    output: usize,
    pooling: Pooling,
}

impl Encoder {
    pub(super) fn new(
        environment: &Environment,
        model: &[u8],
        threads: usize,
        pooling: Pooling,
    ) -> Result<Self, String> {
        let session = open(environment, model, threads).map_err(|error| error.to_string())?;
        let mut takes_attention_mask = false;
        let mut takes_token_type_ids = false;
        for input in session.inputs() {
            match input.name() {
                INPUT_IDS => {}
                ATTENTION_MASK => takes_attention_mask = true,
                TOKEN_TYPE_IDS => takes_token_type_ids = true,
                other => return Err(format!("it asks for an input {other:?}, which no text embedding model needs")),
            }
        }
        let rank = |output: &Outlet| match output.dtype() {
            ValueType::Tensor { shape, .. } => shape.len(),
            _ => 0,
        };
        let outputs = session.outputs();
        let output = outputs
            .iter()
            .position(|output| output.name() == SENTENCE_EMBEDDING)
            .or_else(|| outputs.iter().position(|output| rank(output) == 3))
            .or_else(|| outputs.iter().position(|output| rank(output) == 2))
            .ok_or("it has neither token vectors nor a sentence vector among its outputs")?;
        Ok(Self { session, takes_attention_mask, takes_token_type_ids, output, pooling })
    }

    /// One unit vector for each window. Padding is masked out, so neighbours in a batch change nothing.
    pub(super) fn embed(&mut self, windows: &[&Window]) -> Result<Vec<Vec<f32>>, String> {
        let longest = windows.iter().map(|window| window.len()).max().unwrap_or(0);
        if longest == 0 {
            return Err("there is nothing to embed".to_owned());
        }
        let mut ids = Array2::<i64>::zeros((windows.len(), longest));
        let mut mask = Array2::<i64>::zeros((windows.len(), longest));
        for (row, window) in windows.iter().enumerate() {
            for (column, id) in window.iter().enumerate() {
                ids[[row, column]] = i64::from(*id);
                mask[[row, column]] = 1;
            }
        }
        let types = Array2::<i64>::zeros((windows.len(), longest));
        let failed = |error: ort::Error| error.to_string();
        let mut inputs: Vec<(Cow<'_, str>, SessionInputValue<'_>)> =
            vec![(INPUT_IDS.into(), TensorRef::from_array_view(&ids).map_err(failed)?.into())];
        if self.takes_attention_mask {
            inputs.push((ATTENTION_MASK.into(), TensorRef::from_array_view(&mask).map_err(failed)?.into()));
        }
        if self.takes_token_type_ids {
            inputs.push((TOKEN_TYPE_IDS.into(), TensorRef::from_array_view(&types).map_err(failed)?.into()));
        }
        let outputs = self.session.run(inputs).map_err(failed)?;
        let values = outputs[self.output].try_extract_array::<f32>().map_err(failed)?;
        let shape = values.shape().to_vec();
        let mut vectors = if let Ok(tokens) = values.view().into_dimensionality::<Ix3>() {
            pool(&tokens, windows, self.pooling)
        } else if let Ok(sentences) = values.view().into_dimensionality::<Ix2>() {
            rows(&sentences)
        } else {
            return Err(format!("its output has the shape {shape:?}, neither vectors per token nor per text"));
        };
        if vectors.len() != windows.len() {
            return Err(format!("it answered with {} vectors for {} texts", vectors.len(), windows.len()));
        }
        vectors.iter_mut().try_for_each(|vector| normalise(vector))?;
        Ok(vectors)
    }
}

fn open(environment: &Environment, model: &[u8], threads: usize) -> Result<Session, ort::Error> {
    Session::builder(environment)?
        .with_optimization_level(GraphOptimizationLevel::All)?
        .with_intra_threads(threads)?
        // A waiting thread that spins takes a core from everything else on the machine.
        .with_intra_op_spinning(false)?
        .commit_from_memory(model)
}

fn pool(tokens: &ArrayView3<'_, f32>, windows: &[&Window], pooling: Pooling) -> Vec<Vec<f32>> {
    let pooled = tokens.axis_iter(Axis(0)).zip(windows).map(|(vectors, window)| match pooling {
        Pooling::Cls => vectors.row(0).to_vec(),
        Pooling::Mean => {
            let mut sum = vec![0.0; vectors.ncols()];
            for vector in vectors.axis_iter(Axis(0)).take(window.len()) {
                sum.iter_mut().zip(vector).for_each(|(sum, value)| *sum += value);
            }
            sum
        }
    });
    pooled.collect()
}

fn rows(sentences: &ArrayView2<'_, f32>) -> Vec<Vec<f32>> {
    sentences.axis_iter(Axis(0)).map(|row| row.to_vec()).collect()
}

/// Scales to unit length; the sum and the mean of a text's token vectors come out the same.
pub(super) fn normalise(vector: &mut [f32]) -> Result<(), String> {
    let length = vector.iter().map(|value| f64::from(*value).powi(2)).sum::<f64>().sqrt();
    if !length.is_finite() || length == 0.0 {
        return Err("it answered with a vector that has no direction".to_owned());
    }
    #[expect(clippy::cast_possible_truncation, reason = "rounding to the precision of the vector is meant")]
    vector.iter_mut().for_each(|value| *value = (f64::from(*value) / length) as f32);
    Ok(())
}
