//! Springs and dampers that a file gives by time constant and damping ratio.
//!
//! A joint with `springdamper="T ζ"` has, with I the inertia that it feels where all bodies have the poses of the file,
//!
//! ```text
//! stiffness = I / (T² ζ²) ,   damping = 2 I / T ,   1 / I = mean of the diagonal of M⁻¹ over the degrees of freedom of the joint
//! ```
//!
//! instead of what it says of both itself. M is the mass matrix with armature, that of actuators included, of joints that no equality ties.
//!
//! Its inverse has this diagonal in one inward and one outward sweep: articulated bodies, and their inverse inertias Υ as the world
//! feels them. Source: G. Rodriguez, A. Jain, K. Kreutz-Delgado, "Spatial operator algebra for multibody system dynamics", 1992; of the
//! two formulas: MuJoCo 4.0.

use super::description::{BodyElement, JointElement, JointKind};
use super::error::{Fault, MjcfError};
use crate::model::source::Owner;
use crate::spatial::{ArticulatedInertia, Force, InertiaAboutOrigin, Motion, vector as v3};
use nalgebra::{Matrix6, Vector3, Vector6};
use std::ops::Range;

/// A degree of freedom of an articulated body: `S`, `U = I_A S`, `1 / d`, `d = Sᵀ U + armature`.
struct Dof {
    along: Motion<f64>,
    felt: Force<f64>,
    inverse: f64,
}

/// Sets stiffness and damping of the joints that have time constant and ratio. `joints` stand in the order of their bodies.
pub(super) fn set(bodies: &[BodyElement], joints: &mut [JointElement]) -> Result<(), MjcfError> {
    if joints.iter().all(|joint| joint.spring_damper.is_none()) {
        return Ok(());
    }
    let inverse = inverse_inertias(bodies, joints);
    for (joint, inverse) in joints.iter_mut().zip(inverse) {
        let Some([time, ratio]) = joint.spring_damper else { continue };
        let inertia = inverse.recip();
        if !(inertia.is_finite() && inertia > 0.0) {
            let reason = "`springdamper` needs something that the joint moves and that has an inertia";
            return Err(Fault::Misplaced { owner: Owner::Joint(joint.name.clone()), reason }.at(&joint.place));
        }
        joint.stiffness += inertia / (time * time * ratio * ratio);
        joint.damping += 2.0 * inertia / time;
        if !(joint.stiffness.is_finite() && joint.damping.is_finite()) {
            let owner = Owner::Joint(joint.name.clone());
            return Err(Fault::Overflow { owner, what: "the force of its `springdamper`" }.at(&joint.place));
        }
    }
    Ok(())
}

/// For each joint the mean of the diagonal of the inverse of the mass matrix over its degrees of freedom, with all bodies where the file has them.
fn inverse_inertias(bodies: &[BodyElement], joints: &[JointElement]) -> Vec<f64> {
    let ranges = ranges(bodies.len(), joints);
    let mut inertia: Vec<ArticulatedInertia<f64>> =
        bodies.iter().map(|body| InertiaAboutOrigin::from(body.inertia).into()).collect();
    let mut dofs: Vec<Vec<Dof>> = joints.iter().map(|_| Vec::new()).collect();
    for (b, body) in bodies.iter().enumerate().rev() {
        let mut own = inertia[b];
        for j in ranges[b].clone().rev() {
            for along in columns(&joints[j]).into_iter().rev() {
                let felt = own.times(along);
                let inverse = (along.power(felt) + joints[j].armature).recip();
                own = own.without(felt, inverse);
                dofs[j].push(Dof { along, felt, inverse });
            }
            dofs[j].reverse();
        }
        if let Some(above) = body.parent.and_then(|parent| inertia.get_mut(parent)) {
            *above += own.transformed(&body.pose);
        }
    }
    let mut means = vec![0.0; joints.len()];
    // Υ of each body in its axes: the acceleration that a force on it makes.
    let mut yielding: Vec<Matrix6<f64>> = Vec::with_capacity(bodies.len());
    for (b, body) in bodies.iter().enumerate() {
        let above = body.parent.and_then(|parent| yielding.get(parent)).copied();
        let mut own = above.map_or_else(Matrix6::zeros, |above| {
            let column = |k: usize| {
                let mut unit = Vector6::zeros();
                unit[k] = 1.0;
                let moved = above * array(body.pose.act(force(unit)).to_array());
                array(body.pose.inv_act(motion(moved)).to_array())
            };
            Matrix6::from_columns(&[0, 1, 2, 3, 4, 5].map(column))
        });
        for j in ranges[b].clone() {
            for Dof { along, felt, inverse } in &dofs[j] {
                let (s, u) = (array(along.to_array()), array(felt.to_array()));
                means[j] += (inverse + inverse * inverse * u.dot(&(own * u))) / dofs[j].len() as f64;
                let kept = Matrix6::identity() - s * u.transpose() * *inverse;
                own = s * s.transpose() * *inverse + kept * own * kept.transpose();
            }
        }
        yielding.push(own);
    }
    means
}

/// The joints of each body.
fn ranges(bodies: usize, joints: &[JointElement]) -> Vec<Range<usize>> {
    let first = |body: usize| joints.partition_point(|joint| joint.body < body);
    (0..bodies).map(|body| first(body)..first(body + 1)).collect()
}

/// Columns of S of a joint in axes of its body, where this has the pose of the file.
fn columns(joint: &JointElement) -> Vec<Motion<f64>> {
    let about = |axis: Vector3<f64>| Motion::new(v3::cross(joint.position, axis), axis);
    let along = |axis: Vector3<f64>| Motion::new(axis, v3::zero());
    let axes = [0, 1, 2].map(|k| v3::column(&v3::identity(), k));
    match joint.kind {
        JointKind::Hinge => vec![about(joint.axis)],
        JointKind::Slide => vec![along(joint.axis)],
        JointKind::Ball => axes.map(about).into(),
        JointKind::Free => axes.map(along).into_iter().chain(axes.map(about)).collect(),
    }
}

fn array(numbers: [f64; 6]) -> Vector6<f64> {
    Vector6::from(numbers)
}

fn force(numbers: Vector6<f64>) -> Force<f64> {
    Force::from_array(numbers.into())
}

fn motion(numbers: Vector6<f64>) -> Motion<f64> {
    Motion::from_array(numbers.into())
}
