//! Checks of derivatives of Python functions, and of what another program computed for a robot.

mod space;

use crate::error::{self, Said, wrong};
use crate::model::PyModel;
use gradyn::derivatives::check::{self, CheckError, Claim, Options, Report, Verdict};
use gradyn_files::check::evidence::{self, Failure, Strictness};
use gradyn_files::claims::{Claims, Layout};
use gradyn_files::constraints::Constraints;
use numpy::{PyArray1, PyReadonlyArray1, PyReadonlyArray2};
use pyo3::exceptions::{PyArithmeticError, PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyDict;
use space::space;
use std::path::PathBuf;

/// Calls the user's function. What it raises ends the check, but for errors of arithmetic and of values: it has no value there.
struct Caller<'a, 'py> {
    f: &'a Bound<'py, PyAny>,
    raised: Option<PyErr>,
}

impl Caller<'_, '_> {
    fn call(&mut self, x: &[f64], out: &mut [f64]) -> Result<(), String> {
        if self.raised.is_some() {
            return Err(String::from("it has raised before"));
        }
        match self.value(x, out) {
            Ok(()) => Ok(()),
            Err(error) => {
                let text = error.to_string();
                let py = self.f.py();
                let of_value =
                    error.is_instance_of::<PyArithmeticError>(py) || error.is_instance_of::<PyValueError>(py);
                if !of_value
                    || error.is_instance_of::<error::InputError>(py)
                        && error.value(py).getattr("got").is_ok_and(|got| !got.is_none())
                {
                    self.raised = Some(error);
                }
                Err(text)
            }
        }
    }

    fn value(&self, x: &[f64], out: &mut [f64]) -> PyResult<()> {
        let py = self.f.py();
        py.check_signals()?;
        let y = self.f.call1((PyArray1::from_slice(py, x),))?;
        let y = flat(py, &y)?;
        if y.len() != out.len() {
            return Err(PyTypeError::new_err(format!("the function gives {} numbers, before {}", y.len(), out.len())));
        }
        out.copy_from_slice(&y);
        Ok(())
    }

    fn ended(self, done: Result<Report, CheckError>) -> PyResult<PyCheckReport> {
        let py = self.f.py();
        if let Some(error) = self.raised {
            return Err(error);
        }
        done.map(PyCheckReport).map_err(|error| wrong(py, &error.to_string(), Said::default()))
    }
}

/// Any result of a function as numbers one after the other.
fn flat(py: Python<'_>, y: &Bound<'_, PyAny>) -> PyResult<Vec<f64>> {
    let numpy = py.import(pyo3::intern!(py, "numpy"))?;
    let y = numpy.call_method1(pyo3::intern!(py, "asarray"), (y, "float64"))?;
    let y = numpy.call_method1(pyo3::intern!(py, "ravel"), (y,))?;
    let y: PyReadonlyArray1<'_, f64> = y.extract()?;
    Ok(y.as_array().to_vec())
}

/// What a check is told besides.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub(crate) struct Asked {
    name: Option<String>,
    rows: Option<Vec<String>>,
    columns: Option<Vec<String>>,
    tolerance: Option<f64>,
    floor: Option<f64>,
    step: Option<f64>,
    seed: u64,
    symmetric: bool,
    pictures: bool,
}

impl Asked {
    fn options(&self, of: &str) -> Options {
        let mut options = Options::new(self.name.as_deref().unwrap_or(of)).seed(self.seed);
        if let Some(rows) = &self.rows {
            options = options.rows(rows);
        }
        if let Some(columns) = &self.columns {
            options = options.columns(columns);
        }
        if let Some(tolerance) = self.tolerance {
            options = options.tolerance(tolerance);
        }
        if let Some(floor) = self.floor {
            options = options.floor(floor);
        }
        if let Some(step) = self.step {
            options = options.step(step);
        }
        if self.symmetric {
            options = options.symmetric();
        }
        if self.pictures {
            options = options.pictures(4, 2);
        }
        options
    }
}

fn claim(py: Python<'_>, what: &str, array: &PyReadonlyArray2<'_, f64>) -> PyResult<Claim> {
    let array = array.as_array();
    let values: Vec<f64> = array.iter().copied().collect();
    Claim::new(array.nrows(), array.ncols(), &values)
        .map_err(|error| wrong(py, &error.to_string(), Said { argument: Some(what.to_owned()), ..Said::default() }))
}

