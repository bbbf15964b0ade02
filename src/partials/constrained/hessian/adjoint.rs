//! Solutions with the transposed equations of motion under constraints, by the factors that derivatives have left.

use crate::dynamics::constraints::FactorsOfMass;
use crate::dynamics::{Workspace, by_plan};
use crate::kernels::by_joint::constraints::operators::Changes;
use crate::model::Model;
use nalgebra::{DMatrix, DVector};

/// `G⁺ b` into `rows`, and `M⁻¹ Jᵀ G⁺ b` into `motion`, after derivatives under constraints.
pub(super) fn pseudo_inverse(
    model: &Model,
    base: &mut Workspace<f64>,
    b: &[f64],
    rows: &mut Vec<f64>,
    motion: &mut Vec<f64>,
) {
    rows.clear();
    rows.resize(b.len(), 0.0);
    motion.clear();
    motion.resize(model.nv, 0.0);
    let Some(mut memory) = (if b.is_empty() { None } else { base.constraints.take() }) else { return };
    if memory.by == FactorsOfMass::Blocks {
        let changes = Changes { rows: b, ..Changes::default() };
        by_plan::of(model, base).and_then(|mut kernels| kernels.apply_operators(&changes, motion, rows));
        motion.iter_mut().chain(rows).for_each(|x| *x = -*x); // what solves `J x = −b`
    } else {
        memory.factor.solve(model.nv, b, rows, motion);
        base.ltl.other_half(&memory.root, motion);
    }
    base.constraints = Some(memory);
}

/// `M⁻¹ Jᵀ G⁺` times each column.
pub(super) fn pseudo_inverse_of_columns(model: &Model, base: &mut Workspace<f64>, b: &DMatrix<f64>) -> DMatrix<f64> {
    let mut found = DMatrix::zeros(model.nv, b.ncols());
    let (mut rows, mut motion) = (Vec::new(), Vec::new());
    for (mut to, b) in found.column_iter_mut().zip(b.column_iter()) {
        pseudo_inverse(model, base, b.into_owned().as_slice(), &mut rows, &mut motion);
        to.copy_from_slice(&motion);
    }
    found
}

/// What equation (3) of [`hessian`](super) has where rows depend on each other.
pub(super) struct Dependent {
    pub(super) z: DVector<f64>,
    pub(super) sigma: DVector<f64>,
    pub(super) rho: DVector<f64>,
}

impl Dependent {
    pub(super) fn new(
        model: &Model,
        base: &mut Workspace<f64>,
        (rank, lambda): (usize, &[f64]),
        (mu_f, w_f): (&[f64], &[f64]),
    ) -> Option<Self> {
        if rank == lambda.len() {
            return None;
        }
        let mut rho = w_f.to_vec();
        let [z, sigma] = [lambda, mu_f].map(|b| {
            let mut motion = Vec::new();
            pseudo_inverse(model, base, b, &mut Vec::new(), &mut motion);
            DVector::from_vec(motion)
        });
        base.constraints.as_deref()?.factor.out_of_reach(&mut rho);
        Some(Self { z, sigma, rho: DVector::from_vec(rho) })
    }
}
