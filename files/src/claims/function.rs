//! The functions whose derivatives are claimed, in the other side's coordinates.

use super::claimed::{Input, Output};
use super::{Coordinates, StateClaims};
use crate::constraints::Constraints;
use crate::states::LinkWrench;
use gradyn::dynamics::{
    ExternalWrench, Workspace, aba, center_of_mass, centroidal, constraint_dynamics, constraint_jacobian,
    forward_kinematics, impulse_dynamics, rnea,
};
use gradyn::model::{FrameId, InputError, Model};
use gradyn::spatial::Force;
use gradyn::{Function, Scalar};
use nalgebra::Vector3;

/// A function of the state, as one of the input that it is differentiated by: from `Rⁿ`, with the state at
/// [`origin`](Self::origin).
///
/// The configuration moves along `q ⊕ T(q₀) δ`, from `δ = 0`, with the other side's numbers for velocity, acceleration
/// and torques kept: so the derivative has what the coordinates contribute by depending on `q`.
#[derive(Clone, Copy, Debug)]
pub struct Differentiated<'a> {
    /// The robot.
    pub model: &'a Model,
    /// The coordinates of the other side.
    pub coordinates: &'a Coordinates,
    /// What holds the robot.
    pub constraints: &'a Constraints,
    /// Where it is differentiated.
    pub state: &'a StateClaims,
    /// What is differentiated.
    pub output: Output,
    /// By what.
    pub input: Input,
    /// Of [`Output::Frame`].
    pub frame: Option<FrameId>,
    /// Of [`Input::Wrench`]: which of the state's wrenches.
    pub wrench: usize,
}

impl Differentiated<'_> {
    /// The same by another input.
    pub fn with(&self, input: Input) -> Self {
        Self { input, ..*self }
    }

    /// Where the state is.
    pub fn origin(&self) -> Vec<f64> {
        match self.input {
            Input::Configuration => vec![0.0; self.coordinates.nv],
            Input::Velocity => self.state.v.clone(),
            Input::Acceleration => self.state.a.clone(),
            Input::Torque => self.state.tau.clone(),
            Input::Wrench => {
                let wrenches = self.state.state.f_ext.as_deref().unwrap_or_default();
                wrenches.get(self.wrench).map_or_else(|| vec![0.0; 6], |link| link.wrench.to_vec())
            }
        }
    }

    /// The function's value at `x`, or the reason why it does not exist.
    #[inline]
    pub fn evaluate<T: Scalar>(&self, x: &[T], y: &mut [T]) -> Result<(), InputError> {
        let (model, there) = (self.model, self.coordinates);
        let state = &self.state.state;
        let lift = |numbers: &[f64]| numbers.iter().copied().map(T::from).collect::<Vec<T>>();
        let of = |input: Input, numbers: &[f64]| if self.input == input { x.to_vec() } else { lift(numbers) };
        let mut q = lift(&state.q);
        if self.input == Input::Configuration {
            let start = q.clone();
            model.integrate_into(&start, &there.velocity(&state.q, x), &mut q)?;
        }
        let v = there.velocity(&q, &of(Input::Velocity, &self.state.v));
        let wrenches = self.wrenches(x);
        let mut ws = Workspace::new(model);
        match self.output {
            Output::Torques => {
                let a = there.acceleration(&q, &v, &of(Input::Acceleration, &self.state.a));
                let tau = rnea(model, &mut ws, &q, &v, &a, &wrenches)?;
                y.copy_from_slice(&there.torques_there(&q, tau));
            }
            Output::Accelerations => {
                let tau = there.velocity(&q, &of(Input::Torque, &self.state.tau));
                let a = aba(model, &mut ws, &q, &v, &tau, &wrenches)?;
                y.copy_from_slice(&there.acceleration_there(&q, &v, a));
            }
            Output::Com => {
                let still = vec![T::from(0.0); model.nv()];
                let com = center_of_mass(model, &mut ws, &q, &still, &still)?.whole;
                y.copy_from_slice(com.position.as_slice());
            }
            Output::Momentum => {
                let still = vec![T::from(0.0); model.nv()];
                let momentum = centroidal(model, &mut ws, &q, &v, &still)?.momentum;
                y[..3].copy_from_slice(momentum.linear.as_slice());
                y[3..].copy_from_slice(momentum.angular.as_slice());
            }
            Output::Frame(reference) => {
                let still = vec![T::from(0.0); model.nv()];
                let kinematics = forward_kinematics(model, &mut ws, &q, &v, &still)?;
                let velocity = self.frame.and_then(|frame| kinematics.velocity_in(frame, reference));
                if let Some(velocity) = velocity {
                    y[..3].copy_from_slice(velocity.linear.as_slice());
                    y[3..].copy_from_slice(velocity.angular.as_slice());
                }
            }
            Output::Constrained | Output::Multipliers => {
                let tau = there.velocity(&q, &of(Input::Torque, &self.state.tau));
                let by = constraint_dynamics(model, &mut ws, &q, &v, &tau, &self.constraints.list, &wrenches)?;
                match self.output {
                    Output::Constrained => y.copy_from_slice(&there.acceleration_there(&q, &v, by.ddq)),
                    _ => y.copy_from_slice(by.lambda),
                }
            }
            Output::After | Output::Impulses => {
                let restitution = self.constraints.restitution;
                let by = impulse_dynamics(model, &mut ws, &q, &v, restitution, &self.constraints.list)?;
                match self.output {
                    // T is orthogonal.
                    Output::After => y.copy_from_slice(&there.torques_there(&q, by.v)),
                    _ => y.copy_from_slice(by.impulse),
                }
            }
            Output::Rates => {
                let jacobian = constraint_jacobian(model, &mut ws, &q, &self.constraints.list)?;
                for (y, row) in y.iter_mut().zip(jacobian.row_iter()) {
                    *y = row.iter().zip(&v).fold(T::from(0.0), |sum, (j, v)| sum + *j * *v);
                }
            }
        }
        Ok(())
    }

    /// The wrenches on bodies.
    #[inline]
    fn wrenches<T: Scalar>(&self, x: &[T]) -> Vec<ExternalWrench<T>> {
        let links = self.state.state.f_ext.iter().flatten().enumerate();
        let wrench = |(k, link): (usize, &LinkWrench)| {
            let x = if self.input == Input::Wrench && k == self.wrench {
                [x[0], x[1], x[2], x[3], x[4], x[5]]
            } else {
                link.wrench.map(T::from)
            };
            link.on_body(Force::new(Vector3::new(x[0], x[1], x[2]), Vector3::new(x[3], x[4], x[5])))
        };
        links.filter_map(wrench).collect()
    }
}

impl Function for Differentiated<'_> {
    fn inputs(&self) -> usize {
        if self.input == Input::Wrench { 6 } else { self.coordinates.nv }
    }

    fn outputs(&self) -> usize {
        match self.output {
            Output::Torques | Output::Accelerations | Output::Constrained | Output::After => self.coordinates.nv,
            Output::Multipliers | Output::Impulses | Output::Rates => self.constraints.rows.len(),
            Output::Com => 3,
            Output::Momentum | Output::Frame(_) => 6,
        }
    }

    /// Where it cannot be computed `y` stays as it is, not a number, which the callers report.
    #[inline]
    fn eval<T: Scalar>(&self, x: &[T], y: &mut [T]) {
        let _ = self.evaluate(x, y);
    }
}
