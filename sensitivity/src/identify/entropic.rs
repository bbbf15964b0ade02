//! The divergence of one inertia from another, independent of units and frame: the entropic (Bregman, log-det)
//! divergence.
//!
//! ```text
//! D(P ‖ P₀) = tr(P₀⁻¹P) − log det(P₀⁻¹P) − 4                                                                (1)
//!           = Σ_{i>j} w_ij² + Σ_i (w_ii² − 1 − 2 ln w_ii) ,   W = L₀⁻¹ L ,  P = L Lᵀ ,  P₀ = L₀ L₀ᵀ          (2)
//! dD  = tr((P₀⁻¹ − P⁻¹) dP) ,   d²D = tr(P⁻¹ dP P⁻¹ dP)                                                     (3)
//! ```
//!
//! of pseudo-inertias, with L lower triangular. It grows without bound toward bodies that cannot exist. A step of least
//! squares takes the rows `L⁻¹ dP L⁻ᵀ` at `WᵀW − 1`: (3), exactly. If P is nonlinear in its parameters, the omitted
//! part of the second derivative is the whole gradient by P, of data and regularizer, times that curvature, which is
//! zero where the fit ends: steps are Newton's there in every chart. Ten residuals whose half squares sum to (2) would
//! be an alternative; with a small weight they took hundreds of steps.
//!
//! Source: T. Lee, P. Wensing, F. Park, *Geometric robot dynamic identification: a convex programming approach*, T-RO
//! 36(2), 2020.

use super::nullspace::by_parameters;
use crate::error::SensitivityError;
use crate::estimate::OwnRows;
use crate::parameters::Parameters;
use gradyn::Inertia;
use gradyn::spatial::InertiaError;
use nalgebra::{Cholesky, DMatrix, DVector, Matrix4};

/// `D(P ‖ P₀)` of two inertias in one frame. Zero if they are the same, otherwise positive.
///
/// ```
/// use gradyn_sensitivity::gradyn::Inertia;
/// use gradyn_sensitivity::identify::divergence;
/// let box_of = |mass| Inertia::solid_box(mass, [0.1, 0.2, 0.3]);
/// // All four eigenvalues of P₀⁻¹P are 2.
/// assert!((divergence(&box_of(2.0)?, &box_of(1.0)?)? - 4.0 * (1.0 - 2_f64.ln())).abs() < 1e-14);
/// # Ok::<(), gradyn_sensitivity::gradyn::spatial::InertiaError>(())
/// ```
///
/// # Errors
/// As [`Inertia::log_cholesky`]: an inertia that is not physical, or flat.
pub fn divergence(of: &Inertia<f64>, from: &Inertia<f64>) -> Result<f64, InertiaError> {
    of.log_cholesky()?;
    from.log_cholesky()?;
    let flat = || InertiaError::Flat { mass: of.mass, second_moments: [0, 1, 2].map(|k| of.pseudo_inertia()[(k, k)]) };
    let both = lower(from).zip(lower(of)).ok_or_else(flat)?;
    value(&both.0, &both.1).ok_or_else(flat)
}

/// A regularizer of all links whose inertias vary, toward the given ones: `γ Σ D(P ‖ P₀)`.
pub(super) struct Entropic<'a> {
    parameters: &'a Parameters,
    weight: f64,
    /// Each body, by its index, with its L₀.
    links: Vec<(usize, Matrix4<f64>)>,
}

impl<'a> Entropic<'a> {
    pub(super) fn new(parameters: &'a Parameters, weight: f64) -> Result<Self, SensitivityError> {
        if !(weight > 0.0 && weight.is_finite()) {
            let rule = "expected a positive number";
            return Err(SensitivityError::Number {
                what: "the weight of the entropic regularizer".into(),
                value: weight,
                rule,
            });
        }
        let bodies = parameters.robot().bodies();
        let mut links = Vec::new();
        for b in parameters.bodies() {
            let (name, own) = (bodies[b].name(), bodies[b].inertia());
            let refuse = |error| SensitivityError::Chart { name: name.to_owned(), error: Box::new(error) };
            own.log_cholesky().map_err(refuse)?;
            let none = || SensitivityError::Other(format!("`{name}`: the pseudo-inertia has no Cholesky factor"));
            links.push((b, lower(own).ok_or_else(none)?));
        }
        if links.is_empty() {
            return Err(SensitivityError::Other("an entropic regularizer, but no inertia varies".into()));
        }
        Ok(Self { parameters, weight, links })
    }

    /// `γ Σ D` and the rows of (3), by the parameters; `None` where an inertia is not physical.
    pub(super) fn rows(&self, p: &[f64]) -> Option<OwnRows> {
        let robot = self.parameters.robot_at(p).ok()?;
        let chain = self.parameters.chain(p).ok()?;
        let (n, layout) = (10 * self.links.len(), robot.parameter_layout());
        let (mut cost, root) = (0.0, self.weight.sqrt());
        let (mut rows, mut by_linear) = (DVector::zeros(n), DMatrix::zeros(n, layout.len()));
        for (link, (b, l0)) in self.links.iter().enumerate() {
            let l = lower(robot.bodies()[*b].inertia())?;
            cost += self.weight * value(l0, &l)?;
            let w = l0.solve_lower_triangular(&l)?;
            let at = w.transpose() * w - Matrix4::identity();
            let back = l.solve_lower_triangular(&Matrix4::identity())?;
            let mut row = 10 * link;
            for i in 0..4 {
                for j in 0..=i {
                    // Each entry off the diagonal stands for two.
                    let root = if i == j { root } else { 2_f64.sqrt() * root };
                    rows[row] = root * at[(i, j)];
                    let g = back.row(j).transpose() * back.row(i);
                    for (k, x) in by_parameters(&(0.5 * (g + g.transpose())), 1.0).into_iter().enumerate() {
                        by_linear[(row, layout.inertial.start + 10 * b + k)] = root * x;
                    }
                    row += 1;
                }
            }
        }
        let mut jacobian = DMatrix::zeros(n, p.len());
        chain.times(&by_linear, &mut jacobian);
        Some(OwnRows { cost, rows, jacobian })
    }
}

