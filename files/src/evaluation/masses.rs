//! Mass matrix, energy, centers of mass, momentum, regressors: how the robot's masses lie and move.

use super::value::{Answers, largest};
use super::{At, Evaluator, Value};
use crate::quantity::Quantity;
use gradyn::dynamics::{
    center_of_mass, centroidal, com_jacobian, com_regressor, coriolis_matrix, frame_wrench_regressor,
    kinematic_regressor, kinetic_energy, kinetic_energy_regressor, minv, potential_energy, potential_energy_regressor,
    static_torque_regressor, torque_regressor,
};
use gradyn::model::{Body, InputError};
use gradyn::partials::{center_of_mass_derivatives, centroidal_derivatives};
use nalgebra::DMatrix;

/// Derivatives of the center of mass: of position, velocity and acceleration.
const COM: [Quantity; 6] = [
    Quantity::ComPositionDq,
    Quantity::ComVelocityDq,
    Quantity::ComVelocityDv,
    Quantity::ComAccelerationDq,
    Quantity::ComAccelerationDv,
    Quantity::ComAccelerationDa,
];

/// The same of the subtree of a joint.
const SUBTREES: [Quantity; 6] = [
    Quantity::SubtreePositionsDq,
    Quantity::SubtreeVelocitiesDq,
    Quantity::SubtreeVelocitiesDv,
    Quantity::SubtreeAccelerationsDq,
    Quantity::SubtreeAccelerationsDv,
    Quantity::SubtreeAccelerationsDa,
];

/// Their values.
const SUBTREE_VALUES: [Quantity; 3] =
    [Quantity::SubtreePositions, Quantity::SubtreeVelocities, Quantity::SubtreeAccelerations];

/// Derivatives of the momentum and of its rate.
const MOMENTA: [Quantity; 5] = [
    Quantity::MomentumDq,
    Quantity::MomentumDv,
    Quantity::MomentumRateDq,
    Quantity::MomentumRateDv,
    Quantity::MomentumRateDa,
];

