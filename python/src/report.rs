//! What a robot's file has that is not used, or is dubious.

use gradyn::model::urdf::{LoadReport, Severity};
use pyo3::prelude::*;
use std::collections::BTreeMap;

/// One remark about one line of a robot's file.
#[pyclass(frozen, get_all, name = "Note", module = "gradyn")]
#[derive(Clone)]
pub(crate) struct PyNote {
    /// The file that belongs to the robot's and has the line: an included one, an SRDF file; None for the robot's own.
    file: Option<String>,
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
        format!("gradyn.Note({}, {}: {})", self.place(), self.severity, self.message)
    }
    fn __str__(&self) -> String {
        format!("{}: {}", self.place(), self.message)
    }
}

impl PyNote {
    fn place(&self) -> String {
        match &self.file {
            Some(file) => format!("{file}, line {}", self.line),
            None => format!("line {}", self.line),
        }
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
                file: note.file.as_deref().map(str::to_owned),
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
