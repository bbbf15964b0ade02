//! The sweeps that several results begin with: each is compiled once, not into every one of them.

use super::memory::FORCE;
use super::{Layout, Memory, inward, outward};
use crate::model::Model;
use gradyn_derivatives::simd::{Kernel, Register};
use nalgebra::Vector3;

/// Poses of all bodies at `q`. Is it finite?
pub(super) fn place(model: &Model, layout: &Layout, memory: &mut Memory, q: &[f64]) -> bool {
    memory.level.run(Place { model, layout, memory, q })
}

struct Place<'a> {
    model: &'a Model,
    layout: &'a Layout,
    memory: &'a mut Memory,
    q: &'a [f64],
}

impl Kernel for Place<'_> {
    type Output = bool;
    #[inline(always)]
    fn run<R: Register>(self) -> bool {
        let Self { model, layout, memory, q } = self;
        outward::read_configuration::<R>(layout, memory, q);
        outward::place::<R>(model, layout, memory, q);
        outward::zero_if_finite::<R>(q).all_lt(R::splat(1.0))
    }
}

/// Columns of bodies that have been placed, and the first numbers of their inertias, summed up over subtrees:
/// [`WEIGHTS`] or [`INERTIA`](super::memory::INERTIA) of them.
pub(super) fn stand<const KEPT: usize>(layout: &Layout, memory: &mut Memory) {
    memory.level.run(Stand::<KEPT> { layout, memory });
}

/// Mass and first moment.
pub(super) const WEIGHTS: usize = 4;

struct Stand<'a, const KEPT: usize> {
    layout: &'a Layout,
    memory: &'a mut Memory,
}

impl<const KEPT: usize> Kernel for Stand<'_, KEPT> {
    type Output = ();
    #[inline(always)]
    fn run<R: Register>(self) {
        let Self { layout, memory } = self;
        for g in 0..layout.groups.len() {
            outward::stand::<R, KEPT>(layout, memory, g);
        }
        for g in (0..layout.groups.len()).rev() {
            inward::sum_subtrees::<R, KEPT>(&layout.groups[g], &mut memory.sums, g, FORCE);
        }
    }
}

/// Motions of bodies that have been placed, in the field of some gravity; what is kept of them says
/// [`drive`](outward::drive_in), with sums over subtrees where there are columns. `a` is empty where accelerations are not
/// kept. Is the state finite?
pub(super) fn drive<const KEPT: u8>(
    gravity: Vector3<f64>,
    layout: &Layout,
    memory: &mut Memory,
    v: &[f64],
    a: &[f64],
) -> bool {
    if KEPT >= outward::COLUMNS {
        memory.size_columns(layout);
    }
    memory.level.run(Drive::<KEPT> { gravity, layout, memory, v, a })
}

struct Drive<'a, const KEPT: u8> {
    gravity: Vector3<f64>,
    layout: &'a Layout,
    memory: &'a mut Memory,
    v: &'a [f64],
    a: &'a [f64],
}

impl<const KEPT: u8> Kernel for Drive<'_, KEPT> {
    type Output = bool;
    #[inline(always)]
    fn run<R: Register>(self) -> bool {
        let Self { gravity, layout, memory, v, a } = self;
        let mut zero = outward::zero_if_finite::<R>(v);
        outward::read_dofs::<R>(layout, &mut memory.qd, v);
        if KEPT != outward::VELOCITIES {
            zero = zero.add(outward::zero_if_finite::<R>(a));
            outward::read_dofs::<R>(layout, &mut memory.qdd, a);
        }
        for g in 0..layout.groups.len() {
            outward::drive_in::<R, KEPT>(gravity, layout, memory, g);
        }
        if KEPT >= outward::COLUMNS {
            for g in (0..layout.groups.len()).rev() {
                inward::everything::<R>(layout, memory, g);
            }
        }
        zero.all_lt(R::splat(1.0))
    }
}
