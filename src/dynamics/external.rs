//! External wrenches.

use super::{Workspace, first_not_finite};
pub use crate::formulas::external_wrench::{ExternalWrench, WrenchFrame};
use crate::level::at_level;
use crate::model::{InputError, Model};
use crate::spatial::{Force, Transform};
use gradyn_derivatives::{Real, Scalar};

/// Checks that all wrenches are on bodies of the model.
pub(crate) fn check<P: Real, T>(model: &Model<P>, wrenches: &[ExternalWrench<T>]) -> Result<(), InputError> {
    wrenches.iter().try_for_each(|w| model.check_body(w.body).map(|_| ()))
}

/// The first wrench that is not finite.
#[cold]
pub(crate) fn not_finite<P: Real, T: Real>(model: &Model<P>, wrenches: &[ExternalWrench<T>]) -> Option<InputError> {
    for (index, w) in wrenches.iter().enumerate() {
        let (f, n) = (w.wrench.linear, w.wrench.angular);
        let numbers = [f.x, f.y, f.z, n.x, n.y, n.z];
        if let Some(x) = first_not_finite(&numbers).map(|k| numbers[k]) {
            let body = model.bodies.get(w.body.index()).map_or_else(String::new, |body| format!("body {}", body.name));
            return Some(InputError::NotFinite { what: "wrenches", index, joint: body, value: crate::joint::value(x) });
        }
    }
    None
}

/// The error of a derivative by the numbers of the wrenches, six each, that is not finite.
#[cold]
pub(crate) fn overflow<P: Real, T>(
    model: &Model<P>,
    wrenches: &[ExternalWrench<T>],
    what: &'static str,
    index: usize,
) -> InputError {
    let body = wrenches.get(index / 6).and_then(|w| model.bodies.get(w.body.index()));
    model.overflow_of(what, index, body.map_or_else(String::new, |body| format!("body {}", body.name)))
}

at_level! {
    /// Subtracts the wrenches from the forces that the bodies need.
    pub(crate) fn subtract<P: Real, T: Scalar<P>>(
        model: &Model<P>,
        ws: &mut Workspace<T>,
        wrenches: &[ExternalWrench<T>],
    ) {
        if wrenches.iter().any(|w| w.frame == WrenchFrame::World) {
            step_world_poses(model, ws);
        }
        for w in wrenches {
            subtract_from::<T, T>(&mut ws.force[w.body.index()], w, &ws.x_wb[w.body.index()]);
        }
    }
}

/// Subtracts a wrench from the force that its body needs. The pose in the world is asked for only if the wrench is
/// given there.
#[inline(always)]
pub(crate) fn subtract_from<Q: Real, A: Scalar<Q>>(force: &mut Force<A>, w: &ExternalWrench<A>, x_wb: &Transform<Q>) {
    let f_b: Force<A> = match w.frame {
        WrenchFrame::Body => w.wrench,
        WrenchFrame::World => x_wb.inv_act(w.wrench),
    };
    *force -= f_b;
}

/// `x_wb = x_wp x_pb` for every body.
#[inline(always)]
pub(crate) fn step_world_poses<P: Real, T: Scalar<P>>(model: &Model<P>, ws: &mut Workspace<T>) {
    world_poses(model, 0..model.bodies.len(), ws);
}

/// `x_wb = x_wp x_pb` for some bodies, parents before their children.
#[inline(always)]
pub(crate) fn world_poses<P: Real, T: Scalar<P>>(
    model: &Model<P>,
    bodies: impl Iterator<Item = usize>,
    ws: &mut Workspace<T>,
) {
    for i in bodies {
        let x: Transform<T> = match model.bodies[i].parent {
            Some(p) => ws.x_wb[p] * ws.x_pb[i],
            None => ws.x_pb[i],
        };
        ws.x_wb[i] = x;
    }
}
