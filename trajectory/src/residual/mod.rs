//! Residuals `r(x, u)` of m numbers, which costs are made of: one kind per file.
//!
//! A residual may depend on the configuration, the velocity, the controls, and the results of the step: the
//! acceleration `a` and the multipliers `f` of contacts. It returns its derivatives with respect to each of these. The
//! [`Stage`](crate::stage::Stage) inserts the derivatives of `a` and `f` by the state.

mod affine;
mod axes;
mod center_of_pressure;
mod centroidal_momentum;
mod com;
mod contact_force;
mod control;
mod control_rate;
mod coulomb_cone;
mod distance;
mod elapsed_time;
mod force_rows;
mod formula;
mod frame_motion;
mod frame_placement;
mod frame_rotation;
mod frame_translation;
mod free_velocity;
mod friction_cone;
mod given;
mod joint_limits;
mod joint_torque;
mod logarithm;
mod masses;
mod motions;
mod own;
mod parameter;
mod sole;
mod speed_torque;
mod state;
mod wrench_cone;

pub use affine::Affine;
pub use center_of_pressure::CenterOfPressure;
pub use centroidal_momentum::CentroidalMomentum;
pub use com::CenterOfMass;
pub use contact_force::ContactForce;
pub use control::Control;
pub use control_rate::ControlRate;
pub use coulomb_cone::CoulombCone;
pub use distance::{Capsule, Distance};
pub use elapsed_time::ElapsedTime;
pub use frame_motion::{FrameAcceleration, FrameVelocity};
pub use frame_placement::FramePlacement;
pub use frame_rotation::FrameRotation;
pub use frame_translation::FrameTranslation;
pub(crate) use free_velocity::{Implied, without_implied};
pub use friction_cone::FrictionCone;
pub use given::{FnResidual, GivenJacobian};
pub use joint_limits::JointLimits;
pub use joint_torque::JointTorque;
pub use own::{AutodiffResidual, Quantity, QuantityPoint};
pub use parameter::{MinusParameter, ParameterValue};
pub use speed_torque::SpeedTorqueLines;
pub use state::StateError;
pub use wrench_cone::WrenchCone;

use crate::fault::{ProblemError, ProblemPlace, Reason, finite};
use crate::quadratic::Quadratic;
use crate::step::ContactRows;
use gradyn::dynamics::FrameRef;
use gradyn::{DerivativeWorkspace, Model, Workspace};
use nalgebra::DMatrix;
use std::any::Any;
use std::fmt::Debug;
use std::ops::Range;

/// The inputs that a residual depends on.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Depends {
    /// The configuration.
    pub q: bool,
    /// The velocity.
    pub v: bool,
    /// The controls.
    pub u: bool,
    /// The acceleration from the step.
    pub a: bool,
    /// The multipliers of contacts, or the impulses.
    pub f: bool,
    /// The part of the state besides configuration and velocity: [`ResidualPoint::w`].
    pub w: bool,
    /// The length of the step.
    pub h: bool,
}

impl Depends {
    /// On the configuration alone.
    pub const Q: Self = Self { q: true, v: false, u: false, a: false, f: false, w: false, h: false };
    /// On the velocity alone.
    pub const V: Self = Self { v: true, q: false, ..Self::Q };
    /// On the controls alone.
    pub const U: Self = Self { u: true, q: false, ..Self::Q };
    /// On configuration and velocity.
    pub const QV: Self = Self { v: true, ..Self::Q };
    /// On configuration, velocity and acceleration.
    pub const QVA: Self = Self { a: true, ..Self::QV };
    /// On the multipliers of contacts alone.
    pub const F: Self = Self { f: true, q: false, ..Self::Q };
}

/// The robot at a node, as input of residuals, and memory for them.
pub struct ResidualPoint<'a> {
    /// The robot.
    pub model: &'a Model,
    /// Configuration, nq.
    pub q: &'a [f64],
    /// Velocity, nv.
    pub v: &'a [f64],
    /// The rest of the state: controls of the previous step, if they are carried; free durations; parameters.
    pub w: &'a [f64],
    /// Controls, nu.
    pub u: &'a [f64],
    /// Acceleration from the step, nv; zero at the last node and at impulses.
    pub a: &'a [f64],
    /// Multipliers of contacts, or impulses, one entry per row, in world axes; zero at the last node.
    pub f: &'a [f64],
    /// Time of the node, s.
    pub time: f64,
    /// Length of its step, s.
    pub dt: f64,
    /// The goal at this node: as many numbers as [`Residual::goal`] has.
    pub goal: &'a [f64],
    /// Memory of the engine.
    pub workspace: &'a mut Workspace,
    /// Memory of the engine.
    pub derivatives: &'a mut DerivativeWorkspace,
    /// The result of [`Residual::memory`].
    pub own: &'a mut dyn Any,
}

