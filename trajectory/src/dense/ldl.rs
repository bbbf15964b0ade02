//! Symmetric indefinite factors with complete pivoting: `Π A Πᵀ = L D Lᵀ`, D of blocks 1 × 1 and 2 × 2.
//!
//! J. Bunch, B. Parlett, *Direct methods for solving symmetric indefinite systems of linear equations*, SIAM J. Numer.
//! Anal. 8 (1971).

use nalgebra::DMatrix;

/// Factors of one matrix after the other, none larger than the first size.
#[derive(Debug)]
pub(crate) struct Ldl {
    /// The matrix, both halves; afterwards L below the blocks of D.
    pub(crate) a: DMatrix<f64>,
    order: Vec<usize>,
    /// Whether a block of two begins here.
    two: Vec<bool>,
    n: usize,
    turned: Vec<f64>,
}

/// `(1 + √17) / 8`: with it neither kind of pivot lets entries grow more than the other.
const SINGLE: f64 = 0.640_388_203_202_208;

impl Ldl {
    /// Memory for so many rows.
    pub(crate) fn new(n: usize) -> Self {
        Self { a: DMatrix::zeros(n, n), order: vec![0; n], two: vec![false; n], n: 0, turned: vec![0.0; n] }
    }

    /// Of the first n rows and columns of `a`: how many eigenvalues are positive. `None` if it is singular or not
    /// finite.
    pub(crate) fn factor(&mut self, n: usize) -> Option<usize> {
        let Self { a, order, two, .. } = self;
        order.iter_mut().enumerate().for_each(|(i, order)| *order = i);
        let (mut k, mut positive) = (0, 0);
        while k < n {
            let (mut diagonal, mut other) = ((k, -1.0), (k, k, -1.0));
            for j in k..n {
                let x = a[(j, j)].abs();
                if x > diagonal.1 {
                    diagonal = (j, x);
                }
                for i in j + 1..n {
                    let x = a[(i, j)].abs();
                    if x > other.2 {
                        other = (i, j, x);
                    }
                }
            }
            if diagonal.1 >= SINGLE * other.2 {
                swap(a, order, n, k, diagonal.0);
                let d = a[(k, k)];
                if !(d != 0.0 && d.is_finite()) {
                    return None;
                }
                positive += usize::from(d > 0.0);
                for j in k + 1..n {
                    let l = a[(k, j)] / d;
                    for i in k + 1..n {
                        a[(i, j)] -= a[(i, k)] * l;
                    }
                }
                for i in k + 1..n {
                    a[(i, k)] /= d;
                }
                two[k] = false;
                k += 1;
            } else {
                let (i, j, _) = other;
                swap(a, order, n, k, j);
                swap(a, order, n, k + 1, i);
                let (p, q, r) = (a[(k, k)], a[(k + 1, k)], a[(k + 1, k + 1)]);
                // Negative: by the choice of the pivot |p r| < q².
                let det = p * r - q * q;
                if !(det < 0.0 && det.is_finite()) {
                    return None;
                }
                positive += 1;
                for j in k + 2..n {
                    let (x, y) = (a[(k, j)], a[(k + 1, j)]);
                    let (l, m) = ((r * x - q * y) / det, (p * y - q * x) / det);
                    for i in k + 2..n {
                        a[(i, j)] -= a[(i, k)] * l + a[(i, k + 1)] * m;
                    }
                    (a[(k, j)], a[(k + 1, j)]) = (l, m);
                }
                for i in k + 2..n {
                    (a[(i, k)], a[(i, k + 1)]) = (a[(k, i)], a[(k + 1, i)]);
                }
                (two[k], two[k + 1]) = (true, false);
                k += 2;
            }
        }
        self.n = n;
        Some(positive)
    }

    /// `x := A⁻¹ x`
    pub(crate) fn solve(&mut self, x: &mut [f64]) {
        let Self { a, order, two, n, turned } = self;
        let n = *n;
        let y = &mut turned[..n];
        for (y, from) in y.iter_mut().zip(order.iter()) {
            *y = x[*from];
        }
        let mut k = 0;
        while k < n {
            if two[k] {
                for i in k + 2..n {
                    y[i] -= a[(i, k)] * y[k] + a[(i, k + 1)] * y[k + 1];
                }
                let (p, q, r) = (a[(k, k)], a[(k + 1, k)], a[(k + 1, k + 1)]);
                let det = p * r - q * q;
                (y[k], y[k + 1]) = ((r * y[k] - q * y[k + 1]) / det, (p * y[k + 1] - q * y[k]) / det);
                k += 2;
            } else {
                for i in k + 1..n {
                    y[i] -= a[(i, k)] * y[k];
                }
                y[k] /= a[(k, k)];
                k += 1;
            }
        }
        while k > 0 {
            k -= 1;
            let first = if k > 0 && two[k - 1] { k - 1 } else { k };
            for j in first..=k {
                for i in k + 1..n {
                    y[j] -= a[(i, j)] * y[i];
                }
            }
            k = first;
        }
        for (y, to) in y.iter().zip(order.iter()) {
            x[*to] = *y;
        }
    }
}

/// Rows and columns i and j of the symmetric matrix change places, and rows of L with them.
fn swap(a: &mut DMatrix<f64>, order: &mut [usize], n: usize, i: usize, j: usize) {
    if i == j {
        return;
    }
    order.swap(i, j);
    for k in 0..n {
        a.swap((i, k), (j, k));
    }
    for k in 0..n {
        a.swap((k, i), (k, j));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand::rngs::ChaCha8Rng;
    use rand::{RngExt, SeedableRng};

    #[test]
    fn indefinite_systems_are_solved_and_their_inertia_known() {
        let mut rng = ChaCha8Rng::seed_from_u64(3);
        for n in 1..20 {
            let mut ldl = Ldl::new(20);
            let random = DMatrix::<f64>::from_fn(n, n, |_, _| rng.random_range(-1.0..1.0));
            let mut m = &random + random.transpose();
            if n % 3 == 0 {
                m.fill_diagonal(0.0);
            }
            ldl.a.view_mut((0, 0), (n, n)).copy_from(&m);
            let positive = m.clone().symmetric_eigenvalues().iter().filter(|x| **x > 0.0).count();
            assert_eq!(ldl.factor(n), Some(positive));
            let mut x: Vec<f64> = (0..n).map(|i| 1.0 + i as f64).collect();
            let b = x.clone();
            ldl.solve(&mut x);
            // Conditions of matrices of twenty random rows stay below 1e5.
            for i in 0..n {
                let sum: f64 = (0..n).map(|j| m[(i, j)] * x[j]).sum();
                assert!((sum - b[i]).abs() < 1e-10 * (1.0 + b[i].abs()), "n = {n}, row {i}: {sum} for {}", b[i]);
            }
        }
    }
}
