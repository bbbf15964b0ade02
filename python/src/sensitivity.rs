//! Which parameters matter, and what data say of them.

use crate::error::{self, Said, wrong};
use crate::model::PyModel;
use crate::options;
use crate::pool;
use gradyn::dynamics::FrameRef;
use gradyn::{Constraint, Method};
use gradyn_files::identify::{self as answer, Told};
use gradyn_files::priors;
use gradyn_files::task::source::Source;
use gradyn_sensitivity::estimate::Loss;
use gradyn_sensitivity::excite::{Excitation, ExciteOptions, excite as find};
use gradyn_sensitivity::global::{Morris, Plan, Points, Run, Saltelli};
use gradyn_sensitivity::identify::{Data, FitOptions, fit};
use gradyn_sensitivity::local::rounding;
use gradyn_sensitivity::statistics::{Interval, Resampling};
use gradyn_sensitivity::{Parameters, Prior, StateOutput, evaluate_many, local};
use numpy::{PyArray1, PyReadonlyArray1, PyReadonlyArray2};
use pyo3::prelude::*;
use pyo3::types::PyDict;
use std::ops::ControlFlow;

fn refused(py: Python<'_>, error: &impl ToString) -> PyErr {
    wrong(py, &error.to_string(), Said::default())
}

/// An array of numbers in this shape.
fn shaped<'py>(py: Python<'py>, numbers: Vec<f64>, shape: &[usize]) -> PyResult<Bound<'py, PyAny>> {
    PyArray1::from_vec(py, numbers).call_method1("reshape", (shape.to_vec(),))
}

/// Values, and half widths of their intervals (NaN where there is none), in this shape.
fn intervals<'py>(
    py: Python<'py>,
    all: &[Interval],
    shape: &[usize],
) -> PyResult<(Bound<'py, PyAny>, Bound<'py, PyAny>)> {
    let values = all.iter().map(|x| x.value).collect();
    let halves = all.iter().map(|x| x.half_width.unwrap_or(f64::NAN)).collect();
    Ok((shaped(py, values, shape)?, shaped(py, halves, shape)?))
}

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
pub(crate) struct PyPriors(Vec<Prior>);

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
    fn output(&self) -> StateOutput<'_> {
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

/// Value, derivatives by the parameters, and names of the entries.
#[pyfunction]
pub(crate) fn sensitivity_local<'py>(
    py: Python<'py>,
    parameters: &PyParameters,
    values: Vec<f64>,
    output: &PyOutput,
    method: &str,
) -> PyResult<(Bound<'py, PyAny>, Bound<'py, PyAny>, Vec<String>)> {
    let method: Method = options::word(py, "method", method, &options::methods())?;
    let done = crate::guard::detached(py, || local(&parameters.0, &values, output.output(), method))?;
    let by = done.map_err(|error| refused(py, &error))?;
    let shape = [by.jacobian.nrows(), by.jacobian.ncols()];
    let rows: Vec<f64> = by.jacobian.transpose().as_slice().to_vec();
    Ok((PyArray1::from_slice(py, by.value.as_slice()).into_any(), shaped(py, rows, &shape)?, by.rows))
}

/// By how much rounding moves each entry.
#[pyfunction]
pub(crate) fn sensitivity_rounding<'py>(
    py: Python<'py>,
    parameters: &PyParameters,
    output: &PyOutput,
) -> PyResult<Bound<'py, PyAny>> {
    let done = crate::guard::detached(py, || rounding(parameters.0.robot(), output.output()))?;
    Ok(PyArray1::from_vec(py, done.map_err(|error| refused(py, &error))?).into_any())
}

