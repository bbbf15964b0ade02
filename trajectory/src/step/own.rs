//! User-defined accelerations, written once for every number type.

use super::{Acceleration, Engine, Sensitivities};
use crate::fault::{ProblemError, ProblemPlace, Reason, memory_of};
use gradyn::Model;
use gradyn::partials::{State, StateFunction, StateWorkspace, state_hessian, state_jacobian};
use nalgebra::DMatrix;
use std::any::Any;
use std::fmt::Debug;

/// Accelerations `a(q, v, u)` that a function of one's own gives, nv numbers; first and second derivatives come from
/// dual numbers.
///
/// Cost of second ones: about `n²/16 + n/2` evaluations, n = 2 nv + nu.
///
/// ```
/// use gradyn::model::InputError;
/// use gradyn::partials::{State, StateFunction};
/// use gradyn::{Model, Scalar, Workspace, aba};
/// use gradyn_trajectory::step::{OwnAcceleration, SemiImplicitEuler};
///
/// /// Drag that grows with the square of the velocity, N m s²/rad².
/// #[derive(Debug)]
/// struct Drag(f64);
/// impl StateFunction for Drag {
///     fn outputs(&self, model: &Model) -> usize {
///         model.nv()
///     }
///     #[inline(always)]
///     fn evaluate<T: Scalar>(
///         &self,
///         model: &Model,
///         ws: &mut Workspace<T>,
///         State { q, v, u, .. }: State<'_, T>,
///         a: &mut [T],
///     ) -> Result<(), InputError> {
///         let tau: Vec<T> = u.iter().zip(v).map(|(u, v)| *u - *v * v.smooth_abs(1e-3) * self.0).collect();
///         a.copy_from_slice(aba(model, ws, q, v, &tau, &[])?);
///         Ok(())
///     }
/// }
/// # let file = concat!(env!("CARGO_MANIFEST_DIR"), "/../robots/double_pendulum.urdf");
/// # let model = Model::from_urdf_file(file, &gradyn::UrdfOptions::new())?.model;
/// let step = SemiImplicitEuler::new(&model, OwnAcceleration::new(&model, Drag(0.1)));
/// # let _ = step;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct OwnAcceleration<F> {
    function: F,
    controls: usize,
}

impl<F: StateFunction> OwnAcceleration<F> {
    /// Of this robot; `u` are the function's [`controls`](StateFunction::controls).
    pub fn new(model: &Model, function: F) -> Self {
        let controls = function.controls(model);
        Self { function, controls }
    }
}

impl<F: StateFunction + Send + Sync + Debug> Acceleration for OwnAcceleration<F> {
    fn controls(&self) -> usize {
        self.controls
    }
    fn check(&self, model: &Model, place: &ProblemPlace) -> Result<(), ProblemError> {
        place.check_length("the list of accelerations", model.nv(), self.function.outputs(model))
    }
    fn memory(&self, _model: &Model) -> Box<dyn Any + Send> {
        Box::new(StateWorkspace::new())
    }
    fn value(&self, on: &mut Engine<'_>, [q, v, u]: [&[f64]; 3], a: &mut [f64], _f: &mut [f64]) -> Result<(), Reason> {
        self.function.evaluate(on.model, on.workspace, State { q, v, u, wrenches: &[] }, a)?;
        Ok(())
    }
    fn derivatives(
        &self,
        on: &mut Engine<'_>,
        [q, v, u]: [&[f64]; 3],
        a: &mut [f64],
        _f: &mut [f64],
        by: &mut Sensitivities,
    ) -> Result<(), Reason> {
        let memory = memory_of::<StateWorkspace>(on.own)?;
        let d = state_jacobian(on.model, memory, &self.function, State { q, v, u, wrenches: &[] })?;
        a.copy_from_slice(d.value.as_slice());
        by.a_q.copy_from(&d.dq);
        by.a_v.copy_from(&d.dv);
        by.a_u.copy_from(&d.du);
        Ok(())
    }
    fn hessian(
        &self,
        on: &mut Engine<'_>,
        [q, v, u]: [&[f64]; 3],
        [by_a, _]: [&[f64]; 2],
        out: &mut DMatrix<f64>,
    ) -> Result<bool, Reason> {
        let memory = memory_of::<StateWorkspace>(on.own)?;
        let d = state_hessian(on.model, memory, &self.function, State { q, v, u, wrenches: &[] }, by_a)?;
        out.copy_from(&d.hessian);
        Ok(true)
    }
}
