//! The information of a motion on the base parameters: `−log det(JᵀJ + δ)` and its gradient by the motion.
//!
//! J has the rows `∂τ_j/∂p / σ_j` of all nodes and the columns of base parameters, scaled. With `M = JᵀJ + δ`,
//!
//! ```text
//! d(−log det M) = −2 Σ_nodes ⟨W, dJ⟩ ,   W = J M⁻¹
//! ```
//!
//! and `dJ` by (q, v, a) of a node is the regressor over dual numbers, eight directions per sweep.

use super::base::Base;
use crate::error::SensitivityError;
use crate::estimate::triangle;
use crate::local::torques_by_parameters;
use crate::parameters::{Chain, Parameters};
use gradyn::derivatives::num_dual::Dual64;
use gradyn::dynamics::{rnea_parameter_gradient, standard_regressor};
use gradyn::{Model, Workspace};
use nalgebra::DMatrix;
use rayon::prelude::*;

/// δ: columns of J have length one at the start, so that a direction identified worse than by 1e-6 of a column counts
/// as not yet identified, and the gradient shows how to identify it.
const DELTA: f64 = 1e-12;
/// A state: nq, nv, nv numbers.
pub(super) type State = [Vec<f64>; 3];

/// Derivatives of torques by base parameters, in units of the noise of the torques.
pub(super) struct Information<'a> {
    model: &'a Model,
    chain: Chain,
    by_regressor: bool,
    /// The number of selected parameters.
    chosen: usize,
    pub(super) base: &'a Base,
    /// The noise of each torque, N m or N.
    noise: &'a [f64],
}

impl<'a> Information<'a> {
    pub(super) fn new(parameters: &'a Parameters, base: &'a Base, noise: &'a [f64]) -> Result<Self, SensitivityError> {
        if let Some(motor) = parameters.motors().first() {
            let name = &parameters.names()[motor.parameter];
            let why = format!("motions are designed for parameters of the robot, and `{name}` is one of its motors");
            return Err(SensitivityError::Other(why));
        }
        Ok(Self {
            model: parameters.robot(),
            chain: parameters.chain(&parameters.nominal())?,
            by_regressor: parameters.are_standard(),
            chosen: parameters.len(),
            base,
            noise,
        })
    }

    /// Rows of one state: nv × base parameters.
    fn rows(
        &self,
        ws: &mut Workspace,
        by: &mut DMatrix<f64>,
        [q, v, a]: &State,
    ) -> Result<DMatrix<f64>, SensitivityError> {
        torques_by_parameters(self.model, ws, &self.chain, self.by_regressor, (q, v, a), by)?;
        let mut rows = by.select_columns(self.base.columns());
        rows.row_iter_mut().zip(self.noise).for_each(|(mut row, noise)| row /= *noise);
        Ok(rows)
    }

    /// J of all states, stacked.
    pub(super) fn stack(&self, states: &[State]) -> Result<DMatrix<f64>, SensitivityError> {
        let nv = self.model.nv();
        let rows: Vec<DMatrix<f64>> = states
            .par_iter()
            .map_init(|| self.memory(), |(ws, by), state| self.rows(ws, by, state))
            .collect::<Result<_, SensitivityError>>()?;
        let mut stack = DMatrix::zeros(nv * states.len(), self.base.columns().len());
        rows.iter().enumerate().for_each(|(i, rows)| stack.rows_mut(i * nv, nv).copy_from(rows));
        Ok(stack)
    }

    /// The triangle of J, computed block by block, for any number of states.
    pub(super) fn triangle(&self, states: &[State]) -> Result<DMatrix<f64>, SensitivityError> {
        const BLOCK: usize = 512;
        let k = self.base.columns().len();
        states.chunks(BLOCK).try_fold(DMatrix::zeros(k, k), |above, states| {
            let rows = self.stack(states)?;
            let mut both = DMatrix::zeros(k + rows.nrows(), k);
            both.rows_mut(0, k).copy_from(&above);
            both.rows_mut(k, rows.nrows()).copy_from(&rows);
            Ok(triangle(both))
        })
    }

    /// `−log det/(2 r)`, the mean logarithm of the deviations of r base parameters, and its gradients by the states:
    /// `scale` has the units of length of the columns.
    pub(super) fn cost(&self, states: &[State], scale: &[f64]) -> Result<(f64, Vec<State>), SensitivityError> {
        let (cost, weights) = self.weights(states, scale)?;
        let memory = || Workspace::<Dual64>::new(self.model);
        let contracted =
            |ws: &mut _, (state, weights): (&State, &_)| self.contracted(ws, state, &self.chain.back(weights));
        let gradients = states.par_iter().zip(&weights).map_init(memory, contracted);
        Ok((cost, gradients.collect::<Result<_, SensitivityError>>()?))
    }

