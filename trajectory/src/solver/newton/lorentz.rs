//! The algebra of the second-order cone: determinants, the distance to the boundary, and the scaling of Nesterov and
//! Todd.
//!
//! For `x = (t, w)` with `J = diag(1, −1 …)`: `det x = xᵀ J x = t² − |w|²`, `x⁻¹ = J x / det x`; the eigenvalues of x
//! are `t ± |w|`.
//!
//! F. Alizadeh and D. Goldfarb, *Second-order cone programming*, Mathematical Programming 95 (2003), section 4; L.
//! Vandenberghe, *The CVXOPT linear and quadratic cone program solvers*, 2010, section 4.

use nalgebra::{DMatrix, DVector};

/// `(t, w)`
#[derive(Clone, Copy, Debug)]
pub(super) struct Point<'a> {
    pub(super) t: f64,
    pub(super) w: &'a [f64],
}

/// The first entry is t.
pub(super) fn point(x: &[f64]) -> Point<'_> {
    Point { t: x[0], w: &x[1..] }
}

impl Point<'_> {
    fn size(&self) -> f64 {
        self.w.iter().map(|x| x * x).sum::<f64>().sqrt()
    }
    /// `t² − |w|²`, as a product: its terms nearly cancel at the boundary.
    pub(super) fn det(&self) -> f64 {
        let size = self.size();
        (self.t - size) * (self.t + size)
    }
    pub(super) fn is_inside(&self) -> bool {
        self.t - self.size() > 0.0
    }
    /// `xᵀ y`
    pub(super) fn dot(&self, other: &Point<'_>) -> f64 {
        self.t * other.t + self.w.iter().zip(other.w).map(|(a, b)| a * b).sum::<f64>()
    }
    /// `xᵀ J y`
    pub(super) fn turned_dot(&self, other: &Point<'_>) -> f64 {
        self.t * other.t - self.w.iter().zip(other.w).map(|(a, b)| a * b).sum::<f64>()
    }

    /// How far along a direction the boundary is, from inside: the least α with `det(x + α d) = 0`; infinite where
    /// there is none.
    ///
    /// `det(x + α d) = a α² + 2 b α + c` with c > 0. Of both roots that one is taken whose terms do not cancel,
    /// `c / (√(b² − a c) − b)`; where b is not negative it is `(b + √(b² − a c)) / −a`. By Cauchy and Schwarz, turned
    /// round for this product, `b² ≥ a c`.
    pub(super) fn way(&self, d: &Point<'_>) -> f64 {
        let (a, b, c) = (d.det(), self.turned_dot(d), self.det());
        let root = (b * b - a * c).max(0.0).sqrt();
        if !self.is_inside() {
            0.0
        } else if b < 0.0 {
            c / (root - b)
        } else if a < 0.0 {
            (b + root) / -a
        } else {
            f64::INFINITY
        }
    }

    /// The eigenvalues of `λ ∘ λ`, the lower first: of the product of both points, as the scaling sees them. Their mean
    /// is `sᵀ z`, their product `det s det z`. Negative where one is not inside.
    pub(super) fn eigenvalues(&self, z: &Point<'_>) -> [f64; 2] {
        if !(self.is_inside() && z.is_inside()) {
            return [-1.0; 2];
        }
        let (mean, product) = (self.dot(z), self.det() * z.det());
        let high = mean + (mean * mean - product).max(0.0).sqrt();
        [product / high, high]
    }
}

