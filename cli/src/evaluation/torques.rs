//! Inverse dynamics, its terms, and their derivatives.

use super::value::{Answers, largest};
use super::{At, Evaluator, Value, by_link, derivatives};
use crate::quantity::Quantity;
use gradyn::dynamics::{ReferenceFrame, WrenchFrame, bias, generalized_gravity, static_torque};
use gradyn::model::InputError;
use gradyn::partials::{
    DerivativeErrors, Method, bias_derivatives, generalized_gravity_derivatives, jacobian_transpose_derivatives,
    mass_product_derivatives, static_torque_derivatives,
};
use nalgebra::DMatrix;

impl Evaluator<'_> {
    pub(super) fn torques(&mut self, at: &At<'_>, answers: &mut Answers<'_>) -> Result<(), InputError> {
        let by = derivatives(self.robot, &mut self.derivatives, self.method, at.state)?;
        let (nv, size, errors) = (self.robot.model.nv(), largest(&by.tau), by.errors.as_deref());
        answers.put(Quantity::Tau, || Value::numbers(&by.tau));
        answers.derivatives(
            "",
            size,
            [
                (Quantity::DtauDq, &by.dtau_dq, errors.map(|by| &by.dtau_dq)),
                (Quantity::DtauDv, &by.dtau_dv, errors.map(|by| &by.dtau_dv)),
                (Quantity::DtauDa, &by.dtau_da, errors.map(|by| &by.dtau_da)),
            ],
        );
        by_link(at, answers, Quantity::DtauDfExt, nv, (&by.dtau_df_ext, errors.map(|by| &by.dtau_df_ext)), size);
        // Exact whatever the method.
        if self.method != Method::Difference {
            answers.put(Quantity::MassMatrix, || Value::matrix(&by.dtau_da));
        } else if answers.ask(&[Quantity::MassMatrix]) {
            let by = derivatives(self.robot, &mut self.derivatives, Method::Dual, at.state)?;
            answers.put(Quantity::MassMatrix, || Value::matrix(&by.dtau_da));
        }
        Ok(())
    }

    /// The parts that torques are made of.
    pub(super) fn terms(&mut self, at: &At<'_>, answers: &mut Answers<'_>) -> Result<(), InputError> {
        let (model, method, ws) = (&self.robot.model, self.method, &mut self.derivatives);
        let (nv, q, v, a) = (model.nv(), &at.state.q, &at.state.v, &at.state.a);
        if answers.ask(&[Quantity::Bias]) {
            let bias = bias(model, &mut self.workspace, q, v, &at.wrenches)?;
            answers.put(Quantity::Bias, || Value::numbers(bias));
        }
        if answers.ask(&[Quantity::Gravity]) {
            let gravity = generalized_gravity(model, &mut self.workspace, q)?;
            answers.put(Quantity::Gravity, || Value::numbers(gravity));
        }
        if answers.ask(&[Quantity::StaticTorque]) {
            let torque = static_torque(model, &mut self.workspace, q, &at.wrenches)?;
            answers.put(Quantity::StaticTorque, || Value::numbers(torque));
        }
        if answers.ask(&[Quantity::MassProduct, Quantity::MassProductDq]) {
            let by = mass_product_derivatives(model, ws, method, q, a)?;
            answers.put(Quantity::MassProduct, || Value::numbers(by.product));
            let error = by.errors.map(|by| &by.dtau_dq);
            answers.derivatives("", largest(by.product), [(Quantity::MassProductDq, by.dproduct_dq, error)]);
        }
        if answers.ask(&[Quantity::BiasDq, Quantity::BiasDv, Quantity::BiasDfExt]) {
            let by = bias_derivatives(model, ws, method, q, v, &at.wrenches)?;
            let size = largest(by.bias);
            answers.derivatives(
                "",
                size,
                [
                    (Quantity::BiasDq, by.dbias_dq, by.errors.map(|by| &by.dtau_dq)),
                    (Quantity::BiasDv, by.dbias_dv, by.errors.map(|by| &by.dtau_dv)),
                ],
            );
            by_link(at, answers, Quantity::BiasDfExt, nv, (by.dbias_df_ext, of_wrenches(by.errors)), size);
        }
        if answers.ask(&[Quantity::GravityDq]) {
            let by = generalized_gravity_derivatives(model, ws, method, q)?;
            let error = by.errors.map(|by| &by.dtau_dq);
            answers.derivatives("", largest(by.tau), [(Quantity::GravityDq, by.dtau_dq, error)]);
        }
        if answers.ask(&[Quantity::StaticTorqueDq, Quantity::StaticTorqueDfExt]) {
            let by = static_torque_derivatives(model, ws, method, q, &at.wrenches)?;
            let size = largest(by.tau);
            let error = by.errors.map(|by| &by.dtau_dq);
            answers.derivatives("", size, [(Quantity::StaticTorqueDq, by.dtau_dq, error)]);
            by_link(at, answers, Quantity::StaticTorqueDfExt, nv, (by.dtau_df_ext, of_wrenches(by.errors)), size);
        }
        if answers.ask(&[Quantity::WrenchTorques, Quantity::WrenchTorquesDq]) {
            self.torques_of_wrenches(at, answers)?;
        }
        Ok(())
    }

    /// `Jᵀ f` of each wrench.
    fn torques_of_wrenches(&mut self, at: &At<'_>, answers: &mut Answers<'_>) -> Result<(), InputError> {
        let (model, method, ws) = (&self.robot.model, self.method, &mut self.derivatives);
        for link in at.state.f_ext.iter().flatten() {
            // A link is a frame.
            let Some(frame) = model.find_frame(&link.link) else { continue };
            let reference = match link.frame {
                WrenchFrame::Body => ReferenceFrame::Local,
                WrenchFrame::World => ReferenceFrame::World,
            };
            let by = jacobian_transpose_derivatives(model, ws, method, &at.state.q, frame, reference, link.force())?;
            answers.part(Quantity::WrenchTorques, &link.link, || Value::numbers(&by.torque));
            let error = by.errors.as_deref().map(|by| &by.dtorque_dq);
            let size = largest(&by.torque).max(largest(&link.wrench));
            answers.derivatives(&link.link, size, [(Quantity::WrenchTorquesDq, &by.dtorque_dq, error)]);
        }
        Ok(())
    }
}

fn of_wrenches(errors: Option<&DerivativeErrors>) -> Option<&Vec<DMatrix<f64>>> {
    errors.map(|by| &by.dtau_df_ext)
}
