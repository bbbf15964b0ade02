//! By how much rounding moves an output.
//!
//! Torques about a vertical axis are zero at rest, and computed they are sums of terms that cancel but for their last bits. How large these
//! are is not seen from the result; it is seen from its terms. In the sense of a backward error, each number of the robot is rounded,
//! `p (1 + δ)` with `|δ| ≤ u`, and to first order the output moves by at most
//!
//! ```text
//! r_i = u Σ_k |∂y_i/∂p_k| s_k ,     u = 2⁻⁵³
//! ```
//!
//! over all numbers p of the robot: linear inertial parameters, placements, axes, pitches, ratios, friction, damping, armature, gravity. Their
//! scales s are their sizes; of a rotation, whose matrix is rounded, 1 rad; of a translation and of gravity, whose components are sums in
//! turned axes, their lengths. The terms `|∂y_i/∂π_k| |π_k|` alone are those that a torque is the sum of.
//!
//! Source: N. Higham, *Accuracy and stability of numerical algorithms*, 2002, sections 1.5 and 3.1.

use super::{Output, local};
use crate::error::SensitivityError;
use crate::parameters::{Kind, Parameters};
use gradyn::{Method, Model};
use nalgebra::DMatrix;

/// The unit roundoff of doubles.
const U: f64 = 0.5 * f64::EPSILON;

/// All numbers of a robot that an output can be made of, with their scales.
#[derive(Clone, Debug)]
pub struct Rounding {
    /// The numbers, as parameters; the state at the start among them.
    pub parameters: Parameters,
    /// s: their scales, each in the unit of its number; of states 1 rad, m, rad/s or m/s.
    pub scales: Vec<f64>,
}

impl Rounding {
    /// Of this robot.
    #[must_use]
    pub fn of(model: &Model) -> Self {
        let gravity = model.gravity().norm();
        let length = |translation: f64, k: usize| if k < 3 { translation } else { 1.0 };
        let scale = |kind: Kind, value: f64| match kind {
            Kind::Placement(b, k) => Some(length(model.bodies()[b].placement().translation.norm(), k)),
            Kind::FramePlacement(f, k) => Some(length(model.frames()[f].placement().translation.norm(), k)),
            Kind::Axis(..) | Kind::StartQ(_) | Kind::StartV(_) => Some(1.0),
            Kind::Gravity(_) => Some(gravity),
            Kind::Linear(..)
            | Kind::Pitch(..)
            | Kind::Multiplier(_)
            | Kind::Offset(_)
            | Kind::Friction(..)
            | Kind::Damping(..)
            | Kind::Armature(..)
            | Kind::FrictionWidth => Some(value.abs()),
            _ => None,
        };
        let (parameters, scales) = Parameters::of(model).with_each(scale);
        Self { parameters, scales }
    }

    /// `r`, of derivatives with a column for each of the numbers.
    #[must_use]
    pub fn of_jacobian(&self, jacobian: &DMatrix<f64>) -> Vec<f64> {
        let row = |i: usize| jacobian.row(i).iter().zip(&self.scales).map(|(x, s)| U * x.abs() * s).sum();
        (0..jacobian.nrows()).map(row).collect()
    }
}

/// `r_i` of each entry of an output, in its unit. What scatters by no more has no digit that means something.
///
/// O(n) for each entry, as [`local`](super::local()) by some thirty numbers a body.
///
/// # Errors
/// As [`local`](super::local()).
pub fn rounding(model: &Model, output: Output<'_>) -> Result<Vec<f64>, SensitivityError> {
    let all = Rounding::of(model);
    let by = local(&all.parameters, &all.parameters.nominal(), output, Method::Analytical)?;
    Ok(all.of_jacobian(&by.jacobian))
}
