//! gradyn for Python.
//!
//! | module | contents |
//! |---|---|
//! | [`functions`] | the table of functions: arguments, shapes, documentation, how each is computed |
//! | [`table`] | what a row of it is, and the method made of it |
//! | [`call`] | how a function is called: broadcasting, memory, threads |
//! | [`arrays`] | arrays of NumPy, read and filled in place |
//! | [`options`] | names of frames, methods and constraints, and wrenches |
//! | [`model`], [`constraint`], [`report`] | the robot, what holds it, and what its file has besides |
//! | [`manifold`], [`xla`] | what the bridges to other frameworks need |
//! | [`memory`], [`pool`] | workspaces and threads |
//! | [`check`], [`task`], [`sensitivity`] | the checker, trajectories, parameters |
//! | [`error`], [`guard`] | exceptions, also of panics |

#![deny(unsafe_op_in_unsafe_fn)]

mod arrays;
mod call;
mod check;
mod constraint;
#[path = "../stubs/docs.in"] // written by stubs.py, beside what it is written from
mod docs;
mod error;
mod functions;
mod guard;
mod manifold;
mod memory;
mod model;
mod mpc;
mod options;
mod pool;
mod report;
mod sensitivity;
mod table;
mod task;
mod xla;

use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList};

/// The compiled part of gradyn: use the package.
#[pymodule(gil_used = false)]
fn _gradyn(module: &Bound<'_, PyModule>) -> PyResult<()> {
    guard::one_interpreter()?;
    module.add("__version__", env!("CARGO_PKG_VERSION"))?;
    module.add_class::<model::PyModel>()?;
    module.add_class::<constraint::PyConstraint>()?;
    module.add_class::<report::PyReport>()?;
    module.add_class::<report::PyNote>()?;
    module.add_class::<check::PyCheckReport>()?;
    module.add_class::<task::PyTask>()?;
    module.add_class::<sensitivity::PyParameters>()?;
    module.add_class::<sensitivity::PyPriors>()?;
    module.add_class::<sensitivity::PyOutput>()?;
    module.add_class::<sensitivity::PyAlong>()?;
    module.add_class::<task::PySolution>()?;
    module.add_class::<mpc::PyMpc>()?;
    module.add_class::<task::PyRollout>()?;
    let py = module.py();
    module.add("InputError", py.get_type::<error::InputError>())?;
    module.add("RobotError", py.get_type::<error::RobotError>())?;
    module.add("FileError", py.get_type::<error::FileError>())?;
    module.add("RobotWarning", py.get_type::<error::RobotWarning>())?;
    module.add_function(wrap_pyfunction!(table_of_functions, module)?)?;
    module.add_function(wrap_pyfunction!(build_info, module)?)?;
    module.add_function(wrap_pyfunction!(guard::_panic, module)?)?;
    module.add_function(wrap_pyfunction!(check::check_jacobian, module)?)?;
    module.add_function(wrap_pyfunction!(check::check_gradient, module)?)?;
    module.add_function(wrap_pyfunction!(check::check_hessian, module)?)?;
    module.add_function(wrap_pyfunction!(check::check_claims, module)?)?;
    module.add_function(wrap_pyfunction!(sensitivity::sensitivity_local, module)?)?;
    module.add_function(wrap_pyfunction!(sensitivity::sensitivity_rounding, module)?)?;
    module.add_function(wrap_pyfunction!(sensitivity::sensitivity_evaluate, module)?)?;
    module.add_function(wrap_pyfunction!(sensitivity::sobol_count, module)?)?;
    module.add_function(wrap_pyfunction!(sensitivity::sobol_samples, module)?)?;
    module.add_function(wrap_pyfunction!(sensitivity::sobol_analyze, module)?)?;
    module.add_function(wrap_pyfunction!(sensitivity::morris_count, module)?)?;
    module.add_function(wrap_pyfunction!(sensitivity::morris_samples, module)?)?;
    module.add_function(wrap_pyfunction!(sensitivity::morris_analyze, module)?)?;
    module.add_function(wrap_pyfunction!(sensitivity::identify_fit, module)?)?;
    module.add_function(wrap_pyfunction!(sensitivity::excite_find, module)?)?;
    module.add_function(wrap_pyfunction!(xla::register, module)?)?;
    module.add_function(wrap_pyfunction!(xla::handler_address, module)?)?;
    Ok(())
}

/// The table of functions, for documentation, stubs and tests.
#[pyfunction(name = "_functions")]
fn table_of_functions(py: Python<'_>) -> PyResult<Bound<'_, PyList>> {
    let list = PyList::empty(py);
    for function in functions::all() {
        let row = PyDict::new(py);
        row.set_item("name", function.name)?;
        row.set_item("doc", function.doc.lines().map(str::trim).collect::<Vec<_>>().join("\n"))?;
        let arguments: Vec<_> = function.arguments.iter().map(|a| (a.name, a.dim.name())).collect();
        row.set_item("arguments", arguments)?;
        let choices: Vec<_> = function.choices.iter().map(|choice| (choice.name, choice.default)).collect();
        row.set_item("choices", choices)?;
        row.set_item("result", function.result)?;
        let outputs: Vec<_> = function
            .outputs
            .iter()
            .map(|output| (output.name, output.shape.iter().map(|dim| dim.name()).collect::<Vec<_>>()))
            .collect();
        row.set_item("outputs", outputs)?;
        row.set_item("batch", function.many.is_some())?;
        list.append(row)?;
    }
    Ok(list)
}

/// What this build is: version, vector instructions in use, threads.
#[pyfunction]
fn build_info(py: Python<'_>) -> PyResult<Bound<'_, PyDict>> {
    let info = PyDict::new(py);
    info.set_item("version", env!("CARGO_PKG_VERSION"))?;
    info.set_item("level", gradyn::derivatives::Level::active().to_string())?;
    info.set_item("threads", pool::available())?;
    info.set_item("debug_assertions", cfg!(debug_assertions))?;
    Ok(info)
}
