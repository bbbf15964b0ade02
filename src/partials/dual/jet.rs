//! How one joint's motion subspace and bias vary, for joints whose subspace depends on `q`.
//!
//! A joint depends on its own few coordinates only. The formulas of its kind are evaluated with [`Dual64`], one direction
//! after the other, and each derivative is put in its lane: the formulas of rare kinds are compiled once, not once for
//! each level of registers.

use super::numbers::StateDual;
use crate::joint::JointKind;
use crate::model::{Body, Model};
use crate::partials::plan::Chunk;
use crate::spatial::{Motion, Transform};
use gradyn_derivatives::num_dual::Dual64;
use gradyn_derivatives::simd::{Piece, Register};
use gradyn_derivatives::{Lanes, MulAdd};

/// Columns and bias of one joint with their derivatives in one direction.
pub(super) struct Jet {
    q: Vec<Dual64>,
    v: Vec<Dual64>,
    unit: Vec<f64>,
    rate: Vec<f64>,
    columns: Vec<Motion<Dual64>>,
    bias: Motion<Dual64>,
}

impl Jet {
    pub(super) fn new(model: &Model) -> Self {
        let largest = |size: fn(&Body) -> usize| model.bodies.iter().map(size).max().unwrap_or(0);
        let (nq, nv) = (largest(|body| body.q.len()), largest(|body| body.v.len()));
        Self {
            q: vec![Dual64::from(0.0); nq],
            v: vec![Dual64::from(0.0); nv],
            unit: vec![0.0; nv],
            rate: vec![0.0; nq],
            columns: vec![Motion::zero(); nv],
            bias: Motion::zero(),
        }
    }

    /// Along `q ⊕ ε e_k`: coordinates change by `ε G(q) e_k`.
    #[inline(never)]
    fn by_configuration(&mut self, body: &Body, q: &[f64], v: &[f64], k: usize) {
        let (nq, nv) = (body.q.len(), body.v.len());
        self.unit[..nv].fill(0.0);
        self.unit[k] = 1.0;
        body.joint.q_dot(q, &self.unit[..nv], &mut self.rate[..nq]);
        for (to, (re, eps)) in self.q.iter_mut().zip(q.iter().zip(&self.rate)) {
            *to = Dual64::new(*re, *eps);
        }
        for (to, re) in self.v.iter_mut().zip(v) {
            *to = Dual64::from(*re);
        }
        body.joint.motion_subspace(&self.q[..nq], &mut self.columns[..nv]);
        self.bias = body.joint.bias(&self.q[..nq], &self.v[..nv]);
    }

    /// Along `v + ε e_k`.
    #[inline(never)]
    fn by_velocity(&mut self, body: &Body, q: &[f64], v: &[f64], k: usize) {
        for (to, re) in self.q.iter_mut().zip(q) {
            *to = Dual64::from(*re);
        }
        for (to, re) in self.v.iter_mut().zip(v) {
            *to = Dual64::from(*re);
        }
        self.v[k].eps = 1.0;
        self.bias = body.joint.bias(&self.q[..q.len()], &self.v[..v.len()]);
    }
}

/// The joint's directions that are among the chunk's: the index in the joint, and the lane.
#[inline(always)]
fn directions(body: &Body, chunk: &Chunk) -> impl Iterator<Item = (usize, usize)> {
    let (first, dofs) = (body.v.start, chunk.dofs.clone());
    body.v.clone().filter(move |dof| dofs.contains(dof)).map(move |dof| (dof - first, dof - chunk.dofs.start))
}

/// Adds the derivatives along the chunk's configurations to the columns of a joint and to its bias. These are in the axes and
/// about the origin that the body has the pose `x` in; what varies are their coordinates in the body.
#[inline(always)]
pub(super) fn vary_by_configuration<R: Register>(
    body: &Body,
    chunk: &Chunk,
    (q, v): (&[f64], &[f64]),
    x: &Transform<f64>,
    jet: &mut Jet,
    columns: &mut [Motion<StateDual<R>>],
    bias: &mut Motion<StateDual<R>>,
) {
    for (k, lane) in directions(body, chunk) {
        jet.by_configuration(body, q, v, k);
        for (from, to) in jet.columns.iter().zip(columns.iter_mut()) {
            R::call(AddMotion { from: &x.act(*from), lane, to });
        }
        R::call(AddMotion { from: &x.act(jet.bias), lane, to: bias });
    }
}

/// Adds the derivatives along the chunk's velocities to the bias of a joint, as [`vary_by_configuration`].
#[inline(always)]
pub(super) fn vary_by_velocity<R: Register>(
    body: &Body,
    chunk: &Chunk,
    (q, v): (&[f64], &[f64]),
    x: &Transform<f64>,
    jet: &mut Jet,
    bias: &mut Motion<StateDual<R>>,
) {
    for (k, lane) in directions(body, chunk) {
        jet.by_velocity(body, q, v, k);
        R::call(AddMotion { from: &x.act(jet.bias), lane, to: &mut *bias });
    }
}

/// Adds the derivative of a motion in its lane.
struct AddMotion<'a, R: Register> {
    from: &'a Motion<Dual64>,
    lane: usize,
    to: &'a mut Motion<StateDual<R>>,
}

impl<R: Register> Piece for AddMotion<'_, R> {
    type Output = ();
    #[inline(always)]
    fn run(self) {
        let Self { from, lane, to } = self;
        let lane = Lanes::unit(lane);
        let add = |to: &mut StateDual<R>, from: &Dual64| to.eps = lane.mul_plus(from.eps, to.eps);
        for (to, from) in to.linear.iter_mut().zip(from.linear.iter()) {
            add(to, from);
        }
        for (to, from) in to.angular.iter_mut().zip(from.angular.iter()) {
            add(to, from);
        }
    }
}
