//! One step of time, over any number type: the steps of `gradyn-trajectory`, with the robot's parameters and the length as variables.

use crate::error::SensitivityError;
use gradyn::{Constraint, Model, Scalar, Workspace, aba, constraint_dynamics};
use gradyn_trajectory::step::Algebra;

/// How time is stepped through. Controls are constant over a step.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Scheme {
    /// `v⁺ = v + h a(q, v)`, `q⁺ = q ⊕ h v⁺`: first order, energies stay bounded in practice.
    #[default]
    SemiImplicitEuler,
    /// `q⁺ = q ⊕ h v`, `v⁺ = v + h a(q, v)`: first order, energies grow.
    Euler,
    /// The classical method of Runge and Kutta on the Lie group of configurations: order 4 for every kind of joint.
    Rk4,
}

/// Where stages of [`Scheme::Rk4`] stand, and how much they count.
pub(super) const STAGES: [(f64, f64); 4] = [(0.0, 1.0 / 6.0), (0.5, 1.0 / 3.0), (0.5, 1.0 / 3.0), (1.0, 1.0 / 6.0)];

/// A robot over a number type, with its memory.
pub(super) struct Robot<P: gradyn::Real> {
    pub(super) model: Model<P>,
    pub(super) ws: Workspace<P>,
}

impl<P: Scalar<f64> + Scalar<P>> Robot<P> {
    pub(super) fn new(model: Model<P>) -> Self {
        let ws = Workspace::new(&model);
        Self { model, ws }
    }

    /// `q̈`, under constraints if there are any.
    pub(super) fn acceleration(
        &mut self,
        q: &[P],
        v: &[P],
        tau: &[P],
        constraints: &[Constraint],
    ) -> Result<Vec<P>, SensitivityError> {
        if constraints.is_empty() {
            return Ok(aba(&self.model, &mut self.ws, q, v, tau, &[])?.to_vec());
        }
        let lifted: Vec<Constraint<P>> = constraints.iter().map(Constraint::lift).collect();
        Ok(constraint_dynamics(&self.model, &mut self.ws, q, v, tau, &lifted, &[])?.ddq.to_vec())
    }

    /// The state after a step of length `h`.
    pub(super) fn step(
        &mut self,
        scheme: Scheme,
        algebra: &Algebra,
        h: P,
        (q, v): (&[P], &[P]),
        tau: &[P],
        constraints: &[Constraint],
    ) -> Result<(Vec<P>, Vec<P>), SensitivityError> {
        let times = |x: &[P], s: P| x.iter().map(|x| *x * s).collect::<Vec<P>>();
        let sum = |x: &[P], y: &[P]| x.iter().zip(y).map(|(x, y)| *x + *y).collect::<Vec<P>>();
        let mut next = q.to_vec();
        match scheme {
            Scheme::SemiImplicitEuler => {
                let a = self.acceleration(q, v, tau, constraints)?;
                let v = sum(v, &times(&a, h));
                self.model.integrate_into(q, &times(&v, h), &mut next)?;
                Ok((next, v))
            }
            Scheme::Euler => {
                let a = self.acceleration(q, v, tau, constraints)?;
                self.model.integrate_into(q, &times(v, h), &mut next)?;
                Ok((next, sum(v, &times(&a, h))))
            }
            Scheme::Rk4 => {
                let zero = vec![P::from(0.0); v.len()];
                let (mut k, mut l, mut sum_k, mut sum_l) = (zero.clone(), zero.clone(), zero.clone(), zero);
                for (c, b) in STAGES {
                    let (ch, bh) = (h * c, h * b);
                    let theta = times(&k, ch);
                    let v_i = sum(v, &times(&l, ch));
                    self.model.integrate_into(q, &theta, &mut next)?;
                    l = self.acceleration(&next.clone(), &v_i, tau, constraints)?;
                    k = rate(algebra, &theta, &v_i);
                    sum_k = sum(&sum_k, &times(&k, bh));
                    sum_l = sum(&sum_l, &times(&l, bh));
                }
                self.model.integrate_into(q, &sum_k, &mut next)?;
                Ok((next, sum(v, &sum_l)))
            }
        }
    }
}

/// `θ̇ = v + ½ [θ, v] + ¹⁄₁₂ [θ, [θ, v]]`
pub(super) fn rate<P: Scalar<f64>>(algebra: &Algebra, theta: &[P], v: &[P]) -> Vec<P> {
    let mut out = v.to_vec();
    if algebra.is_flat() {
        return out;
    }
    let bracket = |x: &[P], y: &[P]| {
        let mut to = vec![P::from(0.0); x.len()];
        for (i, j, k, c) in algebra.terms() {
            to[*i] += x[*j] * y[*k] * *c;
        }
        to
    };
    let once = bracket(theta, v);
    let twice = bracket(theta, &once);
    for ((out, once), twice) in out.iter_mut().zip(once).zip(twice) {
        *out += once * 0.5 + twice * (1.0 / 12.0);
    }
    out
}
