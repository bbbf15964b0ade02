//! Two rigid bodies as one.

use crate::spatial::{Inertia, Symmetric3, vector as v3};

/// Two bodies as one: `m = m₁ + m₂`, and about the common center of mass
/// `I = I₁ + I₂ + (m₁ m₂ / m) (|d|² 1 − d dᵀ)` with `d` between the two centers. No difference of large numbers.
pub(in crate::model) fn sum(a: &Inertia<f64>, b: &Inertia<f64>) -> Inertia<f64> {
    let (s, t) = (a.rotational, b.rotational);
    let mut r = Symmetric3::new(s.xx + t.xx, s.xy + t.xy, s.xz + t.xz, s.yy + t.yy, s.yz + t.yz, s.zz + t.zz);
    if b.mass <= 0.0 {
        return Inertia::new(a.mass, a.com, r);
    }
    if a.mass <= 0.0 {
        return Inertia::new(b.mass, b.com, r);
    }
    let mass = a.mass + b.mass;
    let part = b.mass / mass;
    let (d, reduced) = (v3::sub(b.com, a.com), a.mass * part);
    r.xx += reduced * (d.y * d.y + d.z * d.z);
    r.yy += reduced * (d.x * d.x + d.z * d.z);
    r.zz += reduced * (d.x * d.x + d.y * d.y);
    r.xy -= reduced * d.x * d.y;
    r.xz -= reduced * d.x * d.z;
    r.yz -= reduced * d.y * d.z;
    Inertia::new(mass, v3::scale_plus(part, d, a.com), r)
}

#[cfg(test)]
mod tests {
    use super::*;
    use nalgebra::Vector3;

    /// Momentum is linear in the bodies: that of the sum is the sum of theirs, for every motion.
    #[test]
    fn two_bodies_as_one_have_the_momentum_of_both() {
        use crate::spatial::Motion;
        let a = Inertia::new(1.5, Vector3::new(0.3, -0.2, 0.7), Symmetric3::new(1.0, 0.1, -0.2, 1.2, 0.3, 0.9));
        let b = Inertia::new(0.4, Vector3::new(-1.0, 0.5, 0.1), Symmetric3::new(0.2, 0.0, 0.1, 0.3, 0.0, 0.4));
        for k in 0..6 {
            let unit = |i: usize| f64::from(u8::from(i == k));
            let motion = Motion::new(Vector3::new(unit(0), unit(1), unit(2)), Vector3::new(unit(3), unit(4), unit(5)));
            let (one, two) = (sum(&a, &b) * motion, a * motion + b * motion);
            let difference = (one.linear - two.linear).abs().max() + (one.angular - two.angular).abs().max();
            assert!(difference < 1e-15 * 10.0, "{k}: {difference}"); // a few roundings of numbers near 1
        }
    }

    #[test]
    fn nothing_added_changes_nothing() {
        let y = Inertia::new(1.5, Vector3::new(0.3, -0.2, 0.7), Symmetric3::new(1.0, 0.1, -0.2, 1.2, 0.3, 0.9));
        let nothing = Inertia::new(0.0, Vector3::new(1e308, 0.0, 0.0), Symmetric3::zero());
        assert_eq!((sum(&y, &nothing), sum(&nothing, &y)), (y, y));
    }
}
