//! Derivatives of the motion of frames and points, and of the torques of a wrench on a frame.
//!
//! Three methods behind each call. The closed forms stand beside the algorithms ([`dynamics::frame_derivatives`] …); dual
//! numbers and differences go through [`forward_kinematics`] and [`frame_jacobian`].

use super::state_function::by_method;
use super::{DerivativeWorkspace, Method, State, StateFunction, StateJacobian};
use crate::dynamics::{
    self, FrameDerivatives, FrameRef, JacobianTransposeDerivatives, PointDerivatives, ReferenceFrame, Workspace,
    forward_kinematics, frame_jacobian,
};
use crate::model::{BodyId, InputError, Model};
use crate::spatial::{Force, Motion, vector as v3};
use gradyn_derivatives::Scalar;
use nalgebra::{DMatrix, DVector, Vector3};

/// Velocity and spatial acceleration of a frame or a body in a reference, and their derivatives.
///
/// `q`: nq, `v`, `a`: nv; matrices 6 × nv, linear rows first. For [`ReferenceFrame::LocalWorldAligned`] the acceleration is
/// the spatial one in axes of the world, as in Pinocchio's `getFrameAccelerationDerivatives`. Right for every kind of joint.
/// A second call with [`Method::Analytical`] allocates nothing.
///
/// ```
/// use gradyn::dynamics::ReferenceFrame;
/// use gradyn::partials::{DerivativeWorkspace, Method, frame_derivatives};
/// # use gradyn::{Model, UrdfOptions};
/// # let file = concat!(env!("CARGO_MANIFEST_DIR"), "/robots/panda.urdf");
/// # let model = Model::from_urdf_file(file, &UrdfOptions::new())?.model;
/// # let (q, v, a) = (vec![0.1; model.nq()], vec![0.2; model.nv()], vec![0.3; model.nv()]);
/// let hand = model.find_frame("panda_link8").expect("is there");
/// let mut workspace = DerivativeWorkspace::new(&model);
/// let reference = ReferenceFrame::LocalWorldAligned;
/// let by = frame_derivatives(&model, &mut workspace, Method::Analytical, &q, &v, &a, hand, reference)?;
/// assert_eq!(by.dacceleration_dq.shape(), (6, model.nv()));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// [`InputError`] if a length is wrong, the workspace is another model's, the model has no such frame, or a number is not
/// finite.
#[expect(clippy::too_many_arguments, reason = "a state, a frame and a reference")]
#[doc(alias("computeForwardKinematicsDerivatives", "getFrameVelocityDerivatives", "getFrameAccelerationDerivatives"))]
pub fn frame_derivatives<'w>(
    model: &Model,
    ws: &'w mut DerivativeWorkspace,
    method: Method,
    q: &[f64],
    v: &[f64],
    a: &[f64],
    frame: impl Into<FrameRef>,
    reference: ReferenceFrame,
) -> Result<&'w FrameDerivatives, InputError> {
    let frame = frame.into();
    // Also the check of the arguments.
    dynamics::frame_derivatives(model, &mut ws.base, q, v, a, frame, reference)?;
    let result = &mut ws.base.frame_derivatives.get_or_insert_default().frame;
    if method != Method::Analytical {
        OfFrame { frame, reference, is_classical: false }.differentiate(model, method, (q, v, a), result)?;
    }
    Ok(result)
}

/// Velocity and classical acceleration of a frame or a body in a reference, and their derivatives.
///
/// As [`frame_derivatives`], but for the acceleration: its linear part is that of the point whose velocity is asked for, the rate
/// of change of that velocity in axes at rest. [`point_derivatives`] gives it for other points.
///
/// # Errors
/// As [`frame_derivatives`].
#[expect(clippy::too_many_arguments, reason = "a state, a frame and a reference")]
pub fn classical_frame_derivatives<'w>(
    model: &Model,
    ws: &'w mut DerivativeWorkspace,
    method: Method,
    q: &[f64],
    v: &[f64],
    a: &[f64],
    frame: impl Into<FrameRef>,
    reference: ReferenceFrame,
) -> Result<&'w FrameDerivatives, InputError> {
    let frame = frame.into();
    // Also the check of the arguments.
    dynamics::classical_frame_derivatives(model, &mut ws.base, q, v, a, frame, reference)?;
    let result = &mut ws.base.frame_derivatives.get_or_insert_default().frame;
    if method != Method::Analytical {
        OfFrame { frame, reference, is_classical: true }.differentiate(model, method, (q, v, a), result)?;
    }
    Ok(result)
}

