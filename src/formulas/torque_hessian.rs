//! What the Hessian of `λᵀ τ` has of one body, and of one column of a motion subspace.
//!
//! The power of `τ` in velocities `λ` is a sum over bodies, with the velocities `w` that λ would be:
//!
//! ```text
//! λᵀ τ = Σ w · f,    f = Y a + v ×* Y v − φ,    w = w_λ + S λ                                        (1)
//! ```
//!
//! To move along column `j` changes its subtree as if its parent moved by `−S_j`. Seen by the bodies, `v`, `w` and
//! `a` change by the same for all of them,
//!
//! ```text
//!            v      w      a + v × (change of v)
//! by q_j     Ψ̇_j    Ω_j    Ψ̈_j               Ω = w_λ × S                                             (2)
//! by v_j     S_j    0      Ψ̇_j + Ṡ_j
//! by a_j     0      0      S_j
//! ```
//!
//! and nothing else does: sums over subtrees of `Y`, of `B = v ×* Y − Y v× + (Y v) ×̄*`, of `f`, of the momenta `h = Y w`, of
//! `W = w ×* Y − Y w× + (Y w) ×̄*` and of `z = Bᵀ w` are all that is left of the bodies. With
//! `K m = (2 h_C ×̄* − W_C) m`, column `k`, which `j` carries or is of the same link as, is bound to it by
//!
//! ```text
//! A = Y_C S        U = B_C S + Y_C (Ψ̇ + Ṡ)        P = B_C Ψ̇ + Y_C Ψ̈ + S ×* f_C                        (3)
//! G = K S          R = Y_C Ω + S ×* h_C           T = B_Cᵀ Ω + K Ψ̇ + S ×* z_C
//!
//! ∂²/∂q_k ∂q_j = Ω_j · P_k + Ψ̈_j · R_k + Ψ̇_j · T_k
//! ∂²/∂v_k ∂q_j = Ω_j · U_k + Ψ̇_j · G_k            ∂²/∂q_k ∂v_j = (Ψ̇_j + Ṡ_j) · R_k + S_j · T_k        (4)
//! ∂²/∂a_k ∂q_j = Ω_j · A_k                        ∂²/∂q_k ∂a_j = S_j · R_k
//! ∂²/∂v_k ∂v_j = S_j · G_k
//! ```
//!
//! S. Singh, R. Russell, P. Wensing, *On Second-Order Derivatives of Rigid-Body Dynamics: Theory & Implementation* (arXiv 2302.06001) have
//! the tensors that these are a contraction of; J. Nganga, P. Wensing (RA-L 2021, arXiv 2103.03293) contract before they differentiate.
//!
//! Columns of one link do not carry each other's velocities: there `∂²/∂v_k ∂v_j = S_j · (G_k − S_k ×* h_C)`, and of (4) the second
//! column is the first one with `j` and `k` exchanged. `z`, `G` and `T` are pure moments, and `h` is in `W`.

use crate::spatial::{BodyCoriolis, Force, InertiaAboutOrigin, Motion, vector as v3};
use gradyn_derivatives::Real;
use nalgebra::Vector3;
use std::ops::AddAssign;

/// How the subtree of a column moves with it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ColumnMotions<T> {
    pub(crate) s: Motion<T>,
    /// `Ψ̇`
    pub(crate) psi_dot: Motion<T>,
    /// `Ψ̈`
    pub(crate) psi_ddot: Motion<T>,
    /// `Ψ̇ + Ṡ`
    pub(crate) psi_s_dot: Motion<T>,
    /// `Ω`
    pub(crate) omega: Motion<T>,
}

/// Of a body, or of those of a subtree together.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Bodies<T> {
    /// `Y`
    pub(crate) inertia: InertiaAboutOrigin<T>,
    /// `B`
    pub(crate) coriolis: BodyCoriolis<T>,
    /// `f`
    pub(crate) force: Force<T>,
    /// `W`
    pub(crate) weighted: BodyCoriolis<T>,
    /// `z`
    pub(crate) z: Vector3<T>,
}

