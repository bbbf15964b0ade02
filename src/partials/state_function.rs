//! Derivatives of any quantity of a robot that is written once, generic over the number type.
//!
//! What the dual and the difference method of every algorithm here are made of, and open to quantities of your own:
//! implement [`StateFunction`], then ask [`by_duals`] or [`by_differences`].

use super::difference::{Configurations, fill, input_error};
use crate::dynamics::{ExternalWrench, Workspace};
use crate::joint::JointKind;
use crate::model::{InputError, Model};
use crate::spatial::Force;
use gradyn_derivatives::difference::{DifferenceError, Estimate, Euclidean, Method, jacobian};
use gradyn_derivatives::simd::{Register, WIDTH};
use gradyn_derivatives::{Dual8, Lanes, Real, Scalar, VectorDual};
use nalgebra::{DMatrix, DVector, Vector3};

/// What a quantity depends on. Slices that it does not need may be empty; nothing is differentiated by them then.
#[derive(Clone, Copy, Debug)]
pub struct State<'a, T = f64> {
    /// Configuration, nq.
    pub q: &'a [T],
    /// Velocity, nv.
    pub v: &'a [T],
    /// Joint accelerations or torques, whichever the quantity is a function of, nv.
    pub u: &'a [T],
    /// Wrenches from outside.
    pub wrenches: &'a [ExternalWrench<T>],
}

/// A quantity of a robot, written once for all number types.
pub trait StateFunction {
    /// How many numbers it has.
    fn outputs(&self, model: &Model) -> usize;
    /// Its numbers at a state. `out` has [`outputs`](Self::outputs) entries.
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
    fn zeros(outputs: usize, model: &Model, state: &State<'_>) -> Self {
        Self {
            value: DVector::zeros(outputs),
            dq: DMatrix::zeros(outputs, model.nv()),
            dv: DMatrix::zeros(outputs, state.v.len()),
            du: DMatrix::zeros(outputs, state.u.len()),
            df_ext: vec![DMatrix::zeros(outputs, 6); state.wrenches.len()],
        }
    }
}

/// Are the lengths those of the model, or zero where that is allowed?
fn check(model: &Model, state: &State<'_>) -> Result<(), InputError> {
    model.check_length("q", "nq", state.q.len(), model.nq)?;
    for (what, x) in [("v", state.v), ("u", state.u)] {
        if !x.is_empty() {
            model.check_length(what, "nv", x.len(), model.nv)?;
        }
    }
    crate::dynamics::check_wrenches(model, state.wrenches)
}

/// Derivatives by dual numbers, eight directions an evaluation: exact to rounding.
///
/// # Errors
/// [`InputError`] if a length is wrong, or as the function.
pub fn by_duals<F: StateFunction>(model: &Model, f: &F, state: State<'_>) -> Result<StateJacobian, InputError> {
    check(model, &state)?;
    let outputs = f.outputs(model);
    let mut result = StateJacobian::zeros(outputs, model, &state);
    let mut run = DualRun {
        model,
        f,
        ws: Workspace::new(model),
        q: state.q.iter().copied().map(Dual8::from).collect(),
        v: state.v.iter().copied().map(Dual8::from).collect(),
        u: state.u.iter().copied().map(Dual8::from).collect(),
        wrenches: state.wrenches.iter().map(ExternalWrench::lift).collect(),
        out: vec![Dual8::from(0.0); outputs],
    };
    run.evaluate()?;
    for (to, from) in result.value.iter_mut().zip(&run.out) {
        *to = from.re.get();
    }
    let starts = |n: usize| (0..n).step_by(WIDTH).map(move |start| (start, WIDTH.min(n - start)));

    for (start, width) in starts(model.nv()) {
        seed_configuration(model, state.q, start, width, &mut run.q);
        run.evaluate()?;
        run.store(start, width, &mut result.dq);
    }
    for (to, from) in run.q.iter_mut().zip(state.q) {
        *to = Dual8::from(*from);
    }
    for (start, width) in starts(state.v.len()) {
        run.v[start..start + width].iter_mut().enumerate().for_each(|(lane, x)| x.eps = Lanes::unit(lane));
        run.evaluate()?;
        run.store(start, width, &mut result.dv);
        run.v[start..start + width].iter_mut().for_each(|x| x.eps = Lanes::zero());
    }
    for (start, width) in starts(state.u.len()) {
        run.u[start..start + width].iter_mut().enumerate().for_each(|(lane, x)| x.eps = Lanes::unit(lane));
        run.evaluate()?;
        run.store(start, width, &mut result.du);
        run.u[start..start + width].iter_mut().for_each(|x| x.eps = Lanes::zero());
    }
    for (k, wrench) in state.wrenches.iter().enumerate() {
        let (f, n) = (wrench.wrench.linear, wrench.wrench.angular);
        let x = |value, lane| Dual8::variable(value, lane);
        run.wrenches[k].wrench =
            Force::new(Vector3::new(x(f.x, 0), x(f.y, 1), x(f.z, 2)), Vector3::new(x(n.x, 3), x(n.y, 4), x(n.z, 5)));
        run.evaluate()?;
        run.store(0, 6, &mut result.df_ext[k]);
        run.wrenches[k] = wrench.lift();
    }
    Ok(result)
}

