//! The mass matrix: composite rigid bodies, in axes of the body at the root ([`root_axes`](crate::kernels::by_copy::root_axes)).
//! Page: `dynamics/crba.rs`. Test: `batch::batches_of_hinges_and_slides_equal_single_states`.

use crate::kernels::by_copy::root_axes::Placed;
use crate::kernels::by_copy::states::turns::Turn;
use crate::kernels::by_copy::states::{Numbers, put, store};
use crate::plan::states::{LinkKind, StatesLayout, Step};
use crate::spatial::moments::Mass;
use gradyn_derivatives::{Lanes, Real, Register};

/// What the bodies of eight states weigh, and results.
#[derive(Debug)]
pub(crate) struct MassMatrixMemory<T> {
    bodies: Vec<Placed<T>>,
    /// Entries that the tree makes zero stay so.
    pub(crate) matrix: Vec<T>,
}

impl<R: Register> MassMatrixMemory<Lanes<R>> {
    pub(crate) fn new(layout: &StatesLayout) -> Self {
        let bodies = layout.steps.iter().map(|step| Placed::root(&step.link));
        Self { bodies: bodies.collect(), matrix: vec![Lanes::zero(); layout.nv * layout.nv] }
    }
}

piece!(
    /// The mass matrix without armature.
    pub(crate) fn mass_matrix<'a, R: Register>(
        layout: &'a StatesLayout,
        memory: &'a mut MassMatrixMemory<Lanes<R>>,
        turns: &'a [Turn<R>],
        q: Numbers<'a, R>,
    ) {
        let MassMatrixMemory { bodies, matrix } = memory;
        for (i, step) in layout.steps.iter().enumerate() {
            let (before, here) = bodies.split_at_mut(i);
            match step.parent {
                Some(p) => here[0].attach(&step.link, &before[p], (q[step.q], turns[i])),
                None => here[0].mass = step.link.mass.lift(),
            }
        }
        for (j, step) in layout.steps.iter().enumerate().rev() {
            if step.link.kind != LinkKind::Free {
                entries(layout, step, j, bodies, matrix);
            } else {
                free(step, &bodies[j].mass, matrix, layout.nv);
            }
        }
    }
);

/// Entries of a joint with one coordinate with all columns toward the root, and what its parent carries.
#[inline(always)]
fn entries<R: Register>(
    layout: &StatesLayout,
    step: &Step,
    j: usize,
    bodies: &mut [Placed<Lanes<R>>],
    matrix: &mut [Lanes<R>],
) {
    let (nv, row) = (layout.nv, step.v);
    let Placed { s, mass, .. } = bodies[j];
    if let Some(p) = step.parent {
        bodies[p].mass.add(&mass);
    }
    let momentum = mass.times(s);
    matrix[row * (nv + 1)] = s.power(momentum);
    let mut at = step.parent;
    while let Some(i) = at {
        let above = &layout.steps[i];
        at = above.parent;
        if above.link.kind != LinkKind::Free {
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
    let (columns, mut k) = (mass.matrix(), 0);
    while k < 6 {
        store(&mut matrix[step.v + nv * (step.v + k)..], &columns[k]);
        k += 1;
    }
}
