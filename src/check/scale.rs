//! What roundings are measured by where results cancel: how large a robot's masses and forces are, whatever its joints feel of
//! them.

use crate::dynamics::{ExternalWrench, Workspace, crba, forward_kinematics};
use crate::model::{InputError, Model};
use crate::spatial::Transform;

/// Sizes of what the dynamics at a state are sums of, in SI units; rotations and translations are not told from each other.
///
/// A rotor on an oblique axis has no Coriolis matrix and no gravity, but for a few roundings of these.
///
/// ```
/// use gradyn::check::Scale;
/// # use gradyn::{Model, UrdfOptions};
/// # let file = concat!(env!("CARGO_MANIFEST_DIR"), "/robots/pendulum.urdf");
/// # let model = Model::from_urdf_file(file, &UrdfOptions::new())?.model;
/// let scale = Scale::new(&model, &[0.0], &[0.0], &[])?;
/// // Hanging straight down gravity moves nothing, and yet:
/// assert!(scale.torque(&[0.0]) > 1.0);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Scale {
    /// Of mass matrices: the largest entry, and `Σ m r² + tr I_c` about the origins of the bodies at the root.
    pub mass: f64,
    /// Of loads: `Σ m g r`, and wrenches.
    pub loads: f64,
    /// How far bodies reach from there, at least one.
    pub reach: f64,
    /// `|v|`
    pub velocity: f64,
}

impl Scale {
    /// At a state; `q`: nq, `v`: nv.
    ///
    /// # Errors
    /// [`InputError`] if a length is wrong, or a number is not finite.
    pub fn new(model: &Model, q: &[f64], v: &[f64], wrenches: &[ExternalWrench]) -> Result<Self, InputError> {
        let ws = &mut Workspace::new(model);
        let mass = crba(model, ws, q)?.amax();
        let kinematics = forward_kinematics(model, ws, q, v, &vec![0.0; model.nv()])?;
        let gravity = model.gravity().norm();
        let mut scale = Self { mass, loads: 0.0, reach: 1.0, velocity: norm(v) };
        let mut origins = Vec::with_capacity(model.bodies().len());
        for (index, body) in model.bodies().iter().enumerate() {
            let pose = model.body_id(index).and_then(|body| kinematics.pose(body)).unwrap_or_else(Transform::identity);
            let origin = body.parent().map_or(pose.translation, |parent| origins[parent.index()]);
            origins.push(origin);
            let inertia = body.inertia();
            let center = pose.translation + pose.rotation * inertia.com;
            let r = (center - origin).norm().max((pose.translation - origin).norm());
            scale.mass += inertia.mass.abs() * r * r + inertia.rotational.trace().abs();
            scale.loads += inertia.mass.abs() * gravity * r;
            scale.reach = scale.reach.max(r);
        }
        let load = |w: &ExternalWrench| w.wrench.linear.norm() * scale.reach + w.wrench.angular.norm();
        scale.loads += wrenches.iter().map(load).sum::<f64>();
        Ok(scale)
    }

    /// Of torques at the accelerations `a`, and of their derivatives by configurations: `mass (|a| + |v|²) + loads`.
    #[must_use]
    pub fn torque(&self, a: &[f64]) -> f64 {
        self.mass * (norm(a) + self.velocity * self.velocity) + self.loads
    }

    /// Of motions of bodies, and of their derivatives: `reach (1 + |v| + |v|² + |a|)`.
    #[must_use]
    pub fn motion(&self, a: &[f64]) -> f64 {
        self.reach * (1.0 + self.velocity + self.velocity * self.velocity + norm(a))
    }
}

fn norm(x: &[f64]) -> f64 {
    x.iter().fold(0.0_f64, |sum, x| sum.hypot(*x))
}
