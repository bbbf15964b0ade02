//! The unit of rounding where results cancel: the size of a robot's masses and forces, whether or not its joints feel
//! them.

use crate::dynamics::{ExternalWrench, Workspace, crba, forward_kinematics};
use crate::model::{InputError, Model};
use crate::spatial::Transform;

/// Sizes of the terms of the dynamics at a state, in SI units; rotations and translations are not distinguished.
///
/// A rotor on an oblique axis has no Coriolis matrix and no gravity, up to a few roundings of these.
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
    /// Of loads: `Σ m g r`, wrenches, and springs.
    pub loads: f64,
    /// The reach of bodies from there, at least one.
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
        let mass = crba(model, &mut Workspace::new(model), q)?.amax();
        let start = Self { mass, loads: 0.0, reach: 1.0, velocity: norm(v) };
        Ok(Self::of_bodies(model, q, v, wrenches)?.iter().fold(start, Self::with))
    }

    /// The scale of each degree of freedom (`nv` of them), from what its joint carries: a torque is a sum over the
    /// bodies behind its joint alone.
    ///
    /// # Errors
    /// As [`new`](Self::new).
    pub fn rows(model: &Model, q: &[f64], v: &[f64], wrenches: &[ExternalWrench]) -> Result<Vec<Self>, InputError> {
        let mut carried = Self::of_bodies(model, q, v, wrenches)?;
        let mut ws = Workspace::new(model);
        let mass = crba(model, &mut ws, q)?;
        let start = Self { mass: 0.0, loads: 0.0, reach: 1.0, velocity: norm(v) };
        let mut rows: Vec<Self> = (0..model.nv()).map(|i| Self { mass: mass.row(i).amax(), ..start }).collect();
        for (index, body) in model.bodies().iter().enumerate().rev() {
            let own = carried[index];
            if let Some(parent) = body.parent() {
                carried[parent.index()] = carried[parent.index()].with(&own);
            }
            for row in body.v_range() {
                rows[row] = rows[row].with(&own);
            }
        }
        Ok(rows)
    }

    /// The sum of both.
    fn with(self, other: &Self) -> Self {
        Self {
            mass: self.mass + other.mass,
            loads: self.loads + other.loads,
            reach: self.reach.max(other.reach),
            velocity: self.velocity,
        }
    }

    /// The contribution of each body.
    fn of_bodies(model: &Model, q: &[f64], v: &[f64], wrenches: &[ExternalWrench]) -> Result<Vec<Self>, InputError> {
        let ws = &mut Workspace::new(model);
        let kinematics = forward_kinematics(model, ws, q, v, &vec![0.0; model.nv()])?;
        let gravity = model.gravity().norm();
        let mut origins = Vec::with_capacity(model.bodies().len());
        let mut all = Vec::with_capacity(model.bodies().len());
        for (index, body) in model.bodies().iter().enumerate() {
            let pose = model.body_id(index).and_then(|body| kinematics.pose(body)).unwrap_or_else(Transform::identity);
            let origin = body.parent().map_or(pose.translation, |parent| origins[parent.index()]);
            origins.push(origin);
            let inertia = body.inertia();
            let center = pose.translation + pose.rotation * inertia.com;
            let r = (center - origin).norm().max((pose.translation - origin).norm());
            all.push(Self {
                mass: inertia.mass.abs() * r * r + inertia.rotational.trace().abs(),
                loads: inertia.mass.abs() * gravity * r,
                reach: r,
                velocity: norm(v),
            });
        }
        let reach = all.iter().fold(1.0_f64, |most, body| most.max(body.reach));
        for spring in model.springs() {
            // Also of its derivative, so that a spring near its reference has its size.
            let torque = spring.torque(q[spring.coordinate]).abs();
            all[spring.body].loads += torque.max(spring.slope().abs());
        }
        for spring in model.pose_springs() {
            let at = spring.bent(q);
            let columns = at.slope().into_iter().chain([at.torque()]);
            all[spring.body].loads += columns.map(|force| norm(&force.to_array())).fold(0.0, f64::max);
        }
        for ExternalWrench { body, wrench, .. } in wrenches {
            all[body.index()].loads += wrench.linear.norm() * reach + wrench.angular.norm();
        }
        Ok(all)
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
