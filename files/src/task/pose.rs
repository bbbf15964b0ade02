//! Configurations and velocities: by name of a pose, by joint, or as lists.

use super::named::{frame, joint, joints};
use super::source::{Item, Sign, Table};
use crate::error::Error;
use crate::robot::{Configuration, Robot};
use gradyn::Transform;
use gradyn::dynamics::{Workspace, frame_pose};
use gradyn::model::Model;
use std::ops::Range;

/// Poses of the robot by name: those of the task, nq numbers each, then those of the robot's files.
#[derive(Debug, Default)]
pub(super) struct Poses {
    of_task: Vec<(String, Vec<f64>)>,
    of_robot: Vec<Configuration>,
}

impl Poses {
    /// The table `poses`, in which poses of the robot's files and those above may be named.
    pub(super) fn read(table: Option<Item<'_>>, robot: &Robot) -> Result<Self, Error> {
        let mut poses = Self { of_task: Vec::new(), of_robot: robot.configurations.clone() };
        let Some(table) = table else { return Ok(poses) };
        for (name, item) in table.table("a table of poses by name")?.entries() {
            let q = poses.configuration(&item, &robot.model)?;
            poses.of_task.push((name.to_owned(), q));
        }
        Ok(poses)
    }

    /// The velocity of the pose that this names, nv: of one of the robot's files, which may say one.
    pub(super) fn velocity(&self, item: &Item<'_>) -> Option<&[f64]> {
        let name = item.as_text().filter(|name| self.of_task.iter().all(|(own, _)| own != name))?;
        self.of_robot.iter().find(|known| known.name == name).map(|known| known.v.as_slice())
    }

    /// A configuration: the name of a pose, nq numbers, or a table by joint.
    pub(super) fn configuration(&self, item: &Item<'_>, model: &Model) -> Result<Vec<f64>, Error> {
        let what = "the name of a pose, a list of nq numbers, or a table by joint";
        let q = if let Some(name) = item.as_text() {
            let of_task = self.of_task.iter().map(|(name, q)| (name.as_str(), q));
            let poses = of_task.chain(self.of_robot.iter().map(|known| (known.name.as_str(), &known.q)));
            let found = poses.clone().find(|(known, _)| *known == name);
            found.ok_or_else(|| item.unknown("pose", name, poses.map(|(name, _)| name)))?.1.clone()
        } else if item.is_list() {
            item.numbers(Some(model.nq()), "nq of this robot")?
        } else {
            by_joint(&item.table(what)?, model)?
        };
        model.check_configuration(&q).map_err(|error| item.refuse(error.to_string()))?;
        Ok(q)
    }
}

/// A configuration by joint; what is left out stays neutral. `ground` names frames: the base is lifted so that the
/// lowest of them is at height 0.
fn by_joint(table: &Table<'_>, model: &Model) -> Result<Vec<f64>, Error> {
    let mut q = model.neutral::<f64>();
    let mut ground = None;
    for (name, item) in table.entries() {
        if name == "ground" {
            ground = Some(item);
            continue;
        }
        let range = joint(&item, name, model)?.q_range();
        coordinates(&item, &mut q[range])?;
    }
    if let Some(item) = ground {
        model.check_configuration(&q).map_err(|error| table.refuse(error.to_string()))?;
        to_ground(&item, model, &mut q)?;
    }
    Ok(q)
}

/// The coordinates of one joint: a number, a list, or, of a floating one, `xyz` and `rpy`.
fn coordinates(item: &Item<'_>, q: &mut [f64]) -> Result<(), Error> {
    if q.len() == 7 && item.is_table() {
        let pose = transform(item)?;
        q[..3].copy_from_slice(pose.translation.as_slice());
        q[3..].copy_from_slice(&pose.quaternion().to_array());
    } else if q.len() == 1 && !item.is_list() {
        q[0] = item.number(Sign::Any)?;
    } else {
        q.copy_from_slice(&item.numbers(Some(q.len()), "coordinates of the joint")?);
    }
    Ok(())
}

/// `{ xyz = [..], rpy = [..] }`, as URDF's `origin` has it.
pub(super) fn transform(item: &Item<'_>) -> Result<Transform<f64>, Error> {
    let table = item.table("a table with `xyz` (m) and `rpy` (rad)")?;
    table.only(&["xyz", "rpy"])?;
    let vector = |key| table.get(key).map_or(Ok(nalgebra::Vector3::zeros()), |item: Item<'_>| item.vector(key));
    let rpy = vector("rpy")?;
    Ok(Transform::from_rpy([rpy.x, rpy.y, rpy.z], vector("xyz")?))
}

/// Moves the floating base up or down.
fn to_ground(item: &Item<'_>, model: &Model, q: &mut [f64]) -> Result<(), Error> {
    let base = joints(model).find(|body| body.parent().is_none() && body.q_range().len() == 7);
    let base = base.ok_or_else(|| item.refuse("the robot has no floating base that could be lifted"))?;
    let mut workspace = Workspace::new(model);
    let mut lowest = f64::INFINITY;
    for (item, name) in item.texts("names of frames")? {
        let frame = frame(&item, name, model)?;
        let pose = frame_pose(model, &mut workspace, q, frame).map_err(|error| item.refuse(error.to_string()))?;
        lowest = lowest.min(pose.translation.z);
    }
    if !lowest.is_finite() {
        return Err(item.refuse("expected one frame at least"));
    }
    q[base.q_range().start + 2] -= lowest;
    Ok(())
}

/// Numbers of degrees of freedom, nv: a list, or a table by joint, in which `default` is for all others.
pub(super) fn by_dof(item: &Item<'_>, model: &Model, sign: Sign) -> Result<Vec<f64>, Error> {
    by_dof_from(item, model, sign, 0.0)
}

/// [`by_dof`], with another number for joints that a table leaves out.
pub(super) fn by_dof_from(item: &Item<'_>, model: &Model, sign: Sign, others: f64) -> Result<Vec<f64>, Error> {
    let mut values = vec![others; model.nv()];
    fill(item, model, 0..model.nv(), sign, &mut values)?;
    Ok(values)
}

fn fill(item: &Item<'_>, model: &Model, dofs: Range<usize>, sign: Sign, to: &mut [f64]) -> Result<(), Error> {
    if item.is_table() {
        let table = item.table("a table by joint")?;
        if let Some(item) = table.get("default") {
            to[dofs.clone()].fill(item.number(sign)?);
        }
        for (name, item) in table.entries().into_iter().filter(|(name, _)| *name != "default") {
            let joint = joint(&item, name, model)?;
            if item.is_list() {
                listed(&item, joint.v_range(), sign, to)?;
            } else {
                to[joint.v_range()].fill(item.number(sign)?);
            }
        }
        Ok(())
    } else if item.is_list() {
        listed(item, dofs, sign, to)
    } else {
        to[dofs].fill(item.number(sign)?);
        Ok(())
    }
}

fn listed(item: &Item<'_>, dofs: Range<usize>, sign: Sign, to: &mut [f64]) -> Result<(), Error> {
    item.numbers(Some(dofs.len()), "one a degree of freedom")?;
    for (to, item) in to[dofs].iter_mut().zip(item.list("numbers")?) {
        *to = item.number(sign)?;
    }
    Ok(())
}
