//! The commands, one a file.

mod bench;
mod check;
mod convert;
mod derivatives;
mod evaluate;
mod excite;
mod identify;
mod info;
mod joint_forces;
mod optimize;
mod parameters;
mod sensitivity;

pub(crate) use bench::bench;
pub(crate) use check::check;
pub(crate) use convert::convert;
pub(crate) use derivatives::derivatives;
pub(crate) use evaluate::evaluate;
pub(crate) use excite::excite;
pub(crate) use identify::identify;
pub(crate) use info::info;
pub(crate) use optimize::optimize;
pub(crate) use parameters::parameters;
pub(crate) use sensitivity::sensitivity;

use indicatif::{ProgressBar, ProgressStyle};

/// What a command has to say.
#[derive(Debug, Default)]
pub(crate) struct Report {
    /// For people, on standard output; colors are taken out where they do not belong.
    pub(crate) text: String,
    /// For programs, on standard output, as it is.
    pub(crate) data: Vec<u8>,
    /// For standard error, a line each.
    pub(crate) warnings: Vec<String>,
    /// Whether a check failed.
    pub(crate) failed: bool,
}

/// A bar on standard error, if that is a terminal.
fn progress(length: u64, what: &str) -> ProgressBar {
    let bar = ProgressBar::new(length);
    // A constant; the plain bar if it were wrong.
    let style = ProgressStyle::with_template("{msg} {wide_bar} {pos}/{len} {eta}");
    bar.with_style(style.unwrap_or_else(|_| ProgressStyle::default_bar())).with_message(what.to_owned())
}

/// How many columns there are to write in: those of the terminal, or a hundred.
fn columns() -> usize {
    terminal_size::terminal_size().map_or(100, |(width, _)| usize::from(width.0)).clamp(40, 200)
}
