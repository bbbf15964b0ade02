//! Explanations of a bad fit: changes of the data with which the robot would explain them.
//!
//! Each guess changes the data. The given robot, corrected by its parameters to first order, then leaves a residual of
//! the torques, each joint in its own units. A guess is reported if its residual is less than half of that of the fit.

use super::Data;
use super::rows::{residuals, sizes};
use crate::error::SensitivityError;
use crate::parameters::Parameters;
use nalgebra::{DMatrix, DVector};

/// The number of samples that are used.
const SAMPLES: usize = 300;

/// Guesses that explain the data much better than they are, best first, in words.
pub(super) fn explanations(parameters: &Parameters, data: &Data, left: f64) -> Result<Vec<String>, SensitivityError> {
    let every = data.len().div_ceil(SAMPLES);
    let pick = |rows: &[Vec<f64>]| rows.iter().step_by(every).cloned().collect::<Vec<_>>();
    let data = Data {
        time: data.time.iter().step_by(every).copied().collect(),
        q: pick(&data.q),
        v: pick(&data.v),
        a: pick(&data.a),
        tau: pick(&data.tau),
        measured: data.measured.clone(),
    };
    let names = parameters.robot().dof_names();
    let scaled = |rows: &[Vec<f64>], by: f64| -> Vec<Vec<f64>> {
        rows.iter().map(|row| row.iter().map(|x| by * x).collect()).collect()
    };
    let torques = |tau: Vec<Vec<f64>>| Data { tau, ..data.clone() };
    let mut guesses = vec![
        ("the torques of all joints with the other sign".to_owned(), torques(scaled(&data.tau, -1.0))),
        ("torques in N mm".to_owned(), torques(scaled(&data.tau, 1e-3))),
        ("torques in kN m".to_owned(), torques(scaled(&data.tau, 1e3))),
    ];
    let turn = std::f64::consts::PI / 180.0;
    if parameters.robot().nq() == parameters.robot().nv() {
        let degrees =
            Data { q: scaled(&data.q, turn), v: scaled(&data.v, turn), a: scaled(&data.a, turn), ..data.clone() };
        guesses.push(("positions, velocities and accelerations in degrees".to_owned(), degrees));
        guesses.push(("positions in degrees".to_owned(), Data { q: scaled(&data.q, turn), ..data.clone() }));
        let back =
            Data { q: scaled(&data.q, -1.0), v: scaled(&data.v, -1.0), a: scaled(&data.a, -1.0), ..data.clone() };
        guesses.push(("positions, velocities and accelerations with the other sign".to_owned(), back));
    }
    let dofs = data.rows(names.len());
    for j in dofs.iter().copied() {
        let name = &names[j];
        let mut tau = data.tau.clone();
        tau.iter_mut().for_each(|row| row[j] = -row[j]);
        guesses.push((format!("the torque of `{name}` with the other sign"), torques(tau)));
    }
    // All pairs of a humanoid would take longer than the fit.
    if dofs.len() <= 10 {
        for (k, i) in dofs.iter().copied().enumerate() {
            for j in dofs[k + 1..].iter().copied() {
                let mut tau = data.tau.clone();
                tau.iter_mut().for_each(|row| row.swap(i, j));
                guesses.push((
                    format!("the torques of `{}` and `{}` in each other's columns", names[i], names[j]),
                    torques(tau),
                ));
            }
        }
    }
    let (as_given, as_fitted) = remainder(parameters, &data)?;
    let limit = 0.5 * left.min(1.0);
    let mut found = Vec::new();
    for (what, guess) in guesses {
        let (given, fitted) = remainder(parameters, &guess)?;
        if fitted < limit && (given < 0.5 * as_given && given < 1.0 || fitted < 0.5 * as_fitted) {
            found.push((fitted, given, what));
        }
    }
    found.sort_by(|a, b| a.1.total_cmp(&b.1));
    let sentence = |(fitted, _, what): &(f64, f64, String)| format!("{what} would leave {:.2} %", 100.0 * fitted);
    Ok(found.iter().take(3).map(sentence).collect())
}

/// `|τ − τ̂|/|τ|`, each joint in units of its own torques: for the given robot, and with the best step of its
/// parameters.
fn remainder(parameters: &Parameters, data: &Data) -> Result<(f64, f64), SensitivityError> {
    let (n, np) = (data.len(), parameters.len());
    let size = |sizes: &Vec<f64>| (sizes.iter().map(|x| x * x).sum::<f64>() / n as f64).sqrt();
    let mut sizes: Vec<f64> = sizes(parameters, data)?.iter().map(size).collect();
    let nv = sizes.len();
    // Joints without torque count as the largest does.
    let most = sizes.iter().copied().fold(f64::MIN_POSITIVE, f64::max);
    sizes.iter_mut().for_each(|size| *size = size.max(0.01 * most));
    let (mut r, mut jacobian) = (vec![0.0; n * nv], DMatrix::zeros(n * nv, np));
    residuals(parameters, data, 0..n, &sizes, &parameters.nominal(), &mut r, &mut jacobian)?;
    let r = DVector::from_vec(r);
    let rows = r.len() as f64;
    let given = (r.norm_squared() / rows).sqrt();
    let q = jacobian.qr().q();
    let fitted = ((&r - &q * q.tr_mul(&r)).norm_squared() / rows).sqrt();
    Ok((given, fitted))
}
