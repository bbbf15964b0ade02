//! Gradients of `λᵀ τ` and `λᵀ q̈` with respect to every parameter of a robot, O(n).
//!
//! They follow from the subtree sums of [`rnea_gradient`](super::rnea_gradient()). Let `w` be the velocities of bodies
//! if λ were the joint velocities. Sum `h = I w` and `z = Bᵀ w` over the bodies that a frame carries; `f` are their
//! forces, φ the wrenches among them that are fixed in the world, and `v, a, w` the motion of the frame itself:
//!
//! ```text
//! inertia of a body           wᵀ W(v, a)            the regressor of its wrench, contracted                        (1)
//! a place, moved by s         sᵀ g                  g = v ×* (v ×* h − z) − a ×* h − (f − φ) ×̄* w − u              (2)
//! placement of a joint        X_mountᵀ g_λ          six unit motions of its mounting frame                         (3)
//! axis of a joint             (X_mountᵀ g_λ − X_bodyᵀ g_body)_angular                                              (4)
//! a motion s (q ẇith v, a)     q sᵀ g + v sᵀ(z − v_λ ×* h − v ×* h) + a sᵀ h + λ sᵀ f                              (5)
//! gravity                     −Σ_roots h, linear                                                                  (6)
//! ```
//!
//! (2) is the column of `∂(λᵀ τ)/∂q` of a virtual joint at rest, `Ψ̇ᵀ z + Ψ̈ᵀ h − sᵀ(…)` with `Ψ̇ = v × s`,
//! `Ψ̈ = a × s + v × Ψ̇`. A placement moves like a joint with six degrees of freedom before the joint. An axis rotated
//! by δ is a rotation by δ before the joint and by −δ behind it. (5) is a joint that moves along `s` in proportion to
//! another one: a pitch, or the multiplier of a mimic joint.

mod joint;

use super::Workspace;
use super::aba_gradient::{AbaGradient, aba_gradient};
use super::external::{self, ExternalWrench};
use super::placed::Placed;
use super::rnea_gradient::{RneaGradient, RneaGradientMemory, rnea_gradient};
use super::slice_ops::{first_not_finite, negate};
use crate::level::at_level;
use crate::model::{CurveConstant, InputError, JointConstant, Model, ParameterLayout};
use crate::spatial::{Force, Motion, power_regressor, vector as v3};
use gradyn_derivatives::{Real, Scalar};
use joint::{Next, of_joint, put};

/// `λᵀ τ` and its gradients by the state and by the parameters; borrows from the workspace.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RneaParameterGradient<'w, T> {
    /// By the state, and the value.
    pub state: RneaGradient<'w, T>,
    /// By the parameters, in the order of [`Model::parameter_layout`].
    pub dp: &'w [T],
}

/// `λᵀ q̈` and its gradients by the state and by the parameters; borrows from the workspace.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct AbaParameterGradient<'w, T> {
    /// By the state, and the value.
    pub state: AbaGradient<'w, T>,
    /// By the parameters, in the order of [`Model::parameter_layout`].
    pub dp: &'w [T],
}

/// Gradients of `λᵀ τ`, `τ = `[`rnea`](super::rnea())`(q, v, a, φ)`, by the state and by every parameter of the robot.
///
/// `q`: nq, `v`, `a`, `lambda`: nv; wrenches are held as they are. By inertias about the body's origin, friction,
/// damping, armature, springs, gravity, placements and axes of joints, pitches, multipliers and offsets of mimic joints: see
/// [`ParameterLayout`]. Without [joint friction](Model::has_joint_friction) the derivatives by friction and damping are
/// zero. Cost O(n); a second call with as many wrenches allocates nothing.
///
/// # Errors
/// As [`rnea_gradient`](super::rnea_gradient()).
#[doc(alias("adjoint", "vector-Jacobian product", "VJP"))]
#[inline(never)]
pub fn rnea_parameter_gradient<'w, P: Real, T: Scalar<P>>(
    model: &Model<P>,
    ws: &'w mut Workspace<T>,
    q: &[T],
    v: &[T],
    a: &[T],
    lambda: &[T],
    wrenches: &[ExternalWrench<T>],
) -> Result<RneaParameterGradient<'w, T>, InputError> {
    rnea_gradient(model, ws, q, v, a, lambda, wrenches)?;
    by_parameters(model, ws, (q, v, a), lambda);
    finite(model, "d(lambda tau)/dp", &ws.dp, wrenches)?;
    let ws = &*ws;
    match ws.rnea_gradient.as_deref() {
        Some(memory) => Ok(RneaParameterGradient { state: memory.results(), dp: &ws.dp }),
        None => Err(model.overflow_of("lambda tau", 0, model.whole_label())), // never: it has just been filled
    }
}

