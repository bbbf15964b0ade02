//! Feet that are held while the robot moves.

use crate::constraints;
use crate::json::Json;
use gradyn::dynamics::{Constraint, ConstraintKind, frame_pose};
use gradyn::model::{FrameId, Model};
use gradyn::{Workspace, model::Body};
use gradyn_sensitivity::excite::Stance;

/// A robot on its feet.
pub struct HeldFeet {
    /// How the rest of it moves.
    pub stance: Stance,
    /// Each contact's frame, by name, and its rows.
    contacts: Vec<(String, usize)>,
}

/// Axes of forces and moments, as `identify` names them.
const AXES: [&str; 6] = ["x", "y", "z", "rx", "ry", "rz"];

impl HeldFeet {
    /// Contacts as files of constraints have them, held where the robot stands: at `start`, nq, or neutral without it.
    ///
    /// # Errors
    /// Why the robot cannot stand so, in a sentence.
    pub fn new(given: &[Json], start: Option<&[f64]>, model: &Model) -> Result<Self, String> {
        let at = start.map_or_else(|| model.neutral(), <[f64]>::to_vec);
        if at.len() != model.nq() {
            let (expected, found) = (model.nq(), at.len());
            return Err(format!(
                "--start has {found} numbers: expected {expected}, of the base x, y, z, qx, qy, qz, qw, then of each joint"
            ));
        }
        let (mut contacts, mut held) = (Vec::new(), Vec::new());
        for (k, item) in given.iter().enumerate() {
            let contact = contact(item, model, &at).map_err(|reason| format!("constraint {k}{reason}"))?;
            contacts.push((model.frames()[contact.0.index()].name().to_owned(), contact.1.rows()));
            held.push(contact.1);
        }
        let stance = Stance::new(model, &at, &held).map_err(|error| {
            let hint = if start.is_none() { " (--start says where it stands)" } else { "" };
            format!("{error}{hint}")
        })?;
        Ok(Self { stance, contacts })
    }

    /// Names of the frames.
    pub fn frames(&self) -> Vec<&str> {
        self.contacts.iter().map(|(name, _)| &**name).collect()
    }

    /// Columns of forces and moments.
    pub fn force_names(&self) -> Vec<String> {
        let of = |(name, rows): &(String, usize)| AXES[..*rows].iter().map(|axis| format!("f.{name}.{axis}")).collect();
        self.contacts.iter().flat_map(|contact| -> Vec<String> { of(contact) }).collect()
    }

    /// Degrees of freedom that have motors: those of all bodies but the base.
    pub fn motors(&self, model: &Model) -> impl Iterator<Item = usize> {
        let base = bases(model).map(Body::v_range).next().unwrap_or(0..0);
        (0..model.nv()).filter(move |dof| !base.contains(dof))
    }

    /// Columns of configurations.
    pub fn coordinates(&self, model: &Model) -> Vec<String> {
        let (names, mut columns) = (model.dof_names(), vec![String::new(); model.nq()]);
        for body in model.bodies().iter().filter(|body| body.owns_coordinates()) {
            let of_joint = names[body.v_range()].iter().map(|name| format!("q.{name}"));
            let of_base = ["x", "y", "z", "qx", "qy", "qz", "qw"].map(|x| format!("q.{}.{x}", body.joint_name()));
            let all: Vec<String> =
                if body.joint().kind() == "free-flyer" { of_base.to_vec() } else { of_joint.collect() };
            columns[body.q_range()].clone_from_slice(&all);
        }
        columns
    }

    /// Of the base its displacement from the start in the axes in which it stands, of joints their coordinates: what
    /// limits are of.
    pub fn positions(&self, model: &Model, q: &[Vec<f64>]) -> Vec<Vec<f64>> {
        let of = |q: &Vec<f64>| self.stance.positions(model, q).unwrap_or_else(|_| vec![f64::NAN; model.nv()]);
        q.iter().map(of).collect()
    }
}

/// Bases that float.
fn bases(model: &Model) -> impl Iterator<Item = &Body> {
    model.bodies().iter().filter(|body| body.parent().is_none() && body.joint().kind() == "free-flyer")
}

/// A point or a frame, held in the world: where the entry says, or where it is at the start. Errors begin with what
/// follows "constraint 2".
fn contact(item: &Json, model: &Model, start: &[f64]) -> Result<(FrameId, Constraint), String> {
    let (constraint, frame) = constraints::one(item, model)?;
    let Json::Object(entries) = item else { return Err(String::from(": expected an object")) };
    let has = |key: &str| entries.iter().any(|(found, _)| found == key);
    if let Some(key) = ["placement", "to"].into_iter().find(|key| has(key)) {
        return Err(format!(", key `{key}`: expected none, contacts of `excite` are of a frame with the world"));
    }
    let is_contact = matches!(constraint.kind(), ConstraintKind::Point | ConstraintKind::Frame);
    let [_, body] = constraint.bodies();
    let Some(body) = body.filter(|_| is_contact) else {
        return Err(String::from(", key `type`: expected `point` or `frame` of a link that moves"));
    };
    if has("to_placement") {
        return Ok((frame, constraint));
    }
    let [_, at] = constraint.placements();
    let pose =
        frame_pose(model, &mut Workspace::new(model), start, frame).map_err(|error| format!(": --start: {error}"))?;
    Ok((
        frame,
        match constraint.kind() {
            ConstraintKind::Point => Constraint::point(None, pose.translation, body, at.translation),
            _ => Constraint::frame(None, pose, body, *at),
        },
    ))
}
