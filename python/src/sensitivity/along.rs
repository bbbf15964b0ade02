//! A trajectory as an output: what a solution does with other parameters.

use super::question::PyParameters;
use super::refused;
use crate::model::PyModel;
use crate::options;
use gradyn::dynamics::FrameRef;
use gradyn_files::sensitivity::Motion;
use gradyn_sensitivity::rollout::RolloutDocument;
use gradyn_sensitivity::{Parameters, SensitivityError};
use pyo3::prelude::*;
use serde_json::{Value, json};

/// The end of a motion, of robots with other parameters: how far it is from where the robot as it is comes to.
#[pyclass(frozen, name = "_Along", module = "gradyn.sensitivity")]
pub(crate) struct PyAlong {
    pub(crate) run: RolloutDocument,
    pub(crate) start: (Vec<f64>, Vec<f64>),
    pub(crate) time: Vec<f64>,
    pub(crate) frame: Option<FrameRef>,
    pub(crate) frame_name: Option<String>,
    pub(crate) warnings: Vec<String>,
}

impl PyAlong {
    pub(super) fn motion<'p>(&self, parameters: &'p Parameters) -> Result<Motion<'p>, SensitivityError> {
        Motion::new(self.run.rollout(parameters)?, (&self.start.0, &self.start.1), self.time.clone(), self.frame)
    }
    /// The node that is asked for.
    pub(super) fn last(&self) -> usize {
        self.time.len().saturating_sub(1)
    }
}

#[pymethods]
impl PyAlong {
    /// As JSON, for processes that are given it.
    fn to_json(&self, py: Python<'_>) -> PyResult<String> {
        let run = serde_json::to_value(&self.run).map_err(|error| refused(py, &error))?;
        let (q, v) = &self.start;
        Ok(json!({ "run": run, "q": q, "v": v, "time": self.time, "frame": self.frame_name }).to_string())
    }
    /// Read again, for this robot.
    #[staticmethod]
    fn from_json(py: Python<'_>, model: &PyModel, text: &str) -> PyResult<Self> {
        let bad = |error: serde_json::Error| refused(py, &error);
        let mut found: Value = serde_json::from_str(text).map_err(bad)?;
        let mut take = |key: &str| found.get_mut(key).map_or(Value::Null, Value::take);
        let frame_name: Option<String> = serde_json::from_value(take("frame")).map_err(bad)?;
        let frame = frame_name.as_deref().map(|name| options::frame(py, model.model(), "frame", name)).transpose()?;
        Ok(Self {
            run: serde_json::from_value(take("run")).map_err(bad)?,
            start: (serde_json::from_value(take("q")).map_err(bad)?, serde_json::from_value(take("v")).map_err(bad)?),
            time: serde_json::from_value(take("time")).map_err(bad)?,
            frame,
            frame_name,
            warnings: Vec::new(),
        })
    }
    /// What is odd about it.
    #[getter]
    fn warnings(&self) -> Vec<String> {
        self.warnings.clone()
    }
    /// Names of the outputs.
    fn rows(&self, py: Python<'_>, parameters: &PyParameters) -> PyResult<Vec<String>> {
        Ok(self.motion(&parameters.0).map_err(|error| refused(py, &error))?.rows())
    }
}
