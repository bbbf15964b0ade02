//! Motions and forces as vectors: what both have, component by component.

use super::{Force, Motion, vector as v3};
use gradyn_derivatives::{Real, Scalar};
use nalgebra::Vector3;
use std::ops::{Add, AddAssign, Mul, Neg, Sub, SubAssign};

macro_rules! vector_space {
    ($($type:ident),*) => { $(
        impl<T: Real> $type<T> {
            /// From the linear and the angular part.
            #[inline(always)]
            pub fn new(linear: Vector3<T>, angular: Vector3<T>) -> Self {
                Self { linear, angular }
            }

            /// Zero.
            #[inline(always)]
            pub fn zero() -> Self {
                Self::new(v3::zero(), v3::zero())
            }

            /// The same in a wider number type.
            #[inline(always)]
            pub fn lift<U: Scalar<T>>(self) -> $type<U> {
                $type::new(v3::lift(self.linear), v3::lift(self.angular))
            }

            /// `s self`, by a factor of a simpler type.
            #[inline(always)]
            pub fn scale<P: Real>(self, s: P) -> Self
            where
                T: Scalar<P>,
            {
                Self::new(v3::scale(s, self.linear), v3::scale(s, self.angular))
            }

            /// `s self`, by a factor of a wider type.
            #[inline(always)]
            pub fn times<U: Scalar<T>>(self, s: U) -> $type<U> {
                $type::new(v3::times(self.linear, s), v3::times(self.angular, s))
            }

            /// `s self + b`, by a factor of a wider type.
            #[inline(always)]
            pub fn times_plus<U: Scalar<T>>(self, s: U, b: $type<U>) -> $type<U> {
                $type::new(v3::times_plus(self.linear, s, b.linear), v3::times_plus(self.angular, s, b.angular))
            }
        }

        impl<P: Real, T: Scalar<P>> Add<$type<T>> for $type<P> {
            type Output = $type<T>;
            /// The left side may be of a simpler type.
            #[inline(always)]
            fn add(self, x: $type<T>) -> $type<T> {
                $type::new(v3::add(self.linear, x.linear), v3::add(self.angular, x.angular))
            }
        }

        impl<T: Real> AddAssign for $type<T> {
            #[inline(always)]
            fn add_assign(&mut self, x: Self) {
                *self = *self + x;
            }
        }

        impl<T: Real> Sub for $type<T> {
            type Output = Self;
            #[inline(always)]
            fn sub(self, x: Self) -> Self {
                Self::new(v3::sub(self.linear, x.linear), v3::sub(self.angular, x.angular))
            }
        }

        impl<T: Real> SubAssign for $type<T> {
            #[inline(always)]
            fn sub_assign(&mut self, x: Self) {
                *self = *self - x;
            }
        }

        impl<T: Real> Neg for $type<T> {
            type Output = Self;
            #[inline(always)]
            fn neg(self) -> Self {
                Self::new(v3::neg(self.linear), v3::neg(self.angular))
            }
        }

        impl<T: Real> Mul<T> for $type<T> {
            type Output = Self;
            #[inline(always)]
            fn mul(self, s: T) -> Self {
                self.scale::<T>(s)
            }
        }
    )* };
}
vector_space!(Motion, Force);
