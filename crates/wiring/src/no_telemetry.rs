//! ONNX Runtime reports to nobody: the environment that a program must be started with for that.

use std::os::unix::process::CommandExt as _;
use std::process::Command;

use ibidem_adapters::onnx::NO_TELEMETRY;

/// Starts the program again, as the same process, with the variable that ends ONNX Runtime's reports. A process cannot
/// safely change its own environment, and the library reads it before anything can be said to it.
///
/// Returns where the variable is set already, and where starting again is impossible: loading the library then fails and
/// says what to do.
pub(crate) fn ensure() {
    let (name, value) = NO_TELEMETRY;
    if std::env::var_os(name).is_some_and(|set| set == value) {
        return;
    }
    if let Ok(program) = std::env::current_exe() {
        let _ = Command::new(program).args(std::env::args_os().skip(1)).env(name, value).exec();
    }
}
