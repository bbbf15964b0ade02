//! What must hold of the results whatever the method: cheap, and blind to how derivatives are computed.

use crate::evaluation;
use crate::robot::Robot;
use crate::states::State;
use gradyn::model::InputError;
use gradyn::model::urdf::NoteKind;
use gradyn::partials::{DerivativeWorkspace, Method, RneaDerivatives};
use nalgebra::{DMatrix, DVector};
use serde::Serialize;

/// Deviations allowed, relative to the largest number: some thousand roundings.
pub(super) const RELATIVE: f64 = 1e-12;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Claim {
    /// `M = Mᵀ`
    Symmetric,
    /// `xᵀ M x ≥ 0`
    Positive,
    /// `τ(q, v, a) − τ(q, v, 0) = M a`
    Linear,
}

impl Claim {
    pub(super) fn text(self) -> &'static str {
        match self {
            Self::Symmetric => "M = Mᵀ",
            Self::Positive => "xᵀ M x ≥ 0",
            Self::Linear => "τ(a) − τ(0) = M a",
        }
    }

    fn name(self) -> &'static str {
        match self {
            Self::Symmetric => "mass_matrix_symmetric",
            Self::Positive => "mass_matrix_positive_semidefinite",
            Self::Linear => "tau_linear_in_a",
        }
    }
}

/// A claim, and where it was nearest to failing.
#[derive(Debug)]
pub(super) struct Identity {
    pub(super) claim: Claim,
    /// The state and its deviation relative to the largest number.
    pub(super) worst: Option<(u64, f64)>,
}

/// The claims that hold for this robot: with inertias that no body has, energy may be negative.
pub(super) fn all(robot: &Robot) -> Vec<Identity> {
    let unphysical = |kind: &NoteKind| matches!(kind, NoteKind::UnphysicalInertia { .. });
    let positive = !robot.report.warnings().any(|note| unphysical(&note.kind));
    let claims = [Claim::Symmetric, Claim::Positive, Claim::Linear].into_iter();
    let claims = claims.filter(|claim| positive || *claim != Claim::Positive);
    claims.map(|claim| Identity { claim, worst: None }).collect()
}

impl Identity {
    /// Looks at one more state: does the claim hold there?
    pub(super) fn look(
        &mut self,
        robot: &Robot,
        state: &State,
        by: &RneaDerivatives,
        workspace: &mut DerivativeWorkspace,
        index: u64,
    ) -> Result<bool, InputError> {
        let mass = &by.dtau_da;
        let deviation = match self.claim {
            Claim::Symmetric => {
                let largest = mass.amax();
                relative((mass - mass.transpose()).amax(), largest)
            }
            Claim::Positive => {
                if is_positive(mass) {
                    0.0
                } else {
                    f64::INFINITY
                }
            }
            Claim::Linear => {
                let still = State { a: vec![0.0; state.a.len()], ..state.clone() };
                let rest = &evaluation::derivatives(robot, workspace, Method::Dual, &still)?.tau;
                let by_mass = mass * DVector::from_column_slice(&state.a);
                relative((&by.tau - rest - &by_mass).amax(), by.tau.amax().max(rest.amax()).max(by_mass.amax()))
            }
        };
        if self.worst.is_none_or(|(_, before)| deviation > before) {
            self.worst = Some((index, deviation));
        }
        Ok(deviation <= RELATIVE)
    }

    pub(super) fn holds(&self) -> bool {
        self.worst.is_none_or(|(_, deviation)| deviation <= RELATIVE)
    }

    pub(super) fn answer(&self) -> Answer {
        Answer {
            identity: self.claim.name(),
            holds: self.holds(),
            state: self.worst.map(|(state, _)| state),
            relative: self.worst.map(|(_, deviation)| deviation),
            tolerance: RELATIVE,
        }
    }
}

/// Has the matrix, its diagonal scaled to one, a Cholesky factor but for rounding?
fn is_positive(m: &DMatrix<f64>) -> bool {
    let scale = |i: usize| if m[(i, i)] > 0.0 { m[(i, i)].sqrt() } else { 1.0 };
    let scaled = |i: usize, j: usize| m[(i, j)] / (scale(i) * scale(j)) + if i == j { RELATIVE } else { 0.0 };
    m.is_empty() || DMatrix::from_fn(m.nrows(), m.ncols(), scaled).cholesky().is_some()
}

/// A deviation relative to a size; zero of zero.
fn relative(deviation: f64, size: f64) -> f64 {
    if deviation == 0.0 { 0.0 } else { deviation / size }
}

/// For programs. An infinite deviation is null.
#[derive(Serialize)]
pub(super) struct Answer {
    identity: &'static str,
    holds: bool,
    state: Option<u64>,
    relative: Option<f64>,
    tolerance: f64,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn positive_matrices_are_told_from_others() {
        let m = |a, b, c| DMatrix::from_row_slice(2, 2, &[a, b, b, c]);
        assert!(
            is_positive(&m(2.0, 1.0, 1.0)) && is_positive(&m(1e9, 1e-3, 1e-12)) && is_positive(&DMatrix::zeros(0, 0))
        );
        assert!(is_positive(&m(1.0, 1.0, 1.0)) && is_positive(&m(1.0, 0.0, 0.0))); // singular: a link without inertia
        assert!(!is_positive(&m(1.0, 2.0, 1.0)) && !is_positive(&m(1.0, 0.0, -1.0)));
    }
}
