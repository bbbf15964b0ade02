//! What drives a robot.

use super::PyModel;
use gradyn::model::Actuation;
use numpy::{PyArray1, PyArray2, PyArrayMethods};
use pyo3::prelude::*;

#[pymethods]
impl PyModel {
    /// Names of the controls: the actuators of the robot, or, of one that has none, the degrees of freedom but those of a floating base.
    #[getter]
    fn control_names(&self) -> Vec<String> {
        let actuators = self.model.actuators();
        if !actuators.is_empty() {
            return actuators.iter().map(|actuator| actuator.name.clone()).collect();
        }
        let names = self.model.dof_names();
        self.driven().into_iter().filter_map(|dof| names.get(dof).cloned()).collect()
    }

    /// Least controls, those that the efforts of joints allow included, of shape (nu,).
    #[getter]
    fn control_lower<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<f64>> {
        PyArray1::from_iter(py, self.control_bounds().into_iter().map(|(lower, _)| lower))
    }

    /// Greatest controls, those that the efforts of joints allow included, of shape (nu,).
    #[getter]
    fn control_upper<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<f64>> {
        PyArray1::from_iter(py, self.control_bounds().into_iter().map(|(_, upper)| upper))
    }

    /// The matrix B of torques of controls, `tau = B u`, of shape (nv, nu): gears of the actuators.
    #[getter]
    fn actuation<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray2<f64>>> {
        let b = Actuation::of(&self.model).matrix();
        // nalgebra's columns are the rows of the transpose.
        PyArray1::from_slice(py, b.as_slice()).reshape([b.ncols(), b.nrows()])?.transpose()
    }
}

impl PyModel {
    /// Degrees of freedom with a motor each, of a robot without actuators.
    fn driven(&self) -> Vec<usize> {
        match Actuation::of(&self.model) {
            Actuation::Joints { dofs, .. } => dofs,
            _ => (0..self.model.nv()).collect(),
        }
    }

    fn control_bounds(&self) -> Vec<(f64, f64)> {
        if !self.model.actuators().is_empty() {
            return self.model.control_limits();
        }
        let effort = &self.model.limits().effort;
        self.driven().into_iter().filter_map(|dof| effort.get(dof)).map(|most| (-most, *most)).collect()
    }
}
