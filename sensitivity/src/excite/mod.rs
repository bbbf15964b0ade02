//! Motions that tell the most of a robot's parameters: optimal excitation.
//!
//! ```text
//! min over Fourier coefficients   −log det(JᵀJ + δ)     J: ∂τ/∂(base parameters) / σ, at nodes of a period
//! subject to                      |q − middle| ≤ half,  |v| ≤ …,  |a| ≤ …,  |τ| ≤ …
//! ```
//!
//! The determinant and not the condition: its gradient stays good where a motion tells next to nothing, units of parameters add a constant, and
//! `exp(−log det/(2 r))` is the mean deviation of r base parameters. Exact gradients: dual numbers over regressors, `rnea_gradient` for the
//! torques at their limits.
//!
//! Limits are met by an augmented Lagrangian at nodes twenty to the shortest wave; what comes out is looked at ten times as finely and, where a
//! limit is exceeded between nodes, made smaller. So every limit holds, whatever the optimiser did. Links that would hit each other, or the
//! ground, are not looked at.
//!
//! The optimiser is a quasi-Newton method of this module, not that of `gradyn-trajectory`: there a cost is a sum over time of squares of
//! residuals, which sweeps over time can minimise; a determinant of a sum over time is none.
//!
//! Sources: J. Swevers et al., *Optimal robot excitation and identification*, 1997; V. Fedorov, *Theory of optimal experiments*, 1972; M. Gautier,
//! W. Khalil, *Exciting trajectories for the identification of base inertial parameters of robots*, Int. J. Robot. Res. 11(4), 1992.

mod base;
mod design;
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

pub use design::{Excitation, Loads, Progress, Status, excite, excite_stance};
pub use limits::{JointLimits, LimitKind, Use};
pub use options::ExciteOptions;
pub use quality::Quality;
pub use series::Series;
pub use stance::Stance;
