//! The robot.

use crate::arrays::{Lead, Reader, Target};
use crate::constraint::PyConstraint;
use crate::error::{self, OfRobot, RobotWarning, Said, wrong};
use crate::options::{self, numbers, word};
use crate::report::PyReport;
use crate::table::Order;
use gradyn::joint::JointKind;
use gradyn::model::urdf::{ContinuousForm, Description, JointOrder, LoadReport, Loaded, MimicForm, UrdfOptions};
use gradyn::nalgebra::Matrix4;
use gradyn::partials::TensorPattern;
use gradyn::rand::SeedableRng;
use gradyn::{BodyId, Constraint, Inertia, Model, SparsityPattern, Transform};
use gradyn_files::robot::Robot;
use gradyn_sensitivity::Parameters;
use pyo3::PyTypeInfo;
use pyo3::exceptions::PyMemoryError;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyBytes, PyDict, PySlice};
use std::collections::BTreeMap;
use std::ffi::CString;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

static NEXT: AtomicU64 = AtomicU64::new(1);

/// So many warnings of a file are raised one by one.
const RAISED: usize = 5;

/// A robot: names, tree, masses, limits. It never changes; `with_…` give changed ones. Functions of it are its methods.
#[pyclass(frozen, weakref, name = "Model", module = "gradyn")]
pub(crate) struct PyModel {
    model: Model,
    /// Which memory is its own.
    id: u64,
    /// As it was read, if it comes from a file.
    origin: Option<Arc<Robot>>,
    sizes: [String; 2],
    /// Derivatives by no wrenches.
    nothing: PyOnceLock<Py<PyAny>>,
}

impl PyModel {
    pub(crate) fn new(model: Model) -> Self {
        let name = model.name();
        let sizes = [format!("nq of {name}"), format!("nv of {name}")];
        Self { id: NEXT.fetch_add(1, Ordering::Relaxed), origin: None, sizes, nothing: PyOnceLock::new(), model }
    }
    #[inline]
    pub(crate) fn model(&self) -> &Model {
        &self.model
    }
    #[inline]
    pub(crate) fn id(&self) -> u64 {
        self.id
    }
    pub(crate) fn size_texts(&self) -> [&str; 2] {
        [&self.sizes[0], &self.sizes[1]]
    }
    /// An array of no entries, of shape (0, nv, 6).
    pub(crate) fn nothing<'py>(
        &self,
        reader: &Reader<'py>,
        core: &[usize],
        order: Order,
    ) -> PyResult<(Target, Bound<'py, PyAny>)> {
        let py = reader.py();
        let make = || Ok::<_, PyErr>(reader.make(&Lead::default(), core, order)?.1.unbind());
        let array = self.nothing.get_or_try_init(py, make)?.bind(py).clone();
        Ok((Target::empty(core, order), array))
    }
    /// A changed one, from the same file.
    fn changed(&self, model: Model) -> Self {
        Self { origin: self.origin.clone(), ..Self::new(model) }
    }
}

/// A pose from a 4 × 4 array, or three numbers of a translation.
pub(crate) fn pose(py: Python<'_>, what: &str, given: &Bound<'_, PyAny>) -> PyResult<Transform<f64>> {
    let given = py.import("numpy")?.call_method1("asarray", (given, "float64"))?;
    let shape: Vec<usize> = given.getattr("shape")?.extract()?;
    match shape[..] {
        [3] => Ok(Transform::from_translation(numbers::<3>(what, &given)?.into())),
        [4, 4] => {
            let flat = given.call_method0("ravel")?;
            let matrix = Matrix4::from_row_slice(&numbers::<16>(what, &flat)?);
            Transform::from_matrix4(&matrix).map_err(|error| {
                wrong(py, &format!("`{what}`: {error}"), Said { argument: Some(what.into()), ..Said::default() })
            })
        }
        _ => {
            let message = format!("`{what}` has shape {shape:?}, expected 3 numbers or a 4 x 4 pose");
            Err(wrong(py, &message, Said { argument: Some(what.into()), ..Said::default() }))
        }
    }
}

/// One number for each of a joint's, or one for all.
fn list(given: &Bound<'_, PyAny>, n: usize) -> PyResult<Vec<f64>> {
    if let Ok(one) = given.extract::<f64>() {
        return Ok(vec![one; n]);
    }
    given.extract()
}

