//! What a call takes besides states: a method, frames, constraints, wrenches by their names.

use crate::arrays::{Reader, States};
use crate::constraint::PyConstraint;
use crate::error::{Said, wrong};
use gradyn::dynamics::FrameRef;
use gradyn::nalgebra::Vector3;
use gradyn::{BodyId, Constraint, ExternalWrench, Force, Method, Model, ReferenceFrame, Transform, WrenchFrame};
use gradyn_files::nearest::nearest;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyTuple};

/// As Python gives it.
#[derive(Default)]
pub(crate) struct Asked<'a, 'py> {
    pub(crate) wrenches: Option<&'a Bound<'py, PyAny>>,
    pub(crate) constraints: Option<&'a Bound<'py, PyAny>>,
    pub(crate) frames: Option<&'a Bound<'py, PyAny>>,
    pub(crate) point: Option<&'a Bound<'py, PyAny>>,
    pub(crate) force: Option<&'a Bound<'py, PyAny>>,
    pub(crate) method: Option<&'a str>,
    pub(crate) frame: Option<&'a str>,
    pub(crate) seen_from: Option<&'a str>,
    pub(crate) reference: Option<&'a str>,
    pub(crate) body: Option<&'a str>,
    pub(crate) subtree: Option<&'a str>,
    pub(crate) restitution: Option<f64>,
}

/// As the engine takes it.
#[derive(Clone)]
pub(crate) struct Resolved {
    pub(crate) method: Method,
    pub(crate) reference: ReferenceFrame,
    /// What `frame`, `seen_from` or `frames` name.
    pub(crate) frames: Vec<FrameRef>,
    pub(crate) seen_from: Option<FrameRef>,
    pub(crate) body: Option<BodyId>,
    pub(crate) subtree: Option<BodyId>,
    pub(crate) point: Vector3<f64>,
    pub(crate) force: Force<f64>,
    pub(crate) restitution: f64,
    pub(crate) constraints: Vec<Constraint>,
    /// Of one state; the numbers of each state are put in by the driver.
    pub(crate) wrenches: Vec<ExternalWrench>,
    /// More than one thread where there are many states.
    pub(crate) threads: usize,
}

impl Resolved {
    pub(crate) fn with_wrenches(&self, wrenches: Vec<ExternalWrench>) -> Self {
        Self { wrenches, ..self.clone() }
    }
    pub(crate) fn frame(&self) -> FrameRef {
        self.frames.first().copied().unwrap_or_else(|| unreachable!("asked for by the table"))
    }
    pub(crate) fn body(&self) -> BodyId {
        self.body.unwrap_or_else(|| unreachable!("asked for by the table"))
    }
    pub(crate) fn seen_from(&self) -> FrameRef {
        self.seen_from.unwrap_or_else(|| self.frame())
    }
}

/// The words of a choice, of which one must be given.
pub(crate) fn word<T: Copy>(py: Python<'_>, what: &str, given: &str, words: &[(&str, T)]) -> PyResult<T> {
    if let Some((_, found)) = words.iter().find(|(word, _)| *word == given) {
        return Ok(*found);
    }
    let expected = words.iter().map(|(word, _)| format!("'{word}'")).collect::<Vec<_>>().join(", ");
    let said = Said {
        argument: Some(what.to_owned()),
        expected: Some(expected.clone()),
        got: Some(given.to_owned()),
        ..Said::default()
    };
    Err(wrong(py, &format!("`{what}` is '{given}', expected one of {expected}"), said))
}

/// A name that the model does not have.
fn unknown(py: Python<'_>, model: &Model, what: &str, kind: &str, name: &str, known: &[&str]) -> PyErr {
    let hint = nearest(name, known.iter().copied()).unwrap_or_default();
    let robot = model.name();
    let said = Said { argument: Some(what.to_owned()), got: Some(name.to_owned()), ..Said::default() };
    wrong(py, &format!("`{what}`: {robot} has no {kind} '{name}'{hint}"), said)
}

/// A frame or a body by its name.
pub(crate) fn frame(py: Python<'_>, model: &Model, what: &str, name: &str) -> PyResult<FrameRef> {
    if let Some(frame) = model.find_frame(name) {
        return Ok(frame.into());
    }
    if let Some(body) = model.find_body(name) {
        return Ok(body.into());
    }
    let known: Vec<_> = model.frames().iter().map(gradyn::model::Frame::name).collect();
    Err(unknown(py, model, what, "frame", name, &known))
}

