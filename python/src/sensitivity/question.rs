//! Parameters, priors and outputs: what is asked.

use super::refused;
use crate::error::{self, Said, wrong};
use crate::model::PyModel;
use crate::options;
use gradyn::Constraint;
use gradyn::dynamics::FrameRef;
use gradyn_files::priors;
use gradyn_files::task::source::Source;
use gradyn_sensitivity::{Parameters, Prior, StateOutput};
use numpy::{PyArray1, PyReadonlyArray1};
use pyo3::prelude::*;

/// Chosen parameters of a robot, in an order: names of `Model.parameters`, by patterns.
#[pyclass(frozen, name = "Parameters", module = "gradyn.sensitivity")]
pub(crate) struct PyParameters(pub(crate) Parameters);

#[pymethods]
impl PyParameters {
    /// Chooses by patterns, as `panda_link[2-7].mass`, `*.damping`; a list, or one text with commas.
    #[new]
    fn new(py: Python<'_>, model: &PyModel, patterns: &Bound<'_, PyAny>) -> PyResult<Self> {
        let patterns: Vec<String> = match patterns.extract::<String>() {
            Ok(one) => vec![one],
            Err(_) => patterns.extract()?,
        };
        let mut chosen = model.all_parameters();
        for pattern in patterns {
            chosen = chosen.select_all(&pattern).map_err(|error| refused(py, &error))?;
        }
        Ok(Self(chosen))
    }
    /// Names of the parameters.
    #[getter]
    fn names(&self) -> Vec<String> {
        self.0.names()
    }
    /// Units of the parameters.
    #[getter]
    fn units(&self) -> Vec<&'static str> {
        self.0.iter().map(gradyn_sensitivity::Parameter::unit).collect()
    }
    /// What is held constant while each varies, in words.
    #[getter]
    fn held(&self) -> Vec<&'static str> {
        self.0.iter().map(gradyn_sensitivity::Parameter::held).collect()
    }
    /// The robot's own values.
    #[getter]
    fn nominal<'py>(&self, py: Python<'py>) -> Bound<'py, PyAny> {
        PyArray1::from_vec(py, self.0.nominal()).into_any()
    }
    fn __len__(&self) -> usize {
        self.0.len()
    }
    fn __repr__(&self) -> String {
        format!("<gradyn.Parameters: {} of '{}'>", self.0.len(), self.0.robot().name())
    }
    /// The robot with these values.
    fn robot_at(&self, py: Python<'_>, values: Vec<f64>) -> PyResult<PyModel> {
        Ok(PyModel::new(self.0.robot_at::<f64>(&values).map_err(|error| refused(py, &error))?))
    }
    /// The robot itself.
    #[getter]
    fn model(&self) -> PyModel {
        PyModel::new(self.0.robot().clone())
    }
    /// Priors as `gradyn sensitivity` takes them where nothing is said: `share` of each value as standard deviation.
    fn default_priors(&self, share: f64) -> PyPriors {
        PyPriors(self.0.default_priors(share))
    }
    /// Priors of a TOML text, as files of priors have them; `share` for what the text does not speak of.
    fn priors(&self, py: Python<'_>, text: String, file: String, share: f64) -> PyResult<PyPriors> {
        let source = Source { file, text };
        let given = priors::parse(&source, &self.0).map_err(|error| error::file(py, &error))?;
        let default = self.0.default_priors(share);
        Ok(PyPriors(given.into_iter().zip(default).map(|(given, default)| given.unwrap_or(default)).collect()))
    }
}

/// A distribution of each parameter.
#[pyclass(frozen, name = "Priors", module = "gradyn.sensitivity")]
pub(crate) struct PyPriors(pub(super) Vec<Prior>);

