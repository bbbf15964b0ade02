//! Robots from files and documents, and back.

use super::PyModel;
use super::changes::list;
use crate::error::{self, OfRobot, RobotWarning};
use crate::options::{numbers, word};
use gradyn::Model;
use gradyn::model::urdf::{ContinuousForm, JointOrder, MimicForm, UrdfOptions};
use gradyn_files::robot::{FileOptions, Robot};
use pyo3::PyTypeInfo;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use std::ffi::CString;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// So many warnings of a file are raised one by one.
const RAISED: usize = 5;

#[pymethods]
impl PyModel {
    /// Reads a robot from a URDF file, or its text.
    ///
    /// Parameters
    /// ----------
    /// path_or_text : str or os.PathLike
    ///     The file, or its text, which begins with `<`.
    /// floating_base : bool
    ///     Hangs the root link from the world by a free-flyer instead of fixing it.
    /// joint_friction : bool
    ///     With the file's damping and friction.
    /// joint_order : {"file", "pinocchio"}
    ///     Joints in the order of the file, or as Pinocchio has them.
    /// mimic : {"follow", "independent"}
    ///     Joints that mimic others follow them, or move by themselves.
    /// continuous : {"angle", "cos-sin"}
    ///     Continuous joints have one coordinate, or two.
    /// gravity : array_like of 3 numbers, optional
    ///     m/s^2, in the world; 0, 0, -9.81 without it.
    /// armature : dict from joint to number or numbers, optional
    ///     kg m^2 or kg, instead of what the file says.
    /// strict : bool
    ///     Makes the first warning an error.
    /// merge_fixed_joints : bool
    ///     Merges links behind fixed joints into the body that carries them; their names stay as frames.
    ///
    /// Raises
    /// ------
    /// RobotError
    ///     With the line, the element and the value that make no sense.
    ///
    /// Warns
    /// -----
    /// RobotWarning
    ///     For what is ignored and could matter, or looks dubious; `Model.report` has all of it.
    #[staticmethod]
    #[pyo3(signature = (path_or_text, *, floating_base = false, joint_friction = true, joint_order = "file", mimic = "follow", continuous = "angle", gravity = None, armature = None, strict = false, merge_fixed_joints = true))]
    #[allow(clippy::too_many_arguments, reason = "by name")]
    fn from_urdf(
        py: Python<'_>,
        path_or_text: &Bound<'_, PyAny>,
        floating_base: bool,
        joint_friction: bool,
        joint_order: &str,
        mimic: &str,
        continuous: &str,
        gravity: Option<&Bound<'_, PyAny>>,
        armature: Option<&Bound<'_, PyDict>>,
        strict: bool,
        merge_fixed_joints: bool,
    ) -> PyResult<Self> {
        let orders = [("file", JointOrder::File), ("pinocchio", JointOrder::Pinocchio)];
        let mimics = [("follow", MimicForm::Follow), ("independent", MimicForm::Independent)];
        let forms = [("angle", ContinuousForm::Angle), ("cos-sin", ContinuousForm::CosSin)];
        let mut urdf = UrdfOptions::new()
            .floating_base(floating_base)
            .strict(strict)
            .joint_order(word(py, "joint_order", joint_order, &orders)?)
            .mimic(word(py, "mimic", mimic, &mimics)?)
            .continuous(word(py, "continuous", continuous, &forms)?)
            .merge_fixed_joints(merge_fixed_joints);
        for (joint, given) in armature.into_iter().flatten() {
            urdf = urdf.armature(joint.extract::<String>()?, &list(&given, 1)?);
        }
        let gravity = gravity.map(|given| numbers::<3>("gravity", given)).transpose()?;
        let text = path_or_text
            .extract::<String>()
            .ok()
            .filter(|text| text.trim_start_matches('\u{feff}').trim_start().starts_with('<'));
        let robot = match text {
            Some(text) => {
                let loaded = crate::guard::detached(py, || Model::from_urdf_text(&text, &urdf).map_err(Box::new))?;
                let loaded = loaded.map_err(|error| error::urdf(py, &error, None))?;
                Robot::of_urdf(Path::new(""), loaded, text, urdf)
            }
            None => {
                let path: PathBuf = path_or_text.extract()?;
                let read = crate::guard::detached(py, || Robot::read(&path, urdf, None, true))?;
                read.map_err(|error| error::file(py, &error))?
            }
        };
        Self::warned(py, robot, joint_friction, gravity)
    }

