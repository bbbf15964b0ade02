//! Inverse dynamics, its terms, and their derivatives.

use super::value::{Answers, largest};
use super::{At, Evaluator, Value, by_link, derivatives, finite};
use crate::quantity::Quantity;
use crate::states::State;
use gradyn::dynamics::{
    ExternalWrench, ReferenceFrame, WrenchFrame, bias, crba, frame_jacobian, generalized_gravity, rnea, static_torque,
};
use gradyn::model::InputError;
use gradyn::partials::{
    DerivativeErrors, Method, bias_derivatives, generalized_gravity_derivatives, jacobian_transpose_derivatives,
    mass_product_derivatives, static_torque_derivatives,
};
use nalgebra::{DMatrix, Vector3, Vector6};

impl Evaluator<'_> {
    pub(super) fn torques(&mut self, at: &At<'_>, answers: &mut Answers<'_>) -> Result<(), InputError> {
        let (model, method) = (&self.robot.model, self.method);
        let State { q, v, a, .. } = at.state;
        let mut size = 0.0;
        if answers.ask(&[Quantity::Tau, Quantity::DtauDfExt]) {
            let tau = rnea(model, self.workspace.get(), q, v, a, &at.wrenches)?;
            size = largest(tau);
            answers.put(Quantity::Tau, || Value::numbers(tau));
        }
        if answers.ask(&[Quantity::MassMatrix]) {
            let matrix = crba(model, self.workspace.get(), q)?;
            answers.put(Quantity::MassMatrix, || Value::matrix(matrix));
        }
        if !answers.ask(&[Quantity::DtauDq, Quantity::DtauDv, Quantity::DtauDa])
            && !self.needs_matrices(at, answers, Quantity::DtauDfExt)
        {
            return self.by_wrenches(at, answers, Quantity::DtauDfExt, size);
        }
        let by = derivatives(self.robot, self.derivatives.get(), method, at.state)?;
        let (size, errors) = (largest(&by.tau), by.errors.as_deref());
        answers.derivatives(
            "",
            size,
            [
                (Quantity::DtauDq, &by.dtau_dq, errors.map(|by| &by.dtau_dq)),
                (Quantity::DtauDv, &by.dtau_dv, errors.map(|by| &by.dtau_dv)),
                (Quantity::DtauDa, &by.dtau_da, errors.map(|by| &by.dtau_da)),
            ],
        );
        by_link(at, answers, Quantity::DtauDfExt, model.nv(), (&by.dtau_df_ext, of_wrenches(errors)), size);
        Ok(())
    }

    /// Whether derivatives by wrenches are requested that come with those by the joints' coordinates. By formulas they
    /// are [Jacobians](Self::by_wrenches).
    fn needs_matrices(&self, at: &At<'_>, answers: &Answers<'_>, by_wrenches: Quantity) -> bool {
        self.method != Method::Analytical && !at.wrenches.is_empty() && answers.ask(&[by_wrenches])
    }

    /// Derivatives of torques by wrenches, `−Jᵀ`, nv × 6 each.
    fn by_wrenches(
        &mut self,
        at: &At<'_>,
        answers: &mut Answers<'_>,
        quantity: Quantity,
        size: f64,
    ) -> Result<(), InputError> {
        if !answers.ask(&[quantity]) {
            return Ok(());
        }
        let (model, ws) = (&self.robot.model, self.workspace.get());
        let matrix = |wrench: &ExternalWrench| {
            let reference = reference(wrench.frame);
            Ok(-frame_jacobian(model, ws, &at.state.q, wrench.body, reference)?.transpose())
        };
        let matrices = at.wrenches.iter().map(matrix).collect::<Result<Vec<_>, InputError>>()?;
        by_link(at, answers, quantity, model.nv(), (&matrices, None), size);
        Ok(())
    }

    /// The parts that torques are made of.
    pub(super) fn terms(&mut self, at: &At<'_>, answers: &mut Answers<'_>) -> Result<(), InputError> {
        let (model, method) = (&self.robot.model, self.method);
        let State { q, v, a, .. } = at.state;
        let nv = model.nv();
        if answers.ask(&[Quantity::MassProduct]) {
            // At rest there is no friction; weight and springs are left out.
            let weightless = model.clone().with_gravity(Vector3::zeros()).without_springs();
            let product = rnea(&weightless, self.workspace.get(), q, &at.zeros, a, &[])?;
            answers.put(Quantity::MassProduct, || Value::numbers(product));
        }
        if answers.ask(&[Quantity::MassProductDq]) {
            let by = mass_product_derivatives(model, self.derivatives.get(), method, q, a)?;
            let error = by.errors.map(|by| &by.dtau_dq);
            answers.derivatives("", largest(by.product), [(Quantity::MassProductDq, by.dproduct_dq, error)]);
        }
        if answers.ask(&[Quantity::Bias]) {
            let bias = bias(model, self.workspace.get(), q, v, &at.wrenches)?;
            answers.put(Quantity::Bias, || Value::numbers(bias));
        }
        if answers.ask(&[Quantity::BiasDq, Quantity::BiasDv]) || self.needs_matrices(at, answers, Quantity::BiasDfExt) {
            let by = bias_derivatives(model, self.derivatives.get(), method, q, v, &at.wrenches)?;
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
        } else if answers.ask(&[Quantity::BiasDfExt]) {
            let size = largest(bias(model, self.workspace.get(), q, v, &at.wrenches)?);
            self.by_wrenches(at, answers, Quantity::BiasDfExt, size)?;
        }
        if answers.ask(&[Quantity::Gravity]) {
            let gravity = generalized_gravity(model, self.workspace.get(), q)?;
            answers.put(Quantity::Gravity, || Value::numbers(gravity));
        }
        if answers.ask(&[Quantity::GravityDq]) {
            let by = generalized_gravity_derivatives(model, self.derivatives.get(), method, q)?;
            let error = by.errors.map(|by| &by.dtau_dq);
            answers.derivatives("", largest(by.tau), [(Quantity::GravityDq, by.dtau_dq, error)]);
        }
        if answers.ask(&[Quantity::StaticTorque]) {
            let torque = static_torque(model, self.workspace.get(), q, &at.wrenches)?;
            answers.put(Quantity::StaticTorque, || Value::numbers(torque));
        }
        if answers.ask(&[Quantity::StaticTorqueDq]) || self.needs_matrices(at, answers, Quantity::StaticTorqueDfExt) {
            let by = static_torque_derivatives(model, self.derivatives.get(), method, q, &at.wrenches)?;
            let size = largest(by.tau);
            let error = by.errors.map(|by| &by.dtau_dq);
            answers.derivatives("", size, [(Quantity::StaticTorqueDq, by.dtau_dq, error)]);
            by_link(at, answers, Quantity::StaticTorqueDfExt, nv, (by.dtau_df_ext, of_wrenches(by.errors)), size);
        } else if answers.ask(&[Quantity::StaticTorqueDfExt]) {
            let size = largest(static_torque(model, self.workspace.get(), q, &at.wrenches)?);
            self.by_wrenches(at, answers, Quantity::StaticTorqueDfExt, size)?;
        }
        if answers.ask(&[Quantity::WrenchTorques, Quantity::WrenchTorquesDq]) {
            self.torques_of_wrenches(at, answers)?;
        }
        Ok(())
    }

    /// `Jᵀ f` of each wrench.
    fn torques_of_wrenches(&mut self, at: &At<'_>, answers: &mut Answers<'_>) -> Result<(), InputError> {
        let (model, method, q) = (&self.robot.model, self.method, &at.state.q);
        for link in at.state.f_ext.iter().flatten() {
            // A link is a frame.
            let Some(frame) = model.find_frame(&link.link) else { continue };
            let (name, reference) = (&link.link, reference(link.frame));
            if answers.ask(&[Quantity::WrenchTorques]) {
                let jacobian = frame_jacobian(model, self.workspace.get(), q, frame, reference)?;
                let torque = jacobian.tr_mul(&Vector6::from(link.wrench));
                finite(model, "wrench_torques", torque.as_slice())?;
                answers.part(Quantity::WrenchTorques, name, || Value::numbers(&torque));
            }
            if answers.ask(&[Quantity::WrenchTorquesDq]) {
                let ws = self.derivatives.get();
                let by = jacobian_transpose_derivatives(model, ws, method, q, frame, reference, link.force())?;
                let error = by.errors.as_deref().map(|by| &by.dtorque_dq);
                let size = largest(&by.torque).max(largest(&link.wrench));
                answers.derivatives(name, size, [(Quantity::WrenchTorquesDq, &by.dtorque_dq, error)]);
            }
        }
        Ok(())
    }
}

/// The coordinates of a wrench's numbers.
fn reference(frame: WrenchFrame) -> ReferenceFrame {
    match frame {
        WrenchFrame::Body => ReferenceFrame::Local,
        WrenchFrame::World => ReferenceFrame::World,
    }
}

fn of_wrenches(errors: Option<&DerivativeErrors>) -> Option<&Vec<DMatrix<f64>>> {
    errors.map(|by| &by.dtau_df_ext)
}
