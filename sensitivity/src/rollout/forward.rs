//! Forward sensitivities of each state to the start and every parameter.
//!
//! Semi-implicit Euler steps without constraints use formulas, `δq̈ = ∂q̈/∂q δq + ∂q̈/∂v δv + M⁻¹ (B δu − ∂τ/∂p)`, all
//! columns at once; others use dual numbers through the steps, eight columns at a time.

use super::Scheme;
use super::columns::{add, add_product, all_finite};
use super::scheme::Robot;
use super::{Rollout, State};
use crate::error::SensitivityError;
use crate::local::torques_by_parameters;
use crate::parameters::Motor;
use gradyn::derivatives::num_dual::Dual64;
use gradyn::{Method, aba_derivatives};
use nalgebra::DMatrix;

/// Sensitivities of all states. Columns: the parameters, then `q₀` and `v₀`, nv each.
#[derive(Clone, Debug, PartialEq)]
pub struct Forward {
    /// `(q, v)` of each node.
    pub states: Vec<State>,
    /// `∂x/∂(p, q₀, v₀)` of each node, 2 nv × (np + 2 nv): `(δq, δv)` along the tangent at the node.
    pub by: Vec<DMatrix<f64>>,
    /// The number of parameters.
    pub parameters: usize,
}

impl Forward {
    /// `∂x/∂p` of a node, 2 nv × np.
    #[must_use]
    pub fn by_parameters(&self, node: usize) -> DMatrix<f64> {
        self.by.get(node).map_or_else(|| DMatrix::zeros(0, 0), |by| by.columns(0, self.parameters).into_owned())
    }
    /// `∂x/∂x₀` of a node, 2 nv × 2 nv.
    #[must_use]
    pub fn by_start(&self, node: usize) -> DMatrix<f64> {
        let of = |by: &DMatrix<f64>| by.columns(self.parameters, by.ncols() - self.parameters).into_owned();
        self.by.get(node).map_or_else(|| DMatrix::zeros(0, 0), of)
    }
    /// The largest growth factor of a small error of the start at a node: `σ_max(∂x/∂x₀)`.
    #[must_use]
    pub fn amplification(&self, node: usize) -> f64 {
        let by = self.by_start(node);
        if by.is_empty() || by.iter().any(|x| !x.is_finite()) {
            return f64::NAN;
        }
        by.singular_values().max()
    }
    /// Whether first-order results are meaningful at the end: amplified rounding is still below 1e-4.
    #[must_use]
    pub fn is_trustworthy(&self) -> bool {
        let grown = self.amplification(self.by.len().saturating_sub(1));
        grown.is_finite() && grown * f64::EPSILON < 1e-4
    }
}

