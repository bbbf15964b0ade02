//! Springs of joints that turn or move freely: of spherical joints, of floating ones.
//!
//! With R the orientation and p the position of the joint, `φ = log(R₀ᵀ R)` the turn from the reference `R₀ = exp(r)`, and diagonal
//! matrices `K` of stiffness, the energy is a quadratic function of displacements, and torques are its derivatives along the joint's own
//! velocities, which are those of its body in its own axes:
//!
//! ```text
//! U   = ½ φᵀ K_φ φ + ½ (p − p₀)ᵀ K_p (p − p₀)                                                              (1)
//! τ_ω = J_r⁻ᵀ(φ) K_φ φ          τ_p = Rᵀ K_p (p − p₀)                                                      (2)
//! ∂τ_ω/∂ω = (J_r⁻ᵀ K_φ + ∂(J_r⁻ᵀ w)/∂φ) J_r⁻¹ at w = K_φ φ                                                  (3)
//! ∂τ_p/∂p = Rᵀ K_p R            ∂τ_p/∂ω = [τ_p]×                                                           (4)
//! ∂τ_ω/∂r = −(J_r⁻ᵀ K_φ + ∂(J_r⁻ᵀ w)/∂φ) J_l⁻¹(φ) J_r(r)                                                   (5)
//! ```
//!
//! With one stiffness for all turns `J_r⁻ᵀ φ = φ`, and `τ_ω = k φ`: MuJoCo's spring of a ball or free joint. A turn is at most π long;
//! where it is π, torques jump.

use crate::spatial::quaternion::{self, Quaternion};
use crate::spatial::so3::{jexp3, jlog3, jlog3_left, jlog3_tr_bend, jlog3_tr_times};
use crate::spatial::{Force, vector as v3};
use gradyn_derivatives::scalar::smooth::half_cotangent;
use gradyn_derivatives::{Real, Scalar};
use nalgebra::{Matrix3, Vector3};
use std::ops::Range;

/// The springs of a spherical joint, or of one that floats.
///
/// Each degree of freedom has a stiffness `k_i` and a reference. Turns are the rotation vector `φ` from the reference, which is a
/// rotation vector itself, rad; displacements of a floating joint are along the axes of its mounting frame. The energy is
/// `½ Σ k_i φ_i² + ½ Σ k_i (p_i − p₀_i)²`, and torques are its derivatives.
#[derive(Clone, Copy, Debug, PartialEq)]
#[doc(alias("bushing", "ball joint spring", "free joint spring", "stiffness", "qpos_spring"))]
pub struct PoseSpring<P = f64> {
    /// The place of the body whose joint it is of.
    pub(crate) body: usize,
    /// The first of its degrees of freedom among those of its joint.
    pub(crate) first: usize,
    /// The first of its degrees of freedom, an index into v: three of a spherical joint, six of a floating one, displacements first.
    pub index: usize,
    /// The first of the coordinates that it measures, an index into q: a quaternion, after a position if the joint floats.
    pub coordinate: usize,
    /// Whether the joint floats. One that does not has no displacements.
    pub floats: bool,
    /// Forces per displacement, N/m, then torques per turn, N m/rad.
    pub stiffness: [P; 6],
    /// The position, m, and the rotation vector, rad, at which it exerts no force.
    pub reference: [P; 6],
}

/// Three of six numbers.
#[inline(always)]
fn three<P: Real>(numbers: &[P; 6], first: usize) -> Vector3<P> {
    Vector3::new(numbers[first], numbers[first + 1], numbers[first + 2])
}

/// `K x`, entry by entry.
#[inline(always)]
fn stiff<P: Real, T: Scalar<P>>(k: Vector3<P>, x: Vector3<T>) -> Vector3<T> {
    Vector3::new(x.x * k.x, x.y * k.y, x.z * k.z)
}