fn unknown_parameter(py: Python<'_>, error: &impl ToString) -> PyErr {
    wrong(py, &error.to_string(), Said { argument: Some("parameters".into()), ..Said::default() })
}

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
                let loaded = crate::guard::detached(py, || Model::from_urdf_text(&text, &urdf))?;
                let Loaded { model, report, description, .. } =
                    loaded.map_err(|error| error::urdf(py, &error, None))?;
                Robot { path: PathBuf::new(), model, report, description, source: (text, urdf) }
            }
            None => {
                let path: PathBuf = path_or_text.extract()?;
                let read = crate::guard::detached(py, || Robot::read(&path, urdf, None, true))?;
                read.map_err(|error| error::file(py, &error))?
            }
        };
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
    fn __eq__(&self, other: &Bound<'_, PyAny>) -> bool {
        other.cast::<Self>().is_ok_and(|other| other.get().model == self.model)
    }
    fn __hash__(&self) -> u64 {
        use std::hash::{DefaultHasher, Hash, Hasher};
        let mut hasher = DefaultHasher::new();
        (self.model.name(), self.model.nq(), self.model.nv(), self.model.frames().len()).hash(&mut hasher);
        hasher.finish()
    }
    fn __repr__(&self) -> String {
        let Self { model, .. } = self;
        let bodies = model.bodies().len();
        format!("<gradyn.Model '{}': nq {}, nv {}, {bodies} bodies>", model.name(), model.nq(), model.nv())
    }
    fn __str__(&self) -> String {
        format!("{}\n{}", self.model.summary(), self.model.tree())
    }
    fn _repr_html_(&self) -> String {
        let escaped = |text: &str| text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;");
        let mut rows = String::new();
        for body in self.model.bodies() {
            let parent = body.parent().map_or("world", |parent| self.model.bodies()[parent.index()].name());
            let joint = &format!("{:?}", body.joint());
            let kind = joint.split(['(', ' ', '{']).next().unwrap_or("");
            let cells = [body.joint_name(), kind, parent, body.name()].map(escaped);
            let (q, v) = (body.q_range(), body.v_range());
            rows += &format!(
                "<tr><td>{}</td><td>{}</td><td>{}</td><td>{}</td><td>{}:{}</td><td>{}:{}</td><td>{:.4}</td></tr>",
                cells[0],
                cells[1],
                cells[2],
                cells[3],
                q.start,
                q.end,
                v.start,
                v.end,
                body.inertia().mass
            );
        }
        format!(
            "<p><b>{}</b>: {}</p><table><thead><tr><th>joint</th><th>kind</th><th>parent</th><th>body</th><th>q</th><th>v</th><th>mass, kg</th></tr></thead><tbody>{rows}</tbody></table>",
            escaped(self.model.name()),
            escaped(&self.model.summary()),
        )
    }

    /// The robot's name.
    #[getter]
    fn name(&self) -> &str {
        self.model.name()
    }
    /// Numbers of a configuration.
    #[getter]
    fn nq(&self) -> usize {
        self.model.nq()
    }
    /// Degrees of freedom.
    #[getter]
    fn nv(&self) -> usize {
        self.model.nv()
    }
    /// Gravity in the world, m/s^2.
    #[getter]
    fn gravity(&self) -> [f64; 3] {
        self.model.gravity().into()
    }
    /// What the file has that is not used, or is dubious; None for a robot that does not come from a file.
    #[getter]
    fn report(&self) -> Option<PyReport> {
        self.origin.as_ref().map(|of| PyReport(of.report.clone()))
    }
    /// The file that the robot comes from, if it does.
    #[getter]
    fn path(&self) -> Option<&Path> {
        self.origin.as_ref().map(|of| &*of.path).filter(|path| !path.as_os_str().is_empty())
    }
    /// Names of the bodies, in the order of the tree.
    #[getter]
    fn body_names(&self) -> Vec<&str> {
        self.model.bodies().iter().map(gradyn::model::Body::name).collect()
    }
    /// Names of the joints, one a body.
    #[getter]
    fn joint_names(&self) -> Vec<&str> {
        self.model.bodies().iter().map(gradyn::model::Body::joint_name).collect()
    }
    /// Names of the frames: links and joints of the file.
    #[getter]
    fn frame_names(&self) -> Vec<&str> {
        self.model.frames().iter().map(gradyn::model::Frame::name).collect()
    }
    /// Names of the degrees of freedom, nv.
    #[getter]
    fn dof_names(&self) -> Vec<String> {
        self.model.dof_names()
    }
    /// For each joint, the places of its numbers in q, as a slice.
    #[getter]
    fn q_slices<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        self.slices(py, gradyn::model::Body::q_range)
    }
    /// For each joint, the places of its numbers in v, as a slice.
    #[getter]
    fn v_slices<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        self.slices(py, gradyn::model::Body::v_range)
    }
    /// Least q, nq.
    #[getter]
    fn q_lower<'py>(&self, py: Python<'py>) -> Bound<'py, PyAny> {
        numpy::PyArray1::from_slice(py, &self.model.limits().q_lower).into_any()
    }
    /// Greatest q, nq.
    #[getter]
    fn q_upper<'py>(&self, py: Python<'py>) -> Bound<'py, PyAny> {
        numpy::PyArray1::from_slice(py, &self.model.limits().q_upper).into_any()
    }
    /// Greatest speed, nv, rad/s or m/s.
    #[getter]
    fn velocity_limit<'py>(&self, py: Python<'py>) -> Bound<'py, PyAny> {
        numpy::PyArray1::from_slice(py, &self.model.limits().velocity).into_any()
    }
    /// Greatest torque or force, nv.
    #[getter]
    fn effort_limit<'py>(&self, py: Python<'py>) -> Bound<'py, PyAny> {
        numpy::PyArray1::from_slice(py, &self.model.limits().effort).into_any()
    }
    /// The robot's mass, kg.
    #[getter]
    fn mass(&self) -> f64 {
        self.model.bodies().iter().map(|body| body.inertia().mass).sum()
    }
    /// Whether damping and friction of joints count.
    #[getter]
    fn has_joint_friction(&self) -> bool {
        self.model.has_joint_friction()
    }
    /// All parameters of the robot by name, with their values: as `gradyn parameters` lists them.
    #[getter]
    fn parameters<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let dict = PyDict::new(py);
        for (name, _, value) in self.model.parameters() {
            dict.set_item(name, value)?;
        }
        Ok(dict)
    }
    /// Inertial parameters of all bodies, ten each: m, m c, inertia about the body's origin (xx, xy, yy, xz, yz, zz).
    #[getter]
    fn inertial_parameters<'py>(&self, py: Python<'py>) -> Bound<'py, PyAny> {
        numpy::PyArray1::from_vec(py, self.model.inertial_parameters()).into_any()
    }
    /// Parameters that torques are linear in: inertial ones of all bodies, then friction, damping and armature.
    #[getter]
    fn standard_parameters<'py>(&self, py: Python<'py>) -> Bound<'py, PyAny> {
        numpy::PyArray1::from_vec(py, self.model.standard_parameters()).into_any()
    }
    /// Names of the standard parameters.
    #[getter]
    fn standard_parameter_names(&self) -> Vec<String> {
        self.model.standard_parameter_names()
    }

    /// The neutral configuration, nq: zeros, and the rotations that do nothing.
    fn neutral<'py>(&self, py: Python<'py>) -> Bound<'py, PyAny> {
        numpy::PyArray1::from_vec(py, self.model.neutral::<f64>()).into_any()
    }

    /// Random configurations within the limits, of shape (nq,), or (count, nq). The same seed gives the same.
    #[pyo3(signature = (count = None, *, seed = None))]
    fn random<'py>(&self, py: Python<'py>, count: Option<usize>, seed: Option<u64>) -> PyResult<Bound<'py, PyAny>> {
        let seed = match seed {
            Some(seed) => seed,
            None => py.import("secrets")?.call_method1("randbits", (64,))?.extract()?,
        };
        let mut rng = rand::rngs::ChaCha8Rng::seed_from_u64(seed);
        let nq = self.model.nq();
        let room = || PyMemoryError::new_err(format!("{} configurations do not fit into memory", count.unwrap_or(1)));
        let numbers = count.unwrap_or(1).checked_mul(nq).ok_or_else(room)?;
        let mut flat = Vec::new();
        flat.try_reserve_exact(numbers).map_err(|_| room())?;
        while flat.len() < numbers {
            flat.extend(self.model.random(&mut rng));
            if flat.len() % (4096 * nq) == 0 {
                py.check_signals()?;
            }
        }
        let array = numpy::PyArray1::from_vec(py, flat).into_any();
        match count {
            None => Ok(array),
            Some(count) => array.call_method1("reshape", (count, self.model.nq())),
        }
    }

    /// The configuration with its quaternions and (cos, sin) pairs made of length one; of shape (..., nq).
    fn normalize<'py>(&self, py: Python<'py>, q: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        let array = py.import("numpy")?.call_method1("array", (q, "float64"))?;
        let shape: Vec<usize> = array.getattr("shape")?.extract()?;
        let nq = self.model.nq();
        if shape.last() != Some(&nq) {
            let got = array.getattr("shape")?.str()?;
            let message = format!("`q` has shape {got}, expected (…, {nq}): {}", self.sizes[0]);
            return Err(wrong(py, &message, Said { argument: Some("q".into()), ..Said::default() }));
        }
        let mut flat: Vec<f64> = array.call_method0("ravel")?.call_method0("tolist")?.extract()?;
        for q in flat.chunks_exact_mut(nq.max(1)) {
            self.model.normalize(q).map_err(|error| error::input(py, &error, None))?;
        }
        numpy::PyArray1::from_vec(py, flat).call_method1("reshape", (shape,))
    }

    /// The robot with other gravity, m/s^2.
    fn with_gravity(&self, gravity: &Bound<'_, PyAny>) -> PyResult<Self> {
        Ok(self.changed(self.model.clone().with_gravity(numbers::<3>("gravity", gravity)?.into())))
    }

    /// The robot with damping and friction of its joints, or without.
    fn with_joint_friction(&self, on: bool) -> Self {
        self.changed(self.model.clone().with_joint_friction(on))
    }

    /// The robot with other values of some parameters: a dictionary by the names of `Model.parameters`.
    fn with_parameters(&self, py: Python<'_>, values: BTreeMap<String, f64>) -> PyResult<Self> {
        let mut chosen = Parameters::of(&self.model);
        for name in values.keys() {
            chosen = chosen.select(name).map_err(|error| unknown_parameter(py, &error))?;
        }
        let numbers: Vec<f64> =
            chosen.iter().map(|of| values.get(of.name()).copied().unwrap_or(of.nominal())).collect();
        let model = chosen.robot_at::<f64>(&numbers).map_err(|error| unknown_parameter(py, &error))?;
        Ok(self.changed(model))
    }

    /// The robot with other armature of some joints, kg m^2 or kg: a dictionary from joint to number or numbers.
    fn with_armature(&self, py: Python<'_>, armature: &Bound<'_, PyDict>) -> PyResult<Self> {
        self.of_joints(py, armature, |model, body, x| model.with_armature(body, x))
    }

    /// The robot with other damping of some joints, N m s/rad or N s/m.
    fn with_damping(&self, py: Python<'_>, damping: &Bound<'_, PyDict>) -> PyResult<Self> {
        self.of_joints(py, damping, |model, body, x| model.with_damping(body, x))
    }

    /// The robot with other Coulomb friction of some joints, N m or N.
    fn with_friction(&self, py: Python<'_>, friction: &Bound<'_, PyDict>) -> PyResult<Self> {
        self.of_joints(py, friction, |model, body, x| model.with_friction(body, x))
    }

    /// The robot with another effort limit of some joints, N m or N.
    fn with_effort_limits(&self, py: Python<'_>, limits: &Bound<'_, PyDict>) -> PyResult<Self> {
        self.of_joints(py, limits, |model, body, x| model.with_effort_limits(body, x))
    }

    /// The robot with another speed limit of some joints, rad/s or m/s.
    fn with_velocity_limits(&self, py: Python<'_>, limits: &Bound<'_, PyDict>) -> PyResult<Self> {
        self.of_joints(py, limits, |model, body, x| model.with_velocity_limits(body, x))
    }

    /// The robot with some joints locked: a dictionary from joint to its coordinates, which may be one number.
    fn reduced(&self, py: Python<'_>, locked: &Bound<'_, PyDict>) -> PyResult<Self> {
        let mut joints: Vec<(BodyId, Vec<f64>)> = Vec::new();
        for (joint, q) in locked.iter() {
            let body = options::body(py, &self.model, "locked", &joint.extract::<String>()?)?;
            let n = self.model.bodies()[body.index()].q_range().len();
            joints.push((body, list(&q, n)?));
        }
        let locked: Vec<_> = joints.iter().map(|(body, q)| (*body, &q[..])).collect();
        Ok(self.changed(self.model.reduced(&locked).map_err(|error| error::model(py, &error))?))
    }

    /// The robot with another that hangs from one of its frames; names of the other's get the prefix.
    #[pyo3(signature = (other, frame, *, prefix = ""))]
    fn append(&self, py: Python<'_>, other: &Self, frame: &str, prefix: &str) -> PyResult<Self> {
        let Some(id) = self.model.find_frame(frame) else {
            options::frame(py, &self.model, "frame", frame)?;
            let message = format!("`frame`: '{frame}' is a body without a frame of its name");
            return Err(wrong(py, &message, Said { argument: Some("frame".into()), ..Said::default() }));
        };
        let joined = self.model.append(&other.model, id, prefix).map_err(|error| error::model(py, &error))?;
        Ok(self.changed(joined))
    }

    /// The robot with a mass on a frame: kg, center of mass in the frame, m, and inertia about it, 3 x 3, kg m^2.
    #[pyo3(signature = (frame, mass, *, com = None, inertia = None))]
    fn attach(
        &self,
        py: Python<'_>,
        frame: &str,
        mass: f64,
        com: Option<&Bound<'_, PyAny>>,
        inertia: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Self> {
        let Some(id) = self.model.find_frame(frame) else {
            options::frame(py, &self.model, "frame", frame)?;
            let said = Said { argument: Some("frame".into()), ..Said::default() };
            return Err(wrong(py, &format!("`frame`: '{frame}' is a body, expected a frame"), said));
        };
        let com = com.map_or(Ok([0.0; 3]), |com| numbers::<3>("com", com))?;
        let i = match inertia {
            None => [0.0; 9],
            Some(inertia) => {
                let flat = py.import("numpy")?.call_method1("ravel", (inertia,))?;
                numbers::<9>("inertia", &flat)?
            }
        };
        let rotational = gradyn::spatial::Symmetric3::new(i[0], i[1], i[2], i[4], i[5], i[8]);
        let inertia = Inertia { mass, com: com.into(), rotational };
        let model = self.model.clone().attach(id, inertia);
        Ok(self.changed(model.map_err(|error| error::input(py, &error, None))?))
    }

    /// The robot with one frame more, at a pose (4 x 4, or a translation) in a body's frame, or in the world (None).
    fn with_frame(
        &self,
        py: Python<'_>,
        body: Option<&str>,
        name: &str,
        placement: &Bound<'_, PyAny>,
    ) -> PyResult<Self> {
        let body = body.map(|name| options::body(py, &self.model, "body", name)).transpose()?;
        let placement = pose(py, "placement", placement)?;
        let model = self.model.clone().with_frame(body, name, placement);
        Ok(self.changed(model.map_err(|error| error::model(py, &error))?))
    }

    /// A contact with the world: a frame's origin (`kind="point"`, 3 rows), or the frame (`"frame"`, 6 rows) is held where it
    /// is told. Without `at`, a point is held at the world's origin; forces and derivatives do not depend on it, but through
    /// `kp`, 1/s^2, and errors. `kd` is in 1/s.
    #[pyo3(signature = (frame, *, at = None, kind = "point", kp = 0.0, kd = 0.0))]
    fn contact(
        &self,
        py: Python<'_>,
        frame: &str,
        at: Option<&Bound<'_, PyAny>>,
        kind: &str,
        kp: f64,
        kd: f64,
    ) -> PyResult<PyConstraint> {
        let of = options::frame(py, &self.model, "frame", frame)?;
        let at = at.map_or(Ok(Transform::identity()), |at| pose(py, "at", at))?;
        let refused = |error| error::input(py, &error, None);
        let constraint = if word(py, "kind", kind, &[("point", true), ("frame", false)])? {
            Constraint::frame_contact(&self.model, of, at.translation).map_err(refused)?
        } else {
            let (body, x_bf) = self.place(of);
            Constraint::frame(None, at, body, x_bf)
        };
        Ok(self.constraint(
            constraint.with_gains(finite(py, "kp", kp)?, finite(py, "kd", kd)?),
            format!("{kind} '{frame}' held in the world"),
            frame,
        ))
    }

    /// A loop: the origins of two frames coincide, 3 rows.
    #[pyo3(signature = (a, b, *, kp = 0.0, kd = 0.0))]
    fn connect(&self, py: Python<'_>, a: &str, b: &str, kp: f64, kd: f64) -> PyResult<PyConstraint> {
        let [of_a, of_b] = [("a", a), ("b", b)].map(|(what, name)| options::frame(py, &self.model, what, name));
        let made = Constraint::connect(&self.model, of_a?, of_b?).map_err(|error| error::input(py, &error, None))?;
        Ok(self.constraint(
            made.with_gains(finite(py, "kp", kp)?, finite(py, "kd", kd)?),
            format!("origins of '{a}' and '{b}'"),
            &format!("{a}-{b}"),
        ))
    }

    /// A loop: two frames coincide, 6 rows.
    #[pyo3(signature = (a, b, *, kp = 0.0, kd = 0.0))]
    fn weld(&self, py: Python<'_>, a: &str, b: &str, kp: f64, kd: f64) -> PyResult<PyConstraint> {
        let [of_a, of_b] = [("a", a), ("b", b)].map(|(what, name)| options::frame(py, &self.model, what, name));
        let made = Constraint::weld(&self.model, of_a?, of_b?).map_err(|error| error::input(py, &error, None))?;
        Ok(self.constraint(
            made.with_gains(finite(py, "kp", kp)?, finite(py, "kd", kd)?),
            format!("'{a}' welded to '{b}'"),
            &format!("{a}-{b}"),
        ))
    }

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
        ];
        for (name, range) in blocks {
            dict.set_item(name, PySlice::new(py, range.start as isize, range.end as isize, 1))?;
        }
        Ok(dict)
    }

    fn __sizeof__(&self) -> usize {
        size_of::<Self>() + self.model.bodies().len() * 1024
    }

    /// As bytes, for processes that are given the robot.
    fn _bytes<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        Ok(PyBytes::new(py, self.to_json(py)?.as_bytes()))
    }
}

