//! Second derivatives by springs of spherical and floating joints: all others are linear.

use super::RneaSecondMemory;
use crate::model::PoseSpring;
use gradyn_derivatives::{Real, Scalar};

/// Adds them. Returns zero if what has been added to is finite.
pub(super) fn add<P: Real, T: Scalar<P>>(
    spring: &PoseSpring<P>,
    q: &[T],
    memory: &mut RneaSecondMemory<T>,
    nv: usize,
) -> T {
    let unit = |k: usize| {
        let mut unit = [T::zero(); 6];
        unit[k] = T::one();
        unit
    };
    let at = spring.bent(q);
    let (qq, mut waste) = (memory.result.d2tau_dqdq.as_mut_slice(), T::zero());
    for (row, r) in spring.numbered() {
        for (along, a) in spring.numbered() {
            let bent = at.bend(unit(r), unit(a));
            for (by, b) in spring.numbered() {
                let entry = &mut qq[(row * nv + by) * nv + along];
                *entry += bent[b];
                waste += *entry * T::zero();
            }
        }
    }
    waste
}