impl Evaluator<'_> {
    pub(super) fn masses(&mut self, at: &At<'_>, answers: &mut Answers<'_>) -> Result<(), InputError> {
        let (model, ws) = (&self.robot.model, self.workspace.get());
        let (q, v) = (&at.state.q, &at.state.v);
        if answers.ask(&[Quantity::MassMatrixInverse]) {
            let inverse = minv(model, ws, q)?;
            answers.put(Quantity::MassMatrixInverse, || Value::matrix(inverse));
        }
        if answers.ask(&[Quantity::Coriolis]) {
            let coriolis = coriolis_matrix(model, ws, q, v)?;
            answers.put(Quantity::Coriolis, || Value::matrix(coriolis));
        }
        if answers.ask(&[Quantity::Energy]) {
            let (kinetic, potential) = (kinetic_energy(model, ws, q, v)?, potential_energy(model, ws, q)?);
            answers.put(Quantity::Energy, || {
                Value::fields([("kinetic", Value::Number(kinetic)), ("potential", Value::Number(potential))])
            });
        }
        Ok(())
    }

    pub(super) fn centers(&mut self, at: &At<'_>, answers: &mut Answers<'_>) -> Result<(), InputError> {
        let (model, method) = (&self.robot.model, self.method);
        let (q, v, a) = (&at.state.q, &at.state.v, &at.state.a);
        if answers.ask(&[Quantity::Com]) || answers.ask(&SUBTREE_VALUES) {
            let coms = center_of_mass(model, self.workspace.get(), q, v, a)?;
            answers.put(Quantity::Com, || {
                Value::fields([
                    ("mass", Value::Number(coms.whole.mass)),
                    ("position", Value::numbers(&coms.whole.position)),
                    ("velocity", Value::numbers(&coms.whole.velocity)),
                    ("acceleration", Value::numbers(&coms.whole.acceleration)),
                ])
            });
            for (name, body) in &self.places.subtrees {
                let Some(com) = coms.subtree(*body) else { continue };
                for (quantity, value) in SUBTREE_VALUES.into_iter().zip([com.position, com.velocity, com.acceleration])
                {
                    answers.part(quantity, name, || Value::numbers(&value));
                }
            }
        }
        if answers.ask(&[Quantity::ComJacobian]) {
            let jacobian = com_jacobian(model, self.workspace.get(), q, None)?;
            answers.put(Quantity::ComJacobian, || Value::matrix(jacobian));
        }
        let whole = (COM, String::new(), None);
        let subtrees = self.places.subtrees.iter().map(|(name, body)| (SUBTREES, name.clone(), Some(*body)));
        for (quantities, name, subtree) in std::iter::once(whole).chain(subtrees) {
            if !answers.ask(&quantities) {
                continue;
            }
            let by = center_of_mass_derivatives(model, self.derivatives.get(), method, q, v, a, subtree)?;
            let motion = largest(v).max(largest(a));
            let [position, velocity, acceleration] =
                [by.position, by.velocity, by.acceleration].map(|value| largest(&value).max(motion));
            let sizes = [position, velocity, velocity, acceleration, acceleration, acceleration];
            let errors = by.errors.as_deref().map(|errors| errors.matrices());
            for (k, (quantity, (_, value))) in quantities.into_iter().zip(by.matrices()).enumerate() {
                answers.derivatives(&name, sizes[k], [(quantity, value, errors.map(|errors| errors[k].1))]);
            }
        }
        Ok(())
    }

    pub(super) fn momenta(&mut self, at: &At<'_>, answers: &mut Answers<'_>) -> Result<(), InputError> {
        let (model, method) = (&self.robot.model, self.method);
        let (q, v, a) = (&at.state.q, &at.state.v, &at.state.a);
        if answers.ask(&[Quantity::Centroidal]) {
            let whole = centroidal(model, self.workspace.get(), q, v, a)?;
            answers.put(Quantity::Centroidal, || {
                Value::fields([
                    ("matrix", Value::matrix(whole.matrix)),
                    ("matrix_rate", Value::matrix(whole.matrix_rate)),
                    ("momentum", Value::force(&whole.momentum)),
                    ("momentum_rate", Value::force(&whole.momentum_rate)),
                ])
            });
        }
        if answers.ask(&MOMENTA) {
            let by = centroidal_derivatives(model, self.derivatives.get(), method, q, v, a)?;
            let momentum = largest(&by.momentum.to_array());
            let rate = largest(&by.momentum_rate.to_array());
            let sizes = [momentum, momentum, rate, rate, rate];
            let errors = by.errors.as_deref().map(|errors| errors.matrices());
            for (k, (quantity, (_, value))) in MOMENTA.into_iter().zip(by.matrices()).enumerate() {
                answers.derivatives("", sizes[k], [(quantity, value, errors.map(|errors| errors[k].1))]);
            }
        }
        Ok(())
    }

    pub(super) fn regressors(&mut self, at: &At<'_>, answers: &mut Answers<'_>) -> Result<(), InputError> {
        let (model, ws) = (&self.robot.model, self.workspace.get());
        let (q, v, a) = (&at.state.q, &at.state.v, &at.state.a);
        let of_bodies =
            answers.ask(&[Quantity::PseudoInertias, Quantity::LogCholeskyParameters, Quantity::LogCholeskyJacobians]);
        for (name, body) in self.places.bodies.iter().filter(|_| of_bodies) {
            let Some(inertia) = model.bodies().get(body.index()).map(Body::inertia) else { continue };
            let matrix = inertia.pseudo_inertia();
            answers.part(Quantity::PseudoInertias, name, || {
                Value::Matrix(DMatrix::from_column_slice(4, 4, matrix.as_slice()))
            });
            // What has no extent in some direction has none.
            let Ok(shape) = inertia.log_cholesky() else { continue };
            answers.part(Quantity::LogCholeskyParameters, name, || Value::numbers(&shape.to_array()));
            answers.part(Quantity::LogCholeskyJacobians, name, || {
                Value::Matrix(DMatrix::from_column_slice(10, 10, shape.jacobian().as_slice()))
            });
        }
        answers.put(Quantity::InertialParameters, || Value::Numbers(model.inertial_parameters()));
        if answers.ask(&[Quantity::TorqueRegressor]) {
            let regressor = torque_regressor(model, ws, q, v, a)?;
            answers.put(Quantity::TorqueRegressor, || Value::matrix(regressor));
        }
        if answers.ask(&[Quantity::StaticTorqueRegressor]) {
            let regressor = static_torque_regressor(model, ws, q)?;
            answers.put(Quantity::StaticTorqueRegressor, || Value::matrix(regressor));
        }
        if answers.ask(&[Quantity::ComRegressor]) {
            let regressor = com_regressor(model, ws, q)?;
            answers.put(Quantity::ComRegressor, || Value::matrix(regressor));
        }
        if answers.ask(&[Quantity::KineticEnergyRegressor]) {
            let regressor = kinetic_energy_regressor(model, ws, q, v)?;
            answers.put(Quantity::KineticEnergyRegressor, || Value::numbers(regressor));
        }
        if answers.ask(&[Quantity::PotentialEnergyRegressor]) {
            let regressor = potential_energy_regressor(model, ws, q)?;
            answers.put(Quantity::PotentialEnergyRegressor, || Value::numbers(regressor));
        }
        for place in &self.places.frames {
            if answers.ask(&[Quantity::FrameWrenchRegressors]) {
                let regressor = frame_wrench_regressor(model, ws, q, v, a, place.at)?;
                answers.part(Quantity::FrameWrenchRegressors, &place.name, || Value::matrix(regressor));
            }
            if answers.ask(&[Quantity::KinematicRegressors]) {
                let regressor = kinematic_regressor(model, ws, q, place.at, place.reference)?;
                answers.part(Quantity::KinematicRegressors, &place.name, || Value::matrix(regressor));
            }
        }
        Ok(())
    }
}
