//! The arguments of the command line.

mod excite;
mod parameters;

pub(crate) use excite::Excite;
pub(crate) use parameters::{Asked, Global, Identify, Parameters, Sensitivity, TimeUnit};

use crate::armature::{self, Setting};
use crate::memory::{self, Limit};
use crate::quantity::{self, Quantity};
use anstream::ColorChoice;
use clap::builder::ArgPredicate;
use clap::builder::PathBufValueParser;
use clap::builder::TypedValueParser;
use clap::builder::styling::{AnsiColor, Styles};
use clap::{ArgGroup, Args, Parser, Subcommand, ValueEnum};
use gradyn::derivatives::Level;
use gradyn::dynamics::ReferenceFrame;
use gradyn::model::urdf::{ContinuousForm, JointOrder, MimicForm};
use gradyn::partials::Method;
use std::path::{Path, PathBuf};

const STYLES: Styles = Styles::styled()
    .header(AnsiColor::Green.on_default().bold())
    .usage(AnsiColor::Green.on_default().bold())
    .literal(AnsiColor::Cyan.on_default().bold())
    .placeholder(AnsiColor::Cyan.on_default());

/// Robot dynamics and their exact derivatives.
///
/// Reads a robot from a URDF file, computes the torques of inverse dynamics with their partial derivatives by position,
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
}

/// What holds the robot.
#[derive(Clone, Debug, Default, Args)]
pub(crate) struct ConstraintArgs {
    /// Hold a point of the robot: the origin of this link or joint; may be repeated
    #[arg(long, help_heading = "Constraints", value_name = "FRAME")]
    pub(crate) contact: Vec<String>,
    /// Hold a link or joint, including its rotation; may be repeated
    #[arg(long, help_heading = "Constraints", value_name = "FRAME")]
    pub(crate) contact_frame: Vec<String>,
    /// Read contacts and loops from a file with `constraints`, as for `evaluate`; `-` is standard input
    #[arg(long, help_heading = "Constraints", value_name = "FILE")]
    pub(crate) constraints: Option<PathBuf>,
}

