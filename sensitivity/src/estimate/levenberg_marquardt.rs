//! Levenberg–Marquardt on a manifold of parameters.
//!
//! Each step solves `min |√w (r + J δ)|² + |S (p ⊕ δ ⊖ p₀)|² + λ |D δ|²` by orthogonal factors (not by normal
//! equations, which square the condition) and is accepted if the cost decreases. With a robust loss the weights w are
//! those of the residuals before the step.
//!
//! Nonnegative parameters stay at zero, and move no row, while the cost decreases toward negative values. A parameter
//! that a step would make negative becomes zero, and the others minimize the rest (an active set, within each step).
//!
//! Sources: J. Moré, *The Levenberg–Marquardt algorithm: implementation and theory*, 1978 (the scales D: the largest
//! lengths of the columns so far); H. Nielsen, *Damping parameter in Marquardt's method*, IMM-REP-1999-05 (λ by the
//! ratio of actual and expected decrease).

use super::covariance::certainty;
use super::error::{expect_finite, expect_size};
use super::system::{Own, Rows, Triangle};
use super::{Estimate, EstimateError, Options, Status, identifiability};
use gradyn_derivatives::difference::Manifold;
use nalgebra::{DMatrix, DVector};

/// The least λ: along unidentifiable directions, rounding is divided by it.
const LEAST_DAMPING: f64 = 1e-12;
/// The largest λ: above it, a step is shorter than the resolution of doubles.
const MOST_DAMPING: f64 = 1e20;
/// If the expected decrease of an iteration's first step is less than this share of the cost, or the step is shorter
/// than this share of the parameters, a cost that does not decrease is rounding, not a failure.
const ROUNDING: [f64; 2] = [1e-12, 1e-9];

/// Fits parameters, beginning at `start`. `residuals`: their number, n.
///
/// `evaluate(p, r, j)` writes the n residuals at p, in units of their noise, and their Jacobian by the tangent space at
/// p: n × k. It may fail with a reason; if it does, or if a number is not finite, a step of at most half the length is
/// tried.
///
/// Cost of a step: `2 n k²` and one evaluation.
///
/// # Errors
/// Invalid sizes or numbers in the options; residuals or a Jacobian that cannot be computed at the start. A fit that
/// ran but did not converge is an [`Estimate`] whose [`Status`] says so.
pub fn levenberg_marquardt<M: Manifold>(
    space: &M,
    start: &[f64],
    residuals: usize,
    evaluate: impl FnMut(&[f64], &mut [f64], &mut DMatrix<f64>) -> Result<(), String>,
    options: &Options,
) -> Result<Estimate, EstimateError> {
    levenberg_marquardt_with(space, start, residuals, evaluate, None, &[], options)
}