/// A Jacobian against differences of the function; `inputs` and `outputs`: robots and counts of numbers.
#[pyfunction]
#[pyo3(signature = (f, x, jacobian, inputs, outputs, asked))]
pub(crate) fn check_jacobian(
    f: &Bound<'_, PyAny>,
    x: PyReadonlyArray1<'_, f64>,
    jacobian: PyReadonlyArray2<'_, f64>,
    inputs: Option<Vec<Bound<'_, PyAny>>>,
    outputs: Option<Vec<Bound<'_, PyAny>>>,
    asked: Asked,
) -> PyResult<PyCheckReport> {
    let py = f.py();
    let x = x.as_array().to_vec();
    let first = flat(py, &f.call1((PyArray1::from_slice(py, &x),))?)?;
    let inputs = space(py, "inputs", inputs.as_deref(), x.len())?;
    let outputs = space(py, "outputs", outputs.as_deref(), first.len())?;
    let claim = claim(py, "jacobian", &jacobian)?;
    let mut caller = Caller { f, raised: None };
    let options = asked.options("the Jacobian");
    let done = check::jacobian(&options, &inputs, &outputs, |x: &[f64], y: &mut [f64]| caller.call(x, y), &x, &claim);
    caller.ended(done)
}

/// A gradient against differences of the function.
#[pyfunction]
#[pyo3(signature = (f, x, gradient, inputs, asked))]
pub(crate) fn check_gradient(
    f: &Bound<'_, PyAny>,
    x: PyReadonlyArray1<'_, f64>,
    gradient: PyReadonlyArray1<'_, f64>,
    inputs: Option<Vec<Bound<'_, PyAny>>>,
    asked: Asked,
) -> PyResult<PyCheckReport> {
    let py = f.py();
    let x = x.as_array().to_vec();
    let inputs = space(py, "inputs", inputs.as_deref(), x.len())?;
    let gradient = gradient.as_array().to_vec();
    let mut caller = Caller { f, raised: None };
    let options = asked.options("the gradient");
    let done = check::gradient(&options, &inputs, |x| scalar(&mut caller, x), &x, &gradient);
    caller.ended(done)
}

/// A Hessian against second differences of the function.
#[pyfunction]
#[pyo3(signature = (f, x, hessian, inputs, asked))]
pub(crate) fn check_hessian(
    f: &Bound<'_, PyAny>,
    x: PyReadonlyArray1<'_, f64>,
    hessian: PyReadonlyArray2<'_, f64>,
    inputs: Option<Vec<Bound<'_, PyAny>>>,
    asked: Asked,
) -> PyResult<PyCheckReport> {
    let py = f.py();
    let x = x.as_array().to_vec();
    let inputs = space(py, "inputs", inputs.as_deref(), x.len())?;
    let claim = claim(py, "hessian", &hessian)?;
    let mut caller = Caller { f, raised: None };
    let options = asked.options("the Hessian");
    let done = check::hessian(&options, &inputs, |x| scalar(&mut caller, x), &x, &claim);
    caller.ended(done)
}

fn scalar(caller: &mut Caller<'_, '_>, x: &[f64]) -> f64 {
    let mut y = [f64::NAN];
    if caller.call(x, &mut y).is_ok() { y[0] } else { f64::NAN }
}

/// Reports with the indices of their states, and what cannot be checked.
type CheckedClaims = (Vec<(usize, PyCheckReport)>, Vec<String>);

/// Claims of a file for a robot, as `gradyn check --against` checks them: a report for each claim of each state, and what cannot
/// be checked.
#[pyfunction]
#[pyo3(signature = (model, path, layout, tolerance, floor, pictures))]
pub(crate) fn check_claims(
    py: Python<'_>,
    model: &PyModel,
    path: PathBuf,
    layout: &str,
    tolerance: f64,
    floor: f64,
    pictures: bool,
) -> PyResult<CheckedClaims> {
    let layouts = [
        ("gradyn", Layout::Gradyn),
        ("pinocchio", Layout::Pinocchio),
        ("mujoco", Layout::Mujoco),
        ("drake", Layout::Drake),
    ];
    let layout = crate::options::word(py, "layout", layout, &layouts)?;
    let robot = model.robot();
    let claims =
        Claims::read(&path, &robot, layout, Constraints::default()).map_err(|error| error::file(py, &error))?;
    let strictness = Strictness { tolerance, floor, pictures: if pictures { 2 } else { 0 } };
    let (mut reports, mut notices) = (Vec::new(), Vec::new());
    for (k, state) in claims.states.iter().enumerate() {
        for claim in &state.claims {
            let held = (&claims.coordinates, &claims.constraints);
            match crate::guard::detached(py, || evidence::examine(&robot, held, state, claim, strictness))? {
                Ok(report) => reports.push((k, PyCheckReport(report))),
                Err(Failure::Input(error)) => return Err(error::input(py, &error, Some(vec![k]))),
                Err(Failure::Check(error)) => {
                    let message = format!("state {k}, `{}`: {error}", claim.what.name());
                    return Err(wrong(py, &message, Said { state: Some(vec![k]), ..Said::default() }));
                }
                Err(Failure::Undefined(notice)) if notices.contains(&notice) => {}
                Err(Failure::Undefined(notice)) => notices.push(notice),
            }
        }
    }
    Ok((reports, notices))
}

