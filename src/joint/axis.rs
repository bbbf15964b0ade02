//! The direction of an axis, with the coordinate axes told apart from the others.

use crate::level::at_level;
use crate::spatial::so3::rodrigues;
use crate::spatial::vector as v3;
use gradyn_derivatives::{Real, Scalar};
use nalgebra::{Matrix3, Vector3};

/// A unit vector. Along a coordinate axis most products vanish, so these have names of their own.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Axis<P = f64> {
    /// (1, 0, 0)
    X,
    /// (0, 1, 0)
    Y,
    /// (0, 0, 1)
    Z,
    /// Another unit vector.
    Any(Vector3<P>),
}

impl<P: Real> Axis<P> {
    /// The unit vector.
    #[inline(always)]
    pub fn vector(&self) -> Vector3<P> {
        let (o, i) = (P::zero(), P::one());
        match self {
            Self::X => Vector3::new(i, o, o),
            Self::Y => Vector3::new(o, i, o),
            Self::Z => Vector3::new(o, o, i),
            Self::Any(a) => *a,
        }
    }

    /// The same axis in a wider number type.
    #[must_use]
    pub fn lift<T: Scalar<P>>(&self) -> Axis<T> {
        match self {
            Self::X => Axis::X,
            Self::Y => Axis::Y,
            Self::Z => Axis::Z,
            Self::Any(a) => Axis::Any(v3::lift(*a)),
        }
    }

    /// `s a` as a vector of a wider type.
    #[inline(always)]
    pub fn times<T: Scalar<P>>(&self, s: T) -> Vector3<T> {
        let o = T::zero();
        match self {
            Self::X => Vector3::new(s, o, o),
            Self::Y => Vector3::new(o, s, o),
            Self::Z => Vector3::new(o, o, s),
            Self::Any(a) => v3::times(*a, s),
        }
    }

    /// `a · b`
    #[inline(always)]
    pub fn dot<T: Scalar<P>>(&self, b: Vector3<T>) -> T {
        match self {
            Self::X => b.x,
            Self::Y => b.y,
            Self::Z => b.z,
            Self::Any(a) => v3::dot(*a, b),
        }
    }

    /// The rotation about the axis by the angle with this cosine and sine: `c E + s [a]× + (1 − c) a aᵀ` (Rodrigues).
    #[inline(always)]
    pub fn rotation<T: Scalar<P>>(&self, cos: T, sin: T) -> Matrix3<T> {
        let (o, i) = (T::zero(), T::one());
        match self {
            Self::X => Matrix3::new(i, o, o, o, cos, -sin, o, sin, cos),
            Self::Y => Matrix3::new(cos, o, sin, o, i, o, -sin, o, cos),
            Self::Z => Matrix3::new(cos, -sin, o, sin, cos, o, o, o, i),
            Self::Any(a) => about(*a, cos, sin),
        }
    }

    /// The [rotation](Self::rotation) about the axis by an angle, rad.
    ///
    /// A function of its own: over numbers made of registers it is a page of code, of which every kind of joint would
    /// have a copy.
    #[inline(never)]
    pub fn turn<T: Scalar<P>>(&self, angle: T) -> Matrix3<T> {
        turn(self, angle)
    }

    /// `R A`, for the rotation `A` about the axis by the angle with this cosine and sine.
    #[inline(always)]
    pub fn rotate_after<T: Scalar<P>>(&self, r: &Matrix3<P>, cos: T, sin: T) -> Matrix3<T> {
        let (x, y, z) = (v3::column(r, 0), v3::column(r, 1), v3::column(r, 2));
        match self {
            Self::X => {
                let (y, z) = turned(y, z, cos, sin);
                v3::from_columns(v3::lift(x), y, z)
            }
            Self::Y => {
                let (z, x) = turned(z, x, cos, sin);
                v3::from_columns(x, v3::lift(y), z)
            }
            Self::Z => {
                let (x, y) = turned(x, y, cos, sin);
                v3::from_columns(x, y, v3::lift(z))
            }
            Self::Any(a) => v3::product(r, &about(*a, cos, sin)),
        }
    }
}

at_level! {
    /// [`Axis::turn`], with the instructions of the number type.
    #[inline(always)]
    fn turn<P: Real, T: Scalar<P>>(axis: &Axis<P>, angle: T) -> Matrix3<T> {
        let (sin, cos) = angle.sin_cos();
        axis.rotation(cos, sin)
    }
}

/// [`Axis::rotation`] for any unit vector.
#[inline(always)]
fn about<P: Real, T: Scalar<P>>(a: Vector3<P>, cos: T, sin: T) -> Matrix3<T> {
    rodrigues(cos, v3::times(a, sin), v3::times(a, T::one() - cos), a)
}

/// Two axes in cyclic order, turned about the third: `(c a + s b, c b − s a)`.
#[inline(always)]
fn turned<P: Real, T: Scalar<P>>(a: Vector3<P>, b: Vector3<P>, cos: T, sin: T) -> (Vector3<T>, Vector3<T>) {
    (v3::times_plus(a, cos, v3::times(b, sin)), v3::times_plus(b, cos, v3::times(a, -sin)))
}

impl Axis<f64> {
    /// The axis along a vector of any length, told apart where it is a coordinate axis.
    ///
    /// `None` for a vector that is zero or not finite.
    #[must_use]
    pub fn along(direction: Vector3<f64>) -> Option<Self> {
        // Scaled first, so that very long and very short vectors survive the squares.
        let largest = direction.x.abs().max(direction.y.abs()).max(direction.z.abs());
        let finite = direction.x.is_finite() && direction.y.is_finite() && direction.z.is_finite();
        if !finite || largest <= 0.0 {
            return None;
        }
        let d = Vector3::new(direction.x / largest, direction.y / largest, direction.z / largest);
        let unit = v3::scale(1.0 / v3::norm_squared(d).sqrt(), d);
        Some(match (unit.x, unit.y, unit.z) {
            (1.0, 0.0, 0.0) => Self::X,
            (0.0, 1.0, 0.0) => Self::Y,
            (0.0, 0.0, 1.0) => Self::Z,
            _ => Self::Any(unit),
        })
    }
}