/// The same with a regularizer of another form, and with nonnegative parameters, by their indices, which must be plain
/// numbers.
pub(crate) fn levenberg_marquardt_with<M: Manifold>(
    space: &M,
    start: &[f64],
    residuals: usize,
    mut evaluate: impl FnMut(&[f64], &mut [f64], &mut DMatrix<f64>) -> Result<(), String>,
    own: Option<Own<'_>>,
    never_negative: &[usize],
    options: &Options,
) -> Result<Estimate, EstimateError> {
    options.check()?;
    let (coordinates, k) = (space.coordinates(), space.directions());
    expect_size("the start", start.len(), coordinates)?;
    expect_finite("the parameter", start)?;
    if residuals == 0 || k == 0 {
        let what = if k == 0 { "the number of parameters" } else { "the number of residuals" };
        return Err(EstimateError::Number { what, value: 0.0, rule: "there must be one" });
    }
    let root = options.regularizer.as_ref().map(|pull| Ok((pull, pull.root(coordinates, k)?))).transpose()?;
    let rows = Rows { space, loss: options.loss, pull: root, own };

    let (mut p, mut r, mut j) =
        (start.to_vec(), vec![f64::NAN; residuals], DMatrix::from_element(residuals, k, f64::NAN));
    never_negative.iter().for_each(|i| p[*i] = p[*i].max(0.0));
    evaluate(&p, &mut r, &mut j).map_err(|why| EstimateError::Start { why })?;
    expect_finite("the residual", &r)?;
    expect_size("the Jacobian, by rows,", j.nrows(), residuals)?;
    expect_size("the Jacobian, by columns,", j.ncols(), k)?;
    expect_finite("the Jacobian", j.as_slice())?;
    let mut cost = rows.cost(&p, &r);
    expect_finite("the cost", &[cost])?;

    let mut damping = Damping { value: options.damping, growth: 2.0 };
    let mut scale = vec![0.0_f64; k];
    let (mut p_next, mut r_next, mut j_next) = (p.clone(), r.clone(), j.clone());
    let (mut iterations, mut evaluations) = (0, 1);
    let status = 'fit: loop {
        let (mut a, b) = rows.stack(&p, &r, &j);
        let fixed = at_bound(&p, &a, &b, never_negative);
        fixed.iter().for_each(|i| a.column_mut(*i).fill(0.0));
        let bounded = Bounded { p: &p, never_negative, fixed: &fixed, a: &a, b: &b };
        let triangle = Triangle::new(a.clone(), b.clone());
        if cost <= 0.0 || triangle.cosine <= options.gradient_tolerance {
            break Status::Gradient;
        }
        if iterations == options.iterations {
            break Status::Iterations;
        }
        scale.iter_mut().zip(triangle.lengths()).for_each(|(scale, length)| *scale = scale.max(length));
        let mut blocked = None;
        loop {
            if let Some((step, promised)) = bounded.step(&triangle, damping.value, &scale) {
                let within = |part: f64| (0..k).all(|i| step[i].abs() <= part * space.magnitude(&p, i));
                let end = |[cost_part, step_part]: [f64; 2]| match (promised <= cost_part * cost, within(step_part)) {
                    (true, _) => Some(Status::Cost),
                    (false, true) => Some(Status::Step),
                    (false, false) => None,
                };
                // Damped steps are short in any case: the first one decides.
                if blocked.is_none() {
                    if let Some(status) = end([options.cost_tolerance, options.step_tolerance]) {
                        break 'fit status;
                    }
                    blocked = Some(end(ROUNDING).unwrap_or(Status::NoDecrease));
                }
                space.integrate(&p, step.as_slice(), &mut p_next);
                never_negative.iter().for_each(|i| p_next[*i] = p_next[*i].max(0.0));
                evaluations += 1;
                r_next.fill(f64::NAN);
                j_next.fill(f64::NAN);
                let computed = p_next.iter().all(|p| p.is_finite())
                    && evaluate(&p_next, &mut r_next, &mut j_next).is_ok()
                    && j_next.shape() == (residuals, k)
                    && r_next.iter().chain(j_next.iter()).all(|x| x.is_finite());
                let cost_next = if computed { rows.cost(&p_next, &r_next) } else { f64::INFINITY };
                // A decrease below the rounding of the cost cannot be measured, and is accepted.
                let unseen = promised <= ROUNDING[0] * cost && cost_next <= cost * (1.0 + ROUNDING[0]);
                if cost_next < cost || unseen {
                    damping.fallen(if unseen { 1.0 } else { (cost - cost_next) / promised });
                    (p, p_next) = (p_next, p);
                    (r, r_next) = (r_next, r);
                    (j, j_next) = (j_next, j);
                    cost = cost_next;
                    break;
                }
            }
            damping.risen();
            if damping.value > MOST_DAMPING {
                break 'fit blocked.unwrap_or(Status::NoDecrease);
            }
        }
        iterations += 1;
    };

    let weights = r.iter().map(|r| options.loss.weight(*r)).collect();
    let (a, b) = rows.stack(&p, &r, &j);
    let fixed = at_bound(&p, &a, &b, never_negative);
    let mut free = j.clone();
    fixed.iter().for_each(|i| free.column_mut(*i).fill(0.0));
    let mut found = certainty(&rows, &p, &r, &free, options.noise, options.rank_tolerance);
    let freedom = residuals.saturating_sub(found.identifiability.rank);
    if !fixed.is_empty() {
        // Parameters at zero are identifiable, though they no longer move.
        found.identifiability = identifiability(&j, options.rank_tolerance)?;
    }
    Ok(Estimate {
        parameters: p,
        cost,
        status,
        iterations,
        evaluations,
        residuals: r,
        weights,
        freedom,
        noise: options.noise,
        scale: found.scale,
        covariance: found.covariance,
        identifiability: found.identifiability,
        loose: found.loose,
    })
}

/// Parameters at zero from which the cost decreases only toward negative values.
fn at_bound(p: &[f64], a: &DMatrix<f64>, b: &DVector<f64>, never_negative: &[usize]) -> Vec<usize> {
    never_negative.iter().copied().filter(|i| p[*i] <= 0.0 && a.column(*i).dot(b) >= 0.0).collect()
}

/// The linear problem of an iteration, with bounds.
struct Bounded<'a> {
    p: &'a [f64],
    never_negative: &'a [usize],
    /// Those that stay at zero, whose columns are left out.
    fixed: &'a [usize],
    a: &'a DMatrix<f64>,
    b: &'a DVector<f64>,
}

impl Bounded<'_> {
    /// The step, and the expected decrease of the cost.
    fn step(&self, triangle: &Triangle, damping: f64, scale: &[f64]) -> Option<(DVector<f64>, f64)> {
        let (mut step, mut promised) = triangle.step(damping, scale)?;
        // Removes rounding divided by the damping.
        self.fixed.iter().for_each(|i| step[*i] = 0.0);
        let mut stopped: Vec<usize> = Vec::new();
        loop {
            let below = |i: &&usize| !stopped.contains(*i) && self.p[**i] + step[**i] < 0.0;
            let more: Vec<usize> = self.never_negative.iter().filter(below).copied().collect();
            if more.is_empty() {
                return Some((step, promised));
            }
            stopped.extend(more);
            let (mut a, mut moved) = (self.a.clone(), DVector::zeros(self.b.len()));
            for i in &stopped {
                moved.axpy(-self.p[*i], &self.a.column(*i), 1.0);
                a.column_mut(*i).fill(0.0);
            }
            (step, promised) = Triangle::new(a, self.b + &moved).step(damping, scale)?;
            self.fixed.iter().for_each(|i| step[*i] = 0.0);
            stopped.iter().for_each(|i| step[*i] = -self.p[*i]);
            promised -= moved.dot(&(self.b + 0.5 * &moved));
        }
    }
}

/// λ, and its next growth factor.
struct Damping {
    value: f64,
    growth: f64,
}

impl Damping {
    /// Records a decrease of the cost by this share of the expected decrease.
    fn fallen(&mut self, ratio: f64) {
        let factor = (1.0 - (2.0 * ratio - 1.0).powi(3)).clamp(1.0 / 10.0, 2.0);
        *self = Self { value: (self.value * factor).max(LEAST_DAMPING), growth: 2.0 };
    }
    /// Records that the cost did not decrease.
    fn risen(&mut self) {
        *self = Self { value: self.value * self.growth, growth: 2.0 * self.growth };
    }
}
