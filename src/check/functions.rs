//! The values whose derivatives are checked, for every number type.

use super::Quantity;
use super::state::State;
use crate::dynamics::{
    ExternalWrench, FrameRef, ReferenceFrame, Workspace, aba, center_of_mass, factorize_mass_matrix,
    forward_kinematics, potential_energy, rnea,
};
use crate::model::{InputError, Model};
use crate::partials::{self, StateFunction, StateJacobian, by_duals};
use crate::spatial::Motion;
use gradyn_derivatives::Scalar;
use nalgebra::DMatrix;

/// A value of a robot.
#[derive(Clone, Copy, Debug)]
pub(super) enum Of {
    /// `τ(q, v, a, φ)`
    Torque,
    /// `q̈(q, v, τ, φ)`
    Acceleration,
    /// The velocity of a frame.
    Velocity(FrameRef, ReferenceFrame),
    /// The center of mass.
    Com,
    /// The potential energy.
    Potential,
}

/// The variable of differentiation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum By {
    Q,
    V,
    U,
    Wrench(usize),
}

impl Of {
    /// The value and the variable whose derivative a quantity is; `None` for a quantity that is a value itself.
    pub(super) fn derivative(quantity: Quantity) -> Option<(Self, By)> {
        Some(match quantity {
            Quantity::DtauDq => (Self::Torque, By::Q),
            Quantity::DtauDv => (Self::Torque, By::V),
            Quantity::DtauDa | Quantity::MassMatrix => (Self::Torque, By::U),
            Quantity::DtauDfExt(k) => (Self::Torque, By::Wrench(k)),
            Quantity::DdqDq => (Self::Acceleration, By::Q),
            Quantity::DdqDv => (Self::Acceleration, By::V),
            Quantity::DdqDtau | Quantity::MassMatrixInverse => (Self::Acceleration, By::U),
            Quantity::DdqDfExt(k) => (Self::Acceleration, By::Wrench(k)),
            Quantity::ComJacobian => (Self::Com, By::Q),
            Quantity::FrameJacobian(frame, reference) => (Self::Velocity(frame, reference), By::V),
            Quantity::Tau | Quantity::Ddq | Quantity::Bias | Quantity::Gravity | Quantity::Coriolis | Quantity::Com => {
                return None;
            }
        })
    }

    /// What it depends on. Slices that it does not depend on are empty, or zeros of `rest`.
    pub(super) fn state<'a>(self, state: &State<'a>, rest: &'a [f64]) -> partials::State<'a> {
        let State { q, v, a, tau, wrenches } = *state;
        match self {
            Self::Torque => partials::State { q, v: or(v, rest), u: or(a, rest), wrenches },
            Self::Acceleration => partials::State { q, v: or(v, rest), u: or(tau, rest), wrenches },
            Self::Velocity(..) => partials::State { q, v: rest, u: &[], wrenches: &[] },
            Self::Com | Self::Potential => partials::State { q, v: &[], u: &[], wrenches: &[] },
        }
    }

    /// The value over `f64`.
    pub(super) fn value(
        self,
        model: &Model,
        ws: &mut Workspace<f64>,
        state: partials::State<'_>,
        out: &mut [f64],
    ) -> Result<(), InputError> {
        self.evaluate(model, ws, state, out)
    }

    /// All derivatives by dual numbers. Those of accelerations are by dual numbers through torques, `−M⁻¹ ∂τ/∂x` at
    /// `q̈`: through articulated bodies, each step toward the root would lose digits if the mass matrix is
    /// ill-conditioned.
    pub(super) fn exact(self, model: &Model, state: partials::State<'_>) -> Result<StateJacobian, InputError> {
        let Self::Acceleration = self else { return by_duals(model, &self, state) };
        let mut ws = Workspace::new(model);
        let ddq = aba(model, &mut ws, state.q, state.v, state.u, state.wrenches)?.to_vec();
        let mut by = by_duals(model, &Self::Torque, partials::State { u: &ddq, ..state })?;
        let factors = factorize_mass_matrix(model, &mut ws, state.q)?;
        by.value.copy_from_slice(&ddq);
        by.du.fill_with_identity();
        for matrix in [&mut by.dq, &mut by.dv].into_iter().chain(&mut by.df_ext) {
            matrix.neg_mut();
        }
        for matrix in [&mut by.dq, &mut by.dv, &mut by.du].into_iter().chain(&mut by.df_ext) {
            for column in matrix.as_mut_slice().chunks_exact_mut(model.nv().max(1)) {
                factors.solve(column)?;
            }
        }
        Ok(by)
    }
}

impl By {
    /// The derivative by this variable.
    pub(super) fn of(self, by: &StateJacobian) -> Option<&DMatrix<f64>> {
        match self {
            Self::Q => Some(&by.dq),
            Self::V => Some(&by.dv),
            Self::U => Some(&by.du),
            Self::Wrench(k) => by.df_ext.get(k),
        }
    }
}

/// The given values, or zeros if there are none.
fn or<'a>(x: &'a [f64], rest: &'a [f64]) -> &'a [f64] {
    if x.is_empty() { rest } else { x }
}

impl StateFunction for Of {
    fn outputs(&self, model: &Model) -> usize {
        match self {
            Self::Torque | Self::Acceleration => model.nv(),
            Self::Velocity(..) => 6,
            Self::Com => 3,
            Self::Potential => 1,
        }
    }

    fn evaluate<T: Scalar>(
        &self,
        model: &Model,
        ws: &mut Workspace<T>,
        state: partials::State<'_, T>,
        out: &mut [T],
    ) -> Result<(), InputError> {
        let partials::State { q, v, u, wrenches } = state;
        let wrenches: &[ExternalWrench<T>] = wrenches;
        match *self {
            Self::Torque => out.copy_from_slice(rnea(model, ws, q, v, u, wrenches)?),
            Self::Acceleration => out.copy_from_slice(aba(model, ws, q, v, u, wrenches)?),
            Self::Velocity(frame, reference) => {
                let rest = vec![T::zero(); model.nv()];
                let kinematics = forward_kinematics(model, ws, q, v, &rest)?;
                // The frame has been found before.
                let velocity = kinematics.velocity_in(frame, reference).unwrap_or_else(Motion::zero);
                out.copy_from_slice(&velocity.to_array());
            }
            Self::Com => {
                let rest = vec![T::zero(); model.nv()];
                let com = center_of_mass(model, ws, q, &rest, &rest)?.whole.position;
                out.copy_from_slice(&[com.x, com.y, com.z]);
            }
            Self::Potential => out[0] = potential_energy(model, ws, q)?,
        }
        Ok(())
    }
}
