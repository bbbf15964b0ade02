//! Errors as exceptions with attributes.

use gradyn::{InputError as EngineError, ModelError};
use pyo3::exceptions::{PyUserWarning, PyValueError};
use pyo3::prelude::*;
use pyo3::{PyTypeInfo, create_exception};
use std::fmt::Display;

create_exception!(
    gradyn,
    InputError,
    PyValueError,
    "An argument is not what it must be. Attributes, None where they do not apply: `argument`, `index`, `joint`, `value`,\n`expected`, `got`, `state` (the index among many states)."
);
create_exception!(
    gradyn,
    RobotError,
    PyValueError,
    "A robot's file, or a change of a robot, is refused. Attributes, None where they do not apply: `path`, `line`,\n`element`, `name`, `value`."
);
create_exception!(
    gradyn,
    FileError,
    PyValueError,
    "A task, a file of claims, priors or data is refused. Attributes, None where they are not known: `path`, `line`, `key`."
);

create_exception!(
    gradyn,
    RobotWarning,
    PyUserWarning,
    "Something in a robot's file is ignored and could matter, or is dubious. `Model.report` has all of it."
);

/// Messages are no longer: the attributes have what is cut off.
const LONGEST: usize = 200;

pub(crate) fn shortened(message: &str) -> String {
    if message.chars().count() <= LONGEST {
        return message.to_owned();
    }
    let mut short: String = message.chars().take(LONGEST - 1).collect();
    short.push('…');
    short
}

/// What is said of an argument besides the message.
#[derive(Debug, Default)]
pub(crate) struct Said {
    pub(crate) argument: Option<String>,
    pub(crate) index: Option<usize>,
    pub(crate) joint: Option<String>,
    pub(crate) value: Option<f64>,
    pub(crate) expected: Option<String>,
    pub(crate) got: Option<String>,
    pub(crate) state: Option<Vec<usize>>,
}

/// An error of an argument.
#[cold]
pub(crate) fn wrong(py: Python<'_>, message: &str, said: Said) -> PyErr {
    let error = PyErr::from_type(InputError::type_object(py), shortened(message));
    let value = error.value(py);
    let set = || -> PyResult<()> {
        value.setattr("argument", said.argument)?;
        value.setattr("index", said.index)?;
        value.setattr("joint", said.joint)?;
        value.setattr("value", said.value)?;
        value.setattr("expected", said.expected)?;
        value.setattr("got", said.got)?;
        value.setattr("state", said.state.map(|state| pyo3::types::PyTuple::new(py, state)).transpose()?)
    };
    set().err().unwrap_or(error)
}

/// The engine's error, of one of many states where there are many.
#[cold]
pub(crate) fn input(py: Python<'_>, error: &EngineError, state: Option<Vec<usize>>) -> PyErr {
    let mut message = error.to_string();
    if let Some(state) = &state {
        let index: Vec<_> = state.iter().map(ToString::to_string).collect();
        message = format!("state [{}]: {message}", index.join(", "));
    }
    wrong(py, &message, Said { state, ..said(error) })
}

/// `joint panda_joint1` is the joint `panda_joint1`.
fn bare(label: &str) -> String {
    ["joint ", "body ", "frame "].iter().find_map(|kind| label.strip_prefix(kind)).unwrap_or(label).to_owned()
}

/// What the engine's error says of its argument.
fn said(error: &EngineError) -> Said {
    let mut said = Said::default();
    let argument = |what: &str| Some(what.to_owned());
    match error {
        EngineError::Length { what, expected, found, .. } => {
            said.argument = argument(what);
            (said.expected, said.got) = (Some(expected.to_string()), Some(found.to_string()));
        }
        EngineError::NotFinite { what, index, joint, value } => {
            said.argument = argument(what);
            (said.index, said.joint, said.value) = (Some(*index), Some(bare(joint)), Some(*value));
        }
        EngineError::Overflow { what, index, joint } => {
            said.argument = argument(what);
            (said.index, said.joint) = (Some(*index), Some(bare(joint)));
        }
        EngineError::NotNormalized { what, joint, start, norm, .. } => {
            said.argument = argument(what);
            (said.index, said.joint, said.value) = (Some(*start), Some(joint.clone()), Some(*norm));
        }
        EngineError::Parameter { what, name, value, rule } => {
            said.argument = argument(what);
            (said.joint, said.value, said.expected) = (Some(bare(name)), Some(*value), Some((*rule).to_owned()));
        }
        EngineError::JointLength { what, joint, expected, found } => {
            said.argument = argument(what);
            said.joint = Some(joint.clone());
            (said.expected, said.got) = (Some(expected.to_string()), Some(found.to_string()));
        }
        EngineError::SingularMassMatrix { index, joint } => {
            (said.index, said.joint) = (Some(*index), Some(bare(joint)));
        }
        EngineError::Constraint { index, .. } => {
            (said.argument, said.index) = (argument("constraints"), Some(*index));
        }
        EngineError::Restitution => {
            (said.argument, said.expected) = (argument("restitution"), Some("a number from 0 to 1".to_owned()));
        }
        EngineError::Method { method, .. } => {
            (said.argument, said.got) = (argument("method"), Some((*method).to_owned()));
        }
        _ => {}
    }
    said
}