/// Gradients of `λᵀ q̈`, `q̈ = `[`aba`](super::aba())`(q, v, τ, φ)`, by the state and by every parameter of the robot.
///
/// Minus those of `μᵀ τ` at the accelerations `q̈`, with `μ = M⁻¹ λ`. `q`: nq, `v`, `tau`, `lambda`: nv. Cost that of
/// [`aba_gradient`](super::aba_gradient()) and O(n); a second call with as many wrenches allocates nothing.
///
/// # Errors
/// As [`aba_gradient`](super::aba_gradient()).
#[doc(alias("adjoint", "vector-Jacobian product", "VJP"))]
#[inline(never)]
pub fn aba_parameter_gradient<'w, P: Real, T: Scalar<P>>(
    model: &Model<P>,
    ws: &'w mut Workspace<T>,
    q: &[T],
    v: &[T],
    tau: &[T],
    lambda: &[T],
    wrenches: &[ExternalWrench<T>],
) -> Result<AbaParameterGradient<'w, T>, InputError> {
    let value = aba_gradient(model, ws, q, v, tau, lambda, wrenches)?.value;
    let memory = std::mem::take(&mut ws.aba_gradient);
    // Sums over subtrees are still those of (q, v, q̈; μ).
    let (ddq, mu) = memory.accelerations_and_multipliers();
    by_parameters(model, ws, (q, v, ddq), mu);
    ws.aba_gradient = memory;
    negate(&mut ws.dp);
    finite(model, "d(lambda ddq)/dp", &ws.dp, wrenches)?;
    let ws = &*ws;
    Ok(AbaParameterGradient { state: ws.aba_gradient.results(value), dp: &ws.dp })
}

fn finite<P: Real, T: Real>(
    model: &Model<P>,
    what: &'static str,
    dp: &[T],
    wrenches: &[ExternalWrench<T>],
) -> Result<(), InputError> {
    match first_not_finite(dp) {
        Some(index) => {
            let at_wrench = external::not_finite(model, wrenches);
            Err(at_wrench.unwrap_or_else(|| model.overflow_of(what, index, model.whole_label())))
        }
        None => Ok(()),
    }
}

/// All gradients by parameters, from what [`gradient`](super::rnea_gradient::gradient) at this state has left behind.
fn by_parameters<P: Real, T: Scalar<P>>(
    model: &Model<P>,
    ws: &mut Workspace<T>,
    state: (&[T], &[T], &[T]),
    lambda: &[T],
) {
    let (layout, mut dp) = (model.parameter_layout(), std::mem::take(&mut ws.dp));
    dp.resize(layout.len(), T::zero());
    let placed = &ws.placed;
    if let Some(sums) = ws.rnea_gradient.as_deref() {
        let mut next = Next { axis: layout.axis.start, pitch: layout.pitch.start, mimic: 0 };
        for i in 0..model.bodies.len() {
            of_joint(model, placed, sums, layout, i, state, lambda, &mut next, &mut dp);
        }
        debug_assert_eq!(next.axis, layout.axis.end, "a joint whose axes the layout counts has stages that have none");
        of_bodies(placed, sums, &mut dp[layout.inertial.clone()]);
        of_whole(model, layout, sums, state, lambda, &mut dp);
    }
    ws.dp = dp;
}

