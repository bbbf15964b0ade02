//! What is asked: outputs of a robot that has other parameters, and how fast they change.

use crate::error::Error;
use gradyn::spatial::jlog3;
use gradyn_files::sensitivity::Series;
use gradyn_sensitivity::local::rounding;
use gradyn_sensitivity::{Output as _, Parameters, StateOutput, evaluate_many, local};
use nalgebra::{DMatrix, Vector3};
use serde_json::Value;

/// Outputs to first order.
pub(super) struct First {
    /// Rows by parameters.
    pub(super) jacobian: DMatrix<f64>,
    /// Parameters that do nothing at all.
    pub(super) without_effect: Vec<String>,
    /// Of outputs over time.
    pub(super) series: Option<Series>,
}

/// A question.
pub(super) trait Question: Sync {
    /// What it is about: `tau`.
    fn name(&self) -> &str;
    /// Where: a state, a task.
    fn place(&self) -> &str;
    /// The same for programs, by keys.
    fn given(&self) -> Value;
    /// Names of its outputs.
    fn rows(&self) -> Vec<String>;
    /// And their units.
    fn units(&self) -> Vec<&'static str>;
    /// By how much rounding moves each of them, in its unit.
    fn rounding(&self) -> Result<Vec<f64>, Error>;
    /// Whether it is about a motion, whose simulation may diverge.
    fn is_motion(&self) -> bool {
        self.nodes() > 0
    }
    /// Outputs of one robot, then their derivatives by the parameters, row by row; NaN where there is none, or if it is
    /// about a motion.
    fn evaluate_with_derivatives(&self, values: &[f64], outputs: &mut [f64]) {
        let _ = values;
        outputs.fill(f64::NAN);
    }
    /// To first order, at the robot's own values.
    fn first_order(&self) -> Result<First, Error>;
    /// Outputs of the robots with these values, one after the other; NaN where there is none.
    fn evaluate(&self, values: &[f64], outputs: &mut [f64]);
    /// The same at some times of a motion, [`rows`](Self::rows) each; nothing at a state.
    fn evaluate_series(&self, nodes: &[usize], values: &[f64], outputs: &mut [f64]) {
        let _ = (nodes, values, outputs);
    }
    /// Nodes of a motion, the end last; none at a state.
    fn nodes(&self) -> usize {
        0
    }
}

/// Of one state.
pub(super) struct AtState<'a> {
    pub(super) parameters: &'a Parameters,
    pub(super) output: StateOutput<'a>,
    /// Names of its entries, where there are better ones than its own.
    pub(super) rows: Option<Vec<String>>,
    pub(super) method: gradyn::Method,
    pub(super) place: String,
    pub(super) given: Value,
}

impl Question for AtState<'_> {
    fn name(&self) -> &str {
        self.output.name()
    }
    fn place(&self) -> &str {
        &self.place
    }
    fn given(&self) -> Value {
        self.given.clone()
    }
    fn rows(&self) -> Vec<String> {
        self.rows.clone().unwrap_or_else(|| self.output.rows(self.parameters.robot()))
    }
    fn units(&self) -> Vec<&'static str> {
        self.output.units(self.parameters.robot())
    }
    fn rounding(&self) -> Result<Vec<f64>, Error> {
        rounding(self.parameters.robot(), self.output).map_err(|error| Error::Usage(error.to_string()))
    }
    fn first_order(&self) -> Result<First, Error> {
        let by = local(self.parameters, &self.parameters.nominal(), self.output, self.method);
        let by = by.map_err(|error| Error::Usage(error.to_string()))?;
        let without_effect = by.without_effect().into_iter().map(str::to_owned).collect();
        Ok(First { jacobian: by.jacobian, without_effect, series: None })
    }
    fn evaluate(&self, values: &[f64], outputs: &mut [f64]) {
        evaluate_many(self.parameters, self.output, values, outputs);
    }
    fn evaluate_with_derivatives(&self, values: &[f64], outputs: &mut [f64]) {
        let (m, k) = (self.rows().len(), values.len());
        outputs[m..].fill(f64::NAN);
        evaluate_many(self.parameters, self.output, values, &mut outputs[..m]);
        let Ok(by) = local(self.parameters, values, self.output, self.method) else { return };
        let mut jacobian = by.jacobian;
        if let (StateOutput::Pose { .. }, [.., x, y, z]) = (self.output, &outputs[..m]) {
            // `local` has the angular velocity at this pose; the rotation vector from the robot's own moves by the
            // inverse of its Jacobian. J_l(v) = J_r(−v): the angular velocity is in axes of the world.
            let turned = jlog3(-Vector3::new(*x, *y, *z)) * jacobian.rows(3, 3);
            jacobian.rows_mut(3, 3).copy_from(&turned);
        }
        for (to, row) in outputs[m..].chunks_exact_mut(k).zip(jacobian.row_iter()) {
            to.iter_mut().zip(row.iter()).for_each(|(to, x)| *to = *x);
        }
    }
}
