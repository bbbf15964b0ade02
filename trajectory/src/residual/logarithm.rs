//! Second derivatives of the logarithm of poses and rotations.

use super::axes::{Axes, Axis};
use gradyn::spatial::jlog6;
use gradyn::{Dual8, Force, Motion};
use nalgebra::{DMatrix, Matrix6, Vector6};

/// `r = log6(x)`, as a function of `ξ` in `x exp(ξ)`: what weights λ make of its derivatives.
#[derive(Clone, Copy, Debug)]
pub(super) struct LogCurvature {
    /// `Jᵀ λ`, `J = ∂r/∂ξ`.
    pub(super) gradient: Force<f64>,
    /// `Σ λ_i ∂²r_i/∂ξ²` at `ξ = 0`, symmetric.
    pub(super) hessian: Matrix6<f64>,
}

impl LogCurvature {
    /// At `r`: the derivative of `J(r)ᵀ λ` along `∂r = J ∂ξ`, and the mean of both orders. Of a rotation alone, and of
    /// motions in a plane, parts of `r` and λ are zero.
    #[inline(never)]
    pub(super) fn new(r: Motion<f64>, lambda: Force<f64>) -> Self {
        let (at, by, weights) = (r.to_array(), jlog6(r), lambda.to_array());
        let seed = |i: usize| Dual8::from_parts(at[i], std::array::from_fn(|k| if k < 6 { by[(i, k)] } else { 0.0 }));
        let varied = jlog6(Motion::from_array(std::array::from_fn(seed)));
        let (mut gradient, mut ordered) = (Vector6::zeros(), Matrix6::zeros());
        for k in 0..6 {
            let mut sum = Dual8::from(0.0);
            for (i, weight) in weights.iter().enumerate() {
                sum += varied[(i, k)] * *weight;
            }
            gradient[k] = sum.value();
            for (to, by) in ordered.row_mut(k).iter_mut().zip(sum.eps.to_array()) {
                *to = by;
            }
        }
        Self { gradient: Force::from_vector6(&gradient), hessian: (ordered + ordered.transpose()) * 0.5 }
    }

    /// Adds the Hessian by the configuration that moves the frame of x by these axes, in its coordinates:
    /// `S_iᵀ H S_j + ½ g·(S_i × S_j)`, the second part being that of `log(exp(ε S_i) exp(δ S_j))`.
    pub(super) fn add_along(&self, axes: &mut Axes, out: &mut DMatrix<f64>) {
        axes.add_pairs_by(out, |Axis { motion: s, .. }| {
            let curvature = Force::from_vector6(&(self.hessian * s.to_vector6()));
            s.cross_force(self.gradient).scale::<f64>(0.5) + curvature
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use gradyn::spatial::{exp6, log6};

    /// Against differences of the gradient, and at no motion at all.
    #[test]
    fn second_derivatives_are_those_of_differences() {
        let motion = |x: [f64; 6]| Motion::from_array(x);
        let lambda = Force::from_array([0.3, -0.2, 0.5, 0.7, -0.4, 0.1]);
        for r in [motion([0.3, -0.5, 0.2, 1.1, -0.6, 0.9]), motion([0.2, 0.1, -0.4, 0.0, 0.0, 0.0]), Motion::zero()] {
            let curvature = LogCurvature::new(r, lambda);
            let value = |xi: Vector6<f64>| log6(&(exp6(r) * exp6(Motion::from_vector6(&xi)))).power(lambda);
            let step = 1e-3;
            for i in 0..6 {
                for j in 0..6 {
                    let at = |s: f64, t: f64| {
                        let mut xi = Vector6::zeros();
                        xi[i] += s * step;
                        xi[j] += t * step;
                        value(xi)
                    };
                    let found = (at(1.0, 1.0) - at(1.0, -1.0) - at(-1.0, 1.0) + at(-1.0, -1.0)) / (4.0 * step * step);
                    // Differences are off by the fourth derivatives, of about one, times the square of the step.
                    assert!(
                        (found - curvature.hessian[(i, j)]).abs() < 1e-5,
                        "{r:?}: {found} {}",
                        curvature.hessian[(i, j)]
                    );
                }
            }
        }
    }
}
