//! Derivatives of inverse dynamics in closed form.
//!
//! S. Singh, R. Russell, P. Wensing, *Efficient Analytical Derivatives of Rigid-Body Dynamics Using Spatial Vector
//! Algebra*, RA-L 7(2), 2022 (arXiv 2105.05102). With composite sums `I_C`, `B_C`, `f_C` of inertias, body Coriolis
//! matrices and forces over a subtree, columns `j` of a link and `i` of the links from there to the root:
//!
//! ```text
//! A = I_C S    Q = B_C Ψ̇ + I_C Ψ̈ + f_C ×̄* S    V = B_C S + I_C (Ψ̇ + Ṡ)    T = B_Cᵀ S              (1)
//! ∂τ_i/∂q_j = S_iᵀ Q_j                ∂τ_i/∂v_j = S_iᵀ V_j                    M_ij = S_iᵀ A_j      (2)
//! ∂τ_j/∂q_i = Ψ̈_iᵀ A_j + Ψ̇_iᵀ T_j     ∂τ_j/∂v_i = (Ψ̇_i + Ṡ_i)ᵀ A_j + S_iᵀ T_j                      (3)
//! ```
//!
//! where (2) also holds for i of the same link, then without the term with `f_C`. The paper's `S` are constant. Here,
//! joints whose `S` depends on `q` are series of such links ([`Placed`]). A wrench φ that is fixed in the world does
//! not move with the bodies. It is excluded from `f_C`, and, with `φ_C` the sum of those on the subtree,
//!
//! ```text
//! ∂τ_j/∂q_i += S_jᵀ (φ_C ×̄* S_i) = −(φ_C ×̄* S_j)ᵀ S_i,    i of the same link or of one toward the root  (4)
//! ```

use super::external::{self, ExternalWrench, WrenchFrame};
use super::placed::{Link, Placed};
use super::rnea::{base_acceleration, not_finite, state_not_finite};
use super::slice_ops::{fill, first_not_finite, state_is_finite};
use super::{Workspace, placed::update};
use crate::formulas::joint_dynamics::JointDynamics;
use crate::formulas::joint_forces::JointForces;
use crate::level::at_level;
use crate::model::{InputError, Model, room};
use crate::spatial::{BodyCoriolis, Force, Inertia, InertiaAboutOrigin, Motion, vector as v3};
use gradyn_derivatives::{Real, Scalar};

/// Torques of inverse dynamics and their derivatives, in any number type; borrows from the workspace.
///
/// Matrices are in column-major order, as nalgebra's: entry (i, j) of `dtau_dq` is `dtau_dq[i + nv * j]`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RneaDerivatives<'w, T> {
    /// `τ`, nv.
    pub tau: &'w [T],
    /// `∂τ/∂q`, nv × nv, along `q ⊕ ε e_j`.
    pub dtau_dq: &'w [T],
    /// `∂τ/∂v`, nv × nv.
    pub dtau_dv: &'w [T],
    /// `∂τ/∂a`, nv × nv: the mass matrix, armature included.
    pub dtau_da: &'w [T],
    /// `∂τ/∂φ`, nv × 6 for each wrench, one after the other; columns force then moment, in the wrench's own
    /// coordinates.
    pub dtau_df_ext: &'w [T],
}

/// Composite quantities of each body's subtree, and results.
#[derive(Clone, Debug)]
pub(crate) struct RneaDerivativesMemory<T> {
    inertia: Vec<InertiaAboutOrigin<T>>,
    coriolis: Vec<BodyCoriolis<T>>,
    force: Vec<Force<T>>,
    /// Sums of the wrenches that stand still in the world.
    standing: Vec<Force<T>>,
    tau: Vec<T>,
    dtau_dq: Vec<T>,
    dtau_dv: Vec<T>,
    dtau_da: Vec<T>,
    dtau_df_ext: Vec<T>,
}

