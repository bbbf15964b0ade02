//! What the equations have of one column of the motion subspaces.

use crate::spatial::{BodyCoriolis, Force, InertiaAboutOrigin, Motion, Symmetric3, vector as v3};
use gradyn_derivatives::{Real, Scalar};
use nalgebra::{Matrix3, Vector3};

/// `r₀` … `r₇` of the paper, for one column `S` of a link.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Column<T> {
    /// `S`
    pub(super) s: Motion<T>,
    /// `Y`, composite.
    pub(super) inertia: InertiaAboutOrigin<T>,
    /// `Y S`: `r₀ = (Y S)×̄*`.
    pub(super) f0: Force<T>,
    /// `Bφ = r₁ + r₀`
    pub(super) b_phi: BodyCoriolis<T>,
    /// The symmetric lower right block of `r₁`.
    d1: Symmetric3<T>,
    /// `r₃ = B(Y, Ψ̇) + S×* B − B S×`
    pub(super) r3: BodyCoriolis<T>,
    /// `Bᵀ S`, a pure moment: `r₄ = (Bᵀ S)×̄*`.
    pub(super) n4: Vector3<T>,
    /// `r₅ = (B Ψ̇ + S×* f + Y Ψ̈)×̄*`
    pub(super) f5: Force<T>,
    /// `r₇ = (B S + Y (Ψ̇ + Ṡ))×̄*`
    pub(super) f7: Force<T>,
}

/// How many numbers a column is.
pub(crate) const NUMBERS: usize = 64;

/// A column as numbers one after the other.
pub(crate) type Numbers<T> = [T; NUMBERS];

impl<T: Real> Column<T> {
    /// Of `S`, `Ψ̇`, `Ψ̈` and `Ψ̇ + Ṡ`, and the sums `Y`, `B` and `f` over the subtree.
    #[inline(always)]
    pub(crate) fn new(
        [s, psi_dot, psi_ddot, s_dot]: [Motion<T>; 4],
        y: InertiaAboutOrigin<T>,
        b: &BodyCoriolis<T>,
        f: Force<T>,
    ) -> Self {
        let f0 = y * s;
        let b_phi = y.body_coriolis(s, f0);
        Self {
            s,
            inertia: y,
            f0,
            b_phi,
            d1: Symmetric3::from_matrix(&b_phi.angular),
            r3: y.body_coriolis(psi_dot, y * psi_dot) + b.carried(s),
            n4: b.tr_times(s).angular,
            f5: b.times(psi_dot) + s.cross_force(f) + y * psi_ddot,
            f7: b.times(s) + y * s_dot,
        }
    }

    /// No column.
    pub(super) fn zero() -> Self {
        Self::from_numbers(&[T::zero(); NUMBERS])
    }

    /// With a force that the subtree need not exert.
    #[inline(always)]
    pub(super) fn relieve(&mut self, f: Force<T>) {
        self.f5 -= self.s.cross_force(f);
    }

    /// `r₁ m`
    #[inline(always)]
    pub(super) fn r1<L: Scalar<T>>(&self, m: Motion<L>) -> Force<L> {
        let h = self.b_phi.momentum;
        let linear = v3::cross(v3::neg(h), m.angular);
        Force::new(linear, self.d1.times_plus(m.angular, v3::cross(h, m.linear)))
    }

    /// All numbers. The diagonal of `d1` is that of `Bφ`.
    #[inline(always)]
    pub(crate) fn numbers(&self) -> Numbers<T> {
        let Self { s, inertia: y, f0, b_phi: b, d1, r3: r, n4, f5, f7 } = *self;
        let (h, i, a, c) = (y.first_moment, y.moment, b.angular, r.angular);
        #[rustfmt::skip]
        let numbers = [
            s.linear.x, s.linear.y, s.linear.z, s.angular.x, s.angular.y, s.angular.z,
            y.mass, h.x, h.y, h.z, i.xx, i.xy, i.xz, i.yy, i.yz, i.zz,
            f0.linear.x, f0.linear.y, f0.linear.z, f0.angular.x, f0.angular.y, f0.angular.z,
            b.momentum.x, b.momentum.y, b.momentum.z,
            a.m11, a.m12, a.m13, a.m21, a.m22, a.m23, a.m31, a.m32, a.m33,
            d1.xy, d1.xz, d1.yz,
            r.momentum.x, r.momentum.y, r.momentum.z,
            c.m11, c.m12, c.m13, c.m21, c.m22, c.m23, c.m31, c.m32, c.m33,
            n4.x, n4.y, n4.z,
            f5.linear.x, f5.linear.y, f5.linear.z, f5.angular.x, f5.angular.y, f5.angular.z,
            f7.linear.x, f7.linear.y, f7.linear.z, f7.angular.x, f7.angular.y, f7.angular.z,
        ];
        numbers
    }

    /// From [`numbers`](Self::numbers).
    #[inline(always)]
    pub(crate) fn from_numbers(x: &Numbers<T>) -> Self {
        let vector = |k: usize| Vector3::new(x[k], x[k + 1], x[k + 2]);
        let force = |k: usize| Force::new(vector(k), vector(k + 3));
        let coriolis = |momentum: usize, k: usize| BodyCoriolis {
            momentum: vector(momentum),
            angular: Matrix3::new(x[k], x[k + 1], x[k + 2], x[k + 3], x[k + 4], x[k + 5], x[k + 6], x[k + 7], x[k + 8]),
        };
        let b_phi = coriolis(22, 25);
        let a = &b_phi.angular;
        Self {
            s: Motion::new(vector(0), vector(3)),
            inertia: InertiaAboutOrigin {
                mass: x[6],
                first_moment: vector(7),
                moment: Symmetric3::new(x[10], x[11], x[12], x[13], x[14], x[15]),
            },
            f0: force(16),
            d1: Symmetric3::new(a.m11, x[34], x[35], a.m22, x[36], a.m33),
            b_phi,
            r3: coriolis(37, 40),
            n4: vector(49),
            f5: force(52),
            f7: force(58),
        }
    }
}
