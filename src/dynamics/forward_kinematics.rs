//! Poses and motions of the bodies.

use super::external::step_world_poses;
use super::slice_ops::are_finite;
use super::{FrameRef, ReferenceFrame, Workspace, check_finite, step};
use crate::dynamics::by_plan;
use crate::kernels::by_joint::quantities::Bodies;
use crate::level::at_level;
use crate::model::{BodyId, FrameId, InputError, Model};
use crate::spatial::{Motion, Transform, vector as v3};
use gradyn_derivatives::{Real, Scalar};
use nalgebra::Vector3;

/// Poses, velocities and accelerations of all bodies and frames; borrows from the workspace. Those of bodies are
/// finite; others are made from them when asked for, and are not where that is too large.
#[derive(Clone, Copy, Debug)]
pub struct Kinematics<'w, P, T> {
    model: &'w Model<P>,
    ws: &'w Workspace<T>,
    /// Whether they are in the rows of the form over `f64`.
    by_joint: bool,
}

/// Poses, velocities and spatial accelerations of all bodies at `(q, v, a)`, gravity left out.
///
/// `q`: nq, `v`, `a`: nv. Cost O(n); allocates nothing.
///
/// # Errors
/// [`InputError`] if a length is wrong, the workspace is another model's, or a number is not finite: an argument, or a
/// pose or a motion of a body, by its index.
#[inline(never)]
#[doc(alias(
    "forwardKinematics",
    "updateFramePlacements",
    "framesForwardKinematics",
    "mj_kinematics",
    "relative_twist"
))]
pub fn forward_kinematics<'w, P: Real, T: Scalar<P>>(
    model: &'w Model<P>,
    ws: &'w mut Workspace<T>,
    q: &[T],
    v: &[T],
    a: &[T],
) -> Result<Kinematics<'w, P, T>, InputError> {
    model.check_state(q, v, a)?;
    ws.check(model)?;
    if by_plan::of(model, ws).and_then(|kernels| kernels.bodies(by_plan::state((q, v, a))?)).is_some() {
        return Ok(Kinematics { model, ws, by_joint: true });
    }
    check_finite(model, q, v, a)?;
    move_bodies(model, ws, q, v, a);
    match first_body_not_finite(model, ws) {
        Some((what, i)) => Err(model.overflow_of(what, i, format!("body {}", model.bodies[i].name))),
        None => Ok(Kinematics { model, ws, by_joint: false }),
    }
}

