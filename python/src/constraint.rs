//! Contacts and loops.

use crate::model::PyModel;
use gradyn::Constraint;
use gradyn::dynamics::ConstraintKind;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyTuple};

/// A contact of a robot with the world, or a loop between two of its frames. Made by `Model.contact`, `Model.connect` and
/// `Model.weld`.
#[pyclass(frozen, name = "Constraint", module = "gradyn")]
pub(crate) struct PyConstraint {
    pub(crate) constraint: Constraint,
    /// Of the model it was made for.
    pub(crate) nv: usize,
    pub(crate) text: String,
    /// What each row is called.
    pub(crate) rows: Vec<String>,
    /// Makes the same again: a method of the model and its arguments, as a `functools.partial`.
    again: Py<PyAny>,
}

impl PyConstraint {
    /// Of a model, by the method of this name and these arguments; rows begin with `name`.
    pub(crate) fn new(
        model: &Bound<'_, PyModel>,
        constraint: Constraint,
        text: String,
        name: &str,
        method: &str,
        arguments: &Bound<'_, PyTuple>,
        choices: &Bound<'_, PyDict>,
    ) -> PyResult<Self> {
        let axes: &[&str] = match constraint.kind() {
            ConstraintKind::Point => &["x", "y", "z"],
            ConstraintKind::Frame => &["x", "y", "z", "rx", "ry", "rz"],
            _ => &[],
        };
        let rows = (0..constraint.rows())
            .map(|k| axes.get(k).map_or_else(|| format!("{name}.{k}"), |axis| format!("{name}.{axis}")))
            .collect();
        let partial = model.py().import("functools")?.getattr("partial")?;
        let of_method = PyTuple::new(model.py(), [model.getattr(method)?])?;
        let again = partial.call(of_method.add(arguments)?.cast_into::<PyTuple>()?, Some(choices))?.unbind();
        Ok(Self { constraint, nv: model.get().model().nv(), text, rows, again })
    }
}

#[pymethods]
impl PyConstraint {
    /// How many rows it has.
    fn __len__(&self) -> usize {
        self.constraint.rows()
    }

    /// Names of the rows, as `foot.x`.
    #[getter]
    fn rows(&self) -> Vec<String> {
        self.rows.clone()
    }

    /// Gains of stabilization: `kp`, 1/s^2, and `kd`, 1/s.
    #[getter]
    fn gains(&self) -> (f64, f64) {
        self.constraint.gains()
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> (&Bound<'py, PyAny>, ()) {
        (self.again.bind(py), ())
    }

    fn __repr__(&self) -> String {
        format!("gradyn.Constraint({}, {} rows)", self.text, self.constraint.rows())
    }
}