/// A body by its name: the link that moves with it, or its joint.
pub(crate) fn body(py: Python<'_>, model: &Model, what: &str, name: &str) -> PyResult<BodyId> {
    let found = model.find_body(name).or_else(|| {
        let index = model.bodies().iter().position(|body| body.joint_name() == name)?;
        model.body_id(index)
    });
    found.ok_or_else(|| {
        let known: Vec<_> = model.bodies().iter().flat_map(|body| [body.name(), body.joint_name()]).collect();
        unknown(py, model, what, "body or joint", name, &known)
    })
}

/// Names of the methods.
pub(crate) fn methods() -> [(&'static str, Method); 3] {
    Method::ALL.map(|method| (method.name(), method))
}

/// Names of the references: as the command has them.
pub(crate) fn references() -> [(&'static str, ReferenceFrame); 3] {
    ReferenceFrame::ALL.map(|reference| (reference.name(), reference))
}

/// Numbers, so many.
pub(crate) fn numbers<const N: usize>(what: &str, given: &Bound<'_, PyAny>) -> PyResult<[f64; N]> {
    let py = given.py();
    let array = Reader::of(py).read(what, given, N, &format!("{N} numbers"))?;
    if !array.lead().is_empty() {
        return Err(wrong(
            py,
            &format!("`{what}` has one dimension too many, expected {N} numbers"),
            Said { argument: Some(what.to_owned()), ..Said::default() },
        ));
    }
    let mut numbers = [0.0; N];
    array.copy(0, &mut numbers);
    match numbers.iter().position(|x| !x.is_finite()) {
        None => Ok(numbers),
        Some(index) => {
            let value = numbers[index];
            let said =
                Said { argument: Some(what.to_owned()), index: Some(index), value: Some(value), ..Said::default() };
            Err(wrong(py, &format!("`{what}[{index}]` is {value}, which is not finite"), said))
        }
    }
}

/// The body that a wrench on a frame acts on, and where, in it or in the world.
pub(crate) fn acted_on(
    py: Python<'_>,
    model: &Model,
    name: &str,
    axes: WrenchFrame,
) -> PyResult<(BodyId, Transform<f64>)> {
    let (body, placement) = match frame(py, model, "wrenches", name)? {
        FrameRef::Body(body) => (Some(body), Transform::identity()),
        FrameRef::Frame(id) => {
            let frame = &model.frames()[id.index()];
            (frame.body(), *frame.placement())
        }
    };
    let Some(body) = body else {
        let message = format!("`wrenches`: '{name}' is fixed to the world: a wrench on it moves nothing");
        return Err(wrong(py, &message, Said { argument: Some("wrenches".into()), ..Said::default() }));
    };
    // In the world, a wrench is about the world's origin, whatever stands where.
    Ok((body, if axes == WrenchFrame::World { Transform::identity() } else { placement }))
}

/// Wrenches of all states.
pub(crate) struct Wrenches<'py> {
    pub(crate) of: Vec<(BodyId, WrenchFrame, Transform<f64>, States<'py>)>,
}

impl<'py> Wrenches<'py> {
    /// A dictionary from names of links, or pairs of a name and `"world"`, to arrays of six numbers.
    fn read(py: Python<'py>, model: &Model, given: &Bound<'py, PyAny>) -> PyResult<Self> {
        let wrong_type = || {
            let got = given.get_type().name().map(|name| name.to_string()).unwrap_or_default();
            let message = format!(
                "`wrenches` is of type {got}, expected a dictionary from a link's name, or (name, \"world\"), to six numbers"
            );
            wrong(py, &message, Said { argument: Some("wrenches".into()), got: Some(got), ..Said::default() })
        };
        let given = given.cast::<PyDict>().map_err(|_| wrong_type())?;
        let mut of = Vec::with_capacity(given.len());
        for (key, value) in given.iter() {
            let (name, axes): (String, WrenchFrame) = if let Ok(name) = key.extract::<String>() {
                (name, WrenchFrame::Body)
            } else {
                let pair = key.cast::<PyTuple>().map_err(|_| wrong_type())?;
                let (name, axes): (String, String) = pair.extract().map_err(|_| wrong_type())?;
                let words = [("body", WrenchFrame::Body), ("world", WrenchFrame::World)];
                (name, word(py, "wrenches", &axes, &words)?)
            };
            let (body, placement) = acted_on(py, model, &name, axes)?;
            let what = format!("wrenches['{name}']");
            of.push((body, axes, placement, Reader::of(py).read(&what, &value, 6, "force, then moment")?));
        }
        Ok(Self { of })
    }
}

impl<'a, 'py> Asked<'a, 'py> {
    pub(crate) fn wrenches(&self, py: Python<'py>, model: &Model) -> PyResult<Wrenches<'py>> {
        match self.wrenches {
            None => Ok(Wrenches { of: Vec::new() }),
            Some(given) => Wrenches::read(py, model, given),
        }
    }

    pub(crate) fn resolve(&self, py: Python<'py>, model: &Model) -> PyResult<Resolved> {
        let mut frames = Vec::new();
        if let Some(name) = self.frame {
            frames.push(frame(py, model, "frame", name)?);
        }
        if let Some(names) = self.frames {
            let expected = "a list of names of frames";
            let refused = |_| {
                let said = Said { argument: Some("frames".into()), expected: Some(expected.into()), ..Said::default() };
                wrong(py, &format!("`frames` is not {expected}"), said)
            };
            for name in names.extract::<Vec<String>>().map_err(refused)? {
                frames.push(frame(py, model, "frames", &name)?);
            }
        }
        let method = self.method.map_or(Ok(Method::Analytical), |given| word(py, "method", given, &methods()))?;
        let reference =
            self.reference.map_or(Ok(ReferenceFrame::Local), |given| word(py, "reference", given, &references()))?;
        Ok(Resolved {
            method,
            reference,
            frames,
            seen_from: self.seen_from.map(|name| frame(py, model, "seen_from", name)).transpose()?,
            body: self.body.map(|name| body(py, model, "body", name)).transpose()?,
            subtree: self.subtree.map(|name| body(py, model, "subtree", name)).transpose()?,
            point: self.point.map_or(Ok([0.0; 3]), |point| numbers("point", point))?.into(),
            force: {
                let [fx, fy, fz, nx, ny, nz] = self.force.map_or(Ok([0.0; 6]), |force| numbers("force", force))?;
                Force::new(Vector3::new(fx, fy, fz), Vector3::new(nx, ny, nz))
            },
            restitution: restitution(py, self.restitution.unwrap_or(0.0))?,
            constraints: self.constraints.map_or(Ok(Vec::new()), |given| constraints(py, model, given))?,
            wrenches: Vec::new(),
            threads: 1,
        })
    }
}

fn restitution(py: Python<'_>, given: f64) -> PyResult<f64> {
    if (0.0..=1.0).contains(&given) {
        return Ok(given);
    }
    let said = Said {
        argument: Some("restitution".into()),
        value: Some(given),
        expected: Some("a number from 0 to 1".into()),
        got: Some(given.to_string()),
        ..Said::default()
    };
    Err(wrong(py, &format!("`restitution` is {given}, expected a number from 0 to 1"), said))
}

/// One constraint, or a list.
pub(crate) fn constraints(py: Python<'_>, model: &Model, given: &Bound<'_, PyAny>) -> PyResult<Vec<Constraint>> {
    let refused = |_| {
        let said = Said { argument: Some("constraints".into()), ..Said::default() };
        wrong(py, "`constraints` is not a list of gradyn.Constraint, as `model.contact('foot')` gives", said)
    };
    let items: Vec<Bound<'_, PyConstraint>> = match given.cast::<PyConstraint>() {
        Ok(one) => vec![one.clone()],
        Err(_) => given
            .try_iter()
            .map_err(refused)?
            .map(|item| item.and_then(|item| Ok(item.cast_into::<PyConstraint>()?)).map_err(refused))
            .collect::<PyResult<_>>()?,
    };
    items
        .iter()
        .map(|item| {
            let PyConstraint { constraint, nv, text, .. } = item.get();
            if *nv == model.nv() {
                return Ok(*constraint);
            }
            let message = format!("`constraints`: {text} is of a robot with nv {nv}, not {}", model.nv());
            Err(wrong(py, &message, Said { argument: Some("constraints".into()), ..Said::default() }))
        })
        .collect()
}
