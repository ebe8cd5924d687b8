//! One synchronous session of the embedding model: windows of tokens in, unit vectors out.

use ndarray::{ArrayView2, ArrayView3, Axis, Ix2, Ix3};
use ort::environment::Environment;
use ort::value::{Outlet, ValueType};

use super::Pooling;
use super::session::TextSession;
use super::tokens::Window;

/// The name under which models that pool by themselves publish their result.
const SENTENCE_EMBEDDING: &str = "sentence_embedding";

pub(super) struct Encoder {
    session: TextSession,
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
        let session = TextSession::open(environment, model, threads)?;
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
        Ok(Self { session, output, pooling })
    }

    /// One unit vector for each window. Padding is masked out, so neighbours in a batch change nothing.
    pub(super) fn embed(&mut self, windows: &[&Window]) -> Result<Vec<Vec<f32>>, String> {
        let outputs = self.session.run(windows)?;
        let values = outputs[self.output].try_extract_array::<f32>().map_err(|error| error.to_string())?;
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
pub(crate) fn normalise(vector: &mut [f32]) -> Result<(), String> {
    let length = vector.iter().map(|value| f64::from(*value).powi(2)).sum::<f64>().sqrt();
    if !length.is_finite() || length == 0.0 {
        return Err("it answered with a vector that has no direction".to_owned());
    }
    #[expect(clippy::cast_possible_truncation, reason = "rounding to the precision of the vector is meant")]
    vector.iter_mut().for_each(|value| *value = (f64::from(*value) / length) as f32);
    Ok(())
}
