//! Derivatives of inverse dynamics by dual numbers: the algorithm itself, over them.
//!
//! What [`rnea`](crate::dynamics::rnea()) is over any number type, the steps of
//! [`dynamics::step`](crate::dynamics::step), runs here over `f64`, and then for each chunk of eight degrees of freedom
//! over [`VectorDual`]s, whose eight derivatives are those along the chunk and whose values are those of the first run
//! ([`tangents`]). No derivative of a step is written down: a mistake in the formulas of the analytical method does
//! not affect it. Numbers vary as follows:
//!
//! - at which numbers the derivatives begin ([`seeds`]),
//! - which bodies they reach ([`reach`]): motions vary in the subtrees of the chunk's joints, forces there and on the way to the root,
//! - which arguments of a step carry derivatives ([`chunk`]):
//!
//! | with respect to | poses | velocities | accelerations, forces |
//! |---|---|---|---|
//! | `q` | dual, of the chunk's joints | dual | dual |
//! | `v` | `f64` | dual | dual |
//! | `a` | `f64` | `f64` | dual |
//! | a wrench ([`wrench`]) | `f64` | – | dual |

mod chunk;
mod in_place;
mod matrix;
mod reach;
mod seeds;
mod tangents;
mod wrench;

pub(super) use reach::Reach;

use super::DerivativeWorkspace;
use crate::dynamics::{ExternalWrench, Workspace, rnea};
use crate::kernels::macros::kernel;
use crate::model::Model;
use chunk::{Common, by_acceleration, by_configuration, by_velocity};
use gradyn_derivatives::{Register, VectorDual};
use matrix::store;
use seeds::Seeds;
use std::any::Any;
use tangents::Tangents;
use wrench::by_wrench;

/// Memory over the dual numbers of one level.
struct DualMemory<R: Register> {
    ws: Workspace<VectorDual<R>>,
    seeds: Seeds<R>,
    tangents: Tangents<R>,
}

impl<R: Register> DualMemory<R> {
    fn of<'m>(slot: &'m mut Option<Box<dyn Any + Send + Sync>>, model: &Model) -> Option<&'m mut Self> {
        let fits = slot.as_ref().is_some_and(|memory| memory.is::<Self>());
        if !fits {
            *slot = Some(Box::new(Self {
                ws: Workspace::new(model),
                seeds: Seeds::new(model),
                tangents: Tangents::new(model.bodies.len()),
            }));
        }
        slot.as_mut().and_then(|memory| memory.downcast_mut())
    }
}

kernel!(
    active,
    /// Fills in torques and derivatives. Are the derivatives surely finite? Lengths have been checked.
    pub(super) fn rnea_derivatives<'a, R: Register>(
        model: &'a Model,
        ws: &'a mut DerivativeWorkspace,
        q: &'a [f64],
        v: &'a [f64],
        a: &'a [f64],
        wrenches: &'a [ExternalWrench],
    ) -> bool {
        let DerivativeWorkspace { base, reach, registers, result, .. } = ws;
        // The memory has this type: it was made with it or is replaced.
        let Some(DualMemory { ws, seeds, tangents }) = DualMemory::<R>::of(registers, model) else { return false };
        R::call(rnea::Sweep { model, ws: &mut *base, q, v, a, wrenches });
        result.tau.copy_from_slice(&base.tau);
        seeds.hold(v, a);
        let mut zero = R::splat(0.0);
        for chunk in reach.get_or_insert_with(|| Box::new(Reach::new(model))).iter() {
            let common = Common { model, chunk, wrenches, base };
            seeds.vary_configuration(model, chunk, q);
            by_configuration::<R>(common, seeds, ws, tangents);
            zero = store(chunk, &ws.tau, &mut result.dtau_dq, zero);
            seeds.vary_velocity(chunk);
            by_velocity::<R>(common, q, seeds, ws, tangents);
            seeds.hold_velocity(chunk);
            zero = store(chunk, &ws.tau, &mut result.dtau_dv, zero);
            seeds.vary_acceleration(chunk);
            by_acceleration::<R>(common, v, seeds, ws, tangents);
            seeds.hold_acceleration(chunk);
            zero = store(chunk, &ws.tau, &mut result.dtau_da, zero);
        }
        for (wrench, matrix) in wrenches.iter().zip(&mut result.dtau_df_ext) {
            by_wrench::<R>(model, base, wrench, ws, matrix);
        }
        wrenches.is_empty() && zero.all_lt(R::splat(1.0))
    }
);
