//! Inverse dynamics over [`VectorDual`](gradyn_derivatives::VectorDual) in forward mode by formulas: numbers are split
//! into values and eight derivatives, `kernels::by_joint::forward_mode` applies a formula to each, and the results are
//! combined again. No dual number is multiplied, and the formulas are those of analytical derivatives. A workspace
//! therefore uses this only on request ([`Workspace::with_forward_mode_formulas`]).

use super::Workspace;
use super::external::ExternalWrench;
use crate::dynamics::by_plan;
use crate::joint::JointKind;
use crate::kernels::by_joint::forward_mode::AtLevelOfCall;
use crate::kernels::by_joint::tangents::Tangents;
use crate::model::{Body, Model};
use crate::plan::joints::is_flat;
use crate::plan::rows::Row;
use crate::slices::state_is_finite;
use crate::spatial::{Force, Motion, Transform, vector as v3};
use gradyn_derivatives::simd::{Piece, WIDTH};
use gradyn_derivatives::{Real, Scalar};
use nalgebra::{Matrix3, Vector3};

/// Writes torques to `ws.tau`, and returns whether all are finite. `None` unless enabled in the workspace, the numbers
/// are values with eight derivatives, the model and the level have this form, and configurations vary along joint
/// motions.
#[inline(always)]
pub(crate) fn rnea<P: Real, T: Scalar<P>>(
    model: &Model<P>,
    ws: &mut Workspace<T>,
    (q, v, a): (&[T], &[T], &[T]),
    wrenches: &[ExternalWrench<T>],
) -> Option<bool> {
    if !ws.forward_mode_formulas {
        return None;
    }
    T::joined(0.0, [0.0; WIDTH])?;
    let finite = by_plan::forward_mode(
        model,
        ws,
        |model, to, level| level.run(AtLevelOfCall(Read { model, state: (q, v, a), wrenches, to })),
        |from, tau, level| level.run(AtLevelOfCall(Write { from, tau })),
    )?;
    // Torques do not depend on where the base is: that it is somewhere has to be seen.
    Some(finite || state_is_finite(q, &ws.tau, &[]))
}

/// Takes a state apart.
struct Read<'a, T> {
    model: &'a Model,
    state: (&'a [T], &'a [T], &'a [T]),
    wrenches: &'a [ExternalWrench<T>],
    to: &'a mut Tangents,
}

impl<T: Real> Piece for Read<'_, T> {
    type Output = Option<()>;
    #[inline(always)]
    fn run(self) -> Option<()> {
        let Self { model, state: (q, v, a), wrenches, to } = self;
        take(v, &mut to.v, &mut to.dv)?;
        take(a, &mut to.a, &mut to.da)?;
        to.wrenches.clear();
        for w in wrenches {
            let (mut wrench, mut change) = ([0.0; 6], [Row::ZERO; 6]);
            let numbers = w.wrench.linear.iter().chain(w.wrench.angular.iter());
            for ((value, row), x) in wrench.iter_mut().zip(&mut change).zip(numbers) {
                (*value, row.0) = x.split()?;
            }
            let [a, b, c, d, e, f] = wrench;
            let wrench = Force::new(Vector3::new(a, b, c), Vector3::new(d, e, f));
            to.wrenches.push((ExternalWrench { body: w.body, frame: w.frame, wrench }, change));
        }
        if to.flat {
            return take(q, &mut to.q, &mut to.dq);
        }
        for body in model.bodies.iter().filter(|body| body.owns_coordinates) {
            if is_flat(body) {
                take(&q[body.q.clone()], &mut to.q[body.q.clone()], &mut to.dq[body.v.clone()])?;
            } else {
                turned(body, &q[body.q.clone()], to)?;
            }
        }
        Some(())
    }
}

/// Takes numbers apart.
#[inline(always)]
fn take<T: Real>(x: &[T], values: &mut [f64], derivatives: &mut [Row]) -> Option<()> {
    for ((x, value), row) in x.iter().zip(values).zip(derivatives) {
        (*value, row.0) = x.split()?;
    }
    Some(())
}