impl<T: Real> RneaDerivativesMemory<T> {
    fn new(bodies: usize, nv: usize) -> Self {
        let matrix = || vec![T::zero(); nv * nv];
        Self {
            inertia: vec![InertiaAboutOrigin::zero(); bodies],
            coriolis: vec![BodyCoriolis::zero(); bodies],
            force: vec![Force::zero(); bodies],
            standing: vec![Force::zero(); bodies],
            tau: vec![T::zero(); nv],
            dtau_dq: matrix(),
            dtau_dv: matrix(),
            dtau_da: matrix(),
            dtau_df_ext: Vec::new(),
        }
    }
}

/// Derivatives of [`rnea`](super::rnea) in closed form, in any number type: over dual numbers they are
/// second derivatives of the torques.
///
/// `q`: nq, `v`, `a`: nv. Right for every kind of joint; wrenches of both kinds, armature, damping, friction, springs
/// and mimic joints are included. Entries that the tree makes zero are exactly zero. Cost O(n d) for depth d; a second call with
/// as many wrenches allocates nothing. Over `f64`, [`partials::rnea_derivatives`](crate::partials::rnea_derivatives) is
/// the call to use.
///
/// Source: S. Singh, R. Russell, P. Wensing, RA-L 7(2), 2022.
///
/// # Errors
/// [`InputError`] if a length is wrong, the workspace is another model's, a wrench is on a body that is not there, or a
/// number is not finite.
#[doc(alias = "computeRNEADerivatives")]
pub fn rnea_derivatives<'w, P: Real, T: Scalar<P>>(
    model: &Model<P>,
    ws: &'w mut Workspace<T>,
    q: &[T],
    v: &[T],
    a: &[T],
    wrenches: &[ExternalWrench<T>],
) -> Result<RneaDerivatives<'w, T>, InputError> {
    model.check_state(q, v, a)?;
    ws.check(model)?;
    external::check(model, wrenches)?;
    if !state_is_finite(q, v, a)
        && let Some(error) = state_not_finite(model, q, v, a)
    {
        return Err(error);
    }
    if ws.rnea_derivatives.is_none() {
        room::<T>("∂τ/∂q, ∂τ/∂v and ∂τ/∂a", &[3, model.nv, model.nv])?;
    }
    let result = analytical(model, ws, q, v, a, wrenches);
    if first_not_finite(result.tau).is_some() {
        return Err(not_finite(model, q, v, a, wrenches, result.tau));
    }
    result.check_finite(model)?;
    Ok(result)
}

impl<T: Real> RneaDerivatives<'_, T> {
    fn check_finite<P: Real>(&self, model: &Model<P>) -> Result<(), InputError> {
        let matrices = [
            ("dtau_dq", self.dtau_dq),
            ("dtau_dv", self.dtau_dv),
            ("dtau_da", self.dtau_da),
            ("dtau_df_ext", self.dtau_df_ext),
        ];
        for (what, m) in matrices {
            if let Some(at) = first_not_finite(m) {
                return Err(model.overflow(what, at % model.nv));
            }
        }
        Ok(())
    }
}

/// [`rnea_derivatives`] of arguments that have been checked.
pub(crate) fn analytical<'w, P: Real, T: Scalar<P>>(
    model: &Model<P>,
    ws: &'w mut Workspace<T>,
    q: &[T],
    v: &[T],
    a: &[T],
    wrenches: &[ExternalWrench<T>],
) -> RneaDerivatives<'w, T> {
    analytical_from(model, ws, (base_acceleration(model), JointForces::of(model)), (q, v, a), wrenches)
}

