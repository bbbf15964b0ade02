//! Trajectories: tasks read or built, solved, and looked at.

use crate::error::{self, Said, wrong};
use crate::guard;
use crate::model::PyModel;
use crate::options;
use crate::sensitivity::{PyAlong, PyParameters};
use gradyn::nalgebra::DMatrix;
use gradyn_files::sensitivity::{motion, rollout};
use gradyn_files::solution::{Event, RefineOption, Solution};
use gradyn_files::task::source::Source;
use gradyn_files::task::{Given, OwnResidual, Task};
use gradyn_sensitivity::rollout::Forward;
use gradyn_trajectory::residual::{Depends, Jacobian, Residual, ResidualPoint};
use gradyn_trajectory::solver::Progress;
use gradyn_trajectory::{Control, Reason};
use numpy::{PyArray1, PyReadonlyArray2};
use pyo3::exceptions::{PyStopIteration, PyTypeError};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict, PyTuple};
use std::path::PathBuf;
use std::sync::{Arc, Mutex};

/// The first exception of a callback, raised once the solver has ended.
type Raised = Arc<Mutex<Option<PyErr>>>;

fn keep(raised: &Raised, error: PyErr) {
    if let Ok(mut raised) = raised.lock() {
        raised.get_or_insert(error);
    }
}

/// A residual that is a Python function.
struct OfPython {
    name: String,
    rows: usize,
    /// Names of the arguments, in order.
    arguments: Vec<String>,
    value: Py<PyAny>,
    jacobian: Py<PyAny>,
    raised: Raised,
}

impl std::fmt::Debug for OfPython {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "OfPython({})", self.name)
    }
}

impl OfPython {
    fn arguments<'py>(&self, py: Python<'py>, on: &ResidualPoint<'_>) -> PyResult<Bound<'py, PyTuple>> {
        let array = |x: &[f64]| PyArray1::from_slice(py, x).into_any();
        let all = self.arguments.iter().map(|name| match name.as_str() {
            "q" => array(on.q),
            "v" => array(on.v),
            "u" => array(on.u),
            "a" => array(on.a),
            "f" => array(on.f),
            _ => pyo3::types::PyFloat::new(py, on.time).into_any(),
        });
        PyTuple::new(py, all.collect::<Vec<_>>())
    }

