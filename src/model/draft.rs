//! A body of a builder, and checks of its numbers.

use super::joint_dynamics::JointConstant;
use super::{DofDynamics, ModelError};
use crate::joint::{Elementary, Joint, JointKind, value};
use crate::spatial::{Inertia, Motion, Transform};
use gradyn_derivatives::Real;
use std::collections::HashSet;

/// A body, and its joint.
#[derive(Clone, Debug)]
pub(super) struct Draft<P> {
    pub(super) name: String,
    pub(super) joint_name: String,
    pub(super) parent: Option<usize>,
    pub(super) placement: Transform<P>,
    pub(super) joint: Joint<P>,
    /// The body whose joint it follows, multiplier and offset.
    pub(super) mimic: Option<(usize, P, P)>,
    pub(super) inertia: Inertia<P>,
    /// In the order of [`JointConstant::ALL`].
    pub(super) constants: [Option<Vec<P>>; JointConstant::ALL.len()],
    /// Entries of [`with_joint_dynamics`](super::Model::with_joint_dynamics) that no joint would make; indices count from the joint's first degree of freedom.
    pub(super) more: Vec<DofDynamics<P>>,
    /// Stiffness and reference of the spring of each degree of freedom that has one; empty if none has.
    pub(super) springs: Vec<Option<[P; 2]>>,
    /// Stribeck friction, its velocity, and the asymmetry of each degree of freedom; empty if none has any.
    pub(super) curves: Vec<Option<[P; 3]>>,
    pub(super) q_limits: Vec<(f64, f64)>,
    pub(super) velocity_limits: Vec<f64>,
    pub(super) effort_limits: Vec<f64>,
    /// Turns of the rotor per turn of each degree of freedom whose armature is a rotor's; empty if none is.
    pub(super) gear_ratios: Vec<Option<f64>>,
}

impl<P: Real> Draft<P> {
    pub(super) fn check(&self, what: &'static str, found: usize, expected: usize) -> Result<(), ModelError> {
        let name = self.joint_name.clone();
        if found == expected { Ok(()) } else { Err(ModelError::Length { what, name, expected, found }) }
    }

    pub(super) fn not_negative(&self, what: &'static str, numbers: &[f64]) -> Result<(), ModelError> {
        for &value in numbers {
            if value.is_nan() || value < 0.0 {
                let (name, rule) = (self.joint_name.clone(), "expected a number that is not negative");
                return Err(ModelError::BadNumber { what, name, value, rule });
            }
        }
        Ok(())
    }

    /// Nothing that enters the dynamics may be infinite or NaN.
    pub(super) fn check_numbers(&self) -> Result<(), ModelError> {
        numbers(&self.name, &self.inertia)?;
        placed(&self.joint_name, &self.placement)?;
        for (constant, list) in JointConstant::ALL.into_iter().zip(&self.constants).rev() {
            not_negative(constant.name(), &self.joint_name, list.as_deref().unwrap_or(&[]))?;
        }
        for dof in &self.more {
            finite("joint dynamics", &self.joint_name, &[dof.multiplier])?;
            finite("joint dynamics", &self.joint_name, &JointConstant::ALL.map(|constant| *constant.of(dof)))?;
        }
        let refuse = |(what, value, rule)| {
            let name = self.joint_name.clone();
            Err(ModelError::BadNumber { what, name, value, rule })
        };
        match &self.joint {
            Joint::Elementary(joint) => joint.bad_number().map_or(Ok(()), refuse)?,
            Joint::Composite(joint) => {
                for part in joint.parts() {
                    placed(&self.joint_name, &part.placement)?;
                    part.joint.bad_number().map_or(Ok(()), refuse)?;
                }
            }
            Joint::Mimic(_) => {}
        }
        // What is too large shows in the columns.
        let (mut q, mut columns) = (vec![P::zero(); self.joint.nq()], vec![Motion::<P>::zero(); self.joint.nv()]);
        self.joint.neutral(&mut q);
        let pose: Transform<P> = self.joint.pose(&q);
        self.joint.motion_subspace(&q, &mut columns);
        finite("joint", &self.joint_name, pose.translation.as_slice())?;
        finite("joint", &self.joint_name, pose.rotation.as_slice())?;
        for column in &columns {
            finite("joint", &self.joint_name, column.linear.as_slice())?;
            finite("joint", &self.joint_name, column.angular.as_slice())?;
        }
        Ok(())
    }

    /// An entry for each degree of freedom, if anything was set.
    pub(super) fn joint_dynamics(&self, start: usize) -> Vec<DofDynamics<P>> {
        let more = self.more.iter().map(|dof| DofDynamics { index: start + dof.index, ..*dof });
        if self.constants.iter().all(Option::is_none) {
            return more.collect();
        }
        let dof = |k| {
            let mut dof = DofDynamics::none(start + k, self.joint.multiplier());
            for (constant, list) in JointConstant::ALL.into_iter().zip(&self.constants) {
                if let Some(x) = list.as_ref().and_then(|list| list.get(k)) {
                    *constant.of_mut(&mut dof) = *x;
                }
            }
            dof
        };
        (0..self.joint.nv()).map(dof).chain(more).collect()
    }
}

/// Whether the coordinates are (cos, sin).
pub(super) fn is_direction<P: Real>(joint: &Joint<P>) -> bool {
    matches!(joint, Joint::Elementary(Elementary::Continuous(_)))
}

pub(super) fn finite<P: Real>(what: &'static str, name: &str, numbers: &[P]) -> Result<(), ModelError> {
    if numbers.iter().all(|p| p.is_finite()) {
        return Ok(());
    }
    let value = numbers.iter().find(|p| !p.is_finite()).map_or(f64::NAN, |p| value(*p));
    let (name, rule) = (name.to_string(), "expected finite numbers");
    Err(ModelError::BadNumber { what, name, value, rule })
}

/// Finite and not negative.
pub(super) fn not_negative<P: Real>(what: &'static str, name: &str, numbers: &[P]) -> Result<(), ModelError> {
    finite(what, name, numbers)?;
    numbers.iter().find(|p| p.any_below(0.0)).map_or(Ok(()), |p| {
        let (name, rule) = (name.to_string(), "expected a number that is not negative");
        Err(ModelError::BadNumber { what, name, value: value(*p), rule })
    })
}

/// Checks that all numbers of an inertia are finite.
pub(super) fn numbers<P: Real>(name: &str, y: &Inertia<P>) -> Result<(), ModelError> {
    let r = &y.rotational;
    not_negative("mass", name, &[y.mass])?;
    finite("mass center", name, y.com.as_slice())?;
    finite("rotational inertia", name, &[r.xx, r.xy, r.xz, r.yy, r.yz, r.zz])
}

/// Checks that this is a valid placement.
pub(super) fn placed<P: Real>(name: &str, x: &Transform<P>) -> Result<(), ModelError> {
    finite("placement", name, x.translation.as_slice())?;
    finite("placement", name, x.rotation.as_slice())?;
    x.check().map_err(|error| ModelError::Placement { name: name.to_string(), error: error.into() })
}

/// Checks that no two have one name.
pub(super) fn unique<'a>(what: &'static str, names: impl Iterator<Item = &'a str>) -> Result<(), ModelError> {
    let mut seen = HashSet::new();
    for name in names {
        if !seen.insert(name) {
            return Err(ModelError::DuplicateName { what, name: name.to_string() });
        }
    }
    Ok(())
}
