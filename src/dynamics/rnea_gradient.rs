//! The gradient of `λᵀ τ`, a combination of the torques of inverse dynamics, without their matrices of derivatives.
//!
//! The formulas of [`rnea_derivatives`](super::rnea_derivatives) are summed over rows before they are formed (S. Singh,
//! R. Russell, P. Wensing, *On Second-Order Derivatives of Rigid-Body Dynamics: Theory & Implementation*, arXiv
//! 2302.06001, contract the same way). With the velocities `w_i = w_λ + S_i λ_i`, of bodies if λ were the joint
//! velocities, `h = I w`, `z = Bᵀ w`, and sums over subtrees:
//!
//! ```text
//! ∂/∂q = Ψ̇ᵀ z_C + Ψ̈ᵀ h_C − Sᵀ ((f_C − φ_C) ×̄* w_λ + u_C)                                          (1)
//! ∂/∂v = (Ψ̇ + Ṡ)ᵀ h_C + Sᵀ z_C                                                                    (2)
//! ∂/∂a = Sᵀ h_C                                                                                   (3)
//! ∂/∂φ = −w                                                                                       (4)
//! ```
//!
//! where φ are the wrenches that are fixed in the world and `u = Σ φ ×̄* w`; the others are part of `f`.

use super::Workspace;
use super::external::{self, ExternalWrench, WrenchFrame};
use super::placed::{Placed, update};
use super::rnea::{base_acceleration, state_not_finite};
use super::slice_ops::{fill, first_not_finite, state_is_finite};
use crate::formulas::joint_forces::JointForces;
use crate::level::at_level;
use crate::model::{InputError, Model};
use crate::spatial::{Force, InertiaAboutOrigin, Motion, vector as v3};
use gradyn_derivatives::{Real, Scalar};

/// `λᵀ τ` and its gradient; borrows from the workspace.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RneaGradient<'w, T> {
    /// `λᵀ τ`
    pub value: T,
    /// `∂(λᵀ τ)/∂q`, nv, along `q ⊕ ε e_k`.
    pub dq: &'w [T],
    /// `∂(λᵀ τ)/∂v`, nv.
    pub dv: &'w [T],
    /// `∂(λᵀ τ)/∂a = M λ`, nv.
    pub da: &'w [T],
    /// `∂(λᵀ τ)/∂φ`, six numbers a wrench, force then moment, in the wrench's own coordinates.
    pub df_ext: &'w [T],
}

/// Sums over subtrees, and results.
#[derive(Clone, Debug)]
pub(crate) struct RneaGradientMemory<T> {
    /// `w_λ` of each link.
    w_parent: Vec<Motion<T>>,
    /// `w` of each body.
    pub(super) w: Vec<Motion<T>>,
    /// `h`
    pub(super) momentum: Vec<Force<T>>,
    /// `z`
    pub(super) coriolis: Vec<Force<T>>,
    /// `f`
    pub(super) force: Vec<Force<T>>,
    /// `φ`
    pub(super) standing: Vec<Force<T>>,
    /// `u`
    pub(super) turned: Vec<Force<T>>,
    value: T,
    dq: Vec<T>,
    dv: Vec<T>,
    da: Vec<T>,
    df_ext: Vec<T>,
}

impl<T: Real> RneaGradientMemory<T> {
    fn new(bodies: usize, placed: usize, nv: usize) -> Self {
        let (force, zeros) = (vec![Force::zero(); bodies], vec![T::zero(); nv]);
        Self {
            w_parent: vec![Motion::zero(); placed],
            w: vec![Motion::zero(); bodies],
            momentum: force.clone(),
            coriolis: force.clone(),
            standing: force.clone(),
            turned: force.clone(),
            force,
            value: T::zero(),
            dq: zeros.clone(),
            dv: zeros.clone(),
            da: zeros,
            df_ext: Vec::new(),
        }
    }

    pub(super) fn results(&self) -> RneaGradient<'_, T> {
        let Self { dq, dv, da, df_ext, .. } = self;
        RneaGradient { value: self.value, dq, dv, da, df_ext }
    }
}

