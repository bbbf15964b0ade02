//! Which parameters matter, and what data say of them.

mod along;
mod fits;
mod question;

pub(crate) use along::PyAlong;
pub(crate) use fits::{excite_find, identify_fit};
pub(crate) use question::{PyOutput, PyParameters, PyPriors};

use crate::error::{Said, wrong};
use crate::options;
use crate::pool;
use gradyn::Method;
use gradyn_sensitivity::global::{Morris, Plan, Points, Run, Saltelli};
use gradyn_sensitivity::local::rounding;
use gradyn_sensitivity::statistics::{Interval, Resampling};
use gradyn_sensitivity::{SensitivityError, evaluate_many, local};
use numpy::{PyArray1, PyReadonlyArray2};
use pyo3::prelude::*;
use pyo3::types::PyDict;

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

/// What is asked: at a state, or at the end of a motion.
#[derive(FromPyObject)]
pub(crate) enum Asked<'py> {
    AtState(Bound<'py, PyOutput>),
    Along(Bound<'py, PyAlong>),
}

/// Value, derivatives by the parameters, and names of the entries.
#[pyfunction]
pub(crate) fn sensitivity_local<'py>(
    py: Python<'py>,
    parameters: &PyParameters,
    values: Vec<f64>,
    output: Asked<'py>,
    method: &str,
) -> PyResult<(Bound<'py, PyAny>, Bound<'py, PyAny>, Vec<String>)> {
    let method: Method = options::word(py, "method", method, &options::methods())?;
    let (value, jacobian, rows) = match &output {
        Asked::AtState(output) => {
            let output = output.get();
            let done = crate::guard::detached(py, || local(&parameters.0, &values, output.output(), method))?;
            let by = done.map_err(|error| refused(py, &error))?;
            (by.value.as_slice().to_vec(), by.jacobian, by.rows)
        }
        Asked::Along(along) => {
            let along = along.get();
            let done = crate::guard::detached(py, || {
                let motion = along.motion(&parameters.0)?;
                let mut value = vec![0.0; motion.rows().len()];
                motion.evaluate(&[along.last()], &values, &mut value);
                Ok((value, motion.derivatives()?.jacobians.pop().unwrap_or_default(), motion.rows()))
            })?;
            done.map_err(|error: SensitivityError| refused(py, &error))?
        }
    };
    let shape = [jacobian.nrows(), jacobian.ncols()];
    let numbers: Vec<f64> = jacobian.transpose().as_slice().to_vec();
    Ok((PyArray1::from_vec(py, value).into_any(), shaped(py, numbers, &shape)?, rows))
}

/// By how much rounding moves each entry.
#[pyfunction]
pub(crate) fn sensitivity_rounding<'py>(
    py: Python<'py>,
    parameters: &PyParameters,
    output: Asked<'py>,
) -> PyResult<Bound<'py, PyAny>> {
    let done = match &output {
        Asked::AtState(output) => {
            let output = output.get();
            crate::guard::detached(py, || rounding(parameters.0.robot(), output.output()))?
        }
        Asked::Along(along) => {
            let along = along.get();
            crate::guard::detached(py, || along.motion(&parameters.0)?.rounding())?
        }
    };
    Ok(PyArray1::from_vec(py, done.map_err(|error: SensitivityError| refused(py, &error))?).into_any())
}

/// The output of the robot of each sample, (N, entries); NaN for robots that are invalid. The bits of a sample depend on it
/// alone.
#[pyfunction]
pub(crate) fn sensitivity_evaluate<'py>(
    py: Python<'py>,
    parameters: &PyParameters,
    output: Asked<'py>,
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
    let to = (&mut outputs[..], entries, k);
    match &output {
        Asked::AtState(output) => {
            let output = output.get();
            let f = |x: &[f64], y: &mut [f64]| evaluate_many(&parameters.0, output.output(), x, y);
            crate::guard::detached(py, || in_blocks(&samples, to, threads, f))?;
        }
        Asked::Along(along) => {
            let along = along.get();
            let done = crate::guard::detached(py, || {
                let motion = along.motion(&parameters.0)?;
                in_blocks(&samples, to, threads, |x, y| motion.evaluate(&[along.last()], x, y));
                Ok(())
            })?;
            done.map_err(|error: SensitivityError| refused(py, &error))?;
        }
    }
    shaped(py, outputs, &[count, entries])
}

/// Whole blocks of 64, so that the same samples share registers however many threads there are.
fn in_blocks(
    samples: &[f64],
    (outputs, entries, k): (&mut [f64], usize, usize),
    threads: usize,
    f: impl Fn(&[f64], &mut [f64]) + Sync,
) {
    if threads <= 1 {
        return f(samples, outputs);
    }
    let blocks = samples.chunks(64 * k.max(1)).zip(outputs.chunks_mut(64 * entries.max(1)));
    pool::install(|| {
        use rayon::prelude::*;
        blocks.collect::<Vec<_>>().into_par_iter().for_each(|(x, y)| f(x, y));
    });
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
