//! The check of a quantity that some program computed for a robot at a state.

use super::functions::{By, Of};
use super::state::State;
use super::{CheckError, Claim, Guess, Options, Quantity, Report, Scale, conditioning, mistakes};
use crate::dynamics::{
    Workspace, bias, center_of_mass, factorize_mass_matrix, frame_jacobian, generalized_gravity, rnea, static_torque,
};
use crate::model::{InputError, Model};
use crate::once;
use crate::partials::{self, Configurations};
use crate::spatial::Force;
use gradyn_derivatives::check::{Knowledge, jacobian_with, values};
use gradyn_derivatives::difference::Euclidean;
use nalgebra::{DMatrix, DVector, Vector3};
use thiserror::Error;

/// Why a claim could not be checked.
#[derive(Clone, Debug, PartialEq, Error)]
#[non_exhaustive]
pub enum ClaimError {
    /// The claim cannot be compared with the quantity.
    #[error(transparent)]
    Check(#[from] CheckError),
    /// The quantity has no value at the state.
    #[error(transparent)]
    Input(#[from] InputError),
    /// The state has no such wrench.
    #[error("wrench {index} does not exist: the state has {wrenches}")]
    UnknownWrench {
        /// The requested index.
        index: usize,
        /// The number of wrenches that the state has.
        wrenches: usize,
    },
}

/// Checks a quantity that some program computed for a robot at a state.
///
/// `claimed` has the quantity's [shape](Quantity::shape); a vector is a matrix of one column. Names in the report are
/// those of the model's degrees of freedom ([`Model::dof_names`]), unless the options name rows and columns themselves.
/// A derivative is checked against differences of values and against dual numbers; a value against another algorithm.
/// For a Coriolis matrix, the product `C(q, v) v` is checked, because many such matrices are right.
///
/// # Errors
/// [`ClaimError`] if shapes do not fit, or the quantity has no value at the state.
pub fn check_claim(
    model: &Model,
    quantity: Quantity,
    state: State<'_>,
    claimed: &DMatrix<f64>,
    options: &Options,
) -> Result<Report, ClaimError> {
    let mut options = named(model, quantity, options);
    expect_state(model, quantity, &state)?;
    expect_shape(model, quantity, &state, claimed, &options)?;
    options = sized(model, quantity, &state, options)?;
    match Of::derivative(quantity) {
        Some((of, by)) => derivative(model, quantity, (of, by), &state, claimed, &options),
        None => value(model, quantity, &state, claimed, &options),
    }
}

/// The options with the quantity's name, and those of its rows and columns.
fn named(model: &Model, quantity: Quantity, options: &Options) -> Options {
    let mut options = options.clone();
    if options.name == Options::default().name {
        options.name = quantity.name().to_owned();
    }
    if options.rows.is_empty() {
        options.rows = quantity.rows(model);
    }
    if options.columns.is_empty() {
        options.columns = quantity.columns(model);
    }
    options.symmetric |= quantity.is_symmetric();
    options
}

/// Checks that the state is complete.
fn expect_state(model: &Model, quantity: Quantity, state: &State<'_>) -> Result<(), ClaimError> {
    model.check_configuration(state.q)?;
    for (what, x) in [("v", state.v), ("a", state.a), ("tau", state.tau)] {
        if !x.is_empty() {
            model.check_tangent(what, x)?;
        }
    }
    if let Quantity::DtauDfExt(index) | Quantity::DdqDfExt(index) = quantity {
        let wrenches = state.wrenches.len();
        if index >= wrenches {
            return Err(ClaimError::UnknownWrench { index, wrenches });
        }
    }
    if let Quantity::FrameJacobian(frame, reference) = quantity {
        frame_jacobian(model, &mut Workspace::new(model), state.q, frame, reference)?;
    }
    Ok(())
}

/// Checks that the claim has the quantity's shape.
fn expect_shape(
    model: &Model,
    quantity: Quantity,
    state: &State<'_>,
    claimed: &DMatrix<f64>,
    options: &Options,
) -> Result<(), ClaimError> {
    let (rows, columns) = quantity.shape(model);
    let (found_rows, found_columns) = claimed.shape();
    if (rows, columns) == (found_rows, found_columns) {
        return Ok(());
    }
    let (nq, nv) = (model.nq(), model.nv());
    let fits = |found: usize, right: usize| found == right || right == nv && found == nq;
    let guess = if (found_columns, found_rows) == (rows, columns) {
        Some(Guess::Transposed)
    } else if fits(found_rows, rows) && fits(found_columns, columns) {
        let rest = vec![0.0; nv];
        let at = Of::derivative(quantity).map(|(of, _)| of.state(state, &rest));
        let guess = at.and_then(|at| mistakes::of_coordinates(model, quantity, at, claimed));
        Some(guess.unwrap_or(Guess::CoordinatesNotDirections))
    } else {
        None
    };
    let name = options.name.clone();
    Err(CheckError::Shape { name, rows, columns, found_rows, found_columns, guess }.into())
}

/// The share of these sizes that is used as the scale of solutions, so that entries that vanish are not compared with
/// zero. Solutions are seldom as large as norms allow, and [`conditioning`] has the effect of rounding entry by entry.
const SOLVED: f64 = 1e-4;

/// Adds the size of the terms that cancel in a quantity: for torques by row, because a joint feels only the bodies that
/// it carries.
fn sized(model: &Model, quantity: Quantity, state: &State<'_>, mut options: Options) -> Result<Options, InputError> {
    let rest = vec![0.0; model.nv()];
    let v = if state.v.is_empty() { &rest } else { state.v };
    let of_rows: Option<fn(&Scale, &[f64]) -> f64> = match quantity {
        Quantity::DtauDv => Some(|scale, _| scale.mass * scale.velocity),
        Quantity::DtauDa | Quantity::MassMatrix => Some(|scale, _| scale.mass),
        Quantity::Tau | Quantity::DtauDq | Quantity::Bias | Quantity::Gravity | Quantity::Coriolis => {
            Some(Scale::torque)
        }
        _ => None,
    };
    if let Some(of_row) = of_rows {
        let rows = Scale::rows(model, state.q, v, state.wrenches)?;
        let rows: Vec<f64> = rows.iter().map(|scale| of_row(scale, state.a)).collect();
        // For a Coriolis matrix, the product with velocities is checked.
        let columns = if quantity == Quantity::Coriolis { 1 } else { quantity.shape(model).1 };
        let inertia = matches!(quantity, Quantity::DtauDa | Quantity::MassMatrix);
        let own = rows.iter().flat_map(|row| {
            // An entry of a symmetric matrix has the size of the joint that carries less.
            let rows = &rows;
            (0..columns).map(move |k| if inertia { row.min(rows[k]) } else { *row })
        });
        let own: Vec<f64> = own.collect();
        match &mut options.sizes {
            given if given.is_empty() => *given = own,
            given => given.iter_mut().zip(own).for_each(|(given, own)| *given = given.max(own)),
        }
        return Ok(options);
    }
    let scale = Scale::new(model, state.q, v, state.wrenches)?;
    let size = match quantity {
        Quantity::Ddq | Quantity::DdqDq | Quantity::DdqDv => {
            let torque = scale.torque(&[]).max(DVector::from_column_slice(state.tau).amax());
            let solved_for = if quantity == Quantity::DdqDv { scale.mass * scale.velocity } else { torque };
            SOLVED * once::minv(model, state.q)?.amax() * solved_for
        }
        Quantity::Com | Quantity::ComJacobian | Quantity::FrameJacobian(..) => scale.reach,
        // In the others, no terms cancel that are larger than the result.
        _ => 0.0,
    };
    options.size = options.size.max(size);
    Ok(options)
}

/// Checks a derivative against differences and dual numbers.
fn derivative(
    model: &Model,
    quantity: Quantity,
    (of, by): (Of, By),
    state: &State<'_>,
    claimed: &DMatrix<f64>,
    options: &Options,
) -> Result<Report, ClaimError> {
    let rest = vec![0.0; model.nv()];
    let at = of.state(&still(quantity, state), &rest);
    let exact = of.exact(model, at)?;
    let wrenches = state.wrenches.len();
    let matrix = by.of(&exact).ok_or(ClaimError::UnknownWrench { index: wrenches, wrenches })?;
    let rounding = match of {
        Of::Acceleration => Some(row_major(&conditioning::of_derivative(model, at, by, &exact.value, matrix)?)),
        _ => None,
    };
    let knowledge = Knowledge { exact: Some(row_major(matrix)), rounding, ..Knowledge::default() };
    let claim = Claim::from_fn(claimed.nrows(), claimed.ncols(), |i, j| claimed[(i, j)]);
    let outputs = Euclidean(matrix.nrows());
    let mut ws = Workspace::new(model);
    let report = match by {
        By::Q => {
            let f = |q: &[f64], y: &mut [f64]| of.value(model, &mut ws, partials::State { q, ..at }, y);
            jacobian_with(options, &Configurations(model), &outputs, f, at.q, &claim, &knowledge)
        }
        By::V => {
            let f = |v: &[f64], y: &mut [f64]| of.value(model, &mut ws, partials::State { v, ..at }, y);
            jacobian_with(options, &Euclidean(at.v.len()), &outputs, f, at.v, &claim, &knowledge)
        }
        By::U => {
            let f = |u: &[f64], y: &mut [f64]| of.value(model, &mut ws, partials::State { u, ..at }, y);
            jacobian_with(options, &Euclidean(at.u.len()), &outputs, f, at.u, &claim, &knowledge)
        }
        By::Wrench(k) => {
            let mut wrenches = at.wrenches.to_vec();
            let x = wrenches[k].wrench.to_array();
            let f = |x: &[f64], y: &mut [f64]| {
                wrenches[k].wrench = Force::new(Vector3::new(x[0], x[1], x[2]), Vector3::new(x[3], x[4], x[5]));
                of.value(model, &mut ws, partials::State { wrenches: &wrenches, ..at }, y)
            };
            jacobian_with(options, &Euclidean(6), &outputs, f, &x, &claim, &knowledge)
        }
    };
    let mut report = report?;
    if report.disagrees() {
        let mistakes = mistakes::of_derivative(model, (of, by), at, &exact, matrix)?;
        explain(&mut report, options, &mistakes);
    }
    Ok(report)
}

fn explain(report: &mut Report, options: &Options, mistakes: &[(Guess, DMatrix<f64>)]) {
    let mistakes: Vec<_> = mistakes.iter().map(|(guess, matrix)| (guess.clone(), row_major(matrix))).collect();
    report.explain(options, &mistakes);
}

/// The mass matrix and its inverse depend on `q` alone.
fn still<'a>(quantity: Quantity, state: &State<'a>) -> State<'a> {
    match quantity {
        Quantity::MassMatrix | Quantity::MassMatrixInverse => State { q: state.q, ..State::default() },
        _ => *state,
    }
}