    /// Runs with the interpreter, and keeps what is raised.
    fn within(&self, f: impl FnOnce(Python<'_>) -> PyResult<()>) -> Result<(), Reason> {
        Python::attach(|py| {
            f(py).map_err(|error| {
                let text = format!("the residual `{}` raised {error}", self.name);
                keep(&self.raised, error);
                Reason::Other(text)
            })
        })
    }

    fn numbers(&self, py: Python<'_>, on: &ResidualPoint<'_>, r: &mut [f64]) -> PyResult<()> {
        let found = self.value.bind(py).call1(self.arguments(py, on)?)?;
        let numpy = py.import(pyo3::intern!(py, "numpy"))?;
        let flat = numpy.call_method1("ravel", (numpy.call_method1("asarray", (found, "float64"))?,))?;
        let flat: numpy::PyReadonlyArray1<'_, f64> = flat.extract()?;
        if flat.as_array().len() != r.len() {
            let (found, expected) = (flat.as_array().len(), r.len());
            return Err(PyTypeError::new_err(format!(
                "residual '{}': {found} numbers, expected {expected}",
                self.name
            )));
        }
        r.iter_mut().zip(flat.as_array()).for_each(|(to, x)| *to = *x);
        Ok(())
    }

    fn blocks(&self, py: Python<'_>, on: &ResidualPoint<'_>, out: &mut Jacobian) -> PyResult<()> {
        let found = self.jacobian.bind(py).call1(self.arguments(py, on)?)?;
        let found = found.cast::<PyTuple>()?;
        for (name, block) in self.arguments.iter().filter(|name| *name != "time").zip(found.iter()) {
            let to: &mut DMatrix<f64> = match name.as_str() {
                "q" => &mut out.dq,
                "v" => &mut out.dv,
                "u" => &mut out.du,
                "a" => &mut out.da,
                _ => &mut out.df,
            };
            let numpy = py.import(pyo3::intern!(py, "numpy"))?;
            let block =
                numpy.call_method1("asarray", (block, "float64"))?.call_method1("reshape", (self.rows, to.ncols()))?;
            let block: PyReadonlyArray2<'_, f64> = block.extract()?;
            for ((i, j), x) in block.as_array().indexed_iter() {
                to[(i, j)] = *x;
            }
        }
        Ok(())
    }
}

impl Residual for OfPython {
    fn rows(&self) -> usize {
        self.rows
    }
    fn depends(&self) -> Depends {
        let has = |name: &str| self.arguments.iter().any(|of| of == name);
        Depends { q: has("q"), v: has("v"), u: has("u"), a: has("a"), f: has("f"), ..Depends::default() }
    }
    fn value(&self, on: &mut ResidualPoint<'_>, r: &mut [f64]) -> Result<(), Reason> {
        self.within(|py| self.numbers(py, on, r))
    }
    fn jacobian(&self, on: &mut ResidualPoint<'_>, r: &mut [f64], out: &mut Jacobian) -> Result<(), Reason> {
        self.within(|py| {
            self.numbers(py, on, r)?;
            self.blocks(py, on, out)
        })
    }
    fn has_hessian(&self) -> bool {
        false
    }
    fn add_hessian(&self, _on: &mut ResidualPoint<'_>, _lambda: &[f64], _out: &mut DMatrix<f64>) -> Result<(), Reason> {
        Ok(())
    }
}

/// A residual as Python describes it: name, rows, names of arguments, value, Jacobian.
type Described = (String, usize, Vec<String>, Py<PyAny>, Py<PyAny>);

fn own(py: Python<'_>, all: &[Described], raised: &Raised) -> Vec<(String, OwnResidual)> {
    all.iter()
        .map(|(name, rows, arguments, value, jacobian)| {
            let of = Arc::new((
                name.clone(),
                *rows,
                arguments.clone(),
                value.clone_ref(py),
                jacobian.clone_ref(py),
                Arc::clone(raised),
            ));
            let make: OwnResidual = Arc::new(move || {
                let (name, rows, arguments, value, jacobian, raised) = &*of;
                Python::attach(|py| -> Box<dyn Residual> {
                    Box::new(OfPython {
                        name: name.clone(),
                        rows: *rows,
                        arguments: arguments.clone(),
                        value: value.clone_ref(py),
                        jacobian: jacobian.clone_ref(py),
                        raised: Arc::clone(raised),
                    })
                })
            });
            (name.clone(), make)
        })
        .collect()
}

/// A problem to be solved: a robot, phases with their contacts, costs, constraints, a solver.
#[pyclass(frozen, name = "_Task", module = "gradyn")]
pub(crate) struct PyTask {
    task: Mutex<Option<Task>>,
    raised: Raised,
}

#[pymethods]
impl PyTask {
    /// A task file.
    #[staticmethod]
    fn read(py: Python<'_>, path: PathBuf) -> PyResult<Self> {
        let task = crate::guard::detached(py, || Task::read(&path))?.map_err(|error| error::file(py, &error))?;
        Ok(Self { task: Mutex::new(Some(task)), raised: Raised::default() })
    }

    /// A task as a TOML text, with what is given beside it.
    #[staticmethod]
    #[pyo3(signature = (text, file, name, folder, model, residuals))]
    fn parse(
        py: Python<'_>,
        text: String,
        file: String,
        name: &str,
        folder: PathBuf,
        model: Option<&PyModel>,
        residuals: Vec<Described>,
    ) -> PyResult<Self> {
        let raised = Raised::default();
        let robot = model.map(PyModel::robot);
        let given = Given { folder, robot, own: own(py, &residuals, &raised) };
        let done = crate::guard::detached(py, || Task::parse(Source { file, text }, name, given))?;
        if let Some(error) = raised.lock().ok().and_then(|mut raised| raised.take()) {
            return Err(error);
        }
        let task = done.map_err(|error| error::file(py, &error))?;
        Ok(Self { task: Mutex::new(Some(task)), raised })
    }

