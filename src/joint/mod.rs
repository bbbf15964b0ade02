//! Joints: a closed set of kinds, one file each.
//!
//! A joint says where a body can be in its parent: its **pose** `x_fb(q)`, of the body B in the frame F that the joint
//! is mounted with; its **motion subspace** `S(q)`, whose columns are the motions of B in F that each velocity
//! coordinate makes, in coordinates of B: `ν = S(q) v`; and its **bias** `c(q, v) = (dS/dt) v`, the acceleration of B
//! in F at zero joint acceleration. It also says how its coordinates are moved along: `integrate`, `difference`.
//!
//! | kind | nq | nv | q | v | S |
//! |---|---|---|---|---|---|
//! | fixed | 0 | 0 | | | |
//! | revolute | 1 | 1 | angle | rate | constant |
//! | continuous | 2 | 1 | cos, sin of the angle | rate | constant |
//! | prismatic | 1 | 1 | displacement | rate | constant |
//! | helical | 1 | 1 | angle; it advances by `pitch` a radian | rate | constant |
//! | cylindrical | 2 | 2 | displacement, angle | rates | constant |
//! | universal | 2 | 2 | angles about the first and the second axis | rates | depends on q |
//! | planar | 4 | 3 | x, y, cos, sin | body velocity (vx, vy, ω) | constant |
//! | translation | 3 | 3 | x, y, z | rates | constant |
//! | spherical | 4 | 3 | unit quaternion x y z w | body angular velocity | constant |
//! | spherical ZYX | 3 | 3 | angles about z, y, x | rates | depends on q |
//! | free-flyer | 7 | 6 | position, unit quaternion x y z w | body velocity, linear first | constant |
//! | composite | Σ | Σ | its parts', in order | its parts' | depends on q |
//! | mimic | 1 or 2 | 1 | another joint's: it stands at `k q + b`, of an angle by (cos, sin) too | the same | constant |
//!
//! A continuous joint of a robot file has one coordinate, the angle, and is [`Elementary::Revolute`] here; the two-coordinate
//! form is for exchange with programs that use it.
//!
//! Everything is generic over the scalar, so the dependence on `q` of pose, subspace and bias is had by evaluating over
//! dual numbers.

mod axis;
mod composite;
mod continuous;
mod cylindrical;
mod elementary;
mod every;
mod fixed;
mod free_flyer;
mod helical;
pub(crate) mod mimic;
mod planar;
mod prismatic;
mod revolute;
mod spherical;
mod spherical_zyx;
mod translation;
mod universal;

pub use axis::Axis;
pub use composite::{Composite, Part};
pub use continuous::Continuous;
pub use cylindrical::Cylindrical;
pub use elementary::Elementary;
pub use fixed::Fixed;
pub use free_flyer::FreeFlyer;
pub use helical::Helical;
pub use mimic::Mimic;
pub use planar::Planar;
pub use prismatic::Prismatic;
pub use revolute::Revolute;
pub use spherical::Spherical;
pub use spherical_zyx::SphericalZyx;
pub use translation::Translation;
pub use universal::Universal;

use crate::spatial::{Motion, Transform};
use gradyn_derivatives::{Real, Scalar};
use std::ops::Range;

/// What a kind of joint provides, for algorithms that have checked lengths.
///
/// `P` is the type of the joint's own constants (axes, pitch, …), `T` that of states.
///
/// # Panics
/// Methods trust that slices have the lengths that `nq` and `nv` say, and may panic if not.
pub trait JointKind<P: Real> {
    /// Number of configuration coordinates.
    fn nq(&self) -> usize;
    /// Number of velocity coordinates.
    fn nv(&self) -> usize;

    /// Pose of the body in the joint's mounting frame, `x_fb(q)`.
    fn pose<T: Scalar<P>>(&self, q: &[T]) -> Transform<T>;

    /// The columns of `S(q)`, in coordinates of the body, into `columns` (nv of them).
    fn motion_subspace<T: Scalar<P>>(&self, q: &[T], columns: &mut [Motion<T>]);

    /// Whether `S` depends on `q`. If not, the bias is zero.
    fn subspace_varies(&self) -> bool {
        false
    }

    /// `c(q, v) = (dS/dt) v`, in coordinates of the body.
    #[inline]
    fn bias<Q: Scalar<P>, V: Scalar<P> + Scalar<Q>>(&self, _q: &[Q], _v: &[V]) -> Motion<V> {
        Motion::zero()
    }

    /// Where the stage of `column` ends. A joint whose `S` depends on `q` is a series of stages whose own `S` does not.
    ///
    /// A column is at rest in the frame behind its stage and is carried by the stages after it. So, along `q ⊕ ε e_k`,
    /// `∂S_l/∂q_k = S_l × S_k` if the stage of `l` comes before that of `k`, and zero otherwise.
    #[inline]
    fn stage_end(&self, _column: usize) -> usize {
        self.nv()
    }

