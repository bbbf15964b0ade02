//! Nodes with equalities: `C δx + D δu + c = 0`, and the equations that later nodes require, `E δx⁺ + e = 0`.
//!
//! **Hard**, `δ_c = 0`. The rows by the controls, `M = [D; E⁺ B]`, are factored, `Mᵀ Π = [Y Z] [R S; 0 0]`, and
//! `δu = Y a + Z b`:
//!
//! ```text
//! a = −t − T δx ,   Rᵀ T = first rows of Πᵀ [C; E⁺ A] ,   Rᵀ t = first rows of Πᵀ [c; e⁺]
//! b = −(Zᵀ Qᵤᵤ Z)⁻¹ Zᵀ (Qᵤ + Qᵤₓ δx + Qᵤᵤ Y a)
//! ```
//!
//! The other rows have no pivot: `(rest) − Sᵀ T` and `(rest) − Sᵀ t` go back as `E δx + e = 0`, factored once more, so
//! that the rows of E are orthonormal. Dependent rows must agree with them. Multipliers follow in the forward pass:
//! `Mᵀ w = −(Qᵤᵤ δu + Qᵤₓ δx + Qᵤ)` for rows with a pivot, and for the others the multipliers that the node before has
//! found for E. L. Vanroye, J. De Schutter, W. Decré, *A generalization of the Riccati recursion for
//! equality-constrained linear quadratic optimal control*, Optim. Control Appl. Meth. (2023); F. Laine, C. Tomlin,
//! *Efficient computation of feedback control for equality-constrained LQR*, ICRA 2019.
//!
//! **Soft**, `δ_c > 0`, `C δx + D δu + c = δ_c ν`: `δu` and `ν` together,
//!
//! ```text
//! [Qᵤᵤ  Dᵀ ] [δu]     [Qᵤ]   [Qᵤₓ]
//! [D   −δ_c] [ν ] = − [c ] − [C  ] δx
//! ```
//!
//! W. Jallet, A. Bambade, E. Arlaud, S. El-Kazdadi, N. Mansard, J. Carpentier, *ProxDDP*, IEEE T-RO 41 (2025), section
//! III.

mod hard;
mod rows;
mod scratch;
mod soft;

pub(super) use hard::hard;
pub(super) use rows::{Rows, contradiction, rows};
pub(super) use scratch::Scratch;
pub(super) use soft::soft;

/// Rows that depend on others must agree with them to this share of the largest right-hand side,
const AGREE: f64 = 1e-9;
/// or to this length of a step: where a solver has converged, right-hand sides are nothing but rounding errors.
const AGREE_STEP: f64 = 1e-10;

/// Why a node with equalities has no policy.
pub(in crate::riccati) enum Wrong {
    /// `Zᵀ Qᵤᵤ Z` is not positive definite, or a number is not finite.
    Indefinite,
    /// The row at this place depends on others, and does not agree with them.
    Infeasible(usize),
}
