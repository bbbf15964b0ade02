//! From a node to the next one: `x⁺ = f(x, u)`, with A and B.

mod acceleration;
mod actuation;
mod algebra;
mod chart;
mod contact;
mod elimination;
mod euler;
mod implicit_friction;
mod impulse;
mod inverse_dynamics;
mod midpoint;
mod own;
mod page;
mod retraction;
mod rk4;
mod semi_implicit;
mod stages;

pub use gradyn::model::Actuation;

pub use acceleration::{Acceleration, Engine, ForwardDynamics, Sensitivities};
pub use algebra::Algebra;
pub use contact::{Contact, ContactRows};
pub use euler::Euler;
pub use implicit_friction::ImplicitFriction;
pub use impulse::Impulse;
pub use inverse_dynamics::InverseDynamics;
pub(crate) use inverse_dynamics::torques;
pub use midpoint::ImplicitMidpoint;
pub use own::OwnAcceleration;
pub use page::{STAGES, Scheme};
pub use rk4::Rk4;
pub use semi_implicit::SemiImplicitEuler;

use crate::fault::{ProblemError, ProblemPlace, Reason};
use crate::node::At;
use crate::parameter::RobotNumbers;
use crate::quadratic::{Curvature, Quadratic};
use gradyn::{DerivativeWorkspace, Model, Workspace};
use nalgebra::DMatrix;
use std::any::Any;
use std::fmt::Debug;
use std::sync::Arc;

/// The robot at a node, and the memory of its step.
pub struct StepView<'a> {
    /// The robot.
    pub model: &'a Model,
    /// The point of evaluation.
    pub at: At<'a>,
    /// Configuration, nq.
    pub q: &'a [f64],
    /// Velocity, nv.
    pub v: &'a [f64],
    /// Controls, nu.
    pub u: &'a [f64],
    /// Memory of the engine.
    pub workspace: &'a mut Workspace,
    /// Memory of the engine.
    pub derivatives: &'a mut DerivativeWorkspace,
    /// The result of [`Step::memory`].
    pub own: &'a mut dyn Any,
    /// Output: the acceleration, nv, for costs.
    pub a: &'a mut [f64],
    /// Output: the multipliers, for costs.
    pub f: &'a mut [f64],
}

/// Weights of the results of a step, for a sum whose second derivatives are requested.
#[derive(Clone, Copy, Debug)]
pub struct StepWeights<'a> {
    /// λ⁺, of `x⁺` along `(δq⁺, δv⁺)`, 2 nv.
    pub next: &'a [f64],
    /// ν, of its equalities.
    pub eq: &'a [f64],
    /// Of the acceleration, nv.
    pub a: &'a [f64],
    /// Of the multipliers.
    pub f: &'a [f64],
}

impl StepWeights<'_> {
    /// Whether all weights are zero.
    pub(crate) fn are_zero(&self) -> bool {
        [self.next, self.eq, self.a, self.f].into_iter().flatten().all(|x| *x == 0.0)
    }
}