/// A residual and its derivatives. Blocks that it does not [depend](Depends) on have no entries.
#[derive(Clone, Debug, PartialEq)]
pub struct Jacobian {
    /// `∂r/∂q`, m × nv, along `q ⊕ ε e_k`.
    pub dq: DMatrix<f64>,
    /// `∂r/∂v`, m × nv.
    pub dv: DMatrix<f64>,
    /// `∂r/∂u`, m × nu.
    pub du: DMatrix<f64>,
    /// `∂r/∂a`, m × nv.
    pub da: DMatrix<f64>,
    /// `∂r/∂f`, m × rows of contacts.
    pub df: DMatrix<f64>,
    /// `∂r/∂w`, m × numbers of [`ResidualPoint::w`]. Columns of durations and parameters are zero at each call, to be written.
    pub dw: DMatrix<f64>,
    /// `∂r/∂h`, m × 1.
    pub dh: DMatrix<f64>,
}

impl Jacobian {
    /// All zero.
    #[must_use]
    pub fn new(rows: usize, depends: Depends, nv: usize, nu: usize, nf: usize, nw: usize) -> Self {
        let of = |yes: bool, n: usize| DMatrix::zeros(rows, if yes { n } else { 0 });
        Self {
            dq: of(depends.q, nv),
            dv: of(depends.v, nv),
            du: of(depends.u, nu),
            da: of(depends.a, nv),
            df: of(depends.f, nf),
            dw: of(depends.w, nw),
            dh: of(depends.h, 1),
        }
    }
}

/// The curvature of a loss at a residual: the matrix between the Jacobians of Gauss-Newton.
#[derive(Clone, Copy, Debug)]
pub enum Weights<'a> {
    /// Along the diagonal, m.
    Diagonal(&'a [f64]),
    /// All, m × m, symmetric.
    Full(&'a DMatrix<f64>),
}

/// The parts of a phase that residuals may refer to.
#[derive(Clone, Debug)]
pub struct PhaseInfo<'a> {
    /// Its name.
    pub name: &'a str,
    /// Where the residual is in the description: a cost or a constraint of the phase.
    pub place: &'a ProblemPlace,
    /// The robot.
    pub model: &'a Model,
    /// Its controls.
    pub nu: usize,
    /// How many numbers of the previous step the state carries.
    pub remembered: usize,
    /// Its contacts: the positions of their rows in the multipliers.
    pub contacts: &'a [ContactRows],
}

