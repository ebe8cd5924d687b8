//! One synchronous session of a cross-encoder: windows of two texts each in, logits for each out.

use ndarray::ArrayViewD;
use ort::environment::Environment;
use ort::value::DynValue;

use super::answer_span::best_span;
use super::labels::share_of;
use super::session::TextSession;
use super::tokens::Window;

/// The name under which everybody publishes them.
const LOGITS: &str = "logits";
/// A reader has these too: how likely its answer begins and ends at each token.
const STARTS: &str = "start_logits";
const ENDS: &str = "end_logits";

/// What stands for "nowhere" where a reader gives characters.
pub(super) const NOWHERE: f32 = -1.0;

/// What a model judges.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Judges {
    /// The pair, by so many logits.
    Pairs(usize),
    /// Each token of the second text, by so many logits, of which this one means support. The token that has least of it
    /// decides about the pair.
    Tokens { logits: usize, support: usize },
}

pub(super) struct CrossEncoder {
    session: TextSession,
    output: usize,
    judges: Judges,
    /// The outputs that say where, of a model that has them.
    starts_and_ends: Option<(usize, usize)>,
}

impl CrossEncoder {
    pub(super) fn new(environment: &Environment, model: &[u8], threads: usize, judges: Judges) -> Result<Self, String> {
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
        Ok(Self { session, output, judges, starts_and_ends })
    }

    /// Whether it must know which characters of the second text its tokens stand for.
    pub(super) fn needs_places(&self) -> bool {
        self.starts_and_ends.is_some() || matches!(self.judges, Judges::Tokens { .. })
    }

    /// The logits of each window; of a model that says where, followed by the first character of the best stretch of the
    /// second text and the one behind its last, or twice `NOWHERE`. Padding is masked out, so neighbours in a batch
    /// change nothing.
    pub(super) fn logits(&mut self, windows: &[&Window]) -> Result<Vec<Vec<f32>>, String> {
        let outputs = self.session.run(windows)?;
        let values = outputs[self.output].try_extract_array::<f32>().map_err(|error| error.to_string())?;
        let mut rows = match self.judges {
            Judges::Pairs(logits) => of_each_pair(&values.view(), windows.len(), logits)?,
            Judges::Tokens { logits, support } => of_the_weakest_token(&values.view(), windows, logits, support)?,
        };
        if let Some(logit) = rows.iter().flatten().find(|logit| !logit.is_finite()) {
            return Err(format!("it gave a logit of {logit}"));
        }
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

fn of_each_pair(values: &ArrayViewD<'_, f32>, pairs: usize, logits: usize) -> Result<Vec<Vec<f32>>, String> {
    match values.shape() {
        [rows] if *rows == pairs && logits == 1 => {}
        [rows, columns] if *rows == pairs && *columns == logits => {}
        shape => {
            let logits = if logits == 1 { "one logit".to_owned() } else { format!("{logits} logits") };
            return Err(format!("it must give {logits} for each pair; for {pairs} it gave the shape {shape:?}"));
        }
    }
    let values: Vec<f32> = values.iter().copied().collect();
    Ok(values.chunks(logits).map(<[f32]>::to_vec).collect())
}

/// The logits of the token of the second text that is least supported. A text without tokens is supported by nothing.
fn of_the_weakest_token(
    values: &ArrayViewD<'_, f32>,
    windows: &[&Window],
    logits: usize,
    support: usize,
) -> Result<Vec<Vec<f32>>, String> {
    const SURELY: f32 = 30.0;
    let longest = windows.iter().map(|window| window.len()).max().unwrap_or(0);
    if values.shape() != [windows.len(), longest, logits] {
        let shape = values.shape();
        return Err(format!("it must give {logits} logits for each token, and gave the shape {shape:?}"));
    }
    let weakest = |(row, window): (usize, &&Window)| {
        let tokens = window.second_text().into_iter().map(|token| {
            let logits: Vec<f32> = (0..logits).map(|label| values[[row, token, label]]).collect();
            (share_of(&logits, support), logits)
        });
        let weakest = tokens.min_by(|(one, _), (other, _)| one.total_cmp(other));
        let nothing = || (0..logits).map(|label| if label == support { -SURELY } else { SURELY }).collect();
        weakest.map_or_else(nothing, |(_, logits)| logits)
    };
    Ok(windows.iter().enumerate().map(weakest).collect())
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
