//! `gradyn parameters`, `gradyn sensitivity`, `gradyn identify`.

use super::{ConstraintArgs, RobotArgs, method};
use clap::{Args, ValueEnum};
use gradyn::dynamics::ReferenceFrame;
use gradyn::partials::Method;
use gradyn_files::sensitivity;
use std::path::PathBuf;

#[derive(Debug, Args)]
#[command(after_help = "Example:\n  gradyn parameters robots/panda.urdf 'panda_link7.*' gravity.z")]
pub(crate) struct Parameters {
    #[command(flatten)]
    pub(crate) robot: RobotArgs,
    /// Names or patterns, such as '*.mass' or 'panda_link[2-7].com.?' [default: all]
    pub(crate) patterns: Vec<String>,
    /// Answer in JSON
    #[arg(long)]
    pub(crate) json: bool,
}

/// The output whose sensitivity is computed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum OutputArg {
    /// Torques of inverse dynamics
    Tau,
    /// Accelerations of forward dynamics
    Ddq,
    /// The mass matrix
    MassMatrix,
    /// Kinetic and potential energy
    Energy,
    /// The pose of --frame
    Pose,
    /// Forces of what --contact, --contact-frame and --constraints hold
    ContactForces,
    /// Along a task: the configurations that the joints reach
    Configuration,
}

/// Over the whole prior.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Global {
    /// Sobol's indices: shares of the variance, alone and with others
    Sobol,
    /// Morris's elementary effects: a cheap screening of many parameters
    Morris,
    /// Upper bounds of Sobol's total indices from derivatives; at a state
    Dgsm,
}

impl From<Global> for sensitivity::Method {
    fn from(global: Global) -> Self {
        match global {
            Global::Sobol => Self::Sobol,
            Global::Morris => Self::Morris,
            Global::Dgsm => Self::Dgsm,
        }
    }
}

#[derive(Debug, Args)]
#[command(after_help = concat!(
    "LIST: names or patterns, separated by commas; `gradyn parameters ROBOT` lists them. Each parameter is distributed about its\n",
    "value with --share of it as standard deviation: lognormal where no robot has zero or less (masses, friction, stiffness, …),\n",
    "half-normal for a friction, damping, armature or stiffness of zero, normal for all others (for a value of zero: --share of the unit).\n\n",
    "Exit codes: 0 good, 1 the results are not reliable, 2 bad input.\n\n",
    "Without --global: derivatives, and the share of the variance to first order. Docs: docs/sensitivity.md.\n\n",
    "Examples:\n  gradyn sensitivity robots/panda.urdf --parameters '*.mass,*.com.*' --of tau\n",
    "  gradyn sensitivity robots/panda.urdf --parameters '*.mass' --of ddq --global sobol --samples 1024\n",
    "  gradyn sensitivity robots/panda.urdf --parameters '*.mass' --task examples/tasks/arm_reach.toml --uncertainty",
))]
pub(crate) struct Sensitivity {
    #[command(flatten)]
    pub(crate) robot: RobotArgs,
    #[command(flatten)]
    pub(crate) held: ConstraintArgs,
    /// The parameters that vary
    #[arg(long, value_name = "LIST")]
    pub(crate) parameters: String,
    /// The output [default: tau; along a task: configuration]
    #[arg(long, value_enum, value_name = "OUTPUT")]
    pub(crate) of: Option<OutputArg>,
    /// Along the trajectory that `gradyn optimize` finds for this task, which must use ROBOT; of `configuration` or
    /// `pose`
    #[arg(long, value_name = "TASK", conflicts_with_all = ["state", "method"])]
    pub(crate) task: Option<PathBuf>,
    /// Along a task: with the solver's feedback gains, not with controls alone
    #[arg(long, requires = "task")]
    pub(crate) closed_loop: bool,
    /// Scatter of the output: to first order, and by --samples. Exit code 1 if these disagree
    #[arg(long, conflicts_with_all = ["global", "csv"])]
    pub(crate) uncertainty: bool,
    /// The link or joint whose pose is the output
    #[arg(long, value_name = "NAME")]
    pub(crate) frame: Option<String>,
    /// `random`, `neutral` (at rest), a named configuration of the robot, or a file as for `evaluate`, whose first state is used
    #[arg(long, value_name = "random|neutral|NAME|FILE", default_value = "random")]
    pub(crate) state: PathBuf,
    /// Seed of the random state, and of samples
    #[arg(long, default_value_t = 0)]
    pub(crate) seed: u64,
    /// How derivatives are computed: analytical, dual, difference
    #[arg(long, value_parser = method, default_value = "analytical")]
    pub(crate) method: Method,
    /// Standard deviation of each parameter, as a share of its value, within what the parameter can be
    #[arg(long, allow_hyphen_values = true, default_value_t = 0.1)]
    pub(crate) share: f64,
    /// Priors by patterns of names, in TOML; those not named keep --share
    #[arg(long, value_name = "FILE")]
    pub(crate) prior: Option<PathBuf>,
    /// Over the whole prior, by samples
    #[arg(long, value_enum, value_name = "METHOD")]
    pub(crate) global: Option<Global>,
    /// Also compute Sobol's indices of pairs; takes twice the samples
    #[arg(long, requires = "global")]
    pub(crate) second_order: bool,
    /// Parameters that vary together, as one with this name; may be repeated. A parameter in no group is its own group
    #[arg(long, requires = "global", value_name = "NAME=LIST")]
    pub(crate) group: Vec<String>,
    /// Your own samples, in the order of METHOD: CSV with a column for each parameter
    #[arg(long, requires = "global", value_name = "FILE", conflicts_with_all = ["samples", "resume"])]
    pub(crate) sample_file: Option<PathBuf>,
    /// Rows of samples, preferably a power of two
    #[arg(long, value_name = "N", default_value_t = 1024)]
    pub(crate) samples: usize,
    /// File that stores samples if Ctrl-C or SIGTERM stops them, to resume from: the same command gives the same to the
    /// last bit
    #[arg(long, value_name = "FILE", requires = "global")]
    pub(crate) resume: Option<PathBuf>,
    /// The level of intervals
    #[arg(long, allow_hyphen_values = true, value_name = "LEVEL", default_value_t = 0.95)]
    pub(crate) confidence: f64,
    /// Number of parameters shown, those that matter most
    #[arg(long, value_name = "N", default_value_t = 15)]
    pub(crate) top: usize,
    /// Show the numbers of each output separately, in tables and in CSV; JSON and the page always have them
    #[arg(long, conflicts_with = "json")]
    pub(crate) by_output: bool,
    /// Answer in JSON
    #[arg(long, conflicts_with = "csv")]
    pub(crate) json: bool,
    /// Answer in CSV, one line per parameter; with --by-output one line per number
    #[arg(long)]
    pub(crate) csv: bool,
    /// Also write a page that needs no network
    #[arg(long, value_name = "FILE")]
    pub(crate) report: Option<PathBuf>,
    /// Output file of the answer; `-` is standard output [default: standard output]
    #[arg(long, short, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
}

