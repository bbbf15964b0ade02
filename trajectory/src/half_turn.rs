//! Half a turn has two logarithms, `v` and `−v`. The choice between them must not be left to rounding.
//!
//! For a rotation by π, to [`NEAR`], the chosen axis is the one that points along (4, 2, 1) and not against it:
//! counterclockwise about x, y and z, and smooth near these. If it points neither way, the chosen axis is the one whose
//! first nonzero entry is positive. The logarithm there is `w`, or `w − 2π w/|w|` if w points the other way. The latter
//! is a logarithm of the same rotation and may be longer than π by [`NEAR`]. Formulas of its derivatives hold up to 2π.

use gradyn::joint::{Geometry, Joint, JointKind};
use gradyn::model::InputError;
use gradyn::spatial::{exp3, jexp3, jlog3, log3, vector as v3};
use gradyn::{Model, Motion, Real, Transform};
use nalgebra::Vector3;
use std::f64::consts::{PI, TAU};

/// Nearer than this to half a turn, rad, the side that a rotation vector points to is decided by rounding of poses,
/// some 1e-15, times what a robot of many joints makes of it.
const NEAR: f64 = 1e-8;
/// Entries of a unit axis below this are zero but for that rounding, which angles near π carry over in proportion.
const ZERO: f64 = 1e-6;

/// The logarithm of a pose, or with a linear part of zero of a rotation, on the side that is chosen.
#[inline(always)]
pub(crate) fn choose<T: Real>(turn: Motion<T>) -> Motion<T> {
    let square = v3::norm_squared(turn.angular);
    let is_half = square.select_lt((PI - NEAR) * (PI - NEAR), T::zero(), T::one());
    if is_half == T::zero() { turn } else { on_side(turn, is_half) }
}

#[inline(never)]
fn on_side<T: Real>(turn: Motion<T>, is_half: T) -> Motion<T> {
    let w = turn.angular;
    // Which way does it point? If neither, the first entry says so that is not zero.
    let (low, one) = (-ZERO * PI, T::one());
    let along = w.x * 4.0 + w.y * 2.0 + w.z;
    let side = w.z.select_lt(0.0, -one, one);
    let side = w.y.select_lt(low, -one, (-w.y).select_lt(low, one, side));
    let side = w.x.select_lt(low, -one, (-w.x).select_lt(low, one, side));
    let side = along.select_lt(low, -one, (-along).select_lt(low, one, side));
    let other = v3::scale::<T, T>(one - v3::norm_squared(w).sqrt().recip() * TAU, w);
    // p = J_l(w) v = J_l(w′) v′, and J_l is the transpose of J_r.
    let linear = v3::rotate_back(&jlog3(other), v3::rotate_back(&jexp3(w), turn.linear));
    let pick = |here: T, there: T| is_half.select_lt(0.5, here, side.select_lt(0.0, there, here));
    let of = |a: Vector3<T>, b: Vector3<T>| Vector3::new(pick(a.x, b.x), pick(a.y, b.y), pick(a.z, b.z));
    Motion::new(of(turn.linear, linear), of(w, other))
}

/// Whether a rotation vector is half a turn.
pub(crate) fn is_half(turn: Vector3<f64>) -> bool {
    turn.norm() >= PI - NEAR
}

/// [`choose`] of a rotation alone.
#[inline(always)]
pub(crate) fn choose_turn<T: Real>(turn: Vector3<T>) -> Vector3<T> {
    choose(Motion::new(Vector3::repeat(T::zero()), turn)).angular
}

