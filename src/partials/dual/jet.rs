//! One joint with its derivatives in one direction at a time.
//!
//! A joint depends on its own few coordinates only. The formulas of its kind are evaluated with [`Dual64`], one direction
//! after the other, and each derivative is put in its lane: the formulas of rare kinds are compiled once, not once for
//! each level of registers. For the revolute joint they are written out.

use crate::dynamics::step;
use crate::joint::{Elementary, Joint, JointKind, Revolute};
use crate::model::{Body, Model};
use crate::partials::plan::Chunk;
use crate::spatial::{Motion, Transform};
use gradyn_derivatives::num_dual::Dual64;
use gradyn_derivatives::simd::{Piece, Register};
use gradyn_derivatives::{Lanes, MulAdd, VectorDual};

/// Pose, columns and bias of one joint with their derivatives in one direction.
pub(super) struct Jet {
    q: Vec<Dual64>,
    v: Vec<Dual64>,
    unit: Vec<f64>,
    rate: Vec<f64>,
    x_pb: Transform<Dual64>,
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
            x_pb: Transform::identity(),
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
        self.x_pb = body.placement * body.joint.pose(&self.q[..nq]);
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

/// Pose and columns of a joint that the chunk's directions move, with their derivatives along them; returns the bias.
#[inline(always)]
pub(super) fn vary_joint<R: Register>(
    body: &Body,
    chunk: &Chunk,
    (q, v): (&[f64], &[f64]),
    (sin, cos): (f64, f64),
    jet: &mut Jet,
    x_pb: &mut Transform<VectorDual<R>>,
    columns: &mut [Motion<VectorDual<R>>],
) -> Motion<VectorDual<R>> {
    if let Joint::Elementary(Elementary::Revolute(joint)) = &body.joint {
        // d sin = cos, d cos = −sin
        let along = Lanes::unit(body.v.start - chunk.dofs.start);
        let trig = (VectorDual::new(sin.into(), along * cos), VectorDual::new(cos.into(), along * -sin));
        R::call(RevolutePose { joint, placement: &body.placement, trig, x_pb });
        return Motion::zero();
    }
    let mut bias = Motion::zero();
    let mut first = true;
    for dof in body.v.clone().filter(|dof| chunk.dofs.contains(dof)) {
        jet.by_configuration(body, q, v, dof - body.v.start);
        let lane = dof - chunk.dofs.start;
        R::call(AddJet { jet, lane, first, x_pb: &mut *x_pb, columns: &mut *columns });
        R::call(AddMotion { from: &jet.bias, lane, first, to: &mut bias });
        first = false;
    }
    bias
}

/// Bias of a joint with its derivatives along the chunk's velocities.
#[inline(always)]
pub(super) fn vary_bias<R: Register>(
    body: &Body,
    chunk: &Chunk,
    (q, v): (&[f64], &[f64]),
    jet: &mut Jet,
) -> Motion<VectorDual<R>> {
    let mut bias = Motion::zero();
    let mut first = true;
    for dof in body.v.clone().filter(|dof| chunk.dofs.contains(dof)) {
        jet.by_velocity(body, q, v, dof - body.v.start);
        R::call(AddMotion { from: &jet.bias, lane: dof - chunk.dofs.start, first, to: &mut bias });
        first = false;
    }
    bias
}

/// The pose of a revolute joint.
struct RevolutePose<'a, R: Register> {
    joint: &'a Revolute,
    placement: &'a Transform<f64>,
    trig: (VectorDual<R>, VectorDual<R>),
    x_pb: &'a mut Transform<VectorDual<R>>,
}

impl<R: Register> Piece for RevolutePose<'_, R> {
    type Output = ();
    #[inline(always)]
    fn run(self) {
        *self.x_pb = step::revolute_pose(self.joint, self.placement, self.trig);
    }
}

/// Puts the derivatives of pose and columns in their lane.
struct AddJet<'a, R: Register> {
    jet: &'a Jet,
    lane: usize,
    first: bool,
    x_pb: &'a mut Transform<VectorDual<R>>,
    columns: &'a mut [Motion<VectorDual<R>>],
}

impl<R: Register> Piece for AddJet<'_, R> {
    type Output = ();
    #[inline(always)]
    fn run(self) {
        let Self { jet, lane, first, x_pb, columns } = self;
        for (to, from) in x_pb.rotation.iter_mut().zip(jet.x_pb.rotation.iter()) {
            add(to, *from, lane, first);
        }
        for (to, from) in x_pb.translation.iter_mut().zip(jet.x_pb.translation.iter()) {
            add(to, *from, lane, first);
        }
        for (to, from) in columns.iter_mut().zip(&jet.columns) {
            add_motion(to, from, lane, first);
        }
    }
}

/// Puts the derivatives of a motion in their lane.
struct AddMotion<'a, R: Register> {
    from: &'a Motion<Dual64>,
    lane: usize,
    first: bool,
    to: &'a mut Motion<VectorDual<R>>,
}

impl<R: Register> Piece for AddMotion<'_, R> {
    type Output = ();
    #[inline(always)]
    fn run(self) {
        add_motion(self.to, self.from, self.lane, self.first);
    }
}

#[inline(always)]
fn add_motion<R: Register>(to: &mut Motion<VectorDual<R>>, from: &Motion<Dual64>, lane: usize, first: bool) {
    for (to, from) in to.linear.iter_mut().zip(from.linear.iter()) {
        add(to, *from, lane, first);
    }
    for (to, from) in to.angular.iter_mut().zip(from.angular.iter()) {
        add(to, *from, lane, first);
    }
}

/// Puts a derivative in its lane; the first one brings the value and clears the other lanes.
#[inline(always)]
fn add<R: Register>(to: &mut VectorDual<R>, from: Dual64, lane: usize, first: bool) {
    if first {
        *to = VectorDual::from(from.re);
    }
    to.eps = Lanes::unit(lane).mul_plus(from.eps, to.eps);
}
