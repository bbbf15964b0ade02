//! The effect of rounding on an output.
//!
//! Torques about a vertical axis are zero at rest; as computed, they are sums of terms that cancel up to their last
//! bits. The size of these is determined by the terms, not by the result. In the sense of a backward error, each number
//! of the robot is rounded, `p (1 + δ)` with `|δ| ≤ u`, and to first order the output moves by at most
//!
//! ```text
//! r_i = u Σ_k |∂y_i/∂p_k| s_k ,     u = 2⁻⁵³
//! ```
//!
//! over all numbers p of the robot: linear inertial parameters, placements, axes, pitches, ratios, friction, damping,
//! armature, springs, gravity. Their scales s are their sizes. For a rotation, whose matrix is rounded, s is 1 rad; for a
//! translation and for gravity, which are rotated into other axes, so that components are rounded like the largest, s
//! is their length. Algorithms also transform bodies to other origins, including that of the world: at a distance ρ
//! from it, the first moments of a mass m are rounded like `m ρ`, and the second ones like `m ρ²`.
//!
//! Source: N. Higham, *Accuracy and stability of numerical algorithms*, 2002, sections 1.5 and 3.1.

use super::{Output, local};
use crate::error::SensitivityError;
use crate::parameters::{Kind, Parameters};
use gradyn::dynamics::{FrameRef, frame_pose};
use gradyn::model::ParameterId;
use gradyn::{Method, Model, Workspace};

/// The unit roundoff of doubles.
const U: f64 = 0.5 * f64::EPSILON;

/// All numbers of a robot that an output can depend on, as parameters, and their scales, each in the unit of its
/// number.
fn numbers(model: &Model, q: &[f64]) -> Result<(Parameters, Vec<f64>), SensitivityError> {
    let gravity = model.gravity().norm();
    let length = |translation: f64, k: usize| if k < 3 { translation } else { 1.0 };
    let ws = &mut Workspace::new(model);
    let mut moments = Vec::with_capacity(model.bodies().len());
    for (b, body) in model.bodies().iter().enumerate() {
        let far = match model.body_id(b) {
            Some(id) => frame_pose(model, ws, q, FrameRef::from(id))?.translation.norm(),
            None => 0.0,
        };
        let (ten, norm) = (body.inertia().to_parameters(), |of: &[f64]| of.iter().map(|x| x * x).sum::<f64>().sqrt());
        moments.push((norm(&ten[1..4]) + ten[0].abs() * far, norm(&ten[4..]) + ten[0].abs() * far * far));
    }
    let scale = |kind: Kind, value: f64| match kind.robot()? {
        ParameterId::Placement(b, k) => Some(length(model.bodies()[b.index()].placement().translation.norm(), k)),
        ParameterId::FramePlacement(f, k) => Some(length(model.frames()[f.index()].placement().translation.norm(), k)),
        ParameterId::Axis(..) => Some(1.0),
        ParameterId::Gravity(_) => Some(gravity),
        ParameterId::Linear(b, 1..=3) => Some(moments[b.index()].0),
        ParameterId::Linear(b, 4..) => Some(moments[b.index()].1),
        ParameterId::Linear(..)
        | ParameterId::Pitch(..)
        | ParameterId::Ratio(_)
        | ParameterId::Offset(_)
        | ParameterId::Friction(..)
        | ParameterId::Damping(..)
        | ParameterId::Armature(..)
        | ParameterId::Stiffness(..)
        | ParameterId::SpringReference(..)
        | ParameterId::Stribeck(..)
        | ParameterId::StribeckVelocity(..)
        | ParameterId::FrictionAsymmetry(..)
        | ParameterId::FrictionWidth => Some(value.abs()),
        _ => None,
    };
    Ok(Parameters::of(model).with_each(scale))
}

/// `r_i` of each entry of an output, in its unit. An entry that scatters by no more has no significant digit.
///
/// O(n) for each entry, as [`local`](super::local()) by some thirty numbers a body.
///
/// # Errors
/// As [`local`](super::local()).
pub fn rounding(model: &Model, output: impl Output) -> Result<Vec<f64>, SensitivityError> {
    let (all, scales) = numbers(model, output.state().q)?;
    let jacobian = local(&all, &all.nominal(), output, Method::Analytical)?.jacobian;
    let row = |i: usize| jacobian.row(i).iter().zip(&scales).map(|(x, s)| U * x.abs() * s).sum();
    Ok((0..jacobian.nrows()).map(row).collect())
}
