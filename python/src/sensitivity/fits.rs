//! What data say of parameters, and the motion that tells the most.

use super::{PyParameters, refused, shaped};
use crate::model::PyModel;
use crate::pool;
use gradyn_files::identify::{self as answer, Told};
use gradyn_sensitivity::estimate::Loss;
use gradyn_sensitivity::excite::{Excitation, ExciteOptions, excite as find};
use gradyn_sensitivity::identify::{Data, FitOptions, fit};
use numpy::{PyArray1, PyReadonlyArray2};
use pyo3::prelude::*;
use pyo3::types::PyDict;
use std::ops::ControlFlow;

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
    dict.set_item("verdict", gradyn_files::excite::verdict(&found))?;
    let robot = PyModel::new(model.clone()).robot();
    dict.set_item("page", gradyn_files::excite::page(&robot, (&options, None), &found))?;
    Ok(dict)
}
