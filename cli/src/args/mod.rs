//! The arguments of the command line.

mod check;
mod evaluate;
mod excite;
mod generate;
mod parameters;
mod robot;

pub(crate) use check::{Check, Layout};
pub(crate) use evaluate::Evaluate;
pub(crate) use excite::Excite;
pub(crate) use generate::{Generate, Language};
pub(crate) use parameters::{Global, Identify, OutputArg, Parameters, Sensitivity};
pub(crate) use robot::{ConstraintArgs, Continuous, Order, RobotArgs};

use anstream::ColorChoice;
use clap::builder::styling::{AnsiColor, Styles};
use clap::{Args, Parser, Subcommand, ValueEnum};
use gradyn::derivatives::Level;
use gradyn::partials::Method;
use std::path::PathBuf;

const STYLES: Styles = Styles::styled()
    .header(AnsiColor::Green.on_default().bold())
    .usage(AnsiColor::Green.on_default().bold())
    .literal(AnsiColor::Cyan.on_default().bold())
    .placeholder(AnsiColor::Cyan.on_default());

/// Robot dynamics and their exact derivatives.
///
/// Reads a robot from a URDF, MJCF or SDF file, computes the torques of inverse dynamics with their partial derivatives by position,
/// velocity and acceleration, and checks the methods that compute them against each other.
#[derive(Debug, Parser)]
#[command(name = "gradyn", version, styles = STYLES, max_term_width = 100, after_help = concat!(
    "Exit codes: 0 good, 1 a check failed, 2 bad input.\n\n",
    "Example:\n  gradyn check robots/panda.urdf",
))]
pub(crate) struct Cli {
    #[command(subcommand)]
    pub(crate) command: Command,
    /// When to use colors; `auto`: in a terminal, unless NO_COLOR is set
    #[arg(long, global = true, value_enum, value_name = "WHEN", default_value_t = Color::Auto)]
    pub(crate) color: Color,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Show a robot: its tree, joints, masses, limits, and the parts of its file that are not used
    Info(Info),
    /// Write a robot in another format: URDF, MJCF
    Convert(Convert),
    /// Compute torques and their derivatives at given states: JSON in, JSON out
    Evaluate(Evaluate),
    /// Show the derivatives at one state, as tables or maps
    Derivatives(Derivatives),
    /// Compare the methods for derivatives with each other on random states
    Check(Check),
    /// Measure how long each algorithm takes on this robot and this machine
    Bench(Bench),
    /// Find the trajectory of least cost: a task file in, a trajectory and a page out
    Optimize(Optimize),
    /// List the parameters of a robot by name: values, units, what is held while each varies
    Parameters(Parameters),
    /// Show which parameters matter: derivatives at a state, or shares of the variance over their priors
    Sensitivity(Sensitivity),
    /// Identify parameters from measured torques, with their uncertainty, and what the data cannot tell
    Identify(Identify),
    /// Find the motion within the joint limits that is most informative about parameters
    Excite(Excite),
    /// Generate straight-line code of functions of a robot: Rust, C, CasADi
    Generate(Generate),
}

#[derive(Debug, Args)]
#[command(after_help = "Example:\n  gradyn info robots/panda.urdf")]
pub(crate) struct Info {
    #[command(flatten)]
    pub(crate) robot: RobotArgs,
    /// Answer in JSON
    #[arg(long)]
    pub(crate) json: bool,
    /// Show the form of each algorithm for this robot, at each level of this processor
    #[arg(long, conflicts_with = "json")]
    pub(crate) plan: bool,
}

#[derive(Debug, Args)]
#[command(after_help = concat!(
    "What moves is written: bodies, joints, inertias, frames, limits, and the actuators that the format has words for.\n",
    "Shapes, meshes and sensors are not.\n",
    "What the new format cannot say is an error that names it, if it changes the dynamics, and else a warning;\n",
    "docs/robots.md has a table.\n\n",
    "Examples:\n  gradyn convert robots/panda.urdf panda.xml\n",
    "  gradyn convert robots/solo12.urdf solo12.xml --floating-base --force",
))]
pub(crate) struct Convert {
    #[command(flatten)]
    pub(crate) robot: RobotArgs,
    /// The file to write; its ending says the format: .urdf, or .xml or .mjcf for MJCF
    pub(crate) output: PathBuf,
    /// Replace the file if it exists
    #[arg(long)]
    pub(crate) force: bool,
    /// Leave out what the format cannot say even if that changes the dynamics: springs, friction, gravity; each is a warning
    #[arg(long)]
    pub(crate) leave_out: bool,
}

#[derive(Debug, Args)]
#[command(after_help = "Example:\n  gradyn derivatives robots/panda.urdf --state random --seed 3")]
pub(crate) struct Derivatives {
    #[command(flatten)]
    pub(crate) robot: RobotArgs,
    /// `random`, `neutral` (at rest), a named configuration of the robot, or a file as for `evaluate`, whose first state is used
    #[arg(long, value_name = "random|neutral|NAME|FILE", default_value = "random")]
    pub(crate) state: PathBuf,
    /// Seed of the random state
    #[arg(long, default_value_t = 0)]
    pub(crate) seed: u64,
    #[command(flatten)]
    pub(crate) method: MethodArg,
    /// Numbers for any size; the default for up to 8 degrees of freedom
    #[arg(long, conflicts_with_all = ["json", "csv", "map"])]
    pub(crate) table: bool,
    /// Maps for any size; the default beyond
    #[arg(long, conflicts_with_all = ["json", "csv"])]
    pub(crate) map: bool,
    /// Answer in JSON, as `evaluate` does
    #[arg(long, conflicts_with = "csv")]
    pub(crate) json: bool,
    /// Answer in CSV, one entry per line, as `check --against` reads it: state,quantity,row,column,value
    #[arg(long)]
    pub(crate) csv: bool,
    /// Output file of the answer; `-` is standard output [default: standard output]
    #[arg(long, short, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
}

