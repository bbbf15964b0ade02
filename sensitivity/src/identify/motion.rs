//! Output error: parameters with which a simulation moves like the measured robot.
//!
//! ```text
//! min ½ Σ_k |(x_k(p) ⊖ x̂_k) / σ|² + ½ (p − p₀)ᵀ Λ (p − p₀)        x_{k+1} = step(x_k, u_k; p)
//! ```
//!
//! No accelerations are needed, and no torques but the commanded ones. Steps are those of
//! [`levenberg_marquardt`](crate::estimate::levenberg_marquardt) with the sensitivities of the roll-out; [`Measured`]
//! is the same sum as a cost of the [adjoint](Rollout::adjoint), whose cost does not depend on the number of
//! parameters. Parameters of the start (`state.q.*`) and feedback laws are supported. (L. Ljung, *System
//! Identification*, 1999, section 5.4; M. Gautier, A. Janot, P.-O. Vandanjon, *A new closed-loop output error method
//! for parameter identification of robot dynamics*, IEEE Trans. Control Syst. Technol. 21(2), 2013.)

use crate::error::SensitivityError;
use crate::estimate::{Estimate, Options, levenberg_marquardt_with};
use crate::rollout::{Rollout, State, TrajectoryCost};
use gradyn::Model;
use gradyn::derivatives::difference::Euclidean;
use nalgebra::{DMatrix, DVector};

/// A measured motion: states of some nodes.
#[derive(Clone, Debug, PartialEq)]
pub struct Measured {
    /// Nodes, with their states: nq and nv numbers. In order, each node once.
    pub states: Vec<(usize, State)>,
    /// Standard deviation of configurations along the tangent, nv; infinite for unmeasured ones.
    pub sd_q: Vec<f64>,
    /// Standard deviation of velocities, nv; infinite for unmeasured ones.
    pub sd_v: Vec<f64>,
}

impl Measured {
    /// Checks that its sizes are those of the robot and the roll-out.
    ///
    /// # Errors
    /// [`SensitivityError::Length`] and [`SensitivityError::Number`], by node.
    pub fn fits(&self, model: &Model, steps: usize) -> Result<(), SensitivityError> {
        for (what, sd) in [("sd_q", &self.sd_q), ("sd_v", &self.sd_v)] {
            if sd.len() != model.nv() {
                return Err(SensitivityError::Length { what, expected: model.nv(), found: sd.len() });
            }
            if let Some(k) = sd.iter().position(|sd| sd.is_nan() || *sd <= 0.0) {
                let rule = "expected a positive number";
                return Err(SensitivityError::Number { what: format!("{what}[{k}]"), value: sd[k], rule });
            }
        }
        let mut next = 0;
        for (node, (q, v)) in &self.states {
            if *node < next || *node > steps {
                let (what, value) = ("a measured node".into(), *node as f64);
                let rule = "expected nodes of the roll-out in order, each once";
                return Err(SensitivityError::Number { what, value, rule });
            }
            next = node + 1;
            for (what, x, expected) in [("q of a node", q, model.nq()), ("v of a node", v, model.nv())] {
                if x.len() != expected {
                    return Err(SensitivityError::Length { what, expected, found: x.len() });
                }
                if let Some((k, value)) = x.iter().enumerate().find(|(_, x)| !x.is_finite()) {
                    let what = format!("{}[{k}] of node {node}", &what[..1]);
                    return Err(SensitivityError::Number { what, value: *value, rule: "expected a finite number" });
                }
            }
        }
        match self.states.len() {
            0 => Err(SensitivityError::Length { what: "the measured states", expected: 1, found: 0 }),
            _ => Ok(()),
        }
    }

    fn of_node(&self, node: usize) -> Option<&State> {
        let at = self.states.binary_search_by_key(&node, |(node, _)| *node).ok()?;
        Some(&self.states[at].1)
    }

    fn end(&self) -> usize {
        self.states.last().map_or(0, |(node, _)| *node)
    }

    /// `(x ⊖ x̂) / σ`, 2 nv.
    fn residuals(
        &self,
        model: &Model,
        (q, v): (&[f64], &[f64]),
        (q_m, v_m): &State,
        to: &mut [f64],
    ) -> Result<(), SensitivityError> {
        let nv = v.len();
        model.difference_into(q_m, q, &mut to[..nv])?;
        for k in 0..nv {
            to[k] /= self.sd_q[k];
            to[nv + k] = (v[k] - v_m[k]) / self.sd_v[k];
        }
        Ok(())
    }

    /// Half the sum of squares at a node; adds its gradient.
    fn cost_at(
        &self,
        model: &Model,
        (q, v): (&[f64], &[f64]),
        measured: &State,
        by_x: &mut [f64],
    ) -> Result<f64, SensitivityError> {
        let nv = v.len();
        let mut r = vec![0.0; 2 * nv];
        self.residuals(model, (q, v), measured, &mut r)?;
        let by_turn = DVector::from_fn(nv, |k, _| r[k] / self.sd_q[k]);
        let by_q = model.difference_dq1(&measured.0, q)?.tr_mul(&by_turn);
        for k in 0..nv {
            by_x[k] += by_q[k];
            by_x[nv + k] += r[nv + k] / self.sd_v[k];
        }
        Ok(0.5 * r.iter().map(|r| r * r).sum::<f64>())
    }
}

