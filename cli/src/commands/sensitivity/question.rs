//! What is asked: outputs of a robot that has other parameters, and how fast they change.

use crate::error::Error;
use gradyn_sensitivity::{Output, Parameters, evaluate_many, local};
use nalgebra::DMatrix;

/// Outputs to first order.
pub(super) struct First {
    /// Rows by parameters.
    pub(super) jacobian: DMatrix<f64>,
    /// Parameters that do nothing at all.
    pub(super) without_effect: Vec<String>,
    /// Of outputs over time.
    pub(super) series: Option<Series>,
}

/// The same over time: deviations from the motion as it was planned.
pub(super) struct Series {
    /// s
    pub(super) time: Vec<f64>,
    /// Rows by parameters, one for each time.
    pub(super) jacobians: Vec<DMatrix<f64>>,
    /// By how much an error of the start has grown at the end.
    pub(super) amplification: f64,
    /// Does first order mean something there?
    pub(super) trustworthy: bool,
}

/// A question.
pub(super) trait Question: Sync {
    /// What it is about: `tau`.
    fn name(&self) -> &str;
    /// Where: a state, a task.
    fn place(&self) -> &str;
    /// Names of its outputs.
    fn rows(&self) -> Vec<String>;
    /// To first order, at the robot's own values.
    fn first_order(&self) -> Result<First, Error>;
    /// Outputs of the robots with these values, one after the other; not a number where there is none.
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
    pub(super) output: Output<'a>,
    pub(super) method: gradyn::Method,
    pub(super) place: String,
}

impl Question for AtState<'_> {
    fn name(&self) -> &str {
        self.output.name()
    }
    fn place(&self) -> &str {
        &self.place
    }
    fn rows(&self) -> Vec<String> {
        self.output.rows(self.parameters.robot())
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
}
