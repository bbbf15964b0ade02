//! Inverse dynamics over dual numbers, along the six numbers of a wrench.

use super::in_place::in_place;
use crate::dynamics::step::Inward;
use crate::dynamics::{ExternalWrench, Workspace, external};
use crate::kernels::macros::piece;
use crate::model::{Model, path};
use crate::spatial::Force;
use gradyn_derivatives::{Register, VectorDual};
use nalgebra::{DMatrix, Vector3};

piece!(
    /// One wrench, which bodies on the way from its own to the root feel.
    pub(super) fn by_wrench<'a, R: Register>(
        model: &'a Model,
        base: &'a Workspace<f64>,
        wrench: &'a ExternalWrench,
        ws: &'a mut Workspace<VectorDual<R>>,
        matrix: &'a mut DMatrix<f64>,
    ) {
        let ExternalWrench { body, frame, wrench } = wrench;
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
);
