//! Derivatives of any quantity of a robot that is written once, generic over the number type.
//!
//! What the dual and the difference method of every algorithm here are made of, and open to quantities of your own:
//! implement [`StateFunction`], then ask [`state_jacobian`](super::state_jacobian) or [`state_hessian`](super::state_hessian),
//! at register width and in kept memory; or [`by_duals`] and [`by_differences`], which are compiled sooner.

use super::difference::{Configurations, fill, input_error};
use crate::dynamics::{ExternalWrench, Workspace};
use crate::model::{InputError, Model, room};
use crate::spatial::Force;
use gradyn_derivatives::Scalar;
use gradyn_derivatives::difference::{DifferenceError, Estimate, Euclidean, Method, jacobian};
use gradyn_derivatives::num_dual::Dual64;
use nalgebra::{DMatrix, DVector, Vector3};

/// What a quantity depends on. Slices that it does not need may be empty; nothing is differentiated by them then.
#[derive(Clone, Copy, Debug)]
pub struct State<'a, T = f64> {
    /// Configuration, nq.
    pub q: &'a [T],
    /// Velocity, nv.
    pub v: &'a [T],
    /// What else the quantity is a function of: joint accelerations or torques, nv, or as many controls and parameters as
    /// [`StateFunction::controls`] says.
    pub u: &'a [T],
    /// Wrenches from outside.
    pub wrenches: &'a [ExternalWrench<T>],
}

/// A quantity of a robot, written once for all number types: a cost, a residual, a constraint, dynamics.
///
/// ```
/// use gradyn::dynamics::forward_kinematics;
/// use gradyn::model::{BodyId, InputError};
/// use gradyn::partials::{State, StateFunction, StateWorkspace, state_hessian, state_jacobian};
/// use gradyn::{Model, Scalar, UrdfOptions, Workspace};
///
/// /// Height of a body, m.
/// struct Height(BodyId);
/// impl StateFunction for Height {
///     fn outputs(&self, _model: &Model) -> usize {
///         1
///     }
///     #[inline(always)]
///     fn evaluate<T: Scalar>(
///         &self,
///         model: &Model,
///         ws: &mut Workspace<T>,
///         state: State<'_, T>,
///         out: &mut [T],
///     ) -> Result<(), InputError> {
///         let pose = forward_kinematics(model, ws, state.q, state.v, state.u)?.pose(self.0);
///         out[0] = pose.map_or(T::zero(), |pose| pose.translation.z);
///         Ok(())
///     }
/// }
///
/// # let file = concat!(env!("CARGO_MANIFEST_DIR"), "/robots/panda.urdf");
/// # let model = Model::from_urdf_file(file, &UrdfOptions::new())?.model;
/// let hand = model.find_body("panda_link7").expect("is there");
/// let (q, still) = ([0.1, -0.5, 0.3, -2.0, 0.2, 1.6, 0.8], [0.0; 7]);
/// let state = State { q: &q, v: &still, u: &still, wrenches: &[] };
/// let mut workspace = StateWorkspace::new();
/// let height = state_jacobian(&model, &mut workspace, &Height(hand), state)?;
/// assert!(height.dq[(0, 0)].abs() < 1e-15); // turning about the vertical does not lift it
/// let curvature = state_hessian(&model, &mut workspace, &Height(hand), state, &[1.0])?;
/// assert_eq!(curvature.hessian.shape(), (21, 21));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a quantity of a robot that is written for every number type",
    note = "a closure has one type of argument; implement `StateFunction` for a struct whose fields are the constants"
)]
pub trait StateFunction {
    /// How many numbers it has.
    fn outputs(&self, model: &Model) -> usize;
    /// How many numbers [`State::u`] has, unless it is empty: nv if not said otherwise.
    fn controls(&self, model: &Model) -> usize {
        model.nv()
    }
    /// Its numbers at a state. `out` has [`outputs`](Self::outputs) entries. To be marked `#[inline(always)]`, and what it calls
    /// that is generic over `T` and no function of this crate: only what is inlined runs at full register width.
    ///
    /// # Errors
    /// [`InputError`], as the algorithms that it calls.
    fn evaluate<T: Scalar>(
        &self,
        model: &Model,
        ws: &mut Workspace<T>,
        state: State<'_, T>,
        out: &mut [T],
    ) -> Result<(), InputError>;
}