/// [`analytical`], the world accelerating at `a_0` instead of −g, with these forces of joints.
pub(crate) fn analytical_from<'w, P: Real, T: Scalar<P>>(
    model: &Model<P>,
    ws: &'w mut Workspace<T>,
    (a_0, joints): (Motion<T>, JointForces<'_, P>),
    (q, v, a): (&[T], &[T], &[T]),
    wrenches: &[ExternalWrench<T>],
) -> RneaDerivatives<'w, T> {
    sweep(model, ws, a_0, q, v, a, wrenches);
    let m =
        ws.rnea_derivatives.get_or_insert_with(|| Box::new(RneaDerivativesMemory::new(model.bodies.len(), model.nv)));
    joints.add_derivatives((q, v), (&mut m.tau, &mut m.dtau_dq, &mut m.dtau_dv));
    RneaDerivatives {
        tau: &m.tau,
        dtau_dq: &m.dtau_dq,
        dtau_dv: &m.dtau_dv,
        dtau_da: &m.dtau_da,
        dtau_df_ext: &m.dtau_df_ext,
    }
}

at_level! {
    /// Both sweeps, into the memory of the workspace.
    #[inline(always)]
    fn sweep<P: Real, T: Scalar<P>>(
        model: &Model<P>,
        ws: &mut Workspace<T>,
        a_0: Motion<T>,
        q: &[T],
        v: &[T],
        a: &[T],
        wrenches: &[ExternalWrench<T>],
    ) {
        let memory = ws.rnea_derivatives.take();
        let placed = update(model, ws, a_0, (q, v, a));
        let mut memory = memory.unwrap_or_else(|| Box::new(RneaDerivativesMemory::new(model.bodies.len(), model.nv)));
        let m = &mut *memory;
        clear(m, model.nv, wrenches.len());

        for (i, body) in model.bodies.iter().enumerate() {
            let (inertia, v_i, a_i) = (placed.inertia(body, i), placed.velocity[i], placed.acceleration[i]);
            load(inertia, v_i, a_i, m, i);
        }
        for w in wrenches {
            let b = w.body.index();
            match w.frame {
                WrenchFrame::Body => m.force[b] -= placed.pose[b].act(w.wrench),
                WrenchFrame::World => m.standing[b] += placed.standing(b, w.wrench),
            }
        }
        let standing = wrenches.iter().any(|w| w.frame == WrenchFrame::World);

        for (i, body) in model.bodies.iter().enumerate().rev() {
            for link in placed.of_body[i].clone().rev() {
                for column in placed.links[link].columns.clone() {
                    of_column(placed, &placed.links[link], column, i, standing, model.nv, m);
                }
            }
            if let Some(p) = body.parent {
                add_to_parent(m, i, p);
            }
        }
        for (w, to) in wrenches.iter().zip(m.dtau_df_ext.chunks_exact_mut((6 * model.nv).max(1))) {
            of_wrench(placed, w, model.nv, to);
        }
        JointDynamics::of(model).add_derivatives(model.nv, (v, a), (&mut m.tau, &mut m.dtau_dv, &mut m.dtau_da));
        ws.rnea_derivatives = Some(memory);
    }
}

/// Zero where sums are formed.
#[inline(always)]
fn clear<T: Real>(m: &mut RneaDerivativesMemory<T>, nv: usize, wrenches: usize) {
    m.dtau_df_ext.resize(wrenches * nv * 6, T::zero());
    for sums in [&mut m.tau, &mut m.dtau_dq, &mut m.dtau_dv, &mut m.dtau_da, &mut m.dtau_df_ext] {
        fill(sums, T::zero());
    }
    fill(&mut m.standing, Force::zero());
}

