//! `min ½ xᵀ H x + qᵀ x` between bounds `l ≤ x ≤ u`, by a projected Newton method.
//!
//! Y. Tassa, N. Mansard, E. Todorov, *Control-limited differential dynamic programming*, ICRA 2014, section III; the
//! constants are Crocoddyl's. Numbers at a bound whose gradient points beyond it are held, and so are those whose
//! bounds are equal. Newton's step of the others is clipped at the bounds.

use super::reference::{cholesky, solve, symmetrize};
use super::{Quadratics, Stagewise};
use nalgebra::{DMatrix, DVector};

/// At most so many Newton steps.
const STEPS: usize = 100;
/// Least share of the expected improvement that a step must make.
const ACCEPT: f64 = 0.1;
/// The gradient of the free numbers counts as zero below.
const FLAT: f64 = 1e-9;
/// Steps tried: 1, ½, ¼, …, so many.
const HALVINGS: usize = 10;

/// Memory of the method, for n numbers.
#[derive(Debug)]
pub(super) struct BoxQp {
    x: DVector<f64>,
    trial: DVector<f64>,
    product: DVector<f64>,
    step: DVector<f64>,
    /// Those that are not held, in order.
    free: Vec<usize>,
    /// Factor of H of the free ones, in its first rows and columns.
    factor: DMatrix<f64>,
    /// Right-hand sides of the free ones.
    right: Vec<f64>,
}

impl BoxQp {
    pub(super) fn new(n: usize) -> Self {
        let zeros = || DVector::zeros(n);
        Self {
            x: zeros(),
            trial: zeros(),
            product: zeros(),
            step: zeros(),
            free: Vec::with_capacity(n),
            factor: DMatrix::zeros(n, n),
            right: vec![0.0; n],
        }
    }

    /// The solution.
    pub(super) fn x(&self) -> &DVector<f64> {
        &self.x
    }
    /// Whether a number is at none of its bounds, or is pulled away from them.
    pub(super) fn is_free(&self, i: usize) -> bool {
        self.free.contains(&i)
    }

    /// Solves, from a start. `None` if H is not positive definite in the free numbers.
    pub(super) fn solve(
        &mut self,
        h: &DMatrix<f64>,
        q: &DVector<f64>,
        (lower, upper): (&[f64], &[f64]),
        start: &DVector<f64>,
    ) -> Option<()> {
        let n = q.len();
        for i in 0..n {
            self.x[i] = start[i].min(upper[i]).max(lower[i]);
        }
        for _ in 0..STEPS {
            // Gradient, in `product`.
            self.product.copy_from(q);
            self.product.gemv(1.0, h, &self.x, 1.0);
            self.free.clear();
            for i in 0..n {
                let (x, g) = (self.x[i], self.product[i]);
                #[expect(clippy::float_cmp, reason = "numbers have been set to their bounds")]
                let held = (x == lower[i] && g > 0.0) || (x == upper[i] && g < 0.0) || lower[i] == upper[i];
                if !held {
                    self.free.push(i);
                }
            }
            let size = self.free.len();
            for (j, fj) in self.free.iter().enumerate() {
                for (i, fi) in self.free.iter().enumerate() {
                    self.factor[(i, j)] = h[(*fi, *fj)];
                }
                self.right[j] = -self.product[*fj];
            }
            cholesky(&mut self.factor.view_mut((0, 0), (size, size)))?;
            let flat = self.right[..size].iter().all(|g| g.abs() <= FLAT);
            solve(&self.factor.view((0, 0), (size, size)), &mut self.right[..size]);
            self.step.fill(0.0);
            self.free.iter().zip(&self.right).for_each(|(i, step)| self.step[*i] = *step);
            let before = self.value(h, q, false);
            for halving in 0..HALVINGS {
                let length = 0.5_f64.powi(halving as i32);
                for i in 0..n {
                    self.trial[i] = (self.x[i] + length * self.step[i]).min(upper[i]).max(lower[i]);
                }
                let expected: f64 = self.free.iter().map(|i| self.product[*i] * (self.x[*i] - self.trial[*i])).sum();
                if before - self.value(h, q, true) > ACCEPT * expected {
                    self.x.copy_from(&self.trial);
                    break;
                }
            }
            if flat {
                break;
            }
        }
        Some(())
    }

