//! How one joint's motion subspace and bias vary, for joints whose subspace depends on `q`.
//!
//! A joint depends on its own few coordinates only. The formulas of its kind are evaluated with [`Dual64`], one direction
//! after the other, and each derivative is put in its lane: the formulas of rare kinds are compiled once, not once for
//! each level of registers.

use super::StateDual;
use crate::joint::JointKind;
use crate::model::{Body, Model};
use crate::partials::plan::Chunk;
use crate::spatial::Motion;
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

/// Columns of a joint with their derivatives along the chunk's configurations; returns the bias, which varies with
/// velocities too.
#[inline(always)]
pub(super) fn vary_subspace<R: Register>(
    body: &Body,
    chunk: &Chunk,
    (q, v): (&[f64], &[f64]),
    jet: &mut Jet,
    columns: &mut [Motion<StateDual<R>>],
) -> Motion<StateDual<R>> {
    let mut bias = Motion::zero();
    let mut first = true;
    for dof in body.v.clone().filter(|dof| chunk.dofs.contains(dof)) {
        jet.by_configuration(body, q, v, dof - body.v.start);
        let lane = dof - chunk.dofs.start;
        for (from, to) in jet.columns.iter().zip(columns.iter_mut()) {
            R::call(AddMotion { from, register: 0, lane, first, to });
        }
        R::call(AddMotion { from: &jet.bias, register: 0, lane, first, to: &mut bias });
        first = false;
        jet.by_velocity(body, q, v, dof - body.v.start);
        R::call(AddMotion { from: &jet.bias, register: 1, lane, first, to: &mut bias });
    }
    bias
}

/// Puts the derivatives of a motion in their lane; the first one brings the value and clears the other lanes.
struct AddMotion<'a, R: Register> {
    from: &'a Motion<Dual64>,
    /// 0 for configurations, 1 for velocities.
    register: usize,
    lane: usize,
    first: bool,
    to: &'a mut Motion<StateDual<R>>,
}

impl<R: Register> Piece for AddMotion<'_, R> {
    type Output = ();
    #[inline(always)]
    fn run(self) {
        let Self { from, register, lane, first, to } = self;
        let lane = Lanes::unit(lane);
        let add = |to: &mut StateDual<R>, from: &Dual64| {
            if first {
                *to = StateDual::from(from.re);
            }
            to.eps[register] = lane.mul_plus(from.eps, to.eps[register]);
        };
        for (to, from) in to.linear.iter_mut().zip(from.linear.iter()) {
            add(to, from);
        }
        for (to, from) in to.angular.iter_mut().zip(from.angular.iter()) {
            add(to, from);
        }
    }
}
