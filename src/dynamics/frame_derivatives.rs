//! Derivatives of velocities and accelerations of frames and points in closed form.
//!
//! With `S_k` a column of the subspace of a link on the path from the frame's body b to the root, `Ψ̇`, `Ψ̈`, `Ṡ` of
//! that link ([`Placed`]), and `δ` the variation in coordinates of the body, which `S_k` carries along:
//!
//! ```text
//! δv = Ψ̇_k                   ∂v/∂v_k = S_k                                                        (1)
//! δa = Ψ̈_k − v_b × Ψ̇_k       ∂a/∂v_k = Ψ̇_k + Ṡ_k − v_b × S_k        ∂a/∂a_k = S_k                 (2)
//! ```
//!
//! The reference determines which parts of `δ` and of `S_k × v`, `S_k × a` appear ([`FrameView::vary`]). Neither
//! depends on the bodies in between, so the cost is O(n) for the state and O(depth) for the matrices. The paper's `S`
//! are constant; [`Placed`] says how that covers every joint.
//!
//! Source: J. Carpentier, N. Mansard, *Analytical Derivatives of Rigid Body Dynamics Algorithms*, RSS 2018, section
//! III; (1) and (2) in the form of S. Singh, R. Russell, P. Wensing, RA-L 7(2), 2022.

use super::jacobian::{add, add_rows, check, clear, finite};
use super::placed::{Placed, update};
use super::reference::{Attached, check_body};
use super::{FrameRef, ReferenceFrame, Workspace, check_finite, first_not_finite};
use crate::default_fields::{default_of_fields, matrices_by_name};
use crate::dynamics::by_plan::{self, Kernels};
use crate::dynamics::reference::view;
use crate::formulas::frame_column::FrameColumn;
use crate::formulas::frame_view::FrameView;
use crate::level::at_level;
use crate::model::{BodyId, InputError, Model};
use crate::spatial::{Motion, vector as v3};
use gradyn_derivatives::{Real, Scalar};
use nalgebra::{DMatrix, Vector3};

/// Velocity and acceleration of a frame in a reference, and their derivatives. Matrices 6 × nv, linear rows first.
#[derive(Clone, Debug, PartialEq)]
pub struct FrameDerivatives<T = f64> {
    /// Velocity.
    pub velocity: Motion<T>,
    /// Spatial acceleration, or the classical one if that was asked for; gravity left out.
    pub acceleration: Motion<T>,
    /// `∂v/∂q`, along `q ⊕ ε e_k`.
    pub dvelocity_dq: DMatrix<T>,
    /// `∂v/∂q̇`: the Jacobian.
    pub dvelocity_dv: DMatrix<T>,
    /// `∂a/∂q`, along `q ⊕ ε e_k`.
    pub dacceleration_dq: DMatrix<T>,
    /// `∂a/∂q̇`
    pub dacceleration_dv: DMatrix<T>,
    /// `∂a/∂q̈`: the Jacobian.
    pub dacceleration_da: DMatrix<T>,
    /// Estimated errors, from the method of differences.
    pub errors: Option<Box<Self>>,
}

/// Velocity and acceleration of a point fixed in a body, in the axes of a reference, and their derivatives. Matrices 3
/// × nv.
#[derive(Clone, Debug, PartialEq)]
pub struct PointDerivatives<T = f64> {
    /// Velocity, m/s.
    pub velocity: Vector3<T>,
    /// Acceleration, m/s², gravity left out: the classical one, the rate of change of the velocity in axes at rest.
    pub acceleration: Vector3<T>,
    /// `∂u/∂q`, along `q ⊕ ε e_k`.
    pub dvelocity_dq: DMatrix<T>,
    /// `∂u/∂q̇`: the Jacobian.
    pub dvelocity_dv: DMatrix<T>,
    /// `∂u̇/∂q`, along `q ⊕ ε e_k`.
    pub dacceleration_dq: DMatrix<T>,
    /// `∂u̇/∂q̇`
    pub dacceleration_dv: DMatrix<T>,
    /// `∂u̇/∂q̈`: the Jacobian.
    pub dacceleration_da: DMatrix<T>,
    /// Estimated errors, from the method of differences.
    pub errors: Option<Box<Self>>,
}

