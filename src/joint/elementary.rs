//! The kinds with a file of their own, in one enum.

use super::*;
use crate::level::at_level;
use crate::spatial::vector as v3;
use std::ops::Range;

/// One of the kinds with a file of its own.
#[derive(Clone, Copy, Debug, PartialEq)]
#[expect(missing_docs, reason = "each variant is the type of its name")]
pub enum Elementary<P = f64> {
    Fixed(Fixed),
    Revolute(Revolute<P>),
    Continuous(Continuous<P>),
    Prismatic(Prismatic<P>),
    Helical(Helical<P>),
    Cylindrical(Cylindrical<P>),
    Universal(Universal<P>),
    Planar(Planar<P>),
    Translation(Translation),
    Spherical(Spherical),
    SphericalZyx(SphericalZyx),
    FreeFlyer(FreeFlyer),
}

/// Calls the same method of whatever kind it is.
macro_rules! each {
    ($joint:expr, $kind:ident => $call:expr) => {
        match $joint {
            Elementary::Fixed($kind) => $call,
            Elementary::Revolute($kind) => $call,
            Elementary::Continuous($kind) => $call,
            Elementary::Prismatic($kind) => $call,
            Elementary::Helical($kind) => $call,
            Elementary::Cylindrical($kind) => $call,
            Elementary::Universal($kind) => $call,
            Elementary::Planar($kind) => $call,
            Elementary::Translation($kind) => $call,
            Elementary::Spherical($kind) => $call,
            Elementary::SphericalZyx($kind) => $call,
            Elementary::FreeFlyer($kind) => $call,
        }
    };
}

