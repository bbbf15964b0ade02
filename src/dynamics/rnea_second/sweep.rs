//! The sweep over the tree: motions outward, composites and second derivatives inward.

use super::entries::Scatter;
use super::memory::{AT_ONCE, Moves};
use super::pack::Pack;
use super::path::gather;
use super::products::{combine_block, combine_own, multiply};
use super::{Column, RneaSecondMemory, springs, wrench};
use crate::dynamics::placed::{Placed, sum_subtrees, update};
use crate::dynamics::rnea::base_acceleration;
use crate::dynamics::{ExternalWrench, Workspace, WrenchFrame};
use crate::level::at_level;
use crate::model::Model;
use crate::spatial::Force;
use gradyn_derivatives::{Piece, Real, Scalar};
use std::marker::PhantomData;
use std::ops::Range;

/// The closed form at one state; the arguments have been checked. Ancestors go through it `L::WIDTH` at a time.
pub(crate) struct Sweep<'a, P, T, L> {
    pub(crate) model: &'a Model<P>,
    pub(crate) ws: &'a mut Workspace<T>,
    pub(crate) q: &'a [T],
    pub(crate) v: &'a [T],
    pub(crate) a: &'a [T],
    pub(crate) wrenches: &'a [ExternalWrench<T>],
    /// Whether the columns are in their places.
    pub(crate) reuse: bool,
    pub(crate) width: PhantomData<L>,
}

impl<P: Real, T: Scalar<P>, L: Pack<T>> Piece for Sweep<'_, P, T, L> {
    /// Whether all derivatives are finite.
    type Output = bool;

    #[inline(always)]
    fn run(self) -> bool {
        let Self { model, ws, q, v, a, wrenches, reuse, .. } = self;
        ws.second(model);
        let Some(mut owned) = ws.second.take() else { return false };
        let memory = &mut *owned;
        // Wrenches that stand still in the world, and springs, add to entries of a floating base that nothing else writes to.
        let stands = wrenches.iter().any(|w| w.frame == WrenchFrame::World);
        let poses = &model.pose_springs;
        let adds = (stands || !poses.is_empty()) && memory.moves.iter().any(|moves| *moves != Moves::Joint);
        if memory.shares || adds || !memory.sparse {
            memory.result.tensors_mut().into_iter().for_each(|tensor| tensor.as_mut_slice().fill(T::zero()));
            memory.sparse = true;
        }
        if !reuse {
            let placed = update(model, ws, base_acceleration(model), (q, v, a));
            sum_up(model, placed, memory);
            make_columns(placed, memory);
        }
        let placed = &ws.placed;
        subtract(placed, memory, wrenches);
        let are_small = L::are_small(&memory.columns, &memory.motions);

        memory.steps.iter_mut().for_each(|step| step.column = usize::MAX);
        let mut finite = of_tree::<T, L>(placed, memory);
        // What others than the equations add to entries.
        let mut more = T::zero();
        if stands {
            more += wrench::add(model, placed, memory);
        }
        memory.sparse = !adds;
        for spring in poses {
            more += springs::add(spring, q, memory, model.nv);
        }
        if model.joint_friction {
            let nv = model.nv;
            let vv = memory.result.d2tau_dvdv.as_mut_slice();
            for dof in &model.dofs {
                let i = dof.index;
                let entry = &mut vv[(i * nv + i) * nv + i];
                *entry += dof.friction_curvature(v[i], model.friction_width);
                more += *entry * T::zero();
            }
            for curve in &model.friction_curves {
                let i = curve.index;
                let entry = &mut vv[(i * nv + i) * nv + i];
                *entry += curve.curvature(v[i], model.friction_width);
                more += *entry * T::zero();
            }
        }
        finite &= L::LOOKS || are_small || memory.result.is_finite();
        ws.second = Some(owned);
        finite && more.is_finite()
    }
}

/// All entries, column by column, link after link inward. Returns whether they are finite, as far as packs check them.
#[inline(always)]
fn of_tree<T: Real, L: Pack<T>>(placed: &Placed<T>, memory: &mut RneaSecondMemory<T>) -> bool {
    let mut finite = true;
    for of_body in placed.of_body.iter().rev() {
        for index in of_body.clone().rev() {
            // Depth first: the path of any link but a leaf is the beginning of the one before.
            let is_leaf = placed.links.get(index + 1).is_none_or(|next| next.parent != Some(index));
            if is_leaf {
                gather::<T, L>(placed, memory, index);
            }
            let link = &placed.links[index];
            let depth = memory.depth[index];
            for column in link.columns.clone() {
                let places = (depth - link.columns.len(), depth);
                finite &= of_column::<T, L>(memory, (column, placed.dof[column]), places);
            }
        }
    }
    finite
}

