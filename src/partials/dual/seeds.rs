//! Where derivatives begin: arguments that vary along the degrees of freedom of a chunk, one a lane.

use super::reach::Chunk;
use crate::joint::JointKind;
use crate::model::Model;
use gradyn_derivatives::{Lanes, MulAdd, Register, VectorDual};

/// The arguments. All of `v` and `a` is constant, but for what varies; of `q` there is only what varies.
pub(super) struct Seeds<R: Register> {
    pub(super) q: Vec<VectorDual<R>>,
    pub(super) v: Vec<VectorDual<R>>,
    pub(super) a: Vec<VectorDual<R>>,
    /// A velocity of one joint, and how its coordinates change then.
    unit: Vec<f64>,
    rate: Vec<f64>,
}

impl<R: Register> Seeds<R> {
    pub(super) fn new(model: &Model) -> Self {
        let zeros = |n| vec![VectorDual::from(0.0); n];
        Self {
            q: zeros(model.nq),
            v: zeros(model.nv),
            a: zeros(model.nv),
            unit: vec![0.0; model.nv],
            rate: vec![0.0; model.nq],
        }
    }

    /// Constant velocities and accelerations.
    #[inline(always)]
    pub(super) fn hold(&mut self, v: &[f64], a: &[f64]) {
        for (to, x) in self.v.iter_mut().zip(v).chain(self.a.iter_mut().zip(a)) {
            *to = VectorDual::from(*x);
        }
    }

    /// `q ⊕ ε e_k`: the coordinates of a joint change by `ε G(q) e_k` ([`JointKind::q_dot`]).
    #[inline(always)]
    pub(super) fn vary_configuration(&mut self, model: &Model, chunk: &Chunk, q: &[f64]) {
        for body in chunk.owners.iter().map(|i| &model.bodies[*i]) {
            let (q, to) = (&q[body.q.clone()], &mut self.q[body.q.clone()]);
            let (unit, rate) = (&mut self.unit[body.v.clone()], &mut self.rate[body.q.clone()]);
            for (to, x) in to.iter_mut().zip(q) {
                *to = VectorDual::from(*x);
            }
            for dof in body.v.clone().filter(|dof| chunk.dofs.contains(dof)) {
                unit[dof - body.v.start] = 1.0;
                JointKind::<f64>::q_dot(&body.joint, q, unit, rate);
                unit[dof - body.v.start] = 0.0;
                let lane = Lanes::unit(dof - chunk.dofs.start);
                for (to, rate) in to.iter_mut().zip(&*rate) {
                    to.eps = lane.mul_plus(*rate, to.eps);
                }
            }
        }
    }

    /// `v + ε e_k`
    #[inline(always)]
    pub(super) fn vary_velocity(&mut self, chunk: &Chunk) {
        vary(&mut self.v[chunk.dofs.clone()]);
    }

    #[inline(always)]
    pub(super) fn hold_velocity(&mut self, chunk: &Chunk) {
        hold(&mut self.v[chunk.dofs.clone()]);
    }

    /// `a + ε e_k`
    #[inline(always)]
    pub(super) fn vary_acceleration(&mut self, chunk: &Chunk) {
        vary(&mut self.a[chunk.dofs.clone()]);
    }

    #[inline(always)]
    pub(super) fn hold_acceleration(&mut self, chunk: &Chunk) {
        hold(&mut self.a[chunk.dofs.clone()]);
    }
}

#[inline(always)]
fn vary<R: Register>(x: &mut [VectorDual<R>]) {
    for (lane, x) in x.iter_mut().enumerate() {
        x.eps = Lanes::unit(lane);
    }
}

#[inline(always)]
fn hold<R: Register>(x: &mut [VectorDual<R>]) {
    for x in x {
        x.eps = Lanes(R::splat(0.0));
    }
}