fn finite(py: Python<'_>, what: &str, x: f64) -> PyResult<f64> {
    if x.is_finite() {
        return Ok(x);
    }
    let said = Said { argument: Some(what.to_owned()), value: Some(x), ..Said::default() };
    Err(wrong(py, &format!("`{what}` is {x}, which is not finite"), said))
}

/// What a robot that comes from no file has for one.
fn empty() -> Description {
    let text = "<robot name=\"robot\"><link name=\"robot\"/></robot>";
    match gradyn::model::urdf::parse(text, &UrdfOptions::new()) {
        Ok((description, _)) => description,
        Err(error) => unreachable!("{error}"),
    }
}

impl PyModel {
    /// A slice for each joint, in the order of the tree.
    fn slices<'py>(
        &self,
        py: Python<'py>,
        of: fn(&gradyn::model::Body) -> std::ops::Range<usize>,
    ) -> PyResult<Bound<'py, PyDict>> {
        let dict = PyDict::new(py);
        for body in self.model.bodies() {
            let range = of(body);
            dict.set_item(body.joint_name(), PySlice::new(py, range.start as isize, range.end as isize, 1))?;
        }
        Ok(dict)
    }

    fn of_joints(
        &self,
        py: Python<'_>,
        given: &Bound<'_, PyDict>,
        change: impl Fn(Model, BodyId, &[f64]) -> Result<Model, gradyn::InputError>,
    ) -> PyResult<Self> {
        let mut model = self.model.clone();
        for (joint, values) in given.iter() {
            let body = options::body(py, &model, "joint", &joint.extract::<String>()?)?;
            let n = model.bodies()[body.index()].joint().nv();
            model = change(model, body, &list(&values, n)?).map_err(|error| error::input(py, &error, None))?;
        }
        Ok(self.changed(model))
    }

    /// With the file that it comes from, as far as it does.
    pub(crate) fn robot(&self) -> Robot {
        let model = self.model.clone();
        match &self.origin {
            Some(robot) => Robot { model, ..(**robot).clone() },
            None => {
                let source = (String::new(), UrdfOptions::new());
                let path = PathBuf::from(model.name());
                Robot { path, model, report: LoadReport::default(), description: empty(), source }
            }
        }
    }

    /// Parameters of which some can be chosen.
    pub(crate) fn all_parameters(&self) -> Parameters {
        self.robot().parameters()
    }

    /// The body of a frame and the frame's pose there.
    pub(crate) fn place(&self, of: gradyn::dynamics::FrameRef) -> (Option<BodyId>, Transform<f64>) {
        match of {
            gradyn::dynamics::FrameRef::Body(body) => (Some(body), Transform::identity()),
            gradyn::dynamics::FrameRef::Frame(id) => {
                let frame = &self.model.frames()[id.index()];
                (frame.body(), *frame.placement())
            }
        }
    }

    fn constraint(&self, constraint: Constraint, text: String, name: &str) -> PyConstraint {
        PyConstraint::new(constraint, self.model.nv(), text, name)
    }
}