/// Gradient of `λᵀ τ`, `τ = `[`rnea`](super::rnea)`(q, v, a, φ)`, with respect to `q`, `v`, `a` and the wrenches,
/// in any number type: over dual numbers it gives columns of the Hessian.
///
/// `q`: nq, `v`, `a`, `lambda`: nv. Right for every kind of joint; wrenches of both kinds, armature, damping, friction,
/// springs and mimic joints are included. Cost O(n); a second call with as many wrenches allocates nothing.
///
/// # Errors
/// [`InputError`] if a length is wrong, the workspace is another model's, a wrench is on a body that is not there, or a
/// number is not finite.
#[inline(never)]
#[doc(alias("adjoint", "vector-Jacobian product", "VJP"))]
pub fn rnea_gradient<'w, P: Real, T: Scalar<P>>(
    model: &Model<P>,
    ws: &'w mut Workspace<T>,
    q: &[T],
    v: &[T],
    a: &[T],
    lambda: &[T],
    wrenches: &[ExternalWrench<T>],
) -> Result<RneaGradient<'w, T>, InputError> {
    model.check_state(q, v, a)?;
    model.check_length("lambda", "nv", lambda.len(), model.nv)?;
    ws.check(model)?;
    external::check(model, wrenches)?;
    if !state_is_finite(q, v, a)
        && let Some(error) = state_not_finite(model, q, v, a)
    {
        return Err(error);
    }
    if let Some(index) = first_not_finite(lambda) {
        let (joint, value) = (model.dof_label(index), crate::joint::value(lambda[index]));
        return Err(InputError::NotFinite { what: "lambda", index, joint, value });
    }
    let by = gradient(model, ws, (q, v, a), lambda, wrenches);
    for (what, x) in [("d(lambda tau)/dq", by.dq), ("d(lambda tau)/dv", by.dv), ("d(lambda tau)/da", by.da)] {
        if let Some(index) = first_not_finite(x) {
            let at_wrench = external::not_finite(model, wrenches);
            return Err(at_wrench.unwrap_or(model.overflow(what, index)));
        }
    }
    if !by.value.is_finite() {
        let at_wrench = external::not_finite(model, wrenches);
        return Err(at_wrench.unwrap_or_else(|| model.overflow_of("lambda tau", 0, model.whole_label())));
    }
    if let Some(index) = first_not_finite(by.df_ext) {
        return Err(external::overflow(model, wrenches, "d(lambda tau)/df_ext", index));
    }
    Ok(by)
}

/// [`rnea_gradient`] of arguments that have been checked.
#[inline(always)]
pub(crate) fn gradient<'w, P: Real, T: Scalar<P>>(
    model: &Model<P>,
    ws: &'w mut Workspace<T>,
    state: (&[T], &[T], &[T]),
    lambda: &[T],
    wrenches: &[ExternalWrench<T>],
) -> RneaGradient<'w, T> {
    sweep(model, ws, state, lambda, wrenches);
    ws.rnea_gradient.get_or_insert_with(|| Box::new(RneaGradientMemory::new(0, 0, 0))).results()
}

