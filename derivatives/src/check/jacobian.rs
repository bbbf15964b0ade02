//! Checks of first derivatives.

use super::evidence::{self, Evidence};
use super::judge::{expect_shape, judge};
use super::{CheckError, Claim, Options, Report, Verdict, curve, taylor};
use crate::difference::{DifferenceError, Differenced, Manifold, Outcome};
use std::fmt::{Debug, Display};

/// Further tables of differences start at steps shorter by these factors, so that no two tables share a step.
pub(super) const OTHER_STEPS: [f64; 2] = [0.61, 0.83];

/// Checks a claimed Jacobian: row `i` for output direction `i`, column `k` for `d/dt f(x ⊕ t e_k)`.
///
/// `f(x, y)` writes into `y` and returns `()`, or `Result<(), E>` if it can fail. Shapes: `x`: coordinates of `inputs`;
/// `claim`: directions of `outputs` × directions of `inputs`.
///
/// ```
/// use gradyn_derivatives::check::{Claim, Guess, Options, jacobian};
/// use gradyn_derivatives::difference::Euclidean;
///
/// let f = |x: &[f64], y: &mut [f64]| {
///     y[0] = x[0].sin() * x[1];
///     y[1] = x[0] + x[1] * x[1];
/// };
/// let (sin, cos) = 0.3_f64.sin_cos();
/// let right = Claim::new(2, 2, &[2.0 * cos, sin, 1.0, 4.0])?;
/// let (plane, x) = (Euclidean(2), [0.3, 2.0]);
/// assert!(jacobian(&Options::new("∂f/∂x"), &plane, &plane, f, &x, &right)?.agrees());
///
/// let transposed = Claim::new(2, 2, &[2.0 * cos, 1.0, sin, 4.0])?;
/// let report = jacobian(&Options::new("∂f/∂x"), &plane, &plane, f, &x, &transposed)?;
/// assert_eq!(report.guess(), Some(&Guess::Transposed));
/// println!("{report}");
/// # Ok::<(), gradyn_derivatives::check::CheckError>(())
/// ```
///
/// # Errors
/// [`CheckError`] if shapes do not fit, or the function fails at the point itself.
pub fn jacobian<X, Y, F, O>(
    options: &Options,
    inputs: &X,
    outputs: &Y,
    f: F,
    x: &[f64],
    claim: &Claim,
) -> Result<Report, CheckError>
where
    X: Manifold,
    Y: Manifold,
    F: FnMut(&[f64], &mut [f64]) -> O,
    O: Outcome,
{
    jacobian_with(options, inputs, outputs, f, x, claim, &Knowledge::default())
}

/// Checks a claimed gradient of a function with one output: `n` numbers, `d/dt f(x ⊕ t e_k)`.
///
/// # Errors
/// As [`jacobian`].
pub fn gradient<X: Manifold>(
    options: &Options,
    inputs: &X,
    mut f: impl FnMut(&[f64]) -> f64,
    x: &[f64],
    claim: &[f64],
) -> Result<Report, CheckError> {
    let claim = Claim::new(1, claim.len(), claim)?;
    let f = |x: &[f64], y: &mut [f64]| y[0] = f(x);
    let options = if options.rows.is_empty() { options.clone().rows([options.name.clone()]) } else { options.clone() };
    jacobian(&options, inputs, &crate::difference::Euclidean(1), f, x, &claim)
}

/// What is known besides the function itself.
#[derive(Clone, Debug, Default)]
pub struct Knowledge {
    /// The derivative from another source that is right to rounding, row-major: dual numbers, or a closed form.
    pub exact: Option<Vec<f64>>,
    /// The contribution of rounding inside the function to each entry, however it is computed, row-major. For an
    /// ill-conditioned function it can be computed more accurately than measured. With exact derivatives that
    /// differences do not contradict, it replaces the size of the outputs in the bound's floor.
    pub rounding: Option<Vec<f64>>,
    /// Mistakes, and the claim that each would lead to, row-major, most probable first.
    pub mistakes: Vec<(super::Guess, Vec<f64>)>,
    /// Whether the function is known to have no derivative at the point, because its values around it differ, as where
    /// a rank changes. Differences along single directions may not show that. The verdict is then
    /// [`Reason::Isolated`](super::Reason::Isolated).
    pub isolated: bool,
}