/// A residual `r` of m numbers. Object-safe; one of your own is written as a [`Quantity`], once for all number types,
/// or as [`FnResidual`] closures.
pub trait Residual: Send + Sync + Debug {
    /// The number of its entries.
    fn rows(&self) -> usize;
    /// The inputs that it depends on.
    fn depends(&self) -> Depends;
    /// The name of one of its rows, such as a joint. `None` if rows have no names, which is the default.
    fn row_name(&self, model: &Model, row: usize) -> Option<String> {
        let _ = (model, row);
        None
    }
    /// The goal that it was created with, as numbers that may differ between nodes and change between solutions. Empty
    /// if it has none.
    fn goal(&self) -> Vec<f64> {
        Vec::new()
    }
    /// The state `(q*, v*)` that it leads to, nq + nv numbers, if it is the distance `(q ⊖ q*, v − v*)` to one. Guesses
    /// may lead there.
    fn goal_state<'g>(&self, goal: &'g [f64]) -> Option<&'g [f64]> {
        let _ = goal;
        None
    }
    /// A frame, and the position of its origin in the world when the first three rows are zero, m, if there is one.
    /// With `true` these rows are the distance `p − p*` along world axes, and not only zero with it.
    fn goal_place(&self, goal: &[f64]) -> Option<(FrameRef, [f64; 3], bool)> {
        let _ = goal;
        None
    }
    /// Checks a goal. Called with a goal that a user sets.
    ///
    /// # Errors
    /// The reason, in words.
    fn check_goal(&self, goal: &[f64]) -> Result<(), String> {
        let _ = goal;
        Ok(())
    }
    /// Called with its phase when the problem is built.
    ///
    /// # Errors
    /// If the phase lacks something that it refers to.
    fn bind(&mut self, phase: &PhaseInfo<'_>) -> Result<(), ProblemError> {
        let _ = phase;
        Ok(())
    }
    /// Called with the parameters of the problem, and the positions of their numbers in [`ResidualPoint::w`].
    ///
    /// # Errors
    /// If a parameter that it refers to is missing; `place` is the phase, and the cost or the constraint.
    fn bind_parameters(
        &mut self,
        parameters: &[(String, Range<usize>)],
        place: &ProblemPlace,
    ) -> Result<(), ProblemError> {
        let _ = (parameters, place);
        Ok(())
    }
    /// Whether it reads model constants directly, such as inertias or friction, besides `q`, `v`, `u`, `a` and `f`. It
    /// then cannot be combined with [parameters of the robot](crate::Parameter::of_robot): it has no derivatives by
    /// them.
    fn sees_robot(&self) -> bool {
        true
    }
    /// Whether it jumps at this value, so that derivatives are one-sided. [Checks](crate::check) skip such points.
    fn jumps(&self, r: &[f64]) -> bool {
        let _ = r;
        false
    }
    /// Its memory, for one thread.
    fn memory(&self) -> Box<dyn Any + Send> {
        Box::new(())
    }
    /// Writes its numbers to `r`.
    ///
    /// # Errors
    /// The reason why they cannot be computed.
    fn value(&self, on: &mut ResidualPoint<'_>, r: &mut [f64]) -> Result<(), Reason>;
    /// Its numbers and its Jacobian. `out` is unchanged since the last call: entries that never change need not be
    /// written again.
    ///
    /// # Errors
    /// As [`value`](Self::value).
    fn jacobian(&self, on: &mut ResidualPoint<'_>, r: &mut [f64], out: &mut Jacobian) -> Result<(), Reason>;
    /// Its numbers and its Jacobian by dual numbers, if it is written for them. [`check`](crate::Problem::check)
    /// compares the other Jacobian with it. `false` if it is not.
    ///
    /// # Errors
    /// As [`value`](Self::value).
    fn jacobian_by_duals(&self, on: &mut ResidualPoint<'_>, r: &mut [f64], out: &mut Jacobian) -> Result<bool, Reason> {
        let _ = (on, r, out);
        Ok(false)
    }
    /// Whether [`hessian`](Self::hessian) returns the second derivatives of the residual, instead of zero.
    fn has_hessian(&self) -> bool {
        true
    }
    /// Adds `Jᵀ g` to the gradient and `Jᵀ W J` to the Hessian by state and controls, if it can do so with less work
    /// than dense products; `false` if it has not. Only called if it does not depend on `a` and `f`.
    fn add_structured(&self, jacobian: &Jacobian, gradient: &[f64], weights: Weights<'_>, out: &mut Quadratic) -> bool {
        let _ = (jacobian, gradient, weights, out);
        false
    }
    /// Whether all its second derivatives are zero, everywhere. They are then never requested.
    fn is_linear(&self) -> bool {
        false
    }
    /// Adds `Σ λ_i ∂²r_i`, symmetric, by `(q, v, u, a, f)` in this order, whether it depends on them or not: n × n with
    /// n = 2 nv + nu + nv + rows of contacts. By q it is that of `r(q ⊕ x)` at `x = 0`.
    ///
    /// # Errors
    /// As [`value`](Self::value).
    fn add_hessian(&self, on: &mut ResidualPoint<'_>, lambda: &[f64], out: &mut DMatrix<f64>) -> Result<(), Reason>;
    /// `∂²(λᵀ r)/∂h∂(w, u, h)` by the length of the step, as many numbers as [`ResidualPoint::w`] has, then nu, then one. Only
    /// called if it depends on the length. `false` if it does not have them, which is the default.
    ///
    /// # Errors
    /// As [`value`](Self::value).
    fn length_hessian(&self, on: &mut ResidualPoint<'_>, lambda: &[f64], to: &mut [f64]) -> Result<bool, Reason> {
        let _ = (on, lambda, to);
        Ok(false)
    }
    /// The same alone, not added to anything.
    ///
    /// # Errors
    /// As [`value`](Self::value), and if an entry is not finite.
    fn hessian(&self, on: &mut ResidualPoint<'_>, lambda: &[f64], out: &mut DMatrix<f64>) -> Result<(), Reason> {
        out.as_mut_slice().fill(0.0);
        if self.is_linear() {
            return Ok(());
        }
        self.add_hessian(on, lambda, out)?;
        if are_finite(out.as_slice()) { Ok(()) } else { finite("the Hessian of the residual", out.as_slice()) }
    }
}

/// Zero times what is not finite is no number: eight sums that need not wait for each other.
fn are_finite(x: &[f64]) -> bool {
    let (chunks, rest) = x.as_chunks::<8>();
    let mut sums = [0.0; 8];
    for chunk in chunks {
        sums.iter_mut().zip(chunk).for_each(|(sum, x)| *sum += 0.0 * x);
    }
    !sums.iter().chain(rest).map(|x| 0.0 * x).sum::<f64>().is_nan()
}
