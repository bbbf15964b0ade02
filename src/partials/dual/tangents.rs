//! Derivatives of what inverse dynamics over `f64` have left the values of.
//!
//! Each run over dual numbers would compute the same values once more. Only derivatives are kept of a body's motion and force, and
//! the values are taken from there: the compiler leaves out what would only make a value.

use crate::spatial::{Force, Motion};
use gradyn_derivatives::{Lanes, Register, Scalar, Uniform, VectorDual};
use nalgebra::Vector3;

/// Those of each body, in eight directions.
pub(super) struct Tangents<R: Register> {
    pub(super) velocity: Vec<Motion<Lanes<R>>>,
    pub(super) acceleration: Vec<Motion<Lanes<R>>>,
    pub(super) force: Vec<Force<Lanes<R>>>,
}

impl<R: Register> Tangents<R> {
    pub(super) fn new(bodies: usize) -> Self {
        Self {
            velocity: vec![Motion::zero(); bodies],
            acceleration: vec![Motion::zero(); bodies],
            force: vec![Force::zero(); bodies],
        }
    }
}

/// A quantity of numbers, taken apart into values and derivatives.
pub(super) trait Parts<R: Register> {
    type Values;
    type Tangents;
    fn join(values: &Self::Values, tangents: &Self::Tangents) -> Self;
    fn tangents(self) -> Self::Tangents;
}

impl<R: Register> Parts<R> for VectorDual<R> {
    type Values = f64;
    type Tangents = Lanes<R>;
    #[inline(always)]
    fn join(value: &f64, tangent: &Lanes<R>) -> Self {
        Self::new(Uniform::from(*value), *tangent)
    }
    #[inline(always)]
    fn tangents(self) -> Lanes<R> {
        self.eps
    }
}

/// Of the fields of a structure.
macro_rules! parts {
    ($($of:ident { $($field:ident),* }),* $(,)?) => { $(
        impl<R: Register> Parts<R> for $of<VectorDual<R>> {
            type Values = $of<f64>;
            type Tangents = $of<Lanes<R>>;
            #[inline(always)]
            fn join(values: &$of<f64>, tangents: &$of<Lanes<R>>) -> Self {
                $of::new($(Parts::join(&values.$field, &tangents.$field)),*)
            }
            #[inline(always)]
            fn tangents(self) -> $of<Lanes<R>> {
                $of::new($(Parts::<R>::tangents(self.$field)),*)
            }
        }
    )* };
}
parts!(Vector3 { x, y, z }, Motion { linear, angular }, Force { linear, angular },);

/// The number type of velocities: they vary or do not.
pub(super) trait Velocity<R: Register>: Scalar<f64> {
    fn join(values: &Motion<f64>, tangents: &Motion<Lanes<R>>) -> Motion<Self>;
    fn keep(motion: Motion<Self>, tangents: &mut Motion<Lanes<R>>);
}

impl<R: Register> Velocity<R> for VectorDual<R> {
    #[inline(always)]
    fn join(values: &Motion<f64>, tangents: &Motion<Lanes<R>>) -> Motion<Self> {
        Parts::join(values, tangents)
    }
    #[inline(always)]
    fn keep(motion: Motion<Self>, tangents: &mut Motion<Lanes<R>>) {
        *tangents = motion.tangents();
    }
}

impl<R: Register> Velocity<R> for f64 {
    #[inline(always)]
    fn join(values: &Motion<f64>, _: &Motion<Lanes<R>>) -> Motion<Self> {
        *values
    }
    #[inline(always)]
    fn keep(_: Motion<Self>, _: &mut Motion<Lanes<R>>) {}
}