/// [`jacobian`], with further [`Knowledge`].
///
/// If exact derivatives and differences contradict each other, the differences count, and a note says so.
///
/// # Errors
/// As [`jacobian`], and if the knowledge is not of the claim's size.
pub fn jacobian_with<X, Y, F, O>(
    options: &Options,
    inputs: &X,
    outputs: &Y,
    mut f: F,
    x: &[f64],
    claim: &Claim,
    knowledge: &Knowledge,
) -> Result<Report, CheckError>
where
    X: Manifold,
    Y: Manifold,
    F: FnMut(&[f64], &mut [f64]) -> O,
    O: Outcome,
{
    checked(options, inputs, outputs, &mut |x, y| f(x, y).outcome(), x, claim, knowledge)
}

/// [`jacobian_with`]
fn checked<E: Debug + Display>(
    options: &Options,
    inputs: &dyn Manifold,
    outputs: &dyn Manifold,
    f: &mut Differenced<'_, E>,
    x: &[f64],
    claim: &Claim,
    knowledge: &Knowledge,
) -> Result<Report, CheckError> {
    expect_point("x", x, inputs.coordinates())?;
    let shape = (outputs.directions(), inputs.directions());
    expect_shape(options, claim, shape, (outputs.coordinates(), inputs.coordinates()))?;
    let known = knowledge.exact.iter().chain(&knowledge.rounding);
    for values in known.chain(knowledge.mistakes.iter().map(|(_, values)| values)) {
        let (expected, found) = (claim.values.len(), values.len());
        if expected != found {
            return Err(CheckError::Size { what: "known values", expected, found });
        }
    }

    let mut evidence = evidence::jacobian(options, inputs, outputs, f, x).map_err(failed)?;
    let rounding = knowledge.rounding.as_deref().unwrap_or(&[]);
    evidence.blur(rounding);
    confirm(options, inputs, outputs, f, x, claim, &mut evidence).map_err(failed)?;
    evidence.blur(rounding);
    let exact = knowledge.exact.as_ref().filter(|_| !knowledge.isolated);
    let contradictions = exact.map_or(0, |exact| evidence.refine(options, exact));
    evidence.blur(rounding);
    if knowledge.isolated {
        evidence.set_apart();
    }
    if contradictions == 0 && knowledge.exact.is_some() && !rounding.is_empty() {
        evidence.magnitude.fill(0.0); // what rounding does is known better than from the size of the outputs
    }
    let mut report = judge(options, &evidence, claim);
    report.note_contradictions(contradictions);
    report.explain(options, &knowledge.mistakes);
    curve::add(options, inputs, outputs, f, x, &mut report);
    taylor::add(options, inputs, outputs, f, x, &mut report);
    Ok(report)
}

/// Confirms disagreements, because tables of differences can be wrong by chance: columns with an entry that disagrees
/// are evaluated again with other steps, and differences between the tables count as error.
fn confirm<E: Debug + Display>(
    options: &Options,
    inputs: &dyn Manifold,
    outputs: &dyn Manifold,
    f: &mut Differenced<'_, E>,
    x: &[f64],
    claim: &Claim,
    evidence: &mut Evidence,
) -> Result<(), DifferenceError<E>> {
    let first = judge(options, evidence, claim);
    let mut suspects: Vec<usize> =
        first.entries.iter().filter(|entry| entry.verdict == Verdict::Disagrees).map(|entry| entry.column).collect();
    suspects.sort_unstable();
    suspects.dedup();
    for k in suspects {
        let [shorter, other] = OTHER_STEPS;
        let (again, _) = evidence::column(options, shorter, (inputs, outputs), f, x, k)?;
        let (once_more, _) = evidence::column(options, other, (inputs, outputs), f, x, k)?;
        for (i, others) in again.into_iter().zip(once_more).enumerate() {
            let found = &mut evidence.found[i * evidence.columns + k];
            *found = found.confirmed_by(others.into());
        }
    }
    Ok(())
}

/// Checks that the point has the expected length and is finite.
pub(super) fn expect_point(what: &'static str, x: &[f64], expected: usize) -> Result<(), CheckError> {
    if x.len() != expected {
        return Err(CheckError::Size { what, expected, found: x.len() });
    }
    match x.iter().position(|x| !x.is_finite()) {
        Some(index) => Err(CheckError::Number { what, index, value: x[index], rule: "it must be finite" }),
        None => Ok(()),
    }
}

/// The function failed at the point itself.
pub(super) fn failed<E: Debug + Display>(error: DifferenceError<E>) -> CheckError {
    let error = match error {
        DifferenceError::Function { error, .. } => error.to_string(),
        other => other.to_string(),
    };
    CheckError::Function { error }
}