/// A quantity of m numbers and its first derivatives.
#[derive(Clone, Debug, PartialEq)]
pub struct StateJacobian {
    /// The quantity, m.
    pub value: DVector<f64>,
    /// By the configuration, m × nv, along `q ⊕ ε e_k`.
    pub dq: DMatrix<f64>,
    /// By the velocity, m × nv.
    pub dv: DMatrix<f64>,
    /// By accelerations or torques, m × nv.
    pub du: DMatrix<f64>,
    /// By each wrench, m × 6, columns force then moment, in the wrench's own coordinates.
    pub df_ext: Vec<DMatrix<f64>>,
}

impl StateJacobian {
    pub(super) fn zeros(outputs: usize, model: &Model, state: &State<'_>) -> Result<Self, InputError> {
        let inputs = model.nv() + state.v.len() + state.u.len() + 6 * state.wrenches.len();
        room::<f64>("the derivatives", &[outputs, inputs])?;
        Ok(Self {
            value: DVector::zeros(outputs),
            dq: DMatrix::zeros(outputs, model.nv()),
            dv: DMatrix::zeros(outputs, state.v.len()),
            du: DMatrix::zeros(outputs, state.u.len()),
            df_ext: vec![DMatrix::zeros(outputs, 6); state.wrenches.len()],
        })
    }

    /// Whether it has the shapes of the derivatives of so many outputs at this state.
    pub(super) fn fits(&self, outputs: usize, model: &Model, state: &State<'_>) -> bool {
        let columns = [model.nv(), state.v.len(), state.u.len()];
        self.value.len() == outputs
            && [&self.dq, &self.dv, &self.du].map(|m| m.ncols()) == columns
            && self.df_ext.len() == state.wrenches.len()
    }

    /// Checks that all numbers are finite.
    fn check_finite(&self, model: &Model) -> Result<(), InputError> {
        if let Some(index) = self.value.iter().position(|x| !x.is_finite()) {
            return Err(model.overflow_of("value", index, model.whole_label()));
        }
        let names = ["dq", "dv", "du"].into_iter().chain(std::iter::repeat("df_ext"));
        for (what, m) in names.zip(self.matrices()) {
            if let Some(at) = m.as_slice().iter().position(|x| !x.is_finite()) {
                return Err(InputError::NoDerivative { what, row: at % m.nrows(), column: at / m.nrows() });
            }
        }
        Ok(())
    }

    fn matrices(&self) -> impl Iterator<Item = &DMatrix<f64>> {
        [&self.dq, &self.dv, &self.du].into_iter().chain(&self.df_ext)
    }

    fn matrices_mut(&mut self) -> impl Iterator<Item = &mut DMatrix<f64>> {
        [&mut self.dq, &mut self.dv, &mut self.du].into_iter().chain(&mut self.df_ext)
    }
}

/// Checks that the lengths are those of the model, or zero where that is allowed.
pub(super) fn check<F: StateFunction>(model: &Model, f: &F, state: &State<'_>) -> Result<(), InputError> {
    model.check_q(state.q)?;
    if !state.v.is_empty() {
        model.check_length("v", "nv", state.v.len(), model.nv)?;
    }
    if !state.u.is_empty() {
        let controls = f.controls(model);
        let size = if controls == model.nv { "nv" } else { "controls" };
        model.check_length("u", size, state.u.len(), controls)?;
    }
    crate::dynamics::check_wrenches(model, state.wrenches)
}