    /// Rate of change of `q` at velocity `v`: `q̇ = G(q) v`, into `q_dot` (nq).
    #[inline(always)]
    fn q_dot<T: Scalar<P>>(&self, _q: &[T], v: &[T], q_dot: &mut [T]) {
        q_dot.copy_from_slice(v);
    }

    /// The configuration without motion, into `q` (nq): the pose is the identity, that of a composite the product of its
    /// placements.
    #[inline]
    fn neutral<T: Real>(&self, q: &mut [T]) {
        for x in q {
            *x = T::zero();
        }
    }

    /// `q ⊕ v`: the configuration reached from `q` by moving with constant velocity `v` for unit time, into `out` (nq).
    #[inline(always)]
    fn integrate<T: Scalar<P>>(&self, q: &[T], v: &[T], out: &mut [T]) {
        for i in 0..out.len() {
            out[i] = q[i] + v[i];
        }
    }

    /// `q₁ ⊖ q₀`: the velocity that leads from `q₀` to `q₁` in unit time, into `out` (nv). Of several, the shortest.
    #[inline(always)]
    fn difference<T: Scalar<P>>(&self, q0: &[T], q1: &[T], out: &mut [T]) {
        for i in 0..out.len() {
            out[i] = q1[i] - q0[i];
        }
    }

    /// The tangent space's geometry, which gives the derivatives of `integrate` and `difference`.
    fn geometry(&self) -> Geometry {
        Geometry::Flat
    }

    /// Brings `q` back to the set of valid configurations (unit quaternion, cos² + sin² = 1). What has no direction
    /// becomes neutral.
    fn normalize(&self, _q: &mut [f64]) {}

    /// The coordinates that have length one in that set: those of a quaternion, or (cos, sin). Of a composite there are those
    /// of its parts; asked here, none.
    fn direction(&self) -> Range<usize> {
        0..0
    }

    /// By how much `q` misses that set: `| |quaternion| − 1 |` or zero.
    fn norm_error(&self, q: &[f64]) -> f64 {
        match self.direction() {
            none if none.is_empty() => 0.0,
            direction => (q[direction].iter().copied().fold(0.0, f64::hypot) - 1.0).abs(),
        }
    }

    /// Configurations spread evenly: `unit()` gives numbers in [0, 1); `lower` and `upper` are limits of each
    /// coordinate, infinite ones replaced by ±π for angles and ±1 m for lengths.
    fn random(&self, unit: &mut dyn FnMut() -> f64, lower: &[f64], upper: &[f64], q: &mut [f64]);
}

/// The geometry of a joint's configurations.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Geometry {
    /// `q ⊕ v = q + v` in each coordinate, or the same for an angle: every Jacobian is the unit matrix.
    Flat,
    /// Poses in the plane.
    Se2,
    /// Rotations.
    So3,
    /// Poses.
    Se3,
}

/// A joint: one of the elementary kinds, or made of them.
#[derive(Clone, Debug, PartialEq)]
pub enum Joint<P = f64> {
    /// One of the kinds with a file of its own.
    Elementary(Elementary<P>),
    /// Several in a row, as one joint.
    Composite(Composite<P>),
    /// Moves with another joint: `k q + b`.
    Mimic(Mimic<P>),
}

/// Calls the same method of whatever kind it is.
macro_rules! each {
    ($joint:expr, $kind:ident => $call:expr) => {
        match $joint {
            Joint::Elementary($kind) => $call,
            Joint::Composite($kind) => $call,
            Joint::Mimic($kind) => $call,
        }
    };
}

impl<P: Real> Joint<P> {
    /// The name of the kind, as `gradyn` prints it.
    #[must_use]
    pub fn kind(&self) -> &'static str {
        match self {
            Self::Elementary(kind) => kind.name(),
            Self::Composite(_) => "composite",
            Self::Mimic(_) => "mimic",
        }
    }

    /// How fast it moves where its velocity coordinate has the rate one: the `k` of a mimic joint, else one.
    pub(crate) fn multiplier(&self) -> P {
        match self {
            Self::Mimic(mimic) => mimic.multiplier(),
            Self::Elementary(_) | Self::Composite(_) => P::one(),
        }
    }

    /// The same joint with its constants in a wider number type.
    #[must_use]
    pub fn lift<T: Scalar<P>>(&self) -> Joint<T> {
        match self {
            Self::Elementary(kind) => Joint::Elementary(kind.lift()),
            Self::Composite(kind) => Joint::Composite(kind.lift()),
            Self::Mimic(kind) => Joint::Mimic(kind.lift()),
        }
    }
}