/// Takes apart the coordinates of a joint that are not moved along at its velocities: quaternions, cosine and sine.
fn turned<T: Real>(body: &Body, q: &[T], to: &mut Tangents) -> Option<()> {
    let mut columns = [Motion::zero(); WIDTH];
    let columns = columns.get_mut(..body.v.len())?;
    for (k, q) in body.q.clone().zip(q) {
        (to.q[k], _) = q.split()?;
    }
    JointKind::<f64>::motion_subspace(&body.joint, &to.q[body.q.clone()], columns);
    T::call(Turned { body, q, columns, dq: &mut to.dq[body.v.clone()] })
}

/// How a joint moves along eight directions, from how its pose varies: `X⁻¹ dX = [S δq]×`. None, if it does not vary as
/// joints move: a quaternion that changes its length, or has another than one, is no rotation.
struct Turned<'a, T> {
    body: &'a Body,
    q: &'a [T],
    columns: &'a [Motion<f64>],
    dq: &'a mut [Row],
}

impl<T: Real> Piece for Turned<'_, T> {
    type Output = Option<()>;
    #[inline(always)]
    fn run(self) -> Option<()> {
        let Self { body, q, columns, dq } = self;
        let x: Transform<T> = JointKind::<f64>::pose(&body.joint, q);
        let mut rotation = Matrix3::zeros();
        for (to, from) in rotation.iter_mut().zip(x.rotation.iter()) {
            (*to, _) = from.split()?;
        }
        // Their values are one and zero, their derivatives those of a rotation.
        let w = v3::product_tr::<f64, T>(&rotation, &x.rotation);
        let half = |a: T, b: T| (a - b) * 0.5;
        let motion = Motion::new(
            v3::rotate_back::<f64, T>(&rotation, x.translation),
            Vector3::new(half(w.m32, w.m23), half(w.m13, w.m31), half(w.m21, w.m12)),
        );
        let mut rest = motion;
        for (column, to) in columns.iter().zip(dq) {
            let dot = v3::dot_plus(column.linear, motion.linear, v3::dot(column.angular, motion.angular));
            (_, to.0) = dot.split()?;
            rest = column.times_plus(-dot, rest);
        }
        let (r, p) = (rest.angular, rest.linear);
        let stretched = [w.m11, w.m22, w.m33, w.m12 + w.m21, w.m13 + w.m31, w.m23 + w.m32, r.x, r.y, r.z];
        let fits = |misses: &[T], of: &[T]| -> Option<bool> {
            let (miss, size) = (extents(misses)?, extents(of)?);
            let mut fits = true; //                             and false for NaN
            for k in 0..WIDTH {
                fits &= miss[k] <= ROUNDINGS * size[k];
            }
            Some(fits)
        };
        let moves = fits(&stretched, x.rotation.as_slice())? && fits(&[p.x, p.y, p.z], x.translation.as_slice())?;
        // Numbers of another length than one turn by more or less than they say.
        let mut is_rotation = true;
        for (k, x) in w.iter().enumerate() {
            let unit = f64::from(u8::from(k % 4 == 0));
            is_rotation &= (x.split()?.0 - unit).abs() <= ROUNDINGS;
        }
        (moves && is_rotation).then_some(())
    }
}

/// A dozen roundings of numbers of size one.
const ROUNDINGS: f64 = 16.0 * f64::EPSILON;

/// The sum of the derivatives' absolute values in each direction.
#[inline(always)]
fn extents<T: Real>(numbers: &[T]) -> Option<[f64; WIDTH]> {
    let mut sums = [0.0_f64; WIDTH];
    for x in numbers {
        let (_, derivatives) = x.split()?;
        let mut k = 0;
        while k < WIDTH {
            sums[k] += derivatives[k].abs();
            k += 1;
        }
    }
    Some(sums)
}

/// Puts torques together.
struct Write<'a, T> {
    from: &'a Tangents,
    tau: &'a mut [T],
}

impl<T: Real> Piece for Write<'_, T> {
    type Output = ();
    #[inline(always)]
    fn run(self) {
        for ((to, value), derivatives) in self.tau.iter_mut().zip(&self.from.tau).zip(&self.from.dtau) {
            if let Some(joined) = T::joined(*value, derivatives.0) {
                *to = joined;
            }
        }
    }
}