    /// The same, and for each state the weights of `∂τ/∂p`: the gradient is that of [`weighed`](Self::weighed), summed.
    pub(super) fn weights(
        &self,
        states: &[State],
        scale: &[f64],
    ) -> Result<(f64, Vec<DMatrix<f64>>), SensitivityError> {
        let (nv, r) = (self.model.nv(), scale.len());
        let mut j = self.stack(states)?;
        j.column_iter_mut().zip(scale).for_each(|(mut column, scale)| column /= *scale);
        let n = j.nrows();
        let mut both = DMatrix::zeros(n + r, r);
        both.rows_mut(0, n).copy_from(&j);
        both.rows_mut(n, r).fill_diagonal(DELTA.sqrt());
        let root = triangle(both);
        let cost = -root.diagonal().iter().map(|x| x.abs().ln()).sum::<f64>() / r as f64;
        let singular = || SensitivityError::Other("the information matrix cannot be inverted".into());
        let inverse = root.solve_upper_triangular(&DMatrix::identity(r, r)).ok_or_else(singular)?;
        let mut weights = j * (&inverse * inverse.transpose());
        weights.column_iter_mut().zip(scale).for_each(|(mut column, scale)| column /= -*scale * r as f64);
        let of_state = |i: usize| {
            // Over all selected parameters; those that are not base parameters have weight zero.
            let mut all = DMatrix::zeros(nv, self.chosen);
            for (k, column) in self.base.columns().iter().enumerate() {
                all.column_mut(*column).copy_from(&weights.view((i * nv, k), (nv, 1)));
            }
            all.row_iter_mut().zip(self.noise).for_each(|(mut row, noise)| row /= *noise);
            all
        };
        Ok((cost, (0..states.len()).map(of_state).collect()))
    }

    /// `Σ w ∂τ/∂p` at a state: nv rows, one column per selected parameter.
    pub(super) fn weighed(
        &self,
        ws: &mut Workspace,
        by: &mut DMatrix<f64>,
        [q, v, a]: &State,
        w: &DMatrix<f64>,
    ) -> Result<f64, SensitivityError> {
        torques_by_parameters(self.model, ws, &self.chain, self.by_regressor, (q, v, a), by)?;
        Ok(by.dot(w))
    }

    /// Memory of [`weighed`](Self::weighed).
    pub(super) fn memory(&self) -> (Workspace, DMatrix<f64>) {
        (Workspace::new(self.model), DMatrix::zeros(self.model.nv(), self.chosen))
    }

    /// `Σ w ∂(∂τ/∂p)` by a state, for weights of the engine's parameters: nv rows.
    fn contracted(
        &self,
        ws: &mut Workspace<Dual64>,
        state: &State,
        w: &DMatrix<f64>,
    ) -> Result<State, SensitivityError> {
        let nv = self.model.nv();
        let mut gradient = [vec![0.0; nv], vec![0.0; nv], vec![0.0; nv]];
        for varied in 0..3 * nv {
            let [q, v, a]: [Vec<Dual64>; 3] = std::array::from_fn(|of| {
                let one = |k: usize| if of * nv + k == varied { 1.0 } else { 0.0 };
                state[of].iter().enumerate().map(|(k, x)| Dual64::new(*x, one(k))).collect()
            });
            let mut sum = 0.0;
            let mut add = |w: f64, y: &Dual64| {
                if w != 0.0 {
                    sum += w * y.eps;
                }
            };
            if self.by_regressor {
                let y = standard_regressor(self.model, ws, &q, &v, &a)?;
                w.iter().zip(y.iter()).for_each(|(w, y)| add(*w, y));
            } else {
                for row in 0..nv {
                    let lambda: Vec<Dual64> = (0..nv).map(|j| Dual64::from(f64::from(u8::from(j == row)))).collect();
                    let by = rnea_parameter_gradient(self.model, ws, &q, &v, &a, &lambda, &[])?;
                    w.row(row).iter().zip(by.dp).for_each(|(w, y)| add(*w, y));
                }
            }
            gradient[varied / nv][varied % nv] = sum;
        }
        Ok(gradient)
    }
}
