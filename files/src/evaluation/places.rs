//! The frames, points and subtrees that are asked about.

use crate::constraints::find;
use crate::nearest::nearest;
use crate::quantity::{Parts, Quantity};
use crate::robot::Robot;
use gradyn::dynamics::ReferenceFrame;
use gradyn::model::{BodyId, Frame, FrameId, Model};
use nalgebra::Vector3;
use std::collections::HashSet;

/// What quantities with parts are asked of.
#[derive(Clone, Debug)]
pub struct Places {
    /// The coordinates of all that has a choice.
    pub reference: ReferenceFrame,
    /// Links and joints.
    pub frames: Vec<NamedPlace<FrameId>>,
    /// Points of bodies.
    pub points: Vec<NamedPlace<Point>>,
    /// Two frames: the motion of the second relative to the first.
    pub pairs: Vec<NamedPlace<[FrameId; 2]>>,
    /// Bodies, with their subtrees.
    pub subtrees: Vec<(String, BodyId)>,
    /// Bodies alone.
    pub bodies: Vec<(String, BodyId)>,
}

/// Something with a name, and the coordinates that are asked for.
#[derive(Clone, Debug)]
pub struct NamedPlace<T> {
    /// What it is called in the answer.
    pub name: String,
    /// What it is in the model.
    pub at: T,
    /// The coordinates of its motion.
    pub reference: ReferenceFrame,
}

/// A point of a body, in its coordinates.
#[derive(Clone, Copy, Debug)]
pub struct Point {
    /// The body that carries it.
    pub body: BodyId,
    /// In the body's coordinates, m.
    pub position: Vector3<f64>,
}

impl Places {
    /// All frames of links and joints and all subtrees with mass, no points, no pairs.
    pub fn all(model: &Model, reference: ReferenceFrame) -> Self {
        let frame = |(i, frame): (usize, &Frame)| {
            Some(NamedPlace { name: frame.name().to_owned(), at: model.frame_id(i)?, reference })
        };
        let bodies = model.bodies();
        // Of the subtree of each; children come after their parents.
        let mut masses: Vec<f64> = bodies.iter().map(|body| body.inertia().mass).collect();
        for (i, body) in bodies.iter().enumerate().rev() {
            if let Some(parent) = body.parent() {
                masses[parent.index()] += masses[i];
            }
        }
        let named: Vec<_> = bodies
            .iter()
            .enumerate()
            .filter_map(|(i, body)| Some((body.name().to_owned(), model.body_id(i)?)))
            .collect();
        Self {
            reference,
            frames: model.frames().iter().enumerate().filter_map(frame).collect(),
            points: Vec::new(),
            pairs: Vec::new(),
            subtrees: named.iter().filter(|(_, id)| masses[id.index()] > 0.0).cloned().collect(),
            bodies: named,
        }
    }

    /// Nothing but the part of this name.
    pub fn one(robot: &Robot, quantity: Quantity, part: &str, reference: ReferenceFrame) -> Result<Self, String> {
        let model = &robot.model;
        let mut places = Self {
            reference,
            frames: Vec::new(),
            points: Vec::new(),
            pairs: Vec::new(),
            subtrees: Vec::new(),
            bodies: Vec::new(),
        };
        match quantity.parts() {
            Parts::Frames | Parts::Places => {
                places.frames.push(NamedPlace { name: part.to_owned(), at: find(part, model)?, reference });
            }
            Parts::Points => places.add_point(robot, part)?,
            Parts::Pairs => places.add_pair(model, part)?,
            Parts::Subtrees | Parts::Bodies => {
                let body = model.bodies().iter().position(|body| body.name() == part);
                let body = body.and_then(|index| model.body_id(index));
                let body = body.ok_or_else(|| format!("expected a link with a joint of its own, found `{part}`"))?;
                let bodies = if quantity.parts() == Parts::Bodies { &mut places.bodies } else { &mut places.subtrees };
                bodies.push((part.to_owned(), body));
            }
            Parts::Whole | Parts::Fields(_) | Parts::Wrenches => {}
        }
        Ok(places)
    }

    /// Only the frames of these names.
    pub fn keep(&mut self, model: &Model, names: &[String]) -> Result<(), String> {
        for name in names {
            find(name, model)?;
        }
        let names: HashSet<_> = names.iter().collect();
        self.frames.retain(|place| names.contains(&place.name));
        Ok(())
    }

    /// A point by its name, `LINK,x,y,z`: in coordinates of the link.
    pub fn add_point(&mut self, robot: &Robot, name: &str) -> Result<(), String> {
        let mut fields = name.rsplitn(4, ',');
        let mut number = || fields.next().and_then(|field| field.trim().parse::<f64>().ok()).filter(|x| x.is_finite());
        let (Some(z), Some(y), Some(x)) = (number(), number(), number()) else {
            return Err(format!("expected LINK,x,y,z with three finite numbers in meters, found `{name}`"));
        };
        let link = fields.next().unwrap_or_default();
        let links = robot.links();
        let Some(place) = links.get(link) else {
            let hint = nearest(link, links.keys().copied()).unwrap_or_default();
            return Err(format!("expected a link of the robot, found `{link}`{hint}"));
        };
        let body =
            place.body.ok_or_else(|| format!("link `{link}` is fixed to the world: none of its points moves"))?;
        let at = Point { body, position: place.placement.point(Vector3::new(x, y, z)) };
        self.points.push(NamedPlace { name: name.to_owned(), at, reference: self.reference });
        Ok(())
    }

    /// Two frames by their names, `A,B`.
    pub fn add_pair(&mut self, model: &Model, name: &str) -> Result<(), String> {
        let (a, b) =
            name.split_once(',').ok_or_else(|| format!("expected A,B, two links or joints, found `{name}`"))?;
        let at = [find(a, model)?, find(b, model)?];
        self.pairs.push(NamedPlace { name: name.to_owned(), at, reference: self.reference });
        Ok(())
    }
}
