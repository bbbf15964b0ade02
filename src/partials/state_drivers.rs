//! First and second derivatives of a [`StateFunction`] in all directions that a state can be moved in, eight at a time at
//! register width, in memory that is kept.
//!
//! A state is moved by `x`, of n numbers: nv for the configuration, `q ⊕ x`, then one for each number of `v`, of `u` and of the
//! wrenches. What is differentiated at `x = 0` is the function
//!
//! ```text
//! g(x) = f(q ⊕ x_q, v + x_v, u + x_u, φ + x_φ)
//! ```
//!
//! so its Hessian is symmetric, and the one for a Newton step: of the ordered second derivatives that
//! [`rnea_hessian`](super::rnea_hessian) and [`aba_hessian`](super::aba_hessian) give by `q`, it is the mean with the transpose.

use super::state_function::{State, StateFunction, StateJacobian, check};
use crate::dynamics::{ExternalWrench, Workspace};
use crate::model::{InputError, Model, room};
use crate::spatial::Force;
use gradyn_derivatives::difference::{DifferenceError, Euclidean, Method, jacobian};
use gradyn_derivatives::drivers::{self, DriverError, TryError, try_jacobian_into, try_weighted_hessian_into};
use gradyn_derivatives::{FallibleFunction, Scalar};
use nalgebra::{DMatrix, DMatrixView, DVector, Vector3};
use std::ops::Range;

/// Memory of [`state_jacobian`] and [`state_hessian`]: made once per thread for one function of one model; results borrow from
/// it.
#[derive(Debug, Default)]
pub struct StateWorkspace {
    drivers: drivers::Workspace,
    /// No motion, n.
    zeros: Vec<f64>,
    /// What `q ⊕ 0` lacks of `q`, nq: a little where quaternions are not of length one to the last digit.
    lacks: Vec<f64>,
    value: Vec<f64>,
    /// m × n, row by row.
    rows: Vec<f64>,
    jacobian: Option<StateJacobian>,
    hessian: Option<StateHessian>,
}

impl StateWorkspace {
    /// Memory that the first call fills.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }
}

/// Which of the n directions move what.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StateDirections {
    /// The configuration: nv directions.
    pub q: Range<usize>,
    /// The velocity.
    pub v: Range<usize>,
    /// Accelerations, torques or controls.
    pub u: Range<usize>,
    /// The wrenches: six directions each, force then moment, in the wrench's own coordinates.
    pub wrenches: Range<usize>,
}

impl StateDirections {
    /// Of a state of the model.
    #[must_use]
    pub fn new(model: &Model, state: &State<'_>) -> Self {
        let v = model.nv() + state.v.len();
        let u = v + state.u.len();
        Self { q: 0..model.nv(), v: model.nv()..v, u: v..u, wrenches: u..u + 6 * state.wrenches.len() }
    }
    /// How many there are.
    #[must_use]
    pub fn count(&self) -> usize {
        self.wrenches.end
    }
}

/// A quantity of m numbers, and first and second derivatives of a combination of them by all n directions.
#[derive(Clone, Debug, PartialEq)]
pub struct StateHessian {
    /// `f`, m.
    pub value: DVector<f64>,
    /// `Jᵀ λ`, n.
    pub gradient: DVector<f64>,
    /// `Σ λ_i ∇² g_i`, n × n, symmetric.
    pub hessian: DMatrix<f64>,
    /// Which rows and columns belong to what.
    pub directions: StateDirections,
}

impl StateHessian {
    /// A block of the Hessian: `block(&h.directions.v, &h.directions.q)`, for instance.
    #[must_use]
    pub fn block(&self, rows: &Range<usize>, columns: &Range<usize>) -> DMatrixView<'_, f64> {
        let n = self.directions.count();
        let inside = |range: &Range<usize>| range.start.min(n)..range.end.clamp(range.start.min(n), n);
        let (rows, columns) = (inside(rows), inside(columns));
        self.hessian.view((rows.start, columns.start), (rows.len(), columns.len()))
    }
}

