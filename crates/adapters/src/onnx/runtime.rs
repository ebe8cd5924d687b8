//! The ONNX Runtime library, loaded once for the whole process.

use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use ort::environment::Environment;

use super::LoadError;

/// The variable, and its value, without which ONNX Runtime sends reports to its maker and keeps a number of this machine
/// in the user's folder. It is read when the library is loaded; telling the loaded library comes too late.
pub const NO_TELEMETRY: (&str, &str) = ("ORT_DISABLE_TELEMETRY", "1");

/// ONNX Runtime allows one environment per process, and a library cannot be exchanged once loaded.
static LOADED: Mutex<Option<(PathBuf, Environment)>> = Mutex::new(None);

/// The process's environment; the first caller decides which library it runs on.
pub(super) fn environment(library: &Path) -> Result<Environment, LoadError> {
    let mut loaded = LOADED.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some((path, environment)) = loaded.as_ref() {
        if path == library {
            return Ok(environment.clone());
        }
        return Err(LoadError::SecondRuntime { wanted: library.to_owned(), loaded: path.clone() });
    }
    let (name, value) = NO_TELEMETRY;
    if std::env::var_os(name).is_none_or(|set| set != value) {
        return Err(LoadError::Telemetry);
    }
    let unusable = |reason: String| LoadError::Runtime { path: library.to_owned(), reason };
    let environment = ort::init_from(library)
        .map_err(|error| unusable(error.to_string()))?
        .with_name("ibidem")
        .with_telemetry(false)
        .build()
        .map_err(|error| unusable(error.to_string()))?;
    *loaded = Some((library.to_owned(), environment.clone()));
    Ok(environment)
}
