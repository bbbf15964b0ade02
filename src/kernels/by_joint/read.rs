//! A state in lanes: rates of eight degrees of freedom, cosines and sines of eight hinges.
//! Serves: `kernels/by_joint/sweeps.rs`. Test: `plan::every_kernel_gives_what_its_page_gives`.

use crate::kernels::by_joint::{JointsMemory, poses};
use crate::plan::Row;
use crate::plan::joints::{Angles, JointsLayout};
use gradyn_derivatives::{Lanes, Real, Register, WIDTH};

/// A state, by lanes.
#[inline(always)]
pub(crate) fn state<R: Register>(layout: &JointsLayout, memory: &mut JointsMemory, q: &[f64], v: &[f64], a: &[f64]) {
    dofs::<R>(layout, &mut memory.qd, v);
    dofs::<R>(layout, &mut memory.qdd, a);
    configuration::<R>(layout, memory, q);
}

/// One number a degree of freedom, by lanes. Zero in all lanes if all are finite.
#[inline(always)]
pub(crate) fn dofs<R: Register>(layout: &JointsLayout, to: &mut [Row], x: &[f64]) -> R {
    let mut zero = R::splat(0.0);
    if layout.direct {
        for (row, x) in to.iter_mut().zip(x[layout.first..].chunks(WIDTH)) {
            let x = R::load_first(x);
            row.store(Lanes(x));
            zero = x.mul_add(R::splat(0.0), zero);
        }
        return zero;
    }
    for (lane, dof) in layout.dof.iter().enumerate() {
        if let Some(dof) = *dof {
            to[lane / WIDTH].0[lane % WIDTH] = x[dof];
        }
    }
    for row in to {
        zero = row.load::<R>().0.mul_add(R::splat(0.0), zero);
    }
    zero
}

/// Cosine and sine of each hinge.
#[inline(always)]
pub(crate) fn configuration<R: Register>(layout: &JointsLayout, memory: &mut JointsMemory, q: &[f64]) {
    poses::of_roots(layout, memory);
    angles(layout, memory, q);
    for (k, angles) in layout.angles.iter().enumerate() {
        cos_sin_of_angles::<R>(memory, q, k, angles.as_ref());
    }
    cos_sin(layout, memory, q);
}

/// Angles of hinges that do not stand in `q` as their register does.
#[inline(always)]
pub(crate) fn angles(layout: &JointsLayout, memory: &mut JointsMemory, q: &[f64]) {
    for turn in &layout.turns {
        memory.sin[turn.hinge / WIDTH].0[turn.hinge % WIDTH] = turn.multiplier * q[turn.q] + turn.offset;
    }
}

/// Cosines and sines of eight hinges, of their angles.
#[inline(always)]
pub(crate) fn cos_sin_of_angles<R: Register>(memory: &mut JointsMemory, q: &[f64], k: usize, angles: Option<&Angles>) {
    let angle = match angles {
        Some(angles) => Lanes(R::load_first(&q[angles.start..]).where_else(angles.hinges, R::splat(0.0))),
        None => memory.sin[k].load::<R>(),
    };
    let (s, c) = angle.sin_cos();
    memory.sin[k].store(s);
    memory.cos[k].store(c);
}

/// Cosines and sines of hinges that have them as coordinates.
#[inline(always)]
pub(crate) fn cos_sin(layout: &JointsLayout, memory: &mut JointsMemory, q: &[f64]) {
    for (hinge, at) in &layout.cos_sin {
        memory.cos[hinge / WIDTH].0[hinge % WIDTH] = q[*at];
        memory.sin[hinge / WIDTH].0[hinge % WIDTH] = q[at + 1];
    }
}