/// A quantity and its first derivatives, by dual numbers with eight directions: exact to rounding.
///
/// Slices of the state that the quantity does not need may be empty; nothing is differentiated by them then. Cost: `⌈n/8⌉`
/// evaluations. A second call allocates nothing, if the quantity does not. The quantity is compiled for each level of
/// processors, and runs at full width if its `evaluate` is `#[inline(always)]`: where time does not matter,
/// [`by_duals`](super::by_duals) is compiled sooner.
///
/// # Errors
/// [`InputError`] if a length is wrong, or as the function; [`InputError::NoDerivative`] if a derivative is not finite.
pub fn state_jacobian<'w, F: StateFunction>(
    model: &Model,
    ws: &'w mut StateWorkspace,
    f: &F,
    state: State<'_>,
) -> Result<&'w StateJacobian, InputError> {
    let moved = ws.moved(model, f, state)?;
    let (n, m) = (moved.inputs(), moved.outputs());
    room::<f64>("the derivatives", &[m, n])?;
    ws.rows.resize(m * n, 0.0);
    let moved = Moved { lacks: &ws.lacks, ..moved };
    try_jacobian_into(&moved, &ws.zeros, &mut ws.drivers, &mut ws.value, &mut ws.rows)
        .map_err(|error| input_error(model, &moved.directions, error))?;
    let directions = moved.directions;
    let to = match ws.jacobian.take() {
        Some(kept) if kept.fits(m, model, &state) => kept,
        _ => StateJacobian::zeros(m, model, &state)?,
    };
    let to = ws.jacobian.insert(to);
    to.value.as_mut_slice().copy_from_slice(&ws.value);
    let StateDirections { q, v, u, wrenches } = directions;
    for (matrix, at) in [(&mut to.dq, q), (&mut to.dv, v), (&mut to.du, u)] {
        copy_columns(&ws.rows, n, at.start, matrix);
    }
    for (k, matrix) in to.df_ext.iter_mut().enumerate() {
        copy_columns(&ws.rows, n, wrenches.start + 6 * k, matrix);
    }
    Ok(to)
}

/// `f`, `Jᵀ λ` and `Σ λ_i ∇² g_i` by dual numbers of dual numbers: exact to rounding.
///
/// `lambda`: m. Cost: about `n²/16 + n/2` evaluations. As [`state_jacobian`] for the rest; there is no quicker form.
///
/// # Errors
/// As [`state_jacobian`].
pub fn state_hessian<'w, F: StateFunction>(
    model: &Model,
    ws: &'w mut StateWorkspace,
    f: &F,
    state: State<'_>,
    lambda: &[f64],
) -> Result<&'w StateHessian, InputError> {
    let moved = ws.moved(model, f, state)?;
    let (n, m) = (moved.inputs(), moved.outputs());
    model.check_length("lambda", "outputs", lambda.len(), m)?;
    let moved = Moved { lacks: &ws.lacks, ..moved };
    let mut to = match ws.hessian.take() {
        Some(kept) if kept.directions == moved.directions && kept.value.len() == m => kept,
        _ => StateHessian {
            hessian: zeros(n)?,
            value: DVector::zeros(m),
            gradient: DVector::zeros(n),
            directions: moved.directions.clone(),
        },
    };
    let (value, gradient, hessian) = (&mut to.value, &mut to.gradient, &mut to.hessian);
    let (value, gradient, hessian) = (value.as_mut_slice(), gradient.as_mut_slice(), hessian.as_mut_slice());
    // Symmetric: row by row is column by column.
    try_weighted_hessian_into(&moved, &ws.zeros, lambda, &mut ws.drivers, value, gradient, hessian)
        .map_err(|error| input_error(model, &moved.directions, error))?;
    Ok(ws.hessian.insert(to))
}