    /// Solves it, once. `callback` is called with a dictionary after each iteration; `StopIteration` ends the solver there.
    #[pyo3(signature = (callback, refine))]
    fn solve(&self, py: Python<'_>, callback: Option<Py<PyAny>>, refine: bool) -> PyResult<PySolution> {
        let task = self.take()?;
        let raised = &self.raised;
        let mut watcher = |event: Event<'_>| match event {
            Event::Progress(Progress::Iteration(of)) => {
                if raised.lock().is_ok_and(|raised| raised.is_some()) {
                    return Control::Stop;
                }
                let told = Python::attach(|py| {
                    py.check_signals()?;
                    let Some(callback) = &callback else { return Ok(()) };
                    let it = PyDict::new(py);
                    it.set_item("iteration", of.iteration)?;
                    it.set_item("cost", of.cost)?;
                    it.set_item("gap", of.gap)?;
                    it.set_item("violation", of.violation)?;
                    it.set_item("kkt_error", of.kkt_error)?;
                    it.set_item("expected_decrease", of.expected_decrease)?;
                    it.set_item("stationarity", of.stationarity)?;
                    it.set_item("step", of.step)?;
                    it.set_item("accepted", of.accepted)?;
                    it.set_item("regularization", of.regularization)?;
                    callback.call1(py, (it,)).map(drop)
                });
                match told {
                    Ok(()) => Control::Continue,
                    Err(error) => {
                        if !Python::attach(|py| error.is_instance_of::<PyStopIteration>(py)) {
                            keep(raised, error);
                        }
                        Control::Stop
                    }
                }
            }
            _ => Control::Continue,
        };
        let done = crate::guard::detached(py, || {
            let (guesses, warnings) = task.guesses()?;
            let refine = RefineOption { on: refine, ..RefineOption::default() };
            task.solve_from(&guesses, refine, &mut watcher).map(|solution| (solution, warnings))
        })?;
        if let Some(error) = raised.lock().ok().and_then(|mut raised| raised.take()) {
            return Err(error);
        }
        let (solution, _) = done.map_err(|error| error::file(py, &error))?;
        Ok(PySolution(Mutex::new(solution)))
    }
}

impl PyTask {
    /// The task itself, once.
    pub(crate) fn take(&self) -> PyResult<Task> {
        let task = self.task.lock().ok().and_then(|mut task| task.take());
        task.ok_or_else(|| PyTypeError::new_err("the task has been solved already: make another one"))
    }
}

/// The solution of a task.
#[pyclass(frozen, name = "_Solution", module = "gradyn")]
pub(crate) struct PySolution(Mutex<Solution>);

impl PySolution {
    fn with<R: Send>(&self, py: Python<'_>, f: impl FnOnce(&Solution) -> R + Send) -> PyResult<R> {
        crate::guard::detached(py, || {
            let solution = self.0.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
            Ok(f(&solution))
        })?
    }
}

