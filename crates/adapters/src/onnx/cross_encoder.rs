//! One synchronous session of a cross-encoder: windows of two texts each in, logits for each out.

use ort::environment::Environment;
use ort::value::DynValue;

use super::answer_span::best_span;
use super::session::TextSession;
use super::tokens::Window;

/// The name under which everybody publishes them.
const LOGITS: &str = "logits";
/// A reader has these too: how likely its answer begins and ends at each token.
const STARTS: &str = "start_logits";
const ENDS: &str = "end_logits";

/// What stands for "nowhere" where a reader gives characters.
pub(super) const NOWHERE: f32 = -1.0;

pub(super) struct CrossEncoder {
    session: TextSession,
    output: usize,
    /// For each pair.
    logits: usize,
    /// The outputs that say where, of a model that has them.
    starts_and_ends: Option<(usize, usize)>,
}

impl CrossEncoder {
    pub(super) fn new(environment: &Environment, model: &[u8], threads: usize, logits: usize) -> Result<Self, String> {
        let session = TextSession::open(environment, model, threads)?;
        let outputs = session.outputs();
        let called = |name: &str| outputs.iter().position(|output| output.name() == name);
        let output = match outputs {
            [_] => 0,
            _ => called(LOGITS).ok_or_else(|| {
                let names: Vec<_> = outputs.iter().map(|output| output.name().to_owned()).collect();
                format!("its outputs are {}, and none of them is called {LOGITS}", names.join(", "))
            })?,
        };
        let starts_and_ends = called(STARTS).zip(called(ENDS));
        Ok(Self { session, output, logits, starts_and_ends })
    }

    /// Whether it says where in a text it found what it looked for.
    pub(super) fn locates(&self) -> bool {
        self.starts_and_ends.is_some()
    }

    /// The logits of each window; of a model that says where, followed by the first character of the best stretch of the
    /// second text and the one behind its last, or twice `NOWHERE`. Padding is masked out, so neighbours in a batch
    /// change nothing.
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
        if let Some(logit) = logits.iter().find(|logit| !logit.is_finite()) {
            return Err(format!("it gave a logit of {logit}"));
        }
        let mut rows: Vec<Vec<f32>> = logits.chunks(self.logits).map(<[f32]>::to_vec).collect();
        if let Some((starts, ends)) = self.starts_and_ends {
            let starts = of_each_token(&outputs[starts], windows)?;
            let ends = of_each_token(&outputs[ends], windows)?;
            for (row, (window, (starts, ends))) in rows.iter_mut().zip(windows.iter().zip(starts.iter().zip(&ends))) {
                row.extend(characters(best_span(window, starts, ends)));
            }
        }
        Ok(rows)
    }
}

/// One number for each token of each window, padding left out.
fn of_each_token(output: &DynValue, windows: &[&Window]) -> Result<Vec<Vec<f32>>, String> {
    let values = output.try_extract_array::<f32>().map_err(|error| error.to_string())?;
    let longest = windows.iter().map(|window| window.len()).max().unwrap_or(0);
    if values.shape() != [windows.len(), longest] {
        let shape = values.shape();
        return Err(format!("it must give one start and one end for each token, and gave the shape {shape:?}"));
    }
    let values: Vec<f32> = values.iter().copied().collect();
    Ok(values.chunks(longest).zip(windows).map(|(row, window)| row[..window.len()].to_vec()).collect())
}

/// A float holds the place of any character of a window exactly.
#[expect(clippy::cast_precision_loss, reason = "a window has far fewer characters than a float has digits")]
fn characters(span: Option<(usize, usize)>) -> [f32; 2] {
    span.map_or([NOWHERE; 2], |(start, end)| [start as f32, end as f32])
}
