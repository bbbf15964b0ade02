//! A velocity goal, to the extent that contacts leave velocities free: `r = P (v − v*)`, `P = 1 − Jᵀ (J Jᵀ)⁻¹ J`.
//!
//! Under contacts with Jacobian J, `J v = 0` except for drift. The rows of `v = v*` that follow from this do not depend
//! on controls, so a solver cannot correct their errors. P removes them. A constant basis Z of what contacts leave free
//! at the start turns the rest into independent rows: `r = Zᵀ P (v − v*)`.

use super::own::{AutodiffResidual, Quantity, QuantityPoint};
use super::{Depends, Residual};
use crate::constraint::PathConstraint;
use gradyn::dynamics::{Workspace, constraint_jacobian};
use gradyn::model::InputError;
use gradyn::{Constraint, Model, Scalar};
use nalgebra::DMatrix;

/// Of the trace of `J Jᵀ`: what keeps it regular where contacts depend on each other. Rows that follow from contacts
/// keep about this share of themselves.
const NEAR: f64 = 1e-13;

/// `r = Zᵀ (m P m)² (v − v*)`, with m of the entries that count.
#[derive(Clone, Debug)]
struct FreeVelocity {
    goal: Vec<f64>,
    counts: Vec<bool>,
    held: Vec<Constraint>,
    /// Z, nv by rows.
    basis: DMatrix<f64>,
}

impl Quantity for FreeVelocity {
    fn rows(&self, _model: &Model) -> usize {
        self.basis.ncols()
    }
    fn depends(&self) -> Depends {
        Depends::QV
    }
    fn goal(&self) -> Vec<f64> {
        self.goal.clone()
    }
    #[inline(always)]
    fn evaluate<T: Scalar>(&self, on: &mut QuantityPoint<'_, T>, r: &mut [T]) -> Result<(), InputError> {
        let jacobian = constraint_jacobian(on.model, on.workspace, on.q, &self.held)?;
        let off = |(i, v): (usize, &T)| if self.counts[i] { *v - T::from(on.goal[i]) } else { T::zero() };
        let mut y: Vec<T> = on.v.iter().enumerate().map(off).collect();
        // Twice: what the first time leaves of rows that follow from contacts is a small share, its square is nothing.
        for _ in 0..2 {
            project(jacobian, &mut y);
            y.iter_mut().zip(&self.counts).filter(|(_, counts)| !**counts).for_each(|(y, _)| *y = T::zero());
        }
        for (r, z) in r.iter_mut().zip(self.basis.column_iter()) {
            *r = y.iter().zip(z.iter()).fold(T::zero(), |sum, (y, z)| sum + *y * *z);
        }
        Ok(())
    }
}

/// `y := (1 − Jᵀ (J Jᵀ)⁻¹ J) y`, by Cholesky's factors.
#[inline(always)]
fn project<T: Scalar>(jacobian: &DMatrix<T>, y: &mut [T]) {
    let (m, n) = jacobian.shape();
    let product = |i: usize, j: usize| (0..n).fold(T::zero(), |sum, k| sum + jacobian[(i, k)] * jacobian[(j, k)]);
    let near = (0..m).fold(T::zero(), |sum, i| sum + product(i, i)) * NEAR;
    let mut l = DMatrix::from_element(m, m, T::zero());
    for i in 0..m {
        for j in 0..=i {
            let mut x = product(i, j);
            if i == j {
                x += near;
            }
            for k in 0..j {
                x -= l[(i, k)] * l[(j, k)];
            }
            // A row that depends on those before it leaves rounding.
            l[(i, j)] = if i == j { x.max(near).sqrt() } else { x / l[(j, j)] };
        }
    }
    let mut w: Vec<T> = (0..m).map(|i| (0..n).fold(T::zero(), |sum, k| sum + jacobian[(i, k)] * y[k])).collect();
    for i in 0..m {
        for k in 0..i {
            w[i] = w[i] - l[(i, k)] * w[k];
        }
        w[i] = w[i] / l[(i, i)];
    }
    for i in (0..m).rev() {
        for k in i + 1..m {
            w[i] = w[i] - l[(k, i)] * w[k];
        }
        w[i] = w[i] / l[(i, i)];
    }
    for (k, y) in y.iter_mut().enumerate() {
        for (i, w) in w.iter().enumerate() {
            *y -= jacobian[(i, k)] * *w;
        }
    }
}

