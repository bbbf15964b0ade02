//! Where the bodies are and how they move.

use super::external::step_world_poses;
use super::rnea::check_finite;
use super::{Workspace, step};
use crate::model::{BodyId, FrameId, InputError, Model};
use crate::spatial::{Motion, Transform};
use gradyn_derivatives::{Real, Scalar};

/// Poses, velocities and accelerations of all bodies and frames; borrows from the workspace.
#[derive(Clone, Copy, Debug)]
pub struct Kinematics<'w, P, T> {
    model: &'w Model<P>,
    ws: &'w Workspace<T>,
}

/// Poses, velocities and spatial accelerations of all bodies at `(q, v, a)`, gravity left out.
///
/// `q`: nq, `v`, `a`: nv. Cost O(n); allocates nothing.
///
/// # Errors
/// [`InputError`] if a length is wrong, the workspace is another model's, or a number is not finite.
pub fn forward_kinematics<'w, P: Real, T: Scalar<P>>(
    model: &'w Model<P>,
    ws: &'w mut Workspace<T>,
    q: &[T],
    v: &[T],
    a: &[T],
) -> Result<Kinematics<'w, P, T>, InputError> {
    model.check_lengths(q.len(), v.len(), a.len())?;
    ws.check(model)?;
    check_finite(model, q, v, a)?;
    for (i, body) in model.bodies.iter().enumerate() {
        let columns = &mut ws.columns[ws.first[i]..][..body.v.len()];
        let (q, v, a) = (&q[body.q.clone()], &v[body.v.clone()], &a[body.v.clone()]);
        let x_pb = &mut ws.x_pb[i];
        step::pose(body, q, columns, &mut ws.trig[i], x_pb);
        if body.subspace_varies {
            ws.bias[i] = step::bias(body, q, v);
        }
        let (v_p, a_p) = match body.parent {
            Some(p) => (ws.velocity[p], ws.acceleration[p]),
            None => (Motion::zero(), Motion::zero()),
        };
        (ws.velocity[i], ws.acceleration[i]) = step::motion(body, x_pb, columns, &ws.bias[i], v, a, v_p, a_p);
    }
    step_world_poses(model, ws);
    Ok(Kinematics { model, ws })
}

impl<P: Real, T: Scalar<P>> Kinematics<'_, P, T> {
    /// Pose of a body in the world, `x_wb`; `None` if it is not the model's.
    #[must_use]
    pub fn pose(&self, body: BodyId) -> Option<Transform<T>> {
        self.ws.x_wb.get(body.0).copied()
    }
    /// Spatial velocity of a body, in its coordinates.
    #[must_use]
    pub fn velocity(&self, body: BodyId) -> Option<Motion<T>> {
        self.ws.velocity.get(body.0).copied()
    }
    /// Spatial acceleration of a body, in its coordinates, gravity left out.
    #[must_use]
    pub fn acceleration(&self, body: BodyId) -> Option<Motion<T>> {
        self.ws.acceleration.get(body.0).copied()
    }
    /// Pose of a frame in the world, `x_wf`.
    #[must_use]
    pub fn frame_pose(&self, frame: FrameId) -> Option<Transform<T>> {
        let frame = self.model.frames.get(frame.0)?;
        Some(match frame.body {
            Some(b) => self.ws.x_wb[b] * frame.placement.lift::<T>(),
            None => frame.placement.lift(),
        })
    }
    /// Spatial velocity of a frame, in its coordinates.
    #[must_use]
    pub fn frame_velocity(&self, frame: FrameId) -> Option<Motion<T>> {
        let frame = self.model.frames.get(frame.0)?;
        Some(frame.body.map_or_else(Motion::zero, |b| frame.placement.inv_act(self.ws.velocity[b])))
    }
    /// Spatial acceleration of a frame, in its coordinates, gravity left out.
    #[must_use]
    pub fn frame_acceleration(&self, frame: FrameId) -> Option<Motion<T>> {
        let frame = self.model.frames.get(frame.0)?;
        Some(frame.body.map_or_else(Motion::zero, |b| frame.placement.inv_act(self.ws.acceleration[b])))
    }
}