/// The robot, and options that change it.
#[derive(Clone, Debug, Args)]
pub(crate) struct RobotArgs {
    /// The robot: a URDF file
    pub(crate) robot: PathBuf,
    /// Let the base float: connect the root link to the world by a free-flyer
    #[arg(long, help_heading = "Robot")]
    pub(crate) floating_base: bool,
    /// Gravitational acceleration in the world, m/s² [default: 0,0,-9.81]
    #[arg(long, help_heading = "Robot", value_name = "X,Y,Z", value_parser = gravity, allow_hyphen_values = true)]
    pub(crate) gravity: Option<[f64; 3]>,
    /// Omit damping and friction of the joints
    #[arg(long, help_heading = "Robot")]
    pub(crate) no_joint_friction: bool,
    /// Reject a file with warnings
    #[arg(long, help_heading = "Robot")]
    pub(crate) strict: bool,
    /// Coordinates of continuous joints: one angle, or (cos, sin) as in Pinocchio
    #[arg(long, help_heading = "Robot", value_enum, value_name = "FORM", default_value_t = Continuous::Angle)]
    pub(crate) continuous: Continuous,
    /// Mimic joints: follow their leaders, or move independently as in Pinocchio
    #[arg(long, help_heading = "Robot", value_enum, value_name = "FORM", default_value_t = Mimic::Follow)]
    pub(crate) mimic: Mimic,
    /// Rotor inertia at a joint, kg m² (kg), instead of the file's; may be repeated. JOINT=ARMATURE, or JOINT=ROTOR:RATIO
    /// for ratio² rotor, or a JSON file {"JOINT": ARMATURE, "JOINT": {"rotor_inertia": .., "gear_ratio": ..}, ..}
    #[arg(long, help_heading = "Robot", value_name = "JOINT=VALUE|FILE", value_parser = armature::setting)]
    pub(crate) armature: Vec<Setting>,
    /// Order of joints: as in the file, or by name as in Pinocchio
    #[arg(long, help_heading = "Robot", value_enum, value_name = "ORDER", default_value_t = Order::File)]
    pub(crate) joint_order: Order,
    /// Memory limit, such as 8GB, or `none` for no limit [default: free memory]
    #[arg(long, help_heading = "Robot", value_name = "SIZE", value_parser = memory::parse)]
    pub(crate) max_memory: Option<Limit>,
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
    "FILE holds {\"states\": [{\"q\": [..], \"v\": [..], \"a\": [..]}, ..]} with nq, nv and nv numbers. A state may also have\n",
    "  f_ext         {\"LINK\": [fx,fy,fz,nx,ny,nz]}: wrenches in the links' own frames, moving with them\n",
    "  f_ext_world   the same in the world frame, moments about its origin, fixed in the world\n",
    "  tau           nv numbers, used only for accelerations (ddq and its derivatives)\n",
    "  lambda        nv numbers: weights of torques or accelerations in a combination\n",
    "  direction     {\"q\", \"v\", \"a\", \"tau\": nv numbers each}, zero if omitted: the direction that Hessians are multiplied by\n\n",
    "The answer has, for each state, its inputs (its tau as tau_given), and with tau, mass_matrix, dtau_dq, dtau_dv, dtau_da (lists of rows, nv ",
    "by nv), and dtau_df_ext if it has wrenches (for each link nv rows of six). Columns of derivatives by q are directions of motion, ",
    "as in v: nv of them, not nq. Quaternions are x, y, z, w.\n\n",
    "LIST, separated by commas, selects other quantities (SI units, world axes unless said otherwise; linear rows before ",
    "angular ones; --method chooses how derivatives are computed):\n",
    "  tau, mass_matrix, dtau_dq, dtau_dv, dtau_da, dtau_df_ext   the default without a LIST\n",
    "  ddq, ddq_dq, ddq_dv, ddq_dtau, ddq_df_ext   accelerations by tau and wrenches, and their derivatives\n",
    "  mass_matrix_inverse, coriolis   nv by nv; coriolis C(q,v) is such that dM/dt - 2 C is skew-symmetric\n",
    "  energy   {kinetic, potential}\n",
    "  mass_product, mass_product_dq   M a, and its derivative at fixed a\n",
    "  bias, bias_dq, bias_dv, bias_df_ext   torques at a = 0 (minus those of wrenches)\n",
    "  gravity, gravity_dq   torques at rest, without wrenches\n",
    "  static_torque, static_torque_dq, static_torque_df_ext   torques at rest, with wrenches\n",
    "  wrench_torques, wrench_torques_dq   {LINK: J^T f} of each wrench, and its derivative\n\n",
    "of the links and joints that --frames names (all), in the coordinates that --reference chooses (local), as\n",
    "{reference, frames: {NAME: ..}}:\n",
    "  frame_velocities, frame_velocities_dq, _dv   6, 6 by nv\n",
    "  frame_accelerations, frame_accelerations_dq, _dv, _da   spatial ones\n",
    "  classical_accelerations, classical_accelerations_dq, _dv, _da   linear rows: of the point at the origin\n",
    "  frame_jacobians, frame_jacobian_rates   6 by nv\n",
    "  frame_bias_accelerations, classical_bias_accelerations   at a = 0\n",
    "  kinematic_regressors   6 by 6 per body: by small motions of the joints' placements\n",
    "  frame_placements   {NAME: 4 by 4}, in the world\n",
    "  joint_jacobians   6 by nv: the columns of all joints, in the world\n",
    "  relative_jacobians   {reference, pairs: {\"A,B\": 6 by nv}} of each --pair\n",
    "  point_velocities, point_velocities_dq, _dv   {reference, points: ..} of each --point, 3 and 3 by nv; local: axes of its body\n",
    "  point_accelerations, point_accelerations_dq, _dv, _da\n\n",
    "of masses:\n",
    "  com   {mass, position, velocity, acceleration} of the center of mass\n",
    "  com_jacobian, com_position_dq, com_velocity_dq, _dv, com_acceleration_dq, _dv, _da   3 by nv\n",
    "  subtree_com_positions, _positions_dq, _velocities, _velocities_dq, _velocities_dv, _accelerations, _accelerations_dq, _accelerations_dv,\n",
    "         _accelerations_da   {LINK: ..} of the subtree of LINK, LINK included\n",
    "  centroidal   {matrix, matrix_rate: 6 by nv; momentum, momentum_rate: 6}, about the center of mass\n",
    "  momentum_dq, momentum_dv, momentum_rate_dq, momentum_rate_dv, momentum_rate_da   6 by nv\n",
    "  pseudo_inertias   {LINK: 4 by 4} of each body; log_cholesky_parameters   {LINK: 10} of those with extent in each direction
",
    "  log_cholesky_jacobians   {LINK: 10 by 10}: how the body's inertial parameters change with these
",
    "  inertial_parameters   ten per body: m, m c, and Ixx Ixy Iyy Ixz Iyz Izz about its origin\n",
    "  torque_regressor, static_torque_regressor   nv by these; kinetic_energy_regressor, potential_energy_regressor   one row\n",
    "  com_regressor   3 by four per body: m, m c\n",
    "  frame_wrench_regressors   {NAME: 6 by 10}, in the frame's own coordinates\n\n",
    "and second derivatives, nv by nv by nv, row i, then j, then k:\n",
    "  d2tau_dqdq, d2tau_dqdv, d2tau_dvdv, d2tau_dadq   of torque i by the second (j) and the third (k)\n",
    "  d2ddq_dqdq, d2ddq_dqdv, d2ddq_dvdv, d2ddq_dqdtau   of acceleration i\n",
    "  tau_gradient, tau_hessian   of lambda^T tau: {value, dq, dv, da}, {dqq, dvq, daq, dvv}\n",
    "  ddq_gradient, ddq_hessian   of lambda^T ddq: {value, dq, dv, dtau}, {dqq, dvq, dtauq, dvv}\n",
    "  tau_hessian_product, ddq_hessian_product   these Hessians times the direction: {dq, dv, da}, {dq, dv, dtau}\n\n",
    "and, under constraints with m rows in all (points 3, frames 6, joints 1 to 6):\n",
    "  constrained_ddq, constrained_ddq_dq, _dv, _dtau, _df_ext   accelerations by tau and f_ext, and their derivatives\n",
    "  constraint_forces, constraint_forces_dq, _dv, _dtau, _df_ext   multipliers, m: N and N m on FRAME, axes of the world\n",
    "  impulse_v, impulse_v_dq, _dv   velocities after an impact on the constraints, by those before\n",
    "  impulse, impulse_dq, _dv   its impulses, m: N s and N m s\n",
    "  constraint_rank, constraint_error, constraint_jacobian, constraint_bias   independent rows, e (m), J (m by nv), γ (m)\n\n",
    "Constraints are given beside the states, {\"constraints\": [..], \"states\": [..]}. Each is an object with\n",
    "  frame   the link or joint that is held\n",
    "  type   point (its origin), frame (its rotation too), or the joint that closes a loop: revolute, prismatic, helical,\n",
    "         cylindrical, universal, planar, spherical, translation\n",
    "  to   the link or joint that it is held to; the world if omitted\n",
    "  placement, to_placement   the pose, in coordinates of each: {\"xyz\": [x,y,z], \"rpy\": [roll,pitch,yaw]}, m and rad\n",
    "  axis, second_axis, pitch   of joints: [x,y,z] in coordinates of `to`, the second in those of `frame`; m a radian\n",
    "  gains   [kp, kd], so that e'' + kd e' + kp e = 0 (Baumgarte)\n",
    "\"restitution\", from 0 to 1, of impacts may be given beside them.\n\n",
    "Example:\n  gradyn evaluate robots/double_pendulum.urdf --states states.json --output answer.json",
))]
pub(crate) struct Evaluate {
    #[command(flatten)]
    pub(crate) robot: RobotArgs,
    /// The states, a JSON file; `-` is standard input
    #[arg(long, value_name = "FILE")]
    pub(crate) states: PathBuf,
    /// What to compute [default: tau,mass_matrix,dtau_dq,dtau_dv,dtau_da,dtau_df_ext]
    #[arg(long, value_name = "LIST", value_delimiter = ',', value_parser = quantity::parse)]
    quantities: Vec<Quantity>,
    /// Coordinates of frames' motions and Jacobians: local, world, local-world-aligned
    #[arg(long, value_name = "REFERENCE", value_parser = reference, default_value = "local")]
    pub(crate) reference: ReferenceFrame,
    /// Only these links and joints [default: all]
    #[arg(long, value_name = "NAMES", value_delimiter = ',')]
    pub(crate) frames: Vec<String>,
    /// A point of a link, LINK,x,y,z in the link's coordinates (m), for point_velocities and so on; may be repeated
    #[arg(long, value_name = "POINT", allow_hyphen_values = true)]
    pub(crate) point: Vec<String>,
    /// Two links or joints, A,B, for relative_jacobians: the motion of B relative to A; may be repeated
    #[arg(long, value_name = "PAIR")]
    pub(crate) pair: Vec<String>,
    #[command(flatten)]
    pub(crate) method: MethodArg,
    /// Output file of the answer; `-` is standard output [default: standard output]
    #[arg(long, short, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
}