    /// The objective, at the trial or at x.
    fn value(&self, h: &DMatrix<f64>, q: &DVector<f64>, trial: bool) -> f64 {
        let x = if trial { &self.trial } else { &self.x };
        let curvature: f64 = h.column_iter().zip(x.iter()).map(|(column, xj)| xj * column.dot(x)).sum();
        0.5 * curvature + q.dot(x)
    }

    /// `H⁻¹` of the free numbers times a column, zero for those that are held.
    pub(super) fn apply(&mut self, column: &mut [f64]) {
        let size = self.free.len();
        for (right, i) in self.right.iter_mut().zip(&self.free) {
            *right = column[*i];
        }
        solve(&self.factor.view((0, 0), (size, size)), &mut self.right[..size]);
        column.fill(0.0);
        self.free.iter().zip(&self.right).for_each(|(i, x)| column[*i] = *x);
    }
}

/// From the value function behind a node to the one before it, with `δu` between bounds. `None` if `Qᵤᵤ` is not
/// positive definite.
pub(super) fn eliminate(
    q: &Quadratics,
    boxed: &mut BoxQp,
    bounds: (&[f64], &[f64]),
    here: &mut Stagewise,
) -> Option<()> {
    here.qu.copy_from(&q.u);
    here.vx.copy_from(&q.x);
    here.vxx.copy_from(&q.xx);
    // From the step of the last sweep.
    here.k.neg_mut();
    boxed.solve(&q.uu, &q.u, bounds, &here.k)?;
    here.k.copy_from(boxed.x());
    here.k.neg_mut();
    q.xu.transpose_to(&mut here.gain);
    for mut column in here.gain.column_iter_mut() {
        boxed.apply(column.as_mut_slice());
    }
    for i in 0..here.qu.len() {
        if !boxed.is_free(i) {
            here.qu[i] = 0.0;
        }
    }
    here.quu_k.gemv(1.0, &q.uu, &here.k, 0.0);
    here.vx.gemv_tr(-1.0, &here.gain, &here.qu, 1.0);
    here.vxx.gemm(-1.0, &q.xu, &here.gain, 1.0);
    symmetrize(&mut here.vxx);
    Some(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_least_value_between_bounds_satisfies_its_conditions() {
        // A small generator: numbers in ±1.
        let mut seed = 1_u64;
        let mut random = move || {
            seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (seed >> 11) as f64 / (1_u64 << 52) as f64 - 1.0
        };
        for n in 1..12 {
            let root = DMatrix::from_fn(n, n, |_, _| random());
            let h = &root * root.transpose() + DMatrix::identity(n, n) * 0.1;
            let q = DVector::from_fn(n, |_, _| 3.0 * random());
            let lower: Vec<f64> = (0..n).map(|_| -random().abs()).collect();
            let upper: Vec<f64> = (0..n).map(|_| random().abs()).collect();
            let mut qp = BoxQp::new(n);
            qp.solve(&h, &q, (&lower, &upper), &DVector::zeros(n)).expect("positive definite");
            let gradient = &h * qp.x() + &q;
            for i in 0..n {
                let x = qp.x()[i];
                assert!(lower[i] <= x && x <= upper[i]);
                // Solved to 1e-9 in the gradient; one more step leaves the square of that.
                match qp.is_free(i) {
                    true => assert!(gradient[i].abs() < 1e-8, "{n} {i}: {}", gradient[i]),
                    false => assert!(((x - lower[i]).abs() < 1e-15) == (gradient[i] > 0.0), "{n} {i}"),
                }
            }
        }
    }
}