impl<T: Real> Bodies<T> {
    /// Of one body that moves by `v` and `a`, without wrenches.
    #[inline(always)]
    pub(crate) fn one(inertia: InertiaAboutOrigin<T>, v: Motion<T>, a: Motion<T>, w: Motion<T>) -> Self {
        let momentum = inertia * v;
        let coriolis = inertia.body_coriolis(v, momentum);
        Self {
            inertia,
            coriolis,
            force: inertia.newton_euler(v, momentum, a),
            weighted: inertia.body_coriolis(w, inertia * w),
            z: coriolis.tr_times(w).angular,
        }
    }

    /// Of none.
    #[inline(always)]
    pub(crate) fn zero() -> Self {
        Self {
            inertia: InertiaAboutOrigin::zero(),
            coriolis: BodyCoriolis::zero(),
            force: Force::zero(),
            weighted: BodyCoriolis::zero(),
            z: v3::zero(),
        }
    }

    /// `∂/∂q`, `∂/∂v`, `∂/∂a` of (1) by a column that carries these bodies.
    #[inline(always)]
    pub(crate) fn gradient(&self, by: &ColumnMotions<T>) -> [T; 3] {
        let h = self.weighted.whole_momentum();
        let of_z = |m: Vector3<T>| v3::dot(m, self.z);
        [
            by.omega.power(self.force) + by.psi_ddot.power(h) + of_z(by.psi_dot.angular),
            by.psi_s_dot.power(h) + of_z(by.s.angular),
            by.s.power(h),
        ]
    }
}

impl<T: Real> AddAssign for Bodies<T> {
    #[inline(always)]
    fn add_assign(&mut self, other: Self) {
        self.inertia += other.inertia;
        self.coriolis += other.coriolis;
        self.force += other.force;
        self.weighted += other.weighted;
        self.z = v3::add(self.z, other.z);
    }
}

/// What binds a column to those that carry it, (3).
#[derive(Clone, Copy, Debug)]
pub(crate) struct ColumnForces<T> {
    pub(crate) a: Force<T>,
    pub(crate) u: Force<T>,
    pub(crate) p: Force<T>,
    pub(crate) r: Force<T>,
    pub(crate) g: Vector3<T>,
    pub(crate) t: Vector3<T>,
}

impl<T: Real> ColumnForces<T> {
    /// Of a column that carries these bodies.
    #[inline(always)]
    pub(crate) fn new(by: &ColumnMotions<T>, bodies: &Bodies<T>) -> Self {
        let Bodies { inertia: y, coriolis: b, force: f, .. } = bodies;
        Self {
            a: *y * by.s,
            u: b.times_plus(by.s.angular, *y * by.psi_s_dot),
            p: b.times_plus(by.psi_dot.angular, y.times_plus(by.psi_ddot, by.s.cross_force(*f))),
            ..Self::weighted(by, bodies)
        }
    }

    /// `R`, `G` and `T`; the others are zero.
    #[inline(always)]
    pub(crate) fn weighted(by: &ColumnMotions<T>, bodies: &Bodies<T>) -> Self {
        let Bodies { inertia: y, coriolis: b, weighted, z, .. } = bodies;
        let h = weighted.whole_momentum();
        let z = v3::cross_plus(by.s.angular, *z, carried(weighted, h, by.psi_dot));
        Self {
            a: Force::zero(),
            u: Force::zero(),
            p: Force::zero(),
            r: y.times_plus(by.omega, by.s.cross_force(h)),
            g: carried(weighted, h, by.s),
            t: v3::add(b.tr_times(by.omega).angular, z),
        }
    }
}

/// The angular part of `K m`: `2 (ω × h_a + v × h_l) − A ω`. The linear one is zero.
#[inline(always)]
fn carried<T: Real>(weighted: &BodyCoriolis<T>, h: Force<T>, m: Motion<T>) -> Vector3<T> {
    let turned = m.cross_force(h).angular;
    v3::sub(v3::add(turned, turned), v3::rotate(&weighted.angular, m.angular))
}