/// Derivatives by dual numbers, one direction an evaluation: exact to rounding.
///
/// One direction, because an algorithm over numbers with eight is large and quick only where it is compiled for each level:
/// with one the quantity is compiled once, in a tenth of the room, and takes 1.2 to 1.8 times as long as with eight at the
/// level that every processor has. Where microseconds count there are [`rnea_derivatives`](super::rnea_derivatives) and the
/// [drivers](gradyn_derivatives::drivers).
///
/// # Errors
/// [`InputError`] if a length is wrong, or as the function; [`InputError::NoDerivative`] if a derivative is not finite.
pub fn by_duals<F: StateFunction>(model: &Model, f: &F, state: State<'_>) -> Result<StateJacobian, InputError> {
    check(model, f, &state)?;
    let outputs = f.outputs(model);
    let mut result = StateJacobian::zeros(outputs, model, &state)?;
    let constant = |x: &[f64]| x.iter().copied().map(Dual64::from).collect::<Vec<_>>();
    let mut run = DualRun {
        model,
        f,
        ws: Workspace::new(model),
        q: constant(state.q),
        v: constant(state.v),
        u: constant(state.u),
        wrenches: state.wrenches.iter().map(ExternalWrench::lift).collect(),
        out: vec![Dual64::from(0.0); outputs],
    };
    run.evaluate()?;
    for (to, from) in result.value.iter_mut().zip(&run.out) {
        *to = from.re;
    }
    let (mut direction, mut rate) = (vec![0.0; model.nv()], vec![0.0; model.nq()]);
    for k in 0..model.nv() {
        direction[k] = 1.0;
        model.rates(state.q, &direction, &mut rate);
        direction[k] = 0.0;
        run.q.iter_mut().zip(&rate).for_each(|(x, rate)| x.eps = *rate);
        run.evaluate()?;
        run.store(&mut result.dq, k);
    }
    run.q.iter_mut().for_each(|x| x.eps = 0.0);
    for k in 0..state.v.len() {
        run.v[k].eps = 1.0;
        run.evaluate()?;
        run.store(&mut result.dv, k);
        run.v[k].eps = 0.0;
    }
    for k in 0..state.u.len() {
        run.u[k].eps = 1.0;
        run.evaluate()?;
        run.store(&mut result.du, k);
        run.u[k].eps = 0.0;
    }
    for (wrench, by) in result.df_ext.iter_mut().enumerate() {
        for k in 0..6 {
            let force = &mut run.wrenches[wrench].wrench;
            (if k < 3 { &mut force.linear[k] } else { &mut force.angular[k - 3] }).eps = 1.0;
            run.evaluate()?;
            run.store(by, k);
            run.wrenches[wrench] = state.wrenches[wrench].lift();
        }
    }
    result.check_finite(model)?;
    Ok(result)
}

/// The arguments as dual numbers.
struct DualRun<'a, F> {
    model: &'a Model,
    f: &'a F,
    ws: Workspace<Dual64>,
    q: Vec<Dual64>,
    v: Vec<Dual64>,
    u: Vec<Dual64>,
    wrenches: Vec<ExternalWrench<Dual64>>,
    out: Vec<Dual64>,
}

impl<F: StateFunction> DualRun<'_, F> {
    fn evaluate(&mut self) -> Result<(), InputError> {
        let state = State { q: &self.q[..], v: &self.v[..], u: &self.u[..], wrenches: &self.wrenches[..] };
        self.f.evaluate(self.model, &mut self.ws, state, &mut self.out)
    }

    fn store(&self, to: &mut DMatrix<f64>, column: usize) {
        for (to, x) in to.column_mut(column).iter_mut().zip(&self.out) {
            *to = x.eps;
        }
    }
}

/// Derivatives by differences, extrapolated to step zero (Ridders), and the estimated error of each entry: slow, and
/// independent of dual numbers.
///
/// # Errors
/// [`InputError`] if a length is wrong, or as the function.
pub fn by_differences<F: StateFunction>(
    model: &Model,
    f: &F,
    state: State<'_>,
) -> Result<(StateJacobian, StateJacobian), InputError> {
    differences(model, f, state, Method::ridders())
}

/// [`by_differences`] of what has poles, such as accelerations under constraints that lose a row somewhere, or of a mass matrix
/// that is singular at some complex angle near by: from the usual first step and from one that is much shorter. Where the long one reaches past a pole its own estimate may not show it, but
/// the other table does; then the distance between both is the error.
fn by_two_differences<F: StateFunction>(
    model: &Model,
    f: &F,
    state: State<'_>,
) -> Result<(StateJacobian, StateJacobian), InputError> {
    let (mut value, mut error) = by_differences(model, f, state)?;
    let (near, near_error) = differences(model, f, state, Method::Ridders { step: NEAR, rows: 10 })?;
    let pairs = value.matrices_mut().zip(error.matrices_mut()).zip(near.matrices().zip(near_error.matrices()));
    for ((value, error), (near, near_error)) in pairs {
        let entries = value.iter_mut().zip(error.iter_mut()).zip(near.iter().zip(near_error.iter()));
        for ((value, error), (near, near_error)) in entries {
            let (distance, estimated) = ((*value - near).abs(), *error + near_error);
            if near_error < error {
                (*value, *error) = (*near, *near_error);
            }
            if estimated.is_infinite() {
                *error = f64::INFINITY; // the value stands apart from those around it
            } else if distance > 10.0 * estimated {
                // Estimates are estimates.
                *error = distance;
            }
        }
    }
    Ok((value, error))
}