matrices_by_name!(FrameDerivatives<T>; 5: dvelocity_dq, dvelocity_dv, dacceleration_dq, dacceleration_dv, dacceleration_da);
matrices_by_name!(PointDerivatives<T>; 5: dvelocity_dq, dvelocity_dv, dacceleration_dq, dacceleration_dv, dacceleration_da);

/// Whether velocity and acceleration, by their components, and all matrices are finite.
fn check_result<P: Real, T: Real, const N: usize>(
    model: &Model<P>,
    owner: &str,
    motions: [&[T]; 2],
    matrices: [(&'static str, &DMatrix<T>); N],
) -> Result<(), InputError> {
    for (what, motion) in ["velocity", "acceleration"].into_iter().zip(motions) {
        if first_not_finite(motion).is_some() {
            return Err(model.overflow_of(what, 0, owner.to_owned()));
        }
    }
    matrices.into_iter().try_for_each(|(what, m)| finite(model, what, m))
}

default_of_fields!(FrameDerivatives: [Motion::zero()] velocity, acceleration;
    dvelocity_dq, dvelocity_dv, dacceleration_dq, dacceleration_dv, dacceleration_da, errors);
default_of_fields!(PointDerivatives: [v3::zero()] velocity, acceleration;
    dvelocity_dq, dvelocity_dv, dacceleration_dq, dacceleration_dv, dacceleration_da, errors);

/// Results of this file.
#[derive(Clone, Debug)]
pub(crate) struct FrameDerivativesMemory<T> {
    pub(crate) frame: FrameDerivatives<T>,
    pub(crate) point: PointDerivatives<T>,
}

default_of_fields!(FrameDerivativesMemory: frame, point);

/// Velocity and spatial acceleration of a frame or a body in a reference, and their derivatives in closed form, in any
/// number type.
///
/// `q`: nq, `v`, `a`: nv. Right for every kind of joint; columns of degrees of freedom that do not move the frame are
/// exactly zero. Cost O(n); a second call allocates nothing. Over `f64`,
/// [`partials::frame_derivatives`](crate::partials::frame_derivatives) gives the choice of the method.
///
/// # Errors
/// [`InputError`] if a length is wrong, the workspace is another model's, the model has no such frame, or a number is
/// not finite.
#[doc(alias("computeForwardKinematicsDerivatives", "getFrameVelocityDerivatives", "getFrameAccelerationDerivatives"))]
pub fn frame_derivatives<'w, P: Real, T: Scalar<P>>(
    model: &Model<P>,
    ws: &'w mut Workspace<T>,
    q: &[T],
    v: &[T],
    a: &[T],
    frame: impl Into<FrameRef>,
    reference: ReferenceFrame,
) -> Result<&'w FrameDerivatives<T>, InputError> {
    run(model, ws, (q, v, a), frame.into(), reference, false)
}

/// Velocity and classical acceleration of a frame or a body in a reference, and their derivatives in closed form, in
/// any number type.
///
/// As [`frame_derivatives`], with the acceleration of
/// [`Kinematics::classical_acceleration_in`](super::Kinematics::classical_acceleration_in): its linear part is that of
/// the point whose velocity is asked for. Over `f64`,
/// [`partials::classical_frame_derivatives`](crate::partials::classical_frame_derivatives) gives the choice of the
/// method.
///
/// # Errors
/// As [`frame_derivatives`].
pub fn classical_frame_derivatives<'w, P: Real, T: Scalar<P>>(
    model: &Model<P>,
    ws: &'w mut Workspace<T>,
    q: &[T],
    v: &[T],
    a: &[T],
    frame: impl Into<FrameRef>,
    reference: ReferenceFrame,
) -> Result<&'w FrameDerivatives<T>, InputError> {
    run(model, ws, (q, v, a), frame.into(), reference, true)
}