/// The arguments as dual numbers.
struct DualRun<'a, F> {
    model: &'a Model,
    f: &'a F,
    ws: Workspace<Dual8>,
    q: Vec<Dual8>,
    v: Vec<Dual8>,
    u: Vec<Dual8>,
    wrenches: Vec<ExternalWrench<Dual8>>,
    out: Vec<Dual8>,
}

impl<F: StateFunction> DualRun<'_, F> {
    fn evaluate(&mut self) -> Result<(), InputError> {
        let state = State { q: &self.q[..], v: &self.v[..], u: &self.u[..], wrenches: &self.wrenches[..] };
        self.f.evaluate(self.model, &mut self.ws, state, &mut self.out)
    }

    fn store(&self, start: usize, width: usize, to: &mut DMatrix<f64>) {
        for (row, x) in self.out.iter().enumerate() {
            let lanes = x.eps.to_array();
            for lane in 0..width {
                to[(row, start + lane)] = lanes[lane];
            }
        }
    }
}

/// `q ⊕ ε e_k`, k a lane: `dq = G(q) e_k`.
pub(super) fn seed_configuration<R: Register>(
    model: &Model,
    q: &[f64],
    start: usize,
    width: usize,
    out: &mut [VectorDual<R>],
) {
    let mut direction = vec![0.0; model.nv()];
    let mut rates = vec![[0.0; WIDTH]; model.nq()];
    let mut rate = vec![0.0; model.nq()];
    for lane in 0..width {
        direction[start + lane] = 1.0;
        for body in model.bodies().iter().filter(|body| body.owns_coordinates()) {
            let (rq, rv) = (body.q_range(), body.v_range());
            body.joint().q_dot(&q[rq.clone()], &direction[rv], &mut rate[rq]);
        }
        direction[start + lane] = 0.0;
        for (to, from) in rates.iter_mut().zip(&rate) {
            to[lane] = *from;
        }
    }
    for ((to, value), rate) in out.iter_mut().zip(q).zip(rates) {
        *to = VectorDual::from_parts(*value, rate);
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
    check(model, &state)?;
    let outputs = f.outputs(model);
    let mut result = StateJacobian::zeros(outputs, model, &state);
    let mut errors = StateJacobian::zeros(outputs, model, &state);
    let mut ws = Workspace::new(model);
    let mut run = |state: State<'_>, out: &mut [f64]| f.evaluate(model, &mut ws, state, out);
    run(state, result.value.as_mut_slice())?;

    let mend = |error: DifferenceError<InputError>| input_error(model, error);
    let (values, method) = (Euclidean(outputs), Method::ridders());
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