at_level! {
    /// Both sweeps, into the memory of the workspace.
    #[inline(always)]
    fn sweep<P: Real, T: Scalar<P>>(
        model: &Model<P>,
        ws: &mut Workspace<T>,
        state: (&[T], &[T], &[T]),
        lambda: &[T],
        wrenches: &[ExternalWrench<T>],
    ) {
        let memory = ws.rnea_gradient.take();
        let placed = update(model, ws, base_acceleration(model), state);
        let size = (model.bodies.len(), placed.links.len(), model.nv);
        let mut memory = memory.unwrap_or_else(|| Box::new(RneaGradientMemory::new(size.0, size.1, size.2)));
        let m = &mut *memory;
        m.df_ext.resize(6 * wrenches.len(), T::zero());
        for sums in [&mut m.dq, &mut m.dv, &mut m.da] {
            fill(sums, T::zero());
        }
        fill(&mut m.standing, Force::zero());
        fill(&mut m.turned, Force::zero());
        m.value = T::zero();

        for (i, body) in model.bodies.iter().enumerate() {
            let (placed, inertia, p) = (&*placed, placed.inertia(body, i).into(), body.parent);
            outward(placed, inertia, i, p, lambda, m);
        }
        for (w, to) in wrenches.iter().zip(0..) {
            add_wrench(placed, w, to, m);
        }
        for (i, body) in model.bodies.iter().enumerate().rev() {
            inward(placed, i, body.parent, lambda, m);
        }
        for dof in &model.dofs {
            let (i, (_, v, a)) = (dof.index, state);
            m.da[i] += lambda[i] * dof.mass();
            m.value += lambda[i] * a[i] * dof.mass();
            if model.joint_friction {
                m.dv[i] += lambda[i] * dof.friction_slope(v[i], model.friction_width);
                m.value += lambda[i] * dof.friction_torque(v[i], model.friction_width);
            }
        }
        JointForces::of(model).add_gradient((state.0, state.1), lambda, (&mut m.value, &mut m.dq, &mut m.dv));
        ws.rnea_gradient = Some(memory);
    }

    /// One body: `w` of its links, and what it brings to the sums.
    #[inline(always)]
    fn outward<T: Real + Scalar<T>>(
        placed: &Placed<T>,
        inertia: InertiaAboutOrigin<T>,
        i: usize,
        p: Option<usize>,
        lambda: &[T],
        m: &mut RneaGradientMemory<T>,
    ) {
        let mut w = match p {
            Some(p) => m.w[p],
            None => Motion::zero(),
        };
        for link in placed.of_body[i].clone() {
            m.w_parent[link] = w;
            for k in placed.links[link].columns.clone() {
                w = placed.columns[k].times_plus(lambda[placed.dof[k]], w); // w_i = w_λ + S_i λ_i
            }
        }
        let (v, a) = (placed.velocity[i], placed.acceleration[i]);
        let momentum = inertia * v;
        m.w[i] = w;
        m.momentum[i] = inertia * w;
        m.coriolis[i] = inertia.body_coriolis(v, momentum).tr_times(w);
        m.force[i] = inertia.newton_euler(v, momentum, a);
    }

    /// One wrench, and what λ sees of it.
    #[inline(always)]
    fn add_wrench<T: Real + Scalar<T>>(
        placed: &Placed<T>,
        wrench: &ExternalWrench<T>,
        to: usize,
        m: &mut RneaGradientMemory<T>,
    ) {
        let b = wrench.body.index();
        let w = m.w[b];
        let seen = match wrench.frame {
            WrenchFrame::Body => {
                m.force[b] -= placed.pose[b].act(wrench.wrench);
                placed.pose[b].inv_act(w)
            }
            WrenchFrame::World => {
                let f = placed.standing(b, wrench.wrench);
                m.standing[b] += f;
                m.turned[b] += f.bar_cross(w);
                w.shifted::<T>(v3::neg(placed.origin(b)))
            }
        };
        let (l, n) = (seen.linear, seen.angular);
        m.df_ext[6 * to..6 * to + 6].copy_from_slice(&[-l.x, -l.y, -l.z, -n.x, -n.y, -n.z]); // (4)
    }

    /// One body on the way back: the entries of its columns, and its sums to those of its parent.
    #[inline(always)]
    fn inward<T: Real + Scalar<T>>(
        placed: &Placed<T>,
        i: usize,
        p: Option<usize>,
        lambda: &[T],
        m: &mut RneaGradientMemory<T>,
    ) {
        let (h, z, f) = (m.momentum[i], m.coriolis[i], m.force[i] - m.standing[i]);
        for link in placed.of_body[i].clone() {
            let turned = f.bar_cross(m.w_parent[link]) + m.turned[i];
            for k in placed.links[link].columns.clone() {
                let (s, to) = (placed.columns[k], placed.dof[k]);
                m.dq[to] += placed.psi_dot[k].power(z) + placed.psi_ddot[k].power(h) - s.power(turned); // (1)
                m.dv[to] += placed.psi_s_dot[k].power(h) + s.power(z); //                                 (2)
                m.da[to] += s.power(h); //                                                               (3)
                m.value += lambda[to] * s.power(f);
            }
        }
        if let Some(p) = p {
            m.momentum[p] += h;
            m.coriolis[p] += z;
            m.force[p] = m.force[p] + m.force[i];
            m.standing[p] = m.standing[p] + m.standing[i];
            m.turned[p] = m.turned[p] + m.turned[i];
        }
    }
}
