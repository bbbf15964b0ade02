//! Wrenches on a robot whose effect on its joints is the same at all configurations: thrusters of a floating base.

use super::{FrameId, InputError, Model};
use crate::joint::JointKind;
use crate::spatial::{Force, Motion, Transform};
use nalgebra::Vector3;
use std::collections::BTreeMap;

/// What depends on the configuration differs by more than this, relative to the wrench; rounding along a path of a thousand joints leaves
/// 1e-13.
const ROUNDING: f64 = 1e-9;

/// Torques by degree of freedom.
pub(super) type Torques = BTreeMap<usize, f64>;

impl Model {
    /// Joint torques of a wrench that is fixed in a frame, `τ = J(q)ᵀ w` (nv), if these are the same at all configurations; none else.
    ///
    /// They are where nothing but one floating base, or a row of slides, carries the body. `wrench`: at the origin of the frame and in its
    /// axes, N and N m. Two configurations are compared, which no symmetry relates. Cost O(nv).
    ///
    /// ```
    /// use gradyn::joint::FreeFlyer;
    /// use gradyn::model::ModelBuilder;
    /// use gradyn::spatial::{Force, Inertia, Symmetric3, Transform};
    /// use nalgebra::Vector3;
    ///
    /// let mut builder = ModelBuilder::new("drone");
    /// let inertia = Inertia::new(1.0, Vector3::zeros(), Symmetric3::diagonal(0.1, 0.1, 0.2));
    /// let hull = builder.add_body(None, "hull", "base", Transform::identity(), FreeFlyer, inertia)?;
    /// builder.add_frame(Some(hull), "rotor", Transform::from_translation(Vector3::new(0.2, 0.0, 0.0)))?;
    /// let model = builder.build()?;
    /// let rotor = model.find_frame("rotor").expect("is there");
    /// let upward = Force::new(Vector3::z(), Vector3::zeros());
    /// assert_eq!(model.constant_torques(rotor, upward)?, Some(vec![0.0, 0.0, 1.0, 0.0, -0.2, 0.0]));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// [`InputError::OtherModel`] for a frame of another model.
    pub fn constant_torques(&self, frame: FrameId, wrench: Force<f64>) -> Result<Option<Vec<f64>>, InputError> {
        let at = &self.frames[self.check_frame(frame)?];
        let torques = TwoPlaces::of(self).in_frame((at.body, at.placement), wrench);
        Ok(torques.map(|torques| {
            let mut dense = vec![0.0; self.nv];
            torques.into_iter().for_each(|(dof, x)| dense[dof] = x);
            dense
        }))
    }
}

/// A body, none for the world, and a pose on it.
pub(super) type Seat = (Option<usize>, Transform<f64>);

/// Two configurations of a robot: what is the same at both is the same at all, unless a symmetry relates them.
pub(super) struct TwoPlaces<'m> {
    model: &'m Model,
    configurations: [Vec<f64>; 2],
}

impl<'m> TwoPlaces<'m> {
    pub(super) fn of(model: &'m Model) -> Self {
        let neutral = model.neutral::<f64>();
        let step: Vec<f64> = (0..model.nv).map(|k| 0.3 + 0.1 * (k % 5) as f64).collect();
        // Lengths are those of the model.
        let elsewhere = model.integrate(&neutral, &step).unwrap_or_else(|_| neutral.clone());
        Self { model, configurations: [neutral, elsewhere] }
    }

    /// Torques of a wrench that is fixed in a frame, if these are constant.
    pub(super) fn in_frame(&self, (body, pose): Seat, wrench: Force<f64>) -> Option<Torques> {
        self.same(norm(&pose.act(wrench)), |q| self.torques(q, body, pose.act(wrench)))
    }

    /// Torques of a wrench at the origin of a frame, in the axes of a second one, at whose origin its opposite acts; joints that carry both
    /// feel neither. If these are constant.
    pub(super) fn between(&self, frame: Seat, reference: Seat, wrench: Force<f64>) -> Option<Torques> {
        let size = norm(&frame.1.act(wrench)) + norm(&reference.1.act(wrench));
        self.same(size, |q| {
            let (x_frame, x_reference) = (self.pose(q, frame), self.pose(q, reference));
            let turned = x_frame.rotation.transpose() * x_reference.rotation;
            let turned = Transform::new(turned, Vector3::zeros()).act(wrench);
            let mut torques = self.torques(q, frame.0, frame.1.act(turned));
            let against = self.torques(q, reference.0, reference.1.act(wrench));
            let (above, above_reference) = (self.ancestors(frame.0), self.ancestors(reference.0));
            let common = above.iter().rev().zip(above_reference.iter().rev()).take_while(|(a, b)| a == b);
            let shared: Vec<usize> = common.flat_map(|(b, _)| self.model.bodies[*b].v.clone()).collect();
            against.into_iter().for_each(|(dof, x)| *torques.entry(dof).or_default() -= x);
            torques.retain(|dof, _| !shared.contains(dof));
            torques
        })
    }

    fn same(&self, size: f64, torques: impl Fn(&[f64]) -> Torques) -> Option<Torques> {
        let [here, there] = [0, 1].map(|k| torques(&self.configurations[k]));
        let is_near = |(a, b): (&f64, &f64)| (a - b).abs() <= ROUNDING * size;
        here.values().zip(there.values()).all(is_near).then_some(here)
    }

    /// Torques of a wrench in axes of a body: `Sᵀ w` of each joint on the path to the world.
    fn torques(&self, q: &[f64], mut at: Option<usize>, mut wrench: Force<f64>) -> Torques {
        let mut torques = Torques::new();
        while let Some(b) = at {
            let body = &self.model.bodies[b];
            let q = &q[body.q.clone()];
            let mut columns = vec![Motion::<f64>::zero(); body.v.len()];
            JointKind::<f64>::motion_subspace(&body.joint, q, &mut columns);
            body.v.clone().zip(columns).for_each(|(dof, s)| *torques.entry(dof).or_default() += s.power(wrench));
            wrench = (body.placement * JointKind::<f64>::pose(&body.joint, q)).act(wrench);
            at = body.parent;
        }
        torques
    }

    fn pose(&self, q: &[f64], (body, mut pose): Seat) -> Transform<f64> {
        for b in self.ancestors(body) {
            let body = &self.model.bodies[b];
            pose = body.placement * JointKind::<f64>::pose(&body.joint, &q[body.q.clone()]) * pose;
        }
        pose
    }

    /// A body and what carries it, up to the root.
    fn ancestors(&self, body: Option<usize>) -> Vec<usize> {
        std::iter::successors(body, |b| self.model.bodies[*b].parent).collect()
    }
}

fn norm(wrench: &Force<f64>) -> f64 {
    wrench.linear.norm() + wrench.angular.norm()
}
