//! Computes what is asked for at a state.

use crate::answer::{Entries, Rows};
use crate::constraints::Constraints;
use crate::quantity::Quantity;
use crate::robot::Robot;
use crate::states::State;
use gradyn::dynamics::{
    ExternalWrench, ReferenceFrame, Workspace, bias, center_of_mass, centroidal, com_jacobian, constraint_bias,
    constraint_error, constraint_jacobian, coriolis_matrix, frame_jacobian, generalized_gravity, impulse_dynamics,
    joint_jacobians, kinetic_energy, minv, potential_energy,
};
use gradyn::model::InputError;
use gradyn::partials::{
    DerivativeWorkspace, Method, RneaDerivatives, constraint_dynamics_derivatives, forward_dynamics_derivatives,
    impulse_dynamics_derivatives, rnea_derivatives,
};
use gradyn::spatial::Force;
use nalgebra::DMatrix;
use serde::{Serialize, Serializer};

/// The coordinates of Jacobians of frames.
const REFERENCE: ReferenceFrame = ReferenceFrame::Local;

/// A quantity's value.
#[derive(Debug)]
pub(crate) enum Value {
    Text(&'static str),
    Number(f64),
    Count(usize),
    Numbers(Vec<f64>),
    Matrix(DMatrix<f64>),
    Fields(Entries<Value>),
}

impl Serialize for Value {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Text(text) => text.serialize(serializer),
            Self::Number(number) => number.serialize(serializer),
            Self::Count(count) => count.serialize(serializer),
            Self::Numbers(numbers) => numbers.serialize(serializer),
            Self::Matrix(matrix) => Rows(matrix).serialize(serializer),
            Self::Fields(fields) => fields.serialize(serializer),
        }
    }
}

impl Value {
    fn fields<const N: usize>(fields: [(&str, Self); N]) -> Self {
        Self::Fields(Entries(fields.map(|(name, value)| (name.to_owned(), value)).into()))
    }

    fn matrix(matrix: &DMatrix<f64>) -> Self {
        Self::Matrix(matrix.clone())
    }

    fn numbers<'a>(numbers: impl IntoIterator<Item = &'a f64>) -> Self {
        Self::Numbers(numbers.into_iter().copied().collect())
    }

    /// Linear part first.
    fn six(force: &Force<f64>) -> Self {
        Self::numbers(force.linear.iter().chain(force.angular.iter()))
    }
}

/// Computes quantities of one robot.
#[derive(Debug)]
pub(crate) struct Evaluator<'a> {
    robot: &'a Robot,
    constraints: &'a Constraints,
    method: Method,
    quantities: &'a [Quantity],
    by_method: DerivativeWorkspace,
    exact: DerivativeWorkspace,
    forward: DerivativeWorkspace,
    workspace: Workspace<f64>,
}

impl<'a> Evaluator<'a> {
    pub(crate) fn new(
        robot: &'a Robot,
        constraints: &'a Constraints,
        method: Method,
        quantities: &'a [Quantity],
    ) -> Self {
        let derivatives = || DerivativeWorkspace::new(&robot.model);
        let (by_method, exact, forward) = (derivatives(), derivatives(), derivatives());
        let workspace = Workspace::new(&robot.model);
        Self { robot, constraints, method, quantities, by_method, exact, forward, workspace }
    }

    /// The quantities by name, in order. Those of wrenches are left out where a state does not speak of any.
    pub(crate) fn evaluate(&mut self, state: &State) -> Result<Entries<Value>, InputError> {
        let mut values = Vec::with_capacity(self.quantities.len());
        let wrenches = state.wrenches();
        if self.quantities.iter().any(|quantity| quantity.is_of_torques()) {
            self.torques(state, &mut values)?;
        }
        if self.quantities.iter().any(|quantity| quantity.is_of_accelerations()) {
            self.accelerations(state, &wrenches, &mut values)?;
        }
        if self.quantities.iter().any(|quantity| quantity.is_of_constrained()) {
            self.constrained(state, &wrenches, &mut values)?;
        }
        if self.quantities.iter().any(|quantity| quantity.is_of_impulses()) {
            self.impulses(state, &mut values)?;
        }
        for &quantity in self.quantities {
            if let Some(value) = self.other(state, &wrenches, quantity)? {
                values.push((quantity.name().to_owned(), value));
            }
        }
        Ok(Entries(values))
    }

