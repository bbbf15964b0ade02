//! The space of states: configuration, velocity, and carried numbers.

use crate::fault::Reason;
pub use crate::half_turn::{interpolate, interpolate_pose};
use gradyn::model::ModelBuilder;
use gradyn::{Inertia, Model, Transform};
use nalgebra::DMatrix;
use std::ops::Range;

/// A state is `x = (q, v, w)`: nq, nv, and `memory` numbers. It is moved by `δx = (δq, δv, δw)` of `2 nv + memory`
/// numbers: `x ⊕ δx = (q ⊕ δq, v + δv, w + δw)`.
///
/// What is remembered are the controls of the step before, where costs ask for their rates; mostly it is nothing.
#[derive(Clone, Copy, Debug)]
pub struct Space<'m> {
    /// The robot.
    pub model: &'m Model,
    /// How many numbers are remembered.
    pub memory: usize,
}

impl<'m> Space<'m> {
    /// Of a robot that remembers nothing.
    #[must_use]
    pub fn new(model: &'m Model) -> Self {
        Self { model, memory: 0 }
    }
    /// Numbers of a state, `nq + nv + memory`.
    #[must_use]
    pub fn nx(&self) -> usize {
        self.model.nq() + self.model.nv() + self.memory
    }
    /// Directions that a state can be moved in, `2 nv + memory`.
    #[must_use]
    pub fn ndx(&self) -> usize {
        2 * self.model.nv() + self.memory
    }
    /// Configuration, velocity, and what is remembered.
    #[must_use]
    pub fn split<'x>(&self, x: &'x [f64]) -> (&'x [f64], &'x [f64], &'x [f64]) {
        let (q, rest) = x.split_at(self.model.nq());
        let (v, w) = rest.split_at(self.model.nv());
        (q, v, w)
    }
    /// `x ⊕ δx`, into `out`.
    ///
    /// # Errors
    /// As [`Model::integrate_into`].
    pub fn integrate(&self, x: &[f64], dx: &[f64], out: &mut [f64]) -> Result<(), Reason> {
        let (nq, nv) = (self.model.nq(), self.model.nv());
        self.model.integrate_into(&x[..nq], &dx[..nv], &mut out[..nq])?;
        for ((out, x), dx) in out[nq..].iter_mut().zip(&x[nq..]).zip(&dx[nv..]) {
            *out = x + dx;
        }
        Ok(())
    }
    /// `x₁ ⊖ x₀`: what leads from `x₀` to `x₁`, into `out`.
    ///
    /// # Errors
    /// As [`Model::difference_into`].
    pub fn difference(&self, x0: &[f64], x1: &[f64], out: &mut [f64]) -> Result<(), Reason> {
        let (nq, nv) = (self.model.nq(), self.model.nv());
        self.model.difference_into(&x0[..nq], &x1[..nq], &mut out[..nv])?;
        for ((out, x1), x0) in out[nv..].iter_mut().zip(&x1[nq..]).zip(&x0[nq..]) {
            *out = x1 - x0;
        }
        Ok(())
    }
    /// `q` at rest, nothing remembered.
    #[must_use]
    pub fn at_rest(&self, q: &[f64]) -> Vec<f64> {
        let mut x = q.to_vec();
        x.resize(self.nx(), 0.0);
        x
    }
}

/// Blocks along the diagonal of `∂(q ⊕ w)/∂q` and `∂(q ⊕ w)/∂w` that are not the identity: one for each joint that
/// turns in space.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Blocks(pub Vec<Range<usize>>);

impl Blocks {
    /// Of a robot: joints whose steps do not commute.
    #[must_use]
    pub fn new(model: &Model) -> Self {
        // Whether a joint's block is the identity does not depend on the step, unless that is a special one.
        let w: Vec<f64> = (0..model.nv()).map(|k| 0.3 + 0.1 * (k % 5) as f64).collect();
        let mut blocks = Vec::new();
        let Ok(dv) = model.integrate_dv(&w) else { return Self(blocks) };
        for body in model.bodies().iter().filter(|body| body.owns_coordinates()) {
            let r = body.v_range();
            if !r.is_empty() && !is_identity(&dv, &r) {
                blocks.push(r);
            }
        }
        Self(blocks)
    }
}

/// The joints of a robot that turn in space, each as a robot of its own, with the directions that it has in the whole
/// one.
pub(crate) fn turning_joints(model: &Model) -> Vec<(Range<usize>, Model)> {
    let alone = |block: Range<usize>| {
        let body = model.bodies().iter().find(|body| body.owns_coordinates() && body.v_range() == block)?;
        let mut alone = ModelBuilder::new("joint");
        let (at, massless) = (Transform::identity(), Inertia::zero());
        alone.add_body(None, "body", "joint", at, body.joint().clone(), massless).ok()?;
        Some((block, alone.build().ok()?))
    };
    Blocks::new(model).0.into_iter().filter_map(alone).collect()
}

fn is_identity(m: &DMatrix<f64>, r: &Range<usize>) -> bool {
    r.clone().all(|i| r.clone().all(|j| (m[(i, j)] - f64::from(i == j)).abs() < 1e-14))
}