/// The output of the robot of each sample, (N, entries); NaN for robots that are invalid. The bits of a sample depend on it
/// alone.
#[pyfunction]
pub(crate) fn sensitivity_evaluate<'py>(
    py: Python<'py>,
    parameters: &PyParameters,
    output: &PyOutput,
    samples: PyReadonlyArray2<'py, f64>,
    entries: usize,
    threads: usize,
) -> PyResult<Bound<'py, PyAny>> {
    let array = samples.as_array();
    let (count, k) = (array.nrows(), parameters.0.len());
    if array.ncols() != k {
        let message = format!("`samples` has {} columns, expected {k}: one a parameter", array.ncols());
        return Err(wrong(py, &message, Said { argument: Some("samples".into()), ..Said::default() }));
    }
    let samples: Vec<f64> = array.iter().copied().collect();
    let mut outputs = vec![f64::NAN; count * entries];
    crate::guard::detached(py, || {
        let f = |x: &[f64], y: &mut [f64]| evaluate_many(&parameters.0, output.output(), x, y);
        if threads <= 1 {
            return f(&samples, &mut outputs);
        }
        // Whole blocks of 64, so that the same samples share registers however many threads there are.
        let blocks = samples.chunks(64 * k.max(1)).zip(outputs.chunks_mut(64 * entries.max(1)));
        pool::install(|| {
            use rayon::prelude::*;
            blocks.collect::<Vec<_>>().into_par_iter().for_each(|(x, y)| f(x, y));
        });
    })?;
    shaped(py, outputs, &[count, entries])
}

fn saltelli(priors: &PyPriors, groups: Vec<Vec<usize>>, rows: usize, second_order: bool, seed: u64) -> Saltelli {
    Saltelli { groups, second_order, ..Saltelli::new(priors.0.clone(), rows, seed) }
}

fn points<'py>(py: Python<'py>, plan: &(impl Plan + Sync), first: usize, count: usize) -> PyResult<Bound<'py, PyAny>> {
    let k = plan.parameters();
    let written = crate::guard::detached(py, || {
        let mut x = vec![0.0; count * k];
        plan.points().map(|points| {
            points.write(first, &mut x);
            x
        })
    })?;
    shaped(py, written.map_err(|error| refused(py, &error))?, &[count, k])
}

/// How many samples a Sobol' study has.
#[pyfunction]
pub(crate) fn sobol_count(
    py: Python<'_>,
    priors: &PyPriors,
    groups: Vec<Vec<usize>>,
    rows: usize,
    second_order: bool,
) -> PyResult<usize> {
    saltelli(priors, groups, rows, second_order, 0).samples().map_err(|error| refused(py, &error))
}

/// Samples of a Sobol' study, from one on: the same ones each time.
#[pyfunction]
#[allow(clippy::too_many_arguments, reason = "by Python's side alone")]
pub(crate) fn sobol_samples<'py>(
    py: Python<'py>,
    priors: &PyPriors,
    groups: Vec<Vec<usize>>,
    rows: usize,
    second_order: bool,
    seed: u64,
    first: usize,
    count: usize,
) -> PyResult<Bound<'py, PyAny>> {
    points(py, &saltelli(priors, groups, rows, second_order, seed), first, count)
}

fn resampling(times: usize, level: f64, seed: u64) -> Resampling {
    Resampling { times, level, seed }
}

/// Indices of the outputs of a Sobol' study: dictionary of arrays, and warnings.
#[pyfunction]
#[allow(clippy::too_many_arguments, reason = "by Python's side alone")]
pub(crate) fn sobol_analyze<'py>(
    py: Python<'py>,
    priors: &PyPriors,
    groups: Vec<Vec<usize>>,
    rows: usize,
    second_order: bool,
    seed: u64,
    values: PyReadonlyArray2<'py, f64>,
    times: usize,
    level: f64,
    rounding: Option<Vec<f64>>,
) -> PyResult<(Bound<'py, PyDict>, Vec<String>)> {
    let array = values.as_array();
    let outputs = array.ncols();
    let flat: Vec<f64> = array.iter().copied().collect();
    let plan = saltelli(priors, groups, rows, second_order, seed);
    let groups = plan.layout().groups;
    let done = crate::guard::detached(py, || {
        pool::install(|| Run::finished(plan, outputs, flat)?.indices(&resampling(times, level, seed)))
    })?;
    let mut found = done.map_err(|error| refused(py, &error))?;
    if let Some(rounding) = rounding {
        found = found.above_rounding(&rounding);
    }
    let dict = PyDict::new(py);
    dict.set_item("mean", PyArray1::from_slice(py, &found.mean))?;
    dict.set_item("variance", PyArray1::from_slice(py, &found.variance))?;
    let pairs = groups * groups.saturating_sub(1) / 2;
    for (name, all, n) in
        [("first", &found.first, groups), ("total", &found.total, groups), ("second", &found.second, pairs)]
    {
        if name == "second" && !second_order {
            continue;
        }
        let (value, half) = intervals(py, all, &[outputs, n])?;
        dict.set_item(name, value)?;
        dict.set_item(format!("{name}_half_width"), half)?;
    }
    Ok((dict, found.warnings.iter().map(ToString::to_string).collect()))
}

