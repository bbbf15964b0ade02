//! Poses and motions of bodies and of joint axes, in world axes about a point `O` of each tree.
//!
//! `O` is the origin of the body **at the root**, or of a body that only translates relative to it ([`origin`]).
//! Quantities of bodies of one tree can be summed there as in world coordinates, and no digits are lost if a robot is
//! far from the world's origin.
//!
//! A joint whose `S` depends on `q` is a series of stages whose `S` does not ([`JointKind::stage_end`]), with massless
//! links between them. After this split, the formulas for constant `S` hold for every joint unchanged: no `∂S/∂q`, no
//! second derivatives of joints. A [`Link`] is therefore one stage; the last one of a joint carries the body.
use super::{ExternalWrench, Workspace, WrenchFrame, step};

use crate::default_fields::default_of_fields;
use crate::joint::{Axis, Elementary, Joint, JointKind};
use crate::level::at_level;
use crate::model::{Body, Model};
use crate::plan::origin;
use crate::spatial::{Force, Inertia, InertiaAboutOrigin, Motion, Transform, vector as v3};
use gradyn_derivatives::{Real, Scalar};
use nalgebra::Vector3;
use std::ops::{AddAssign, Range};

/// One stage of a joint.
#[derive(Clone, Debug)]
pub(crate) struct Link {
    /// Its columns; counted over all bodies, mimic joints too.
    pub(crate) columns: Range<usize>,
    /// Its parent link: the stage before it, or the last one toward the root.
    pub(crate) parent: Option<usize>,
}

/// Links, columns and motion, in coordinates of `O`; empty until [`size`](Self::size).
#[derive(Clone, Debug)]
pub(crate) struct Placed<T> {
    /// In the order of the bodies, stages in order.
    pub(crate) links: Vec<Link>,
    /// The links of each body; none for a fixed joint.
    pub(crate) of_body: Vec<Range<usize>>,
    /// The last link from the root to each body, itself included.
    pub(crate) carrier: Vec<Option<usize>>,
    /// The body at the root of each one's tree.
    root: Vec<usize>,
    /// The degree of freedom that moves along each column.
    pub(crate) dof: Vec<usize>,
    /// The first of the bodies that `O` goes along with, up to each of them; the body itself for the others.
    trunk: Vec<usize>,
    /// `O` in the world, at the bodies at roots.
    origin: Vec<Vector3<T>>,
    /// Pose of each body.
    pub(crate) pose: Vec<Transform<T>>,
    /// `S`, the columns; those of body `i` start at `Workspace::first[i]`.
    pub(crate) columns: Vec<Motion<T>>,
    /// Inertia of each body; after [`weigh`].
    pub(crate) inertia: Vec<InertiaAboutOrigin<T>>,
    /// `Ψ̇ = v_λ × S`
    pub(crate) psi_dot: Vec<Motion<T>>,
    /// `Ψ̈ = a_λ × S + v_λ × Ψ̇`
    pub(crate) psi_ddot: Vec<Motion<T>>,
    /// `Ψ̇ + Ṡ`, with `Ṡ = v × S`.
    pub(crate) psi_s_dot: Vec<Motion<T>>,
    /// Velocity of each body.
    pub(crate) velocity: Vec<Motion<T>>,
    /// Spatial acceleration of each body, with that of the world.
    pub(crate) acceleration: Vec<Motion<T>>,
}

default_of_fields!(Placed: links, of_body, carrier, root, dof, trunk, origin, pose, columns, inertia, psi_dot, psi_ddot, psi_s_dot, velocity, acceleration);

impl<T: Real> Placed<T> {
    /// Makes room for the bodies and columns of a model, the first time.
    #[inline]
    pub(crate) fn size<P: Real>(&mut self, model: &Model<P>) {
        if self.root.len() != model.bodies.len() {
            self.take_apart(model);
        }
    }

    #[inline(never)]
    fn take_apart<P: Real>(&mut self, model: &Model<P>) {
        let n = model.bodies.len();
        for (i, body) in model.bodies.iter().enumerate() {
            let (first, column) = (self.links.len(), self.dof.len());
            let mut parent: Option<usize> = body.parent.and_then(|p| self.carrier[p]);
            let mut k = 0;
            while k < body.v.len() {
                let end = body.joint.stage_end(k);
                self.links.push(Link { columns: column + k..column + end, parent });
                parent = Some(self.links.len() - 1);
                k = end;
            }
            self.dof.extend(body.v.clone());
            self.of_body.push(first..self.links.len());
            self.carrier.push(parent);
            self.root.push(body.parent.map_or(i, |p| self.root[p]));
        }
        self.trunk = origin::trunks(&model.bodies);
        self.origin = vec![v3::zero(); n];
        self.pose = vec![Transform::identity(); n];
        self.inertia = vec![InertiaAboutOrigin::zero(); n];
        for of_bodies in [&mut self.velocity, &mut self.acceleration] {
            *of_bodies = vec![Motion::zero(); n];
        }
        for of_columns in [&mut self.columns, &mut self.psi_dot, &mut self.psi_ddot, &mut self.psi_s_dot] {
            *of_columns = vec![Motion::zero(); self.dof.len()];
        }
    }

