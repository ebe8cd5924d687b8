//! One synchronous session of any text model: windows of tokens in, what the model says of them out.

use std::borrow::Cow;

use ndarray::Array2;
use ort::environment::Environment;
use ort::session::builder::GraphOptimizationLevel;
use ort::session::{Session, SessionInputValue, SessionOutputs};
use ort::value::{Outlet, TensorRef};

use super::tokens::Window;

/// Inputs a text model may ask for; it is given those it has.
const INPUT_IDS: &str = "input_ids";
const ATTENTION_MASK: &str = "attention_mask";
const TOKEN_TYPE_IDS: &str = "token_type_ids";

pub(super) struct TextSession {
    session: Session,
    takes_attention_mask: bool,
    takes_token_type_ids: bool,
}

impl TextSession {
    pub(super) fn open(environment: &Environment, model: &[u8], threads: usize) -> Result<Self, String> {
        let session = open(environment, model, threads).map_err(|error| error.to_string())?;
        let mut takes_attention_mask = false;
        let mut takes_token_type_ids = false;
        for input in session.inputs() {
            match input.name() {
                INPUT_IDS => {}
                ATTENTION_MASK => takes_attention_mask = true,
                TOKEN_TYPE_IDS => takes_token_type_ids = true,
                other => return Err(format!("it asks for an input {other:?}, which no text model of this kind needs")),
            }
        }
        Ok(Self { session, takes_attention_mask, takes_token_type_ids })
    }

    pub(super) fn outputs(&self) -> &[Outlet] {
        self.session.outputs()
    }

    /// All windows at once, the shorter ones padded and the padding masked.
    pub(super) fn run(&mut self, windows: &[&Window]) -> Result<SessionOutputs<'_>, String> {
        let longest = windows.iter().map(|window| window.len()).max().unwrap_or(0);
        if longest == 0 {
            return Err("there is nothing to read".to_owned());
        }
        let mut ids = Array2::<i64>::zeros((windows.len(), longest));
        let mut mask = Array2::<i64>::zeros((windows.len(), longest));
        let mut types = Array2::<i64>::zeros((windows.len(), longest));
        for (row, window) in windows.iter().enumerate() {
            for (column, (id, kind)) in window.ids.iter().zip(&window.types).enumerate() {
                ids[[row, column]] = i64::from(*id);
                mask[[row, column]] = 1;
                types[[row, column]] = i64::from(*kind);
            }
        }
        let failed = |error: ort::Error| error.to_string();
        let mut inputs: Vec<(Cow<'_, str>, SessionInputValue<'_>)> =
            vec![(INPUT_IDS.into(), TensorRef::from_array_view(&ids).map_err(failed)?.into())];
        if self.takes_attention_mask {
            inputs.push((ATTENTION_MASK.into(), TensorRef::from_array_view(&mask).map_err(failed)?.into()));
        }
        if self.takes_token_type_ids {
            inputs.push((TOKEN_TYPE_IDS.into(), TensorRef::from_array_view(&types).map_err(failed)?.into()));
        }
        self.session.run(inputs).map_err(failed)
    }
}

fn open(environment: &Environment, model: &[u8], threads: usize) -> Result<Session, ort::Error> {
    let mut builder = Session::builder(environment)?
        .with_optimization_level(GraphOptimizationLevel::All)?
        .with_intra_threads(threads)?
        // A waiting thread that spins takes a core from everything else on the machine.
        .with_intra_op_spinning(false)?;
    if !adds_in_full() {
        builder = builder.with_precise_qmm()?;
    }
    builder.commit_from_memory(model)
}

/// Whether the processor adds 8-bit products in 32 bits by itself (VNNI). One that does not adds pairs of them in 16 bits,
/// which overflow, unless it is told not to: a pair would have another score there than here. Telling one that does has the
/// same scores in twice the time.
fn adds_in_full() -> bool {
    #[cfg(target_arch = "x86_64")]
    return [std::is_x86_feature_detected!("avx512vnni"), std::is_x86_feature_detected!("avxvnni")].contains(&true);
    #[cfg(not(target_arch = "x86_64"))]
    return true;
}
