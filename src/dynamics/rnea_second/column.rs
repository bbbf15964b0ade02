//! The terms of the equations for one column of the motion subspaces.

use crate::spatial::{BodyCoriolis, Force, InertiaAboutOrigin, Motion, Symmetric3, vector as v3};
use gradyn_derivatives::{Real, Scalar};
use nalgebra::{Matrix3, Vector3};

/// How many numbers a [`Column`] is.
pub(super) const NUMBERS: usize = 56;

/// `r₀` … `r₇` of the paper, for one column `S` of a link: numbers one after the other, so that they can be brought
/// from registers to their places eight at a time.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Column<T>(pub(crate) [T; NUMBERS]);

/// Where they begin.
const S: usize = 0;
const F0: usize = 6;
const B_PHI: usize = 12;
const D1: usize = 24;
const R3: usize = 27;
const N4: usize = 39;
const F5: usize = 42;
const F7: usize = 48;

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
        let d1 = Symmetric3::from_matrix(&b_phi.angular);
        let r3 = y.body_coriolis(psi_dot, y * psi_dot) + b.carried(s);
        let n4 = b.tr_times(s).angular;
        let f5 = b.times_plus(psi_dot.angular, y.times_plus(psi_ddot, s.cross_force(f)));
        let f7 = b.times_plus(s.angular, y * s_dot);
        let (a, c) = (b_phi.angular, r3.angular);
        #[rustfmt::skip]
        let numbers = [
            s.linear.x, s.linear.y, s.linear.z, s.angular.x, s.angular.y, s.angular.z,
            f0.linear.x, f0.linear.y, f0.linear.z, f0.angular.x, f0.angular.y, f0.angular.z,
            b_phi.momentum.x, b_phi.momentum.y, b_phi.momentum.z,
            a.m11, a.m12, a.m13, a.m21, a.m22, a.m23, a.m31, a.m32, a.m33,
            // The diagonal is that of `Bφ`.
            d1.xy, d1.xz, d1.yz,
            r3.momentum.x, r3.momentum.y, r3.momentum.z,
            c.m11, c.m12, c.m13, c.m21, c.m22, c.m23, c.m31, c.m32, c.m33,
            n4.x, n4.y, n4.z,
            f5.linear.x, f5.linear.y, f5.linear.z, f5.angular.x, f5.angular.y, f5.angular.z,
            f7.linear.x, f7.linear.y, f7.linear.z, f7.angular.x, f7.angular.y, f7.angular.z,
            // To a multiple of eight.
            T::zero(), T::zero(),
        ];
        Self(numbers)
    }

    /// No column.
    pub(super) fn zero() -> Self {
        Self([T::zero(); NUMBERS])
    }

    /// With a force that the subtree need not exert.
    #[inline(always)]
    pub(super) fn relieve(&mut self, f: Force<T>) {
        let by = self.s().cross_force(f);
        let numbers = [by.linear.x, by.linear.y, by.linear.z, by.angular.x, by.angular.y, by.angular.z];
        for (x, by) in self.0[F5..].iter_mut().zip(numbers) {
            *x -= by;
        }
    }

    /// `S`
    #[inline(always)]
    pub(super) fn s(&self) -> Motion<T> {
        Motion::new(self.vector(S), self.vector(S + 3))
    }

    /// `Y S`: `r₀ = (Y S)×̄*`.
    #[inline(always)]
    pub(super) fn f0(&self) -> Force<T> {
        self.force(F0)
    }

    /// `Bφ = r₁ + r₀`
    #[inline(always)]
    pub(super) fn b_phi(&self) -> BodyCoriolis<T> {
        self.coriolis(B_PHI)
    }

    /// `r₁ m + f`. Its lower right block is the symmetric part of that of `Bφ`.
    #[inline(always)]
    pub(super) fn r1_plus<L: Scalar<T>>(&self, m: Motion<L>, f: Force<L>) -> Force<L> {
        let (BodyCoriolis { momentum: h, angular: a }, [xy, xz, yz]) = (self.b_phi(), self.some(D1));
        let linear = v3::cross_plus(v3::neg(h), m.angular, f.linear);
        let d1 = Symmetric3::new(a.m11, xy, xz, a.m22, yz, a.m33);
        Force::new(linear, d1.times_plus(m.angular, v3::cross_plus(h, m.linear, f.angular)))
    }

    /// `r₃ = B(Y, Ψ̇) + S×* B − B S×`
    #[inline(always)]
    pub(super) fn r3(&self) -> BodyCoriolis<T> {
        self.coriolis(R3)
    }

    /// `Bᵀ S`, a pure moment: `r₄ = (Bᵀ S)×̄*`.
    #[inline(always)]
    pub(super) fn n4(&self) -> Vector3<T> {
        self.vector(N4)
    }

    /// `r₅ = (B Ψ̇ + S×* f + Y Ψ̈)×̄*`
    #[inline(always)]
    pub(super) fn f5(&self) -> Force<T> {
        self.force(F5)
    }

    /// `r₇ = (B S + Y (Ψ̇ + Ṡ))×̄*`
    #[inline(always)]
    pub(super) fn f7(&self) -> Force<T> {
        self.force(F7)
    }

    #[inline(always)]
    fn some<const N: usize>(&self, first: usize) -> [T; N] {
        let mut numbers = [T::zero(); N];
        let mut k = 0;
        while k < N {
            numbers[k] = self.0[first + k];
            k += 1;
        }
        numbers
    }

    #[inline(always)]
    fn vector(&self, first: usize) -> Vector3<T> {
        let [x, y, z] = self.some(first);
        Vector3::new(x, y, z)
    }

    #[inline(always)]
    fn force(&self, first: usize) -> Force<T> {
        Force::new(self.vector(first), self.vector(first + 3))
    }

    #[inline(always)]
    fn coriolis(&self, first: usize) -> BodyCoriolis<T> {
        let [a, b, c, d, e, f, g, h, i] = self.some(first + 3);
        BodyCoriolis { momentum: self.vector(first), angular: Matrix3::new(a, b, c, d, e, f, g, h, i) }
    }
}

/// How many numbers `S`, `Ψ̇`, `Ψ̈` and `Ψ̇ + Ṡ` are.
pub(crate) const MOTIONS: usize = 4 * 6;

/// These, one after the other.
pub(crate) type Motions<T> = [T; MOTIONS];

/// The numbers of `S`, `Ψ̇`, `Ψ̈` and `Ψ̇ + Ṡ`.
#[inline(always)]
pub(crate) fn motions<T: Real>([s, a, b, c]: &[Motion<T>; 4]) -> Motions<T> {
    #[rustfmt::skip]
    let numbers = [
        s.linear.x, s.linear.y, s.linear.z, s.angular.x, s.angular.y, s.angular.z,
        a.linear.x, a.linear.y, a.linear.z, a.angular.x, a.angular.y, a.angular.z,
        b.linear.x, b.linear.y, b.linear.z, b.angular.x, b.angular.y, b.angular.z,
        c.linear.x, c.linear.y, c.linear.z, c.angular.x, c.angular.y, c.angular.z,
    ];
    numbers
}
