//! `∂τ/∂a` and `∂τ/∂φ`: τ is linear in both, so eight unit accelerations, or the six unit wrenches on a body, go through at once.

use super::base::Values;
use super::inward::{Inward, project};
use super::{Common, Memory, clear};
use crate::dynamics::{ExternalWrench, Workspace, jacobian::path};
use crate::model::Model;
use crate::spatial::Force;
use gradyn_derivatives::simd::{Piece, Register};
use gradyn_derivatives::{Lanes, Real};
use nalgebra::{DMatrix, Vector3};

/// `∂τ/∂a`, one chunk: `α = α_λ + S e`, `φ = Y α`.
pub(super) struct ByAcceleration<'a, R: Register> {
    pub(super) common: Common<'a>,
    pub(super) memory: &'a mut Memory<R>,
}

impl<R: Register> Piece for ByAcceleration<'_, R> {
    type Output = ();
    #[inline(always)]
    fn run(self) {
        let Self { common, memory } = self;
        let Common { values, base, chunk, .. } = common;
        clear(chunk, memory);
        for moved in &chunk.moved {
            let mut a = memory.acceleration[moved.from];
            for (k, column) in values.columns[moved.driven.clone()].iter().enumerate() {
                a = column.s.times_plus(Lanes::unit(moved.lane + k), a);
            }
            (memory.acceleration[moved.body + 1], memory.force[moved.body]) = (a, base.rooted.inertia[moved.body] * a);
        }
        let Memory { force, tau, .. } = &mut *memory;
        R::call(Inward { common, force, tau });
    }
}

/// `∂τ/∂φ = −Jᵀ`: six unit wrenches on one body, on their way to the root.
pub(super) struct ByWrench<'a, R: Register> {
    pub(super) model: &'a Model,
    pub(super) base: &'a Workspace<f64>,
    pub(super) values: &'a Values,
    pub(super) wrench: &'a ExternalWrench,
    pub(super) tau: &'a mut [Lanes<R>],
    pub(super) matrix: &'a mut DMatrix<f64>,
}

impl<R: Register> Piece for ByWrench<'_, R> {
    type Output = ();
    #[inline(always)]
    fn run(self) {
        let Self { model, base, values, wrench, tau, matrix } = self;
        let minus = |k| -Lanes::<R>::unit(k);
        let unit = Force::new(Vector3::new(minus(0), minus(1), minus(2)), Vector3::new(minus(3), minus(4), minus(5)));
        let f = base.rooted.wrench(wrench.body.index(), wrench.frame, unit);
        for tau in &mut *tau {
            *tau = Lanes::zero();
        }
        for (i, body) in path(&model.bodies, Some(wrench.body.index())) {
            project(&values.columns[base.first[i]..][..body.v.len()], f, &mut tau[body.v.clone()], true);
        }
        for (row, tau) in tau.iter().enumerate() {
            let lanes = tau.to_array();
            for k in 0..6 {
                matrix[(row, k)] = lanes[k];
            }
        }
    }
}