    /// Reads a robot from a file of any format: URDF, MJCF or SDF, as its root element says. Named configurations of the file are
    /// `Model.configurations`, and with `srdf` those of an SRDF file.
    #[staticmethod]
    #[pyo3(signature = (path, *, srdf = None, floating_base = false, fixed_base = false, joint_friction = true, friction_width = None, gravity = None, strict = false))]
    #[allow(clippy::too_many_arguments, reason = "by name")]
    fn from_file(
        py: Python<'_>,
        path: PathBuf,
        srdf: Option<PathBuf>,
        floating_base: bool,
        fixed_base: bool,
        joint_friction: bool,
        friction_width: Option<f64>,
        gravity: Option<&Bound<'_, PyAny>>,
        strict: bool,
    ) -> PyResult<Self> {
        let gravity = gravity.map(|given| numbers::<3>("gravity", given)).transpose()?;
        let urdf = UrdfOptions::new().floating_base(floating_base).strict(strict);
        let options = FileOptions::from(urdf).fixed_base(fixed_base).friction_width(friction_width);
        let read = crate::guard::detached(py, || {
            let robot = Robot::read(&path, options, None, true)?;
            match &srdf {
                Some(srdf) => robot.with_srdf(srdf),
                None => Ok(robot),
            }
        })?;
        Self::warned(py, read.map_err(|error| error::file(py, &error))?, joint_friction, gravity)
    }

    /// The text of a URDF file of the robot; what URDF cannot say is an error that names it.
    fn to_urdf(&self, py: Python<'_>) -> PyResult<String> {
        self.model.to_urdf().map_err(|error| error::robot(py, &error.to_string(), OfRobot::default()))
    }

    /// The text of an MJCF file of the robot; what MJCF cannot say is an error that names it.
    fn to_mjcf(&self, py: Python<'_>) -> PyResult<String> {
        self.model.to_mjcf().map_err(|error| error::robot(py, &error.to_string(), OfRobot::default()))
    }

    /// Reads a robot from a document that `to_json` has written.
    #[staticmethod]
    fn from_json(py: Python<'_>, text: &str) -> PyResult<Self> {
        let model = serde_json::from_str(text)
            .map_err(|error| error::robot(py, &format!("not a model as JSON: {error}"), OfRobot::default()))?;
        Ok(Self::new(model))
    }

    /// The robot as a JSON document, which `from_json` reads: the same bits.
    pub(crate) fn to_json(&self, py: Python<'_>) -> PyResult<String> {
        serde_json::to_string(&self.model)
            .map_err(|error| error::robot(py, &format!("cannot be written as JSON: {error}"), OfRobot::default()))
    }

    fn __reduce__<'py>(slf: &Bound<'py, Self>) -> PyResult<(Bound<'py, PyAny>, (String,))> {
        Ok((slf.get_type().getattr("from_json")?, (slf.get().to_json(slf.py())?,)))
    }
    fn __copy__(slf: Bound<'_, Self>) -> Bound<'_, Self> {
        slf
    }
    fn __deepcopy__<'py>(slf: Bound<'py, Self>, _memo: &Bound<'py, PyAny>) -> Bound<'py, Self> {
        slf
    }
}

impl PyModel {
    /// The robot of a file, whose warnings are Python's.
    fn warned(py: Python<'_>, robot: Robot, joint_friction: bool, gravity: Option<[f64; 3]>) -> PyResult<Self> {
        let report = &robot.report;
        let count = report.warning_count();
        let file = if robot.path.as_os_str().is_empty() {
            robot.model.name().to_owned()
        } else {
            robot.path.display().to_string()
        };
        let mut lines: Vec<_> = report.warnings().take(RAISED).map(|note| format!("{file}: {note}")).collect();
        if count > RAISED {
            lines.push(format!("{file}: ... and {} warnings more: see Model.report", count - RAISED));
        }
        for line in lines {
            let line = CString::new(line.replace('\0', "?")).unwrap_or_default();
            PyErr::warn(py, RobotWarning::type_object(py).as_any(), &line, 1)?;
        }
        let mut model = robot.model.clone().with_joint_friction(joint_friction);
        if let Some(gravity) = gravity {
            model = model.with_gravity(gravity.into());
        }
        Ok(Self { origin: Some(Arc::new(robot)), ..Self::new(model) })
    }
}