/// What of a goal of velocities follows from contacts.
#[derive(Clone, Debug)]
pub(crate) struct Implied {
    /// The constraint that asks for it.
    pub(crate) constraint: String,
    /// How many of its rows follow from the contacts, of how many.
    pub(crate) rows: [usize; 2],
    /// Of each degree of freedom, the velocity that is asked for, if there is one.
    pub(crate) goal: Vec<Option<f64>>,
    pub(crate) held: Vec<Constraint>,
}

/// The constraint of the last node without the rows that follow from the contacts before it; `None` where all rows are
/// free, or it is not of this kind: equalities of velocities alone.
pub(crate) fn without_implied(
    model: &Model,
    q: &[f64],
    constraint: &PathConstraint,
    held: &[Constraint],
) -> Option<(PathConstraint, Implied)> {
    let nv = model.nv();
    let goal = constraint.residual.goal();
    let goal_v = constraint.residual.goal_state(&goal)?.get(model.nq()..)?.to_vec();
    let (lower, upper) = constraint.bounds(2 * nv, &"".into()).ok()?;
    let is_free = |i: usize| lower[i] == f64::NEG_INFINITY && upper[i] == f64::INFINITY;
    let is_equal = |i: usize| lower[i] == 0.0 && upper[i] == 0.0;
    if held.is_empty()
        || !constraint.goals.is_empty()
        || !(0..nv).all(is_free)
        || !(nv..2 * nv).all(|i| is_free(i) || is_equal(i))
    {
        return None;
    }
    let counts: Vec<bool> = (nv..2 * nv).map(is_equal).collect();
    let asked = counts.iter().filter(|counts| **counts).count();
    let basis = basis(model, q, &counts, held)?;
    let free = basis.ncols();
    if free >= asked {
        return None;
    }
    let implied = Implied {
        constraint: constraint.name.clone(),
        rows: [asked - free, asked],
        goal: counts.iter().zip(&goal_v).map(|(counts, goal)| counts.then_some(*goal)).collect(),
        held: held.to_vec(),
    };
    let residual: Box<dyn Residual> =
        Box::new(AutodiffResidual::new(model, FreeVelocity { goal: goal_v, counts, held: held.to_vec(), basis }));
    let mut made = PathConstraint::boxed(constraint.name.clone(), residual, vec![0.0], vec![0.0]);
    made.place = constraint.place.clone();
    Some((made, implied))
}

/// Directions of the rows that count which contacts leave free, orthonormal.
fn basis(model: &Model, q: &[f64], counts: &[bool], held: &[Constraint]) -> Option<DMatrix<f64>> {
    let jacobian = constraint_jacobian(model, &mut Workspace::new(model), q, held).ok()?.clone();
    let nv = counts.len();
    let mut all = DMatrix::zeros(nv, nv);
    for (j, mut column) in all.column_iter_mut().enumerate().filter(|(j, _)| counts[*j]) {
        column[j] = 1.0;
        project(&jacobian, column.as_mut_slice());
        (0..nv).filter(|i| !counts[*i]).for_each(|i| column[i] = 0.0);
    }
    let svd = all.svd(true, false);
    // Singular values of what is left of unit vectors are shares: below this, nothing.
    let free = svd.singular_values.iter().filter(|s| **s > 1e-6).count();
    Some(svd.u?.columns(0, free).into_owned())
}