/// The sum of squares as a cost, for [`Rollout::adjoint`]. The measurement at the last node is the cost of the end.
impl TrajectoryCost for Measured {
    fn running(
        &self,
        model: &Model,
        node: usize,
        state: (&[f64], &[f64]),
        _u: &[f64],
        by_x: &mut [f64],
        _by_u: &mut [f64],
    ) -> Result<f64, SensitivityError> {
        self.of_node(node).map_or(Ok(0.0), |measured| self.cost_at(model, state, measured, by_x))
    }
    fn end(&self, model: &Model, state: (&[f64], &[f64]), by_x: &mut [f64]) -> Result<f64, SensitivityError> {
        self.of_node(self.end()).map_or(Ok(0.0), |measured| self.cost_at(model, state, measured, by_x))
    }
}

/// The result of a fit to a motion.
#[derive(Clone, Debug, PartialEq)]
pub struct MotionFit {
    /// Estimates, their covariance, and identifiability.
    pub estimate: Estimate,
    /// The names of the parameters, in their order.
    pub parameters: Vec<String>,
    /// Frictions, dampings and armatures that would fit better below zero, by their indices; they are zero, and
    /// intervals of the others are conditional on that.
    pub at_zero: Vec<usize>,
    /// The combinations that the motion cannot identify, in words.
    pub cannot_tell: Vec<String>,
    /// The growth of an error of the start over the motion, with the fitted parameters.
    pub amplification: f64,
    /// Whether first-order results are meaningful over this length. If not, use shorter pieces of the motion.
    pub trustworthy: bool,
}

/// Fits the parameters of a roll-out to a measured motion from this start, beginning at the robot's own values.
///
/// Frictions, dampings and armatures stay nonnegative. The last measured node must be the end of the roll-out: later
/// steps carry no information.
///
/// # Errors
/// As [`Measured::fits`]; a motion that ends before the roll-out does; input that the engine rejects, or invalid
/// options.
pub fn fit_motion(
    run: &Rollout<'_>,
    start: (&[f64], &[f64]),
    measured: &Measured,
    options: &Options,
) -> Result<MotionFit, SensitivityError> {
    fit_pieces(
        &[Piece { run: run.clone(), start: (start.0.to_vec(), start.1.to_vec()), measured: measured.clone() }],
        options,
    )
}

/// A part of a motion.
pub(super) struct Piece<'p> {
    pub(super) run: Rollout<'p>,
    pub(super) start: State,
    pub(super) measured: Measured,
}

/// The same for several motions with the same parameters.
pub(super) fn fit_pieces(pieces: &[Piece<'_>], options: &Options) -> Result<MotionFit, SensitivityError> {
    let Some(first) = pieces.first() else {
        return Err(SensitivityError::Length { what: "the motions to fit", expected: 1, found: 0 });
    };
    let parameters = first.run.parameters();
    let model = parameters.robot();
    for Piece { run, measured, .. } in pieces {
        measured.fits(model, run.steps())?;
        if measured.end() != run.steps() {
            let what = "the measured motion, to its last node,";
            return Err(SensitivityError::Length { what, expected: run.steps(), found: measured.end() });
        }
    }
    let (np, nv) = (parameters.len(), model.nv());
    let rows_of = |piece: &Piece<'_>| 2 * nv * piece.measured.states.len();
    let rows: usize = pieces.iter().map(rows_of).sum();
    let never_negative: Vec<usize> = (0..np).filter(|k| parameters.is_never_negative(*k)).collect();
    let evaluate = |p: &[f64], r: &mut [f64], j: &mut DMatrix<f64>| {
        let mut from = 0;
        for piece in pieces {
            let n = rows_of(piece);
            let mut by = DMatrix::zeros(n, np);
            let start = (&piece.start.0[..], &piece.start.1[..]);
            by_forward(&piece.run, p, start, &piece.measured, (&mut r[from..from + n], &mut by))
                .map_err(|error| error.to_string())?;
            j.rows_mut(from, n).copy_from(&by);
            from += n;
        }
        Ok(())
    };
    let nominal = parameters.nominal();
    let estimate = levenberg_marquardt_with(&Euclidean(np), &nominal, rows, evaluate, None, &never_negative, options)
        .map_err(|error| SensitivityError::Other(error.to_string()))?;
    let at_zero = never_negative.into_iter().filter(|k| estimate.parameters[*k] <= 0.0).collect();
    let (mut amplification, mut trustworthy) = (0.0_f64, true);
    for Piece { run, start, .. } in pieces {
        let by = run.forward(&estimate.parameters, &start.0, &start.1)?;
        amplification = amplification.max(by.amplification(run.steps()));
        trustworthy &= by.is_trustworthy();
    }
    let names = parameters.names();
    Ok(MotionFit {
        cannot_tell: estimate.identifiability.sentences(&names),
        amplification,
        trustworthy,
        parameters: names,
        at_zero,
        estimate,
    })
}

/// Residuals and their Jacobian.
fn by_forward(
    run: &Rollout<'_>,
    p: &[f64],
    (q0, v0): (&[f64], &[f64]),
    measured: &Measured,
    (r, j): (&mut [f64], &mut DMatrix<f64>),
) -> Result<(), SensitivityError> {
    let model = run.parameters().robot();
    let by = run.forward(p, q0, v0)?;
    let nv = model.nv();
    for (i, (node, state)) in measured.states.iter().enumerate() {
        let (q, v) = &by.states[*node];
        measured.residuals(model, (q, v), state, &mut r[2 * nv * i..][..2 * nv])?;
        let of_node = by.by_parameters(*node);
        let turn = model.difference_dq1(&state.0, q)? * of_node.rows(0, nv);
        for k in 0..nv {
            let (at_q, at_v) = (2 * nv * i + k, 2 * nv * i + nv + k);
            j.row_mut(at_q).copy_from(&(turn.row(k) / measured.sd_q[k]));
            j.row_mut(at_v).copy_from(&(of_node.row(nv + k) / measured.sd_v[k]));
        }
    }
    Ok(())
}
