//! How an inertia changes when its body moves, and the Coriolis matrix of one body.
//!
//! With `h = m c`, `h_l = m v + ω×h` the linear and `h_a` the angular momentum, `I` the rotational inertia about the
//! **origin**, and `K = [ω]× I`:
//!
//! - `Ẏ = v×* Y − Y v× = [[0, −[h_l]×], [[h_l]×, D]]`, `D = K + Kᵀ + 2 (v·h) 1 − h vᵀ − v hᵀ` (1)
//! - `B = Ẏ + (Y v) ×̄* = [[0, −2 [h_l]×], [0, D − [h_a]×]]` (2)

use super::Inertia;
use crate::spatial::{Force, Motion, Symmetric3, matrix6, vector as v3};
use gradyn_derivatives::{Real, Scalar};
use nalgebra::{Matrix3, Matrix6, Vector3};
use std::ops::{Add, AddAssign};

impl<P: Real> Inertia<P> {
    /// `Ẏ = v×* Y − Y v×`, 6×6, symmetric: rate of change, in the coordinates of a frame at rest, of the inertia of a body
    /// that moves with the velocity `v` (RBDA, section 2.13). Equation (1).
    #[inline(always)]
    pub fn variation<T: Scalar<P>>(&self, v: Motion<T>) -> Matrix6<T> {
        let h_l = v3::skew((*self * v).linear);
        matrix6::from_blocks(
            &v3::zero_matrix(),
            &h_l.transpose(),
            &h_l,
            &rotational_rate(&self.moment_about_origin(), self.first_moment(), v).matrix(),
        )
    }

    /// `B = v×* Y − Y v× + (Y v) ×̄*`: half of it is a Coriolis matrix of the body, as `½ B v = v ×* Y v` and
    /// `½ (B + Bᵀ) = Ẏ`. Equation (2).
    #[inline(always)]
    pub fn body_coriolis<T: Scalar<P>>(&self, v: Motion<T>) -> BodyCoriolis<T> {
        coriolis_of(&self.moment_about_origin(), self.first_moment(), v, *self * v)
    }

    /// [`body_coriolis`](Self::body_coriolis) as a matrix, 6×6.
    #[inline(always)]
    pub fn body_coriolis_matrix<T: Scalar<P>>(&self, v: Motion<T>) -> Matrix6<T> {
        self.body_coriolis(v).matrix6()
    }
}

/// Equation (2), from moment and first moment about the origin, velocity and momentum.
#[inline(always)]
pub(super) fn coriolis_of<P: Real, T: Scalar<P>>(
    moment: &Symmetric3<P>,
    first_moment: Vector3<P>,
    v: Motion<T>,
    momentum: Force<T>,
) -> BodyCoriolis<T> {
    let (d, n) = (rotational_rate(moment, first_moment, v), momentum.angular);
    #[rustfmt::skip]
    let angular = Matrix3::new(
        d.xx,       d.xy + n.z, d.xz - n.y,
        d.xy - n.z, d.yy,       d.yz + n.x,
        d.xz + n.y, d.yz - n.x, d.zz,
    );
    BodyCoriolis { momentum: momentum.linear, angular }
}

/// `D` of equation (1).
#[inline(always)]
fn rotational_rate<P: Real, T: Scalar<P>>(i: &Symmetric3<P>, h: Vector3<P>, v: Motion<T>) -> Symmetric3<T> {
    let w = v.angular;
    // columns of K: ω × I_k = −I_k × ω
    let kx = v3::cross(Vector3::new(-i.xx, -i.xy, -i.xz), w);
    let ky = v3::cross(Vector3::new(-i.xy, -i.yy, -i.yz), w);
    let kz = v3::cross(Vector3::new(-i.xz, -i.yz, -i.zz), w);
    let s = v3::dot(h, v.linear) * 2.0;
    let hv = Symmetric3::sym_outer(h, v.linear);
    Symmetric3::new(
        kx.x * 2.0 + s - hv.xx,
        kx.y + ky.x - hv.xy,
        kx.z + kz.x - hv.xz,
        ky.y * 2.0 + s - hv.yy,
        ky.z + kz.y - hv.yz,
        kz.z * 2.0 + s - hv.zz,
    )
}

/// The Coriolis matrix of one body, or the sum of several in the coordinates of one frame: `B = [[0, −2 [h_l]×], [0, A]]`.
///
/// Twelve numbers instead of thirty-six. Source: S. Singh, R. Russell, P. Wensing, *Efficient analytical derivatives of
/// rigid-body dynamics using spatial vector algebra*, 2022.
#[derive(Clone, Copy, Debug, PartialEq)]
#[repr(C)]
pub struct BodyCoriolis<T> {
    /// `h_l`: linear momentum, N s.
    pub momentum: Vector3<T>,
    /// `A`: the lower right block, kg m²/s.
    pub angular: Matrix3<T>,
}