impl Rollout<'_> {
    /// Computes all states with their sensitivities.
    ///
    /// # Errors
    /// Input that the engine rejects, and lists of wrong lengths.
    pub fn forward(&self, values: &[f64], q0: &[f64], v0: &[f64]) -> Result<Forward, SensitivityError> {
        let by_formulas = self.scheme == Scheme::SemiImplicitEuler && self.held.is_empty() && self.impacts.is_empty();
        if by_formulas { self.forward_by_formulas(values, (q0, v0)) } else { self.forward_by_duals(values, q0, v0) }
    }

    /// The same by dual numbers through the simulation: an independent check that shares no formula with the other.
    ///
    /// # Errors
    /// As [`forward`](Self::forward).
    pub fn forward_by_duals(&self, values: &[f64], q0: &[f64], v0: &[f64]) -> Result<Forward, SensitivityError> {
        let states = self.simulate(values, q0, v0)?;
        let (np, nv, nodes) = (values.len(), self.parameters.robot().nv(), states.len());
        let columns = np + 2 * nv;
        let mut by = vec![DMatrix::zeros(2 * nv, columns); nodes];
        let nominal = self.parameters.robot();
        for varied in 0..columns {
            let seed = |x: f64, column: usize| Dual64::new(x, if column == varied { 1.0 } else { 0.0 });
            let at: Vec<Dual64> = values.iter().enumerate().map(|(k, x)| seed(*x, k)).collect();
            let mut robot = Robot::at(self.parameters, &at)?;
            // The start is moved by the parameters, and then by its own columns.
            let (q, v) = self.start(&robot, &at, (q0, v0))?;
            let step: Vec<Dual64> = (0..nv).map(|k| seed(0.0, np + k)).collect();
            let mut moved = q.clone();
            robot.model.integrate_into(&q, &step, &mut moved)?;
            let more = |(k, v): (usize, Dual64)| v + seed(0.0, np + nv + k);
            let v: Vec<Dual64> = v.into_iter().enumerate().map(more).collect();
            let mut v = self.hit(&mut robot, 0, &moved, v)?;
            let mut q = moved;
            for (node, (state, by)) in states.iter().zip(&mut by).enumerate() {
                if node > 0 {
                    (q, v) = self.advance(&mut robot, node - 1, (&q, &v), &[])?;
                }
                let here: Vec<Dual64> = state.0.iter().map(|x| Dual64::from(*x)).collect();
                let mut tangent = vec![Dual64::from(0.0); nv];
                nominal.difference_into(&here, &q, &mut tangent)?;
                for (row, x) in tangent.iter().chain(&v).enumerate() {
                    by[(row, varied)] = x.eps;
                }
            }
        }
        Ok(Forward { states, by, parameters: np })
    }

    fn forward_by_formulas(&self, values: &[f64], start: (&[f64], &[f64])) -> Result<Forward, SensitivityError> {
        let mut robot = Robot::at(self.parameters, values)?;
        let chain = self.parameters.chain(values)?;
        let (by_regressor, motors) = (self.parameters.are_standard(), self.parameters.motors());
        let mut derivatives = gradyn::DerivativeWorkspace::new(&robot.model);
        let (np, nv) = (values.len(), robot.model.nv());
        let columns = np + 2 * nv;
        let (q, v) = self.start(&robot, values, start)?;
        // Transposed: a column of these is a row of the sensitivities.
        let (mut by_q, mut by_v) = (DMatrix::zeros(columns, nv), DMatrix::zeros(columns, nv));
        let (dq, _) = self.parameters.start_at(values)?;
        let of_start = robot.model.integrate_dv(&dq)?;
        for k in 0..nv {
            by_q[(np + k, k)] = 1.0;
            by_v[(np + nv + k, k)] = 1.0;
            // Columns of parameters of the start.
            let (mut unit, none) = (vec![0.0; nv], vec![0.0; nv]);
            unit[k] = 1.0;
            let (mut of_q, mut of_v) = (vec![0.0; np], vec![0.0; np]);
            self.parameters.add_start(&unit, &none, &mut of_q);
            self.parameters.add_start(&none, &unit, &mut of_v);
            for column in 0..np {
                for row in 0..nv {
                    by_q[(column, row)] += of_q[column] * of_start[(row, k)];
                }
                by_v[(column, k)] += of_v[column];
            }
        }
        let (mut states, mut by) = (vec![(q, v)], vec![stacked(&by_q, &by_v)]);
        let (mut of_parameters, mut transposed) = (DMatrix::zeros(nv, np), DMatrix::zeros(np, nv));
        let mut a = DMatrix::zeros(columns, nv);
        for step in 0..self.steps() {
            let ((q, v), h) = (&states[step], self.length(step));
            let u = self.control(&robot, step, (q, v), &[])?;
            let given = self.torques(&u);
            let tau = robot.driven(given.clone());
            let d = aba_derivatives(&robot.model, &mut derivatives, Method::Analytical, q, v, &tau, &[])?;
            let (model, ws) = (&robot.model, &mut robot.ws);
            a.fill(0.0);
            add_product(&mut a, 1.0, &d.ddq_dq, &by_q);
            add_product(&mut a, 1.0, &d.ddq_dv, &by_v);
            if np > 0 {
                torques_by_parameters(model, ws, &chain, by_regressor, (q, v, d.ddq.as_slice()), &mut of_parameters)?;
                of_parameters.transpose_to(&mut transposed);
                add_product(&mut a, -1.0, &d.ddq_dtau, &transposed);
                for Motor { dof, parameter, nominal } in &motors {
                    let torque = given[*dof] / nominal;
                    a.row_mut(*parameter).zip_apply(&d.ddq_dtau.column(*dof).transpose(), |to, x| *to += x * torque);
                }
            }
            if let Some(law) = &self.feedback {
                let mut off = DMatrix::zeros(columns, nv);
                add_product(&mut off, 1.0, &model.difference_dq1(&law.q[step], q)?, &by_q);
                let mut b = self.actuation.matrix();
                b.row_iter_mut().zip(&robot.factors).for_each(|(mut row, factor)| row *= *factor);
                let by_u = &d.ddq_dtau * b;
                let gain = by_u * &law.gains[step];
                add_product(&mut a, -1.0, &gain.columns(0, nv).into_owned(), &off);
                add_product(&mut a, -1.0, &gain.columns(nv, nv).into_owned(), &by_v);
            }
            let ddq = d.ddq.as_slice();
            let next_v: Vec<f64> = v.iter().zip(ddq).map(|(v, a)| v + h * a).collect();
            let w: Vec<f64> = next_v.iter().map(|v| h * v).collect();
            let mut next_q = q.clone();
            model.integrate_into(q, &w, &mut next_q)?;
            add(&mut by_v, h, &a);
            if self.algebra.is_flat() {
                add(&mut by_q, h, &by_v);
            } else {
                let moved = model.transport_dq(&w, &by_q.transpose())?;
                by_q = (moved + model.transport_dv(&w, &by_v.transpose())? * h).transpose();
            }
            if !(all_finite(&by_v) && all_finite(&by_q)) {
                return Err(SensitivityError::Other(format!("sensitivities overflow in step {step}")));
            }
            by.push(stacked(&by_q, &by_v));
            states.push((next_q, next_v));
        }
        Ok(Forward { states, by, parameters: np })
    }
}

/// Stacks the rows of both, which are stored transposed.
fn stacked(by_q: &DMatrix<f64>, by_v: &DMatrix<f64>) -> DMatrix<f64> {
    let (columns, nv) = by_q.shape();
    let mut all = DMatrix::zeros(2 * nv, columns);
    by_q.transpose_to(&mut all.rows_mut(0, nv));
    by_v.transpose_to(&mut all.rows_mut(nv, nv));
    all
}
