//! The arguments of `gradyn check`.

use super::{ConstraintArgs, RobotArgs};
use clap::builder::{ArgPredicate, PathBufValueParser, TypedValueParser};
use clap::{ArgGroup, Args, ValueEnum};
use gradyn_files::claims;
use gradyn_files::quantity::{self, Quantity};
use std::path::{Path, PathBuf};

#[derive(Debug, Args)]
#[command(after_help = concat!(
    "Without --against, every derivative that `evaluate` knows is compared, by formulas, dual numbers and differences: ",
    "of torques and their terms, accelerations, frames, points, centers of mass, momentum, and second derivatives (beyond 16 ",
    "degrees of freedom in every fourth state, beyond 64 in none). Each state checks one frame in all references, one ",
    "point and one subtree; states cover all in turn.\n\n",
    "An entry deviates if two methods differ there by more than ten times the error that the differences estimate for ",
    "themselves, by more than 1e-9 of the largest entry, and by more than rounding can cause: 1e-13 or 1e-12 of the differentiated value, more ",
    "for accelerations if the mass matrix is ill-conditioned. If it is singular, they are omitted.\n\n",
    "With --contact, --contact-frame or --constraints, accelerations and forces under these constraints are compared too,\n",
    "and velocities and impulses after an impact; `gradyn help evaluate` says what FILE holds then.\n\n",
    "With --against, FILE holds states and the results of another program there: q, v, a, f_ext as `evaluate` reads them, ",
    "and any of the quantities that `evaluate` knows. `tau` is checked too, unless accelerations (ddq and its derivatives) ",
    "are given, which are checked at it (or at `tau_given`, if present). Three forms:\n",
    "  JSON   as `evaluate` writes; `joints`, a list of names, gives the joints in the order of FILE\n",
    "  CSV    state,quantity,row,column,value, one entry per line; rows and columns by names (elbow, root_joint.wx) or\n",
    "         numbers from 0; quantities such as q, dtau_dq, f_ext.LINK, dtau_df_ext.LINK, energy.kinetic\n",
    "  .npz   arrays of NumPy by the same names, states along the first axis (omitted for a single state); `joints`\n",
    "A derivative by q has a column for each entry of v; with --layout drake it may have one for each entry of q.\n\n",
    "With --function, FILE is JSON: `inputs` and `outputs`, lists of names, and `states`, each with `x`, `y`, `jacobian` (one row per ",
    "output), and `samples`, a list of objects with `x` and `y`: values at h = |x|/8 ahead and behind along each input (1/8 where x is 0), ",
    "and at half, a quarter, an eighth of it, or more; omit values that do not exist. `scale`, a list with one length per input, ",
    "replaces |x|; `steps`, one per input, is the longest h that counts. `program` is shown; `comment` is not read.\n\n",
    "Example:\n  gradyn check robots/g1.urdf --floating-base\n",
    "  gradyn check robots/solo12.urdf --floating-base --contact FL_FOOT --contact HR_FOOT\n",
    "  gradyn check robots/panda.urdf --against theirs.npz --layout pinocchio --report report.html\n",
    "  gradyn check --function conformance/claims/casadi_sum.json",
))]
// No robot is given if the function does not belong to one.
#[command(mut_arg("robot", |robot| {
    robot
        .required(false)
        .required_unless_present("function")
        .default_value_if("function", ArgPredicate::IsPresent, "-")
}))]
#[command(group(ArgGroup::new("claims").args(["against", "function"])))]
pub(crate) struct Check {
    #[command(flatten)]
    pub(crate) robot: RobotArgs,
    #[command(flatten)]
    pub(crate) held: ConstraintArgs,
    /// Check the results of another program: JSON, CSV or .npz; `-` is standard input
    #[arg(long, value_name = "FILE", conflicts_with_all = ["samples", "seed", "state"])]
    pub(crate) against: Option<PathBuf>,
    /// Check another program's Jacobian of any function, without a robot: JSON with values of that function; `-` is
    /// standard input
    #[arg(long, value_name = "FILE", conflicts_with_all = ["robot", "samples", "seed", "state", "report", "verbose", "quantities",
        "contact", "contact_frame", "constraints", "floating_base", "gravity", "no_joint_friction", "strict", "continuous", "mimic",
        "armature", "joint_order", "max_memory"])]
    pub(crate) function: Option<PathBuf>,
    /// The program whose order of joints and coordinates that file has
    #[arg(long, value_enum, value_name = "LAYOUT", default_value_t = Layout::Gradyn, requires = "against")]
    pub(crate) layout: Layout,
    /// Allowed deviation of an entry, relative to itself
    #[arg(long, value_name = "RELATIVE", default_value_t = 1e-6, value_parser = tolerance, requires = "claims")]
    pub(crate) tolerance: f64,
    /// Additional allowed deviation of an entry, relative to its scale (docs/checking.md): 1e-6 for single precision
    #[arg(long, value_name = "RELATIVE", default_value_t = 1e-12, value_parser = tolerance, requires = "claims")]
    pub(crate) floor: f64,
    /// Exit with 0 even if some entries are unclear, as long as none disagrees
    #[arg(long)]
    pub(crate) allow_unclear: bool,
    /// Write a page for a browser, or for printing
    #[arg(long, value_name = "FILE", value_parser = PathBufValueParser::new().try_map(page))]
    pub(crate) report: Option<PathBuf>,
    /// Show every derivative, not only the one closest to deviating of each kind
    #[arg(long, conflicts_with_all = ["against", "json"])]
    pub(crate) verbose: bool,
    /// Compare only these derivatives, by the names that `gradyn help evaluate` lists [default: all]
    #[arg(long, value_name = "LIST", value_delimiter = ',', value_parser = quantity::parse, conflicts_with = "against")]
    pub(crate) quantities: Vec<Quantity>,
    /// Number of random states
    #[arg(long, value_name = "N", default_value_t = 20, value_parser = clap::value_parser!(u64).range(1..))]
    pub(crate) samples: u64,
    /// Seed of the random states
    #[arg(long, default_value_t = 0)]
    pub(crate) seed: u64,
    /// Check only this state of those from the seed, counted from 0
    #[arg(long, value_name = "INDEX", conflicts_with = "samples", value_parser = clap::value_parser!(u64).range(..u64::MAX))]
    pub(crate) state: Option<u64>,
    /// Answer in JSON
    #[arg(long)]
    pub(crate) json: bool,
}

