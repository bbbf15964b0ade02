//! Default priors of parameters.

use super::{Kind, Parameters};
use crate::prior::Prior;
use gradyn::model::{BodyId, ParameterId};
use gradyn::{Workspace, crba};
use std::mem::discriminant;

impl Parameters {
    /// A prior for each selected parameter, within its valid range, with `share` of its value as standard deviation.
    ///
    /// | parameter | value | prior |
    /// |---|---|---|
    /// | masses, densities, moments on the diagonal, friction, damping, armature, inertias of rotors, stiffness, Stribeck friction and velocity, `friction_width` | positive | lognormal, the value as mean, `share` of it as standard deviation |
    /// | friction, damping, armature, inertias of rotors, stiffness, Stribeck friction, `friction_width` | zero | half-normal about zero |
    /// | all others | not zero | normal about the value, `share` of its size as standard deviation |
    /// | | zero | normal about zero, `share` of its unit as standard deviation |
    ///
    /// The scale of a half-normal prior is `share` of the largest value of its kind in the robot. If all are zero, it
    /// is `share` of the joint's effort limit (friction, Stribeck friction), of the effort limit over the velocity limit (damping), or of
    /// the moment of inertia that the joint moves at the neutral configuration (armature, and inertias of rotors times their squared gear
    /// ratio); for stiffness, and without such limits, it is `share` of the unit.
    #[must_use]
    pub fn default_priors(&self, share: f64) -> Vec<Prior> {
        let masses = self.moved_masses();
        let prior = |members: &Vec<usize>| {
            let (kind, value) = (self.all[members[0]].kind, self.all[members[0]].nominal);
            let (positive, never_negative) =
                members.iter().map(|i| self.all[*i].kind).fold((false, false), |(p, n), k| {
                    (p || is_positive(k), n || k.is_never_negative() || k == Kind::Robot(ParameterId::FrictionWidth))
                });
            if (positive || never_negative)
                && value > 0.0
                && let Ok(prior) = Prior::log_normal(value, share * value)
            {
                return prior;
            }
            if never_negative && value == 0.0 {
                let scale = share * self.scale(kind, &masses);
                return Prior::HalfNormal { scale: if scale > 0.0 && scale.is_finite() { scale } else { share } };
            }
            Prior::Normal { mean: value, sd: share * if value == 0.0 { 1.0 } else { value.abs() } }
        };
        self.chosen.iter().map(prior).collect()
    }

    /// The scale of a joint's number that is zero; not finite or zero if unknown.
    fn scale(&self, kind: Kind, masses: &[f64]) -> f64 {
        let same = |p: &&super::Parameter| {
            p.kind.robot().map(|id| discriminant(&id)) == kind.robot().map(|id| discriminant(&id))
        };
        let largest = self.all.iter().filter(same).fold(0.0, |largest: f64, p| largest.max(p.nominal));
        if largest > 0.0 {
            return largest;
        }
        let (limits, bodies) = (self.robot.limits(), self.robot.bodies());
        // A mimic joint has no limits of its own.
        let dof = |b: BodyId, k: usize| {
            let body = &bodies[b.index()];
            body.owns_coordinates().then(|| body.v_range().start + k)
        };
        match kind {
            Kind::Robot(ParameterId::Friction(b, k) | ParameterId::Stribeck(b, k)) => {
                dof(b, k).map_or(0.0, |i| limits.effort[i])
            }
            Kind::Robot(ParameterId::Damping(b, k)) => dof(b, k).map_or(0.0, |i| limits.effort[i] / limits.velocity[i]),
            Kind::Robot(ParameterId::Armature(b, k)) => dof(b, k).map_or(0.0, |i| masses[i]),
            Kind::Robot(ParameterId::RotorInertia(b, k)) => {
                dof(b, k).map_or(0.0, |i| masses[i] / self.squared_ratio(b, k))
            }
            _ => 0.0,
        }
    }

    /// The diagonal of the mass matrix at the neutral configuration, nv; zeros if it does not exist.
    fn moved_masses(&self) -> Vec<f64> {
        let (model, nv) = (&self.robot, self.robot.nv());
        let is_armature = |kind| matches!(kind, Kind::Robot(ParameterId::Armature(..) | ParameterId::RotorInertia(..)));
        if !self.any(is_armature) {
            return vec![0.0; nv];
        }
        let diagonal = |ws: &mut Workspace| crba(model, ws, &model.neutral()).map(|m| m.diagonal().as_slice().to_vec());
        diagonal(&mut Workspace::new(model)).unwrap_or_else(|_| vec![0.0; nv])
    }
}

/// Whether every robot's value is positive.
fn is_positive(kind: Kind) -> bool {
    match kind {
        Kind::Robot(ParameterId::Mass(_) | ParameterId::Density(_) | ParameterId::StribeckVelocity(..)) => true,
        // xx, yy, zz
        Kind::Robot(ParameterId::Moment(_, k)) => matches!(k, 0 | 3 | 5),
        // m, Ixx, Iyy, Izz
        Kind::Robot(ParameterId::Linear(_, k)) => matches!(k, 0 | 4 | 6 | 9),
        _ => false,
    }
}