/// A [`PoseSpring`] at a configuration.
#[derive(Clone, Copy, Debug)]
pub struct BentSpring<'a, P, T> {
    spring: &'a PoseSpring<P>,
    r: Matrix3<T>,
    /// `p − p₀`; none of a joint that does not float.
    apart: Option<Vector3<T>>,
    /// `φ`
    turn: Vector3<T>,
    /// Of J_r⁻¹(φ), with its derivatives by `|φ|²`.
    kappa: [T; 3],
}

impl<P: Real> PoseSpring<P> {
    /// The same in a wider number type.
    #[must_use]
    pub fn lift<T: Scalar<P>>(&self) -> PoseSpring<T> {
        let Self { body, first, index, coordinate, floats, stiffness, reference } = *self;
        let (stiffness, reference) = (stiffness.map(T::from), reference.map(T::from));
        PoseSpring { body, first, index, coordinate, floats, stiffness, reference }
    }

    /// Its degrees of freedom, indices into v.
    #[inline(always)]
    #[must_use]
    pub fn dofs(&self) -> Range<usize> {
        self.index..self.index + self.freedoms()
    }

    /// How many.
    #[inline(always)]
    pub(crate) fn freedoms(&self) -> usize {
        if self.floats { 6 } else { 3 }
    }

    /// The place of its `k`-th degree of freedom among those of a pose.
    #[inline(always)]
    pub(crate) fn of_pose(&self, k: usize) -> usize {
        k + 6 - self.freedoms()
    }

    /// Its degrees of freedom, indices into v, each with its number in six numbers of a pose.
    #[inline(always)]
    pub(crate) fn numbered(&self) -> impl Iterator<Item = (usize, usize)> + use<P> {
        self.dofs().zip(self.of_pose(0)..6)
    }

    /// Those of six numbers of a pose that it has, from numbers of all degrees of freedom, nv.
    #[inline(always)]
    pub(crate) fn numbers<T: Real>(&self, of_all: &[T]) -> [T; 6] {
        let mut numbers = [T::zero(); 6];
        self.numbered().for_each(|(dof, i)| numbers[i] = of_all[dof]);
        numbers
    }

    /// The same with displacements that count from zero.
    pub(crate) fn undisplaced(mut self) -> Self {
        self.reference[..3].fill(P::zero());
        self
    }

    /// The spring at this configuration, nq; none if that has too few numbers.
    #[must_use]
    pub fn at<T: Scalar<P>>(&self, q: &[T]) -> Option<BentSpring<'_, P, T>> {
        (q.len() > self.coordinate + self.freedoms()).then(|| self.bent(q))
    }

    /// The same at a configuration whose length has been checked.
    #[inline(always)]
    pub(crate) fn bent<T: Scalar<P>>(&self, q: &[T]) -> BentSpring<'_, P, T> {
        let (own, n) = (&q[self.coordinate..], self.freedoms());
        let quaternion = Quaternion::from_slice(&own[n - 3..=n]);
        let reference: Quaternion<P> = quaternion::exp(three(&self.reference, 3));
        let apart = self.floats.then(|| {
            let zero = three(&self.reference, 0);
            Vector3::new(own[0] - T::from(zero.x), own[1] - T::from(zero.y), own[2] - T::from(zero.z))
        });
        let turn = (Quaternion::<T>::from_array(reference.conjugate().to_array().map(T::from)) * quaternion).log();
        let kappa = half_cotangent(v3::norm_squared(turn));
        BentSpring { spring: self, r: quaternion.rotation(), apart, turn, kappa }
    }
}