/// Whose conventions a file follows: order of joints, coordinates of a floating base.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Layout {
    /// As `gradyn evaluate` writes, with `--continuous` and `--joint-order`
    Gradyn,
    /// Siblings by name, continuous joints by (cos, sin), a floating base as here
    Pinocchio,
    /// Joints as in the file; quaternions w x y z, linear velocity of the base in the world's axes
    Mujoco,
    /// Base quaternion (w x y z) before position, angular velocity before linear, both in the world's axes
    Drake,
}

impl From<Layout> for claims::Layout {
    fn from(layout: Layout) -> Self {
        match layout {
            Layout::Gradyn => Self::Gradyn,
            Layout::Pinocchio => Self::Pinocchio,
            Layout::Mujoco => Self::Mujoco,
            Layout::Drake => Self::Drake,
        }
    }
}

/// A file of its own: standard output has the table.
fn page(path: PathBuf) -> Result<PathBuf, String> {
    if path == Path::new("-") {
        return Err(String::from("standard output has the table, expected a file for the page"));
    }
    Ok(path)
}

fn tolerance(text: &str) -> Result<f64, String> {
    match text.parse() {
        Ok(x) if (0.0..1.0).contains(&x) => Ok(x),
        _ => Err(String::from("expected a number from 0 to below 1, such as 1e-6")),
    }
}