impl<P: Real> JointKind<P> for Joint<P> {
    #[inline]
    fn nq(&self) -> usize {
        each!(self, kind => kind.nq())
    }
    #[inline]
    fn nv(&self) -> usize {
        each!(self, kind => kind.nv())
    }
    #[inline(always)]
    fn pose<T: Scalar<P>>(&self, q: &[T]) -> Transform<T> {
        each!(self, kind => kind.pose(q))
    }
    #[inline(always)]
    fn motion_subspace<T: Scalar<P>>(&self, q: &[T], columns: &mut [Motion<T>]) {
        each!(self, kind => kind.motion_subspace(q, columns));
    }
    #[inline]
    fn subspace_varies(&self) -> bool {
        each!(self, kind => kind.subspace_varies())
    }
    #[inline(always)]
    fn bias<Q: Scalar<P>, V: Scalar<P> + Scalar<Q>>(&self, q: &[Q], v: &[V]) -> Motion<V> {
        each!(self, kind => kind.bias(q, v))
    }
    #[inline]
    fn stage_end(&self, column: usize) -> usize {
        each!(self, kind => kind.stage_end(column))
    }
    #[inline(always)]
    fn q_dot<T: Scalar<P>>(&self, q: &[T], v: &[T], q_dot: &mut [T]) {
        each!(self, kind => kind.q_dot(q, v, q_dot));
    }
    #[inline]
    fn neutral<T: Real>(&self, q: &mut [T]) {
        each!(self, kind => kind.neutral(q));
    }
    #[inline(always)]
    fn integrate<T: Scalar<P>>(&self, q: &[T], v: &[T], out: &mut [T]) {
        each!(self, kind => kind.integrate(q, v, out));
    }
    #[inline(always)]
    fn difference<T: Scalar<P>>(&self, q0: &[T], q1: &[T], out: &mut [T]) {
        each!(self, kind => kind.difference(q0, q1, out));
    }
    fn geometry(&self) -> Geometry {
        each!(self, kind => kind.geometry())
    }
    fn normalize(&self, q: &mut [f64]) {
        each!(self, kind => kind.normalize(q));
    }
    fn direction(&self) -> Range<usize> {
        each!(self, kind => kind.direction())
    }
    fn norm_error(&self, q: &[f64]) -> f64 {
        each!(self, kind => kind.norm_error(q))
    }
    fn random(&self, unit: &mut dyn FnMut() -> f64, lower: &[f64], upper: &[f64], q: &mut [f64]) {
        each!(self, kind => kind.random(unit, lower, upper, q));
    }
}

/// The number, or its value if it carries derivatives, for messages; of several in lanes one, NaN if one of them is.
///
/// Comparisons with numbers are all that every type has, so it is enclosed by halves, in the order of the bits of `f64`:
/// 64 of them leave one number.
pub(crate) fn value<T: Real>(x: T) -> f64 {
    if let Some(&[x]) = T::as_f64s(&[x]) {
        return x;
    }
    // Not below, and not above; in all lanes.
    let is_below = |bound: f64| x.select_lt(bound, T::one(), T::zero()) != T::zero();
    let is_above = |bound: f64| (-x).select_lt(-bound, T::one(), T::zero()) != T::zero();
    if !is_below(f64::INFINITY) {
        return if is_above(f64::MAX) { f64::INFINITY } else { f64::NAN };
    }
    // Integers in the order of the numbers that they are the bits of: negative numbers are the complements of positive ones.
    let number = |bits: i64| f64::from_bits(if bits < 0 { !bits as u64 | 1 << 63 } else { bits as u64 });
    let [mut least, mut beyond] = [-0x7ff0_0000_0000_0001_i64, 0x7ff0_0000_0000_0000];
    while least + 1 < beyond {
        let middle = i64::midpoint(least, beyond);
        if is_below(number(middle)) { beyond = middle } else { least = middle }
    }
    number(least)
}

/// A number between the limits. Where they are further apart than 100 `reach`, or infinite, within ±`reach` of the number
/// between them that is nearest to zero: some files say "no limit" by 1e16.
fn between(u: f64, lower: f64, upper: f64, reach: f64) -> f64 {
    let (low, high) = if upper - lower <= 100.0 * reach {
        (lower, upper)
    } else {
        let nearest = 0.0_f64.max(lower).min(upper);
        (lower.max(nearest - reach), upper.min(nearest + reach))
    };
    low + u * (high - low)
}

#[cfg(test)]
mod tests {
    use super::between;

    /// Random coordinates lie within limits of every kind, and spread.
    #[test]
    fn numbers_lie_between_their_limits() {
        let inf = f64::INFINITY;
        for (lower, upper) in [(-inf, inf), (5.0, inf), (-inf, -5.0), (-inf, 2.0), (-1.0, 3.0), (-f64::MAX, f64::MAX)] {
            let ends = [between(0.0, lower, upper, 1.0), between(0.999, lower, upper, 1.0)];
            assert!(ends.iter().all(|x| x.is_finite() && lower <= *x && *x <= upper), "{lower}..{upper}: {ends:?}");
            assert!(ends[1] - ends[0] > 0.9, "{lower}..{upper}: {ends:?}");
        }
    }
}
