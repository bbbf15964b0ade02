//! The verdict on a fit: the remaining error of the torques on held-out data, and what would explain them better.

use super::rows::Row;
use super::{Data, JointError, Validation, Warning};
use crate::error::SensitivityError;
use crate::parameters::Parameters;
use std::ops::Range;

/// A fit that leaves less than this share of the torques explains them, however good the robot was before.
const WELL: f64 = 0.05;
/// A fit that leaves less than this share of the error before is an improvement.
const CLEARLY: f64 = 0.9;
/// A fit that leaves more than this share of the torques does not explain them, unless the residuals are noise.
const UNEXPLAINED: f64 = 0.3;
/// Residuals whose neighbors are correlated by more than this are not noise alone.
const ORDERED: f64 = 0.5;

/// The remaining error, and the verdict.
pub(super) struct Verdict {
    pub(super) joints: Vec<JointError>,
    pub(super) validation: Validation,
    pub(super) explanations: Vec<String>,
    pub(super) explains: bool,
    pub(super) warnings: Vec<Warning>,
}

impl Verdict {
    /// The verdict on rows with the fitted parameters, and with those before; `correlations`: of neighboring residuals,
    /// by joint, on the fitted data; zero if they are white.
    pub(super) fn of(
        parameters: &Parameters,
        all: &Data,
        [fitted, before]: [&[Row]; 2],
        (held_out, names, correlations): (&[Range<usize>], &[String], &[f64]),
    ) -> Result<Self, SensitivityError> {
        let nv = names.len();
        let is_held = |row: &Row| held_out.iter().any(|range| range.contains(&row.sample));
        let of_fit = |rows: &[Row], held: bool| -> Vec<Row> {
            rows.iter().filter(|row| is_held(row) == held).cloned().collect()
        };
        let rms = |rows: &[Row], j: usize| {
            (rows.iter().map(|row| row.error[j] * row.error[j]).sum::<f64>() / rows.len() as f64).sqrt()
        };
        let relative = |rows: &[Row]| {
            let square = |of: &dyn Fn(&Row) -> f64| rows.iter().map(of).sum::<f64>();
            let sum = |x: &[f64]| x.iter().map(|x| x * x).sum::<f64>();
            (square(&|row| sum(&row.error)) / square(&|row| sum(&row.size))).sqrt()
        };
        let (of_seen, of_rest) = (of_fit(fitted, false), of_fit(fitted, true));
        let joint = |j: usize| JointError {
            joint: names[j].clone(),
            fitted: rms(&of_seen, j),
            held_out: rms(&of_rest, j),
            before: rms(before, j),
        };
        let rest = of_fit(before, true);
        let validation = Validation {
            fitted: relative(&of_seen),
            held_out: relative(&of_rest),
            before: if rest.is_empty() { relative(before) } else { relative(&rest) },
        };
        let left = if of_rest.is_empty() { validation.fitted } else { validation.held_out };
        let (mut explanations, mut explains, mut warnings) = (Vec::new(), true, Vec::new());
        if left.is_nan() || left > WELL {
            explanations = super::explain::explanations(parameters, all, left)?;
            explains = left < CLEARLY * validation.before && explanations.is_empty();
            let tested = if of_rest.is_empty() { &of_seen } else { &of_rest };
            let ordered = |j: usize| correlations[j].abs() > ORDERED;
            for j in (0..nv).filter(|j| ordered(*j)) {
                let size = (tested.iter().map(|row| row.size[j].powi(2)).sum::<f64>() / tested.len() as f64).sqrt();
                let left = rms(tested, j) / size;
                if left > 1.0 {
                    warnings.push(Warning::Unexplained { joint: names[j].clone(), left });
                }
            }
            if left >= 1.0 {
                explains = false;
                explanations.push("a robot without any torque would fit as well".to_owned());
            } else if left > UNEXPLAINED && (0..nv).filter(|j| ordered(*j)).count() * 2 >= nv {
                explains = false;
                explanations.push(
                    "the residuals are not noise: a load, friction or link that matters does not vary".to_owned(),
                );
            }
        }
        Ok(Self { joints: (0..nv).map(joint).collect(), validation, explanations, explains, warnings })
    }
}
