//! Second derivatives, and their combinations.

use super::value::{Answers, Derivative, flat, largest};
use super::{At, Evaluator, Value};
use crate::quantity::Quantity;
use gradyn::dynamics::{Tensor3, aba_gradient, rnea_gradient};
use gradyn::model::InputError;
use gradyn::partials::{
    AbaHessian, Method, aba_derivatives, aba_hessian, aba_hessian_product, aba_second_derivatives, rnea_derivatives,
    rnea_hessian, rnea_hessian_product, rnea_second_derivatives,
};
use nalgebra::DMatrix;

const TORQUES: [Quantity; 4] = [Quantity::D2tauDqdq, Quantity::D2tauDqdv, Quantity::D2tauDvdv, Quantity::D2tauDadq];

const ACCELERATIONS: [Quantity; 4] =
    [Quantity::D2ddqDqdq, Quantity::D2ddqDqdv, Quantity::D2ddqDvdv, Quantity::D2ddqDqdtau];

impl Evaluator<'_> {
    pub(super) fn torque_tensors(&mut self, at: &At<'_>, answers: &mut Answers<'_>) -> Result<(), InputError> {
        let (model, method) = (&self.robot.model, self.method);
        let (q, v, a) = (&at.state.q, &at.state.v, &at.state.a);
        let first = rnea_derivatives(model, self.derivatives.get(), Method::Analytical, q, v, a, &at.wrenches)?;
        let size = first.matrices().iter().map(|(_, matrix)| matrix.amax()).fold(0.0, f64::max);
        let by = rnea_second_derivatives(model, self.second.get(), method, q, v, a, &at.wrenches)?;
        let tensors = asked(answers, TORQUES, by.tensors(), size);
        put(answers, tensors, self.second.get().rnea_errors().map(|errors| errors.tensors()));
        Ok(())
    }

    pub(super) fn acceleration_tensors(&mut self, at: &At<'_>, answers: &mut Answers<'_>) -> Result<(), InputError> {
        let (model, method) = (&self.robot.model, self.method);
        let (q, v, tau) = (&at.state.q, &at.state.v, at.tau());
        let ws = self.derivatives.get();
        let first = aba_derivatives(model, ws, Method::Analytical, q, v, tau, &at.wrenches)?;
        let size = first.matrices().iter().map(|(_, matrix)| matrix.amax()).fold(0.0, f64::max);
        let ws = self.second.get();
        let by = aba_second_derivatives(model, ws, method, q, v, tau, &at.wrenches)?;
        let tensors = asked(answers, ACCELERATIONS, by.tensors(), size);
        put(answers, tensors, self.second.get().aba_errors().map(|errors| errors.tensors()));
        Ok(())
    }

    /// Gradients and Hessians of `λᵀ τ` and `λᵀ q̈`.
    pub(super) fn contractions(&mut self, at: &At<'_>, answers: &mut Answers<'_>) -> Result<(), InputError> {
        let model = &self.robot.model;
        let (q, v, a, tau, lambda) = (&at.state.q, &at.state.v, &at.state.a, at.tau(), at.lambda());
        if answers.ask(&[Quantity::TauGradient]) {
            let by = rnea_gradient(model, self.workspace.get(), q, v, a, lambda, &at.wrenches)?;
            answers.put(Quantity::TauGradient, || {
                let [dq, dv, da] = [by.dq, by.dv, by.da].map(Value::numbers);
                Value::fields([("value", Value::Number(by.value)), ("dq", dq), ("dv", dv), ("da", da)])
            });
        }
        if answers.ask(&[Quantity::TauHessian]) {
            let by = rnea_hessian(model, self.hessians.get(), q, v, a, lambda, &at.wrenches)?;
            answers.put(Quantity::TauHessian, || {
                let [dqq, dvq, daq, dvv] = [&by.dqq, &by.dvq, &by.daq, &by.dvv].map(Value::matrix);
                Value::fields([("dqq", dqq), ("dvq", dvq), ("daq", daq), ("dvv", dvv)])
            });
        }
        if answers.ask(&[Quantity::TauHessianProduct]) {
            let ([x_q, x_v, x_a, _], ws) = (at.direction(), self.hessians.get());
            let by = rnea_hessian_product(model, ws, q, v, a, lambda, x_q, x_v, x_a, &at.wrenches)?;
            answers.put(Quantity::TauHessianProduct, || {
                Value::fields([("dq", &by.dq), ("dv", &by.dv), ("da", &by.da)].map(|(k, x)| (k, Value::numbers(x))))
            });
        }
        if answers.ask(&[Quantity::DdqGradient]) {
            let by = aba_gradient(model, self.workspace.get(), q, v, tau, lambda, &at.wrenches)?;
            answers.put(Quantity::DdqGradient, || {
                let [dq, dv, dtau] = [by.dq, by.dv, by.dtau].map(Value::numbers);
                Value::fields([("value", Value::Number(by.value)), ("dq", dq), ("dv", dv), ("dtau", dtau)])
            });
        }
        if answers.ask(&[Quantity::DdqHessian]) {
            let ws = self.second.get();
            let by = aba_hessian(model, ws, self.method, q, v, tau, lambda, &at.wrenches)?;
            let size = largest(&by.dq).max(largest(&by.dv)).max(largest(&by.dtau));
            let (values, errors) = (hessian(by), by.errors.as_deref().map(hessian));
            for (k, (field, value)) in values.into_iter().enumerate() {
                let error = errors.map(|errors| errors[k].1);
                answers.derivatives(field, size, [(Quantity::DdqHessian, value, error)]);
            }
        }
        if answers.ask(&[Quantity::DdqHessianProduct]) {
            let [x_q, x_v, _, x_tau] = at.direction();
            let ws = self.second.get();
            let by = aba_hessian_product(model, ws, q, v, tau, lambda, x_q, x_v, x_tau, &at.wrenches)?;
            answers.put(Quantity::DdqHessianProduct, || {
                Value::fields([("dq", &by.dq), ("dv", &by.dv), ("dtau", &by.dtau)].map(|(k, x)| (k, Value::numbers(x))))
            });
        }
        Ok(())
    }
}

/// Four tensors with their names.
type Tensors<'t> = [(&'static str, &'t Tensor3); 4];

/// Those of four tensors that are asked for, with their places among the four.
fn asked(
    answers: &Answers<'_>,
    quantities: [Quantity; 4],
    tensors: Tensors<'_>,
    size: f64,
) -> Vec<(usize, Quantity, Derivative)> {
    let all = quantities.into_iter().zip(tensors).enumerate();
    let asked = all.filter(|(_, (quantity, _))| answers.ask(&[*quantity]));
    asked.map(|(k, (quantity, (_, tensor)))| (k, quantity, Derivative::of_tensor(tensor, size))).collect()
}

/// Answers them, with their errors.
fn put(answers: &mut Answers<'_>, tensors: Vec<(usize, Quantity, Derivative)>, errors: Option<Tensors<'_>>) {
    for (k, quantity, tensor) in tensors {
        let error = errors.map(|errors| flat(errors[k].1));
        answers.put(quantity, || Value::Second(Derivative { error, ..tensor }));
    }
}

/// The blocks by name.
fn hessian(by: &AbaHessian) -> [(&'static str, &DMatrix<f64>); 4] {
    [("dqq", &by.dqq), ("dvq", &by.dvq), ("dtauq", &by.dtauq), ("dvv", &by.dvv)]
}