#[pymethods]
impl PyPriors {
    /// Kinds of the distributions.
    #[getter]
    fn kinds(&self) -> Vec<&'static str> {
        self.0.iter().map(Prior::name).collect()
    }
    /// Standard deviations.
    #[getter]
    fn deviations<'py>(&self, py: Python<'py>) -> Bound<'py, PyAny> {
        PyArray1::from_vec(py, self.0.iter().map(|prior| prior.variance().sqrt()).collect()).into_any()
    }
    fn __len__(&self) -> usize {
        self.0.len()
    }
    /// As JSON, for processes that are given them.
    fn to_json(&self, py: Python<'_>) -> PyResult<String> {
        serde_json::to_string(&self.0).map_err(|error| refused(py, &error))
    }
    /// Read again.
    #[staticmethod]
    fn from_json(py: Python<'_>, text: &str) -> PyResult<Self> {
        serde_json::from_str(text).map(Self).map_err(|error| refused(py, &error))
    }
}

/// A function of a robot at one state.
#[pyclass(frozen, name = "_Output", module = "gradyn.sensitivity")]
pub(crate) struct PyOutput {
    of: Of,
    q: Vec<f64>,
    v: Vec<f64>,
    /// Accelerations or torques.
    u: Vec<f64>,
    frame: Option<FrameRef>,
    constraints: Vec<Constraint>,
}

#[derive(Clone, Copy)]
enum Of {
    Torques,
    Accelerations,
    MassMatrix,
    Pose,
    Energy,
    ContactForces,
}

const OUTPUTS: [(&str, Of); 6] = [
    ("torques", Of::Torques),
    ("accelerations", Of::Accelerations),
    ("mass-matrix", Of::MassMatrix),
    ("pose", Of::Pose),
    ("energy", Of::Energy),
    ("contact-forces", Of::ContactForces),
];

impl PyOutput {
    pub(super) fn output(&self) -> StateOutput<'_> {
        let (q, v, u) = (&self.q[..], &self.v[..], &self.u[..]);
        match self.of {
            Of::Torques => StateOutput::Torques { q, v, a: u },
            Of::Accelerations => StateOutput::Accelerations { q, v, tau: u },
            Of::MassMatrix => StateOutput::MassMatrix { q },
            Of::Pose => StateOutput::Pose { q, frame: self.frame.unwrap_or_else(|| unreachable!("checked when made")) },
            Of::Energy => StateOutput::Energy { q, v },
            Of::ContactForces => StateOutput::ContactForces { q, v, tau: u, constraints: &self.constraints },
        }
    }
}

#[pymethods]
impl PyOutput {
    #[new]
    #[pyo3(signature = (model, of, q, v, u, frame, constraints))]
    #[allow(clippy::too_many_arguments, reason = "by Python's side alone")]
    fn new(
        py: Python<'_>,
        model: &PyModel,
        of: &str,
        q: PyReadonlyArray1<'_, f64>,
        v: PyReadonlyArray1<'_, f64>,
        u: PyReadonlyArray1<'_, f64>,
        frame: Option<&str>,
        constraints: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Self> {
        let of = options::word(py, "of", of, &OUTPUTS)?;
        let robot = model.model();
        let frame = frame.map(|name| options::frame(py, robot, "frame", name)).transpose()?;
        let constraints = constraints.map_or(Ok(Vec::new()), |given| options::constraints(py, robot, given))?;
        let argument = |argument: &str| Said { argument: Some(argument.to_owned()), ..Said::default() };
        if matches!(of, Of::Pose) && frame.is_none() {
            return Err(wrong(py, "`frame` is needed: the frame whose pose it is", argument("frame")));
        }
        if matches!(of, Of::ContactForces) && constraints.is_empty() {
            return Err(wrong(
                py,
                "`constraints` are needed: the contacts whose forces they are",
                argument("constraints"),
            ));
        }
        let made = Self {
            of,
            q: q.as_array().to_vec(),
            v: v.as_array().to_vec(),
            u: u.as_array().to_vec(),
            frame,
            constraints,
        };
        robot.check_configuration(&made.q).map_err(|error| error::input(py, &error, None))?;
        for (what, x) in [("v", &made.v), ("a or tau", &made.u)] {
            robot.check_tangent(what, x).map_err(|error| error::input(py, &error, None))?;
        }
        Ok(made)
    }
}