/// All entries of one column and degree of freedom with columns of its path, which has been gathered. `start`, `depth`:
/// the places of its own link begin and end there.
#[inline(always)]
fn of_column<T: Real, L: Pack<T>>(
    memory: &mut RneaSecondMemory<T>,
    (column, p): (usize, usize),
    (start, depth): (usize, usize),
) -> bool {
    let mut finite = true;
    combine::<T, L>(memory, column, (start, depth));
    // Block by block: the lines of the cache that entries of a block stand in, with `t` the last index, are there for
    // the next `t`.
    for block in 0..depth.div_ceil(L::WIDTH) {
        // Columns whose link's path ends before have no part in this block.
        let begin = memory.steps[block * L::WIDTH].start;
        for first in (begin..depth).step_by(AT_ONCE) {
            let last = depth.min(first + AT_ONCE);
            finite &= multiply::<T, L>(memory, first..last, block, start);
            let own = start.clamp(first, last);
            scatter::<T, L, false>(memory, p, first..own, block);
            scatter::<T, L, true>(memory, p, own..last, block);
        }
    }
    finite
}

/// What a column makes of all columns of its path.
#[inline(always)]
fn combine<T: Real, L: Pack<T>>(memory: &mut RneaSecondMemory<T>, column: usize, (start, depth): (usize, usize)) {
    for block in 0..depth.div_ceil(L::WIDTH) {
        combine_block::<T, L>(memory, column, block);
    }
    combine_own::<T, L>(memory, column, (start, depth));
}

/// [`Scatter`], if there is anything.
#[inline(always)]
fn scatter<T: Real, L: Pack<T>, const OWN: bool>(
    memory: &mut RneaSecondMemory<T>,
    p: usize,
    some: Range<usize>,
    block: usize,
) {
    let width = PhantomData;
    match memory.shares {
        _ if some.is_empty() => {}
        false => L::call(Scatter::<T, L, false, OWN> { memory, p, some, block, width }),
        true => L::call(Scatter::<T, L, true, OWN> { memory, p, some, block, width }),
    }
}

/// Inertia, `B`, and the force that bodies need, summed up over subtrees.
#[inline(always)]
fn sum_up<P: Real, T: Scalar<P>>(model: &Model<P>, placed: &Placed<T>, memory: &mut RneaSecondMemory<T>) {
    for (i, body) in model.bodies.iter().enumerate() {
        let (y, v) = (placed.inertia(body, i), placed.velocity[i]);
        memory.inertia[i] = y.into();
        memory.coriolis[i] = y.body_coriolis(v);
        memory.force[i] = y.newton_euler(v, placed.acceleration[i]);
    }
    sum_subtrees(model, &mut memory.inertia);
    sum_subtrees(model, &mut memory.coriolis);
    sum_subtrees(model, &mut memory.force);
}

/// What the equations have of each column.
#[inline(always)]
fn make_columns<T: Real>(placed: &Placed<T>, memory: &mut RneaSecondMemory<T>) {
    for (i, of_body) in placed.of_body.iter().enumerate() {
        for k in placed.links[of_body.clone()].iter().flat_map(|link| link.columns.clone()) {
            let motions = [placed.columns[k], placed.psi_dot[k], placed.psi_ddot[k], placed.psi_s_dot[k]];
            let column = Column::new(motions, memory.inertia[i], &memory.coriolis[i], memory.force[i]);
            (memory.columns[k], memory.motions[k]) = (column, super::motions(&motions));
        }
    }
}

at_level! {
    /// Subtracts wrenches which move along with their body from the force that its subtree needs, and all that it is
    /// part of. Wrenches that stand still go elsewhere.
    fn subtract<T: Real>(placed: &Placed<T>, memory: &mut RneaSecondMemory<T>, wrenches: &[ExternalWrench<T>]) {
        memory.still.fill(Force::zero());
        for w in wrenches {
            let b = w.body.index();
            match w.frame {
                WrenchFrame::Body => {
                    let wrench = placed.pose[b].act(w.wrench);
                    for k in placed.path(placed.carrier[b]).flat_map(|link| link.columns.clone()) {
                        memory.columns[k].relieve(wrench);
                    }
                }
                WrenchFrame::World => memory.still[b] += placed.standing(b, w.wrench),
            }
        }
    }
}
