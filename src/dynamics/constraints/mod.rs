//! Closed loops and rigid contacts: dynamics under bilateral constraints.
//!
//! With the error `e(q)` of all constraints, `J = ∂ė/∂q̇` and the multipliers `λ`, the forces that hold the constraints:
//!
//! ```text
//! M q̈ + c = τ + Jᵀ λ ,   J q̈ = −γ ,   γ = J̇ q̇ + k_d J q̇ + k_p e                                      (1)
//! M (v⁺ − v⁻) = Jᵀ Λ ,   J v⁺ = −ε J v⁻                                                            (2)
//! ```
//!
//! Both are solved through `G = J M⁻¹ Jᵀ`: over `f64` by its factors, eight rows at a time, where rows are clearly independent
//! (`kernels::by_joint::constraints::solve`), else by orthogonal ones of whatever rank ([`factor`]). [`vary`](crate::formulas::constraints) differentiates rows. The
//! stabilisation by `k_p`, `k_d` is that of J. Baumgarte,
//! *Stabilization of constraints and integrals of motion in dynamical systems* (1972); the equations are those of RBDA,
//! sections 8.1 and 11.2.

mod constraint;
mod factor;
mod rank;
mod rows;
mod solve;

pub(crate) use crate::formulas::constraints::{AtState, Axes, Place, Rows, Side, Varied, in_body};
pub use constraint::{Constraint, ConstraintKind};
pub(crate) use constraint::{check, rows_of};
pub(crate) use factor::Factor;
pub use rank::{ConstraintRank, RankMargin, constraint_rank};
pub use rows::{constraint_bias, constraint_error, constraint_jacobian};
pub use solve::{ConstraintDynamics, ImpulseDynamics, constraint_dynamics, impulse_dynamics};

use crate::at_level::at_level;
use gradyn_derivatives::Real;
use nalgebra::DMatrix;

/// Factors of the mass matrix that motions under constraints are found by.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum FactorsOfMass {
    /// Along the paths of the tree, in `ws.ltl`; those of constraints are in `factor`.
    Paths,
    /// In blocks, those of constraints too; in `ws.by_joint`.
    Blocks,
}

/// What constrained dynamics is computed in.
#[derive(Clone, Debug)]
pub(crate) struct Memory<T> {
    pub(crate) rows: rows::Rows<T>,
    pub(crate) factor: factor::Factor<T>,
    /// For each block of rows: the sum of the squares of their entries, and of what they were summed from.
    sums: Vec<(T, T)>,
    /// For each block of rows: below which sum of squares it counts as zero.
    least: Vec<T>,
    /// What motions were found by.
    pub(crate) by: FactorsOfMass,
    /// Square roots of `1 / D` of the mass matrix, nv.
    pub(crate) root: Vec<T>,
    /// Right-hand side, one entry a row.
    pub(crate) rhs: Vec<T>,
    /// What is left of it, one entry a row.
    left: Vec<T>,
    /// Accelerations, or velocities after an impulse, nv.
    pub(crate) motion: Vec<T>,
    /// What the constraints add to them, nv.
    pub(crate) change: Vec<T>,
    /// Multipliers, one entry a row.
    pub(crate) lambda: Vec<T>,
    /// A neighbour, and no velocity, for [`constraint_rank`].
    near: [Vec<T>; 2],
}

impl<T: Real> Default for Memory<T> {
    fn default() -> Self {
        Self {
            rows: rows::Rows::default(),
            factor: factor::Factor::default(),
            sums: Vec::new(),
            least: Vec::new(),
            by: FactorsOfMass::Paths,
            root: Vec::new(),
            rhs: Vec::new(),
            left: Vec::new(),
            motion: Vec::new(),
            change: Vec::new(),
            lambda: Vec::new(),
            near: [Vec::new(), Vec::new()],
        }
    }
}

/// Is `x` negative in all lanes (`Some(true)`), in none (`Some(false)`), or in some of them?
#[inline(always)]
fn is_negative<T: Real>(x: T) -> Option<bool> {
    let one = x.select_lt(0.0, T::one(), T::zero());
    if one == T::one() {
        Some(true)
    } else if one == T::zero() {
        Some(false)
    } else {
        None
    }
}

/// `y := y + s x`
#[inline(always)]
fn add_times<T: Real>(y: &mut [T], s: T, x: &[T]) {
    for (y, x) in y.iter_mut().zip(x) {
        *y = x.mul_plus(s, *y);
    }
}

/// `x · y`, in four sums that need not wait for each other.
#[inline(always)]
fn dot<T: Real>(x: &[T], y: &[T]) -> T {
    let ((x, x_rest), (y, y_rest)) = (x.as_chunks::<4>(), y.as_chunks::<4>());
    let mut sums = [T::zero(); 4];
    for (x, y) in x.iter().zip(y) {
        for i in 0..4 {
            sums[i] = x[i].mul_plus(y[i], sums[i]);
        }
    }
    let sum = (sums[0] + sums[1]) + (sums[2] + sums[3]);
    let mut sum = sum;
    for (x, y) in x_rest.iter().zip(y_rest) {
        sum = x.mul_plus(*y, sum);
    }
    sum
}

at_level! {
    /// `y := y + m x`
    fn add_product<T: Real>(m: &DMatrix<T>, x: &[T], y: &mut [T]) {
        for (x, column) in x.iter().zip(m.as_slice().chunks_exact(m.nrows().max(1))) {
            add_times(y, *x, column);
        }
    }
}
