//! Springs, friction curves and actuators of joints in documents of models.

use super::actuator::{ActuatorDraft, SpeedTorque};
use super::friction_curves::CurveConstant;
use super::{BodyKey, ModelBuilder, ModelError};
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Spring {
    /// Which of the joint's degrees of freedom.
    index: usize,
    stiffness: f64,
    reference: f64,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Curve {
    /// Which of the joint's degrees of freedom.
    index: usize,
    stribeck: f64,
    stribeck_velocity: f64,
    asymmetry: f64,
}

/// Checks that a joint has this degree of freedom.
fn inside(what: &'static str, joint: &str, index: usize, nv: usize) -> Result<(), ModelError> {
    match index < nv {
        true => Ok(()),
        false => Err(ModelError::Length { what, name: joint.to_owned(), expected: nv, found: index + 1 }),
    }
}

impl Spring {
    pub(super) fn all(springs: &[Option<[f64; 2]>]) -> Vec<Self> {
        let spring = |(index, spring): (usize, &Option<[f64; 2]>)| {
            spring.map(|[stiffness, reference]| Self { index, stiffness, reference })
        };
        springs.iter().enumerate().filter_map(spring).collect()
    }

    pub(super) fn set(
        springs: &[Self],
        joint: &str,
        (builder, key): (&mut ModelBuilder, BodyKey),
        nv: usize,
    ) -> Result<(), ModelError> {
        if springs.is_empty() {
            return Ok(());
        }
        let (mut stiffness, mut reference) = (vec![0.0; nv], vec![0.0; nv]);
        for spring in springs {
            inside("springs", joint, spring.index, nv)?;
            (stiffness[spring.index], reference[spring.index]) = (spring.stiffness, spring.reference);
        }
        builder.set_stiffness(key, &stiffness)?.set_spring_reference(key, &reference)?;
        let is_set = |k: usize| springs.iter().any(|spring| spring.index == k);
        let all = builder.bodies[key.0].springs.iter_mut().enumerate();
        all.filter(|(k, _)| !is_set(*k)).for_each(|(_, spring)| *spring = None);
        Ok(())
    }
}

impl Curve {
    pub(super) fn all(curves: &[Option<[f64; 3]>]) -> Vec<Self> {
        let curve = |(index, curve): (usize, &Option<[f64; 3]>)| {
            curve.map(|[stribeck, stribeck_velocity, asymmetry]| Self { index, stribeck, stribeck_velocity, asymmetry })
        };
        curves.iter().enumerate().filter_map(curve).collect()
    }

    pub(super) fn set(
        curves: &[Self],
        joint: &str,
        (builder, key): (&mut ModelBuilder, BodyKey),
        nv: usize,
    ) -> Result<(), ModelError> {
        if curves.is_empty() {
            return Ok(());
        }
        let mut numbers = [vec![0.0; nv], vec![1.0; nv], vec![0.0; nv]];
        for curve in curves {
            inside("friction_curves", joint, curve.index, nv)?;
            let [stribeck, velocity, asymmetry] = numbers.each_mut().map(|list| &mut list[curve.index]);
            (*stribeck, *velocity, *asymmetry) = (curve.stribeck, curve.stribeck_velocity, curve.asymmetry);
        }
        for (constant, numbers) in CurveConstant::ALL.into_iter().zip(&numbers) {
            builder.set_curve(constant, key, numbers)?;
        }
        let is_set = |k: usize| curves.iter().any(|curve| curve.index == k);
        let all = builder.bodies[key.0].curves.iter_mut().enumerate();
        all.filter(|(k, _)| !is_set(*k)).for_each(|(_, curve)| *curve = None);
        Ok(())
    }
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Drive {
    name: String,
    drives: Vec<Gear>,
    /// Least and greatest control.
    limits: [Option<f64>; 2],
    /// Stall torque and no-load speed.
    speed_torque: Option<[f64; 2]>,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Gear {
    /// The place of the body whose joint it drives.
    body: usize,
    /// Which of the joint's degrees of freedom.
    index: usize,
    gear: f64,
}

impl Drive {
    pub(super) fn of(draft: &ActuatorDraft) -> Self {
        let limit = |x: f64| x.is_finite().then_some(x);
        Self {
            name: draft.name.clone(),
            drives: draft.drives.iter().map(|&(body, index, gear)| Gear { body, index, gear }).collect(),
            limits: [limit(draft.limits.0), limit(draft.limits.1)],
            speed_torque: draft.speed_torque.map(|line| [line.stall, line.no_load]),
        }
    }

    pub(super) fn add(self, builder: &mut ModelBuilder) -> Result<(), ModelError> {
        let drives: Vec<_> = self.drives.iter().map(|of| (BodyKey(of.body), of.index, of.gear)).collect();
        let number = builder.add_actuator(self.name, &drives)?;
        let [lower, upper] = self.limits;
        builder.set_actuator_limits(number, lower.unwrap_or(f64::NEG_INFINITY), upper.unwrap_or(f64::INFINITY))?;
        if let Some([stall, no_load]) = self.speed_torque {
            builder.set_speed_torque(number, SpeedTorque { stall, no_load })?;
        }
        Ok(())
    }
}
