//! The robot.

mod actuators;
mod changes;
mod patterns;
mod read;

use crate::arrays::{Lead, Reader, Target};
use crate::error::{self, Said, wrong};
use crate::report::PyReport;
use crate::table::Order;
use gradyn::model::urdf::{Description, LoadReport, UrdfOptions};
use gradyn::rand::SeedableRng;
use gradyn::{BodyId, Model, Transform};
use gradyn_files::robot::{Origin, Robot};
use gradyn_sensitivity::Parameters;
use pyo3::exceptions::PyMemoryError;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyDict, PySlice};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

static NEXT: AtomicU64 = AtomicU64::new(1);

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

#[pymethods]
impl PyModel {
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
    /// Named configurations of the files: keyframes of MJCF, `file` of SDF (links where it places them), states of SRDF.
    #[getter]
    fn configurations<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let dict = PyDict::new(py);
        for of in self.origin.iter().flat_map(|robot| &robot.configurations) {
            dict.set_item(&of.name, numpy::PyArray1::from_slice(py, &of.q))?;
        }
        Ok(dict)
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

    /// With the file that it comes from, as far as it does.
    pub(crate) fn robot(&self) -> Robot {
        let model = self.model.clone();
        match &self.origin {
            Some(robot) => Robot { model, ..(**robot).clone() },
            None => {
                let path = PathBuf::from(model.name());
                let (description, text, options) = (empty(), String::new(), UrdfOptions::new());
                let origin = Origin::Urdf { description, text, options };
                let (report, configurations, groups) = (LoadReport::default(), Vec::new(), Vec::new());
                Robot { path, model, report, origin, configurations, groups }
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
}