impl<P: Real, T: Scalar<P>> BentSpring<'_, P, T> {
    /// The force and torque that hold the joint against it, N and N m, in axes of its body, (2).
    #[must_use]
    pub fn torque(&self) -> Force<T> {
        let Self { spring, r, apart, turn, kappa } = *self;
        let linear =
            apart.map_or_else(v3::zero, |apart| v3::rotate_back(&r, stiff(three(&spring.stiffness, 0), apart)));
        Force::new(linear, jlog3_tr_times(turn, stiff(three(&spring.stiffness, 3), turn), kappa).0)
    }

    /// The derivative of [`torque`](Self::torque) along the velocities of a pose, columns of (3) and (4): the linear part, then the angular one.
    #[must_use]
    pub fn slope(&self) -> [Force<T>; 6] {
        let Self { spring, r, apart, .. } = *self;
        let mut columns = [Force::zero(); 6];
        let by_turn = v3::product::<T, T>(&self.angular_by_turn(), &jlog3(self.turn));
        for k in 0..3 {
            columns[k + 3].angular = v3::column(&by_turn, k);
        }
        if let Some(apart) = apart {
            let k = three(&spring.stiffness, 0);
            let force = v3::skew(v3::rotate_back(&r, stiff(k, apart)));
            for i in 0..3 {
                columns[i].linear = v3::rotate_back(&r, stiff(k, v3::column(&r, i)));
                columns[i + 3].linear = v3::column(&force, i);
            }
        }
        columns
    }

    /// `∂τ_ω/∂φ`
    #[inline(always)]
    fn angular_by_turn(&self) -> Matrix3<T> {
        let Self { spring, turn, kappa, .. } = *self;
        let k = three(&spring.stiffness, 3);
        let by_jacobian = jlog3_tr_times(turn, stiff(k, turn), kappa).1;
        let jacobian = jlog3(turn).transpose();
        let column = |stiffness: P, i: usize| v3::scale(stiffness, v3::column(&jacobian, i));
        v3::add_matrix::<T, T>(&by_jacobian, &v3::from_columns(column(k.x, 0), column(k.y, 1), column(k.z, 2)))
    }

    /// What it stores, J, (1).
    #[must_use]
    pub fn energy(&self) -> T {
        let Self { spring, apart, turn, .. } = *self;
        let of_turn = v3::dot::<T, T>(turn, stiff(three(&spring.stiffness, 3), turn));
        let of_displacement = apart.map_or_else(T::zero, |x| v3::dot::<T, T>(x, stiff(three(&spring.stiffness, 0), x)));
        (of_turn + of_displacement) * 0.5
    }

    /// Derivatives of [`torque`](Self::torque) by each stiffness, columns: torques are linear in them.
    #[must_use]
    pub fn torque_by_stiffness(&self) -> [Force<T>; 6] {
        let Self { r, apart, turn, .. } = *self;
        let jacobian = jlog3(turn).transpose();
        let mut columns = [Force::zero(); 6];
        for k in 0..3 {
            columns[k + 3].angular = v3::scale::<T, T>(turn[k], v3::column(&jacobian, k));
            if let Some(apart) = apart {
                columns[k].linear = v3::scale::<T, T>(apart[k], v3::column(&r.transpose(), k));
            }
        }
        columns
    }

    /// Derivatives of [`torque`](Self::torque) by each reference, columns, (5).
    #[must_use]
    pub fn torque_by_reference(&self) -> [Force<T>; 6] {
        let Self { spring, r, .. } = *self;
        let by_reference = v3::product::<T, T>(&self.angular_by_turn(), &self.turn_by_reference());
        let mut columns = [Force::zero(); 6];
        for k in 0..3 {
            columns[k + 3].angular = v3::column(&by_reference, k);
            if spring.floats {
                columns[k].linear = v3::scale(-spring.stiffness[k], v3::column(&r.transpose(), k));
            }
        }
        columns
    }

    /// Derivatives of [`torque`](Self::torque) by stiffness times reference of each displacement, columns: `−Rᵀ`.
    pub(crate) fn torque_by_preload(&self) -> [Force<T>; 3] {
        [0, 1, 2].map(|k| Force::new(v3::neg(v3::column(&self.r.transpose(), k)), v3::zero()))
    }

    /// `∂φ/∂r = −J_l⁻¹(φ) J_r(r)`
    fn turn_by_reference(&self) -> Matrix3<T> {
        let jacobian: Matrix3<P> = jexp3(three(&self.spring.reference, 3));
        v3::neg_matrix(&v3::product::<T, T>(&jlog3_left(self.turn), &v3::lift_matrix(&jacobian)))
    }

    /// Derivatives of [`energy`](Self::energy) by each stiffness, and by each reference.
    #[must_use]
    pub fn energy_by_constants(&self) -> ([T; 6], [T; 6]) {
        let Self { spring, apart, turn, .. } = *self;
        let (mut by_stiffness, mut by_reference) = ([T::zero(); 6], [T::zero(); 6]);
        let torque = stiff(three(&spring.stiffness, 3), turn);
        let moved = self.turn_by_reference();
        for k in 0..3 {
            by_stiffness[k + 3] = turn[k] * turn[k] * 0.5;
            by_reference[k + 3] = v3::dot::<T, T>(torque, v3::column(&moved, k));
            if let Some(apart) = apart {
                by_stiffness[k] = apart[k] * apart[k] * 0.5;
                by_reference[k] = -(apart[k] * spring.stiffness[k]);
            }
        }
        (by_stiffness, by_reference)
    }

    /// The derivative of the gradient of `λᵀ τ` along a motion of the joint, `(δ_p, δ_ω)`; all numbers are of a pose.
    ///
    /// With `p = J_r⁻¹ δ_ω`, `D(w)` the derivative of `J_r⁻ᵀ(φ) w` by `φ`, `G = ∂τ_ω/∂φ` and `B = Rᵀ K_p R`:
    ///
    /// ```text
    /// by ω: J_r⁻ᵀ (K_φ (dJ_r⁻¹ λ_ω) + D(K_φ p)ᵀ λ_ω + (dD)ᵀ λ_ω) + D(Gᵀ λ_ω) p + λ_p × (B δ_p + τ_p × δ_ω)
    /// by p: B (δ_ω × λ_p) − δ_ω × B λ_p
    /// ```
    pub(crate) fn bend(&self, weights: [T; 6], along: [T; 6]) -> [T; 6] {
        let Self { spring, r, apart, turn, kappa } = *self;
        let (k, weight, step) = (three(&spring.stiffness, 3), three(&weights, 3), three(&along, 3));
        let bent = stiff(k, turn);
        let p = v3::rotate::<T, T>(&jlog3(turn), step);
        // J_r⁻¹(φ) = J_r⁻ᵀ(−φ)
        let (_, inverse) = jlog3_tr_times(v3::neg(turn), weight, kappa);
        let sum = v3::sub(
            v3::rotate_back::<T, T>(&jlog3_tr_times(turn, stiff(k, p), kappa).1, weight),
            stiff(k, v3::rotate::<T, T>(&inverse, p)),
        );
        let sum = v3::rotate_back_plus::<T, T>(&jlog3_tr_bend(turn, bent, p, kappa), weight, sum);
        let by_turn = v3::rotate_back::<T, T>(&self.angular_by_turn(), weight);
        let mut angular = v3::rotate_plus::<T, T>(
            &jlog3_tr_times(turn, by_turn, kappa).1,
            p,
            v3::rotate_back::<T, T>(&jlog3(turn), sum),
        );
        let mut linear = v3::zero();
        if let Some(apart) = apart {
            let (k, weight, moved) = (three(&spring.stiffness, 0), three(&weights, 0), three(&along, 0));
            let turned = |x: Vector3<T>| v3::rotate_back::<T, T>(&r, stiff(k, v3::rotate::<T, T>(&r, x))); // B x
            let force = v3::rotate_back::<T, T>(&r, stiff(k, apart));
            let rate = v3::cross_plus::<T, T>(force, step, turned(moved));
            angular = v3::cross_plus::<T, T>(weight, rate, angular);
            linear = v3::sub(turned(v3::cross::<T, T>(step, weight)), v3::cross::<T, T>(step, turned(weight)));
        }
        [linear.x, linear.y, linear.z, angular.x, angular.y, angular.z]
    }
}
