//! Checks of functions that are written once for every number type: dual numbers are additional evidence.

use super::hessian::hessian_with;
use super::{CheckError, Claim, Knowledge, Options, Report, jacobian_with};
use crate::difference::Euclidean;
use crate::function::OneOutput;
use crate::{Function, ScalarFunction, drivers};

/// Checks a claimed Jacobian of a generic function, by differences and by dual numbers.
///
/// Evidence that is right to rounding finds mistakes for which differences are too coarse. If dual numbers lose a
/// derivative inside the function, by a shortcut or a conversion, the two contradict each other, and a note says so.
///
/// ```
/// use gradyn_derivatives::check::{Claim, Options, generic_jacobian};
/// use gradyn_derivatives::{Function, Scalar};
///
/// struct Polar;
/// impl Function for Polar {
///     fn inputs(&self) -> usize {
///         2
///     }
///     fn outputs(&self) -> usize {
///         2
///     }
///     #[inline(always)]
///     fn eval<T: Scalar>(&self, x: &[T], y: &mut [T]) {
///         let (sin, cos) = x[1].sin_cos();
///         (y[0], y[1]) = (x[0] * cos, x[0] * sin);
///     }
/// }
///
/// let claim = Claim::new(2, 2, &[1.0, 0.0, 1e-9, 2.0])?; // a wrong entry of 1e-9
/// let report = generic_jacobian(&Options::new("polar"), &Polar, &[2.0, 0.0], &claim)?;
/// assert_eq!(report.counts.disagree, 1);
/// # Ok::<(), gradyn_derivatives::check::CheckError>(())
/// ```
///
/// # Errors
/// As [`jacobian`](super::jacobian()).
pub fn generic_jacobian<F: Function>(options: &Options, f: &F, x: &[f64], claim: &Claim) -> Result<Report, CheckError> {
    let exact = drivers::plain_jacobian(f, x).ok().map(|(_, jacobian)| jacobian);
    let knowledge = Knowledge { exact, ..Knowledge::default() };
    let (inputs, outputs) = (Euclidean(f.inputs()), Euclidean(f.outputs()));
    let eval = |x: &[f64], y: &mut [f64]| f.eval(x, y);
    jacobian_with(options, &inputs, &outputs, eval, x, claim, &knowledge)
}

/// Checks a claimed gradient of a generic function, by differences and by dual numbers.
///
/// # Errors
/// As [`jacobian`](super::jacobian()).
pub fn generic_gradient<F: ScalarFunction>(
    options: &Options,
    f: &F,
    x: &[f64],
    claim: &[f64],
) -> Result<Report, CheckError> {
    let options = if options.rows.is_empty() { options.clone().rows([options.name.clone()]) } else { options.clone() };
    generic_jacobian(&options, &OneOutput(f), x, &Claim::new(1, claim.len(), claim)?)
}

/// Checks a claimed Hessian of a generic function, by second differences and by dual numbers of dual numbers.
///
/// # Errors
/// As [`hessian`](super::hessian()).
pub fn generic_hessian<F: ScalarFunction>(
    options: &Options,
    f: &F,
    x: &[f64],
    claim: &Claim,
) -> Result<Report, CheckError> {
    let exact = drivers::plain_hessian(f, x).ok().map(|(.., hessian)| hessian);
    hessian_with(options, &Euclidean(f.inputs()), |x: &[f64]| f.eval(x), x, claim, exact.as_deref())
}