/// Attributes of a refused robot.
#[derive(Debug, Default)]
pub(crate) struct OfRobot {
    pub(crate) path: Option<String>,
    pub(crate) line: Option<u32>,
    pub(crate) element: Option<String>,
    pub(crate) name: Option<String>,
    pub(crate) value: Option<String>,
}

pub(crate) fn robot(py: Python<'_>, message: &str, of: OfRobot) -> PyErr {
    let error = PyErr::from_type(RobotError::type_object(py), message.to_owned());
    let value = error.value(py);
    let set = || -> PyResult<()> {
        value.setattr("path", of.path)?;
        value.setattr("line", of.line)?;
        value.setattr("element", of.element)?;
        value.setattr("name", of.name)?;
        value.setattr("value", of.value)
    };
    set().err().unwrap_or(error)
}

/// What stands in backquotes in a message, in order.
fn quoted(message: &str) -> Vec<String> {
    message.split('`').skip(1).step_by(2).map(str::to_owned).collect()
}

/// A refused URDF file: the line and the names as its message has them.
pub(crate) fn urdf(py: Python<'_>, error: &impl Display, path: Option<&str>) -> PyErr {
    let text = error.to_string();
    let message = match path {
        Some(path) if !text.contains(path) => format!("{path}: {text}"),
        _ => text.clone(),
    };
    let line = text
        .strip_prefix("line ")
        .and_then(|rest| rest.split(|c: char| !c.is_ascii_digit()).next().and_then(|number| number.parse().ok()));
    let said = text.split_once(": ").map_or(text.as_str(), |(_, rest)| rest);
    let words: Vec<_> = said.split('`').next().unwrap_or("").split_whitespace().collect();
    let names = quoted(&text);
    let of = OfRobot {
        path: path.map(str::to_owned),
        line,
        element: words.last().filter(|_| !names.is_empty()).map(|word| word.trim_matches(',').to_owned()),
        name: names.first().cloned(),
        value: if names.len() > 1 { names.last().cloned() } else { None },
    };
    robot(py, &message, of)
}

/// A change of a robot that is refused.
pub(crate) fn model(py: Python<'_>, error: &ModelError) -> PyErr {
    let text = error.to_string();
    let name = quoted(&text).first().cloned();
    let value = if let ModelError::BadNumber { value, .. } = error { Some(value.to_string()) } else { None };
    robot(py, &text, OfRobot { name, value, ..OfRobot::default() })
}

/// A refused task, file of claims, priors or data.
pub(crate) fn file(py: Python<'_>, error: &gradyn_files::Error) -> PyErr {
    use gradyn_files::Error;
    let (path, line, key) = match error {
        Error::Robot { path, error } => return urdf(py, error, Some(&path.display().to_string())),
        Error::Read { path, .. } | Error::Write { path, .. } => (path.display().to_string(), None, None),
        Error::Content { file, line, key, .. } => (file.clone(), *line, key.clone()),
        Error::Input { error, .. } => return input(py, error, None),
        _ => (String::new(), None, None),
    };
    let raised = PyErr::from_type(FileError::type_object(py), error.to_string());
    let value = raised.value(py);
    let set = || -> PyResult<()> {
        value.setattr("path", path)?;
        value.setattr("line", line)?;
        value.setattr("key", key)
    };
    set().err().unwrap_or(raised)
}
