//! The command `gradyn`.

use std::process::ExitCode;

fn main() -> ExitCode {
    gradyn_cli::main()
}
