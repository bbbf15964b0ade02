//! Solutions with the transposed equations of motion under constraints, by the factors that derivatives have left.

use crate::dynamics::constraints::FactorsOfMass;
use crate::dynamics::{Workspace, by_plan};
use crate::kernels::by_joint::constraints::operators::Changes;
use crate::model::Model;
use nalgebra::{DMatrix, DVector};

/// `G⁺ b` and `M⁻¹ Jᵀ G⁺ b`, after derivatives under constraints.
pub(super) fn pseudo_inverse(
    model: &Model,
    base: &mut Workspace<f64>,
    b: &DVector<f64>,
) -> (DVector<f64>, DVector<f64>) {
    let (mut rows, mut motion) = (vec![0.0; b.len()], vec![0.0; model.nv]);
    let Some(mut memory) = (if b.is_empty() { None } else { base.constraints.take() }) else {
        return (DVector::from_vec(rows), DVector::from_vec(motion));
    };
    if memory.by == FactorsOfMass::Blocks {
        let minus = -b;
        let changes = Changes { rows: minus.as_slice(), ..Changes::default() };
        by_plan::of(model, base).and_then(|mut kernels| kernels.solve_held(&changes, &mut motion, &mut rows));
    } else {
        memory.factor.solve(model.nv, b.as_slice(), &mut rows, &mut motion);
        base.ltl.other_half(&memory.root, &mut motion);
    }
    base.constraints = Some(memory);
    (DVector::from_vec(rows), DVector::from_vec(motion))
}

/// `M⁻¹ Jᵀ G⁺` times each column.
pub(super) fn pseudo_inverse_of_columns(model: &Model, base: &mut Workspace<f64>, b: &DMatrix<f64>) -> DMatrix<f64> {
    let mut found = DMatrix::zeros(model.nv, b.ncols());
    for (mut to, b) in found.column_iter_mut().zip(b.column_iter()) {
        to.copy_from(&pseudo_inverse(model, base, &b.into_owned()).1);
    }
    found
}

/// What equation (3) of [`hessian`](super) has where rows depend on each other.
pub(super) struct Dependent {
    pub(super) z: DVector<f64>,
    pub(super) sigma: DVector<f64>,
    pub(super) minus_rho: DVector<f64>,
}

impl Dependent {
    pub(super) fn new(
        model: &Model,
        base: &mut Workspace<f64>,
        (rank, lambda): (usize, &DVector<f64>),
        (mu_f, w_f): (&DVector<f64>, &DVector<f64>),
    ) -> Option<Self> {
        if rank == lambda.len() {
            return None;
        }
        let (z, sigma) = (pseudo_inverse(model, base, lambda).1, pseudo_inverse(model, base, mu_f).1);
        let mut rho = w_f.as_slice().to_vec();
        base.constraints.as_deref()?.factor.out_of_reach(&mut rho);
        Some(Self { z, sigma, minus_rho: -DVector::from_vec(rho) })
    }
}