#[pymethods]
impl PySolution {
    fn json(&self, py: Python<'_>) -> PyResult<String> {
        self.with(py, Solution::json)?.map_err(|error| error::file(py, &error))
    }
    fn csv(&self, py: Python<'_>) -> PyResult<String> {
        self.with(py, Solution::csv)
    }
    fn npz<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        let bytes = self.with(py, Solution::npz)?.map_err(|error| error::file(py, &error))?;
        Ok(PyBytes::new(py, &bytes))
    }
    /// The robot of the task.
    fn model(&self) -> PyModel {
        let solution = self.0.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        PyModel::new(solution.task.start.model.clone())
    }
    /// The trajectory simulated with other parameters, `closed_loop`: with the solver's feedback.
    fn rollout(&self, py: Python<'_>, parameters: &PyParameters, closed_loop: bool) -> PyResult<PyRollout> {
        let solution = self.0.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        let (task, parameters) = (&solution.task, &parameters.0);
        let run = guard::caught(|| rollout(task, parameters, &solution.solved.found, closed_loop))?;
        let (run, nodes) = run.map_err(|error| wrong(py, &error, Said::default()))?;
        let time = nodes.iter().map(|k| task.problem.time(*k)).collect();
        let start = (task.start.q.clone(), task.start.v.clone());
        let by = guard::detached(py, || run.forward(&parameters.nominal(), &start.0, &start.1))?;
        let by = by.map_err(|error| wrong(py, &error.to_string(), Said::default()))?;
        Ok(PyRollout { by, time, nv: parameters.robot().nv() })
    }
    /// The end of the trajectory as an output of `sensitivity`: of the configuration, or of a frame's pose.
    fn along(
        &self,
        py: Python<'_>,
        parameters: &PyParameters,
        frame: Option<String>,
        closed_loop: bool,
    ) -> PyResult<PyAlong> {
        let solution = self.0.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        let (task, parameters) = (&solution.task, &parameters.0);
        let place = frame.as_deref().map(|name| options::frame(py, parameters.robot(), "frame", name)).transpose()?;
        let done = guard::detached(py, || {
            let found = &solution.solved.found;
            let (_, warnings) = motion(task, parameters, found, place, closed_loop)?;
            let (run, nodes) = rollout(task, parameters, found, closed_loop)?;
            let time = nodes.iter().map(|k| task.problem.time(*k)).collect();
            let start = (task.start.q.clone(), task.start.v.clone());
            Ok(PyAlong { run: run.document(), start, time, frame: place, frame_name: frame, warnings })
        })?;
        done.map_err(|error: String| wrong(py, &error, Said::default()))
    }
    fn page(&self, py: Python<'_>) -> PyResult<String> {
        self.with(py, |solution| solution.page(None))
    }
}

/// A trajectory simulated, and its derivatives by parameters and by the start.
#[pyclass(frozen, name = "_Rollout", module = "gradyn")]
pub(crate) struct PyRollout {
    by: Forward,
    time: Vec<f64>,
    nv: usize,
}

#[pymethods]
impl PyRollout {
    /// s
    #[getter]
    fn time<'py>(&self, py: Python<'py>) -> Bound<'py, PyAny> {
        PyArray1::from_slice(py, &self.time).into_any()
    }
    /// Configurations, (N + 1, nq).
    #[getter]
    fn q<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let rows: Vec<f64> = self.by.states.iter().flat_map(|(q, _)| q.clone()).collect();
        PyArray1::from_vec(py, rows).call_method1("reshape", (self.by.states.len(), -1))
    }
    /// Velocities, (N + 1, nv).
    #[getter]
    fn v<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let rows: Vec<f64> = self.by.states.iter().flat_map(|(_, v)| v.clone()).collect();
        PyArray1::from_vec(py, rows).call_method1("reshape", (self.by.states.len(), -1))
    }
    /// Derivatives of (q, v) by the parameters, (N + 1, 2 nv, k), along the tangent.
    #[getter]
    fn by_parameters<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let count = self.by.by.len();
        let rows: Vec<f64> =
            (0..count).flat_map(|k| self.by.by_parameters(k).transpose().as_slice().to_vec()).collect();
        PyArray1::from_vec(py, rows).call_method1("reshape", (count, 2 * self.nv, self.by.parameters))
    }
    /// Derivatives of (q, v) by the start, (N + 1, 2 nv, 2 nv).
    #[getter]
    fn by_start<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let count = self.by.by.len();
        let rows: Vec<f64> = (0..count).flat_map(|k| self.by.by_start(k).transpose().as_slice().to_vec()).collect();
        PyArray1::from_vec(py, rows).call_method1("reshape", (count, 2 * self.nv, 2 * self.nv))
    }
    /// Whether derivatives at the end mean anything: errors of the start have not grown beyond rounding's reach.
    #[getter]
    fn trustworthy(&self) -> bool {
        self.by.is_trustworthy()
    }
}
