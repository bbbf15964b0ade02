//! `∂τ/∂q`

use super::base::combined;
use super::frame::add_force;
use super::inward::InwardByConfiguration;
use super::jet::vary_by_configuration;
use super::numbers::StateDual;
use super::outward::{Along, outward};
use super::{Common, Memory, clear, in_place};
use crate::dynamics::{WrenchFrame, jacobian::path};
use crate::spatial::Motion;
use gradyn_derivatives::simd::{Piece, Register};

/// One chunk of configurations.
pub(super) struct ByConfiguration<'a, R: Register> {
    pub(super) common: Common<'a>,
    pub(super) memory: &'a mut Memory<R>,
}

impl<R: Register> Piece for ByConfiguration<'_, R> {
    type Output = ();
    #[inline(always)]
    fn run(self) {
        let Self { common, memory } = self;
        let Common { model, base, values, chunk, q, v, a, .. } = common;
        clear(chunk, memory);
        for moved in &chunk.moved {
            let (i, body) = (moved.body, &model.bodies[moved.body]);
            if body.subspace_varies {
                let columns = base.first[i]..base.first[i] + body.v.len();
                let (q_i, v_i, a_i) = (&q[body.q.clone()], &v[body.v.clone()], &a[body.v.clone()]);
                let varied = &mut memory.columns[columns.clone()];
                for (to, from) in varied.iter_mut().zip(&values.columns[columns]) {
                    *to = from.s.lift();
                }
                let x = &base.rooted.pose[i];
                let mut bias: Motion<StateDual<R>> = x.act(base.bias[i]).lift();
                if !moved.driven.is_empty() {
                    vary_by_configuration(body, chunk, (q_i, v_i), x, &mut memory.jet, varied, &mut bias);
                }
                let (own, drive) = (combined(varied, v_i), combined(varied, a_i));
                R::call(outward(common, Along::Configurations, moved, memory, &own, &(drive + bias)));
            } else {
                let own = &values.bodies[i].own;
                in_place::<R, _>(outward(common, Along::Configurations, moved, memory, own, &Motion::<f64>::zero()));
            }
        }
        subtract_wrenches(common, memory);
        let Memory { columns: varied, force, tau, .. } = &mut *memory;
        R::call(InwardByConfiguration { common, varied, force, tau });
    }
}

/// Subtracts the wrenches on bodies that move: one that stands still in the world varies in coordinates of the body.
#[inline(always)]
fn subtract_wrenches<R: Register>(common: Common<'_>, memory: &mut Memory<R>) {
    let Common { model, base, values, chunk, wrenches, .. } = common;
    for w in wrenches.iter().filter(|w| w.frame == WrenchFrame::World) {
        let b = w.body.index();
        if chunk.moved.binary_search_by_key(&b, |moved| moved.body).is_err() {
            continue;
        }
        let f = base.rooted.wrench(b, w.frame, w.wrench);
        for (i, body) in path(&model.bodies, Some(b)) {
            for (column, dof) in values.columns[base.first[i]..].iter().zip(body.v.clone()) {
                if chunk.dofs.contains(&dof) {
                    // φ varies by −S ×* φ
                    add_force(dof - chunk.dofs.start, &column.s.cross_force(f), &mut memory.force[b]);
                }
            }
        }
    }
}
