//! Masses of several bodies together, their center, and their momentum.
//!
//! The equations of the momentum are those of [`centroidal`](crate::dynamics::centroidal()).

use crate::slice_ops::first_not_finite;
use crate::spatial::{BodyCoriolis, Force, Inertia, Motion, vector as v3};
use gradyn_derivatives::Real;
use nalgebra::Vector3;
use std::ops::Mul;

/// Mass of several bodies, and their center of mass: where it is and how it moves, in the world.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PointMass<T> {
    /// Mass, kg.
    pub mass: T,
    /// Position, m.
    pub position: Vector3<T>,
    /// Velocity, m/s.
    pub velocity: Vector3<T>,
    /// Acceleration, m/s², gravity left out.
    pub acceleration: Vector3<T>,
}

impl<T: Real> PointMass<T> {
    /// Whether all numbers are finite.
    pub(crate) fn is_finite(&self) -> bool {
        let [x, v, a] = [&self.position, &self.velocity, &self.acceleration].map(|x| first_not_finite(x.as_slice()));
        first_not_finite(&[self.mass]).is_none() && x.is_none() && v.is_none() && a.is_none()
    }
}

/// Mass of several bodies and how it moves, in axes of the world about the origin of their tree.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub(crate) struct MovingMass<T> {
    /// Rate of change of the momentum, N.
    pub(crate) force: Vector3<T>,
    /// Linear momentum, N s.
    pub(crate) momentum: Vector3<T>,
    pub(crate) mass: T,
    /// First moment of mass, kg m.
    pub(crate) moment: Vector3<T>,
}

/// The momentum of what a column moves, by its mass and first moment.
#[inline(always)]
pub(crate) fn moved<T: Real>(s: Motion<T>, mass: T, moment: Vector3<T>) -> Vector3<T> {
    v3::cross_plus(s.angular, moment, v3::scale::<T, T>(mass, s.linear))
}

/// Of (2), what is about an origin at rest: `B_C S − S ×* h_C + I_C Ṡ`.
#[inline(always)]
pub(crate) fn matrix_rate<T: Real, Y: Mul<Motion<T>, Output = Force<T>>>(
    inertia: Y,
    coriolis: &BodyCoriolis<T>,
    momentum: Force<T>,
    s: Motion<T>,
    s_dot: Motion<T>,
) -> Force<T> {
    coriolis.times(s) - s.cross_force(momentum) + inertia * s_dot
}

/// How a momentum about the point `c`, whose linear part is `linear`, varies, if that about the origin varies by
/// `change` and the point by `moved`: `change about c − (0, moved × linear)`.
#[inline(always)]
pub(crate) fn about_moving<T: Real>(
    change: Force<T>,
    c: Vector3<T>,
    moved: Vector3<T>,
    linear: Vector3<T>,
) -> Force<T> {
    let about = change.shifted::<T>(c);
    Force::new(about.linear, v3::sub(about.angular, v3::cross(moved, linear)))
}

/// What the bodies of a tree sum up to, in its coordinates.
pub(crate) struct Tree<T> {
    /// The origin of the first tree.
    pub(crate) first: Vector3<T>,
    pub(crate) inertia: Inertia<T>,
    pub(crate) momentum: Force<T>,
    pub(crate) force: Force<T>,
}

impl<T: Real> Tree<T> {
    /// Adds another, about the origin of the first one: far from the world's, no digits are lost.
    #[inline(always)]
    pub(crate) fn add(&mut self, tree: Self) {
        self.inertia += tree.inertia.shifted(tree.first);
        self.momentum += tree.momentum.shifted::<T>(tree.first);
        self.force += tree.force.shifted::<T>(tree.first);
    }
}

/// The robot as a whole, about its center of mass.
#[derive(Clone, Copy)]
pub(crate) struct Whole<T> {
    pub(crate) com: PointMass<T>,
    pub(crate) inertia: Inertia<T>,
    pub(crate) momentum: Force<T>,
    pub(crate) force: Force<T>,
    /// The center of mass from the origin of the first tree.
    pub(crate) from_first: Vector3<T>,
}

impl<T: Real> Whole<T> {
    /// From the origin of the first tree in the world, and what the trees sum up to. Not finite without mass.
    pub(crate) fn of(origin: Vector3<T>, trees: impl Iterator<Item = Tree<T>>) -> Self {
        let mut sum =
            Tree { first: v3::zero(), inertia: Inertia::zero(), momentum: Force::zero(), force: Force::zero() };
        for tree in trees {
            sum.add(tree);
        }
        Self::from_sum(origin, sum)
    }

    /// From the sum about the origin of the first tree.
    #[inline(always)]
    pub(crate) fn from_sum(origin: Vector3<T>, sum: Tree<T>) -> Self {
        let Tree { inertia, momentum, force, .. } = sum;
        let (share, c) = (inertia.mass.recip(), inertia.com);
        let com = PointMass {
            mass: inertia.mass,
            position: v3::add(origin, c),
            velocity: v3::scale(share, momentum.linear),
            acceleration: v3::scale(share, force.linear),
        };
        Self {
            com,
            inertia: Inertia::new(inertia.mass, v3::zero(), inertia.rotational),
            momentum: momentum.shifted::<T>(c),
            force: force.shifted::<T>(c), //                                             (3)
            from_first: c,
        }
    }

    pub(crate) fn is_finite(&self) -> bool {
        let moments = [self.momentum.angular, self.force.angular];
        self.com.is_finite()
            && moments.iter().all(|x| first_not_finite(x.as_slice()).is_none())
            && self.inertia.rotational.trace().is_finite()
    }
}

/// What a column changes of the momentum of a subtree and of its rate, about the origin of its tree.
pub(crate) struct MomentumColumn<T> {
    /// `∂h/∂q_k`
    pub(crate) momentum_q: Force<T>,
    /// `∂ḣ/∂q_k`
    pub(crate) rate_q: Force<T>,
    /// `∂ḣ/∂q̇_k`
    pub(crate) rate_v: Force<T>,
    /// `∂h/∂q̇_k = ∂ḣ/∂q̈_k = I_C S_k`
    pub(crate) subspace: Force<T>,
}

impl<T: Real> MomentumColumn<T> {
    /// Of the column `s` with `(Ψ̇, Ψ̈, Ψ̇ + Ṡ)`, on bodies with this momentum and the rate of change of it.
    #[inline(always)]
    pub(crate) fn new<Y: Copy + Mul<Motion<T>, Output = Force<T>>>(
        inertia: Y,
        coriolis: &BodyCoriolis<T>,
        (momentum, force): (Force<T>, Force<T>),
        s: Motion<T>,
        (psi_dot, psi_ddot, psi_s_dot): (Motion<T>, Motion<T>, Motion<T>),
    ) -> Self {
        Self {
            momentum_q: s.cross_force(momentum) + inertia * psi_dot, //                   (1)
            rate_q: s.cross_force(force) + coriolis.times(psi_dot) + inertia * psi_ddot, // (2)
            rate_v: coriolis.times(s) + inertia * psi_s_dot,
            subspace: inertia * s,
        }
    }
}
