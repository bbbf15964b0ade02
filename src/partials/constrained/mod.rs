//! Derivatives of dynamics under constraints, and of impulses.
//!
//! [`analytical`] says how they come about in closed form; dual numbers and differences go through
//! [`constraint_dynamics`](crate::dynamics::constraint_dynamics) and [`impulse_dynamics`](crate::dynamics::impulse_dynamics)
//! themselves.

mod analytical;
mod dynamics;
pub(super) mod hessian;
mod impulse;
mod inverse;
mod operators;
mod row_derivatives;

pub use dynamics::{
    ConstraintDynamicsDerivatives, constraint_dynamics_derivatives, constraint_dynamics_derivatives_into,
};
pub use hessian::{
    ConstraintDynamicsHessian, ConstraintInverseDynamicsHessian, ImpulseDynamicsHessian, constraint_dynamics_hessian,
    constraint_inverse_dynamics_hessian, impulse_dynamics_hessian,
};
pub use impulse::{ImpulseDynamicsDerivatives, impulse_dynamics_derivatives, impulse_dynamics_derivatives_into};
pub use inverse::{ConstraintInverseDynamicsDerivatives, constraint_inverse_dynamics_derivatives};

use super::StateJacobian;
use crate::kernels::finite;
use crate::model::{InputError, Model};
use inverse::ConstrainedInverseMemory;
use nalgebra::{DMatrix, DVector};

/// Results, and what they are computed in.
#[derive(Default)]
pub(super) struct ConstrainedMemory {
    dynamics: ConstraintDynamicsDerivatives,
    impulses: ImpulseDynamicsDerivatives,
    scratch: analytical::Scratch,
    inverse: ConstrainedInverseMemory,
}

impl ConstrainedMemory {
    pub(super) fn dynamics(&self) -> &ConstraintDynamicsDerivatives {
        &self.dynamics
    }
    pub(super) fn impulses(&self) -> &ImpulseDynamicsDerivatives {
        &self.impulses
    }
}

/// Nothing yet.
fn nothing() -> StateJacobian {
    let none = || DMatrix::zeros(0, 0);
    StateJacobian { value: DVector::zeros(0), dq: none(), dv: none(), du: none(), df_ext: Vec::new() }
}

/// So many matrices nv × nv are made at the first call: the results, and what equation (3) of `analytical` multiplies by.
const MATRICES: usize = 7;

fn split(m: &DMatrix<f64>, nv: usize) -> [DMatrix<f64>; 2] {
    [m.rows(0, nv).into_owned(), m.rows(nv, m.nrows() - nv).into_owned()]
}

/// Copies, and allocates only where the length is another.
fn store(to: &mut DVector<f64>, from: &[f64]) {
    if to.len() != from.len() {
        *to = DVector::zeros(from.len());
    }
    to.copy_from_slice(from);
}

/// Checks a result; its columns are degrees of freedom, or components of a wrench.
fn finite(model: &Model, what: &'static str, m: &DMatrix<f64>) -> Result<(), InputError> {
    if finite::all_finite(m.as_slice()) {
        return Ok(());
    }
    match m.as_slice().iter().position(|x| !x.is_finite()) {
        None => Ok(()),
        Some(at) => {
            let index = at % m.nrows();
            Err(model.overflow_of(what, index, model.dof_label(index.min(model.nv.saturating_sub(1)))))
        }
    }
}
