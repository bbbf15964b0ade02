//! Where bodies and their columns are, in the axes of the world about a point `O` of each tree.
//!
//! `O` is the origin of the body **at the root**, or of a body that this only shifts ([`origin`]).
//!
//! Quantities of bodies of one tree can be summed up there as in coordinates of the world, and no digits are lost when a
//! robot has gone far from the world's origin.
use super::{ExternalWrench, Workspace, WrenchFrame, step};

use crate::at_level::at_level;
use crate::joint::{Axis, Elementary, Joint};
use crate::model::{Body, Model};
use crate::plan::origin;
use crate::spatial::{Force, InertiaAboutOrigin, Motion, Transform, vector as v3};
use gradyn_derivatives::simd::Piece;
use gradyn_derivatives::{Real, Scalar};
use nalgebra::Vector3;

/// Poses, columns and inertias in coordinates of `O`.
#[derive(Clone, Debug)]
pub(crate) struct Rooted<T> {
    /// The body at the root of each one's tree.
    root: Vec<usize>,
    /// The first of the bodies that `O` goes along with, up to each of them; the body itself for the others.
    trunk: Vec<usize>,
    /// `O` in the world, at the bodies at roots.
    pub(crate) origin: Vec<Vector3<T>>,
    /// Pose of each body.
    pub(crate) pose: Vec<Transform<T>>,
    /// Columns of the motion subspaces; those of body `i` start at `Workspace::first[i]`.
    pub(crate) columns: Vec<Motion<T>>,
    /// Inertia of each body.
    pub(crate) inertia: Vec<InertiaAboutOrigin<T>>,
    /// Velocity of each body.
    pub(crate) velocity: Vec<Motion<T>>,
    /// Spatial acceleration of each body while no joint accelerates.
    pub(crate) drift: Vec<Motion<T>>,
}

impl<T> Default for Rooted<T> {
    fn default() -> Self {
        Self {
            root: Vec::new(),
            trunk: Vec::new(),
            origin: Vec::new(),
            pose: Vec::new(),
            columns: Vec::new(),
            inertia: Vec::new(),
            velocity: Vec::new(),
            drift: Vec::new(),
        }
    }
}

impl<T: Real> Rooted<T> {
    pub(crate) fn size<P: Real>(&mut self, model: &Model<P>, columns: usize) {
        let n = model.bodies.len();
        if self.root.len() == n {
            return;
        }
        for (i, body) in model.bodies.iter().enumerate() {
            self.root.push(body.parent.map_or(i, |p| self.root[p]));
        }
        self.trunk = origin::trunks(&model.bodies);
        self.origin = vec![v3::zero(); n];
        self.pose = vec![Transform::identity(); n];
        self.columns = vec![Motion::zero(); columns];
        self.inertia = vec![InertiaAboutOrigin::zero(); n];
    }

    pub(crate) fn size_motions(&mut self, bodies: usize) {
        self.velocity.resize(bodies, Motion::zero());
        self.drift.resize(bodies, Motion::zero());
    }

    /// A wrench on a body, from the coordinates that it is given in.
    #[inline(always)]
    pub(crate) fn wrench<U: Scalar<T>>(&self, body: usize, frame: WrenchFrame, wrench: Force<U>) -> Force<U> {
        match frame {
            WrenchFrame::Body => self.pose[body].act(wrench),
            WrenchFrame::World => wrench.shifted::<T>(self.origin(body)),
        }
    }

    /// Subtracts wrenches from the forces that the bodies need.
    #[inline(always)]
    pub(crate) fn subtract(&self, wrenches: &[ExternalWrench<T>], force: &mut [Force<T>])
    where
        T: Scalar<T>,
    {
        for w in wrenches {
            force[w.body.index()] -= self.wrench(w.body.index(), w.frame, w.wrench);
        }
    }

    /// Shifts `O` to the body `i`, and the bodies that it hangs from with it. Columns of bodies that only translate stay.
    #[inline(never)]
    fn take_origin<P: Real>(&mut self, model: &Model<P>, i: usize, inertias: bool)
    where
        T: Scalar<P>,
    {
        let shift = self.pose[i].translation;
        let origin = &mut self.origin[self.root[i]];
        *origin = v3::add(*origin, shift);
        for k in self.trunk[i]..=i {
            let pose = &mut self.pose[k];
            pose.translation = if k == i { v3::zero() } else { v3::sub(pose.translation, shift) };
            if inertias {
                self.inertia[k] = pose.act(model.bodies[k].inertia.lift::<T>()).into();
            }
        }
    }

    /// Sets where `O` is in the world, for the tree that a body belongs to.
    pub(crate) fn set_origin(&mut self, body: usize, origin: Vector3<T>) {
        self.origin[self.root[body]] = origin;
    }

