//! The command `gradyn`: robots' dynamics and exact derivatives, computed and checked.
//!
//! Exit codes: 0 good, 1 a check failed, 2 bad input, with one line on standard error.
//!
//! A library, so that it is compiled beside `gradyn` and not after it.

mod args;
mod commands;
mod error;
mod map;
mod memory;
mod output;
#[cfg(unix)]
mod signals;
mod table;
mod temporary;

use anstream::{AutoStream, ColorChoice};
use anstyle::{AnsiColor, Style};
use args::{Cli, Command};
use clap::Parser;
use commands::Report;
use error::{Error, one_line};
use std::io::{self, Write};
use std::process::ExitCode;

const BAD_INPUT: u8 = 2;

/// So many warnings are shown.
const WARNINGS: usize = 20;

/// Does what the command line asks for.
pub fn main() -> ExitCode {
    let cli = match Cli::try_parse() {
        Ok(cli) => cli,
        Err(error) if error.use_stderr() => return refuse(&Error::usage(&error), ColorChoice::Auto),
        // Help or version, which were asked for.
        Err(error) => return write_out(&error.render().ansi().to_string(), &[], ColorChoice::Auto, ExitCode::SUCCESS),
    };
    let color = cli.color.into();
    let answered = match &cli.command {
        Command::Info(args) => commands::info(args),
        Command::Convert(args) => commands::convert(args),
        Command::Evaluate(args) => commands::evaluate(args),
        Command::Derivatives(args) => commands::derivatives(args),
        Command::Check(args) => commands::check(args),
        Command::Bench(args) => commands::bench(args),
        Command::Optimize(args) => commands::optimize(args),
        Command::Parameters(args) => commands::parameters(args),
        Command::Sensitivity(args) => commands::sensitivity(args),
        Command::Identify(args) => commands::identify(args),
        Command::Excite(args) => commands::excite(args),
        Command::Generate(args) => commands::generate(args),
    };
    match answered {
        Err(error) => refuse(&error, color),
        Ok(Report { text, data, warnings, failed }) => {
            for warning in warnings.iter().take(WARNINGS) {
                complain("warning", AnsiColor::Yellow, warning, color);
            }
            if let Some(more) = warnings.len().checked_sub(WARNINGS).filter(|more| *more > 0) {
                complain("warning", AnsiColor::Yellow, &format!("… and {more} warnings more"), color);
            }
            write_out(&text, &data, color, ExitCode::from(u8::from(failed)))
        }
    }
}

/// Writes the answer. Whoever reads it may have gone: then there is nothing left to do.
fn write_out(text: &str, data: &[u8], color: ColorChoice, code: ExitCode) -> ExitCode {
    let written = AutoStream::new(io::stdout(), color).write_all(text.as_bytes());
    let mut stdout = io::stdout().lock();
    match written.and_then(|()| stdout.write_all(data)).and_then(|()| stdout.flush()) {
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => refuse(&Error::Stdout(error), color),
        _ => code,
    }
}

fn refuse(error: &Error, color: ColorChoice) -> ExitCode {
    complain("error", AnsiColor::Red, &error.to_string(), color);
    ExitCode::from(BAD_INPUT)
}

/// One line on standard error; nothing if that is closed.
fn complain(what: &str, paint: AnsiColor, message: &str, color: ColorChoice) {
    let style = Style::new().bold().fg_color(Some(paint.into()));
    let _ = writeln!(AutoStream::new(io::stderr(), color), "gradyn: {style}{what}:{style:#} {}", one_line(message));
}
