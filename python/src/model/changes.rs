//! Robots from robots, and what holds them.

use super::PyModel;
use crate::constraint::PyConstraint;
use crate::error::{self, Said, wrong};
use crate::options::{self, numbers, word};
use gradyn::joint::JointKind;
use gradyn::nalgebra::Matrix4;
use gradyn::{BodyId, Constraint, Inertia, Model, Transform};
use gradyn_sensitivity::Parameters;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyTuple};
use std::collections::BTreeMap;

#[pymethods]
impl PyModel {
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

    /// The robot with other stiffness of the springs of some joints, N m/rad or N/m.
    fn with_stiffness(&self, py: Python<'_>, stiffness: &Bound<'_, PyDict>) -> PyResult<Self> {
        self.of_joints(py, stiffness, |model, body, x| model.with_stiffness(body, x))
    }

    /// The robot with other coordinates at which the springs of some joints rest, rad or m.
    fn with_spring_reference(&self, py: Python<'_>, reference: &Bound<'_, PyDict>) -> PyResult<Self> {
        self.of_joints(py, reference, |model, body, x| model.with_spring_reference(body, x))
    }

    /// The robot with other Stribeck friction of some joints, what Coulomb friction has more at rest, N m or N.
    fn with_stribeck(&self, py: Python<'_>, stribeck: &Bound<'_, PyDict>) -> PyResult<Self> {
        self.of_joints(py, stribeck, |model, body, x| model.with_stribeck(body, x))
    }

    /// The robot with another speed over which the Stribeck friction of some joints decays, rad/s or m/s.
    fn with_stribeck_velocity(&self, py: Python<'_>, velocity: &Bound<'_, PyDict>) -> PyResult<Self> {
        self.of_joints(py, velocity, |model, body, x| model.with_stribeck_velocity(body, x))
    }

    /// The robot with another asymmetry of the friction of some joints, half of what friction forward is above friction backward, N m or N.
    fn with_friction_asymmetry(&self, py: Python<'_>, asymmetry: &Bound<'_, PyDict>) -> PyResult<Self> {
        self.of_joints(py, asymmetry, |model, body, x| model.with_friction_asymmetry(body, x))
    }

    /// The robot, floating, described from another of its bodies.
    fn rerooted_at(&self, py: Python<'_>, body: &str) -> PyResult<Self> {
        let body = options::body(py, &self.model, "body", body)?;
        Ok(self.changed(self.model.rerooted_at(body).map_err(|error| error::model(py, &error))?))
    }

    /// The robot without a body and all that it carries.
    fn remove_subtree(&self, py: Python<'_>, body: &str) -> PyResult<Self> {
        let body = options::body(py, &self.model, "body", body)?;
        Ok(self.changed(self.model.remove_subtree(body).map_err(|error| error::model(py, &error))?))
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
    fn contact<'py>(
        slf: &Bound<'py, Self>,
        py: Python<'py>,
        frame: &str,
        at: Option<&Bound<'py, PyAny>>,
        kind: &str,
        kp: f64,
        kd: f64,
    ) -> PyResult<PyConstraint> {
        let this = slf.get();
        let of = options::frame(py, &this.model, "frame", frame)?;
        let choices = PyDict::new(py);
        choices.set_item("kind", kind)?;
        if let Some(at) = at {
            // A copy: the caller may change the array later.
            choices.set_item("at", py.import("numpy")?.call_method1("array", (at, "float64"))?)?;
        }
        let at = at.map_or(Ok(Transform::identity()), |at| pose(py, "at", at))?;
        let refused = |error| error::input(py, &error, None);
        let constraint = if word(py, "kind", kind, &[("point", true), ("frame", false)])? {
            Constraint::frame_contact(&this.model, of, at.translation).map_err(refused)?
        } else {
            let (body, x_bf) = this.place(of);
            Constraint::frame(None, at, body, x_bf)
        };
        let text = format!("{kind} '{frame}' held in the world");
        Self::held(slf, constraint, (kp, kd), (text, frame), "contact", &[frame], &choices)
    }

    /// A loop: the origins of two frames coincide, 3 rows.
    #[pyo3(signature = (a, b, *, kp = 0.0, kd = 0.0))]
    fn connect(slf: &Bound<'_, Self>, py: Python<'_>, a: &str, b: &str, kp: f64, kd: f64) -> PyResult<PyConstraint> {
        let model = &slf.get().model;
        let [of_a, of_b] = [("a", a), ("b", b)].map(|(what, name)| options::frame(py, model, what, name));
        let made = Constraint::connect(model, of_a?, of_b?).map_err(|error| error::input(py, &error, None))?;
        let (text, name) = (format!("origins of '{a}' and '{b}'"), format!("{a}-{b}"));
        Self::held(slf, made, (kp, kd), (text, &name), "connect", &[a, b], &PyDict::new(py))
    }

    /// A loop: two frames coincide, 6 rows.
    #[pyo3(signature = (a, b, *, kp = 0.0, kd = 0.0))]
    fn weld(slf: &Bound<'_, Self>, py: Python<'_>, a: &str, b: &str, kp: f64, kd: f64) -> PyResult<PyConstraint> {
        let model = &slf.get().model;
        let [of_a, of_b] = [("a", a), ("b", b)].map(|(what, name)| options::frame(py, model, what, name));
        let made = Constraint::weld(model, of_a?, of_b?).map_err(|error| error::input(py, &error, None))?;
        let (text, name) = (format!("'{a}' welded to '{b}'"), format!("{a}-{b}"));
        Self::held(slf, made, (kp, kd), (text, &name), "weld", &[a, b], &PyDict::new(py))
    }
}

impl PyModel {
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

    /// What `method` makes of these names and choices, with its gains.
    fn held(
        slf: &Bound<'_, Self>,
        constraint: Constraint,
        (kp, kd): (f64, f64),
        (text, name): (String, &str),
        method: &str,
        names: &[&str],
        choices: &Bound<'_, PyDict>,
    ) -> PyResult<PyConstraint> {
        let py = slf.py();
        choices.set_item("kp", kp)?;
        choices.set_item("kd", kd)?;
        let constraint = constraint.with_gains(finite(py, "kp", kp)?, finite(py, "kd", kd)?);
        PyConstraint::new(slf, constraint, text, name, method, &PyTuple::new(py, names)?, choices)
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
pub(super) fn list(given: &Bound<'_, PyAny>, n: usize) -> PyResult<Vec<f64>> {
    if let Ok(one) = given.extract::<f64>() {
        return Ok(vec![one; n]);
    }
    given.extract()
}

fn unknown_parameter(py: Python<'_>, error: &impl ToString) -> PyErr {
    wrong(py, &error.to_string(), Said { argument: Some("parameters".into()), ..Said::default() })
}

fn finite(py: Python<'_>, what: &str, x: f64) -> PyResult<f64> {
    if x.is_finite() {
        return Ok(x);
    }
    let said = Said { argument: Some(what.to_owned()), value: Some(x), ..Said::default() };
    Err(wrong(py, &format!("`{what}` is {x}, which is not finite"), said))
}
