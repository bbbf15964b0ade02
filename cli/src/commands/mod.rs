//! The commands, one a file.

mod bench;
mod check;
mod convert;
mod derivatives;
mod evaluate;
mod excite;
mod generate;
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
pub(crate) use generate::generate;
pub(crate) use identify::identify;
pub(crate) use info::info;
pub(crate) use optimize::optimize;
pub(crate) use parameters::parameters;
pub(crate) use sensitivity::sensitivity;

use crate::error::Error;
use gradyn::dynamics::FrameRef;
use gradyn_files::nearest::nearest;
use gradyn_files::robot::Robot;
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

/// The frame of a link or joint of this name.
fn frame_named(robot: &Robot, name: &str) -> Result<FrameRef, Error> {
    if let Some(frame) = robot.model.find_frame(name) {
        return Ok(frame.into());
    }
    robot.model.find_body(name).map(FrameRef::from).ok_or_else(|| {
        let names = robot.model.frames().iter().map(|frame| frame.name());
        let nearest = nearest(name, names).unwrap_or_default();
        Error::Usage(format!("there is no link or joint `{name}`{nearest}"))
    })
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
