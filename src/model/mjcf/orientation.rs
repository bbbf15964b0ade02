//! How frames are turned, and where they stand.

use super::element::Values;
use super::error::{Fault, MjcfError};
use super::settings::{Settings, Turn};
use crate::model::source::rotation::{of_quaternion, unit};
use crate::spatial::so3::about_axis;
use crate::spatial::{Transform, vector as v3};
use nalgebra::{Matrix3, Vector3};

const OTHERS: [&str; 4] = ["axisangle", "xyaxes", "zaxis", "euler"];

/// Where a frame stands: its `pos`, and its orientation.
pub(super) fn pose(values: &Values, settings: &Settings) -> Result<Transform<f64>, MjcfError> {
    Ok(Transform::new(rotation(values, settings)?, values.vector("pos")?))
}

/// The orientation. What the element says counts before what its class says, but `quat` counts after the others, of
/// wherever they are: MuJoCo has it so.
pub(super) fn rotation(values: &Values, settings: &Settings) -> Result<Matrix3<f64>, MjcfError> {
    let own: Vec<_> = values.element.attributes.iter().map(|a| a.spec.name).collect();
    let mut given = ["quat"].into_iter().chain(OTHERS).filter(|name| own.contains(name));
    if let (Some(first), Some(second)) = (given.next(), given.next()) {
        return Err(values.element.fault(Fault::TwoOrientations { owner: values.element.owner(), first, second }));
    }
    let inherited = || OTHERS.into_iter().find(|name| values.defaults.iter().any(|a| a.spec.name == *name));
    let name = OTHERS.into_iter().find(|name| own.contains(name)).or_else(inherited);
    let zero = |attribute| Fault::Zero { owner: values.element.owner(), attribute }.at(values.place(attribute));
    Ok(match name {
        Some(name @ "axisangle") => {
            let [x, y, z, angle] = values.array(name)?;
            let axis = unit(Vector3::new(x, y, z)).ok_or_else(|| zero(name))?;
            about_axis(axis, angle * settings.angle)
        }
        Some(name @ "xyaxes") => {
            let [a, b, c, d, e, f] = values.array(name)?;
            let x = unit(Vector3::new(a, b, c)).ok_or_else(|| zero(name))?;
            let y = Vector3::new(d, e, f);
            let y = unit(v3::sub(y, v3::scale(v3::dot(x, y), x))).ok_or_else(|| zero(name))?;
            Matrix3::from_columns(&[x, y, v3::cross(x, y)])
        }
        Some(name @ "zaxis") => from_z(unit(values.vector(name)?).ok_or_else(|| zero(name))?),
        Some(name) => euler(values.array(name)?, settings),
        None => of_wxyz(values.array("quat")?).ok_or_else(|| zero("quat"))?,
    })
}

/// The rotation of a quaternion `w x y z` of any length but zero.
pub(super) fn of_wxyz([w, x, y, z]: [f64; 4]) -> Option<Matrix3<f64>> {
    of_quaternion([x, y, z, w]).map(|(rotation, _)| rotation)
}

/// Three angles, in the unit of the file: about axes that turn along each comes after the others, about fixed axes before.
pub(super) fn euler(angles: [f64; 3], settings: &Settings) -> Matrix3<f64> {
    let mut rotation = v3::identity();
    for (angle, Turn { axis, intrinsic }) in angles.iter().zip(settings.euler) {
        let one = about_axis(v3::column(&v3::identity(), axis), angle * settings.angle);
        rotation = if intrinsic { v3::product(&rotation, &one) } else { v3::product(&one, &rotation) };
    }
    rotation
}

/// The shortest rotation that takes z to a direction; half a turn about x to −z.
pub(super) fn from_z(direction: Vector3<f64>) -> Matrix3<f64> {
    let across = Vector3::new(-direction.y, direction.x, 0.0);
    let sine = v3::norm_squared(across).sqrt();
    // MuJoCo's bound: nearer to the axis it takes x.
    let axis = if sine < 1e-10 { Vector3::new(1.0, 0.0, 0.0) } else { v3::scale(sine.recip(), across) };
    about_axis(axis, sine.atan2(direction.z))
}
