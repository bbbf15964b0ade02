//! The check that an inertia is that of a rigid body.

use crate::spatial::Symmetric3;
use std::fmt;

/// Relative to the largest moment: files round their numbers.
const TOLERANCE: f64 = 1e-6;

/// Why no rigid body has an inertia.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Unphysical {
    /// A principal moment is negative.
    NegativeMoment,
    /// One principal moment exceeds the sum of the others.
    TriangleInequality,
    /// There are moments of inertia but no mass.
    MomentsWithoutMass,
}

impl fmt::Display for Unphysical {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::NegativeMoment => "a principal moment is negative",
            Self::TriangleInequality => "principal moments break the triangle inequality",
            Self::MomentsWithoutMass => "moments of inertia without mass",
        })
    }
}

/// What is wrong with a mass and a rotational inertia about the center of mass, given its principal moments.
pub(in crate::model) fn fault(mass: f64, [a, b, c]: [f64; 3]) -> Option<Unphysical> {
    let slack = TOLERANCE * c.max(-a);
    if a < -slack {
        Some(Unphysical::NegativeMoment)
    } else if mass <= 0.0 && c > 0.0 {
        Some(Unphysical::MomentsWithoutMass)
    } else if a + b < c - slack {
        Some(Unphysical::TriangleInequality)
    } else {
        None
    }
}

/// Eigenvalues, ascending, by Jacobi rotations: converges quadratically, and ends after a fixed number of sweeps
/// whatever the numbers are.
pub(in crate::model) fn principal_moments(inertia: &Symmetric3<f64>) -> [f64; 3] {
    let Symmetric3 { xx, xy, xz, yy, yz, zz } = *inertia;
    let scale = [xx, xy, xz, yy, yz, zz].into_iter().fold(0.0, |m: f64, x| m.max(x.abs()));
    if scale <= 0.0 {
        return [0.0; 3];
    }
    let mut diagonal = [xx / scale, yy / scale, zz / scale];
    let mut off = [yz / scale, xz / scale, xy / scale]; // off[k] couples the two others
    for _ in 0..12 {
        let ([d0, d1, d2], [o0, o1, o2]) = (diagonal, off);
        let ((d1, d2), o0, o1, o2) = annihilate((d1, d2), o0, o1, o2);
        let ((d2, d0), o1, o2, o0) = annihilate((d2, d0), o1, o2, o0);
        let ((d0, d1), o2, o0, o1) = annihilate((d0, d1), o2, o0, o1);
        (diagonal, off) = ([d0, d1, d2], [o0, o1, o2]);
    }
    let mut moments = diagonal.map(|x| x * scale);
    moments.sort_by(f64::total_cmp);
    moments
}

/// The Jacobi rotation in the plane (p, q) that makes `a_pq` zero (Golub and Van Loan, *Matrix Computations*, section
/// 8.5.2). With r the third index, it takes `a_pp`, `a_qq`, `a_pq`, `a_rq`, `a_rp` and returns them in the same order.
fn annihilate((pp, qq): (f64, f64), pq: f64, rq: f64, rp: f64) -> ((f64, f64), f64, f64, f64) {
    if pq.abs() < f64::MIN_POSITIVE {
        return ((pp, qq), 0.0, rq, rp);
    }
    let tau = (qq - pp) / (2.0 * pq);
    let t = tau.signum() / (tau.abs() + tau.hypot(1.0));
    let c = 1.0 / t.hypot(1.0);
    let s = t * c;
    ((pp - t * pq, qq + t * pq), 0.0, s * rp + c * rq, c * rp - s * rq)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::spatial::{Inertia, Transform, Transformable};
    use nalgebra::{Rotation3, Vector3};

    fn assert_moments(inertia: &Symmetric3<f64>, expected: [f64; 3]) {
        let moments = principal_moments(inertia);
        for (m, e) in moments.iter().zip(expected) {
            // a few rounding errors of the largest moment
            assert!((m - e).abs() <= 1e-14 * expected[2].abs().max(expected[0].abs()), "{moments:?} {expected:?}");
        }
    }

    #[test]
    fn rotation_leaves_principal_moments_alone() {
        for (k, d) in
            [[1.0, 2.0, 2.5], [3.0, 3.0, 3.0], [0.0, 1.0, 1.0], [-1.0, 0.5, 2.0], [1e-9, 1.0, 1.0]].iter().enumerate()
        {
            for step in 0..50 {
                let angle = 0.3 * f64::from(step) + 0.1;
                let r = Rotation3::from_euler_angles(angle, 1.7 * angle, k as f64);
                let x = Transform::new(r.into_inner(), Vector3::new(0.0, 0.0, 0.0));
                let y = Inertia::new(1.0, Vector3::new(0.0, 0.0, 0.0), Symmetric3::diagonal(d[0], d[1], d[2]));
                assert_moments(&y.transformed(&x).rotational, *d);
            }
        }
    }

    #[test]
    fn extreme_numbers_do_not_overflow_the_sweeps() {
        let huge = f64::MAX / 4.0;
        let moments = principal_moments(&Symmetric3::new(huge, huge / 8.0, 0.0, huge, 0.0, huge));
        assert!(moments.iter().all(|m| m.is_finite()), "{moments:?}");
        assert_moments(&Symmetric3::diagonal(5e-324, 5e-324, 5e-324), [5e-324; 3]);
        assert_moments(&Symmetric3::zero(), [0.0; 3]);
    }

    #[test]
    fn faults_are_told_apart() {
        assert_eq!(fault(1.0, [1.0, 1.0, 2.0]), None); // a disc
        assert_eq!(fault(1.0, [0.0, 1.0, 1.0]), None); // a rod
        assert_eq!(fault(1.0, [0.0, 0.0, 0.0]), None); // a point
        assert_eq!(fault(0.0, [0.0, 0.0, 0.0]), None); // nothing
        assert_eq!(fault(1.0, [1.0, 1.0, 2.0 + 1e-7]), None); // rounded
        assert_eq!(fault(1.0, [1.0, 1.0, 2.1]), Some(Unphysical::TriangleInequality));
        assert_eq!(fault(1.0, [-0.1, 1.0, 1.0]), Some(Unphysical::NegativeMoment));
        assert_eq!(fault(1.0, [-2.0, -1.0, -1.0]), Some(Unphysical::NegativeMoment));
        assert_eq!(fault(0.0, [1.0, 1.0, 1.0]), Some(Unphysical::MomentsWithoutMass));
    }
}
