//! `ibidem completions`: what a shell needs to complete commands and options.

use clap_complete::Shell;

use super::help;
use crate::console;

#[derive(clap::Args)]
pub(crate) struct Completions {
    /// The shell: bash, zsh or fish, among others.
    shell: Shell,
}

impl Completions {
    pub(crate) fn run(self) {
        console::say(self.script().trim_end());
    }

    fn script(self) -> String {
        let mut script = Vec::new();
        clap_complete::generate(self.shell, &mut help::command(), "ibidem", &mut script);
        String::from_utf8_lossy(&script).into_owned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_shell_completes_commands_and_options() {
        for (shell, written) in
            [(Shell::Bash, "--collection"), (Shell::Zsh, "--collection"), (Shell::Fish, "-l collection")]
        {
            let script = Completions { shell }.script();
            assert!(script.contains("ingest") && script.contains(written), "{shell}");
        }
    }
}
