//! Inverse dynamics over dual numbers, along the six numbers of a wrench.

use super::in_place::in_place;
use crate::dynamics::step::Inward;
use crate::dynamics::{ExternalWrench, Workspace, external};
use crate::model::{Model, path};
use crate::spatial::Force;
use gradyn_derivatives::VectorDual;
use gradyn_derivatives::simd::{Piece, Register};
use nalgebra::{DMatrix, Vector3};

/// One wrench, which bodies on the way from its own to the root feel.
pub(super) struct ByWrench<'a, R: Register> {
    pub(super) model: &'a Model,
    pub(super) base: &'a Workspace<f64>,
    pub(super) wrench: &'a ExternalWrench,
    pub(super) ws: &'a mut Workspace<VectorDual<R>>,
    /// nv × 6; zero.
    pub(super) matrix: &'a mut DMatrix<f64>,
}

impl<R: Register> Piece for ByWrench<'_, R> {
    type Output = ();
    #[inline(always)]
    fn run(self) {
        let Self { model, base, wrench: ExternalWrench { body, frame, wrench }, ws, matrix } = self;
        let (b, f) = (body.index(), wrench.to_array());
        for (i, body) in path(&model.bodies, Some(b)) {
            ws.force[i] = Force::zero();
            for tau in &mut ws.tau[body.v.clone()] {
                *tau = VectorDual::from(0.0);
            }
        }
        let vary = |k: usize| VectorDual::variable(f[k], k);
        let (linear, angular) = (Vector3::new(vary(0), vary(1), vary(2)), Vector3::new(vary(3), vary(4), vary(5)));
        let varied = ExternalWrench { body: *body, frame: *frame, wrench: Force::new(linear, angular) };
        external::subtract_from(&mut ws.force[b], &varied, &base.x_wb[b]);
        let order = path(&model.bodies, Some(b)).map(|(i, _)| i);
        let (bodies, x_pb, columns, first) = (&model.bodies, &base.x_pb, &base.columns, &base.first);
        in_place::<R, _>(Inward { bodies, order, x_pb, columns, first, force: &mut ws.force, tau: &mut ws.tau });
        for (_, body) in path(&model.bodies, Some(b)) {
            for row in body.v.clone() {
                let derivatives = ws.tau[row].eps.to_array();
                for k in 0..6 {
                    matrix[(row, k)] = derivatives[k];
                }
            }
        }
    }
}