impl<P: Real> Elementary<P> {
    /// The name of the kind.
    #[must_use]
    pub fn name(&self) -> &'static str {
        match self {
            Self::Fixed(_) => "fixed",
            Self::Revolute(_) => "revolute",
            Self::Continuous(_) => "continuous",
            Self::Prismatic(_) => "prismatic",
            Self::Helical(_) => "helical",
            Self::Cylindrical(_) => "cylindrical",
            Self::Universal(_) => "universal",
            Self::Planar(_) => "planar",
            Self::Translation(_) => "translation",
            Self::Spherical(_) => "spherical",
            Self::SphericalZyx(_) => "spherical ZYX",
            Self::FreeFlyer(_) => "free-flyer",
        }
    }

    /// The same joint as joints in a row with one axis at most, the frame of each the mounting frame of the next: a universal joint is
    /// two hinges, all others are themselves. `q` and `v` are those of the parts, in their order.
    pub fn in_series(&self) -> impl Iterator<Item = Self> {
        let parts = match self {
            Self::Universal(Universal { first, second }) => {
                [*first, *second].map(|axis| Some(Revolute { axis }.into()))
            }
            Self::Fixed(_)
            | Self::Revolute(_)
            | Self::Continuous(_)
            | Self::Prismatic(_)
            | Self::Helical(_)
            | Self::Cylindrical(_)
            | Self::Planar(_)
            | Self::Translation(_)
            | Self::Spherical(_)
            | Self::SphericalZyx(_)
            | Self::FreeFlyer(_) => [Some(*self), None],
        };
        parts.into_iter().flatten()
    }

    /// Its axes, but the normal of a planar joint.
    pub(crate) fn axes(&self) -> [Option<Axis<P>>; 2] {
        match self {
            Self::Revolute(Revolute { axis })
            | Self::Continuous(Continuous { axis })
            | Self::Prismatic(Prismatic { axis })
            | Self::Helical(Helical { axis, .. })
            | Self::Cylindrical(Cylindrical { axis }) => [Some(*axis), None],
            Self::Universal(Universal { first, second }) => [Some(*first), Some(*second)],
            Self::Fixed(_)
            | Self::Planar(_)
            | Self::Translation(_)
            | Self::Spherical(_)
            | Self::SphericalZyx(_)
            | Self::FreeFlyer(_) => [None, None],
        }
    }

    /// Sets one of them.
    pub(crate) fn set_axis(&mut self, number: usize, to: Axis<P>) {
        match (self, number) {
            (
                Self::Revolute(Revolute { axis })
                | Self::Continuous(Continuous { axis })
                | Self::Prismatic(Prismatic { axis })
                | Self::Helical(Helical { axis, .. })
                | Self::Cylindrical(Cylindrical { axis })
                | Self::Universal(Universal { first: axis, .. }),
                0,
            )
            | (Self::Universal(Universal { second: axis, .. }), 1) => *axis = to,
            _ => {}
        }
    }

    /// That of a helical joint, m/rad.
    pub(crate) fn pitch(&self) -> Option<P> {
        match self {
            Self::Helical(kind) => Some(kind.pitch),
            _ => None,
        }
    }

    pub(crate) fn set_pitch(&mut self, to: P) {
        if let Self::Helical(kind) = self {
            kind.pitch = to;
        }
    }

    /// Which of its constants is not what it must be, the number, and the rule: axes are unit vectors to within 1e-9, pitches
    /// finite.
    pub(crate) fn bad_number(&self) -> Option<(&'static str, f64, &'static str)> {
        let normal = match self {
            Self::Planar(kind) => Some(kind.normal()),
            _ => None,
        };
        for axis in self.axes().into_iter().chain([normal]).flatten() {
            let square = v3::norm_squared(axis.vector());
            // Twice as much of the square; not below where it is NaN.
            let near = square.all_below(1.0 + 2e-9) && !square.any_below(1.0 - 2e-9);
            if !near {
                let rule = "expected 1, to within 1e-9: `Axis::along` makes an axis of any vector";
                return Some(("length of the axis", value(square.sqrt()), rule));
            }
        }
        match self {
            Self::Helical(Helical { pitch, .. }) if !pitch.is_finite() => {
                Some(("pitch", value(*pitch), "expected a finite number"))
            }
            _ => None,
        }
    }

    /// The same joint with its constants in a wider number type.
    #[must_use]
    pub fn lift<T: Scalar<P>>(&self) -> Elementary<T> {
        match self {
            Self::Fixed(_) => Elementary::Fixed(Fixed),
            Self::Revolute(k) => Elementary::Revolute(Revolute { axis: k.axis.lift() }),
            Self::Continuous(k) => Elementary::Continuous(Continuous { axis: k.axis.lift() }),
            Self::Prismatic(k) => Elementary::Prismatic(Prismatic { axis: k.axis.lift() }),
            Self::Helical(k) => Elementary::Helical(Helical { axis: k.axis.lift(), pitch: k.pitch.into() }),
            Self::Cylindrical(k) => Elementary::Cylindrical(Cylindrical { axis: k.axis.lift() }),
            Self::Universal(k) => Elementary::Universal(Universal { first: k.first.lift(), second: k.second.lift() }),
            Self::Planar(k) => Elementary::Planar(k.lift()),
            Self::Translation(_) => Elementary::Translation(Translation),
            Self::Spherical(_) => Elementary::Spherical(Spherical),
            Self::SphericalZyx(_) => Elementary::SphericalZyx(SphericalZyx),
            Self::FreeFlyer(_) => Elementary::FreeFlyer(FreeFlyer),
        }
    }

    /// `S v`, for at most six velocities.
    #[inline]
    pub(super) fn velocity<Q: Scalar<P>, V: Scalar<Q>>(&self, q: &[Q], v: &[V]) -> Motion<V> {
        let mut columns = [Motion::zero(); 6];
        let columns = &mut columns[..v.len()];
        self.motion_subspace(q, columns);
        let mut sum = Motion::zero();
        for k in 0..v.len() {
            sum = columns[k].times_plus(v[k], sum);
        }
        sum
    }

    /// `q₀ ⊕ t (q₁ ⊖ q₀)`, into `out` (nq).
    #[inline]
    pub(crate) fn interpolate<T: Scalar<P>>(&self, q0: &[T], q1: &[T], t: T, out: &mut [T]) {
        interpolate(self, q0, q1, t, out);
    }
}

at_level! {
    /// [`Elementary::interpolate`]; no kind has more than six velocities.
    fn interpolate<P: Real, T: Scalar<P>>(joint: &Elementary<P>, q0: &[T], q1: &[T], t: T, out: &mut [T]) {
        let mut step = [T::zero(); 6];
        let step = &mut step[..JointKind::<P>::nv(joint)];
        joint.difference(q0, q1, step);
        for x in step.iter_mut() {
            *x *= t;
        }
        joint.integrate(q0, step, out);
    }

    /// [`JointKind::pose`] of all kinds, as one function: there are many, and they are rare.
    #[inline(always)]
    fn pose<P: Real, T: Scalar<P>>(joint: &Elementary<P>, q: &[T]) -> Transform<T> {
        each!(joint, kind => JointKind::<P>::pose(kind, q))
    }

    /// [`JointKind::motion_subspace`] of all kinds.
    #[inline(always)]
    fn motion_subspace<P: Real, T: Scalar<P>>(joint: &Elementary<P>, q: &[T], columns: &mut [Motion<T>]) {
        each!(joint, kind => JointKind::<P>::motion_subspace(kind, q, columns));
    }

    /// [`JointKind::bias`] of all kinds.
    #[inline(always)]
    fn bias<P: Real, Q: Scalar<P>, V: Scalar<P> + Scalar<Q>>(joint: &Elementary<P>, q: &[Q], v: &[V]) -> Motion<V> {
        each!(joint, kind => JointKind::<P>::bias(kind, q, v))
    }

    /// [`JointKind::q_dot`] of all kinds.
    fn q_dot<P: Real, T: Scalar<P>>(joint: &Elementary<P>, q: &[T], v: &[T], out: &mut [T]) {
        each!(joint, kind => JointKind::<P>::q_dot(kind, q, v, out));
    }

    /// [`JointKind::integrate`] of all kinds.
    fn integrate<P: Real, T: Scalar<P>>(joint: &Elementary<P>, q: &[T], v: &[T], out: &mut [T]) {
        each!(joint, kind => JointKind::<P>::integrate(kind, q, v, out));
    }

    /// [`JointKind::difference`] of all kinds.
    fn difference<P: Real, T: Scalar<P>>(joint: &Elementary<P>, q0: &[T], q1: &[T], out: &mut [T]) {
        each!(joint, kind => JointKind::<P>::difference(kind, q0, q1, out));
    }
}

