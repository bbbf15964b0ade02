//! The mass matrix: composite rigid bodies (RBDA, table 6.2), in axes of the body at the root, about its origin.
//!
//! With the composite inertia `I_C` of what a joint carries, `M_ij = S_iᵀ I_C S_j` for `i` from `j` to the root.

use crate::kernels::by_copy::states::turns::Turn;
use crate::kernels::by_copy::states::{Numbers, put, store};
use crate::plan::states::{Kind, Step, Table, column, place, unit};
use crate::spatial::moments::Mass;
use crate::spatial::{Force, Motion, vector as v3};
use gradyn_derivatives::simd::{Piece, Register};
use gradyn_derivatives::{Lanes, Real};
use nalgebra::{Matrix3, Vector3};

/// A body and its column.
#[derive(Clone, Copy, Debug)]
struct Body<T> {
    rotation: Matrix3<T>,
    translation: Vector3<T>,
    s: Motion<T>,
    /// Of the body, then of its subtree.
    mass: Mass<T>,
}

/// What the bodies of eight states weigh, and results.
#[derive(Debug)]
pub(crate) struct Memory<T> {
    bodies: Vec<Body<T>>,
    /// Entries that the tree makes zero stay so.
    pub(crate) matrix: Vec<T>,
}

impl<R: Register> Memory<Lanes<R>> {
    pub(crate) fn new(table: &Table) -> Self {
        let bodies = table.steps.iter().map(|step| {
            let (rotation, translation) = (v3::identity(), v3::zero());
            // Bodies at a root keep this pose, and joints there this column.
            Body { rotation, translation, s: column(step, &rotation, translation), mass: Mass::zero() }
        });
        Self { bodies: bodies.collect(), matrix: vec![Lanes::zero(); table.nv * table.nv] }
    }
}

/// The mass matrix without armature.
pub(crate) struct MassMatrix<'a, R: Register> {
    pub(crate) table: &'a Table,
    pub(crate) memory: &'a mut Memory<Lanes<R>>,
    pub(crate) turns: &'a [Turn<R>],
    pub(crate) q: Numbers<'a, R>,
}

impl<R: Register> Piece for MassMatrix<'_, R> {
    type Output = ();
    #[inline(always)]
    fn run(self) {
        let Self { table, memory: Memory { bodies, matrix }, turns, q } = self;
        for (i, step) in table.steps.iter().enumerate() {
            let (before, here) = bodies.split_at_mut(i);
            let body = &mut here[0];
            let Some(p) = step.parent else {
                body.mass = step.mass.lift();
                continue;
            };
            let parent = &before[p];
            let (rotation, position) = place(step, &parent.rotation, parent.translation, (q[step.q], turns[i]));
            body.rotation = rotation;
            body.translation = position;
            body.s = column(step, &rotation, position);
            body.mass = step.mass.placed(&rotation, position);
        }
        for (j, step) in table.steps.iter().enumerate().rev() {
            if step.kind != Kind::Free {
                entries(table, step, j, bodies, matrix);
            } else {
                free(step, &bodies[j].mass, matrix, table.nv);
            }
        }
    }
}

/// Entries of a joint with one coordinate with all columns towards the root, and what its parent carries.
#[inline(always)]
fn entries<R: Register>(table: &Table, step: &Step, j: usize, bodies: &mut [Body<Lanes<R>>], matrix: &mut [Lanes<R>]) {
    let (nv, row) = (table.nv, step.v);
    let (s, mass) = (bodies[j].s, bodies[j].mass);
    if let Some(p) = step.parent {
        bodies[p].mass.add(&mass);
    }
    let momentum: Force<Lanes<R>> = mass.times(s);
    matrix[row * (nv + 1)] = s.power(momentum);
    let mut at = step.parent;
    while let Some(i) = at {
        let above = &table.steps[i];
        at = above.parent;
        if above.kind != Kind::Free {
            let x = bodies[i].s.power(momentum);
            matrix[above.v + nv * row] = x;
            matrix[row + nv * above.v] = x;
        } else {
            put(matrix, above.v, (row, nv), momentum, momentum);
        }
    }
}

/// The six columns of a free body at the root with each other.
#[inline(always)]
fn free<R: Register>(step: &Step, mass: &Mass<Lanes<R>>, matrix: &mut [Lanes<R>], nv: usize) {
    let mut k = 0;
    while k < 6 {
        store(&mut matrix[step.v + nv * (step.v + k)..], mass.times(unit(k)));
        k += 1;
    }
}
