//! The mass matrix: composite rigid bodies, eight rows of a column at a time.

use super::factors::place;
use super::memory::{INERTIA, Row, load_inertia, load_motion, store_force};
use super::{Layout, Memory, inward, outward};
use super::{blocks, entries};
use crate::dynamics::singular;
use crate::model::Model;
use crate::spatial::Force;
use gradyn_derivatives::Lanes;
use gradyn_derivatives::simd::{Kernel, Register, WIDTH};
use nalgebra::DMatrix;

/// The mass matrix of all lanes into `memory.mass`, of which blocks right of the diagonal are left out, and what its pivots are compared with into `memory.scale`. Lengths
/// have been checked.
pub(super) fn of_lanes(model: &Model, layout: &Layout, memory: &mut Memory, q: &[f64]) {
    memory.size_mass(layout);
    memory.level.run(MassMatrix { model, layout, memory, q });
}

/// From `memory.mass` to degrees of freedom. Entries that the tree makes zero are not written.
pub(super) fn collect(model: &Model, layout: &Layout, memory: &Memory, to: &mut DMatrix<f64>) {
    let (nv, groups) = (model.nv, layout.groups.len());
    let m = to.as_mut_slice();
    if layout.direct {
        memory.level.run(Copy { groups, nv, mass: &memory.mass, to: m });
    } else {
        let of_lanes = |column: usize, row: usize| {
            let (low, high) = if row / WIDTH > column / WIDTH { (row, column) } else { (column, row) };
            memory.mass[place(groups, low, high / WIDTH)].0[high % WIDTH]
        };
        entries::fold(layout, of_lanes, m, nv);
        entries::mirror(m, nv);
    }
    for entry in &layout.more_joints {
        m[entry.index * (nv + 1)] += entry.mass();
    }
}

/// Lanes to degrees of freedom, where these are the same.
struct Copy<'a> {
    groups: usize,
    nv: usize,
    mass: &'a [Row],
    to: &'a mut [f64],
}

impl Kernel for Copy<'_> {
    type Output = ();
    #[inline(always)]
    fn run<R: Register>(self) {
        let Self { groups, nv, mass, to } = self;
        let (mass, _) = mass.as_chunks::<WIDTH>();
        for g in 0..groups {
            for c in 0..=g {
                let rows = blocks::load::<R>(&mass[g * groups + c]);
                blocks::write(&rows, g, c, to, nv);
                if c < g {
                    blocks::write(&R::transpose(rows), c, g, to, nv);
                }
            }
        }
    }
}

struct MassMatrix<'a> {
    model: &'a Model,
    layout: &'a Layout,
    memory: &'a mut Memory,
    q: &'a [f64],
}

impl Kernel for MassMatrix<'_> {
    type Output = ();
    #[inline(always)]
    fn run<R: Register>(self) {
        let Self { model, layout, memory, q } = self;
        outward::read_configuration::<R>(layout, memory, q);
        outward::place::<R>(model, layout, memory, q);
        for g in 0..layout.groups.len() {
            outward::stand::<R, INERTIA>(layout, memory, g);
        }
        for g in (0..layout.groups.len()).rev() {
            inward::momenta::<R>(layout, memory, g);
        }
        fill::<R>(layout, memory);
    }
}

/// The matrix from the momenta of all columns.
#[inline(always)]
pub(super) fn fill<R: Register>(layout: &Layout, memory: &mut Memory) {
    let groups = layout.groups.len();
    for (g, pairs) in layout.pairs.iter().enumerate() {
        let (s, a) = (load_motion::<R>(&memory.s[g]), load_motion::<R>(&memory.columns[g].a));
        // Blocks on the diagonal and below: the others are their mirror images.
        for pair in &pairs[pairs.partition_point(|pair| pair.column < g * WIDTH)..] {
            let (group, lane) = (pair.column / WIDTH, pair.column % WIDTH);
            let m = entries::mass(&s, &a, pair, &memory.s[group], &memory.columns[group].a, lane);
            memory.mass[place(groups, pair.column, g)].store(Lanes(m));
        }
        let joints = &layout.joints[g];
        if joints.some {
            let mass = inward::joint_dynamics::<R>(joints).mass().to_array();
            for (k, x) in mass.into_iter().enumerate() {
                memory.mass[place(groups, g * WIDTH + k, g)].0[k] += x;
            }
        }
    }
    // Within one joint both products of an entry are there; one of them is kept.
    for step in layout.bodies.iter().filter(|step| step.columns > 1) {
        let g = step.lane / WIDTH;
        let first = step.lane + 1 - step.columns;
        for j in first..=step.lane {
            for i in first..j {
                memory.mass[place(groups, i, g)].0[j % WIDTH] = memory.mass[place(groups, j, g)].0[i % WIDTH];
            }
        }
    }
}

/// Momenta `A = I_C S`, and scales of the pivots, of eight columns whose composite inertias stand in the sums.
#[inline(always)]
pub(super) fn momenta<R: Register>(memory: &mut Memory, g: usize) {
    let (s, y) = (load_motion::<R>(&memory.s[g]), load_inertia::<R>(&memory.sums[g]));
    let a: Force<Lanes<R>> = y * s;
    store_force(&mut memory.columns[g].a, a);
    memory.scale[g].store(singular::scale(&y, s));
}

/// What the pivots of the degrees of freedom are compared with.
pub(super) fn scales(layout: &Layout, memory: &Memory, to: &mut [Row]) {
    to.fill(Row::ZERO);
    for (lane, dof) in layout.dof.iter().enumerate() {
        if let Some(dof) = *dof {
            to[dof / WIDTH].0[dof % WIDTH] += memory.scale[lane / WIDTH].0[lane % WIDTH];
        }
    }
}