/// [`state_hessian`] by differences of `Jᵀ λ`, extrapolated to step zero (Ridders), and the estimated error of each entry of the
/// Hessian: slow, and independent of nested dual numbers.
///
/// # Errors
/// As [`state_jacobian`].
pub fn state_hessian_by_differences<F: StateFunction>(
    model: &Model,
    f: &F,
    state: State<'_>,
    lambda: &[f64],
) -> Result<(StateHessian, DMatrix<f64>), InputError> {
    let mut ws = StateWorkspace::new();
    let moved = ws.moved(model, f, state)?;
    let (n, m) = (moved.inputs(), moved.outputs());
    model.check_length("lambda", "outputs", lambda.len(), m)?;
    let moved = Moved { lacks: &ws.lacks, ..moved };
    let (mut value, mut rows) = (vec![0.0; m], vec![0.0; m * n]);
    let drivers = &mut ws.drivers;
    let mut run = |x: &[f64], value: &mut [f64], out: &mut [f64]| {
        try_jacobian_into(&moved, x, drivers, value, &mut rows)
            .map_err(|error| input_error(model, &moved.directions, error))?;
        for (j, out) in out.iter_mut().enumerate() {
            *out = lambda.iter().enumerate().map(|(i, lambda)| lambda * rows[i * n + j]).sum();
        }
        Ok::<(), InputError>(())
    };
    room::<f64>("the Hessian", &[n, n, 2])?;
    let mut at_zero = vec![0.0; n];
    run(&ws.zeros, &mut value, &mut at_zero)?;
    let (space, mut near) = (Euclidean(n), value.clone());
    let gradient = |x: &[f64], out: &mut [f64]| run(x, &mut near, out);
    let by = jacobian(Method::ridders(), &space, &space, gradient, &ws.zeros).map_err(|error| match error {
        DifferenceError::Function { error, .. } => error,
        _ => model.overflow_of("gradient", 0, model.whole_label()),
    })?;
    let hessian = StateHessian {
        value: DVector::from_vec(value),
        gradient: DVector::from_vec(at_zero),
        hessian: DMatrix::from_row_slice(n, n, &by.value),
        directions: moved.directions.clone(),
    };
    Ok((hessian, DMatrix::from_row_slice(n, n, &by.error)))
}

impl StateWorkspace {
    /// The function of `x`; `lacks` of it is in the workspace.
    fn moved<'a, F: StateFunction>(
        &mut self,
        model: &'a Model,
        f: &'a F,
        state: State<'a>,
    ) -> Result<Moved<'a, F>, InputError> {
        check(model, f, &state)?;
        let directions = StateDirections::new(model, &state);
        self.zeros.clear();
        self.zeros.resize(directions.count(), 0.0);
        self.value.resize(f.outputs(model), 0.0);
        self.lacks.resize(model.nq(), 0.0);
        model.integrate_into(state.q, &self.zeros[..model.nv()], &mut self.lacks)?;
        for (lacks, q) in self.lacks.iter_mut().zip(state.q) {
            *lacks = q - *lacks;
        }
        Ok(Moved { model, f, state, lacks: &[], directions, outputs: self.value.len() })
    }
}

/// `g(x)`
struct Moved<'a, F> {
    model: &'a Model,
    f: &'a F,
    state: State<'a>,
    lacks: &'a [f64],
    directions: StateDirections,
    outputs: usize,
}

/// The state that has been moved, and memory for the algorithms.
struct MovedState<T> {
    ws: Workspace<T>,
    /// The configuration before it is moved.
    base: Vec<T>,
    q: Vec<T>,
    v: Vec<T>,
    u: Vec<T>,
    wrenches: Vec<ExternalWrench<T>>,
}

