//! The difference of the center of mass from a goal: `r = c − c*`.

use super::formula::{less_goal, own_memory, second_opinion};
use super::masses::Masses;
use super::{Depends, Jacobian, Quantity, QuantityPoint, Residual, ResidualPoint};
use crate::fault::Reason;
use gradyn::dynamics::{center_of_mass, com_jacobian};
use gradyn::model::InputError;
use gradyn::{Model, Scalar};
use nalgebra::{DMatrix, Vector3};

/// `r = c − c*`, 3, m, in axes of the world. The goal is `c*`.
#[derive(Clone, Debug)]
#[doc(alias = "ResidualModelCoMPosition")]
pub struct CenterOfMass {
    goal: Vector3<f64>,
}

impl CenterOfMass {
    /// Toward a place in the world, m.
    #[must_use]
    pub fn new(goal: Vector3<f64>) -> Self {
        Self { goal }
    }
}

impl Quantity for CenterOfMass {
    fn rows(&self, _model: &Model) -> usize {
        3
    }
    fn depends(&self) -> Depends {
        Depends::Q
    }
    #[inline(always)]
    fn evaluate<T: Scalar>(&self, on: &mut QuantityPoint<'_, T>, r: &mut [T]) -> Result<(), InputError> {
        let centers = center_of_mass(on.model, on.workspace, on.q, on.v, on.v)?;
        less_goal(centers.whole.position.iter().copied(), on.goal, r);
        Ok(())
    }
}

impl Residual for CenterOfMass {
    fn goal(&self) -> Vec<f64> {
        self.goal.as_slice().to_vec()
    }
    second_opinion!(Masses, rows 3);
    fn jacobian(&self, on: &mut ResidualPoint<'_>, r: &mut [f64], out: &mut Jacobian) -> Result<(), Reason> {
        self.value(on, r)?;
        out.dq.copy_from(com_jacobian(on.model, on.workspace, on.q, None)?);
        Ok(())
    }
    fn add_hessian(&self, on: &mut ResidualPoint<'_>, lambda: &[f64], out: &mut DMatrix<f64>) -> Result<(), Reason> {
        let masses = own_memory::<Masses>(on.own)?;
        masses.place(on.model, on.workspace, [on.q, on.v, on.a], false)?;
        masses.add_center(out, Vector3::from_column_slice(lambda));
        Ok(())
    }
}