impl<T: Real> BodyCoriolis<T> {
    /// No momentum.
    #[inline(always)]
    pub fn zero() -> Self {
        Self { momentum: v3::zero(), angular: v3::zero_matrix() }
    }

    /// `B m = (−2 h_l×ω, A ω)`
    #[inline(always)]
    pub fn times<U: Scalar<T>>(&self, m: Motion<U>) -> Force<U> {
        Force::new(v3::scale(-2.0, v3::cross(self.momentum, m.angular)), v3::rotate(&self.angular, m.angular))
    }

    /// `½ B`: a Coriolis matrix of the bodies.
    #[inline(always)]
    pub(crate) fn halved(&self) -> Self {
        Self {
            momentum: v3::scale::<f64, T>(0.5, self.momentum),
            angular: v3::scale_matrix::<f64, T>(0.5, &self.angular),
        }
    }

    /// `B m + f`, of a motion with this angular part.
    #[inline(always)]
    pub(crate) fn times_plus<U: Scalar<T>>(&self, omega: Vector3<U>, f: Force<U>) -> Force<U> {
        // Twice the variable: of the constant each number can be broadcast by the product itself.
        let twice = v3::add(omega, omega);
        Force::new(
            v3::cross_plus(v3::neg(self.momentum), twice, f.linear),
            v3::rotate_plus(&self.angular, omega, f.angular),
        )
    }

    /// `Bᵀ m = (0, 2 h_l×v + Aᵀ ω)`
    #[inline(always)]
    pub fn tr_times<U: Scalar<T>>(&self, m: Motion<U>) -> Force<U> {
        let twice = v3::scale(T::from(2.0), self.momentum);
        Force::new(v3::zero(), v3::cross_plus(twice, m.linear, v3::rotate_back(&self.angular, m.angular)))
    }

    /// The momentum of the bodies, `Y v`, N s and N m s: `A` is short of being symmetric by twice its angular part.
    #[inline(always)]
    pub fn whole_momentum(&self) -> Force<T> {
        let a = &self.angular;
        let angular = Vector3::new((a.m23 - a.m32) * 0.5, (a.m31 - a.m13) * 0.5, (a.m12 - a.m21) * 0.5);
        Force::new(self.momentum, angular)
    }

    /// `m ×* B − B m×`: rate of change when the bodies are carried along by `m`, their velocities too. With `m = (s, w)`:
    /// `h_l` changes by `w × h_l`, and `A` by `[w]× A − A [w]× − 2 [s]× [h_l]×`.
    #[inline(always)]
    pub fn carried<U: Scalar<T>>(&self, m: Motion<U>) -> BodyCoriolis<U> {
        let (h, a, s, w) = (self.momentum, &self.angular, m.linear, m.angular);
        let wa = v3::product(&v3::skew(w), &v3::lift_matrix(a));
        let aw = v3::product(a, &v3::skew(w));
        // [s]× [h]× = h sᵀ − (s·h) 1
        let (sh, hs) = (v3::dot(h, s) * 2.0, v3::outer(h, s));
        let entry = |wa: U, aw: U, hs: U| wa - aw - hs * 2.0;
        #[rustfmt::skip]
        let angular = Matrix3::new(
            entry(wa.m11, aw.m11, hs.m11) + sh, entry(wa.m12, aw.m12, hs.m12), entry(wa.m13, aw.m13, hs.m13),
            entry(wa.m21, aw.m21, hs.m21), entry(wa.m22, aw.m22, hs.m22) + sh, entry(wa.m23, aw.m23, hs.m23),
            entry(wa.m31, aw.m31, hs.m31), entry(wa.m32, aw.m32, hs.m32), entry(wa.m33, aw.m33, hs.m33) + sh,
        );
        BodyCoriolis { momentum: v3::cross(w, v3::lift(h)), angular }
    }

    /// As a matrix, 6×6.
    #[inline(always)]
    pub fn matrix6(&self) -> Matrix6<T> {
        let o = v3::zero_matrix();
        matrix6::from_blocks(&o, &v3::skew(v3::scale(-2.0, self.momentum)), &o, &self.angular)
    }
}

impl<T: Real> Add for BodyCoriolis<T> {
    type Output = Self;
    /// Of two bodies, both in the coordinates of one frame.
    #[inline(always)]
    fn add(self, b: Self) -> Self {
        Self { momentum: v3::add(self.momentum, b.momentum), angular: v3::add_matrix(&self.angular, &b.angular) }
    }
}

impl<T: Real> AddAssign for BodyCoriolis<T> {
    #[inline(always)]
    fn add_assign(&mut self, b: Self) {
        *self = *self + b;
    }
}
