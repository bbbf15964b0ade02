//! `origin`: where a frame stands in another.

use super::error::UrdfError;
use crate::model::source::note::NoteKind;
use crate::model::source::rotation::{NEAR_ONE, of_quaternion, of_rpy};
use crate::model::source::text::Owner;
use crate::model::source::xml::{Attribute, Reader};
use crate::spatial::{Transform, vector as v3};
use nalgebra::Matrix3;
use roxmltree::Node;

/// The pose that an `origin` element gives; without one, or without one of its attributes, zero. `quat_xyzw` is that of URDF
/// 1.1: the vector part first.
pub(super) fn read(reader: &mut Reader, origin: Option<Node>, owner: &Owner) -> Result<Transform<f64>, UrdfError> {
    let Some(origin) = origin else { return Ok(Transform::identity()) };
    let [xyz, rpy, quat] = reader.leaf(origin, owner, ["xyz", "rpy", "quat_xyzw"])?;
    let translation = xyz.map_or(Ok(v3::zero()), |xyz| xyz.vector())?;
    let rotation = match (rpy, quat) {
        (None, None) => v3::identity(),
        (Some(rpy), None) => of_rpy(rpy.vector()?),
        (None, Some(quat)) => turn(reader, &quat, owner)?,
        (Some(_), Some(_)) => {
            return Err(UrdfError::TwoRotations { line: reader.line(origin), owner: owner.clone() });
        }
    };
    Ok(Transform::new(rotation, translation))
}

/// The rotation of a quaternion of any length but zero.
fn turn(reader: &mut Reader, quat: &Attribute, owner: &Owner) -> Result<Matrix3<f64>, UrdfError> {
    let q: [f64; 4] = quat.numbers()?;
    let (line, owner) = (quat.line, owner.clone());
    let Some((rotation, length)) = of_quaternion(q) else { return Err(UrdfError::ZeroQuaternion { line, owner }) };
    if (length - 1.0).abs() > NEAR_ONE {
        reader.report.push(line, NoteKind::QuaternionLength { owner, length });
    }
    Ok(rotation)
}
