//! The tree as links whose motion subspaces are constant, and how their columns move.
//!
//! A joint whose `S` depends on `q` is a row of stages whose `S` does not ([`JointKind::stage_end`]), with nothing between
//! them that weighs anything. Taken apart like that, the formulas for constant `S` hold for every joint as they stand:
//! no `∂S/∂q`, no second derivatives of joints. So a [`Link`] is one stage; the last one of a joint carries the body.
//!
//! Coordinates are the world's axes about the origin of the body **at the root**, `O`: quantities of bodies of one tree
//! can be summed up, and no digits are lost when a robot has gone far from the origin of the world.
use super::{Workspace, step};

use crate::joint::JointKind;
use crate::model::{Body, Model};
use crate::plan::origin;
use crate::spatial::{Force, Inertia, Motion, Transform, vector as v3};
use gradyn_derivatives::simd::Piece;
use gradyn_derivatives::{Real, Scalar};
use nalgebra::Vector3;
use std::ops::{AddAssign, Range};

/// One stage of a joint.
#[derive(Clone, Debug)]
pub(crate) struct Link {
    /// Its columns; counted over all bodies, mimic joints too.
    pub(crate) columns: Range<usize>,
    /// The link that it hangs from: the stage before it, or the last one towards the root.
    pub(crate) parent: Option<usize>,
}

/// Links, columns and motion, in coordinates of `O`.
#[derive(Clone, Debug)]
pub(crate) struct Links<T> {
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
    /// Pose of each body.
    pub(crate) pose: Vec<Transform<T>>,
    /// The first of the bodies that `O` goes along with, up to each of them; the body itself for the others.
    trunk: Vec<usize>,
    /// `O` in the world, at the bodies at roots.
    pub(crate) origin: Vec<Vector3<T>>,
    /// `S`, the columns.
    pub(crate) columns: Vec<Motion<T>>,
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

impl<T: Real> Links<T> {
    #[inline(never)]
    pub(crate) fn new<P: Real>(model: &Model<P>) -> Self
    where
        T: Scalar<P>,
    {
        let n = model.bodies.len();
        let (mut links, mut dof) = (Vec::<Link>::new(), Vec::new());
        let (mut of_body, mut carrier, mut root) =
            (Vec::with_capacity(n), Vec::with_capacity(n), Vec::with_capacity(n));
        for (i, body) in model.bodies.iter().enumerate() {
            let (first, column) = (links.len(), dof.len());
            let mut parent: Option<usize> = body.parent.and_then(|p| carrier[p]);
            let mut k = 0;
            while k < body.v.len() {
                let end = body.joint.stage_end(k);
                links.push(Link { columns: column + k..column + end, parent });
                parent = Some(links.len() - 1);
                k = end;
            }
            dof.extend(body.v.clone());
            of_body.push(first..links.len());
            carrier.push(parent);
            root.push(body.parent.map_or(i, |p| root[p]));
        }
        let columns = vec![Motion::zero(); dof.len()];
        Self {
            links,
            of_body,
            carrier,
            root,
            trunk: origin::trunks(&model.bodies),
            dof,
            pose: vec![Transform::identity(); n],
            origin: vec![v3::zero(); n],
            psi_dot: columns.clone(),
            psi_ddot: columns.clone(),
            psi_s_dot: columns.clone(),
            columns,
            velocity: vec![Motion::zero(); n],
            acceleration: vec![Motion::zero(); n],
        }
    }

    /// Shifts `O` to the body `i`, and the bodies that it hangs from with it. Columns and motions of bodies that only translate stay.
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

/// Places and moves all links at `(q, v, a)`, the world accelerating at `a_0`.
///
/// Returns the links, and the rest of the workspace's columns untouched; lengths have been checked.
#[inline(always)]
pub(crate) fn update<'w, P: Real, T: Scalar<P>>(
    model: &Model<P>,
    ws: &'w mut Workspace<T>,
    a_0: Motion<T>,
    (q, v, a): (&[T], &[T], &[T]),
) -> &'w mut Links<T> {
    let Workspace { x_pb, columns, trig, first, links, .. } = ws;
    let links = &mut **links.get_or_insert_with(|| Box::new(Links::new(model)));
    for (i, body) in model.bodies.iter().enumerate() {
        let columns = &mut columns[first[i]..][..body.v.len()];
        let (x_pb, trig) = (&mut x_pb[i], &mut trig[i]);
        T::call(step::Pose { body, q: &q[body.q.clone()], columns: &mut *columns, trig, x_pb: &mut *x_pb });
        let (v, a) = (&v[body.v.clone()], &a[body.v.clone()]);
        T::call(Outward { body, i, x_pb, columns, a_0, v, a, links: &mut *links });
        if links.trunk[i] < i {
            links.take_origin(i);
        }
    }
    links
}

/// One body: its pose, and the motion of its links.
struct Outward<'a, P, T> {
    body: &'a Body<P>,
    i: usize,
    x_pb: &'a Transform<T>,
    columns: &'a [Motion<T>],
    a_0: Motion<T>,
    v: &'a [T],
    a: &'a [T],
    links: &'a mut Links<T>,
}

impl<P: Real, T: Scalar<P>> Piece for Outward<'_, P, T> {
    type Output = ();
    #[inline(always)]
    fn run(self) {
        let Self { body, i, x_pb, columns, a_0, v, a, links } = self;
        let (x, mut v_i, mut a_i) = match body.parent {
            Some(p) => (links.pose[p] * *x_pb, links.velocity[p], links.acceleration[p]),
            None => {
                links.origin[i] = x_pb.translation;
                (Transform::new(x_pb.rotation, v3::zero()), Motion::zero(), a_0)
            }
        };
        let mut local = 0;
        for link in links.of_body[i].clone() {
            let (own, first) = (links.links[link].columns.clone(), local);
            let (mut s_v, mut s_a) = (Motion::zero(), Motion::zero());
            for k in own.clone() {
                let s: Motion<T> = x.act(columns[local]);
                let psi_dot = v_i.cross(s);
                links.psi_ddot[k] = a_i.cross_plus(s, v_i.cross(psi_dot));
                (links.columns[k], links.psi_dot[k]) = (s, psi_dot);
                s_v = s.times_plus(v[local], s_v);
                s_a = s.times_plus(a[local], s_a);
                local += 1;
            }
            debug_assert_eq!(local - first, own.len());
            v_i += s_v; //                                  v_i = v_λ + S q̇
            a_i = a_i + s_a + v_i.cross(s_v); //            a_i = a_λ + S q̈ + v_i × S q̇
            for k in own {
                links.psi_s_dot[k] = links.psi_dot[k] + v_i.cross(links.columns[k]);
            }
        }
        (links.pose[i], links.velocity[i], links.acceleration[i]) = (x, v_i, a_i);
    }
}