impl Evaluate {
    /// What to compute: each quantity once, in their own order.
    pub(crate) fn quantities(&self) -> Vec<Quantity> {
        let asked: &[Quantity] = if self.quantities.is_empty() { &Quantity::DEFAULT } else { &self.quantities };
        Quantity::all().filter(|quantity| asked.contains(quantity)).collect()
    }
}

#[derive(Debug, Args)]
#[command(after_help = "Example:\n  gradyn derivatives robots/panda.urdf --state random --seed 3")]
pub(crate) struct Derivatives {
    #[command(flatten)]
    pub(crate) robot: RobotArgs,
    /// `random`, `neutral` (at rest), or a file as for `evaluate`, whose first state is used
    #[arg(long, value_name = "random|neutral|FILE", default_value = "random")]
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
    /// Additional allowed deviation of an entry, relative to the largest of its matrix: 1e-6 for single precision
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
    /// Do not solve: evaluate cost, gaps and optimality at another program's trajectory, .npz or JSON with q, v, u, or xs, us
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

#[derive(Clone, Copy, Debug, ValueEnum)]
pub(crate) enum Mimic {
    Follow,
    Independent,
}

impl From<Mimic> for MimicForm {
    fn from(form: Mimic) -> Self {
        match form {
            Mimic::Follow => Self::Follow,
            Mimic::Independent => Self::Independent,
        }
    }
}

#[derive(Clone, Copy, Debug, ValueEnum)]
pub(crate) enum Continuous {
    Angle,
    CosSin,
}

impl RobotArgs {
    /// With the choices that a layout makes.
    pub(crate) fn in_layout(&self, layout: Layout) -> Self {
        match layout {
            Layout::Gradyn => self.clone(),
            Layout::Pinocchio => Self { continuous: Continuous::CosSin, joint_order: Order::Pinocchio, ..self.clone() },
            Layout::Mujoco | Layout::Drake => {
                Self { continuous: Continuous::Angle, joint_order: Order::File, ..self.clone() }
            }
        }
    }
}

impl From<Continuous> for ContinuousForm {
    fn from(form: Continuous) -> Self {
        match form {
            Continuous::Angle => Self::Angle,
            Continuous::CosSin => Self::CosSin,
        }
    }
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

#[derive(Clone, Copy, Debug, ValueEnum)]
pub(crate) enum Order {
    File,
    Pinocchio,
}

impl From<Order> for JointOrder {
    fn from(order: Order) -> Self {
        match order {
            Order::File => Self::File,
            Order::Pinocchio => Self::Pinocchio,
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

/// A reference by its name.
fn reference(name: &str) -> Result<ReferenceFrame, String> {
    let all = [ReferenceFrame::Local, ReferenceFrame::World, ReferenceFrame::LocalWorldAligned];
    let expected = || all.map(ReferenceFrame::name).join(", ");
    all.into_iter().find(|reference| reference.name() == name).ok_or_else(|| format!("expected one of: {}", expected()))
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

/// A level of this processor by its name.
fn level(name: &str) -> Result<Level, String> {
    if let Some(level) = Level::available().find(|level| level.to_string() == name) {
        return Ok(level);
    }
    let names: Vec<String> = Level::available().map(|level| level.to_string()).collect();
    Err(format!("this processor has: {}", names.join(", ")))
}

fn gravity(text: &str) -> Result<[f64; 3], String> {
    let numbers: Result<Vec<f64>, _> = text.split(',').map(|part| part.trim().parse()).collect();
    match numbers.as_deref() {
        Ok([x, y, z]) if [x, y, z].into_iter().all(|g| g.is_finite()) => Ok([*x, *y, *z]),
        _ => Err(String::from("expected three finite numbers, such as 0,0,-9.81")),
    }
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
    fn gravity_is_three_finite_numbers() {
        assert_eq!(gravity("1, -2,3e0"), Ok([1.0, -2.0, 3.0]));
        for wrong in ["", "1,2", "1,2,3,4", "1,2,nan", "1,2,inf", "1;2;3", "a,b,c"] {
            assert!(gravity(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn every_method_is_known_by_its_name() {
        for known in Method::ALL {
            assert_eq!(method(known.name()), Ok(known));
        }
        assert!(method("Dual").is_err());
    }
}