    /// Inverse dynamics and its derivatives.
    fn torques(&mut self, state: &State, values: &mut Vec<(String, Value)>) -> Result<(), InputError> {
        let Self { robot, method, .. } = *self;
        let by = derivatives(robot, &mut self.by_method, method, state)?;
        for &quantity in self.quantities {
            let value = match quantity {
                Quantity::Tau => Value::numbers(&by.tau),
                // Exact whatever the method.
                Quantity::MassMatrix if matches!(method, Method::Analytical | Method::Dual) => {
                    Value::matrix(&by.dtau_da)
                }
                Quantity::MassMatrix => {
                    Value::matrix(&derivatives(robot, &mut self.exact, Method::Dual, state)?.dtau_da)
                }
                Quantity::DtauDq => Value::matrix(&by.dtau_dq),
                Quantity::DtauDv => Value::matrix(&by.dtau_dv),
                Quantity::DtauDa => Value::matrix(&by.dtau_da),
                Quantity::DtauDfExt if state.f_ext.is_some() => by_link(state, &by.dtau_df_ext, robot.model.nv()),
                _ => continue,
            };
            values.push((quantity.name().to_owned(), value));
        }
        Ok(())
    }

    /// Forward dynamics and its derivatives.
    fn accelerations(
        &mut self,
        state: &State,
        wrenches: &[ExternalWrench],
        values: &mut Vec<(String, Value)>,
    ) -> Result<(), InputError> {
        let Self { robot, method, .. } = *self;
        // That each state has `tau` has been checked.
        let tau = state.tau.as_deref().unwrap_or_default();
        let ws = &mut self.forward;
        let by = forward_dynamics_derivatives(&robot.model, ws, method, &state.q, &state.v, tau, wrenches)?;
        for &quantity in self.quantities {
            let value = match quantity {
                Quantity::Ddq => Value::numbers(&by.ddq),
                Quantity::DdqDq => Value::matrix(&by.ddq_dq),
                Quantity::DdqDv => Value::matrix(&by.ddq_dv),
                Quantity::DdqDtau => Value::matrix(&by.ddq_dtau),
                Quantity::DdqDfExt if state.f_ext.is_some() => by_link(state, &by.ddq_df_ext, robot.model.nv()),
                _ => continue,
            };
            values.push((quantity.name().to_owned(), value));
        }
        Ok(())
    }

    /// Forward dynamics under constraints and its derivatives.
    fn constrained(
        &mut self,
        state: &State,
        wrenches: &[ExternalWrench],
        values: &mut Vec<(String, Value)>,
    ) -> Result<(), InputError> {
        let Self { robot, constraints, method, .. } = *self;
        // That each state has `tau` has been checked.
        let at = (&state.q[..], &state.v[..], state.tau.as_deref().unwrap_or_default());
        let ws = &mut self.forward;
        let by = constraint_dynamics_derivatives(&robot.model, ws, method, at, wrenches, &constraints.list)?;
        let (nv, rows) = (robot.model.nv(), constraints.rows.len());
        for &quantity in self.quantities {
            let value = match quantity {
                Quantity::ConstrainedDdq => Value::numbers(&by.ddq),
                Quantity::ConstrainedDdqDq => Value::matrix(&by.ddq_dq),
                Quantity::ConstrainedDdqDv => Value::matrix(&by.ddq_dv),
                Quantity::ConstrainedDdqDtau => Value::matrix(&by.ddq_dtau),
                Quantity::ConstrainedDdqDfExt if state.f_ext.is_some() => by_link(state, &by.ddq_df_ext, nv),
                Quantity::ConstraintForces => Value::numbers(&by.lambda),
                Quantity::ConstraintForcesDq => Value::matrix(&by.dlambda_dq),
                Quantity::ConstraintForcesDv => Value::matrix(&by.dlambda_dv),
                Quantity::ConstraintForcesDtau => Value::matrix(&by.dlambda_dtau),
                Quantity::ConstraintForcesDfExt if state.f_ext.is_some() => by_link(state, &by.dlambda_df_ext, rows),
                _ => continue,
            };
            values.push((quantity.name().to_owned(), value));
        }
        Ok(())
    }

    /// An impulse that constraints take up, and its derivatives.
    fn impulses(&mut self, state: &State, values: &mut Vec<(String, Value)>) -> Result<(), InputError> {
        let Self { robot, constraints, method, .. } = *self;
        let (ws, at) = (&mut self.forward, (&state.q[..], &state.v[..]));
        let restitution = constraints.restitution;
        let by = impulse_dynamics_derivatives(&robot.model, ws, method, at, restitution, &constraints.list)?;
        for &quantity in self.quantities {
            let value = match quantity {
                Quantity::ImpulseV => Value::numbers(&by.v),
                Quantity::ImpulseVDq => Value::matrix(&by.dv_dq),
                Quantity::ImpulseVDv => Value::matrix(&by.dv_dv),
                Quantity::Impulse => Value::numbers(&by.impulse),
                Quantity::ImpulseDq => Value::matrix(&by.dimpulse_dq),
                Quantity::ImpulseDv => Value::matrix(&by.dimpulse_dv),
                _ => continue,
            };
            values.push((quantity.name().to_owned(), value));
        }
        Ok(())
    }

