//! The wrench that a body needs, from its inertial parameters.

use super::finite;
use crate::dynamics::by_plan::{self, Kernels};
use crate::dynamics::jacobian::{add, clear};
use crate::dynamics::placed::{Placed, update};
use crate::dynamics::reference::{Attached, view};
use crate::dynamics::rnea::{base_acceleration, check_finite};
use crate::dynamics::{FrameRef, ReferenceFrame, Workspace};
use crate::level::at_level;
use crate::model::{InputError, Model};
use crate::spatial::{Motion, wrench_regressor};
use gradyn_derivatives::{Real, Scalar};
use nalgebra::{DMatrix, Vector3};

/// `W` with `f = W π_F`: the wrench that a body needs for its motion, gravity included, 6 × 10, linear rows first.
///
/// Everything is in coordinates of the frame F that is asked about: the wrench, with its moment about F's origin, and the
/// parameters `π_F` of the body that F belongs to (of any body fixed to F, such as a load whose parameters are sought).
/// `q`: nq, `v`, `a`: nv. For a frame fixed to the world, the wrench that holds a body there. Cost O(n); a second call
/// allocates nothing. Pinocchio's `computeFrameBodyRegressor`.
///
/// # Errors
/// As [`torque_regressor`](super::torque_regressor), and if the model has no such frame.
#[doc(alias = "frameBodyRegressor")]
pub fn frame_wrench_regressor<'w, P: Real, T: Scalar<P>>(
    model: &Model<P>,
    ws: &'w mut Workspace<T>,
    q: &[T],
    v: &[T],
    a: &[T],
    frame: impl Into<FrameRef>,
) -> Result<&'w DMatrix<T>, InputError> {
    let at = Attached::of(model, frame.into())?;
    model.check_state(q, v, a)?;
    ws.check(model)?;
    let quick = |kernels: Kernels<'_>| {
        let gravity: &Vector3<f64> = by_plan::same(&model.gravity)?;
        let found =
            kernels.frame_motion(*gravity, by_plan::state((q, v, a))?, by_plan::same(&at)?, ReferenceFrame::Local)?;
        by_plan::same(&found).copied()
    };
    let surely: Option<(Motion<T>, Motion<T>)> = by_plan::of(model, ws).and_then(quick);
    let (v, a) = match (surely, at.body) {
        (Some(found), _) => found,
        (None, Some(b)) => {
            check_finite(model, q, v, a)?;
            local_motion(&*update(model, ws, base_acceleration(model), (q, v, a)), b, &at)
        }
        (None, None) => {
            check_finite(model, q, v, a)?;
            (Motion::zero(), at.placement.lift::<T>().inv_act(base_acceleration(model)))
        }
    };
    let wrench = &mut ws.regressor.wrench;
    clear(wrench, 6, 10);
    of_wrench(&v, &a, wrench);
    finite(model, "frame_wrench_regressor", wrench)?;
    Ok(&ws.regressor.wrench)
}

at_level! {
    /// Velocity and acceleration of a frame of the body `b`, in its coordinates.
    fn local_motion<P: Real, T: Scalar<P>>(placed: &Placed<T>, b: usize, at: &Attached<P>) -> (Motion<T>, Motion<T>) {
        let seen = view(placed, b, at, ReferenceFrame::Local);
        (seen.motion(placed.velocity[b]), seen.motion(placed.acceleration[b]))
    }

    /// The wrench regressor of a body that moves like this, added up.
    fn of_wrench<T: Real>(v: &Motion<T>, a: &Motion<T>, to: &mut DMatrix<T>) {
        for (k, f) in wrench_regressor(*v, *a).into_iter().enumerate() {
            add(to, k, Motion::new(f.linear, f.angular));
        }
    }
}
