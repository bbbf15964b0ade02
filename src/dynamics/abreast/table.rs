//! The constants of a tree of hinges, in axes whose third is that of the hinge.

use super::moments::Mass;
use crate::dynamics::wide::turned_axes;
use crate::joint::{Elementary, Joint};
use crate::model::Model;
use crate::spatial::{Inertia, Motion, Transform, vector as v3};
use gradyn_derivatives::simd::WIDTH;
use gradyn_derivatives::{Real, Scalar};
use nalgebra::{Matrix3, Vector3};

/// A robot whose joints are hinges with one coordinate; bodies at a root may be free.
#[derive(Clone, Debug)]
pub(crate) struct Table {
    /// In the order of the model's bodies.
    pub(crate) steps: Vec<Step>,
    /// Degrees of freedom.
    pub(crate) nv: usize,
    /// Of each eight entries of a matrix of nv × nv, column by column: does the tree leave one of them other than zero?
    pub(crate) filled: Vec<bool>,
}

/// One body.
#[derive(Clone, Debug)]
pub(crate) struct Step {
    pub(crate) parent: Option<usize>,
    /// Is its joint a hinge, not free?
    pub(crate) hinge: bool,
    /// Where its coordinates and its velocities begin.
    pub(crate) q: usize,
    pub(crate) v: usize,
    /// Pose in the parent at `q = 0`.
    pub(crate) rotation: Matrix3<f64>,
    pub(crate) translation: Vector3<f64>,
    /// About the body's origin.
    pub(super) mass: Mass<f64>,
}

impl Table {
    /// The constants; `None` if some joint is of another kind.
    pub(crate) fn new(model: &Model) -> Option<Self> {
        let axes = model.bodies.iter().map(|body| match &body.joint {
            Joint::Elementary(Elementary::Revolute(_)) => Some(turned_axes(&body.joint)),
            Joint::Elementary(Elementary::FreeFlyer(_)) if body.parent.is_none() => Some(turned_axes(&body.joint)),
            _ => None,
        });
        let axes = axes.collect::<Option<Vec<_>>>()?;
        let steps = model.bodies.iter().zip(&axes).map(|(body, own)| {
            let outside = body.parent.map_or_else(Matrix3::identity, |p| axes[p].transpose());
            let [outside, own] = [outside, *own].map(Transform::from_rotation);
            let pose = outside * body.placement * own;
            let inertia: Inertia<f64> = own.inv_act(body.inertia);
            Step {
                parent: body.parent,
                hinge: body.v.len() == 1,
                q: body.q.start,
                v: body.v.start,
                rotation: pose.rotation,
                translation: pose.translation,
                mass: Mass {
                    mass: inertia.mass,
                    first: inertia.first_moment(),
                    second: inertia.moment_about_origin().half_trace_minus(),
                },
            }
        });
        Some(Self { steps: steps.collect(), nv: model.nv, filled: filled(model) })
    }
}

/// Which eight entries of a matrix belong to a degree of freedom and one that it carries?
fn filled(model: &Model) -> Vec<bool> {
    let nv = model.nv;
    let mut filled = vec![false; (nv * nv).div_ceil(WIDTH)];
    for (i, above) in model.bodies.iter().enumerate() {
        for below in &model.bodies[i..above.subtree_end] {
            for i in above.v.clone() {
                for j in below.v.clone() {
                    filled[(i + nv * j) / WIDTH] = true;
                    filled[(j + nv * i) / WIDTH] = true;
                }
            }
        }
    }
    filled
}

/// Pose of a body that hangs from its parent, in the coordinates in which that of the parent is given.
#[inline(always)]
pub(super) fn place<T: Scalar<f64> + Scalar<T>>(
    step: &Step,
    rotation: &Matrix3<T>,
    translation: Vector3<T>,
    q: T,
) -> (Matrix3<T>, Vector3<T>) {
    let (sin, cos) = q.sin_cos();
    let [x, y, z] = [
        v3::rotate(rotation, v3::lift(v3::column(&step.rotation, 0))),
        v3::rotate(rotation, v3::lift(v3::column(&step.rotation, 1))),
        v3::rotate(rotation, v3::lift(v3::column(&step.rotation, 2))),
    ];
    let turned =
        v3::from_columns(v3::times_plus(y, sin, v3::times(x, cos)), v3::times_plus(x, -sin, v3::times(y, cos)), z);
    (turned, v3::rotate_plus(rotation, v3::lift(step.translation), translation))
}

/// Motion along one of the six columns of the unit matrix, which are those of a free body.
#[inline(always)]
pub(super) fn unit<T: Real>(k: usize) -> Motion<T> {
    let one = |at: usize| if k == at { T::one() } else { T::zero() };
    Motion::new(Vector3::new(one(0), one(1), one(2)), Vector3::new(one(3), one(4), one(5)))
}
