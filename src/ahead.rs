//! Pages over the usual dual numbers, compiled once, in this crate.
//!
//! A generic function is compiled in the crate that calls it, unless it is `#[inline(never)]` and a crate below has compiled it for the
//! same types: then that copy is taken, in release too. Pages and their pieces are such functions, so it is enough to name them here
//! for the number types of the [drivers](gradyn_derivatives::drivers): a function of a user that goes through them compiles in seconds.
//! `docs/building.md` has what each type costs here and saves there. Pages over other types, and pages that are not named, are compiled
//! where they are used.

use crate::dynamics::{
    Kinematics, Workspace, aba, bias, center_of_mass, centroidal_momentum, constraint_dynamics, crba,
    forward_kinematics, impulse_dynamics, mechanical_energy, rnea,
};
use crate::model::Model;
use gradyn_derivatives::directions::{Directions, InDirections, in_directions};
use gradyn_derivatives::num_dual::{Dual64, HyperDual64};
use gradyn_derivatives::{Real, Scalar};
use std::hint::black_box;

/// Names the pages, and does nothing. Never called; public so that it is compiled.
#[doc(hidden)]
pub fn pages() {
    in_directions(Pages);
    all::<f64, Dual64>();
    all::<f64, HyperDual64>();
}

struct Pages;

impl InDirections for Pages {
    type Output = ();
    #[inline(always)]
    fn run<D: Directions>(self) {
        all::<f64, D>();
        motions::<f64, D::Twice>();
    }
}

/// A function of so many arguments, as a value: so it has to be there.
macro_rules! name {
    ($($function:expr, ($($argument:tt)*);)*) => { $(
        let function: fn($($argument)*) -> _ = $function;
        black_box(function);
    )* };
}

/// What most functions of a user are made of.
#[inline(always)]
fn motions<P: Real, T: Scalar<P>>() {
    name! {
        Workspace::<T>::new::<P>, (_);
        forward_kinematics::<P, T>, (_, _, _, _, _);
        Kinematics::<P, T>::frame_pose, (_, _);
        Kinematics::<P, T>::frame_velocity, (_, _);
        Kinematics::<P, T>::frame_acceleration, (_, _);
        rnea::<P, T>, (_, _, _, _, _, _);
        aba::<P, T>, (_, _, _, _, _, _);
        Model::<P>::integrate_into::<T>, (_, _, _, _);
        Model::<P>::difference_into::<T>, (_, _, _, _);
    }
}

#[inline(always)]
fn all<P: Real, T: Scalar<P>>() {
    motions::<P, T>();
    name! {
        crba::<P, T>, (_, _, _);
        bias::<P, T>, (_, _, _, _, _);
        constraint_dynamics::<P, T>, (_, _, _, _, _, _, _);
        impulse_dynamics::<P, T>, (_, _, _, _, _, _);
        center_of_mass::<P, T>, (_, _, _, _, _);
        centroidal_momentum::<P, T>, (_, _, _, _, _);
        mechanical_energy::<P, T>, (_, _, _, _);
    }
}