/// Of a frame, with its spatial or its classical acceleration.
fn run<'w, P: Real, T: Scalar<P>>(
    model: &Model<P>,
    ws: &'w mut Workspace<T>,
    (q, v, a): (&[T], &[T], &[T]),
    frame: FrameRef,
    reference: ReferenceFrame,
    is_classical: bool,
) -> Result<&'w FrameDerivatives<T>, InputError> {
    let at = Attached::of(model, frame)?;
    model.check_state(q, v, a)?;
    ws.check(model)?;
    let mut memory = std::mem::take(&mut ws.frame_derivatives).unwrap_or_default();
    let out = &mut memory.frame;
    (out.velocity, out.acceleration, out.errors) = (Motion::zero(), Motion::zero(), None);
    let quick = |kernels: Kernels<'_>| {
        kernels.frame_derivatives(
            by_plan::state((q, v, a))?,
            by_plan::same(&at)?,
            reference,
            is_classical,
            by_plan::same_mut(out)?,
        )
    };
    if by_plan::of(model, ws).and_then(quick).is_some() {
        return Ok(&ws.frame_derivatives.insert(memory).frame);
    }
    if let Err(error) = check_finite(model, q, v, a) {
        ws.frame_derivatives = Some(memory);
        return Err(error);
    }
    out.matrices_mut().into_iter().for_each(|m| clear(m, 6, model.nv));
    let placed = &*update(model, ws, Motion::zero(), (q, v, a));
    if let Some(b) = at.body {
        of_frame(placed, b, &at, reference, is_classical, out);
    }
    let memory = ws.frame_derivatives.insert(memory);
    let motions = [memory.frame.velocity, memory.frame.acceleration].map(Motion::to_array);
    check_result(model, "a frame", motions.each_ref().map(|m| &m[..]), memory.frame.matrices())?;
    Ok(&memory.frame)
}

/// Velocity and acceleration of a point fixed in a body, and their derivatives in closed form, in any number type.
///
/// `q`: nq, `v`, `a`: nv; `point`: in coordinates of the body, m. The reference says in which axes: those of the body
/// for [`ReferenceFrame::Local`], those of the world else. The acceleration is the classical one. Cost O(n); a second
/// call allocates nothing.
///
/// # Errors
/// As [`frame_derivatives`].
#[expect(clippy::too_many_arguments, reason = "a state, a point and a reference")]
#[inline(never)]
#[doc(alias("getPointVelocityDerivatives", "getPointClassicAccelerationDerivatives"))]
pub fn point_derivatives<'w, P: Real, T: Scalar<P>>(
    model: &Model<P>,
    ws: &'w mut Workspace<T>,
    q: &[T],
    v: &[T],
    a: &[T],
    body: BodyId,
    point: Vector3<P>,
    reference: ReferenceFrame,
) -> Result<&'w PointDerivatives<T>, InputError> {
    check_body(model, body)?;
    model.check_state(q, v, a)?;
    ws.check(model)?;
    // The linear part of the motion of a frame at the point, in its axes or in the world's.
    let (at, reference) = (Attached::at_point(body, point), reference.of_point());
    let mut memory = std::mem::take(&mut ws.frame_derivatives).unwrap_or_default();
    let out = &mut memory.point;
    out.errors = None;
    let quick = |kernels: Kernels<'_>| {
        kernels.point_derivatives(by_plan::state((q, v, a))?, by_plan::same(&at)?, reference, by_plan::same_mut(out)?)
    };
    if by_plan::of(model, ws).and_then(quick).is_some() {
        return Ok(&ws.frame_derivatives.insert(memory).point);
    }
    if let Err(error) = check_finite(model, q, v, a) {
        ws.frame_derivatives = Some(memory);
        return Err(error);
    }
    out.matrices_mut().into_iter().for_each(|m| clear(m, 3, model.nv));
    let placed = &*update(model, ws, Motion::zero(), (q, v, a));
    of_point(placed, body.index(), &at, reference, out);
    let memory = ws.frame_derivatives.insert(memory);
    let PointDerivatives { velocity, acceleration, .. } = &memory.point;
    check_result(model, "a point", [velocity.as_slice(), acceleration.as_slice()], memory.point.matrices())?;
    Ok(&memory.point)
}