/// L of a pseudo-inertia; `None` if it is not positive definite.
fn lower(of: &Inertia<f64>) -> Option<Matrix4<f64>> {
    Cholesky::new(of.pseudo_inertia()).map(|factor| factor.l())
}

/// (2), which does not cancel for two that are nearly the same.
fn value(l0: &Matrix4<f64>, l: &Matrix4<f64>) -> Option<f64> {
    let w = l0.solve_lower_triangular(l)?;
    let of = |i: usize| {
        let x = 2.0 * w[(i, i)].ln();
        x.exp_m1() - x + (0..i).map(|j| w[(i, j)].powi(2)).sum::<f64>()
    };
    let sum = (0..4).map(of).sum::<f64>();
    sum.is_finite().then_some(sum)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// By factors as by the inverse: (2) is (1).
    #[test]
    fn both_forms_are_the_same() {
        let of = Inertia::from_parameters([2.0, 0.1, -0.2, 0.3, 0.9, 0.02, 0.8, -0.03, 0.01, 0.7]);
        let from = Inertia::from_parameters([1.5, 0.2, 0.1, -0.1, 0.5, -0.01, 0.6, 0.02, 0.03, 0.5]);
        let (p, p0) = (of.pseudo_inertia(), from.pseudo_inertia());
        let x = p0.try_inverse().expect("is positive definite") * p;
        let expected = x.trace() - x.determinant().ln() - 4.0;
        let found = divergence(&of, &from).expect("are physical");
        // Rounding of traces of some units, by a condition of some tens.
        assert!((found - expected).abs() < 1e-12, "{found} against {expected}");
        assert!(found > 0.1);
    }

    /// In each chart: the cost is γ times the divergences, `Aᵀb` its gradient, and `AᵀA` its Hessian, in linear
    /// parameters.
    #[test]
    fn rows_have_the_derivatives_of_differences() {
        let file = concat!(env!("CARGO_MANIFEST_DIR"), "/../robots/panda.urdf");
        let model = gradyn::Model::from_urdf_file(file, &gradyn::UrdfOptions::new()).expect("reads").model;
        for patterns in [
            "panda_link[57].log_cholesky.*",
            "panda_link[57].pi.*",
            "panda_link[57].mass, panda_link7.com.*, panda_link7.inertia.xy",
            "panda_link6.density, panda_link7.payload.m, panda_joint3.friction",
        ] {
            let p = Parameters::of(&model).select_all(patterns).expect("are there");
            let pull = Entropic::new(&p, 3.0).expect("is positive");
            // Not at the robot's own values, where the regularizer is flat.
            let at: Vec<f64> = p.nominal().iter().map(|x| 1.03 * x + 1e-4).collect();
            let own = pull.rows(&at).expect("is physical");
            let robot = p.robot_at(&at).expect("fits");
            let of = |b: &usize| {
                divergence(robot.bodies()[*b].inertia(), model.bodies()[*b].inertia()).expect("is physical")
            };
            let total: f64 = p.bodies().iter().map(of).sum();
            assert!(total > 1e-5, "{patterns}: {total}");
            // The same sum in another order.
            assert!((own.cost - 3.0 * total).abs() < 1e-13 * total, "{patterns}");
            let gradient = own.jacobian.tr_mul(&own.rows);
            let hessian = own.jacobian.tr_mul(&own.jacobian);
            for k in 0..at.len() {
                // Numbers are 1e-4 at least; where one is, P is 1e-3 or more of its size, and the fourth power of a
                // step 1e-9 of that.
                let h = 1e-3 * (1e-4 + 0.1 * at[k].abs());
                let to = |step: f64| {
                    let mut to = at.clone();
                    to[k] += step;
                    pull.rows(&to).expect("is physical")
                };
                let [a, b, c, d] = [-2.0, -1.0, 1.0, 2.0].map(|steps| to(steps * h));
                let central = |a: f64, b: f64, c: f64, d: f64| (8.0 * (c - b) - (d - a)) / (12.0 * h);
                let difference = central(a.cost, b.cost, c.cost, d.cost);
                // ε of the cost by h, relative to the root of the Hessian by which units go.
                let unit = hessian[(k, k)].sqrt();
                let apart = (difference - gradient[k]).abs();
                assert!(apart <= 1e-6 * unit, "{patterns}, {}: {difference} against {}", p.names()[k], gradient[k]);
                if patterns.contains(".pi.") {
                    let [a, b, c, d] = [&a, &b, &c, &d].map(|own| own.jacobian.tr_mul(&own.rows));
                    for i in 0..at.len() {
                        let apart = (central(a[i], b[i], c[i], d[i]) - hessian[(i, k)]).abs();
                        assert!(apart < 1e-5 * unit * hessian[(i, i)].sqrt(), "Hessian at {i}, {k}: {apart:e}");
                    }
                }
            }
        }
    }
}
