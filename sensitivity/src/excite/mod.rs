//! The motions that are most informative about a robot's parameters: optimal excitation.
//!
//! ```text
//! min over Fourier coefficients   −log det(JᵀJ + δ)     J: ∂τ/∂(base parameters) / σ, at nodes of a period
//! subject to                      |q − middle| ≤ half,  |v| ≤ …,  |a| ≤ …,  |τ| ≤ …
//! ```
//!
//! The cost is the determinant rather than the condition: its gradient is useful even where a motion has little
//! information, units of parameters add a constant, and `exp(−log det/(2 r))` is the mean deviation of r base
//! parameters. Gradients are exact: dual numbers over regressors, and `rnea_gradient` for the torques at their limits.
//!
//! Limits are handled by an augmented Lagrangian at nodes, twenty to the shortest wave. The result is checked ten times
//! as finely and, if a limit is exceeded between nodes, scaled down. So every limit holds, even if the optimizer did
//! not converge. Collisions of links with each other or the ground are not checked.
//!
//! The optimizer is a quasi-Newton method of this module, not that of `gradyn-trajectory`: there a cost is a sum over
//! time of squared residuals, which sweeps over time can minimize; a determinant of a sum over time is not of this
//! form.
//!
//! Sources: J. Swevers et al., *Optimal robot excitation and identification*, 1997; V. Fedorov, *Theory of optimal
//! experiments*, 1972; M. Gautier, W. Khalil, *Exciting trajectories for the identification of base inertial parameters
//! of robots*, Int. J. Robot. Res. 11(4), 1992.

mod base;
mod design;
mod excitation;
mod information;
mod limits;
mod motion;
mod options;
mod problem;
mod quality;
mod quasi_newton;
mod robot;
mod series;
mod stance;

pub use design::{excite, excite_stance};
pub use excitation::{Excitation, Loads, Progress, Status};
pub use limits::{JointLimits, LimitKind, Use};
pub use options::ExciteOptions;
pub use quality::Quality;
pub use series::Series;
pub use stance::Stance;