/// What a check of a derivative found: for each entry what is claimed, what was found, how far off it may be, and a verdict.
#[pyclass(frozen, name = "CheckReport", module = "gradyn")]
pub(crate) struct PyCheckReport(Report);

impl PyCheckReport {
    fn matrix<'py>(&self, py: Python<'py>, of: impl Fn(&check::Entry) -> f64) -> PyResult<Bound<'py, PyAny>> {
        let flat: Vec<f64> = self.0.entries.iter().map(of).collect();
        PyArray1::from_vec(py, flat).call_method1("reshape", (self.0.rows.len(), self.0.columns.len()))
    }
}

#[pymethods]
impl PyCheckReport {
    /// Name of the derivative.
    #[getter]
    fn name(&self) -> &str {
        &self.0.name
    }
    /// Whether every entry agrees.
    #[getter]
    fn agrees(&self) -> bool {
        self.0.agrees()
    }
    /// Whether an entry disagrees.
    #[getter]
    fn disagrees(&self) -> bool {
        self.0.disagrees()
    }
    /// How many entries agree, disagree, and are undecided.
    #[getter]
    fn counts<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let counts = PyDict::new(py);
        counts.set_item("agree", self.0.counts.agree)?;
        counts.set_item("disagree", self.0.counts.disagree)?;
        counts.set_item("cannot_tell", self.0.counts.cannot_tell)?;
        Ok(counts)
    }
    /// Names of the rows.
    #[getter]
    fn rows(&self) -> Vec<String> {
        self.0.rows.clone()
    }
    /// Names of the columns.
    #[getter]
    fn columns(&self) -> Vec<String> {
        self.0.columns.clone()
    }
    /// What is claimed, rows by columns.
    #[getter]
    fn claimed<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.matrix(py, |entry| entry.claimed)
    }
    /// What was found; NaN where nothing was.
    #[getter]
    fn found<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.matrix(py, |entry| entry.found)
    }
    /// The estimated error of what was found.
    #[getter]
    fn error<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.matrix(py, |entry| entry.error)
    }
    /// The deviation that is allowed.
    #[getter]
    fn bound<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.matrix(py, |entry| entry.bound)
    }
    /// The verdict of each entry: "agrees", "disagrees", or "cannot tell: ..." with the reason.
    #[getter]
    fn verdicts(&self) -> Vec<Vec<String>> {
        let columns = self.0.columns.len().max(1);
        let text = |entry: &check::Entry| entry.verdict.to_string();
        self.0.entries.chunks(columns).map(|row| row.iter().map(text).collect()).collect()
    }
    /// Entries that disagree or are undecided, the furthest first: row, column, claimed, found, allowed, verdict.
    #[getter]
    fn worst(&self) -> Vec<(String, String, f64, f64, f64, String)> {
        let entries = self.0.worst().into_iter().filter(|entry| entry.verdict != Verdict::Agrees);
        entries
            .map(|of| {
                let (row, column) = (self.0.row_name(of).to_owned(), self.0.column_name(of).to_owned());
                (row, column, of.claimed, of.found, of.bound, of.verdict.to_string())
            })
            .collect()
    }
    /// Mistakes that explain what disagrees, the most probable first, in words.
    #[getter]
    fn guesses(&self) -> Vec<String> {
        self.0.guesses.iter().map(ToString::to_string).collect()
    }
    /// Further remarks.
    #[getter]
    fn notes(&self) -> Vec<String> {
        self.0.notes.clone()
    }
    fn __bool__(&self) -> bool {
        self.0.agrees()
    }
    fn __str__(&self) -> String {
        self.0.to_string()
    }
    fn __repr__(&self) -> String {
        let counts = &self.0.counts;
        format!(
            "<gradyn.CheckReport '{}': {} agree, {} disagree, {} undecided>",
            self.0.name, counts.agree, counts.disagree, counts.cannot_tell
        )
    }
    fn _repr_html_(&self) -> String {
        let text = self.0.to_string().replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;");
        format!("<pre>{text}</pre>")
    }
}
