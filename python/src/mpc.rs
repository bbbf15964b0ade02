//! Predictive control: a plan that is answered from at once, and made again while its controls act.

use crate::error::{self, Said, wrong};
use crate::guard;
use crate::task::PyTask;
use gradyn_files::Error;
use gradyn_files::task::Task;
use gradyn_trajectory::{Newton, Proximal, Trajectory};
use numpy::{PyArray1, PyReadonlyArray1};
use pyo3::prelude::*;
use pyo3::types::PyDict;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

enum Solver {
    Newton(Box<Newton>),
    Proximal(Box<Proximal>),
}

/// Does the same with each of the solvers.
macro_rules! each {
    ($solver:expr, $of:ident => $do:expr) => {
        match $solver {
            Solver::Newton($of) => $do,
            Solver::Proximal($of) => $do,
        }
    };
}

struct Plan {
    task: Task,
    solver: Solver,
    guess: Trajectory,
}

/// A plan that is kept up.
#[pyclass(frozen, name = "_Mpc", module = "gradyn")]
pub(crate) struct PyMpc(Mutex<Plan>);

fn refused(py: Python<'_>, error: &impl ToString) -> PyErr {
    wrong(py, &error.to_string(), Said::default())
}

impl PyMpc {
    fn plan(&self) -> MutexGuard<'_, Plan> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The state as the solver has it.
fn state(
    py: Python<'_>,
    plan: &Plan,
    q: &PyReadonlyArray1<'_, f64>,
    v: &PyReadonlyArray1<'_, f64>,
) -> PyResult<Vec<f64>> {
    let model = &plan.task.start.model;
    let (q, v) = (q.as_array().to_vec(), v.as_array().to_vec());
    model.check_configuration(&q).map_err(|error| error::input(py, &error, None))?;
    model.check_tangent("v", &v).map_err(|error| error::input(py, &error, None))?;
    Ok([q, v].concat())
}

#[pymethods]
impl PyMpc {
    /// Plans from the task's start, with its first guess: until it converges, within the solver's iterations; then `iterations` a
    /// cycle, within `time`, s.
    #[new]
    fn new(py: Python<'_>, task: &PyTask, iterations: usize, time: Option<f64>) -> PyResult<Self> {
        let task = task.take()?;
        let time = time.map(Duration::try_from_secs_f64).transpose().map_err(|error| refused(py, &error))?;
        let made = guard::detached(py, || {
            let guess = match task.guesses() {
                Ok((guesses, _)) => guesses.into_iter().next().map(|guess| guess.trajectory),
                Err(error) => return Err(error),
            };
            let guess = guess.unwrap_or_else(|| Trajectory::zeros(&task.problem));
            let problem = &task.problem;
            macro_rules! begin {
                ($type:ident, $options:expr, $variant:ident) => {{
                    let mut options = $options;
                    let mut first = $type::new(problem, options.clone());
                    let _ = first.solve(problem, &guess);
                    let plan = first.trajectory().clone();
                    (options.iterations, options.time) = (iterations, time);
                    let mut solver = $type::new(problem, options);
                    let _ = solver.resolve(problem, &plan);
                    let prepared = solver.prepare(problem).map_err(|error| error.to_string());
                    (Solver::$variant(Box::new(solver)), prepared, plan)
                }};
            }
            let (solver, prepared, guess) = match task.solver.solver.name {
                "newton" => begin!(Newton, task.solver.newton(), Newton),
                "proximal" => begin!(Proximal, task.solver.proximal(), Proximal),
                name => {
                    let why = format!("the solver `{name}` keeps no plan up: `newton` and `proximal` do");
                    return Err(Error::content(task.name.as_str(), why));
                }
            };
            Ok((Plan { task, solver, guess }, prepared))
        })?;
        let (plan, prepared) = made.map_err(|error| error::file(py, &error))?;
        prepared.map_err(|error| refused(py, &error))?;
        Ok(Self(Mutex::new(plan)))
    }

    /// Controls for a measured state, within their bounds: one product, of what was prepared.
    fn feedback<'py>(
        &self,
        py: Python<'py>,
        q: PyReadonlyArray1<'py, f64>,
        v: PyReadonlyArray1<'py, f64>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let mut plan = self.plan();
        let x = state(py, &plan, &q, &v)?;
        let Plan { task, solver, .. } = &mut *plan;
        let mut u = vec![0.0; task.start.actuated.names.len()];
        guard::caught(
            || each!(solver, of => of.feedback(&task.problem, &x, &mut u).map_err(|error| error.to_string())),
        )?
        .map_err(|error| refused(py, &error))?;
        Ok(PyArray1::from_vec(py, u).into_any())
    }

    /// Plans again from a measured state, and prepares the feedback of `period` later, s.
    fn replan<'py>(
        &self,
        py: Python<'py>,
        q: PyReadonlyArray1<'py, f64>,
        v: PyReadonlyArray1<'py, f64>,
        period: f64,
    ) -> PyResult<Bound<'py, PyDict>> {
        let mut plan = self.plan();
        let x = state(py, &plan, &q, &v)?;
        let nq = plan.task.start.model.nq();
        let plan = &mut *plan;
        let done = guard::detached(py, || {
            let Plan { task, solver, guess } = plan;
            let problem = &mut task.problem;
            problem.set_start(&x[..nq], &x[nq..]).map_err(|error| error.to_string())?;
            let report = each!(solver, of => of.resolve(problem, guess));
            each!(solver, of => of.shift_by(problem, period)).map_err(|error| error.to_string())?;
            each!(solver, of => of.prepare(problem)).map_err(|error| error.to_string())?;
            Ok::<_, String>(report)
        })?;
        let report = done.map_err(|error| refused(py, &error))?;
        let dict = PyDict::new(py);
        dict.set_item("status", report.status.name())?;
        dict.set_item("message", report.status.to_string())?;
        dict.set_item("iterations", report.iterations)?;
        dict.set_item("cost", report.cost)?;
        dict.set_item("gap", report.gap)?;
        Ok(dict)
    }

    /// Moves the plan by so many seconds, and no more: where a deadline was missed.
    fn shift(&self, py: Python<'_>, seconds: f64) -> PyResult<()> {
        let mut plan = self.plan();
        let Plan { task, solver, .. } = &mut *plan;
        guard::caught(|| each!(solver, of => of.shift_by(&task.problem, seconds).map_err(|error| error.to_string())))?
            .map_err(|error| refused(py, &error))
    }

    /// Times, configurations, velocities and controls of the plan.
    fn trajectory<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let plan = self.plan();
        let (model, problem) = (&plan.task.start.model, &plan.task.problem);
        let found = each!(&plan.solver, of => of.trajectory());
        let (nq, nv, first) = (model.nq(), model.nv(), plan.task.first());
        let states = first..=problem.steps();
        let rows = |part: std::ops::Range<usize>| -> Vec<f64> {
            states.clone().flat_map(|k| found.x(k)[part.clone()].to_vec()).collect()
        };
        let dict = PyDict::new(py);
        let count = states.clone().count();
        dict.set_item("time", PyArray1::from_vec(py, problem.times(found).split_off(first)))?;
        dict.set_item("q", PyArray1::from_vec(py, rows(0..nq)).call_method1("reshape", (count, nq))?)?;
        dict.set_item("v", PyArray1::from_vec(py, rows(nq..nq + nv)).call_method1("reshape", (count, nv))?)?;
        let controls: Vec<Vec<f64>> = (first..problem.steps()).map(|k| found.u(k).to_vec()).collect();
        dict.set_item("u", controls)?;
        Ok(dict)
    }
}