/// Checks a value against another algorithm: the difference between two of ours is the error.
fn value(
    model: &Model,
    quantity: Quantity,
    state: &State<'_>,
    claimed: &DMatrix<f64>,
    options: &Options,
) -> Result<Report, ClaimError> {
    let nv = model.nv();
    let rest = vec![0.0; nv];
    let torque = Of::Torque.state(state, &rest);
    let acceleration = Of::Acceleration.state(state, &rest);
    let (q, v, wrenches) = (state.q, torque.v, state.wrenches);
    let mut ws = Workspace::new(model);
    let mut options = options.clone();
    let mut claimed = claimed.clone();
    let (found, other) = match quantity {
        Quantity::Tau => {
            let found = rnea(model, &mut ws, q, v, torque.u, wrenches)?.to_vec();
            let other = once::crba(model, q)? * DVector::from_column_slice(torque.u);
            let bias = DVector::from_column_slice(bias(model, &mut ws, q, v, wrenches)?);
            (found, (other + bias).as_slice().to_vec())
        }
        Quantity::Ddq => {
            let mut found = vec![0.0; nv];
            Of::Acceleration.value(model, &mut ws, acceleration, &mut found)?;
            let bias = bias(model, &mut ws, q, v, wrenches)?;
            let mut other: Vec<f64> = acceleration.u.iter().zip(bias).map(|(tau, bias)| tau - bias).collect();
            factorize_mass_matrix(model, &mut ws, q)?.solve(&mut other)?;
            (found, other)
        }
        Quantity::Bias => {
            let found = bias(model, &mut ws, q, v, wrenches)?.to_vec();
            (found, rnea(model, &mut ws, q, v, &rest, wrenches)?.to_vec())
        }
        Quantity::Gravity => {
            let found = generalized_gravity(model, &mut ws, q)?.to_vec();
            let rigid = model.clone().without_springs();
            let by = Of::Potential.exact(&rigid, Of::Potential.state(state, &rest))?;
            (found, by.dq.as_slice().to_vec())
        }
        Quantity::Coriolis => {
            let frictionless = model.clone().with_joint_friction(false);
            let bias = bias(&frictionless, &mut ws, q, v, &[])?.to_vec();
            let gravity = static_torque(&frictionless, &mut ws, q, &[])?;
            let found: Vec<f64> = bias.iter().zip(gravity).map(|(bias, gravity)| bias - gravity).collect();
            claimed = &claimed * DMatrix::from_column_slice(nv, 1, v);
            options.columns = vec![String::from("C v")];
            let other = crate::dynamics::coriolis_matrix(model, &mut ws, q, v)? * DVector::from_column_slice(v);
            (found, other.as_slice().to_vec())
        }
        _ => {
            let com = center_of_mass(model, &mut ws, q, &rest, &rest)?.whole.position;
            let mut other = vec![0.0; 3];
            Of::Com.value(model, &mut ws, Of::Com.state(state, &rest), &mut other)?;
            (vec![com.x, com.y, com.z], other)
        }
    };
    let claim = Claim::from_fn(claimed.nrows(), claimed.ncols(), |i, j| claimed[(i, j)]);
    let mut error: Vec<f64> = found.iter().zip(&other).map(|(a, b)| (a - b).abs()).collect();
    if quantity == Quantity::Ddq {
        let rounding = conditioning::of_accelerations(model, acceleration, &found)?;
        error.iter_mut().zip(&rounding).for_each(|(error, rounding)| *error = error.max(*rounding));
    }
    let mut report = values(&options, &found, &error, &claim, &[])?;
    if report.disagrees() {
        let right = DMatrix::from_column_slice(found.len(), 1, &found);
        let still = State { v: &rest, a: &rest, ..*state };
        let mistakes = match quantity {
            Quantity::Tau => mistakes::of_vector(model, Of::Torque, torque, &right),
            Quantity::Ddq => mistakes::of_vector(model, Of::Acceleration, acceleration, &right),
            Quantity::Bias => mistakes::of_vector(model, Of::Torque, partials::State { u: &rest, ..torque }, &right),
            Quantity::Gravity => {
                let (still, rigid) = (State { wrenches: &[], ..still }, model.clone().without_springs());
                mistakes::of_vector(&rigid, Of::Torque, Of::Torque.state(&still, &rest), &right)
            }
            _ => Vec::new(),
        };
        explain(&mut report, &options, &mistakes);
    }
    Ok(report)
}

pub(super) fn row_major(m: &DMatrix<f64>) -> Vec<f64> {
    m.transpose().as_slice().to_vec()
}