/// One step of a robot. Object-safe. States are `(q, v)`; the [`Stage`](crate::stage::Stage) handles other carried
/// numbers.
pub trait Step: Send + Sync + Debug {
    /// Its controls.
    fn controls(&self) -> usize;
    /// The number of multipliers of contacts, or impulses, that it computes.
    fn multipliers(&self) -> usize {
        0
    }
    /// The rows of each contact in the multipliers.
    fn contacts(&self) -> &[ContactRows] {
        &[]
    }
    /// Whether the state jumps instantaneously.
    fn jumps(&self) -> bool {
        false
    }
    /// Whether it computes an acceleration that costs can use.
    fn accelerates(&self) -> bool {
        !self.jumps()
    }
    /// Whether its accelerations depend on its length.
    fn acceleration_depends_on_dt(&self) -> bool {
        false
    }
    /// The number of equalities that it imposes on its state and its controls.
    fn equalities(&self) -> usize {
        0
    }
    /// Checks that it is a step of this robot. Called when a problem is built.
    ///
    /// # Errors
    /// The reason why not; `place` is the phase.
    fn check(&self, model: &Model, place: &ProblemPlace) -> Result<(), ProblemError> {
        let _ = (model, place);
        Ok(())
    }
    /// Called with numbers of the robot that vary. Their values then follow its controls, in `u` and in all derivatives
    /// by it, and [`StepView::model`] has them. `false` if it has no derivatives by such numbers, which is the default.
    fn vary(&mut self, numbers: &Arc<RobotNumbers>) -> bool {
        let _ = numbers;
        false
    }
    /// Its memory, for one thread.
    fn memory(&self, model: &Model) -> Box<dyn Any + Send>;
    /// The next `(q, v)`; writes acceleration and multipliers to the view, and violations of equalities to `eq`.
    ///
    /// # Errors
    /// The reason why it is undefined.
    fn next(&self, on: &mut StepView<'_>, next: &mut [f64], eq: &mut [f64]) -> Result<(), Reason>;
    /// The same, with A and B for `(δq, δv)`, in the first 2 nv rows and columns of `out`; the derivatives of
    /// acceleration and multipliers into `by`. Entries that were written at the last call are still there.
    ///
    /// # Errors
    /// As [`next`](Self::next).
    fn linearize(&self, on: &mut StepView<'_>, by: &mut Sensitivities, out: &mut Quadratic) -> Result<(), Reason>;
    /// Adds to `out`'s [`Curvature`] the second derivatives of `λ⁺ᵀ x⁺ + νᵀ c + gᵃ·a + gᶠ·f` along `q ⊕ δq`, `v + δv`,
    /// `u + δu`, right after [`linearize`](Self::linearize) at the same point, whose A, B and `by` are available.
    /// `false` if it does not have them, which is the default.
    ///
    /// # Errors
    /// As [`next`](Self::next).
    fn curvature(
        &self,
        on: &mut StepView<'_>,
        by: &Sensitivities,
        weights: StepWeights<'_>,
        out: &mut Quadratic,
    ) -> Result<bool, Reason> {
        let _ = (on, by, out);
        Ok(weights.are_zero())
    }
    /// The contacts and loops that its accelerations keep, if it has any.
    fn held(&self) -> &[gradyn::Constraint] {
        &[]
    }
    /// `[α, β]` of `q⁺ = q ⊕ h (α v + β v⁺)`, if configurations move by the velocities of nodes alone: bounds of
    /// velocities then bound the path.
    fn moves_by(&self) -> Option<[f64; 2]> {
        None
    }
    /// Whether `x⁺` is affine in state and controls, for every state of this robot.
    fn is_affine(&self, model: &Model) -> bool {
        let _ = model;
        false
    }
    /// The order of its method: the error of a step grows with this power of its length, plus one. The default is one.
    fn order(&self) -> u32 {
        1
    }
    /// Memory of [`reference`](Self::reference), for one thread. `None` if it has no finer method, which is the
    /// default.
    fn reference_memory(&self, model: &Model) -> Option<Box<dyn Any + Send>> {
        let _ = model;
        None
    }
    /// The next `(q, v)` by a method of higher order, for the same accelerations under the same controls and contacts.
    /// [`resimulation`](crate::resimulation) compares the step with it. The view has the memory from
    /// [`reference_memory`](Self::reference_memory), and receives acceleration and multipliers at the start of the
    /// step.
    ///
    /// # Errors
    /// As [`next`](Self::next), or if there is no such method.
    fn reference(&self, on: &mut StepView<'_>, next: &mut [f64]) -> Result<(), Reason> {
        let _ = (on, next);
        Err(Reason::NoReference)
    }
    /// Whether it can be differentiated by its length. Only then can the duration of its phase be free.
    fn has_dt_derivative(&self) -> bool {
        false
    }
    /// `∂x⁺/∂h` by its length, 2 nv, right after [`linearize`](Self::linearize) at the same point.
    ///
    /// # Errors
    /// As [`next`](Self::next), or if it [cannot be](Self::has_dt_derivative).
    fn dt_derivative(
        &self,
        on: &mut StepView<'_>,
        by: &Sensitivities,
        out: &Quadratic,
        to: &mut [f64],
    ) -> Result<(), Reason> {
        let _ = (on, by, out, to);
        Err(Reason::NoLengthDerivative)
    }
    /// `∂²(λ⁺ᵀ x⁺)/∂h∂(q, v, u, h)`, 2 nv + nu + 1. `false` if it does not have them.
    ///
    /// # Errors
    /// As [`dt_derivative`](Self::dt_derivative).
    fn dt_curvature(
        &self,
        on: &mut StepView<'_>,
        by: &Sensitivities,
        weights: StepWeights<'_>,
        out: &Quadratic,
        to: &mut [f64],
    ) -> Result<bool, Reason> {
        let _ = (on, by, out, weights);
        to.fill(0.0);
        Ok(false)
    }
}

/// What a step takes from its accelerations, as they are.
macro_rules! forward_to_acceleration {
    ($($acceleration:tt).+) => {
        fn controls(&self) -> usize {
            self.$($acceleration).+.controls()
        }
        fn multipliers(&self) -> usize {
            self.$($acceleration).+.multipliers()
        }
        fn contacts(&self) -> &[$crate::step::ContactRows] {
            self.$($acceleration).+.contacts()
        }
        fn check(&self, model: &Model, place: &$crate::ProblemPlace) -> Result<(), $crate::ProblemError> {
            self.$($acceleration).+.check(model, place)
        }
        fn vary(&mut self, numbers: &std::sync::Arc<$crate::parameter::RobotNumbers>) -> bool {
            self.$($acceleration).+.vary(numbers)
        }
        fn held(&self) -> &[gradyn::Constraint] {
            self.$($acceleration).+.held()
        }
        fn is_affine(&self, model: &Model) -> bool {
            self.$($acceleration).+.is_affine(model)
        }
    };
}
use forward_to_acceleration;

/// Adds `s m` of `z = (q, v, u)`, symmetric, to a curvature.
fn add_symmetric(s: f64, m: &DMatrix<f64>, nv: usize, out: &mut Curvature) {
    let nu = m.ncols() - 2 * nv;
    for j in 0..2 * nv {
        (0..2 * nv).for_each(|i| out.xx[(i, j)] += s * m[(i, j)]);
    }
    for j in 0..nu {
        (0..2 * nv).for_each(|i| out.xu[(i, j)] += s * m[(i, 2 * nv + j)]);
        (0..nu).for_each(|i| out.uu[(i, j)] += s * m[(2 * nv + i, 2 * nv + j)]);
    }
}

/// Writes `h m` into a block.
fn scaled(h: f64, m: &DMatrix<f64>, to: &mut DMatrix<f64>, row: usize, column: usize) {
    let (n, height) = (m.nrows(), to.nrows());
    if m.is_empty() {
        return;
    }
    let columns = to.as_mut_slice()[column * height..].chunks_exact_mut(height);
    for (to, from) in columns.zip(m.as_slice().chunks_exact(n)) {
        for (to, x) in to[row..row + n].iter_mut().zip(from) {
            *to = h * x;
        }
    }
}
