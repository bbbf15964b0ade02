//! Products of the paper's `u` with columns of the path, of which entries consist.
//!
//! `u₁`, `u₁₁` and `u₈ − u₁₂` are pure moments. `u₁₃ = u₉ + u₁₁`, `u₁₀ = u₁₃ + u₉`, `u₅ = −u₁₂`.

use super::column::MOTIONS;
use super::memory::FACTORS;
use super::pack::{Pack, load_motion};
use crate::spatial::{Force, Motion, vector as v3};
use gradyn_derivatives::{Real, Scalar};
use nalgebra::Vector3;

/// Where `S′`, `Ψ̇′`, `Ψ̈′`, `Ψ̇′ + Ṡ′` are in a block of [`RneaSecondMemory::path`](super::RneaSecondMemory::path).
const S: usize = 0;
const PSI_DOT: usize = 6;
const PSI_DDOT: usize = 12;
const S_DOT: usize = 18;

/// Where the factors are in a block of [`RneaSecondMemory::ancestors`](super::RneaSecondMemory::ancestors).
pub(super) const U1: usize = 0;
pub(super) const U11: usize = 3;
pub(super) const U8_12: usize = 6;
pub(super) const U9: usize = 9;
pub(super) const U3: usize = 15;
pub(super) const U6: usize = 21;
pub(super) const U7: usize = 27;
pub(super) const U4: usize = 33;

/// Of columns of a path.
#[derive(Clone, Copy)]
pub(super) struct PathMotions<L> {
    pub(super) s: Motion<L>,
    pub(super) psi_dot: Motion<L>,
    pub(super) psi_ddot: Motion<L>,
    pub(super) s_dot: Motion<L>,
}

impl<L> PathMotions<L> {
    /// A block of them.
    #[inline(always)]
    pub(super) fn load<T: Real>(from: &[T]) -> Self
    where
        L: Pack<T>,
    {
        let w = L::WIDTH;
        let from = &from[..MOTIONS * w];
        Self {
            s: load_motion::<T, L>(&from[S * w..]),
            psi_dot: load_motion::<T, L>(&from[PSI_DOT * w..]),
            psi_ddot: load_motion::<T, L>(&from[PSI_DDOT * w..]),
            s_dot: load_motion::<T, L>(&from[S_DOT * w..]),
        }
    }
}

/// What one column makes of one column `t` of its path, or of several.
#[derive(Clone, Copy)]
pub(super) struct Factors<A> {
    u1: Vector3<A>,
    u11: Vector3<A>,
    u8_12: Vector3<A>,
    u9: Force<A>,
    u3: Force<A>,
    u6: Force<A>,
    u7: Force<A>,
}

impl<A: Real> Factors<A> {
    /// One lane of a block of `width`.
    #[inline(always)]
    pub(super) fn of_lane(block: &[A], width: usize, lane: usize) -> Self {
        let block = &block[..FACTORS * width];
        let vector = |k: usize| {
            Vector3::new(block[k * width + lane], block[(k + 1) * width + lane], block[(k + 2) * width + lane])
        };
        let force = |k: usize| Force::new(vector(k), vector(k + 3));
        Self {
            u1: vector(U1),
            u11: vector(U11),
            u8_12: vector(U8_12),
            u9: force(U9),
            u3: force(U3),
            u6: force(U6),
            u7: force(U7),
        }
    }

    /// `u₁₁ᵀ Ψ̇′`
    #[inline(always)]
    pub(super) fn p1<L: Scalar<A>>(&self, m: &PathMotions<L>) -> L {
        v3::dot(self.u11, m.psi_dot.angular)
    }

    /// `(u₈ − u₁₂)ᵀ Ψ̇′ + u₉ᵀ Ψ̈′`
    #[inline(always)]
    pub(super) fn p2<L: Scalar<A>>(&self, m: &PathMotions<L>) -> L {
        v3::dot_plus(self.u8_12, m.psi_dot.angular, self.u9.power(m.psi_ddot))
    }

    /// `u₁ᵀ Ψ̇′ + u₁₃ᵀ Ψ̈′`
    #[inline(always)]
    pub(super) fn u1_psi<L: Scalar<A>>(&self, m: &PathMotions<L>) -> L {
        let of_u13 = v3::dot_plus(self.u11, m.psi_ddot.angular, self.u9.power(m.psi_ddot));
        v3::dot_plus(self.u1, m.psi_dot.angular, of_u13)
    }

    /// `u₁ᵀ S′ + u₁₃ᵀ (Ψ̇′ + Ṡ′)`
    #[inline(always)]
    pub(super) fn u1_s<L: Scalar<A>>(&self, m: &PathMotions<L>) -> L {
        let of_u13 = v3::dot_plus(self.u11, m.s_dot.angular, self.u9.power(m.s_dot));
        v3::dot_plus(self.u1, m.s.angular, of_u13)
    }

    /// `u₁₁ᵀ S′`
    #[inline(always)]
    pub(super) fn u11_s<L: Scalar<A>>(&self, m: &PathMotions<L>) -> L {
        v3::dot(self.u11, m.s.angular)
    }

    /// `u₉ᵀ S′`
    #[inline(always)]
    pub(super) fn u9_s<L: Scalar<A>>(&self, m: &PathMotions<L>) -> L {
        self.u9.power(m.s)
    }

    /// `u₃ᵀ S′`
    #[inline(always)]
    pub(super) fn u3_s<L: Scalar<A>>(&self, m: &PathMotions<L>) -> L {
        self.u3.power(m.s)
    }

    /// `(u₈ − u₁₂)ᵀ S′ + u₉ᵀ (Ψ̇′ + Ṡ′)`
    #[inline(always)]
    pub(super) fn u8_s<L: Scalar<A>>(&self, m: &PathMotions<L>) -> L {
        v3::dot_plus(self.u8_12, m.s.angular, self.u9.power(m.s_dot))
    }

    /// `u₆ᵀ S′`
    #[inline(always)]
    pub(super) fn u6_s<L: Scalar<A>>(&self, m: &PathMotions<L>) -> L {
        self.u6.power(m.s)
    }

    /// `u₇ᵀ S′`
    #[inline(always)]
    pub(super) fn u7_s<L: Scalar<A>>(&self, m: &PathMotions<L>) -> L {
        self.u7.power(m.s)
    }
}

/// `u₄`, which only columns of one link have of each other, of one lane.
#[inline(always)]
pub(super) fn u4_of_lane<A: Real>(block: &[A], width: usize, lane: usize) -> Force<A> {
    let number = |k: usize| block[(U4 + k) * width + lane];
    Force::new(Vector3::new(number(0), number(1), number(2)), Vector3::new(number(3), number(4), number(5)))
}
