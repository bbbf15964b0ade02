//! Contacts and loops.

use gradyn::Constraint;
use gradyn::dynamics::ConstraintKind;
use pyo3::prelude::*;

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
}

impl PyConstraint {
    pub(crate) fn new(constraint: Constraint, nv: usize, text: String, name: &str) -> Self {
        let axes: &[&str] = match constraint.kind() {
            ConstraintKind::Point => &["x", "y", "z"],
            ConstraintKind::Frame => &["x", "y", "z", "rx", "ry", "rz"],
            _ => &[],
        };
        let rows = (0..constraint.rows())
            .map(|k| axes.get(k).map_or_else(|| format!("{name}.{k}"), |axis| format!("{name}.{axis}")))
            .collect();
        Self { constraint, nv, text, rows }
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

    fn __repr__(&self) -> String {
        format!("gradyn.Constraint({}, {} rows)", self.text, self.constraint.rows())
    }
}