at_level! {
    /// Of a frame of the body `b`, added up.
    fn of_frame<P: Real, T: Scalar<P>>(
        placed: &Placed<T>,
        b: usize,
        at: &Attached<P>,
        reference: ReferenceFrame,
        is_classical: bool,
        out: &mut FrameDerivatives<T>,
    ) {
        let seen = view(placed, b, at, reference);
        let (velocity, acceleration) = (seen.motion(placed.velocity[b]), seen.motion(placed.acceleration[b]));
        out.velocity = velocity;
        out.acceleration = if is_classical { acceleration.classical::<T>(velocity) } else { acceleration };
        for k in path_columns(placed, b) {
            let mut by = column(placed, b, k, &seen);
            if is_classical {
                by = by.classical(velocity);
            }
            let dof = placed.dof[k];
            add(&mut out.dvelocity_dq, dof, by.velocity_q);
            add(&mut out.dvelocity_dv, dof, by.subspace);
            add(&mut out.dacceleration_dq, dof, by.acceleration_q);
            add(&mut out.dacceleration_dv, dof, by.acceleration_v);
            add(&mut out.dacceleration_da, dof, by.subspace);
        }
    }

    /// Of a point of the body `b`, added up.
    fn of_point<P: Real, T: Scalar<P>>(
        placed: &Placed<T>,
        b: usize,
        at: &Attached<P>,
        reference: ReferenceFrame,
        out: &mut PointDerivatives<T>,
    ) {
        let seen = view(placed, b, at, reference);
        let velocity = seen.motion(placed.velocity[b]);
        out.velocity = velocity.linear;
        out.acceleration = seen.motion(placed.acceleration[b]).classical::<T>(velocity).linear;
        for k in path_columns(placed, b) {
            let by = column(placed, b, k, &seen).classical(velocity);
            let dof = placed.dof[k];
            add_rows(&mut out.dvelocity_dq, 0, dof, by.velocity_q.linear);
            add_rows(&mut out.dvelocity_dv, 0, dof, by.subspace.linear);
            add_rows(&mut out.dacceleration_dq, 0, dof, by.acceleration_q.linear);
            add_rows(&mut out.dacceleration_dv, 0, dof, by.acceleration_v.linear);
            add_rows(&mut out.dacceleration_da, 0, dof, by.subspace.linear);
        }
    }
}

/// What the column `k` changes of a frame of body `b`.
#[inline(always)]
pub(crate) fn column<T: Real>(placed: &Placed<T>, b: usize, k: usize, seen: &FrameView<T>) -> FrameColumn<T> {
    let (s, psi_dot, psi_ddot, psi_s_dot) =
        (placed.columns[k], placed.psi_dot[k], placed.psi_ddot[k], placed.psi_s_dot[k]);
    FrameColumn::new(seen, (placed.velocity[b], placed.acceleration[b]), s, psi_dot, psi_ddot, psi_s_dot)
}

/// The columns of the links from a body to the root.
#[inline(always)]
pub(crate) fn path_columns<T: Real>(placed: &Placed<T>, body: usize) -> impl Iterator<Item = usize> {
    placed.path(placed.carrier[body]).flat_map(|link| link.columns.clone())
}

/// Checks lengths, workspace and numbers of a state.
pub(super) fn check_state<P: Real, T: Scalar<P>>(
    model: &Model<P>,
    ws: &Workspace<T>,
    q: &[T],
    v: &[T],
    a: &[T],
) -> Result<(), InputError> {
    model.check_state(q, v, a)?;
    check(model, ws, q, v)?;
    super::rnea::check_finite(model, &[], &[], a)
}
