//! Moments of mass and of flow: inertia, Coriolis matrix and force of bodies as sums over their points.
//!
//! A point at `r` moves with `u = v + ω × r` and accelerates with `a + K r`, `K = [ω̇]× + [ω]×²`. With
//!
//! ```text
//! m, h, Σ = ∫ (1, r, r rᵀ) dm     l, P = ∫ (u, u rᵀ) dm                               (1)
//! ```
//!
//! inertia and Coriolis matrix of Singh, Russell and Wensing (2022) are, on a motion `(s, w)`,
//!
//! ```text
//! I (s, w) = (m s + w × h,  h × s + (tr Σ) w − Σ w)                                   (2)
//! ½ B (s, w) = (w × l,  (tr P) w − P w)                                               (3)
//! ½ Bᵀ (s, w) = (0,  l × s + (tr P) w − Pᵀ w)                                         (4)
//! ```
//!
//! since what is carried along by `w` at the velocity `u` feels `2 w × u`; and the force that bodies take is
//!
//! ```text
//! f = ∫ (a + K r) dm = m a + K h     n = ∫ r × (a + K r) dm = h × a + vee(K Σ − Σ Kᵀ)  (5)
//! ```
//!
//! (W. Khalil, E. Dombre, *Modeling, Identification and Control of Robots*, 2002, section 9.6.) All are sums over bodies
//! in one frame, 28 numbers with the force.

use super::{Force, InertiaAboutOrigin, Motion, Symmetric3, vector as v3};
use gradyn_derivatives::{Real, Scalar};
use nalgebra::{Matrix3, Vector3};

/// Moments of mass (1), about the origin of the coordinates.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Mass<T> {
    pub(crate) mass: T,
    /// `h`
    pub(crate) first: Vector3<T>,
    /// `Σ`
    pub(crate) second: Symmetric3<T>,
}

/// Moments of flow (1), about the origin of the coordinates.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Flow<T> {
    /// `l`
    pub(crate) momentum: Vector3<T>,
    /// `P`
    pub(crate) second: Matrix3<T>,
}

impl<T: Real> Mass<T> {
    /// As it is, in a wider number type.
    #[inline(always)]
    pub(crate) fn lift<U: Scalar<T>>(&self) -> Mass<U> {
        Mass { mass: self.mass.into(), first: v3::lift(self.first), second: self.second.lift() }
    }

    /// The same mass in coordinates in which the body stands at `(R, p)`.
    #[inline(always)]
    pub(crate) fn placed<U: Scalar<T> + Scalar<U>>(&self, r: &Matrix3<U>, p: Vector3<U>) -> Mass<U> {
        let first = v3::rotate(r, v3::lift(self.first));
        // Σ + p hᵀ + h pᵀ + m p pᵀ = Σ + p (h + m p / 2)ᵀ + (h + m p / 2) pᵀ
        let middle = v3::scale_plus(self.mass * 0.5, p, first);
        let twice = v3::add(p, p);
        let s = self.second.lift::<U>().rotated(r);
        let second = Symmetric3::new(
            twice.x.mul_plus(middle.x, s.xx),
            p.x.mul_plus(middle.y, p.y.mul_plus(middle.x, s.xy)),
            p.x.mul_plus(middle.z, p.z.mul_plus(middle.x, s.xz)),
            twice.y.mul_plus(middle.y, s.yy),
            p.y.mul_plus(middle.z, p.z.mul_plus(middle.y, s.yz)),
            twice.z.mul_plus(middle.z, s.zz),
        );
        Mass { mass: self.mass.into(), first: v3::scale_plus(self.mass, p, first), second }
    }
}

impl<T: Real + Scalar<T>> Mass<T> {
    /// The mass of two.
    #[inline(always)]
    pub(crate) fn add(&mut self, other: &Self) {
        self.mass += other.mass;
        self.first = v3::add(self.first, other.first);
        self.second = self.second + other.second;
    }

    /// Equation (2).
    #[inline(always)]
    pub(crate) fn times(&self, m: Motion<T>) -> Force<T> {
        let (s, w, h) = (m.linear, m.angular, self.first);
        let linear = v3::cross_plus(w, h, v3::scale(self.mass, s));
        Force::new(linear, self.second.trace_minus().times_plus(w, v3::cross(h, s)))
    }

    /// The same, plus `f`.
    #[inline(always)]
    pub(crate) fn times_plus(&self, m: Motion<T>, f: Force<T>) -> Force<T> {
        let (s, w, h) = (m.linear, m.angular, self.first);
        let linear = v3::cross_plus(w, h, v3::scale_plus(self.mass, s, f.linear));
        Force::new(linear, self.second.trace_minus().times_plus(w, v3::cross_plus(h, s, f.angular)))
    }

    /// The columns of the inertia, `I e_k`:
    ///
    /// ```text
    /// [ m E  −[h]× ]
    /// [ [h]×   I   ]
    /// ```
    #[inline(always)]
    pub(crate) fn matrix(&self) -> [[T; 6]; 6] {
        let (o, m, h, i) = (T::zero(), self.mass, self.first, self.second.trace_minus());
        [
            [m, o, o, o, h.z, -h.y],
            [o, m, o, -h.z, o, h.x],
            [o, o, m, h.y, -h.x, o],
            [o, -h.z, h.y, i.xx, i.xy, i.xz],
            [h.z, o, -h.x, i.xy, i.yy, i.yz],
            [-h.y, h.x, o, i.xz, i.yz, i.zz],
        ]
    }

