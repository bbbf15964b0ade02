//! Rates of Jacobians, and the accelerations that they cause.

use super::jacobian::{add, check, check_sizes, clear, finite};
use super::placed::{Placed, update};
use super::reference::Attached;
use super::{FrameRef, ReferenceFrame, Workspace, check_finite, first_not_finite};
use crate::dynamics::by_plan::{self, Kernels};
use crate::dynamics::reference::view;
use crate::formulas::frame_column::variation;
use crate::level::at_level;
use crate::model::{InputError, Model};
use crate::spatial::Motion;
use gradyn_derivatives::{Real, Scalar};
use nalgebra::DMatrix;

/// Time derivative of the Jacobian of a frame, `J̇(q, q̇)`: entry by entry, along the motion, in the reference; 6 × nv.
///
/// `q`: nq, `v`: nv. With `Ṡ_k = v × S_k`, v the velocity of what the degree of freedom k moves, and `v_b` that of the
/// frame's body: `J̇` has the columns `Ṡ_k` in the world, `Ṡ_k − v_b × S_k` in coordinates of the frame. So
/// `J q̈ + J̇ q̇` is the spatial acceleration for [`ReferenceFrame::Local`] and [`ReferenceFrame::World`], and the
/// classical one for [`ReferenceFrame::LocalWorldAligned`], where it is the rate of change of the velocity. Cost O(n);
/// a second call allocates nothing.
///
/// # Errors
/// As [`frame_jacobian`](super::frame_jacobian).
#[doc(alias("computeJointJacobiansTimeVariation", "getFrameJacobianTimeVariation", "Jdot"))]
pub fn frame_jacobian_rate<'w, P: Real, T: Scalar<P>>(
    model: &Model<P>,
    ws: &'w mut Workspace<T>,
    q: &[T],
    v: &[T],
    frame: impl Into<FrameRef>,
    reference: ReferenceFrame,
) -> Result<&'w DMatrix<T>, InputError> {
    let at = Attached::of(model, frame.into())?;
    model.check_length("v", "nv", v.len(), model.nv)?;
    check_sizes(model, ws, q)?;
    let quick = |kernels: Kernels<'_>| {
        kernels.frame_jacobian_rate((T::as_f64s(q)?, T::as_f64s(v)?), by_plan::same(&at)?, reference)
    };
    if by_plan::of(model, ws).and_then(quick).is_some() {
        return Ok(&ws.jacobian.rate);
    }
    check_finite(model, q, v, &[])?;
    let (mut rate, zeros) = take(model, ws);
    clear(&mut rate, 6, model.nv);
    let placed = update(model, ws, Motion::zero(), (q, v, &zeros));
    if let Some(b) = at.body {
        rates(&*placed, b, &at, reference, &mut rate);
    }
    (ws.jacobian.rate, ws.jacobian.zeros) = (rate, zeros);
    finite(model, "frame_jacobian_rate", &ws.jacobian.rate)?;
    Ok(&ws.jacobian.rate)
}

at_level! {
    /// The columns of a frame of the body `b`.
    fn rates<P: Real, T: Scalar<P>>(
        placed: &Placed<T>,
        b: usize,
        at: &Attached<P>,
        reference: ReferenceFrame,
        rate: &mut DMatrix<T>,
    ) {
        let (seen, v_b) = (view(placed, b, at, reference), placed.velocity[b]);
        for link in placed.path(placed.carrier[b]) {
            for k in link.columns.clone() {
                let s = placed.columns[k];
                let s_dot = placed.psi_s_dot[k] - placed.psi_dot[k];
                add(rate, placed.dof[k], variation(&seen, v_b, s, s_dot));
            }
        }
    }
}

/// The acceleration that a frame has without joint accelerations.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BiasAcceleration<T> {
    /// The spatial acceleration: `J̇ q̇` for [`ReferenceFrame::Local`] and [`ReferenceFrame::World`].
    pub spatial: Motion<T>,
    /// The classical one, whose linear part is the acceleration of a point ([`Motion::classical`]): `J̇ q̇` for
    /// [`ReferenceFrame::LocalWorldAligned`].
    pub classical: Motion<T>,
}

/// Acceleration of a frame at zero joint acceleration, in the reference, gravity left out.
///
/// `q`: nq, `v`: nv. Add `J q̈` to either form for the acceleration at `q̈`. Cost O(n); a second call allocates
/// nothing.
///
/// # Errors
/// As [`frame_jacobian`](super::frame_jacobian).
#[doc(alias("CalcBiasSpatialAcceleration", "Jdot v"))]
pub fn frame_bias_acceleration<P: Real, T: Scalar<P>>(
    model: &Model<P>,
    ws: &mut Workspace<T>,
    q: &[T],
    v: &[T],
    frame: impl Into<FrameRef>,
    reference: ReferenceFrame,
) -> Result<BiasAcceleration<T>, InputError> {
    let at = Attached::of(model, frame.into())?;
    model.check_length("v", "nv", v.len(), model.nv)?;
    check(model, ws, q, v)?;
    let (rate, zeros) = take(model, ws);
    let placed = update(model, ws, Motion::zero(), (q, v, &zeros));
    let bias = match at.body {
        Some(b) => bias_of(&*placed, b, &at, reference),
        None => BiasAcceleration { spatial: Motion::zero(), classical: Motion::zero() },
    };
    (ws.jacobian.rate, ws.jacobian.zeros) = (rate, zeros);
    let numbers = [bias.spatial.to_array(), bias.classical.to_array()];
    if numbers.iter().any(|x| first_not_finite(x).is_some()) {
        return Err(model.overflow("bias acceleration", 0));
    }
    Ok(bias)
}

at_level! {
    /// That of a frame of the body `b`.
    fn bias_of<P: Real, T: Scalar<P>>(
        placed: &Placed<T>,
        b: usize,
        at: &Attached<P>,
        reference: ReferenceFrame,
    ) -> BiasAcceleration<T> {
        let seen = view(placed, b, at, reference);
        let (velocity, spatial) = (seen.motion(placed.velocity[b]), seen.motion(placed.acceleration[b]));
        BiasAcceleration { spatial, classical: spatial.classical::<T>(velocity) }
    }
}

/// The memory for the result, and joint accelerations of zero: taken out, to be put back.
fn take<P: Real, T: Scalar<P>>(model: &Model<P>, ws: &mut Workspace<T>) -> (DMatrix<T>, Vec<T>) {
    let mut zeros = std::mem::take(&mut ws.jacobian.zeros);
    zeros.resize(model.nv, T::zero());
    (std::mem::take(&mut ws.jacobian.rate), zeros)
}
