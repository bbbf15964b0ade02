//! `∂τ/∂v`

use super::inward::Inward;
use super::jet::vary_by_velocity;
use super::numbers::StateDual;
use super::outward::{Along, outward};
use super::{Common, Memory, clear, in_place};
use crate::spatial::Motion;
use gradyn_derivatives::simd::{Piece, Register};

/// One chunk of velocities.
pub(super) struct ByVelocity<'a, R: Register> {
    pub(super) common: Common<'a>,
    pub(super) memory: &'a mut Memory<R>,
}

impl<R: Register> Piece for ByVelocity<'_, R> {
    type Output = ();
    #[inline(always)]
    fn run(self) {
        let Self { common, memory } = self;
        let Common { model, base, values, chunk, q, v, .. } = common;
        clear(chunk, memory);
        for moved in &chunk.moved {
            let (i, body) = (moved.body, &model.bodies[moved.body]);
            let own = &values.bodies[i].own;
            if body.subspace_varies && !moved.driven.is_empty() {
                let mut drive: Motion<StateDual<R>> = Motion::zero();
                let state = (&q[body.q.clone()], &v[body.v.clone()]);
                vary_by_velocity(body, chunk, state, &base.rooted.pose[i], &mut memory.jet, &mut drive);
                R::call(outward(common, Along::Velocities, moved, memory, own, &drive));
            } else {
                in_place::<R, _>(outward(common, Along::Velocities, moved, memory, own, &Motion::<f64>::zero()));
            }
        }
        let Memory { force, tau, .. } = &mut *memory;
        R::call(Inward { common, force, tau });
    }
}
