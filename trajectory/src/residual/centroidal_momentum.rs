//! The difference of the robot's momentum from a goal.

use super::formula::{less_goal, own_memory, second_opinion};
use super::masses::Masses;
use super::{Depends, Jacobian, Quantity, QuantityPoint, Residual, ResidualPoint};
use crate::fault::Reason;
use gradyn::dynamics::{centroidal_derivatives, centroidal_momentum};
use gradyn::model::InputError;
use gradyn::spatial::Momentum;
use gradyn::{Model, Motion, Scalar};
use nalgebra::{DMatrix, Vector6};

/// `r = h_G − h*`, 6: N s, then N m s about the center of mass, in axes of the world. The goal is `h*`.
#[derive(Clone, Debug)]
#[doc(alias = "ResidualModelCentroidalMomentum")]
pub struct CentroidalMomentum {
    goal: Momentum<f64>,
}

impl CentroidalMomentum {
    /// Toward a momentum: linear part first.
    #[must_use]
    pub fn new(goal: Momentum<f64>) -> Self {
        Self { goal }
    }
}

impl Quantity for CentroidalMomentum {
    fn rows(&self, _model: &Model) -> usize {
        6
    }
    fn depends(&self) -> Depends {
        Depends::QV
    }
    #[inline(always)]
    fn evaluate<T: Scalar>(&self, on: &mut QuantityPoint<'_, T>, r: &mut [T]) -> Result<(), InputError> {
        let momentum = centroidal_momentum(on.model, on.workspace, on.q, on.v, on.a)?.momentum;
        less_goal(momentum.to_array(), on.goal, r);
        Ok(())
    }
}

impl Residual for CentroidalMomentum {
    fn goal(&self) -> Vec<f64> {
        self.goal.to_array().to_vec()
    }
    second_opinion!(Masses, rows 6);
    fn jacobian(&self, on: &mut ResidualPoint<'_>, r: &mut [f64], out: &mut Jacobian) -> Result<(), Reason> {
        let by = centroidal_derivatives(on.model, on.workspace, on.q, on.v, on.a)?;
        less_goal(by.momentum.to_array(), on.goal, r);
        out.dq.copy_from(&by.dmomentum_dq);
        out.dv.copy_from(&by.dmomentum_dv);
        Ok(())
    }
    fn add_hessian(&self, on: &mut ResidualPoint<'_>, lambda: &[f64], out: &mut DMatrix<f64>) -> Result<(), Reason> {
        let masses = own_memory::<Masses>(on.own)?;
        masses.place(on.model, on.workspace, [on.q, on.v, on.a], true)?;
        masses.add_momentum(on.v, Motion::from_vector6(&Vector6::from_column_slice(lambda)), out);
        Ok(())
    }
}