#[derive(Debug, Args)]
#[command(after_help = concat!(
    "DATA is CSV with a heading: time, then q.JOINT, v.JOINT, tau.JOINT of every joint, and a.JOINT if accelerations are known (else\n",
    "they are differences of the velocities). With --floating-base: q.root_joint.x, .y, .z, .qx, .qy, .qz, .qw; v.root_joint.vx to .wz\n",
    "(else differences of the poses), tau.root_joint.… (else no wrench but that of contacts); tau.JOINT of all joints or of none;\n",
    "f.FRAME.x, .y, .z[, .rx, .ry, .rz]: forces of the ground on the robot. Exit codes: 0 fitted, 1 the data cannot identify a parameter, or an inertia is not physical,\n",
    "2 bad input.\n\n",
    "Example:\n  gradyn identify robots/panda.urdf --data log.csv --parameters 'panda_link7.payload.m,*.friction,*.damping' \\\n",
    "    --write-robot identified.urdf --report report.html",
))]
pub(crate) struct Identify {
    #[command(flatten)]
    pub(crate) robot: RobotArgs,
    /// What was measured; may be given again: files follow each other with a gap between
    #[arg(long, value_name = "DATA", required_unless_present = "poses")]
    pub(crate) data: Vec<PathBuf>,
    /// In place of --data: poses of --frame that were measured, from which geometry is calibrated. CSV with a heading:
    /// q.JOINT of every joint, pose.x, .y, .z, and pose.qx, .qy, .qz, .qw if rotations were measured
    #[arg(long, value_name = "FILE", requires = "frame", conflicts_with_all = [
        "data", "held_out", "blocks", "time_unit", "force_axes", "low_pass", "every", "assume_white", "no_delay", "robust", "entropic",
        "prior", "check_only",
    ])]
    pub(crate) poses: Option<PathBuf>,
    /// Whose poses --poses are: a link or joint
    #[arg(long, value_name = "NAME", requires = "poses")]
    pub(crate) frame: Option<String>,
    /// Positions, velocities and accelerations are in degrees
    #[arg(long)]
    pub(crate) degrees: bool,
    /// Fit the simulation that the measured torques drive to positions and velocities, piece by piece, in place of
    /// torques
    #[arg(long, conflicts_with_all = [
        "poses", "held_out", "blocks", "low_pass", "every", "assume_white", "no_delay", "robust", "entropic", "prior", "check_only",
    ])]
    pub(crate) output_error: bool,
    /// Samples of a piece of --output-error, which begins where it was measured
    #[arg(long, value_name = "N", default_value_t = 50, requires = "output_error", value_parser = clap::value_parser!(u32).range(2..))]
    pub(crate) piece: u32,
    /// Axes of contact forces `f.FRAME.x`; moments are about the origin of the frame
    #[arg(long, value_enum, value_name = "AXES", default_value_t = ForceAxes::World)]
    pub(crate) force_axes: ForceAxes,
    /// The unit of the column `time`
    #[arg(long, value_enum, value_name = "UNIT", default_value_t = TimeUnit::S)]
    pub(crate) time_unit: TimeUnit,
    /// Corner frequency of a low-pass filter over both measured and predicted torques, Hz (second-order Butterworth,
    /// forward and backward)
    #[arg(long, allow_hyphen_values = true, value_name = "HZ")]
    pub(crate) low_pass: Option<f64>,
    /// Use only every Nth sample, after the low-pass filter
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) every: u32,
    /// Assume white noise: do not widen intervals if neighbors share noise
    #[arg(long)]
    pub(crate) assume_white: bool,
    /// Use torques as they are: neither search for a delay nor remove it
    #[arg(long)]
    pub(crate) no_delay: bool,
    /// The parameters to identify, as for `sensitivity`
    #[arg(long, value_name = "LIST")]
    pub(crate) parameters: String,
    /// Only check whether the data are consistent, and what they can tell
    #[arg(long, conflicts_with_all = ["write_robot"])]
    pub(crate) check_only: bool,
    /// The share of the data, at the end, that the fit does not use
    #[arg(long, allow_hyphen_values = true, value_name = "SHARE", default_value_t = 0.3)]
    pub(crate) hold_out: f64,
    /// Cut the samples along time into so many blocks: --hold-out is the end of each
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) blocks: u32,
    /// A file of data that the fit does not see, in place of a share of --data
    #[arg(long, value_name = "DATA", conflicts_with_all = ["hold_out", "blocks"])]
    pub(crate) held_out: Option<PathBuf>,
    /// Outliers beyond this many standard deviations count less (Huber)
    #[arg(long, allow_hyphen_values = true, value_name = "WIDTH")]
    pub(crate) robust: Option<f64>,
    /// Regularizer toward the robot's own inertias, independent of units and charts: the weight of the entropic
    /// divergence
    #[arg(long, allow_hyphen_values = true, value_name = "GAMMA")]
    pub(crate) entropic: Option<f64>,
    /// Regularizer toward the robot's own values: standard deviation as a share of each, or a file of priors as for
    /// `sensitivity`
    #[arg(long, allow_hyphen_values = true, value_name = "SHARE|FILE")]
    pub(crate) prior: Option<String>,
    /// The level of intervals
    #[arg(long, allow_hyphen_values = true, value_name = "LEVEL", default_value_t = 0.95)]
    pub(crate) confidence: f64,
    /// Write the robot's file with the new numbers, everything else unchanged: URDF or MJCF, as it was read
    #[arg(long, visible_alias = "write-urdf", value_name = "FILE")]
    pub(crate) write_robot: Option<PathBuf>,
    /// Answer in JSON
    #[arg(long)]
    pub(crate) json: bool,
    /// Also write a page that needs no network
    #[arg(long, value_name = "FILE")]
    pub(crate) report: Option<PathBuf>,
    /// Output file of the answer; `-` is standard output [default: standard output]
    #[arg(long, short, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
}

/// Axes of contact forces.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum ForceAxes {
    /// Those of the world
    World,
    /// Those of the frame itself, as of a sensor in a foot
    Frame,
}

impl From<ForceAxes> for ReferenceFrame {
    fn from(axes: ForceAxes) -> Self {
        match axes {
            ForceAxes::World => Self::LocalWorldAligned,
            ForceAxes::Frame => Self::Local,
        }
    }
}

/// Units of the column `time`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum TimeUnit {
    /// Seconds
    S,
    /// Thousandths
    Ms,
    /// Millionths
    Us,
    /// Thousand-millionths
    Ns,
}

impl TimeUnit {
    /// One of them, s.
    pub(crate) fn seconds(self) -> f64 {
        match self {
            Self::S => 1.0,
            Self::Ms => 1e-3,
            Self::Us => 1e-6,
            Self::Ns => 1e-9,
        }
    }
}