    /// Where `O` is in the world, for the tree that a body belongs to.
    #[inline(always)]
    pub(crate) fn origin(&self, body: usize) -> Vector3<T> {
        self.origin[self.root[body]]
    }
}

/// Places all bodies, their columns and their inertias.
#[inline(always)]
pub(crate) fn place<P: Real, T: Scalar<P>>(model: &Model<P>, ws: &mut Workspace<T>, q: &[T]) {
    place_all(model, ws, q, true);
}

/// [`place`] without inertias.
#[inline(always)]
pub(crate) fn place_columns<P: Real, T: Scalar<P>>(model: &Model<P>, ws: &mut Workspace<T>, q: &[T]) {
    place_all(model, ws, q, false);
}

#[inline(always)]
fn place_all<P: Real, T: Scalar<P>>(model: &Model<P>, ws: &mut Workspace<T>, q: &[T], inertias: bool) {
    let Workspace { x_pb, columns, trig, first, rooted, dof, .. } = ws;
    rooted.size(model, dof.len());
    for (i, body) in model.bodies.iter().enumerate() {
        let columns = &mut columns[first[i]..][..body.v.len()];
        let (x_pb, trig) = (&mut x_pb[i], &mut trig[i]);
        T::call(step::Pose { body, q: &q[body.q.clone()], columns: &mut *columns, trig, x_pb: &mut *x_pb });
        T::call(Carry { body, i, x_pb, columns, first: first[i], inertias, rooted: &mut *rooted });
        if rooted.trunk[i] < i {
            rooted.take_origin(model, i, inertias);
        }
    }
}

at_level! {
    /// Velocities of all bodies, `v_i = v_λ + S_i q̇`, and accelerations without `q̈`, `a_i = a_λ + v_i × S_i q̇ + c_i`; after
    /// [`place`].
    #[inline(never)]
    pub(crate) fn drive<P: Real, T: Scalar<P>>(model: &Model<P>, ws: &mut Workspace<T>, q: &[T], v: &[T]) {
        let Workspace { rooted, first, .. } = ws;
        rooted.size_motions(model.bodies.len());
        for (i, body) in model.bodies.iter().enumerate() {
            let v = &v[body.v.clone()];
            let mut own = Motion::zero();
            for (column, v) in rooted.columns[first[i]..].iter().zip(v) {
                own = column.times_plus(*v, own);
            }
            let (v_p, mut a) = match body.parent {
                Some(p) => (rooted.velocity[p], rooted.drift[p]),
                None => (Motion::zero(), Motion::zero()),
            };
            if body.subspace_varies {
                a += rooted.pose[i].act(step::bias(body, &q[body.q.clone()], v));
            }
            let v_i = v_p + own;
            (rooted.velocity[i], rooted.drift[i]) = (v_i, a + v_i.cross(own));
        }
    }
}

at_level! {
    /// From the leaves to the root: `τ_i = S_iᵀ Σ φ` over the subtree of each body, of `ws.force`, which become these sums.
    pub(crate) fn carry_forces<P: Real, T: Scalar<P>>(model: &Model<P>, ws: &mut Workspace<T>) {
        let Workspace { rooted, first, force, tau, .. } = ws;
        for tau in &mut *tau {
            *tau = T::zero();
        }
        for (i, body) in model.bodies.iter().enumerate().rev() {
            let f = force[i];
            for (column, dof) in rooted.columns[first[i]..].iter().zip(body.v.clone()) {
                tau[dof] += column.power(f);
            }
            if let Some(p) = body.parent {
                force[p] += f;
            }
        }
    }
}

/// One body, from its pose in its parent.
struct Carry<'a, P, T> {
    body: &'a Body<P>,
    i: usize,
    x_pb: &'a Transform<T>,
    columns: &'a [Motion<T>],
    first: usize,
    inertias: bool,
    rooted: &'a mut Rooted<T>,
}

impl<P: Real, T: Scalar<P>> Piece for Carry<'_, P, T> {
    type Output = ();

    #[inline(always)]
    fn run(self) {
        let Self { body, i, x_pb, columns, first, inertias, rooted } = self;
        let x: Transform<T> = match body.parent {
            Some(p) => rooted.pose[p] * *x_pb,
            None => {
                rooted.origin[i] = x_pb.translation;
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
                rooted.columns[first] = Motion::new(v3::cross(x.translation, axis), axis);
            }
            _ => {
                for (to, column) in rooted.columns[first..].iter_mut().zip(columns) {
                    *to = x.act(*column);
                }
            }
        }
        if inertias {
            rooted.inertia[i] = x.act(body.inertia.lift::<T>()).into();
        }
        rooted.pose[i] = x;
    }
}