impl<P: Real> JointKind<P> for Elementary<P> {
    #[inline]
    fn nq(&self) -> usize {
        each!(self, kind => JointKind::<P>::nq(kind))
    }
    #[inline]
    fn nv(&self) -> usize {
        each!(self, kind => JointKind::<P>::nv(kind))
    }
    #[inline(never)]
    fn pose<T: Scalar<P>>(&self, q: &[T]) -> Transform<T> {
        pose(self, q)
    }
    #[inline(never)]
    fn motion_subspace<T: Scalar<P>>(&self, q: &[T], columns: &mut [Motion<T>]) {
        motion_subspace(self, q, columns);
    }
    #[inline]
    fn subspace_varies(&self) -> bool {
        each!(self, kind => JointKind::<P>::subspace_varies(kind))
    }
    #[inline(never)]
    fn bias<Q: Scalar<P>, V: Scalar<P> + Scalar<Q>>(&self, q: &[Q], v: &[V]) -> Motion<V> {
        bias(self, q, v)
    }
    #[inline]
    fn stage_end(&self, column: usize) -> usize {
        each!(self, kind => JointKind::<P>::stage_end(kind, column))
    }
    #[inline(never)]
    fn q_dot<T: Scalar<P>>(&self, q: &[T], v: &[T], q_dot: &mut [T]) {
        self::q_dot(self, q, v, q_dot);
    }
    #[inline]
    fn neutral<T: Real>(&self, q: &mut [T]) {
        each!(self, kind => JointKind::<P>::neutral(kind, q));
    }
    #[inline(never)]
    fn integrate<T: Scalar<P>>(&self, q: &[T], v: &[T], out: &mut [T]) {
        self::integrate(self, q, v, out);
    }
    #[inline(never)]
    fn difference<T: Scalar<P>>(&self, q0: &[T], q1: &[T], out: &mut [T]) {
        self::difference(self, q0, q1, out);
    }
    fn geometry(&self) -> Geometry {
        each!(self, kind => JointKind::<P>::geometry(kind))
    }
    fn normalize(&self, q: &mut [f64]) {
        each!(self, kind => JointKind::<P>::normalize(kind, q));
    }
    fn direction(&self) -> Range<usize> {
        each!(self, kind => JointKind::<P>::direction(kind))
    }
    fn random(&self, unit: &mut dyn FnMut() -> f64, lower: &[f64], upper: &[f64], q: &mut [f64]) {
        each!(self, kind => JointKind::<P>::random(kind, unit, lower, upper, q));
    }
}

macro_rules! from_kind {
    ($($kind:ident $(<$p:ident>)?),*) => { $(
        impl<P> From<$kind $(<$p>)?> for Elementary<P> {
            fn from(kind: $kind $(<$p>)?) -> Self {
                Self::$kind(kind)
            }
        }
        impl<P> From<$kind $(<$p>)?> for Joint<P> {
            fn from(kind: $kind $(<$p>)?) -> Self {
                Self::Elementary(Elementary::$kind(kind))
            }
        }
    )* };
}
from_kind!(
    Fixed,
    Revolute<P>,
    Continuous<P>,
    Prismatic<P>,
    Helical<P>,
    Cylindrical<P>,
    Universal<P>,
    Planar<P>,
    Translation,
    Spherical,
    SphericalZyx,
    FreeFlyer
);

impl<P> From<Elementary<P>> for Joint<P> {
    fn from(kind: Elementary<P>) -> Self {
        Self::Elementary(kind)
    }
}

impl<P> From<Composite<P>> for Joint<P> {
    fn from(kind: Composite<P>) -> Self {
        Self::Composite(kind)
    }
}

impl<P> From<Mimic<P>> for Joint<P> {
    fn from(kind: Mimic<P>) -> Self {
        Self::Mimic(kind)
    }
}