at_level! {
    /// Inertias of all bodies: (1).
    #[inline(always)]
    fn of_bodies<T: Real + Scalar<T>>(placed: &Placed<T>, sums: &RneaGradientMemory<T>, dp: &mut [T]) {
        for (i, to) in dp.as_chunks_mut::<10>().0.iter_mut().enumerate() {
            let x = &placed.pose[i];
            *to =
                power_regressor(x.inv_act(sums.w[i]), x.inv_act(placed.velocity[i]), x.inv_act(placed.acceleration[i]));
        }
    }

    /// Friction, damping, armature, multipliers in these, and gravity.
    #[inline(always)]
    fn of_whole<P: Real, T: Scalar<P>>(
        model: &Model<P>,
        layout: &ParameterLayout,
        sums: &RneaGradientMemory<T>,
        state: (&[T], &[T], &[T]),
        lambda: &[T],
        dp: &mut [T],
    ) {
        let (q, v, a) = state;
        let width = model.friction_width;
        let rubs = model.joint_friction;
        for (j, joint) in layout.joints().iter().enumerate() {
            let (i, k) = (joint.dof, joint.multiplier(model));
            for constant in JointConstant::ALL {
                dp[layout.of(constant).start + j] = match constant.counts(rubs) {
                    true => lambda[i] * constant.unit_torque(k, width, v[i], a[i]),
                    false => T::zero(),
                };
            }
        }
        let mut by_width = T::zero();
        if rubs {
            for dof in &model.dofs {
                by_width += lambda[dof.index] * dof.friction_by_width(v[dof.index], width);
            }
            for curve in &model.friction_curves {
                by_width += lambda[curve.index] * curve.torque_by_width(v[curve.index], width);
            }
        }
        dp[layout.friction_width] = by_width;
        for (m, mimic) in layout.mimics.iter().enumerate() {
            if let Some(at) = layout.joints()[mimic.joint].at {
                let (dof, i) = (&model.dofs[at], model.dofs[at].index);
                let to = &mut dp[layout.multiplier.start + m];
                *to += lambda[i] * a[i] * dof.mass_by_multiplier();
                if rubs {
                    *to += lambda[i] * dof.friction_by_multiplier(v[i], width);
                }
            }
        }
        of_springs(model, layout, q, lambda, dp);
        of_curves(model, layout, v, lambda, dp);
        let mut momentum: Force<T> = Force::zero();
        for (i, body) in model.bodies.iter().enumerate() {
            if body.parent.is_none() {
                momentum += sums.momentum[i];
            }
        }
        put(&mut dp[layout.gravity.clone()], v3::neg(momentum.linear)); // (6)
    }

    /// Constants of friction curves, and multipliers in these.
    #[inline(always)]
    fn of_curves<P: Real, T: Scalar<P>>(
        model: &Model<P>,
        layout: &ParameterLayout,
        v: &[T],
        lambda: &[T],
        dp: &mut [T],
    ) {
        let width = model.friction_width;
        for (j, of) in layout.of_curves().iter().enumerate() {
            let own = model.curve_at(of.body, of.dof).ok().map(|at| model.friction_curves[at]);
            let curve = own.unwrap_or_else(|| model.bodies[of.body].friction_curve(of.body, of.dof));
            let (v, lambda) = (v[curve.index], lambda[curve.index]);
            for constant in CurveConstant::ALL {
                dp[layout.of_curve_constant(constant).start + j] = match model.joint_friction {
                    true => lambda * curve.torque_by(constant, v, width),
                    false => T::zero(),
                };
            }
            if let (Some(m), true, true) = (of.mimic, own.is_some(), model.joint_friction) {
                dp[layout.multiplier.start + m] += lambda * curve.torque_by_multiplier(v, width);
            }
        }
    }

    /// Stiffness and reference of springs, and multipliers and offsets in these.
    #[inline(always)]
    fn of_springs<P: Real, T: Scalar<P>>(
        model: &Model<P>,
        layout: &ParameterLayout,
        q: &[T],
        lambda: &[T],
        dp: &mut [T],
    ) {
        for (j, of) in layout.of_springs().iter().enumerate() {
            let (body, k) = (of.body, of.dof);
            if let Some(none) = model.bodies[body].pose_spring(body, k) {
                if k == none.first {
                    let own = model.pose_spring_at(body, k).map_or(none, |(spring, _)| *spring);
                    let weights = Motion::from_array(own.numbers(lambda));
                    let at = own.bent(q);
                    let (by_stiffness, by_reference) = (at.torque_by_stiffness(), at.torque_by_reference());
                    for (n, (_, i)) in own.numbered().enumerate() {
                        dp[layout.stiffness.start + j + n] = by_stiffness[i].power(weights);
                        dp[layout.spring_reference.start + j + n] = by_reference[i].power(weights);
                    }
                }
                continue;
            }
            let own = model.spring_at(body, k).ok().map(|at| model.springs[at]);
            let Some(spring) = own.or_else(|| model.bodies[body].spring(body, k)) else { continue };
            let (q, lambda) = (q[spring.coordinate], lambda[spring.index]);
            dp[layout.stiffness.start + j] = lambda * spring.torque_by_stiffness(q);
            dp[layout.spring_reference.start + j] = -(lambda * spring.torque_by_offset());
            if let Some(m) = of.mimic {
                dp[layout.multiplier.start + m] += lambda * spring.torque_by_multiplier(q);
                dp[layout.offset.start + m] += lambda * spring.torque_by_offset();
            }
        }
    }
}
