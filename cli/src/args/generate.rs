//! The arguments of `gradyn generate`.

use super::RobotArgs;
use clap::{Args, ValueEnum};
use std::path::PathBuf;

#[derive(Debug, Args)]
#[command(after_help = concat!(
    "Each function is recorded from the engine, compared with it at random states, and written as straight-line code; Rust comes with a test.\n",
    "Functions: rnea, aba, crba, minv, bias, gravity, frame_pose, frame_jacobian, center_of_mass, centroidal_momentum,\n",
    "centroidal_momentum_matrix, energy, step, step_euler, step_rk4, contact_dynamics; each alone, with `_derivatives`, or with `_product` (gradient and Hessian of a weighted sum).\n",
    "docs/generate.md has their inputs and outputs.\n\n",
    "Examples:\n  gradyn generate robots/panda.urdf --function rnea,rnea_derivatives --language rust --output generated\n",
    "  gradyn generate robots/ur5.urdf --function frame_pose --frame tool0 --language c --output generated",
))]
pub(crate) struct Generate {
    #[command(flatten)]
    pub(crate) robot: RobotArgs,
    /// The functions, separated by commas
    #[arg(long, value_name = "LIST", value_delimiter = ',', required = true)]
    pub(crate) function: Vec<String>,
    /// The language
    #[arg(long, value_enum)]
    pub(crate) language: Language,
    /// The folder to write to; it is made if it does not exist
    #[arg(long, short, value_name = "DIR")]
    pub(crate) output: PathBuf,
    /// The link or joint of frame_pose and frame_jacobian
    #[arg(long, value_name = "NAME")]
    pub(crate) frame: Option<String>,
    /// The links or joints whose origins contact_dynamics holds, separated by commas
    #[arg(long, value_name = "LIST", value_delimiter = ',')]
    pub(crate) contact: Vec<String>,
    /// Parameters that are an input `p`, by patterns of the names of `gradyn parameters`
    #[arg(long, value_name = "LIST")]
    pub(crate) parameters: Option<String>,
    /// C: how often functions can be differentiated, by `jac_NAME`, `jac_jac_NAME`
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub(crate) derivatives: usize,
    /// Rust: numbers of 32 bits
    #[arg(long)]
    pub(crate) single: bool,
    /// Rust: use the standard library
    #[arg(long)]
    pub(crate) std: bool,
    /// Products and sums in one operation, where the processor has it
    #[arg(long)]
    pub(crate) fuse: bool,
    /// Rust and C: two or four equal legs share registers; in Rust for processors with AVX2
    #[arg(long)]
    pub(crate) legs: bool,
    /// Rust: so many states at once
    #[arg(long, value_name = "N")]
    pub(crate) lanes: Option<usize>,
}

/// What code is written in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Language {
    /// Rust without the standard library
    Rust,
    /// C99, which CasADi and acados load
    C,
    /// Python for CasADi: symbolic expressions
    Casadi,
}