impl<F: StateFunction> FallibleFunction for Moved<'_, F> {
    type Memory<T: Scalar> = MovedState<T>;
    type Error = InputError;

    fn inputs(&self) -> usize {
        self.directions.count()
    }
    fn outputs(&self) -> usize {
        self.outputs
    }
    fn memory<T: Scalar>(&self) -> MovedState<T> {
        let none = Vec::new;
        let (base, q) = (vec![T::zero(); self.model.nq()], vec![T::zero(); self.model.nq()]);
        MovedState { ws: Workspace::new(self.model), base, q, v: none(), u: none(), wrenches: Vec::new() }
    }

    #[inline(always)]
    fn eval<T: Scalar>(&self, memory: &mut MovedState<T>, x: &[T], y: &mut [T]) -> Result<(), InputError> {
        let (model, state, at) = (self.model, &self.state, &self.directions);
        let MovedState { ws, base, q, v, u, wrenches } = memory;
        base.resize(state.q.len(), T::zero());
        q.resize(state.q.len(), T::zero());
        v.resize(state.v.len(), T::zero());
        u.resize(state.u.len(), T::zero());
        if wrenches.len() != state.wrenches.len() {
            wrenches.clear();
            wrenches.extend(state.wrenches.iter().map(ExternalWrench::lift));
        }
        for (to, q) in base.iter_mut().zip(state.q) {
            *to = T::from(*q);
        }
        model.integrate_into(base, &x[at.q.clone()], q)?;
        for (q, lacks) in q.iter_mut().zip(self.lacks) {
            *q = *q + *lacks;
        }
        for (to, (x, v)) in v.iter_mut().zip(x[at.v.clone()].iter().zip(state.v)) {
            *to = *x + *v;
        }
        for (to, (x, u)) in u.iter_mut().zip(x[at.u.clone()].iter().zip(state.u)) {
            *to = *x + *u;
        }
        let pushes = x[at.wrenches.clone()].chunks_exact(6).zip(state.wrenches);
        for (to, (x, w)) in wrenches.iter_mut().zip(pushes) {
            let Force { linear: f, angular: n } = w.wrench;
            let linear = Vector3::new(x[0] + f.x, x[1] + f.y, x[2] + f.z);
            let angular = Vector3::new(x[3] + n.x, x[4] + n.y, x[5] + n.z);
            *to = ExternalWrench { body: w.body, frame: w.frame, wrench: Force::new(linear, angular) };
        }
        self.f.evaluate(model, ws, State { q, v, u, wrenches }, y)
    }
}

/// n × n, if there is room.
fn zeros(n: usize) -> Result<DMatrix<f64>, InputError> {
    room::<f64>("the Hessian", &[n, n])?;
    Ok(DMatrix::zeros(n, n))
}

/// Columns from `start` on, of rows of n.
fn copy_columns(rows: &[f64], n: usize, start: usize, to: &mut DMatrix<f64>) {
    for column in 0..to.ncols() {
        for row in 0..to.nrows() {
            to[(row, column)] = rows[row * n + start + column];
        }
    }
}

/// What the drivers say, in the names of the state.
fn input_error(model: &Model, at: &StateDirections, error: TryError<InputError>) -> InputError {
    let part = |direction: usize| match direction {
        k if k < at.q.end => ("dq", k),
        k if k < at.v.end => ("dv", k - at.v.start),
        k if k < at.u.end => ("du", k - at.u.start),
        k => ("df_ext", (k - at.wrenches.start) % 6),
    };
    match error {
        TryError::Function(error) => error,
        TryError::Driver(DriverError::Derivative { output, direction, .. }) => {
            let (what, column) = part(direction);
            InputError::NoDerivative { what, row: output, column }
        }
        TryError::Driver(DriverError::Weighted { direction, .. }) => {
            InputError::NoDerivative { what: "gradient", row: direction, column: 0 }
        }
        TryError::Driver(DriverError::SecondDerivative { row, column, .. }) => {
            InputError::NoDerivative { what: "hessian", row, column }
        }
        TryError::Driver(DriverError::Value { output, .. }) => model.overflow_of("value", output, model.whole_label()),
        // Lengths have been checked.
        _ => model.overflow_of("value", 0, model.whole_label()),
    }
}