at_level! {
    /// What one body brings to the sums: inertia, `B`, and the force that it needs, `f = I a + v ×* I v`.
    #[inline(always)]
    fn load<T: Real + Scalar<T>>(
        inertia: Inertia<T>,
        v: Motion<T>,
        a: Motion<T>,
        m: &mut RneaDerivativesMemory<T>,
        i: usize,
    ) {
        m.coriolis[i] = inertia.body_coriolis(v);
        m.force[i] = inertia.newton_euler(v, a);
        m.inertia[i] = inertia.into();
    }

    /// One column of one link: its entries with the columns of the same link and of all towards the root.
    /// It moves body `i`; `standing` says whether there are wrenches that are fixed in the world.
    #[expect(non_snake_case, reason = "symbols of the paper")]
    #[inline(always)]
    fn of_column<T: Real + Scalar<T>>(
        placed: &Placed<T>,
        link: &Link,
        j: usize,
        i: usize,
        standing: bool,
        nv: usize,
        m: &mut RneaDerivativesMemory<T>,
    ) {
        let (S, psi_dot, psi_ddot, psi_s_dot) =
            (placed.columns[j], placed.psi_dot[j], placed.psi_ddot[j], placed.psi_s_dot[j]);
        let (I, B, f) = (m.inertia[i], m.coriolis[i], m.force[i]);
        let A = I * S; //                                            (1)
        let mut Q = B.times(psi_dot) + I * psi_ddot;
        let V = B.times(S) + I * psi_s_dot;
        let T = B.tr_times(S);
        let F = m.standing[i].bar_cross(S);
        let row = placed.dof[j];
        m.tau[row] += S.power(f - m.standing[i]);

        for k in link.columns.clone() {
            let (S_k, to) = (placed.columns[k], placed.dof[k]);
            m.dtau_dq[to + nv * row] += S_k.power(Q); //              (2)
            m.dtau_dv[to + nv * row] += S_k.power(V);
            if k <= j {
                let mass = S_k.power(A);
                m.dtau_da[to + nv * row] += mass;
                if k < j {
                    m.dtau_da[row + nv * to] += mass;
                }
            }
            if standing {
                m.dtau_dq[row + nv * to] -= S_k.power(F); //          (4)
            }
        }
        Q += f.bar_cross(S);
        for link in placed.path(link.parent) {
            for k in link.columns.clone() {
                let (S_k, to) = (placed.columns[k], placed.dof[k]);
                let (above, below) = (to + nv * row, row + nv * to);
                let mass = S_k.power(A);
                m.dtau_da[above] += mass;
                m.dtau_da[below] += mass;
                m.dtau_dq[above] += S_k.power(Q); //                  (2)
                m.dtau_dv[above] += S_k.power(V);
                m.dtau_dq[below] += placed.psi_ddot[k].power(A) + placed.psi_dot[k].power(T); // (3)
                m.dtau_dv[below] += placed.psi_s_dot[k].power(A) + S_k.power(T);
                if standing {
                    m.dtau_dq[below] -= S_k.power(F); //              (4)
                }
            }
        }
    }

    /// Sums of a subtree are part of its parent's.
    #[inline(always)]
    fn add_to_parent<T: Real + Scalar<T>>(m: &mut RneaDerivativesMemory<T>, i: usize, p: usize) {
        m.inertia[p] = m.inertia[p] + m.inertia[i];
        m.coriolis[p] = m.coriolis[p] + m.coriolis[i];
        m.force[p] = m.force[p] + m.force[i];
        m.standing[p] = m.standing[p] + m.standing[i];
    }

    /// `∂τ/∂φ = −Jᵀ`, row by row: the columns that carry the body, in coordinates of the wrench.
    #[inline(always)]
    fn of_wrench<T: Real + Scalar<T>>(placed: &Placed<T>, wrench: &ExternalWrench<T>, nv: usize, to: &mut [T]) {
        let b = wrench.body.index();
        for link in placed.path(placed.carrier[b]) {
            for k in link.columns.clone() {
                let s = match wrench.frame {
                    WrenchFrame::Body => placed.pose[b].inv_act(placed.columns[k]),
                    WrenchFrame::World => placed.columns[k].shifted::<T>(v3::neg(placed.origin(b))),
                };
                let row = placed.dof[k];
                to[row] -= s.linear.x;
                to[row + nv] -= s.linear.y;
                to[row + 2 * nv] -= s.linear.z;
                to[row + 3 * nv] -= s.angular.x;
                to[row + 4 * nv] -= s.angular.y;
                to[row + 5 * nv] -= s.angular.z;
            }
        }
    }
}