at_level! {
    /// From the root to the leaves: motions in coordinates of the bodies, then poses in the world.
    fn move_bodies<P: Real, T: Scalar<P>>(model: &Model<P>, ws: &mut Workspace<T>, q: &[T], v: &[T], a: &[T]) {
        for (i, body) in model.bodies.iter().enumerate() {
            let columns = &mut ws.columns[ws.first[i]..][..body.v.len()];
            let (q, v, a) = (&q[body.q.clone()], &v[body.v.clone()], &a[body.v.clone()]);
            let (x_pb, trig) = (&mut ws.x_pb[i], &mut ws.trig[i]);
            T::call(step::Pose { body, q, columns: &mut *columns, trig, x_pb: &mut *x_pb });
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
    }

    /// The first body whose pose or motion is not finite, and which of them.
    fn first_body_not_finite<P: Real, T: Scalar<P>>(
        model: &Model<P>,
        ws: &Workspace<T>,
    ) -> Option<(&'static str, usize)> {
        for i in 0..model.bodies.len() {
            let (x, v, a) = (&ws.x_wb[i], &ws.velocity[i], &ws.acceleration[i]);
            if !(are_finite(x.rotation.as_slice()) && are_finite(x.translation.as_slice())) {
                return Some(("pose", i));
            }
            if !(are_finite(v.linear.as_slice()) && are_finite(v.angular.as_slice())) {
                return Some(("velocity", i));
            }
            if !(are_finite(a.linear.as_slice()) && are_finite(a.angular.as_slice())) {
                return Some(("acceleration", i));
            }
        }
        None
    }

    /// `x_wf = x_wb x_bf`
    fn pose_of_frame<P: Real, T: Scalar<P>>(x_wb: &Transform<T>, x_bf: &Transform<P>) -> Transform<T> {
        *x_wb * x_bf.lift::<T>()
    }

    /// A motion of the body, in coordinates of a frame fixed to it.
    fn motion_of_frame<P: Real, T: Scalar<P>>(x_bf: &Transform<P>, m: &Motion<T>) -> Motion<T> {
        x_bf.inv_act(*m)
    }

    /// A motion in coordinates of its frame, in the reference.
    fn in_reference<T: Real>(reference: ReferenceFrame, x_wf: &Transform<T>, m: &Motion<T>) -> Motion<T> {
        reference.motion_from_local(x_wf, *m)
    }

    /// The classical acceleration in the reference, from velocity and spatial acceleration in coordinates of the frame.
    fn classical<T: Real>(
        reference: ReferenceFrame,
        x_wf: &Transform<T>,
        velocity: &Motion<T>,
        acceleration: &Motion<T>,
    ) -> Motion<T> {
        let velocity = reference.motion_from_local(x_wf, *velocity);
        reference.motion_from_local(x_wf, *acceleration).classical::<T>(velocity)
    }

    fn point_of<P: Real, T: Scalar<P>>(x_wb: &Transform<T>, point: Vector3<P>) -> Vector3<T> {
        x_wb.point(v3::lift::<P, T>(point))
    }

    fn velocity_of_point<P: Real, T: Scalar<P>>(velocity: &Motion<T>, point: Vector3<P>) -> Vector3<T> {
        velocity.velocity_at(point)
    }

    fn acceleration_of_point<P: Real, T: Scalar<P>>(
        velocity: &Motion<T>,
        acceleration: &Motion<T>,
        point: Vector3<P>,
    ) -> Vector3<T> {
        acceleration.acceleration_at(point, *velocity)
    }

    fn turned<T: Real>(x_wb: &Transform<T>, u: &Vector3<T>) -> Vector3<T> {
        x_wb.vector(*u)
    }
}

impl<P: Real, T: Scalar<P>> Kinematics<'_, P, T> {
    /// Pose of a body in the world, `x_wb`; `None` if it is not the model's.
    #[must_use]
    pub fn pose(&self, body: BodyId) -> Option<Transform<T>> {
        match self.rows(body) {
            Some((rows, lane, origin)) => {
                let x: Transform<T> = rows.pose_of(lane);
                let origin = Vector3::new(T::from(origin.x), T::from(origin.y), T::from(origin.z));
                Some(Transform::new(x.rotation, v3::add(origin, x.translation)))
            }
            None => self.ws.x_wb.get(self.model.place_of(body)?).copied(),
        }
    }
    /// Spatial velocity of a body, in its coordinates.
    #[must_use]
    pub fn velocity(&self, body: BodyId) -> Option<Motion<T>> {
        match self.rows(body) {
            Some((rows, lane, _)) => Some(rows.velocity_of(lane)),
            None => self.ws.velocity.get(self.model.place_of(body)?).copied(),
        }
    }
    /// Spatial acceleration of a body, in its coordinates, gravity left out.
    #[must_use]
    pub fn acceleration(&self, body: BodyId) -> Option<Motion<T>> {
        match self.rows(body) {
            Some((rows, lane, _)) => Some(rows.acceleration_of(lane)),
            None => self.ws.acceleration.get(self.model.place_of(body)?).copied(),
        }
    }
    /// Pose of a frame in the world, `x_wf`.
    #[must_use]
    #[doc(alias("updateFramePlacement", "CalcRelativeTransform"))]
    #[inline(never)]
    pub fn frame_pose(&self, frame: FrameId) -> Option<Transform<T>> {
        let frame = self.model.frames.get(self.model.place_of_frame(frame)?)?;
        match frame.body {
            Some(b) => Some(pose_of_frame(&self.pose(self.model.id_of(b))?, &frame.placement)),
            None => Some(frame.placement.lift()),
        }
    }
    /// Spatial velocity of a frame, in its coordinates.
    #[must_use]
    #[inline(never)]
    pub fn frame_velocity(&self, frame: FrameId) -> Option<Motion<T>> {
        let frame = self.model.frames.get(self.model.place_of_frame(frame)?)?;
        match frame.body {
            Some(b) => Some(motion_of_frame(&frame.placement, &self.velocity(self.model.id_of(b))?)),
            None => Some(Motion::zero()),
        }
    }
    /// Spatial acceleration of a frame, in its coordinates, gravity left out.
    #[must_use]
    #[inline(never)]
    pub fn frame_acceleration(&self, frame: FrameId) -> Option<Motion<T>> {
        let frame = self.model.frames.get(self.model.place_of_frame(frame)?)?;
        match frame.body {
            Some(b) => Some(motion_of_frame(&frame.placement, &self.acceleration(self.model.id_of(b))?)),
            None => Some(Motion::zero()),
        }
    }

    /// Spatial velocity of a frame or a body, in the reference; `None` if it is not the model's.
    #[must_use]
    #[doc(alias = "getFrameVelocity")]
    pub fn velocity_in(&self, frame: impl Into<FrameRef>, reference: ReferenceFrame) -> Option<Motion<T>> {
        let (x_wf, velocity, _) = self.local(frame.into())?;
        Some(in_reference(reference, &x_wf, &velocity))
    }
    /// Velocity of a frame B measured in a frame M that moves itself, in axes of a frame E: Drake's `V_MB_E`. The
    /// linear part is that of B's origin as M sees it, `Rᵀ(v_wb − v_wm)`; `None` if a frame is not the model's.
    #[must_use]
    pub fn relative_velocity(
        &self,
        of: impl Into<FrameRef>,
        measured_in: impl Into<FrameRef>,
        in_axes_of: impl Into<FrameRef>,
    ) -> Option<Motion<T>> {
        let (x_wb, v_wb, _) = self.local(of.into())?;
        let (x_wm, v_wm, _) = self.local(measured_in.into())?;
        let (x_we, _, _) = self.local(in_axes_of.into())?;
        let x_bm: Transform<T> = x_wb.inv_mul(&x_wm);
        let v_mb = v_wb - x_bm.act(v_wm); //                      at B's origin, in its axes
        let to_e = |u: Vector3<T>| x_we.inv_vector::<T>(x_wb.vector::<T>(u));
        Some(Motion::new(to_e(v_mb.linear), to_e(v_mb.angular)))
    }
    /// Spatial acceleration of a frame or a body, in the reference, gravity left out.
    ///
    /// For [`ReferenceFrame::LocalWorldAligned`] it is that of [`ReferenceFrame::Local`] in other axes, as in
    /// Pinocchio, and not the rate of change of the velocity: that is the [classical](Self::classical_acceleration_in)
    /// one.
    #[must_use]
    #[doc(alias = "getFrameAcceleration")]
    pub fn acceleration_in(&self, frame: impl Into<FrameRef>, reference: ReferenceFrame) -> Option<Motion<T>> {
        let (x_wf, _, acceleration) = self.local(frame.into())?;
        Some(in_reference(reference, &x_wf, &acceleration))
    }
    /// Classical acceleration of a frame or a body, in the reference, gravity left out: the linear part is the
    /// acceleration of the point whose velocity is that of [`velocity_in`](Self::velocity_in).
    #[must_use]
    #[doc(alias = "getFrameClassicalAcceleration")]
    pub fn classical_acceleration_in(
        &self,
        frame: impl Into<FrameRef>,
        reference: ReferenceFrame,
    ) -> Option<Motion<T>> {
        let (x_wf, velocity, acceleration) = self.local(frame.into())?;
        Some(classical(reference, &x_wf, &velocity, &acceleration))
    }
    /// Position in the world of a point fixed in a body, given in coordinates of the body, m.
    #[must_use]
    pub fn point(&self, body: BodyId, point: Vector3<P>) -> Option<Vector3<T>> {
        Some(point_of(&self.pose(body)?, point))
    }
    /// Velocity of a point fixed in a body, m/s, in axes of the body ([`ReferenceFrame::Local`]) or of the world (the
    /// others).
    #[must_use]
    pub fn point_velocity(&self, body: BodyId, point: Vector3<P>, reference: ReferenceFrame) -> Option<Vector3<T>> {
        let velocity = velocity_of_point(&self.velocity(body)?, point);
        self.in_axes(body, velocity, reference)
    }
    /// Acceleration of a point fixed in a body, m/s², in axes of the body ([`ReferenceFrame::Local`]) or of the world
    /// (the others); gravity left out.
    #[must_use]
    pub fn point_acceleration(&self, body: BodyId, point: Vector3<P>, reference: ReferenceFrame) -> Option<Vector3<T>> {
        let acceleration = acceleration_of_point(&self.velocity(body)?, &self.acceleration(body)?, point);
        self.in_axes(body, acceleration, reference)
    }

    /// Pose in the world, velocity and acceleration in its coordinates.
    fn local(&self, frame: FrameRef) -> Option<(Transform<T>, Motion<T>, Motion<T>)> {
        match frame {
            FrameRef::Body(body) => Some((self.pose(body)?, self.velocity(body)?, self.acceleration(body)?)),
            FrameRef::Frame(f) => Some((self.frame_pose(f)?, self.frame_velocity(f)?, self.frame_acceleration(f)?)),
        }
    }
    /// A vector in axes of the body, in those of the reference.
    fn in_axes(&self, body: BodyId, u: Vector3<T>, reference: ReferenceFrame) -> Option<Vector3<T>> {
        match reference {
            ReferenceFrame::Local => Some(u),
            ReferenceFrame::World | ReferenceFrame::LocalWorldAligned => Some(turned(&self.pose(body)?, &u)),
        }
    }
    /// Where the form over `f64` has left what is known of a body.
    fn rows(&self, body: BodyId) -> Option<(&Bodies, usize, Vector3<f64>)> {
        if self.by_joint { by_plan::rows_of(self.model, self.ws, self.model.place_of(body)?) } else { None }
    }
}
