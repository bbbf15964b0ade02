//! What holds a robot: contacts and loops.

mod read;

pub use read::read;

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
pub struct Constraints {
    /// The constraints of the engine.
    pub list: Vec<Constraint>,
    /// A name for each row: `FOOT.x`, `rod-crank.4`.
    pub rows: Vec<String>,
    /// Of impulses, from 0 to 1.
    pub restitution: f64,
    /// As they stand in the file; `None` if it does not speak of any.
    pub given: Option<Vec<Json>>,
}

/// How a link or joint is held in the world.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Contact {
    /// Its origin: three rows.
    Point,
    /// Its rotation too: six rows.
    Frame,
}

impl Constraints {
    /// Reads those of a file; states that it may have are not looked at.
    pub fn of_file(path: &Path, robot: &Robot) -> Result<Self, Error> {
        input::json(path, |value| {
            let Parts { constraints, restitution, .. } = Parts::new(value)?;
            let list = constraints.ok_or("missing key `constraints`, expected a list of constraints")?;
            read(Some(list), restitution, &robot.model)
        })
    }

    /// One more: a link or joint that stands where it is.
    ///
    /// # Errors
    /// Why the robot cannot be held so, as a part of a sentence.
    pub fn hold(&mut self, frame: &str, contact: Contact, model: &Model) -> Result<(), String> {
        let kind = match contact {
            Contact::Point => "point",
            Contact::Frame => "frame",
        };
        let entry = |key: &str, value: &str| (key.to_owned(), Json::String(value.to_owned()));
        self.add(Json::Object(vec![entry("frame", frame), entry("type", kind)]), model)?;
        self.check(model)
    }

    /// One more; errors begin with what follows "constraint 2".
    fn add(&mut self, item: Json, model: &Model) -> Result<(), String> {
        let (constraint, name, axes) = read::constraint(&item, model)?;
        let suffix = |row: usize| axes.get(row).map_or_else(|| row.to_string(), ToString::to_string);
        self.rows.extend((0..constraint.rows()).map(|row| format!("{name}.{}", suffix(row))));
        self.list.push(constraint);
        self.given.get_or_insert_default().push(item);
        Ok(())
    }

    /// Checks that the robot has what they hold, and that it can be held.
    fn check(&self, model: &Model) -> Result<(), String> {
        let (mut ws, q) = (Workspace::new(model), model.neutral::<f64>());
        constraint_error(model, &mut ws, &q, &self.list).map(|_| ()).map_err(|error| error.to_string())
    }
}

/// One constraint, and the frame that it holds; errors begin with what follows "constraint 2".
pub fn one(item: &Json, model: &Model) -> Result<(Constraint, FrameId), String> {
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

/// The frame of this name: of a link, or of a joint.
pub fn find(name: &str, model: &Model) -> Result<FrameId, String> {
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