    /// Shifts `O` to the body `i`, and its ancestors with it. Columns and motions of bodies that only
    /// translate stay.
    #[inline(never)]
    fn take_origin(&mut self, i: usize) {
        let shift = self.pose[i].translation;
        let origin = &mut self.origin[self.root[i]];
        *origin = v3::add(*origin, shift);
        for pose in &mut self.pose[self.trunk[i]..i] {
            pose.translation = v3::sub(pose.translation, shift);
        }
        self.pose[i].translation = v3::zero();
    }

    /// Where `O` is in the world, for the tree that a body belongs to; zero, if there is no body.
    #[inline(always)]
    pub(crate) fn origin(&self, body: usize) -> Vector3<T> {
        match self.root.get(body) {
            Some(root) => self.origin[*root],
            None => v3::zero(),
        }
    }

    /// Sets it.
    pub(crate) fn set_origin(&mut self, body: usize, origin: Vector3<T>) {
        self.origin[self.root[body]] = origin;
    }

    /// The origin of the first tree, from that of the tree that a body belongs to: zero for a robot with one root.
    #[inline(always)]
    pub(crate) fn first_from(&self, body: usize) -> Vector3<T> {
        v3::sub(self.origin(0), self.origin(body))
    }

    /// The columns of the links of a body.
    #[inline(always)]
    pub(crate) fn columns_of(&self, body: usize) -> Range<usize> {
        let links = &self.links[self.of_body[body].clone()];
        match (links.first(), links.last()) {
            (Some(first), Some(last)) => first.columns.start..last.columns.end,
            _ => 0..0,
        }
    }

    /// The columns of the links from one to the root, itself first.
    #[inline(always)]
    pub(crate) fn path(&self, link: Option<usize>) -> impl Iterator<Item = &Link> {
        std::iter::successors(link.map(|i| &self.links[i]), |link| link.parent.map(|i| &self.links[i]))
    }

    /// Inertia of a body.
    #[inline(always)]
    pub(crate) fn inertia<P: Real>(&self, body: &Body<P>, i: usize) -> Inertia<T>
    where
        T: Scalar<P>,
    {
        self.pose[i].act(body.inertia.lift())
    }

    /// A wrench that keeps its coordinates in the world, here.
    #[inline(always)]
    pub(crate) fn standing(&self, body: usize, wrench: Force<T>) -> Force<T> {
        wrench.shifted::<T>(self.origin(body))
    }

    /// Subtracts wrenches from the forces that the bodies need.
    #[inline(always)]
    pub(crate) fn subtract(&self, wrenches: &[ExternalWrench<T>], force: &mut [Force<T>]) {
        for w in wrenches {
            let b = w.body.index();
            force[b] -= match w.frame {
                WrenchFrame::Body => self.pose[b].act(w.wrench),
                WrenchFrame::World => self.standing(b, w.wrench),
            };
        }
    }
}

/// What each body brings, summed up over its subtree.
#[inline(always)]
pub(crate) fn sum_subtrees<P: Real, X: Copy + AddAssign>(model: &Model<P>, of_bodies: &mut [X]) {
    for (i, body) in model.bodies.iter().enumerate().rev() {
        if let Some(p) = body.parent {
            let x = of_bodies[i];
            of_bodies[p] += x;
        }
    }
}

/// Places all bodies and their columns; lengths have been checked.
#[inline(always)]
pub(crate) fn place<P: Real, T: Scalar<P>>(model: &Model<P>, ws: &mut Workspace<T>, q: &[T]) {
    let Workspace { x_pb, columns, trig, first, placed, .. } = ws;
    placed.size(model);
    for (i, body) in model.bodies.iter().enumerate() {
        let columns = &mut columns[first[i]..][..body.v.len()];
        let (x_pb, trig) = (&mut x_pb[i], &mut trig[i]);
        T::call(step::Pose { body, q: &q[body.q.clone()], columns: &mut *columns, trig, x_pb: &mut *x_pb });
        carry(body, i, x_pb, columns, first[i], placed);
        if placed.trunk[i] < i {
            placed.take_origin(i);
        }
    }
}

at_level! {
    /// Inertias of all bodies; after [`place`].
    #[inline(never)]
    pub(crate) fn weigh<P: Real, T: Scalar<P>>(model: &Model<P>, placed: &mut Placed<T>) {
        for (i, body) in model.bodies.iter().enumerate() {
            placed.inertia[i] = placed.inertia(body, i).into();
        }
    }
}