fn morris(priors: &PyPriors, paths: usize, levels: usize, seed: u64) -> Morris {
    Morris { priors: priors.0.clone(), paths, levels, seed }
}

/// How many samples Morris's method takes.
#[pyfunction]
pub(crate) fn morris_count(py: Python<'_>, priors: &PyPriors, paths: usize, levels: usize) -> PyResult<usize> {
    morris(priors, paths, levels, 0).samples().map_err(|error| refused(py, &error))
}

/// Samples of Morris's method, from one on: the same ones each time.
#[pyfunction]
pub(crate) fn morris_samples<'py>(
    py: Python<'py>,
    priors: &PyPriors,
    paths: usize,
    levels: usize,
    seed: u64,
    first: usize,
    count: usize,
) -> PyResult<Bound<'py, PyAny>> {
    points(py, &morris(priors, paths, levels, seed), first, count)
}

/// Effects of the outputs of Morris's method, per unit of probability: dictionary of arrays (outputs, parameters), and warnings.
#[pyfunction]
#[allow(clippy::too_many_arguments, reason = "by Python's side alone")]
pub(crate) fn morris_analyze<'py>(
    py: Python<'py>,
    priors: &PyPriors,
    paths: usize,
    levels: usize,
    seed: u64,
    values: PyReadonlyArray2<'py, f64>,
    times: usize,
    level: f64,
    rounding: Option<Vec<f64>>,
) -> PyResult<(Bound<'py, PyDict>, Vec<String>)> {
    let array = values.as_array();
    let outputs = array.ncols();
    let flat: Vec<f64> = array.iter().copied().collect();
    let plan = morris(priors, paths, levels, seed);
    let done = crate::guard::detached(py, || {
        pool::install(|| Run::finished(plan, outputs, flat)?.effects(&resampling(times, level, seed)))
    })?;
    let mut found = done.map_err(|error| refused(py, &error))?;
    if let Some(rounding) = rounding {
        found = found.above_rounding(&rounding);
    }
    let dict = PyDict::new(py);
    for (name, all) in [("mean", &found.mean), ("magnitude", &found.magnitude), ("deviation", &found.deviation)] {
        let (value, half) = intervals(py, all, &[outputs, found.parameters])?;
        dict.set_item(name, value)?;
        dict.set_item(format!("{name}_half_width"), half)?;
    }
    Ok((dict, found.warnings.iter().map(ToString::to_string).collect()))
}

/// Rows of an array.
fn rows(array: &PyReadonlyArray2<'_, f64>) -> Vec<Vec<f64>> {
    array.as_array().rows().into_iter().map(|row| row.to_vec()).collect()
}

/// What a fit is told.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub(crate) struct FitAsked {
    robust: Option<f64>,
    prior: Option<Vec<f64>>,
    entropic: Option<f64>,
    hold_out: f64,
    blocks: usize,
    assume_white: bool,
    delay: bool,
    low_pass: Option<f64>,
    every: usize,
    level: f64,
    page: bool,
}

/// JSON, whether it is good, estimates, covariance, a page.
type Fitted<'py> = (String, bool, Vec<f64>, Option<Bound<'py, PyAny>>, Option<String>);

