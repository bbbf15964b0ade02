//! What a robot's file has that is not used, or is dubious.

use gradyn::model::urdf::{LoadReport, Severity};
use pyo3::prelude::*;
use std::collections::BTreeMap;

/// One remark about one line of a robot's file.
#[pyclass(frozen, get_all, name = "Note", module = "gradyn")]
#[derive(Clone)]
pub(crate) struct PyNote {
    /// Line of the file, from 1.
    line: u32,
    /// `"warning"` or `"information"`.
    severity: &'static str,
    /// A word for programs, as `"ignored_element"`.
    code: &'static str,
    /// The remark.
    message: String,
}

#[pymethods]
impl PyNote {
    fn __repr__(&self) -> String {
        format!("gradyn.Note(line {}, {}: {})", self.line, self.severity, self.message)
    }
    fn __str__(&self) -> String {
        format!("line {}: {}", self.line, self.message)
    }
}

/// What a robot's file has that is not used, or is dubious.
#[pyclass(frozen, name = "LoadReport", module = "gradyn")]
pub(crate) struct PyReport(pub(crate) LoadReport);

#[pymethods]
impl PyReport {
    /// All remarks in the order of lines; of each kind the first hundred.
    #[getter]
    fn notes(&self) -> Vec<PyNote> {
        self.0
            .notes()
            .iter()
            .map(|note| PyNote {
                line: note.line,
                severity: if note.severity() == Severity::Warning { "warning" } else { "information" },
                code: note.kind.code(),
                message: note.kind.to_string(),
            })
            .collect()
    }

    /// Remarks that ask for attention.
    #[getter]
    fn warnings(&self) -> Vec<PyNote> {
        self.notes().into_iter().filter(|note| note.severity == "warning").collect()
    }

    /// How many remarks there are of each code.
    #[getter]
    fn counts(&self) -> BTreeMap<&'static str, usize> {
        self.0.counts()
    }

    /// How many warnings there are.
    fn __len__(&self) -> usize {
        self.0.warning_count()
    }

    fn __bool__(&self) -> bool {
        true
    }

    fn __str__(&self) -> String {
        self.0.to_string()
    }

    fn __repr__(&self) -> String {
        format!("<gradyn.LoadReport: {} warnings>", self.0.warning_count())
    }
}