/// Velocity and acceleration of a point fixed in a body, and their derivatives.
///
/// `q`: nq, `v`, `a`: nv; `point`: in coordinates of the body, m; matrices 3 × nv. The reference says in which axes: those of
/// the body for [`ReferenceFrame::Local`], those of the world else. The acceleration is the classical one. A second call with
/// [`Method::Analytical`] allocates nothing.
///
/// # Errors
/// As [`frame_derivatives`].
#[expect(clippy::too_many_arguments, reason = "a state, a point and a reference")]
#[doc(alias("getPointVelocityDerivatives", "getPointClassicAccelerationDerivatives"))]
pub fn point_derivatives<'w>(
    model: &Model,
    ws: &'w mut DerivativeWorkspace,
    method: Method,
    q: &[f64],
    v: &[f64],
    a: &[f64],
    body: BodyId,
    point: Vector3<f64>,
    reference: ReferenceFrame,
) -> Result<&'w PointDerivatives, InputError> {
    // Also the check of the arguments.
    dynamics::point_derivatives(model, &mut ws.base, q, v, a, body, point, reference)?;
    let result = &mut ws.base.frame_derivatives.get_or_insert_default().point;
    if method != Method::Analytical {
        let state = State { q, v, u: a, wrenches: &[] };
        let (by, errors) = by_method(model, &OfPoint { body, point, reference }, method, state)?;
        *result = PointDerivatives::from(&by);
        result.errors = errors.map(|by| Box::new(PointDerivatives::from(&by)));
    }
    Ok(result)
}

/// The torques `Jᵀ f` of a wrench on a frame or a body, and `∂(Jᵀ f)/∂q`.
///
/// `q`: nq; `force`: force and moment, given in the reference, whose coordinates it keeps when the robot moves. A second call
/// with [`Method::Analytical`] allocates nothing.
///
/// # Errors
/// As [`frame_derivatives`].
pub fn jacobian_transpose_derivatives<'w>(
    model: &Model,
    ws: &'w mut DerivativeWorkspace,
    method: Method,
    q: &[f64],
    frame: impl Into<FrameRef>,
    reference: ReferenceFrame,
    force: Force<f64>,
) -> Result<&'w JacobianTransposeDerivatives, InputError> {
    let frame = frame.into();
    // Also the check of the arguments.
    dynamics::jacobian_transpose_derivatives(model, &mut ws.base, q, frame, reference, force)?;
    let result = &mut ws.base.jacobian_transpose.get_or_insert_default().result;
    if method != Method::Analytical {
        let state = State { q, v: &[], u: &[], wrenches: &[] };
        let (by, errors) = by_method(model, &OfForce { frame, reference, force }, method, state)?;
        *result = JacobianTransposeDerivatives::from(by);
        result.errors = errors.map(|by| Box::new(JacobianTransposeDerivatives::from(by)));
    }
    Ok(result)
}

/// Velocity, then spatial or classical acceleration of a frame.
struct OfFrame {
    frame: FrameRef,
    reference: ReferenceFrame,
    is_classical: bool,
}

impl OfFrame {
    /// By duals or by differences.
    fn differentiate(
        &self,
        model: &Model,
        method: Method,
        (q, v, a): (&[f64], &[f64], &[f64]),
        result: &mut FrameDerivatives,
    ) -> Result<(), InputError> {
        let (by, errors) = by_method(model, self, method, State { q, v, u: a, wrenches: &[] })?;
        *result = FrameDerivatives::from(&by);
        result.errors = errors.map(|by| Box::new(FrameDerivatives::from(&by)));
        Ok(())
    }
}