/// The first step of the second table: nearer than any pole where constraints are not about to lose a row.
const NEAR: f64 = 1.0 / 512.0;

fn differences<F: StateFunction>(
    model: &Model,
    f: &F,
    state: State<'_>,
    method: Method,
) -> Result<(StateJacobian, StateJacobian), InputError> {
    check(model, f, &state)?;
    let outputs = f.outputs(model);
    let mut result = StateJacobian::zeros(outputs, model, &state)?;
    let mut errors = StateJacobian::zeros(outputs, model, &state)?;
    let mut ws = Workspace::new(model);
    let mut run = |state: State<'_>, out: &mut [f64]| f.evaluate(model, &mut ws, state, out);
    run(state, result.value.as_mut_slice())?;

    let mend = |error: DifferenceError<InputError>| input_error(model, error);
    let values = Euclidean(outputs);
    let put = |estimate: Estimate, value: &mut DMatrix<f64>, error: &mut DMatrix<f64>| {
        fill(value, &estimate.value);
        fill(error, &estimate.error);
    };
    let along = |q: &[f64], out: &mut [f64]| run(State { q, ..state }, out);
    let by = jacobian(method, &Configurations(model), &values, along, state.q).map_err(mend)?;
    put(by, &mut result.dq, &mut errors.dq);
    if !state.v.is_empty() {
        let along = |v: &[f64], out: &mut [f64]| run(State { v, ..state }, out);
        let by = jacobian(method, &Euclidean(state.v.len()), &values, along, state.v).map_err(mend)?;
        put(by, &mut result.dv, &mut errors.dv);
    }
    if !state.u.is_empty() {
        let along = |u: &[f64], out: &mut [f64]| run(State { u, ..state }, out);
        let by = jacobian(method, &Euclidean(state.u.len()), &values, along, state.u).map_err(mend)?;
        put(by, &mut result.du, &mut errors.du);
    }
    let mut varied = state.wrenches.to_vec();
    for (k, wrench) in state.wrenches.iter().enumerate() {
        let (f, n) = (wrench.wrench.linear, wrench.wrench.angular);
        let along = |x: &[f64], out: &mut [f64]| {
            varied[k].wrench = Force::new(Vector3::new(x[0], x[1], x[2]), Vector3::new(x[3], x[4], x[5]));
            run(State { wrenches: &varied, ..state }, out)
        };
        let x = [f.x, f.y, f.z, n.x, n.y, n.z];
        let by = jacobian(method, &Euclidean(6), &values, along, &x).map_err(mend)?;
        put(by, &mut result.df_ext[k], &mut errors.df_ext[k]);
        varied[k] = *wrench;
    }
    Ok((result, errors))
}

/// By differences, with the estimated errors, or else by duals, without: what is left when a closed form is not asked for.
pub(super) fn by_method<F: StateFunction>(
    model: &Model,
    f: &F,
    method: super::Method,
    state: State<'_>,
) -> Result<(StateJacobian, Option<StateJacobian>), InputError> {
    match method {
        super::Method::Difference => by_differences(model, f, state).map(|(by, errors)| (by, Some(errors))),
        super::Method::Analytical | super::Method::Dual => by_duals(model, f, state).map(|by| (by, None)),
    }
}

/// [`by_method`] of what is solved for, and has poles where that cannot be: [two tables](by_two_differences) of differences.
pub(super) fn by_method_of_solution<F: StateFunction>(
    model: &Model,
    f: &F,
    method: super::Method,
    state: State<'_>,
) -> Result<(StateJacobian, Option<StateJacobian>), InputError> {
    match method {
        super::Method::Difference => by_two_differences(model, f, state).map(|(by, errors)| (by, Some(errors))),
        super::Method::Analytical | super::Method::Dual => by_method(model, f, method, state),
    }
}
