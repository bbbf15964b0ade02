//! Derivatives at one state by each parameter: of torques, accelerations, masses, poses, energies, contact forces.
//!
//! | output | analytical | |
//! |---|---|---|
//! | `τ` | rows of `λᵀ ∂τ/∂p` for unit vectors λ | [`rnea_parameter_gradient`](gradyn::dynamics::rnea_parameter_gradient) |
//! | `q̈` | `−M⁻¹ ∂τ/∂p` at `q̈`, by rows | [`aba_parameter_gradient`](gradyn::dynamics::aba_parameter_gradient) |
//! | `M` | columns are torques at rest and without gravity, `M e_j = τ(q, 0, e_j)` | |
//! | pose | a small motion of each frame on the path, transformed to the frame | `joint_geometry` |
//! | energy | `½ vᵀ M v` and potential energy by regressors; by geometry `Σ (I v)ᵀ δv` and `−Σ m g·δc` | `joint_geometry`, `energy` |
//! | contact forces | `dλ = −D E₁ − G⁺ E₂`: derivatives of torques, wrenches and rows at constant `q̈` and `λ` | `constraint_rows`, `helical`, `contact` |
//!
//! Dual numbers run through the algorithm over the model itself, and differences evaluate it: three methods that share
//! no formula.

mod analytical;
mod batch;
mod constraint_rows;
mod contact;
mod energy;
mod helical;
mod joint_geometry;
mod linear;
mod output;
mod rounding;
mod state_output;
mod torques;

pub use batch::evaluate_many;
pub(crate) use constraint_rows::{accelerations_by_geometry, constraint_rows, rates_by_geometry};
pub(crate) use output::driven;
pub use output::{AtState, Output, OutputPoint};
pub use rounding::rounding;
pub use state_output::{StateOutput, turns};
pub(crate) use torques::torques_by_parameters;

use crate::error::SensitivityError;
use crate::parameters::Parameters;
use gradyn::derivatives::difference::{self, DifferenceError, Euclidean};
use gradyn::derivatives::num_dual::{Dual64, HyperDual64};
use gradyn::{Method, Model};
use nalgebra::{DMatrix, DVector};

/// Derivatives of an output by parameters.
#[derive(Clone, Debug, PartialEq)]
pub struct Local {
    /// The output.
    pub value: DVector<f64>,
    /// One column per parameter.
    pub jacobian: DMatrix<f64>,
    /// Names of the entries of the output.
    pub rows: Vec<String>,
    /// Names of the parameters.
    pub parameters: Vec<String>,
    /// The method.
    pub method: Method,
}

impl Local {
    /// Parameters without an effect on the output here: columns of zeros.
    #[must_use]
    pub fn without_effect(&self) -> Vec<&str> {
        let still = |k: &usize| self.jacobian.column(*k).iter().all(|x| *x == 0.0);
        (0..self.parameters.len()).filter(still).map(|k| self.parameters[k].as_str()).collect()
    }
}

/// Differentiates an output by parameters, at these values of them.
///
/// ```
/// # use gradyn::{Method, Model, UrdfOptions};
/// # let file = concat!(env!("CARGO_MANIFEST_DIR"), "/../robots/panda.urdf");
/// # let model = Model::from_urdf_file(file, &UrdfOptions::new())?.model;
/// use gradyn_sensitivity::{StateOutput, Parameters, local};
/// let p = Parameters::of(&model).select("*.mass")?.select("gravity.z")?;
/// let (q, v, a) = ([0.1, -0.5, 0.3, -2.0, 0.2, 1.6, 0.8], [0.2; 7], [0.1; 7]);
/// let by = local(&p, &p.nominal(), StateOutput::Torques { q: &q, v: &v, a: &a }, Method::Analytical)?;
/// println!("{} by {}: {} N m/kg", by.rows[3], by.parameters[6], by.jacobian[(3, 6)]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// [`SensitivityError`]: input that the engine rejects, and lists of wrong lengths; [`SensitivityError::Other`] by
/// [`Method::Analytical`] for contact forces of dependent rows whose rank changes with a parameter, because no
/// derivative exists.
pub fn local(
    parameters: &Parameters,
    values: &[f64],
    output: impl Output,
    method: Method,
) -> Result<Local, SensitivityError> {
    let model = parameters.robot_at(values)?;
    let value = output::value::<f64>(&output, (parameters, values), &model)?;
    let rows = output.rows(parameters.robot());
    check_entries(rows.len(), value.len())?;
    let by_formulas = match method {
        Method::Analytical => output.jacobian(parameters, values, &model)?,
        _ => None,
    };
    let jacobian = match (by_formulas, method) {
        (Some(jacobian), _) => jacobian,
        (None, Method::Difference) => by_differences(parameters, values, &model, &output, value.len())?,
        (None, _) => by_duals(parameters, values, &model, &output, value.len())?,
    };
    Ok(Local { value: DVector::from_vec(value), jacobian, rows, parameters: parameters.names(), method })
}

/// Whether an output has an entry for each of its names.
pub(crate) fn check_entries(expected: usize, found: usize) -> Result<(), SensitivityError> {
    if expected == found { Ok(()) } else { Err(SensitivityError::Length { what: "the output", expected, found }) }
}