    /// What needs no derivatives; `None` for the rest.
    fn other(
        &mut self,
        state: &State,
        wrenches: &[ExternalWrench],
        quantity: Quantity,
    ) -> Result<Option<Value>, InputError> {
        let Self { robot, constraints, .. } = *self;
        let (model, ws) = (&robot.model, &mut self.workspace);
        let held = &constraints.list;
        let State { q, v, a, .. } = state;
        Ok(Some(match quantity {
            Quantity::MassMatrixInverse => Value::matrix(minv(model, ws, q)?),
            Quantity::Coriolis => Value::matrix(coriolis_matrix(model, ws, q, v)?),
            Quantity::Bias => Value::numbers(bias(model, ws, q, v, wrenches)?),
            Quantity::Gravity => Value::numbers(generalized_gravity(model, ws, q)?),
            Quantity::Energy => Value::fields([
                ("kinetic", Value::Number(kinetic_energy(model, ws, q, v)?)),
                ("potential", Value::Number(potential_energy(model, ws, q)?)),
            ]),
            Quantity::FrameJacobians => {
                let mut frames = Vec::with_capacity(model.frames().len());
                for frame in model.frames() {
                    // Is there: it has just been named.
                    let Some(id) = model.find_frame(frame.name()) else { continue };
                    let jacobian = frame_jacobian(model, ws, q, id, REFERENCE)?;
                    frames.push((frame.name().to_owned(), Value::matrix(jacobian)));
                }
                Value::fields([
                    ("reference", Value::Text(REFERENCE.name())),
                    ("frames", Value::Fields(Entries(frames))),
                ])
            }
            Quantity::JointJacobians => Value::matrix(joint_jacobians(model, ws, q)?),
            Quantity::Com => {
                let com = center_of_mass(model, ws, q, v, a)?.whole;
                Value::fields([
                    ("mass", Value::Number(com.mass)),
                    ("position", Value::numbers(&com.position)),
                    ("velocity", Value::numbers(&com.velocity)),
                    ("acceleration", Value::numbers(&com.acceleration)),
                ])
            }
            Quantity::ComJacobian => Value::matrix(com_jacobian(model, ws, q, None)?),
            Quantity::Centroidal => {
                let whole = centroidal(model, ws, q, v, a)?;
                Value::fields([
                    ("matrix", Value::matrix(whole.matrix)),
                    ("matrix_rate", Value::matrix(whole.matrix_rate)),
                    ("momentum", Value::six(&whole.momentum)),
                    ("momentum_rate", Value::six(&whole.momentum_rate)),
                ])
            }
            // The same whatever the velocities.
            Quantity::ConstraintRank => Value::Count(impulse_dynamics(model, ws, q, v, 0.0, held)?.rank),
            Quantity::ConstraintError => Value::numbers(constraint_error(model, ws, q, held)?),
            Quantity::ConstraintJacobian => Value::matrix(constraint_jacobian(model, ws, q, held)?),
            Quantity::ConstraintBias => Value::numbers(constraint_bias(model, ws, q, v, held)?),
            _ => return Ok(None),
        }))
    }
}

fn by_link(state: &State, by_body: &[DMatrix<f64>], rows: usize) -> Value {
    let links = state.by_link(by_body, rows).into_iter();
    Value::Fields(Entries(links.map(|(link, matrix)| (link, Value::Matrix(matrix))).collect()))
}

/// The library's derivatives at a state, all of them finite.
pub(crate) fn derivatives<'w>(
    robot: &Robot,
    workspace: &'w mut DerivativeWorkspace,
    method: Method,
    state: &State,
) -> Result<&'w RneaDerivatives, InputError> {
    let by = rnea_derivatives(&robot.model, workspace, method, &state.q, &state.v, &state.a, &state.wrenches())?;
    for matrix in &by.dtau_df_ext {
        if let Some(at) = matrix.iter().position(|x| !x.is_finite()) {
            let index = at % matrix.nrows();
            let joint = robot.model.dof_names().swap_remove(index);
            return Err(InputError::Overflow { what: "dtau_df_ext", index, joint: format!("joint {joint}") });
        }
    }
    Ok(by)
}