/// Places all bodies, their columns and their inertias.
#[inline(always)]
pub(crate) fn place_inertias<P: Real, T: Scalar<P>>(model: &Model<P>, ws: &mut Workspace<T>, q: &[T]) {
    place(model, ws, q);
    weigh(model, &mut ws.placed);
}

/// Places and moves all links at `(q, v, a)`, the world accelerating at `a_0`.
///
/// Returns the links, and the rest of the workspace's columns untouched; lengths have been checked.
#[inline(always)]
pub(crate) fn update<'w, P: Real, T: Scalar<P>>(
    model: &Model<P>,
    ws: &'w mut Workspace<T>,
    a_0: Motion<T>,
    (q, v, a): (&[T], &[T], &[T]),
) -> &'w mut Placed<T> {
    place(model, ws, q);
    drive(model, &mut ws.placed, a_0, v, a);
    &mut ws.placed
}

/// How bodies move at a velocity while no joint accelerates and the world is still; after [`place`].
pub(crate) fn drift<P: Real, T: Scalar<P>>(model: &Model<P>, ws: &mut Workspace<T>, v: &[T]) {
    ws.zeros.resize(model.nv, T::zero());
    drive(model, &mut ws.placed, Motion::zero(), v, &ws.zeros);
}

at_level! {
    /// Velocities and accelerations of all links, and how their columns move; after [`place`].
    #[inline(never)]
    fn drive<P: Real, T: Scalar<P>>(model: &Model<P>, placed: &mut Placed<T>, a_0: Motion<T>, v: &[T], a: &[T]) {
        for (i, body) in model.bodies.iter().enumerate() {
            let (mut v_i, mut a_i) = match body.parent {
                Some(p) => (placed.velocity[p], placed.acceleration[p]),
                None => (Motion::zero(), a_0),
            };
            let (v, a) = (&v[body.v.clone()], &a[body.v.clone()]);
            let mut local = 0;
            for link in placed.of_body[i].clone() {
                let own = placed.links[link].columns.clone();
                let (mut s_v, mut s_a) = (Motion::zero(), Motion::zero());
                for k in own.clone() {
                    let s: Motion<T> = placed.columns[k];
                    let psi_dot = v_i.cross(s);
                    placed.psi_ddot[k] = a_i.cross_plus(s, v_i.cross(psi_dot));
                    placed.psi_dot[k] = psi_dot;
                    s_v = s.times_plus(v[local], s_v);
                    s_a = s.times_plus(a[local], s_a);
                    local += 1;
                }
                v_i += s_v; //                                  v_i = v_λ + S q̇
                a_i = a_i + s_a + v_i.cross(s_v); //            a_i = a_λ + S q̈ + v_i × S q̇
                for k in own {
                    placed.psi_s_dot[k] = placed.psi_dot[k] + v_i.cross(placed.columns[k]);
                }
            }
            (placed.velocity[i], placed.acceleration[i]) = (v_i, a_i);
        }
    }

    /// From the leaves to the root: `τ_i = S_iᵀ Σ φ` over the subtree of each body, of `ws.force`, which become these
    /// sums.
    pub(crate) fn carry_forces<P: Real, T: Scalar<P>>(model: &Model<P>, ws: &mut Workspace<T>) {
        let Workspace { placed, first, force, tau, .. } = ws;
        for tau in &mut *tau {
            *tau = T::zero();
        }
        for (i, body) in model.bodies.iter().enumerate().rev() {
            let f = force[i];
            for (column, dof) in placed.columns[first[i]..].iter().zip(body.v.clone()) {
                tau[dof] += column.power(f);
            }
            if let Some(p) = body.parent {
                force[p] += f;
            }
        }
    }

    /// One body, from its pose in its parent.
    #[inline(always)]
    fn carry<P: Real, T: Scalar<P>>(
        body: &Body<P>,
        i: usize,
        x_pb: &Transform<T>,
        columns: &[Motion<T>],
        first: usize,
        placed: &mut Placed<T>,
    ) {
        let x: Transform<T> = match body.parent {
            Some(p) => placed.pose[p] * *x_pb,
            None => {
                placed.origin[i] = x_pb.translation;
                Transform::new(x_pb.rotation, v3::zero())
            }
        };
        match &body.joint {
            // A turning body: the axis through its origin.
            Joint::Elementary(Elementary::Revolute(joint)) => {
                let axis = match joint.axis {
                    Axis::X => v3::column(&x.rotation, 0),
                    Axis::Y => v3::column(&x.rotation, 1),
                    Axis::Z => v3::column(&x.rotation, 2),
                    Axis::Any(_) => v3::rotate(&x.rotation, columns[0].angular),
                };
                placed.columns[first] = Motion::new(v3::cross(x.translation, axis), axis);
            }
            _ => {
                for (to, column) in placed.columns[first..].iter_mut().zip(columns) {
                    *to = x.act(*column);
                }
            }
        }
        placed.pose[i] = x;
    }
}