/// Joints of a robot, or their parts, that come around: where their directions begin, and which of those of a free body
/// they are.
#[derive(Clone, Debug, Default)]
pub(crate) struct Turning {
    pub(crate) parts: Vec<(usize, &'static [usize])>,
    /// Directions of angles that are kept as cosine and sine.
    angles: Vec<usize>,
}

impl Turning {
    pub(crate) fn new(model: &Model) -> Self {
        let mut found = Self::default();
        for body in model.bodies().iter().filter(|body| body.owns_coordinates()) {
            let first = body.v_range().start;
            match body.joint() {
                Joint::Composite(composite) => {
                    let mut at = first;
                    for part in composite.parts() {
                        let (nq, nv) = (part.joint.nq(), part.joint.nv());
                        found.add(at, JointKind::geometry(&part.joint), nq > nv);
                        at += nv;
                    }
                }
                joint => found.add(first, joint.geometry(), body.q_range().len() > body.v_range().len()),
            }
        }
        found
    }
    fn add(&mut self, first: usize, geometry: Geometry, is_circle: bool) {
        match geometry {
            Geometry::Flat if is_circle => self.angles.push(first),
            Geometry::Flat => {}
            Geometry::Se2 => self.parts.push((first, [0, 1, 5].as_slice())),
            Geometry::So3 => self.parts.push((first, [3, 4, 5].as_slice())),
            Geometry::Se3 => self.parts.push((first, [0, 1, 2, 3, 4, 5].as_slice())),
        }
    }
    /// Entries of one part of a difference, as a motion of a free body.
    pub(crate) fn motion<T: Real>((first, places): (usize, &[usize]), from: &[T]) -> Motion<T> {
        let mut six = [T::zero(); 6];
        places.iter().zip(&from[first..]).for_each(|(place, x)| six[*place] = *x);
        Motion::from_array(six)
    }
    /// A difference of configurations, on the side that is chosen; `other`: of each part that has been turned to it, by
    /// its place among all.
    pub(crate) fn choose<T: Real>(&self, difference: &mut [T], mut other: impl FnMut(usize, Motion<T>)) {
        for (k, (first, places)) in self.parts.iter().enumerate() {
            let here = Self::motion((*first, places), difference);
            let chosen = choose(here);
            if chosen != here {
                let six = chosen.to_array();
                places.iter().zip(&mut difference[*first..]).for_each(|(place, to)| *to = six[*place]);
                other(k, chosen);
            }
        }
        for at in &self.angles {
            let angle = difference[*at];
            difference[*at] = angle.select_lt(NEAR - PI, angle + TAU, angle);
        }
    }
}

/// The difference `q₁ ⊖ q₀` of configurations; for joints that are half a turn apart, on the chosen side. Returns
/// whether there is such a joint.
pub(crate) fn difference(model: &Model, from: &[f64], to: &[f64], out: &mut [f64]) -> Result<bool, InputError> {
    model.difference_into(from, to, out)?;
    let turning = Turning::new(model);
    let before = out.to_vec();
    turning.choose(out, |_, _| {});
    Ok(before.iter().zip(out.iter()).any(|(a, b)| (a - b).abs() > 0.0))
}

/// The configuration at a share of the way from one to another, as [`Model::interpolate_into`]; of joints that are half
/// a turn apart on the side of turns whose axis points along (4, 2, 1), so that they are positive about x, y and z.
///
/// # Errors
/// [`InputError`] if a length is wrong or a number not finite.
pub fn interpolate(model: &Model, from: &[f64], to: &[f64], share: f64, out: &mut [f64]) -> Result<(), InputError> {
    let mut way = vec![0.0; model.nv()];
    if !difference(model, from, to, &mut way)? {
        return model.interpolate_into(from, to, share, out);
    }
    way.iter_mut().for_each(|x| *x *= share);
    model.integrate_into(from, &way, out)
}

/// The pose at a share of the way from one to another: straight, and along the shortest turn; of half a turn on the
/// side of [`interpolate`].
#[must_use]
pub fn interpolate_pose(from: &Transform<f64>, to: &Transform<f64>, share: f64) -> Transform<f64> {
    let p = from.translation + (to.translation - from.translation) * share;
    let turn = log3(&v3::product_tr(&from.rotation, &to.rotation));
    let chosen = choose_turn(turn);
    if chosen == turn {
        return Transform::from_quaternion(from.quaternion().interpolate(to.quaternion(), share), p);
    }
    Transform::new(from.rotation * exp3(chosen * share), p)
}

#[cfg(test)]
mod tests {
    use super::*;
    use gradyn::spatial::{exp6, log6};

    /// Both logarithms of half a turn become the same, which is one of the same pose; others stay as they are to the
    /// last bit.
    #[test]
    fn half_turns_have_one_side() {
        let p = Vector3::new(0.3, -0.2, 0.5);
        for (axis, chosen) in [
            (Vector3::new(0.0, 0.0, -1.0), Vector3::new(0.0, 0.0, 1.0)),
            (Vector3::new(0.0, -0.6, 0.8), Vector3::new(0.0, 0.6, -0.8)),
            (Vector3::new(0.0, -0.2_f64.sqrt(), 0.8_f64.sqrt()), Vector3::new(0.0, 0.2_f64.sqrt(), -0.8_f64.sqrt())),
            (Vector3::new(1e-3, 0.0, -1.0).normalize(), Vector3::new(-1e-3, 0.0, 1.0).normalize()),
            (Vector3::new(-1.0, 0.0, 0.0), Vector3::new(1.0, 0.0, 0.0)),
            (Vector3::new(1e-12, -1.0, 0.0), Vector3::new(0.0, 1.0, 0.0)),
        ] {
            for (sign, off) in [(1.0, 0.0), (-1.0, 0.0), (1.0, 1e-9), (-1.0, 1e-9)] {
                let pose = Transform::new(exp3(axis * (sign * (PI - off))), p);
                let found = choose(log6(&pose));
                // An axis of a turn near π has the rounding of its rotation matrix, and the angle is within `NEAR` of
                // π.
                assert!((found.angular / PI - chosen).amax() < 2.0 * NEAR, "{axis:?}: {found:?}");
                let again = exp6(found);
                assert!((again.translation - p).amax() < 1e-12, "{axis:?}");
                assert!((again.rotation - pose.rotation).amax() < 1e-12, "{axis:?}");
            }
            let short = log6(&Transform::new(exp3(axis * (PI - 1e-7)), p));
            assert_eq!(choose(short), short);
        }
    }

    /// Half of the way, whichever way round it is written.
    #[test]
    fn the_way_of_half_a_turn_is_the_same_from_both_ends_of_rounding() {
        let from = Transform::identity();
        let half = |angle: f64| {
            let to = Transform::from_rpy([0.0, 0.0, angle], Vector3::zeros());
            interpolate_pose(&from, &to, 0.5).rotation
        };
        let quarter = Transform::from_rpy([0.0, 0.0, 0.5 * PI], Vector3::zeros()).rotation;
        for angle in [PI, -PI, PI - 1e-12, 1e-12 - PI] {
            assert!((half(angle) - quarter).amax() < 1e-11, "{angle}");
        }
    }
}
