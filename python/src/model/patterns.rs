//! Where entries of derivatives can be nonzero.

use super::PyModel;
use crate::error::{Said, wrong};
use crate::options::{self, word};
use gradyn::partials::TensorPattern;
use gradyn::{Model, SparsityPattern};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PySlice};

#[pymethods]
impl PyModel {
    /// Which entries of a matrix can be nonzero at any state: a `scipy.sparse.csc_array` of ones.
    ///
    /// `of` is "torques" (of dtau_dq and dtau_dv; dtau_da too), "accelerations", "center_of_mass", "centroidal",
    /// "torque_regressor", "frame" (of a Jacobian, with `frame`), "constraint_jacobian", "constrained_accelerations" or "multipliers"
    /// (with `constraints`).
    #[pyo3(signature = (of = "torques", *, frame = None, constraints = None))]
    fn sparsity<'py>(
        &self,
        py: Python<'py>,
        of: &str,
        frame: Option<&str>,
        constraints: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let m = &self.model;
        let constraints = constraints.map_or(Ok(Vec::new()), |given| options::constraints(py, m, given))?;
        let body = match frame {
            None => None,
            Some(name) => self.place(options::frame(py, m, "frame", name)?).0,
        };
        type Make<'a> = &'a dyn Fn() -> SparsityPattern;
        let words: [(&str, Make<'_>); 9] = [
            ("torques", &|| SparsityPattern::torques(m)),
            ("accelerations", &|| SparsityPattern::accelerations(m)),
            ("center_of_mass", &|| SparsityPattern::center_of_mass(m, None)),
            ("centroidal", &|| SparsityPattern::centroidal(m)),
            ("torque_regressor", &|| SparsityPattern::torque_regressor(m)),
            ("constraint_jacobian", &|| SparsityPattern::constraint_jacobian(m, &constraints)),
            ("constrained_accelerations", &|| SparsityPattern::constrained_accelerations(m, &constraints)),
            ("multipliers", &|| SparsityPattern::multipliers(m, &constraints)),
            ("frame", &|| {
                body.map_or_else(|| SparsityPattern::center_of_mass(m, None), |body| SparsityPattern::frame(m, body))
            }),
        ];
        if of == "frame" && body.is_none() {
            return Err(wrong(
                py,
                "`frame` is needed: a frame that moves",
                Said { argument: Some("frame".into()), ..Said::default() },
            ));
        }
        let pattern = word(py, "of", of, &words)?();
        let ones = vec![1.0; pattern.nonzeros()];
        let starts: Vec<i64> = pattern.column_starts().iter().map(|i| *i as i64).collect();
        let rows: Vec<i64> = pattern.row_indices().iter().map(|i| *i as i64).collect();
        let of = (
            numpy::PyArray1::from_vec(py, ones),
            numpy::PyArray1::from_vec(py, rows),
            numpy::PyArray1::from_vec(py, starts),
        );
        let options = PyDict::new(py);
        options.set_item("shape", (pattern.rows(), pattern.columns()))?;
        py.import("scipy.sparse")?.call_method("csc_array", (of,), Some(&options))
    }

    /// Which entries (i, j, k) of second derivatives can be nonzero at any state, an array of shape (nonzeros, 3): `of` is
    /// "torques", "mass_matrix", "accelerations" or "accelerations_by_velocities".
    #[pyo3(signature = (of = "torques"))]
    fn second_sparsity<'py>(&self, py: Python<'py>, of: &str) -> PyResult<Bound<'py, PyAny>> {
        type Make = fn(&Model) -> TensorPattern;
        let words: [(&str, Make); 4] = [
            ("torques", TensorPattern::torques),
            ("mass_matrix", TensorPattern::mass_matrix),
            ("accelerations", TensorPattern::accelerations),
            ("accelerations_by_velocities", TensorPattern::accelerations_by_velocities),
        ];
        let pattern = word(py, "of", of, &words)?(&self.model);
        let flat: Vec<i64> = pattern.coordinates().iter().flatten().map(|i| *i as i64).collect();
        numpy::PyArray1::from_vec(py, flat).call_method1("reshape", (-1, 3))
    }

    /// Where the numbers of `rnea_parameter_gradient(…).dp` stand: names of blocks and slices.
    #[getter]
    fn parameter_blocks<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let layout = self.model.parameter_layout();
        let dict = PyDict::new(py);
        let one = |at: usize| at..at + 1;
        let blocks = [
            ("inertial", layout.inertial.clone()),
            ("friction", layout.friction.clone()),
            ("damping", layout.damping.clone()),
            ("armature", layout.armature.clone()),
            ("friction_width", one(layout.friction_width)),
            ("gravity", layout.gravity.clone()),
            ("placement", layout.placement.clone()),
            ("axis", layout.axis.clone()),
            ("pitch", layout.pitch.clone()),
            ("multiplier", layout.multiplier.clone()),
            ("offset", layout.offset.clone()),
            ("stiffness", layout.stiffness.clone()),
            ("spring_reference", layout.spring_reference.clone()),
            ("stribeck", layout.stribeck.clone()),
            ("stribeck_velocity", layout.stribeck_velocity.clone()),
            ("friction_asymmetry", layout.friction_asymmetry.clone()),
        ];
        for (name, range) in blocks {
            dict.set_item(name, PySlice::new(py, range.start as isize, range.end as isize, 1))?;
        }
        Ok(dict)
    }
}
