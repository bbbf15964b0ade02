//! Assertions for tests.

/// Panics with the report unless a check confirms every entry.
///
/// Takes the result of any check, `Result<Report, _>`. Undecided entries fail too.
///
/// ```
/// use gradyn_derivatives::check::{Claim, Options, hessian};
/// use gradyn_derivatives::{assert_derivatives, difference::Euclidean};
///
/// let f = |x: &[f64]| x[0] * x[1];
/// let claim = Claim::new(2, 2, &[0.0, 1.0, 1.0, 0.0])?;
/// assert_derivatives!(hessian(&Options::new("∇²f"), &Euclidean(2), f, &[1.0, 2.0], &claim));
/// # Ok::<(), gradyn_derivatives::check::CheckError>(())
/// ```
#[macro_export]
macro_rules! assert_derivatives {
    ($check:expr $(,)?) => {
        match $check {
            ::core::result::Result::Ok(report) => ::core::assert!(report.agrees(), "{report}"),
            ::core::result::Result::Err(error) => ::core::panic!("{}: {error}", ::core::stringify!($check)),
        }
    };
}

/// Panics unless a Jacobian on `Rⁿ → Rᵐ`, row-major, is right: `assert_jacobian!(f, x, claimed)`, with
/// [`Options`](crate::check::Options) as an optional fourth argument.
///
/// ```
/// use gradyn_derivatives::assert_jacobian;
///
/// let f = |x: &[f64], y: &mut [f64]| (y[0], y[1]) = (x[0] * x[1], x[0].sin());
/// assert_jacobian!(f, [0.0, 2.0], [2.0, 0.0, 1.0, 0.0]);
/// ```
///
/// ```should_panic
/// # use gradyn_derivatives::assert_jacobian;
/// let f = |x: &[f64], y: &mut [f64]| y[0] = x[0] * x[1];
/// assert_jacobian!(f, [1.0, 2.0], [1.0, 2.0]); // the wrong way round
/// ```
#[macro_export]
macro_rules! assert_jacobian {
    ($f:expr, $x:expr, $claimed:expr $(,)?) => {
        $crate::assert_jacobian!($f, $x, $claimed, $crate::check::Options::new(::core::stringify!($f)))
    };
    ($f:expr, $x:expr, $claimed:expr, $options:expr $(,)?) => {{
        let (x, claimed): (&[f64], &[f64]) = (&$x, &$claimed);
        let (n, m) = (x.len(), claimed.len() / x.len().max(1));
        let (inputs, outputs) = ($crate::difference::Euclidean(n), $crate::difference::Euclidean(m));
        let claim = $crate::check::Claim::new(m, n, claimed);
        $crate::assert_derivatives!(
            claim.and_then(|claim| $crate::check::jacobian(&$options, &inputs, &outputs, $f, x, &claim))
        )
    }};
}

/// Panics unless a gradient on `Rⁿ` is right: `assert_gradient!(f, x, claimed)`, with
/// [`Options`](crate::check::Options) as an optional fourth argument.
///
/// ```
/// use gradyn_derivatives::assert_gradient;
/// use gradyn_derivatives::check::Options;
///
/// assert_gradient!(|x: &[f64]| x[0] * x[1], [1.0, 2.0], [2.0, 1.0]);
/// let rough = |x: &[f64]| f64::from((x[0] * x[1]) as f32);
/// assert_gradient!(rough, [1.0, 2.0], [2.0, 1.0], Options::new("in single precision").tolerance(1e-3));
/// ```
#[macro_export]
macro_rules! assert_gradient {
    ($f:expr, $x:expr, $claimed:expr $(,)?) => {
        $crate::assert_gradient!($f, $x, $claimed, $crate::check::Options::new(::core::stringify!($f)))
    };
    ($f:expr, $x:expr, $claimed:expr, $options:expr $(,)?) => {{
        let (x, claimed): (&[f64], &[f64]) = (&$x, &$claimed);
        let inputs = $crate::difference::Euclidean(x.len());
        $crate::assert_derivatives!($crate::check::gradient(&$options, &inputs, $f, x, claimed))
    }};
}
