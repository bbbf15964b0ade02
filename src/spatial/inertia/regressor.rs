//! What is linear in a body's ten parameters, as the rows that multiply them.
//!
//! The parameters are those of [`Inertia::to_parameters`](super::Inertia::to_parameters): mass, first moment of mass and
//! moments of inertia, both about the origin of the frame, `π = [m, h, I_xx, I_xy, I_yy, I_xz, I_yz, I_zz]`. Source:
//! C. Atkeson, C. An, J. Hollerbach, *Estimation of inertial parameters of manipulator loads and links*, 1986.

use crate::spatial::{Force, Motion, vector as v3};
use gradyn_derivatives::{Real, Scalar};
use nalgebra::Vector3;

/// The columns `W` of `Y a + v ×* (Y v) = W π`, a wrench about the frame's origin, one a parameter.
///
/// `v`, `a`: velocity and spatial acceleration of the body in coordinates of the frame; an acceleration with that of the
/// falling base, `a − g`, makes gravity part of it. With the acceleration of the origin `c = a + ω × v` and
/// `L(ω) I = I ω`: `f = m c + α × h + ω × (ω × h)`, `n = h × c + L(α) I + ω × L(ω) I`.
#[must_use]
pub fn wrench_regressor<V: Real, A: Scalar<V>>(v: Motion<V>, a: Motion<A>) -> [Force<A>; 10] {
    let (w, alpha): (Vector3<A>, Vector3<A>) = (v3::lift(v.angular), a.angular);
    let c: Vector3<A> = v3::add(a.linear, v3::lift::<V, A>(v3::cross(v.angular, v.linear)));
    let (minus_c, wa, ll) = (v3::neg(c), moments(alpha), moments(w));
    let axes = v3::identity::<A>();
    let mut columns = [Force::new(c, v3::zero()); 10];
    for k in 0..3 {
        let e = v3::column(&axes, k);
        let turned = v3::cross(w, v3::cross(w, e));
        columns[1 + k] = Force::new(v3::cross_plus(alpha, e, turned), v3::cross(minus_c, e));
    }
    for k in 0..6 {
        columns[4 + k] = Force::new(v3::zero(), v3::add(wa[k], v3::cross(w, ll[k])));
    }
    columns
}

/// The row `y = Wᵀ s` of [`wrench_regressor`], `⟨s, Y a + v ×* (Y v)⟩ = y π`, at a tenth of its cost for one motion `s`.
///
/// With `s = (u, θ)`: `u·c` for the mass, `u × α + (u × ω) × ω + c × θ` for the first moment, and
/// `θᵀ I α + (θ × ω)ᵀ I ω` for the moments of inertia.
#[must_use]
#[inline(always)]
pub fn power_regressor<T: Real>(s: Motion<T>, v: Motion<T>, a: Motion<T>) -> [T; 10] {
    let ((u, t), (w, alpha)) = ((s.linear, s.angular), (v.angular, a.angular));
    let c = v3::add(a.linear, v3::cross(w, v.linear));
    let h = v3::cross_plus(u, alpha, v3::cross_plus(v3::cross(u, w), w, v3::cross(c, t)));
    let b = v3::cross(t, w);
    // θ_i α_j + (θ × ω)_i ω_j
    let xx = t.x * alpha.x + b.x * w.x;
    let yy = t.y * alpha.y + b.y * w.y;
    let zz = t.z * alpha.z + b.z * w.z;
    let xy = (t.x * alpha.y + b.x * w.y) + (t.y * alpha.x + b.y * w.x);
    let xz = (t.x * alpha.z + b.x * w.z) + (t.z * alpha.x + b.z * w.x);
    let yz = (t.y * alpha.z + b.y * w.z) + (t.z * alpha.y + b.z * w.y);
    [v3::dot(u, c), h.x, h.y, h.z, xx, xy, yy, xz, yz, zz]
}

/// The row `w` of the kinetic energy `½ ⟨v, Y v⟩ = w π`, J.
#[must_use]
#[inline(always)]
pub fn kinetic_energy_regressor<T: Real>(v: Motion<T>) -> [T; 10] {
    let (u, w) = (v.linear, v.angular);
    // v · (ω × h) = h · (v × ω)
    let h = v3::cross(u, w);
    let half = |x: T| x * 0.5;
    let linear = half(v3::norm_squared(u));
    [linear, h.x, h.y, h.z, half(w.x * w.x), w.x * w.y, half(w.y * w.y), w.x * w.z, w.y * w.z, half(w.z * w.z)]
}

/// The columns of `L(ω)`, in the order of the parameters.
#[inline(always)]
fn moments<T: Real>(w: Vector3<T>) -> [Vector3<T>; 6] {
    let (o, x, y, z) = (T::zero(), w.x, w.y, w.z);
    [
        Vector3::new(x, o, o), // xx
        Vector3::new(y, x, o), // xy
        Vector3::new(o, y, o), // yy
        Vector3::new(z, o, x), // xz
        Vector3::new(o, z, y), // yz
        Vector3::new(o, o, z), // zz
    ]
}