#[derive(Debug, Args)]
#[command(after_help = concat!(
    "Names are Pinocchio's where it has the same function, otherwise gradyn's own; methods other than analytical follow ",
    "after a slash. Functions of one body use the one farthest from the root. Times of batches are per state, of 128 states. ",
    "One thread unless said otherwise; states alternate. Medians of 41 samples of about 50 µs, and ",
    "the least, which other programs on the machine disturb less.\n\n",
    "Examples:\n  gradyn bench robots/panda.urdf\n",
    "  gradyn bench robots/g1.urdf --floating-base --only rnea,aba --level avx2",
))]
pub(crate) struct Bench {
    #[command(flatten)]
    pub(crate) robot: RobotArgs,
    /// Only algorithms with one of these in their name
    #[arg(long, value_name = "NAMES", value_delimiter = ',')]
    pub(crate) only: Vec<String>,
    /// The states, a JSON file as for `evaluate`; `-` is standard input [default: 16 random ones, always the same]
    #[arg(long, value_name = "FILE")]
    pub(crate) states: Option<PathBuf>,
    /// Vector instructions: plain, neon, avx2, avx512 [default: the best of this processor]
    #[arg(long, value_parser = level)]
    pub(crate) level: Option<Level>,
    /// Answer in JSON
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Args)]
#[command(after_help = concat!(
    "TASK names the robot, its start, phases with their contacts, costs, and the solver; docs/optimize.md lists its keys.\n",
    "One line per iteration, and the status at the end. Exit codes: 0 converged, 1 not, 2 bad input.\n\n",
    "DIR receives trajectory.json, trajectory.csv and trajectory.npz (time, q, v, u, tau, contact forces, gains), and\n",
    "report.html, a page that needs no network.\n\n",
    "Examples:\n  gradyn optimize examples/tasks/arm_reach.toml --output reach\n",
    "  gradyn optimize examples/tasks/solo12_trot.toml --explain",
))]
pub(crate) struct Optimize {
    /// The task: a TOML file
    pub(crate) task: PathBuf,
    /// Folder for the trajectory and the page, created if missing
    #[arg(long, short, value_name = "DIR")]
    pub(crate) output: Option<PathBuf>,
    /// Show a second trajectory on the page, beside the one found: .npz or JSON, as --compare reads them
    #[arg(long, value_name = "FILE", requires = "output", conflicts_with_all = ["explain", "compare"])]
    pub(crate) beside: Option<PathBuf>,
    /// Number of threads that evaluate nodes, instead of the task's; the answer is the same to the last bit
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..))]
    pub(crate) threads: Option<u16>,
    /// Split steps that are too long, and solve again from the solution, a few times at most
    #[arg(long, conflicts_with_all = ["explain", "compare"])]
    pub(crate) refine: bool,
    /// Compare every derivative of the problem with differences and dual numbers at the guess, before solving
    #[arg(long, conflicts_with_all = ["explain", "compare"])]
    pub(crate) check: bool,
    /// With --check: continue even if some entries are unclear, as long as none disagrees
    #[arg(long, requires = "check")]
    pub(crate) allow_unclear: bool,
    /// Print the problem as understood, and do not solve it
    #[arg(long, conflicts_with_all = ["output", "compare"])]
    pub(crate) explain: bool,
    /// Do not solve: evaluate cost, gaps and optimality at another program's trajectory, .npz or JSON with q, v, u, or
    /// xs, us
    #[arg(long, value_name = "FILE", conflicts_with = "output")]
    pub(crate) compare: Option<PathBuf>,
}

#[derive(Clone, Copy, Debug, Args)]
pub(crate) struct MethodArg {
    /// How derivatives are computed: analytical, dual, difference
    #[arg(long = "method", value_parser = method, default_value = "dual")]
    pub(crate) method: Method,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
pub(crate) enum Color {
    Auto,
    Always,
    Never,
}

impl From<Color> for ColorChoice {
    fn from(color: Color) -> Self {
        match color {
            Color::Auto => Self::Auto,
            Color::Always => Self::Always,
            Color::Never => Self::Never,
        }
    }
}

/// Every method of the library by its name, so that a new one is known here without a change.
fn method(name: &str) -> Result<Method, String> {
    if let Some(method) = Method::ALL.into_iter().find(|method| method.name() == name) {
        return Ok(method);
    }
    let names = Method::ALL.map(Method::name).join(", ");
    Err(format!("expected one of: {names}"))
}

/// A level of this processor by its name.
fn level(name: &str) -> Result<Level, String> {
    if let Some(level) = Level::available().find(|level| level.to_string() == name) {
        return Ok(level);
    }
    let names: Vec<String> = Level::available().map(|level| level.to_string()).collect();
    Err(format!("this processor has: {}", names.join(", ")))
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory;

    #[test]
    fn the_definition_is_consistent() {
        Cli::command().debug_assert();
    }

    #[test]
    fn every_method_is_known_by_its_name() {
        for known in Method::ALL {
            assert_eq!(method(known.name()), Ok(known));
        }
        assert!(method("Dual").is_err());
    }
}