/// `W⁻¹` and `W²` of two points inside, and `λ = W⁻¹ s = W z`; its determinant.
///
/// ```text
/// s̄ = s/√det s ,  z̄ = z/√det z ,  γ = √((1 + s̄ᵀ z̄)/2) ,  w̄ = (s̄ + J z̄)/2γ ,  η² = √(det s/det z)
/// W² = η² (2 w̄ w̄ᵀ − J) ,    W = η (2 v vᵀ − J) ,   v = (w̄ + e)/√(2 (w̄₀ + 1)) ,    W⁻¹ = J W J / η²
/// ```
pub(super) fn scaling(
    s: Point<'_>,
    z: Point<'_>,
    [inverse, square]: [&mut DMatrix<f64>; 2],
    lambda: &mut DVector<f64>,
) -> f64 {
    let (root_s, root_z) = (s.det().sqrt(), z.det().sqrt());
    let eta = (root_s / root_z).sqrt();
    let gamma = (0.5 * (1.0 + s.dot(&z) / (root_s * root_z))).sqrt();
    let w = &mut *lambda;
    w[0] = (s.t / root_s + z.t / root_z) / (2.0 * gamma);
    for (to, (s, z)) in w.iter_mut().skip(1).zip(s.w.iter().zip(z.w)) {
        *to = (s / root_s - z / root_z) / (2.0 * gamma);
    }
    let sign = |i: usize| if i == 0 { 1.0 } else { -1.0 };
    let n = w.len();
    // J v vᵀ J of W⁻¹ without v: the first row and column are those of J w̄, the rest is 1 + w̄ w̄ᵀ/(w̄₀ + 1).
    for j in 0..n {
        for i in 0..n {
            let turn = if i == j { sign(i) } else { 0.0 };
            square[(i, j)] = eta * eta * (2.0 * w[i] * w[j] - turn);
            inverse[(i, j)] = match (i, j) {
                (0, 0) => w[0],
                (0, k) | (k, 0) => -w[k],
                _ => f64::from(i == j) + w[i] * w[j] / (w[0] + 1.0),
            } / eta;
        }
    }
    for i in 0..n {
        lambda[i] = inverse[(i, 0)] * s.t + s.w.iter().enumerate().map(|(k, s)| inverse[(i, k + 1)] * s).sum::<f64>();
    }
    root_s * root_z
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Points inside, near the tip and near the boundary, of several sizes.
    fn points() -> Vec<DVector<f64>> {
        let mut all = Vec::new();
        for n in [1, 2, 3, 6] {
            for k in 0..6 {
                let w =
                    DVector::from_fn(n - 1, |i, _| ((i + 1) * (k + 2)) as f64 * if i % 2 == 0 { 0.3 } else { -0.7 });
                for inside in [1.0, 1e-3, 1e-6] {
                    let scale = [1.0, 1e-4, 300.0][k % 3];
                    all.push(DVector::from_iterator(
                        n,
                        std::iter::once(w.norm() + inside).chain(w.iter().copied()).map(|x| scale * x),
                    ));
                }
            }
        }
        all
    }

    fn of(x: &DVector<f64>) -> Point<'_> {
        point(x.as_slice())
    }

    #[test]
    fn the_scaling_takes_both_points_to_the_same_one() {
        for s in points() {
            for z in points().iter().filter(|z| z.len() == s.len()) {
                let n = s.len();
                let (mut inverse, mut square) = (DMatrix::zeros(n, n), DMatrix::zeros(n, n));
                let mut lambda = DVector::zeros(n);
                let det = scaling(of(&s), of(z), [&mut inverse, &mut square], &mut lambda);
                // W² z = s and W⁻¹ W⁻¹ s = z, to the rounding of the terms that cancel.
                let rounding = |m: &DMatrix<f64>, x: &DVector<f64>| 1e-13 * (m.abs() * x.abs()).amax();
                let (to_s, to_z) = (&square * z, &inverse * &lambda);
                assert!((&to_s - &s).amax() <= 10.0 * rounding(&square, z), "{s} {z} {to_s}");
                let twice = &inverse.abs() * (&inverse.abs() * s.abs());
                assert!((&to_z - z).amax() <= 1e-12 * twice.amax(), "{s} {z} {to_z}");
                assert!((of(&lambda).det() - det).abs() <= 1e-6 * det.max(1e-9 * lambda.norm_squared()), "{lambda}");
                let [low, high] = of(&s).eigenvalues(&of(z));
                // Half the sum is sᵀz = |λ|².
                assert!((0.5 * (low + high) - s.dot(z)).abs() <= 1e-12 * high && low > 0.0);
            }
        }
    }

    #[test]
    fn the_way_ends_at_the_boundary() {
        for s in points() {
            for d in points().iter().filter(|d| d.len() == s.len()).flat_map(|d| [-d, d.clone(), turned(d)]) {
                let way = of(&s).way(&of(&d));
                assert!(way > 0.0, "{s} {d}");
                let at = |share: f64| &s + &d * (share * way);
                // Through the tip, which is a double root, half of the digits are left: of the ten that points within
                // 1e-6 of the boundary have, five. Steps stay away from the boundary by a hundredth.
                if way.is_finite() {
                    assert!(of(&at(1.0 - 1e-4)).is_inside(), "{s} {d} {way}");
                    assert!(!of(&at(1.0 + 1e-4)).is_inside(), "{s} {d} {way}");
                } else {
                    assert!(of(&(&s + &d * 1e3)).is_inside() && of(&(&s + &d * 1e9)).is_inside(), "{s} {d}");
                }
            }
        }
    }

    /// Outwards.
    fn turned(d: &DVector<f64>) -> DVector<f64> {
        let mut d = d.clone();
        d[0] *= 0.5;
        d
    }
}
