//! One synchronous session of a cross-encoder: windows of two texts each in, logits for each out.

use ort::environment::Environment;

use super::session::TextSession;
use super::tokens::Window;

/// The name under which everybody publishes them.
const LOGITS: &str = "logits";

pub(super) struct CrossEncoder {
    session: TextSession,
    output: usize,
    /// For each pair.
    logits: usize,
}

impl CrossEncoder {
    pub(super) fn new(environment: &Environment, model: &[u8], threads: usize, logits: usize) -> Result<Self, String> {
        let session = TextSession::open(environment, model, threads)?;
        let outputs = session.outputs();
        let output = match outputs {
            [_] => 0,
            _ => outputs.iter().position(|output| output.name() == LOGITS).ok_or_else(|| {
                let names: Vec<_> = outputs.iter().map(|output| output.name().to_owned()).collect();
                format!("its outputs are {}, and none of them is called {LOGITS}", names.join(", "))
            })?,
        };
        Ok(Self { session, output, logits })
    }

    /// The logits of each window. Padding is masked out, so neighbours in a batch change nothing.
    pub(super) fn logits(&mut self, windows: &[&Window]) -> Result<Vec<Vec<f32>>, String> {
        let outputs = self.session.run(windows)?;
        let values = outputs[self.output].try_extract_array::<f32>().map_err(|error| error.to_string())?;
        let wanted = windows.len();
        match values.shape() {
            [rows] if *rows == wanted && self.logits == 1 => {}
            [rows, columns] if *rows == wanted && *columns == self.logits => {}
            shape => {
                let logits = if self.logits == 1 { "one logit".to_owned() } else { format!("{} logits", self.logits) };
                return Err(format!("it must give {logits} for each pair; for {wanted} it gave the shape {shape:?}"));
            }
        }
        let logits: Vec<f32> = values.iter().copied().collect();
        match logits.iter().find(|logit| !logit.is_finite()) {
            Some(logit) => Err(format!("it gave a logit of {logit}")),
            None => Ok(logits.chunks(self.logits).map(<[f32]>::to_vec).collect()),
        }
    }
}
