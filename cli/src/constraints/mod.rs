//! What holds a robot: contacts and loops, from a file of states or from the command line.

mod read;

pub(crate) use read::read;

use crate::args::ConstraintArgs;
use crate::error::Error;
use crate::input::{self, Parts};
use crate::json::Json;
use crate::nearest::nearest;
use crate::robot::Robot;
use gradyn::dynamics::{Constraint, Workspace, constraint_error};
use gradyn::model::{BodyId, FrameId, Model};
use gradyn::spatial::Transform;
use std::path::Path;

/// Constraints in their order.
#[derive(Clone, Debug, Default)]
pub(crate) struct Constraints {
    pub(crate) list: Vec<Constraint>,
    /// A name for each row: `FOOT.x`, `rod-crank.4`.
    pub(crate) rows: Vec<String>,
    /// Of impulses, from 0 to 1.
    pub(crate) restitution: f64,
    /// As they stand in the file; `None` if it does not speak of any.
    pub(crate) given: Option<Vec<Json>>,
}

impl Constraints {
    /// One more; errors begin with what follows "constraint 2".
    fn add(&mut self, item: Json, model: &Model) -> Result<(), String> {
        let (constraint, name, axes) = read::constraint(&item, model)?;
        let suffix = |row: usize| axes.get(row).map_or_else(|| row.to_string(), ToString::to_string);
        self.rows.extend((0..constraint.rows()).map(|row| format!("{name}.{}", suffix(row))));
        self.list.push(constraint);
        self.given.get_or_insert_default().push(item);
        Ok(())
    }

    /// Does the robot have what they hold, and can it be held?
    fn check(&self, model: &Model) -> Result<(), String> {
        let (mut ws, q) = (Workspace::new(model), model.neutral::<f64>());
        constraint_error(model, &mut ws, &q, &self.list).map(|_| ()).map_err(|error| error.to_string())
    }
}

/// One constraint, and the frame that it holds; errors begin with what follows "constraint 2".
pub(crate) fn one(item: &Json, model: &Model) -> Result<(Constraint, FrameId), String> {
    let (constraint, ..) = read::constraint(item, model)?;
    let Json::Object(entries) = item else { return Err(String::from(": expected an object")) };
    let name = entries.iter().find(|(key, _)| key == "frame").and_then(|(_, name)| match name {
        Json::String(name) => Some(name),
        _ => None,
    });
    let name = name.ok_or(": missing key `frame`")?;
    Ok((constraint, find(name, model)?))
}

/// Rows of points and of frames.
const AXES: [&str; 6] = ["x", "y", "z", "rx", "ry", "rz"];

/// Those that the command line gives: of its file, then its contacts.
pub(crate) fn of_arguments(args: &ConstraintArgs, robot: &Robot) -> Result<Constraints, Error> {
    let model = &robot.model;
    let mut constraints = match &args.constraints {
        Some(path) => of_file(path, robot)?,
        None => Constraints::default(),
    };
    for (names, flag, kind) in
        [(&args.contact, "--contact", "point"), (&args.contact_frame, "--contact-frame", "frame")]
    {
        for name in names {
            let refused = |reason: String| Error::Usage(format!("{flag} {name}: {reason}"));
            find(name, model).map_err(|reason| Error::Usage(format!("{flag}: {reason}")))?;
            let entry = |key: &str, value: &str| (key.to_owned(), Json::String(value.to_owned()));
            let contact = Json::Object(vec![entry("frame", name), entry("type", kind)]);
            constraints.add(contact, model).and_then(|()| constraints.check(model)).map_err(refused)?;
        }
    }
    Ok(constraints)
}

/// Reads what holds the robot; states that the file may have are not looked at.
fn of_file(path: &Path, robot: &Robot) -> Result<Constraints, Error> {
    input::json(path, |value| {
        let Parts { constraints, restitution, .. } = Parts::new(value)?;
        let list = constraints.ok_or("missing key `constraints`, expected a list of constraints")?;
        read(Some(list), restitution, &robot.model)
    })
}

/// The frame of this name: of a link, or of a joint.
pub(crate) fn find(name: &str, model: &Model) -> Result<FrameId, String> {
    model.find_frame(name).ok_or_else(|| {
        let known = model.frames().iter().map(|frame| frame.name());
        let hint = nearest(name, known).unwrap_or_else(|| String::from("; `gradyn info` shows them"));
        let name = name.chars().take(100).collect::<String>();
        format!("expected a link or joint of the robot, found `{name}`{hint}")
    })
}

/// The body that carries the frame (`None` is the world), and its pose there.
fn place(model: &Model, frame: FrameId) -> (Option<BodyId>, Transform<f64>) {
    let frame = &model.frames()[frame.index()];
    (frame.body(), *frame.placement())
}