/// A fit of parameters to torques: JSON as `gradyn identify --json` writes it, estimates, covariance, and a page.
#[pyfunction]
#[allow(clippy::too_many_arguments, reason = "by Python's side alone")]
pub(crate) fn identify_fit<'py>(
    py: Python<'py>,
    model: &PyModel,
    parameters: &PyParameters,
    time: Vec<f64>,
    q: PyReadonlyArray2<'py, f64>,
    v: PyReadonlyArray2<'py, f64>,
    a: PyReadonlyArray2<'py, f64>,
    tau: PyReadonlyArray2<'py, f64>,
    measured: Vec<usize>,
    asked: FitAsked,
) -> PyResult<Fitted<'py>> {
    let data = Data { time, q: rows(&q), v: rows(&v), a: rows(&a), tau: rows(&tau), measured };
    let options = FitOptions {
        loss: asked.robust.map_or(Loss::Quadratic, |width| Loss::Huber { width }),
        prior: asked.prior,
        entropic: asked.entropic,
        hold_out: asked.hold_out,
        blocks: asked.blocks,
        color: !asked.assume_white,
        delay: asked.delay,
        low_pass: asked.low_pass,
        every: asked.every,
        ..FitOptions::default()
    };
    let parameters = &parameters.0;
    let found = crate::guard::detached(py, || pool::install(|| fit(parameters, &data, &options)))?
        .map_err(|error| refused(py, &error))?;
    let warnings: Vec<String> = found.warnings.iter().map(ToString::to_string).collect();
    let told =
        Told { level: asked.level, low_pass: asked.low_pass, every: asked.every, warnings: &warnings, changes: &[] };
    let text = answer::json(parameters, &found, &told).to_string();
    let page = asked.page.then(|| answer::page(&model.robot(), parameters, &data, &found, asked.level, &warnings));
    let covariance = match &found.estimate.covariance {
        None => None,
        Some(matrix) => Some(shaped(py, matrix.as_slice().to_vec(), &[matrix.nrows(), matrix.ncols()])?),
    };
    Ok((text, answer::is_good(&found), found.estimate.parameters.clone(), covariance, page))
}

/// What the search of a motion is told.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub(crate) struct ExciteAsked {
    period: f64,
    harmonics: usize,
    rate: f64,
    noise: Option<Vec<f64>>,
    start: Option<Vec<f64>>,
    share: f64,
    seed: u64,
    iterations: usize,
}

/// The motion that is most informative about the parameters: arrays, and what is expected of it.
#[pyfunction]
pub(crate) fn excite_find<'py>(
    py: Python<'py>,
    parameters: &PyParameters,
    asked: ExciteAsked,
    callback: Option<Py<PyAny>>,
) -> PyResult<Bound<'py, PyDict>> {
    let model = parameters.0.robot();
    let options = ExciteOptions::new(model).map_err(|error| refused(py, &error))?;
    let options = ExciteOptions {
        period: asked.period,
        harmonics: asked.harmonics,
        rate: asked.rate,
        noise: asked.noise.unwrap_or(options.noise),
        start: asked.start,
        limits: options.limits.shared(asked.share),
        seed: asked.seed,
        iterations: asked.iterations,
    };
    let mut raised = None;
    let step = |progress: gradyn_sensitivity::excite::Progress| {
        let told = Python::attach(|py| {
            py.check_signals()?;
            callback
                .as_ref()
                .map_or(Ok(()), |callback| callback.call1(py, (progress.iterations, progress.gain)).map(drop))
        });
        match told {
            Ok(()) => ControlFlow::Continue(()),
            Err(error) => {
                raised = Some(error);
                ControlFlow::Break(())
            }
        }
    };
    let found = crate::guard::detached(py, || pool::install(|| find(&parameters.0, &options, step)))?;
    if let Some(error) = raised {
        return Err(error);
    }
    let found: Excitation = found.map_err(|error| refused(py, &error))?;
    let dict = PyDict::new(py);
    let samples = &found.samples;
    dict.set_item("time", PyArray1::from_slice(py, &samples.time))?;
    for (name, rows) in [("q", &samples.q), ("v", &samples.v), ("a", &samples.a), ("tau", &samples.tau)] {
        let width = rows.first().map_or(0, Vec::len);
        dict.set_item(name, shaped(py, rows.concat(), &[rows.len(), width])?)?;
    }
    dict.set_item("base", found.base.clone())?;
    dict.set_item("deviations", PyArray1::from_slice(py, &found.found.deviations))?;
    dict.set_item("random_deviations", PyArray1::from_slice(py, &found.random.deviations))?;
    dict.set_item("gain", found.gain)?;
    dict.set_item("condition", found.found.condition)?;
    dict.set_item("rank", found.found.rank)?;
    dict.set_item("iterations", found.iterations)?;
    dict.set_item("converged", found.status.converged())?;
    dict.set_item("status", found.status.to_string())?;
    Ok(dict)
}
