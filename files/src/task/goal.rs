//! Goals of costs and constraints: what they may be, and what lies between two of them.

use super::pose::{by_dof, transform};
use super::source::{Item, Sign};
use super::start::Start;
use crate::error::Error;
use gradyn::Transform;
use gradyn::model::Model;
use gradyn_trajectory::residual::FramePlacement;
use gradyn_trajectory::space::{interpolate, interpolate_pose};
use nalgebra::Vector3;

/// What goals of a kind of cost are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Form {
    /// It has none.
    None,
    /// A place or another vector of so many numbers.
    Vector(usize),
    /// So many numbers, zero if left out.
    Rest(usize),
    /// Numbers, as many as the contact has rows; zero if left out.
    Free,
    /// A pose.
    Pose,
    /// A rotation.
    Rotation,
    /// A configuration and a velocity.
    State,
    /// Controls.
    Controls,
}

/// A goal.
#[derive(Clone, Debug, PartialEq)]
pub enum Goal {
    /// The residual has no goal.
    None,
    /// Numbers, one a row.
    Vector(Vec<f64>),
    /// A pose in the world.
    Pose(Transform<f64>),
    /// A pose whose place does not count.
    Rotation(Transform<f64>),
    /// A configuration and a velocity.
    State(Vec<f64>, Vec<f64>),
}

/// What a goal may be measured from.
pub(super) struct Ground<'a> {
    pub(super) start: &'a Start,
    /// What has the goal: a cost, or a constraint.
    pub(super) one: &'static str,
    pub(super) controls: usize,
    /// Where the frame of the cost, or the center of mass, is at the start.
    pub(super) here: Option<Transform<f64>>,
}

impl Goal {
    /// What `goal` says.
    pub(super) fn read(item: &Item<'_>, form: Form, ground: &Ground<'_>) -> Result<Self, Error> {
        match form {
            Form::None => Err(item.refuse(format!("this kind of {} has no goal", ground.one))),
            Form::Vector(n) => match offset(item, ground)? {
                Some(pose) => Ok(Self::Vector(pose.translation.as_slice().to_vec())),
                None => Ok(Self::Vector(item.numbers(Some(n), "of the goal")?)),
            },
            Form::Rest(n) => Ok(Self::Vector(item.numbers(Some(n), "of the goal")?)),
            Form::Free => Ok(Self::Vector(item.numbers(None, "numbers")?)),
            Form::Rotation => match offset(item, ground)? {
                Some(pose) => Ok(Self::Rotation(pose)),
                None => Ok(Self::Rotation(transform(item)?)),
            },
            Form::Controls => Ok(Self::Vector(item.numbers(Some(ground.controls), "one a control")?)),
            Form::Pose => match offset(item, ground)? {
                Some(pose) => Ok(Self::Pose(pose)),
                None => Ok(Self::Pose(transform(item)?)),
            },
            Form::State => state(item, ground.start),
        }
    }

    /// Without a `goal`; `None` if there must be one.
    pub(super) fn default(form: Form, ground: &Ground<'_>) -> Option<Self> {
        match form {
            Form::None | Form::Free => Some(Self::None),
            Form::Rest(n) => Some(Self::Vector(vec![0.0; n])),
            Form::State => Some(Self::State(ground.start.q.clone(), vec![0.0; ground.start.v.len()])),
            Form::Controls => Some(Self::Vector(vec![0.0; ground.controls])),
            Form::Vector(_) | Form::Pose | Form::Rotation => None,
        }
    }

