//! Regressors: matrices of quantities that are linear in the bodies' inertial parameters, or in small errors of the
//! joints' placements.
//!
//! Bodies have ten parameters each ([`Inertia::to_parameters`](crate::spatial::Inertia::to_parameters)), those of body
//! `b` in columns `10 b ..`. [`Model::inertial_parameters`] returns all of them. The contributions of joints themselves
//! (armature, damping, friction, springs) are part of [`standard_regressor`] alone.

mod com;
mod energy;
mod kinematic;
mod standard;
mod torque;
mod wrench;

pub use com::com_regressor;
pub use energy::{kinetic_energy_regressor, potential_energy_regressor};
pub use kinematic::kinematic_regressor;
pub use standard::standard_regressor;
pub use torque::{static_torque_regressor, torque_regressor};
pub use wrench::frame_wrench_regressor;

use super::slice_ops::first_not_finite;
use crate::default_fields::default_of_fields;
use crate::model::{InputError, Model};
use gradyn_derivatives::Real;
use nalgebra::DMatrix;

/// Results.
#[derive(Clone, Debug)]
pub(crate) struct RegressorMemory<T> {
    /// nv × 10 n.
    pub(super) torque: DMatrix<T>,
    /// 1 × 10 n.
    pub(super) energy: DMatrix<T>,
    /// 6 × 10.
    pub(super) wrench: DMatrix<T>,
    /// 6 × 6 n.
    pub(super) kinematic: DMatrix<T>,
    /// 3 × 4 n.
    pub(super) com: DMatrix<T>,
    /// nv × (10 n + 3 m + 2 s + 2 f).
    pub(super) standard: DMatrix<T>,
}

default_of_fields!(RegressorMemory: torque, energy, wrench, kinematic, com, standard);

impl<P: Real> Model<P> {
    /// The inertial parameters of all bodies, ten each: what regressors multiply.
    #[must_use]
    pub fn inertial_parameters(&self) -> Vec<P> {
        self.bodies.iter().flat_map(|body| body.inertia.to_parameters()).collect()
    }
}

/// Whether all entries are finite.
fn finite<P: Real, T: Real>(model: &Model<P>, what: &'static str, matrix: &DMatrix<T>) -> Result<(), InputError> {
    match first_not_finite(matrix.as_slice()) {
        Some(index) => Err(model.overflow_of(what, index, model.whole_label())),
        None => Ok(()),
    }
}