    /// `l` and `P`: equation (1).
    #[inline(always)]
    pub(crate) fn flow(&self, v: Motion<T>) -> Flow<T> {
        let (v, w, h, s) = (v.linear, v.angular, self.first, &self.second);
        // Columns: v h_k + ω × Σ_k.
        let second = v3::from_columns(
            v3::cross_plus(w, Vector3::new(s.xx, s.xy, s.xz), v3::scale(h.x, v)),
            v3::cross_plus(w, Vector3::new(s.xy, s.yy, s.yz), v3::scale(h.y, v)),
            v3::cross_plus(w, Vector3::new(s.xz, s.yz, s.zz), v3::scale(h.z, v)),
        );
        Flow { momentum: v3::cross_plus(w, h, v3::scale(self.mass, v)), second }
    }
}

impl<T: Real> From<InertiaAboutOrigin<T>> for Mass<T> {
    /// `Σ = ½ (tr I) − I`
    #[inline(always)]
    fn from(y: InertiaAboutOrigin<T>) -> Self {
        let (moment, half) = (y.moment, y.moment.trace() * 0.5);
        let second = Symmetric3::diagonal(half, half, half) - moment;
        Self { mass: y.mass, first: y.first_moment, second }
    }
}

impl<T: Real> Mass<T> {
    /// Equation (5), for the acceleration of the point at the origin.
    #[inline(always)]
    pub(crate) fn load<U: Scalar<T>>(&self, k: &Matrix3<U>, a: Vector3<U>) -> Force<U> {
        let (h, s) = (self.first, &self.second);
        let rows =
            [Vector3::new(k.m11, k.m12, k.m13), Vector3::new(k.m21, k.m22, k.m23), Vector3::new(k.m31, k.m32, k.m33)];
        let [sx, sy, sz] =
            [Vector3::new(s.xx, s.xy, s.xz), Vector3::new(s.xy, s.yy, s.yz), Vector3::new(s.xz, s.yz, s.zz)];
        // Entry (i, j) of K Σ is row i of K times column j of Σ.
        let n = Vector3::new(
            difference(rows[2], sy, rows[1], sz),
            difference(rows[0], sz, rows[2], sx),
            difference(rows[1], sx, rows[0], sy),
        );
        let f = v3::scale(self.mass, a);
        let f =
            Vector3::new(v3::dot_plus(h, rows[0], f.x), v3::dot_plus(h, rows[1], f.y), v3::dot_plus(h, rows[2], f.z));
        Force::new(f, v3::cross_plus(h, a, n))
    }
}

/// `(tr X) 1 − X`, as [`Symmetric3::trace_minus`].
#[inline(always)]
fn trace_minus<T: Real>(x: &Matrix3<T>) -> Matrix3<T> {
    #[rustfmt::skip]
    let matrix = Matrix3::new(
        x.m22 + x.m33, -x.m12, -x.m13,
        -x.m21, x.m11 + x.m33, -x.m23,
        -x.m31, -x.m32, x.m11 + x.m22,
    );
    matrix
}

/// `a · x − b · y`
#[inline(always)]
fn difference<P: Real, T: Scalar<P>>(a: Vector3<T>, x: Vector3<P>, b: Vector3<T>, y: Vector3<P>) -> T {
    a.x.mul_plus(x.x, a.y.mul_plus(x.y, a.z.mul_minus(x.z, v3::dot(y, b))))
}

/// `K = [ω̇]× + [ω]×²`
#[inline(always)]
pub(crate) fn spread<T: Real + Scalar<T>>(w: Vector3<T>, e: Vector3<T>) -> Matrix3<T> {
    let less = v3::neg(w);
    let (xx, yy, zz) = (less.x * w.x, less.y * w.y, less.z * w.z);
    Matrix3::new(
        yy + zz,
        w.x.mul_minus(w.y, e.z),
        w.x.mul_plus(w.z, e.y),
        w.x.mul_plus(w.y, e.z),
        xx + zz,
        w.y.mul_minus(w.z, e.x),
        w.x.mul_minus(w.z, e.y),
        w.y.mul_plus(w.z, e.x),
        xx + yy,
    )
}

impl<T: Real + Scalar<T>> Flow<T> {
    pub(crate) fn zero() -> Self {
        Self { momentum: v3::zero(), second: v3::zero_matrix() }
    }

    /// The flow of two.
    #[inline(always)]
    pub(crate) fn add(&mut self, other: &Self) {
        self.momentum = v3::add(self.momentum, other.momentum);
        self.second = v3::add_matrix(&self.second, &other.second);
    }

    /// `½ B (s, w) + f`: equation (3), of a motion with this angular part.
    #[inline(always)]
    pub(crate) fn times_plus(&self, w: Vector3<T>, f: Force<T>) -> Force<T> {
        Force::new(
            v3::cross_plus(w, self.momentum, f.linear),
            v3::rotate_plus(&trace_minus(&self.second), w, f.angular),
        )
    }

    /// The moment of `½ Bᵀ (s, w)`: equation (4).
    #[inline(always)]
    pub(crate) fn tr_times(&self, m: Motion<T>) -> Vector3<T> {
        v3::rotate_back_plus(&trace_minus(&self.second), m.angular, v3::cross(self.momentum, m.linear))
    }
}