fn by_duals(
    parameters: &Parameters,
    values: &[f64],
    nominal: &Model,
    output: &impl Output,
    rows: usize,
) -> Result<DMatrix<f64>, SensitivityError> {
    let mut jacobian = DMatrix::zeros(rows, values.len());
    for k in 0..values.len() {
        let at: Vec<Dual64> =
            values.iter().enumerate().map(|(i, x)| Dual64::new(*x, f64::from(u8::from(i == k)))).collect();
        let found = output::value(output, (parameters, &at), nominal)?;
        jacobian.column_mut(k).iter_mut().zip(found).for_each(|(to, x)| *to = x.eps);
    }
    Ok(jacobian)
}

fn by_differences(
    parameters: &Parameters,
    values: &[f64],
    nominal: &Model,
    output: &impl Output,
    rows: usize,
) -> Result<DMatrix<f64>, SensitivityError> {
    let columns = values.len();
    let mut jacobian = DMatrix::zeros(rows, columns);
    let mut moved = values.to_vec();
    for k in 0..columns {
        // A friction of 0.1 must not be stepped by 1/8, which would make it negative.
        let step = if values[k] == 0.0 { 0.05 } else { 0.125 * values[k].abs().clamp(1e-3, 1.0) };
        if values[k] <= 0.0 && parameters.is_never_negative(k) {
            let mut at = |t: f64| {
                moved[k] = values[k] + t;
                output::value::<f64>(output, (parameters, &moved), nominal)
            };
            let column = one_sided(step, &mut at)?;
            moved[k] = values[k];
            jacobian.column_mut(k).copy_from_slice(&column);
            continue;
        }
        // If a robot at that distance is invalid (a moment of inertia too large), shorter steps are used.
        let mut shorter = 0;
        let found = loop {
            let method = difference::Method::Ridders { step: step * 0.125_f64.powi(shorter), rows: 10 };
            let path = |t: f64, y: &mut [f64]| -> Result<(), SensitivityError> {
                moved[k] = values[k] + t;
                let found = output::value::<f64>(output, (parameters, &moved), nominal)?;
                check_entries(y.len(), found.len())?;
                y.copy_from_slice(&found);
                Ok(())
            };
            match difference::along(method, &Euclidean(rows), path) {
                Ok(found) => break found,
                Err(_) if shorter < 6 => shorter += 1,
                Err(DifferenceError::Function { error, .. }) => return Err(error),
                Err(other) => return Err(SensitivityError::Other(format!("{}: {other}", parameters.names()[k]))),
            }
        };
        moved[k] = values[k];
        jacobian.column_mut(k).iter_mut().zip(&found.value).for_each(|(to, x)| *to = *x);
    }
    Ok(jacobian)
}

/// The derivative at the end of a range: `(f(h) − f(0))/h` for halved steps, extrapolated to zero (Neville).
fn one_sided(
    step: f64,
    f: &mut dyn FnMut(f64) -> Result<Vec<f64>, SensitivityError>,
) -> Result<Vec<f64>, SensitivityError> {
    /// The number of halvings, down to 1e-6 of the first step: accelerations are curved in the armature of a light
    /// joint within 1e-5 kg m².
    const STEPS: i32 = 20;
    let (here, mut table, mut best) = (f(0.0)?, Vec::<Vec<f64>>::new(), Vec::new());
    let mut error = vec![f64::INFINITY; here.len()];
    for i in 0..STEPS {
        let h = step * 0.5_f64.powi(i);
        let mut row: Vec<f64> = f(h)?.iter().zip(&here).map(|(there, here)| (there - here) / h).collect();
        if i == 0 {
            best.clone_from(&row);
        }
        for (power, before) in (1..).zip(&mut table) {
            let factor = 1.0 / (2.0_f64.powi(power) - 1.0);
            let better: Vec<f64> = row.iter().zip(&*before).map(|(x, old)| x + (x - old) * factor).collect();
            for (r, x) in better.iter().enumerate() {
                let change = (x - row[r]).abs().max((x - before[r]).abs());
                if change < error[r] {
                    (error[r], best[r]) = (change, *x);
                }
            }
            *before = std::mem::replace(&mut row, better);
        }
        table.push(row);
    }
    Ok(best)
}

/// `∂²(λᵀ output)/∂p∂p`, by hyper-dual numbers: exact to rounding. Cost: one evaluation per pair of parameters.
///
/// # Errors
/// As [`local`], and [`SensitivityError::Length`] if `lambda` does not have one entry per row.
pub fn local_second(
    parameters: &Parameters,
    values: &[f64],
    output: impl Output,
    lambda: &[f64],
) -> Result<DMatrix<f64>, SensitivityError> {
    let nominal = parameters.robot_at(values)?;
    let expected = output.rows(parameters.robot()).len();
    if lambda.len() != expected {
        return Err(SensitivityError::Length { what: "lambda", expected, found: lambda.len() });
    }
    let n = values.len();
    let mut hessian = DMatrix::zeros(n, n);
    for j in 0..n {
        for i in 0..=j {
            let one = |k: usize, at: usize| f64::from(u8::from(k == at));
            let at: Vec<HyperDual64> =
                values.iter().enumerate().map(|(k, x)| HyperDual64::new(*x, one(k, i), one(k, j), 0.0)).collect();
            let found = output::value(&output, (parameters, &at), &nominal)?;
            let x: f64 = found.iter().zip(lambda).map(|(x, l)| x.eps1eps2 * l).sum();
            (hessian[(i, j)], hessian[(j, i)]) = (x, x);
        }
    }
    Ok(hessian)
}