    /// Between two goals, `t` from 0 to 1.
    fn between(&self, to: &Self, t: f64, model: &Model) -> Self {
        let line = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| a + t * (b - a)).collect();
        match (self, to) {
            (Self::Vector(a), Self::Vector(b)) => Self::Vector(line(a, b)),
            (Self::Pose(a), Self::Pose(b)) => Self::Pose(interpolate_pose(a, b, t)),
            (Self::Rotation(a), Self::Rotation(b)) => Self::Rotation(interpolate_pose(a, b, t)),
            (Self::State(q0, v0), Self::State(q1, v1)) => {
                // Both were checked when they were read.
                let mut q = q1.clone();
                if interpolate(model, q0, q1, t, &mut q).is_err() {
                    q.copy_from_slice(q1);
                }
                Self::State(q, line(v0, v1))
            }
            _ => to.clone(),
        }
    }

    /// At node `k` of `n`, with the goals evenly over the nodes, the first at the first one, the last at the last one.
    pub(super) fn at(goals: &[Self], k: f64, n: usize, model: &Model) -> Self {
        let last = goals.len() - 1;
        #[expect(clippy::cast_precision_loss, reason = "counts of nodes are small")]
        let s = if n > 1 { last as f64 * k / (n - 1) as f64 } else { last as f64 };
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "not negative, and small")]
        let i = (s.floor() as usize).min(last);
        #[expect(clippy::cast_precision_loss, reason = "counts of goals are small")]
        let t = s - i as f64;
        goals[i].between(&goals[(i + 1).min(last)], t, model)
    }

    /// As [`gradyn_trajectory::Problem::set_goal`] takes it.
    pub(super) fn numbers(&self) -> Vec<f64> {
        match self {
            Self::None => Vec::new(),
            Self::Vector(x) => x.clone(),
            Self::Pose(pose) => FramePlacement::goal_of(pose),
            Self::Rotation(pose) => pose.rotation.transpose().as_slice().to_vec(),
            Self::State(q, v) => [q.as_slice(), v].concat(),
        }
    }

    pub(super) fn vector(&self) -> Vector3<f64> {
        match self {
            Self::Vector(x) if x.len() == 3 => Vector3::new(x[0], x[1], x[2]),
            Self::Pose(pose) => pose.translation,
            _ => Vector3::zeros(),
        }
    }
    /// Linear and angular part of six numbers.
    pub(super) fn parts(&self) -> [Vector3<f64>; 2] {
        match self {
            Self::Vector(x) if x.len() == 6 => [Vector3::new(x[0], x[1], x[2]), Vector3::new(x[3], x[4], x[5])],
            _ => [Vector3::zeros(); 2],
        }
    }
    /// The pose, or no motion if it has none.
    pub fn pose(&self) -> Transform<f64> {
        match self {
            Self::Pose(pose) | Self::Rotation(pose) => *pose,
            other => Transform::from_translation(other.vector()),
        }
    }
}

/// `{ offset = [..] }`, and of poses `rpy`: from where it is at the start, in axes of the world.
fn offset(item: &Item<'_>, ground: &Ground<'_>) -> Result<Option<Transform<f64>>, Error> {
    if !item.is_table() {
        return Ok(None);
    }
    let table = item.table("a table")?;
    let (Some(offset), Some(here)) = (table.get("offset"), &ground.here) else { return Ok(None) };
    table.only(&["offset", "rpy"])?;
    let rpy = table.get("rpy").map_or(Ok(Vector3::zeros()), |item| item.vector("roll, pitch, yaw, rad"))?;
    let turned = Transform::from_rpy([rpy.x, rpy.y, rpy.z], Vector3::zeros()).rotation * here.rotation;
    Ok(Some(Transform::new(turned, here.translation + offset.vector("m")?)))
}

/// The name of a pose, nq numbers, or a table with `q` and `v`.
fn state(item: &Item<'_>, start: &Start) -> Result<Goal, Error> {
    let model = &start.model;
    if !item.is_table() {
        return Ok(Goal::State(start.poses.configuration(item, model)?, vec![0.0; model.nv()]));
    }
    let table = item.table("a table")?;
    table.only(&["q", "v"])?;
    let q = table.get("q").map_or_else(|| Ok(start.q.clone()), |item| start.poses.configuration(&item, model))?;
    let v = table.get("v").map_or_else(|| Ok(vec![0.0; model.nv()]), |item| by_dof(&item, model, Sign::Any))?;
    Ok(Goal::State(q, v))
}
