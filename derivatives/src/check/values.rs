//! Checks of values from another source.

use super::evidence::{Evidence, Found};
use super::judge::{expect_shape, judge};
use super::{CheckError, Claim, Guess, Options, Reason, Report};

/// Checks claimed numbers against numbers with known errors, by the same rules as derivatives.
///
/// `found` and `error` are row-major and of the claim's size; `mistakes`: mistakes, and the claim that each would lead
/// to.
///
/// ```
/// use gradyn_derivatives::check::{Claim, Options, values};
///
/// let claim = Claim::new(2, 1, &[1.0, 2.0])?;
/// assert!(values(&Options::new("y"), &[1.0, 2.0], &[1e-12; 2], &claim, &[])?.agrees());
/// assert!(!values(&Options::new("y"), &[1.0, 2.1], &[1e-12; 2], &claim, &[])?.agrees());
/// # Ok::<(), gradyn_derivatives::check::CheckError>(())
/// ```
///
/// # Errors
/// [`CheckError::Size`] if lengths do not fit.
pub fn values(
    options: &Options,
    found: &[f64],
    error: &[f64],
    claim: &Claim,
    mistakes: &[(Guess, Vec<f64>)],
) -> Result<Report, CheckError> {
    let (shape, expected) = ((claim.rows, claim.columns), claim.values.len());
    expect_shape(options, claim, shape, shape)?;
    let lengths = [("found", found.len()), ("error", error.len())];
    let lengths = lengths.into_iter().chain(mistakes.iter().map(|(_, values)| ("mistakes", values.len())));
    for (what, found) in lengths {
        if found != expected {
            return Err(CheckError::Size { what, expected, found });
        }
    }
    let known = |(value, error): (&f64, &f64)| Found {
        value: *value,
        error: error.abs() + f64::EPSILON * value.abs(),
        reason: Reason::Noise,
        ..Found::NOTHING
    };
    let found = found.iter().zip(error).map(known).collect();
    let mut report = judge(
        options,
        &Evidence {
            columns: claim.columns,
            found,
            magnitude: vec![0.0; claim.rows],
            lengths: vec![1.0; claim.columns],
            shared: options.size == 0.0,
        },
        claim,
    );
    report.explain(options, mistakes);
    Ok(report)
}
