//! Checks of functions that are known by a table of values only.

use super::{CheckError, Claim, Options, Report, jacobian};
use crate::difference::{Euclidean, representable};

/// So many steps must be there along each input: the first, and its halves.
const LEAST: u32 = 4;
/// How far a sample may be from where it is looked for, relative to the step.
const NEAR: f64 = 1e-6;

/// Checks a claimed Jacobian of a function that cannot be called: what is known are values at some points, `(x, f(x))`.
///
/// The first is the point itself. Along each input `k` there must be those at `x ± h e_k` with `h = step · max(1, |x_k|)`,
/// [`Options::step`] being 1/8 unless said otherwise, and at its half, quarter and eighth; further halves make the
/// evidence better. An entry that is called wrong is looked at again with 0.61 and 0.83 of these steps, as far as they are there.
///
/// ```
/// use gradyn_derivatives::check::{Claim, Options, sampled_jacobian};
///
/// let f = |x: f64| vec![x.exp(), x * x];
/// let mut samples = vec![(vec![0.5], f(0.5))];
/// for i in 0..6 {
///     let h = 0.125 * 0.5_f64.powi(i);
///     samples.extend([0.5 + h, 0.5 - h].map(|x| (vec![x], f(x))));
/// }
/// let (right, wrong) = (Claim::new(2, 1, &[0.5_f64.exp(), 1.0])?, Claim::new(2, 1, &[0.5_f64.exp(), 0.9])?);
/// assert!(sampled_jacobian(&Options::new("∂y/∂x"), &samples, &right)?.agrees());
/// assert_eq!(sampled_jacobian(&Options::new("∂y/∂x"), &samples, &wrong)?.counts.disagree, 1);
/// # Ok::<(), gradyn_derivatives::check::CheckError>(())
/// ```
///
/// # Errors
/// As [`jacobian`](super::jacobian()); [`CheckError::Sample`] if a value is missing.
pub fn sampled_jacobian(
    options: &Options,
    samples: &[(Vec<f64>, Vec<f64>)],
    claim: &Claim,
) -> Result<Report, CheckError> {
    let Some((x, y)) = samples.first() else {
        return Err(CheckError::Size { what: "samples", expected: 1, found: 0 });
    };
    for (at, value) in samples {
        for (what, expected, found) in [("x of a sample", x.len(), at.len()), ("y of a sample", y.len(), value.len())] {
            if expected != found {
                return Err(CheckError::Size { what, expected, found });
            }
        }
    }
    options.check(claim.rows(), claim.columns())?;
    for (k, x_k) in x.iter().enumerate() {
        for half in 0..LEAST {
            let h = representable(options.step, x_k.abs()) * 0.5_f64.powi(half.cast_signed());
            for step in [h, -h] {
                let mut at = x.clone();
                at[k] += step;
                find(samples, &at).ok_or(CheckError::Sample { input: k, step })?;
            }
        }
    }
    let look = |at: &[f64], out: &mut [f64]| {
        out.copy_from_slice(find(samples, at).ok_or("there is no value")?);
        Ok::<(), &str>(())
    };
    jacobian(options, &Euclidean(x.len()), &Euclidean(y.len()), look, x, claim)
}

/// The value there.
fn find<'a>(samples: &'a [(Vec<f64>, Vec<f64>)], at: &[f64]) -> Option<&'a [f64]> {
    let (x, y) = samples.first()?;
    let step = x.iter().zip(at).fold(0.0, |most: f64, (x, at)| most.max((at - x).abs()));
    if step == 0.0 {
        return Some(y);
    }
    let off = |(x, _): &(Vec<f64>, Vec<f64>)| x.iter().zip(at).fold(0.0, |most: f64, (x, at)| most.max((at - x).abs()));
    samples.iter().skip(1).find(|sample| off(sample) <= NEAR * step).map(|(_, y)| y.as_slice())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn samples(halves: i32) -> Vec<(Vec<f64>, Vec<f64>)> {
        let f = |x: [f64; 2]| (x.to_vec(), vec![(x[0] * x[1]).sin()]);
        let mut all = vec![f([3.0, 0.4])];
        for h in (0..halves).map(|i| 0.125 * 0.5_f64.powi(i)) {
            for t in [h, -h] {
                all.extend([f([3.0 + 3.0 * t, 0.4]), f([3.0, 0.4 + t])]);
            }
        }
        all
    }

    #[test]
    fn values_around_the_point_are_enough() {
        let cos = (3.0_f64 * 0.4).cos();
        let claim = |off: f64| Claim::new(1, 2, &[0.4 * cos, 3.0 * cos + off]).expect("fits");
        let options = Options::new("∂y/∂x");
        for halves in [6, 8] {
            let right = sampled_jacobian(&options, &samples(halves), &claim(0.0)).expect("runs");
            assert!(right.agrees() && right.counts.cannot_tell == 0, "{right}");
            let wrong = sampled_jacobian(&options, &samples(halves), &claim(1e-4)).expect("runs");
            assert_eq!((wrong.counts.agree, wrong.counts.disagree), (1, 1), "{wrong}");
        }
    }

    #[test]
    fn what_is_missing_is_named() {
        let claim = Claim::new(1, 2, &[0.0; 2]).expect("fits");
        let error = sampled_jacobian(&Options::default(), &samples(3), &claim).expect_err("too few");
        assert_eq!(error, CheckError::Sample { input: 0, step: 0.046_875 });
        let error = sampled_jacobian(&Options::default(), &[], &claim).expect_err("none");
        assert_eq!(error, CheckError::Size { what: "samples", expected: 1, found: 0 });
    }
}