impl StateFunction for OfFrame {
    fn outputs(&self, _model: &Model) -> usize {
        12
    }
    fn evaluate<T: Scalar>(
        &self,
        model: &Model,
        ws: &mut Workspace<T>,
        state: State<'_, T>,
        out: &mut [T],
    ) -> Result<(), InputError> {
        let kinematics = forward_kinematics(model, ws, state.q, state.v, state.u)?;
        // The frame has been found before.
        let velocity = kinematics.velocity_in(self.frame, self.reference).unwrap_or_else(Motion::zero);
        let acceleration = if self.is_classical {
            kinematics.classical_acceleration_in(self.frame, self.reference)
        } else {
            kinematics.acceleration_in(self.frame, self.reference)
        };
        let acceleration = acceleration.unwrap_or_else(Motion::zero);
        out[..6].copy_from_slice(&velocity.to_array());
        out[6..].copy_from_slice(&acceleration.to_array());
        Ok(())
    }
}

/// Velocity, then acceleration of a point.
struct OfPoint {
    body: BodyId,
    point: Vector3<f64>,
    reference: ReferenceFrame,
}

impl StateFunction for OfPoint {
    fn outputs(&self, _model: &Model) -> usize {
        6
    }
    fn evaluate<T: Scalar>(
        &self,
        model: &Model,
        ws: &mut Workspace<T>,
        state: State<'_, T>,
        out: &mut [T],
    ) -> Result<(), InputError> {
        let Self { body, point, reference } = *self;
        let kinematics = forward_kinematics(model, ws, state.q, state.v, state.u)?;
        // The body has been found before.
        let velocity = kinematics.point_velocity(body, point, reference).unwrap_or_else(v3::zero);
        let acceleration = kinematics.point_acceleration(body, point, reference).unwrap_or_else(v3::zero);
        out[..3].copy_from_slice(velocity.as_slice());
        out[3..].copy_from_slice(acceleration.as_slice());
        Ok(())
    }
}

/// `Jᵀ f`
struct OfForce {
    frame: FrameRef,
    reference: ReferenceFrame,
    force: Force<f64>,
}

impl StateFunction for OfForce {
    fn outputs(&self, model: &Model) -> usize {
        model.nv()
    }
    fn evaluate<T: Scalar>(
        &self,
        model: &Model,
        ws: &mut Workspace<T>,
        state: State<'_, T>,
        out: &mut [T],
    ) -> Result<(), InputError> {
        let j = frame_jacobian(model, ws, state.q, self.frame, self.reference)?;
        let f = self.force.to_array();
        for (k, to) in out.iter_mut().enumerate() {
            *to = f.iter().enumerate().fold(T::zero(), |sum, (row, f)| sum + j[(row, k)] * *f);
        }
        Ok(())
    }
}

/// `n` rows of a matrix.
pub(super) fn rows(m: &DMatrix<f64>, start: usize, n: usize) -> DMatrix<f64> {
    m.rows(start, n).into_owned()
}

/// Three of the values.
pub(super) fn vector(x: &DVector<f64>, start: usize) -> Vector3<f64> {
    Vector3::new(x[start], x[start + 1], x[start + 2])
}

impl From<&StateJacobian> for FrameDerivatives {
    fn from(by: &StateJacobian) -> Self {
        let motion = |start| Motion::new(vector(&by.value, start), vector(&by.value, start + 3));
        Self {
            velocity: motion(0),
            acceleration: motion(6),
            dvelocity_dq: rows(&by.dq, 0, 6),
            dvelocity_dv: rows(&by.dv, 0, 6),
            dacceleration_dq: rows(&by.dq, 6, 6),
            dacceleration_dv: rows(&by.dv, 6, 6),
            dacceleration_da: rows(&by.du, 6, 6),
            errors: None,
        }
    }
}

impl From<&StateJacobian> for PointDerivatives {
    fn from(by: &StateJacobian) -> Self {
        Self {
            velocity: vector(&by.value, 0),
            acceleration: vector(&by.value, 3),
            dvelocity_dq: rows(&by.dq, 0, 3),
            dvelocity_dv: rows(&by.dv, 0, 3),
            dacceleration_dq: rows(&by.dq, 3, 3),
            dacceleration_dv: rows(&by.dv, 3, 3),
            dacceleration_da: rows(&by.du, 3, 3),
            errors: None,
        }
    }
}

impl From<StateJacobian> for JacobianTransposeDerivatives {
    fn from(by: StateJacobian) -> Self {
        Self { torque: by.value, dtorque_dq: by.dq, errors: None }
    }
}
